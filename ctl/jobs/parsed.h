/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_PARSED_H
#define SLU_CTL_PARSED_H

/*
 * Requests of jobs, parsed once: hooks see the canonical text of each pending
 * one in every pass of the schedulers, under slurmctld's locks, and snapshots
 * that of each running one. They are found by a hash of the text, so that
 * whatever changes a job's text is seen at once. At most SLU_PARSED of them are
 * kept. Any thread; a mutex guards all of it, held for one lookup, but not
 * while a text is parsed.
 */

#include <pthread.h>
#include <stdint.h>
#include "burst_buffer/request/request.h"

#define SLU_PARSED 65536

struct slu_parsed;

struct slu_parsed_set {
	pthread_mutex_t lock;
	struct slu_parsed **slot; /* SLU_PARSED, each NULL or owned */
	uint64_t parsed;	  /* how often one had to be, ever */
};

/* -1: no memory. */
int slu_parsed_init(struct slu_parsed_set *set);
void slu_parsed_fini(struct slu_parsed_set *set);

/* The request that this text says; of what is to be staged, laid out and
 * forwarded it has only whether something is staged in. NULL: it says none, or
 * there is no memory. The caller gives it back with slu_parsed_put(). */
const struct slu_request *slu_parsed_get(struct slu_parsed_set *set,
					 const char *text);
void slu_parsed_put(struct slu_parsed_set *set, const struct slu_request *req);

#endif
