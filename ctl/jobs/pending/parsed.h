/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_PARSED_H
#define SLU_CTL_PARSED_H

/*
 * Caches the parsed requests of jobs, since hooks are asked about each pending
 * job in every pass of the schedulers, under slurmctld's locks. A job is found
 * by its number and the address of its text, whatever its length; else by a
 * hash of the text, as when a task of an array becomes a job of its own.
 * Slurmctld never changes a text in place, but a number may be used again:
 * slurmctld's hooks call slu_parsed_seen() for each new job. Any thread; one
 * mutex, held for one look-up, but not while a text is parsed or hashed.
 */

#include <pthread.h>
#include <stdint.h>
#include "burst_buffer/request/request.h"

struct slu_parsed;

struct slu_parsed_job {
	uint32_t job_id;
	const char *text; /* slurmctld's, used only as an address */
	struct slu_parsed *parsed;
};

struct slu_parsed_set {
	pthread_mutex_t lock;
	size_t n;		    /* of each table, a power of two */
	struct slu_parsed **slot;   /* by hash; each NULL or owned */
	struct slu_parsed_job *job; /* by number; each empty or an owner */
	uint64_t parsed;	    /* number of texts parsed so far */
};

/* For so many jobs at once, 0: 32,768; of more, some are parsed again. -1: no
 * memory. */
int slu_parsed_init(struct slu_parsed_set *set, size_t jobs);
void slu_parsed_fini(struct slu_parsed_set *set);

/* The request in this canonical text, without lines: of staging it only has
 * whether something is staged in. NULL: the text has none, or there is no
 * memory. The caller gives it back with slu_parsed_put(). */
const struct slu_request *slu_parsed_get(struct slu_parsed_set *set,
					 const char *text);
/* The same for a job of slurmctld, by its text (NULL: none); job_id 0: it has
 * no number yet. */
const struct slu_request *slu_parsed_of(struct slu_parsed_set *set,
					uint32_t job_id, const char *text);
void slu_parsed_put(struct slu_parsed_set *set, const struct slu_request *req);

/* Adds a request that was parsed and resolved at a submission; the content of
 * *req is taken over. `text` is its slu_request_text(). */
void slu_parsed_add(struct slu_parsed_set *set, const char *text,
		    struct slu_request *req);
/* There is a new job of this number, with this text (NULL: none). */
void slu_parsed_seen(struct slu_parsed_set *set, uint32_t job_id,
		     const char *text);
/* The job is gone; the request goes with the last job that has its text. */
void slu_parsed_forget(struct slu_parsed_set *set, uint32_t job_id);

#endif
