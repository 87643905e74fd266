/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LUSTRE_JOBSTATS_H
#define SLU_LUSTRE_JOBSTATS_H

/*
 * Parses job_stats of Lustre 2.10 to 2.17: the I/O of each job on a target
 * since its record was created. The text is one target's file, or what `lctl
 * get_param obdfilter.*.job_stats` prints for several, each after a line
 * "obdfilter.NAME.job_stats=". Numbers are found by their keys, never by
 * column; units after numbers, histograms, and unknown or missing counters are
 * tolerated.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/err.h"

#define SLU_JOBID_SIZE 32 /* Lustre's, with its end */

struct slu_jobstat {
	char job[SLU_JOBID_SIZE]; /* unquoted, escapes undone */
	uint64_t start;		  /* ns; 0 before 2.15: unknown */
	uint64_t last;		  /* ns: its last I/O */
	uint64_t read_rpcs, write_rpcs;
	uint64_t read_bytes, write_bytes;
	uint64_t requests; /* of metadata, where these are counted */
};

struct slu_jobstats_target {
	char name[64]; /* "lustre-OST0000"; "" for a file without such a line */
	size_t first, n; /* its jobs */
};

struct slu_jobstats {
	struct slu_jobstat *job;
	size_t n;
	struct slu_jobstats_target *target;
	size_t n_targets;
	size_t skipped; /* records that could not be parsed */
	/* Set by the caller: on metadata targets count what their service "mdt"
	 * does, too. Opens, creations, attributes and so on, but no closes and
	 * no readdir, which are of "mdt_readpage". It takes time. */
	bool count_requests;
	/* private */
	size_t cap, cap_targets;
	bool inside; /* the record of the last job */
};

/* Parse; text ends with NUL at text[len] and is not changed. The old content of
 * *out is replaced, its memory reused: initialise with {0}. A text without jobs
 * is valid. Fails only without memory. */
int slu_jobstats_parse(struct slu_jobstats *out, const char *text, size_t len,
		       struct slu_err *err);
/* The same in steps: drop the content, but keep its memory; and append whole
 * lines, the first of which names their target. */
void slu_jobstats_clear(struct slu_jobstats *stats);
int slu_jobstats_add(struct slu_jobstats *out, const char *text, size_t len,
		     struct slu_err *err);
void slu_jobstats_free(struct slu_jobstats *stats);

#endif
