/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_ANSWERS_JOB_ADVICE_H
#define SLU_SYSQUERY_ANSWERS_JOB_ADVICE_H

/*
 * What a job's user may do better next time. Each rule has a condition of what
 * was recorded, and says what that was; where something is not known no rule
 * holds that needs it. Pure.
 */

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/str.h"

#define SLU_ADVICE_RUNS 6 /* earlier runs that are looked at */

struct slu_advice_stage {
	double seconds; /* 0: nothing was staged that way, or it is not over */
	uint64_t bytes, files;
};

/* The last node to be done with a phase. */
struct slu_advice_last {
	const char *phase, *node; /* NULL: there is none */
	double behind;		  /* s, after half of the nodes */
	double seconds;		  /* of the phase */
};

struct slu_advice_run {
	int64_t used;	/* s */
	bool timeout;	/* it was ended at its limit */
	bool completed; /* by itself */
};

/* Texts are borrowed. Seconds; 0: not known. */
struct slu_advice_facts {
	uint32_t job_id;
	bool running, held;
	bool cancelled;		 /* while it was held */
	bool completed, timeout; /* of an ended one */
	int64_t asked, granted, predicted, used;
	struct slu_advice_run
		run[SLU_ADVICE_RUNS]; /* before it, newest first */
	size_t n_run;

	/* Its own file system; one that it shares with others (a persistent
	 * buffer) says nothing of this job. */
	bool own;
	uint64_t capacity; /* bytes */
	bool used_known;   /* of every node that gives storage: */
	uint64_t used_most;
	double fullest; /* used_most of its capacity, of the fullest node */
	bool ran;	/* tasks may have run in it */
	bool no_space;	/* it failed for want of space */
	const char *failure, *failed_in; /* SETUP, ...; NULL: it did not */
	const char *kept; /* what was last said of data that is kept, or NULL */
	double run_seconds;
	struct slu_advice_stage in, out;
	struct slu_advice_last last;
};

/* An array of {"rule": its name, "text": for people}, the most urgent first.
 * Caller puts. */
struct json_object *slu_advice(const struct slu_advice_facts *facts);
/* Add what a rule says to such a list: {"rule", "text"}; the text is freed. */
void slu_advice_add(struct json_object *list, const char *rule,
		    struct slu_buf *text);

#endif
