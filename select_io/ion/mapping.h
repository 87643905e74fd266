/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_ION_MAPPING_H
#define SLU_ION_MAPPING_H

/*
 * Formats an assignment of I/O nodes as text: each job's mapping file for the
 * clients of GekkoFWD (a line per compute node), and one line of JSON for other
 * forwarders. An assignment is written at each start and end of a job, and
 * differs little from the previous one: a mapper caches the host lists that it
 * has expanded. No files, no clock. One thread per mapper.
 */

#include <stdint.h>
#include "common/err.h"
#include "common/hostlist.h"
#include "wire/ion_assignment.h"
#include "wire/control.h"

struct slu_mapper;

struct slu_mapper *slu_mapper_new(void); /* NULL without memory */
void slu_mapper_free(struct slu_mapper *mapper);
/* Forget what was not used since this was last called. */
void slu_mapper_sweep(struct slu_mapper *mapper);

/*
 * GekkoFWD's mapping file of one job: a line "<short host name> <id>" per
 * compute node, id being the position of its I/O node in the sorted list of
 * all I/O nodes; compute nodes are divided in equal contiguous blocks. NULL
 * for direct access (no file) with err->kind SLU_NOTFOUND. Caller frees.
 */
char *slu_mapping_text(struct slu_mapper *mapper,
		       const struct slu_ion_share *share, const char *all_ions,
		       struct slu_err *err);

/* How many hosts a list has; -1: it is not one. */
long slu_mapper_count(struct slu_mapper *mapper, const char *hosts,
		      struct slu_err *err);

/*
 * A mapping for clients that still read it, although their job has no I/O nodes
 * any more: ids of n and above are replaced by smaller ones, as a client aborts
 * on ids that do not exist. n = 0: unchanged. NULL without memory; caller
 * frees.
 */
char *slu_mapping_kept(const char *text, uint32_t n, struct slu_err *err);

/*
 * The lines of all jobs, sorted by compute node and then job. Names are the
 * mapper's, until it sweeps. Caller frees with slu_node_lines_free().
 */
struct slu_node_line {
	uint64_t hash;	  /* of the name */
	const char *node; /* short host name */
	uint32_t job_id;
	uint32_t ion; /* as in a mapping file; SLU_NO_ION: direct access */
	size_t at;    /* of the job in the assignment, and in `names` */
};
#define SLU_NO_ION UINT32_MAX
struct slu_node_lines {
	struct slu_node_line *line;
	size_t n;
	const struct slu_hosts **names; /* of each job, short */
};
int slu_node_lines(struct slu_mapper *mapper,
		   const struct slu_assignment *assignment,
		   struct slu_node_lines *out, struct slu_err *err);
void slu_node_lines_free(struct slu_node_lines *lines);

/*
 * The whole assignment for other forwarders, as one line of JSON:
 * {"epoch":N,"time":T,"policy":P,"ions":[all],"jobs":[{"job_id":J,
 * "shared":B,"ions":[its],"nodes":{"compute node":"I/O node",...}},...]};
 * nodes is empty for direct access. Caller frees.
 */
char *slu_mapping_json(struct slu_mapper *mapper,
		       const struct slu_assignment *assignment,
		       struct slu_err *err);

#endif
