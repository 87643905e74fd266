/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_TBF_SERVER_H
#define SLU_TESTS_TBF_SERVER_H

/*
 * Simulates a server of two targets for the tests of the TBF controller: the
 * job_stats of up to JOBS jobs, and a rule list with Lustre's grammar and
 * order.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "select_io/tbf/controller.h"
#include "tests/fakes/fake_tbf.h"

#define JOBS 8

struct server {
	struct fake_tbf fake;
	struct slu_tbf *tbf;
	unsigned long long rpcs[2][JOBS];
	double start[2][JOBS]; /* of the record; 0: none has been read */
	double now;
	size_t commands, changes;
	bool unmounted; /* the second target */
};

/* Their ids in job_stats. */
extern const char *const server_ids[JOBS];

/* Sets what makes numbers plain in *set. */
void open_server(struct server *s, struct slu_tbf_settings *set, unsigned cpts);
void close_server(struct server *s);
/* Gives the controller the present rules. */
void adopt(struct server *s);
/* So many seconds later this is what job_stats say. */
void observe(struct server *s, double seconds, const struct slu_buf *job_stats);
/* What the controller wants now; how many commands. */
size_t write_rules(struct server *s);
/* A period of so many seconds has passed: observe what is in *s, write. */
void period(struct server *s, double seconds);
/* Of the rule that the job is under; 0: none. */
uint32_t rate_of(const struct server *s, int job);

#endif
