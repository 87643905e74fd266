/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_PLAN_DISKS_H
#define SLU_TESTS_PLAN_DISKS_H

/* Provides nodes with several disks, for tests of plans: what they pushed, and
 * what earlier plans take of each disk. */

#include "tests/unit/burst_buffer/plan_site.h"

#define NODES 4
#define DISKS 3 /* at most, of a node */

#define POOLS                                                              \
	"Pool=flash Tier=flash\nPool=disk Tier=disk\nPool=mem Tier=ram\n"  \
	"FileSystem=g2 Driver=glusterfs\nProfile=hot type=g2 tier=flash\n" \
	"Profile=big capacity=5 pool=disk type=tmp\n"

struct fs {
	enum slu_tier tier;
	unsigned gib; /* 0: there is none */
};

/* The node pushes its disks: /m0, /m1, ... */
void push_fs(const char *node, const struct fs fs[DISKS]);

/* The largest share whose image fits into the room and leaves a part of it. */
uint64_t largest(uint64_t room);

/* What is promised of each disk, in bytes; for slu_plan_site.promised. */
extern uint64_t taken[NODES][DISKS];
int promised(void *arg, const struct slu_plan *plan, uint64_t *bytes,
	     uint64_t *own, struct slu_err *e);

/* The number of the disk that node->storage is on. */
size_t disk_of(const struct slu_plan_node *node);

/* The flash disk with the most room for so many bytes, of equal ones the
 * larger; -1: no room. */
int roomiest(const struct fs *fs, const uint64_t *of, uint64_t bytes);

/* n nodes with random disks, on which nothing is taken. */
void mix(struct fs fs[NODES][DISKS], size_t n, uint64_t *seed);

/* The same plan twice: what the shares of the first one take is added to
 * `taken`. */
int plan_twice(struct slu_job *j, const struct slu_plan_site *s);
/* No disk of these nodes was given away twice. */
void expect_held(struct fs fs[NODES][DISKS], size_t n);

#endif
