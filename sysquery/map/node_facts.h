/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_MAP_NODE_FACTS_H
#define SLU_SYSQUERY_MAP_NODE_FACTS_H

/* Collects what slurm.conf should say about a node (processors, memory, disks,
 * GPUs, features) from the resource map, in slurm.conf's units. */

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include "store/db.h"

/* A set of words, compared without case. */
struct slu_words {
	char **word;
	size_t n;
};
/* Add those of "a,b(x),c"; -1 without memory. */
int slu_words_add(struct slu_words *words, const char *text);
bool slu_words_has(const struct slu_words *words, const char *word);
void slu_words_free(struct slu_words *words);

struct slu_facts {
	int64_t cpus, sockets, cores, threads; /* cores per socket, threads per
						  core; 0: not known */
	int64_t memory, tmp;		       /* MiB; 0: not known */
	int64_t gpus;			       /* -1: not known */
	int nvme, ssd, ib;  /* does it have one? -1: not known */
	const char *vendor; /* borrowed from cpuinfo; NULL: not known */
	struct json_object *cpuinfo, *flags;
};

/* 1, or 0 if the map does not know the host. Caller frees. tmpfs: path of the
 * file system for TmpDisk. */
int slu_facts_read(struct slu_db *db, const char *host, const char *tmpfs,
		   struct slu_facts *out, struct slu_err *err);
void slu_facts_free(struct slu_facts *facts);

/* Does the node have this feature? -1: the map has no data about it. */
int slu_facts_feature(const struct slu_facts *facts, const char *feature);

#endif
