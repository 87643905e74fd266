/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_ANSWERS_JOB_ADVICE_H
#define SLU_SYSQUERY_ANSWERS_JOB_ADVICE_H

/*
 * Gives advice to a job's user. Each rule has a condition on the recorded data,
 * and its text states that data; a rule does not apply if data that it needs is
 * missing. Pure functions.
 */

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/str.h"

#define SLU_ADVICE_RUNS 6 /* earlier runs that are examined */

struct slu_advice_stage {
	double seconds; /* 0: nothing was staged that way, or it is not over */
	uint64_t bytes, files;
};

/* The last node to finish a phase. */
struct slu_advice_last {
	const char *phase, *node; /* NULL: there is none */
	double behind;		  /* seconds after half of the nodes */
	double seconds;		  /* of the phase */
};

struct slu_advice_run {
	int64_t used;	/* s */
	bool timeout;	/* it ended at its time limit */
	bool completed; /* it ended by itself */
};

/* Strings are borrowed. Seconds; 0: not known. */
struct slu_advice_facts {
	uint32_t job_id;
	bool running, held;
	bool cancelled;		 /* while it was held */
	bool completed, timeout; /* of an ended one */
	int64_t asked, granted, predicted, used;
	struct slu_advice_run
		run[SLU_ADVICE_RUNS]; /* runs before it, newest first */
	size_t n_run;

	/* It has its own file system; the numbers of a shared one (a persistent
	 * buffer) do not describe this job. */
	bool own;
	uint64_t capacity; /* bytes */
	bool used_known;   /* every node that gives storage has reported: */
	uint64_t used_most;
	double fullest; /* used_most relative to the capacity, on the fullest
			   node */
	bool ran;	/* tasks may have run in it */
	bool no_space;	/* it failed because it was full */
	const char *failure, *failed_in; /* phase in which it failed, SETUP,
					    ...; NULL: it did not */
	const char *kept; /* the last text about kept data, or NULL */
	double run_seconds;
	struct slu_advice_stage in, out;
	struct slu_advice_last last;
};

/* An array of {"rule": its name, "text": for people}, the most urgent first.
 * Caller puts. */
struct json_object *slu_advice(const struct slu_advice_facts *facts);
/* Append a rule's advice to such a list: {"rule", "text"}; frees the text. */
void slu_advice_add(struct json_object *list, const char *rule,
		    struct slu_buf *text);

#endif
