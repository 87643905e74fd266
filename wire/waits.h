/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_WIRE_WAITS_H
#define SLU_WIRE_WAITS_H

/*
 * What kept a job in the queue beside Slurm's own reasons, and for how long: in
 * a text like "0:10:00 for storage, 0:00:40 for its input", which is what
 * people read and what travels (slu_job.waited).
 */

#include <stdbool.h>
#include <stdint.h>

enum slu_wait {
	SLU_WAIT_NOTHING,
	SLU_WAIT_STORAGE,    /* what its pool or its user has is in use */
	SLU_WAIT_PROMISED,   /* what is free is kept for others */
	SLU_WAIT_PERSISTENT, /* a persistent buffer is made, used, destroyed */
	SLU_WAIT_INPUT,	     /* is staged in ahead of its nodes */
	SLU_WAIT_RUN,	     /* of its own before, which is not over */
	SLU_WAIT_SLUICED,    /* which does not answer */
	SLU_WAIT_BANDWIDTH,  /* of the parallel file system (IOStart) */
	SLU_N_WAIT,
};

#define SLU_WAITS_TEXT 256

/* Whole seconds by what was waited for. */
struct slu_waited {
	int64_t seconds[SLU_N_WAIT];
};

/* As JSON has it: "storage"...; NULL: there is no such. */
const char *slu_wait_name(enum slu_wait wait);
/* What took `least` seconds or more; "": nothing did. */
const char *slu_waited_print(const struct slu_waited *waited, int64_t least,
			     char text[SLU_WAITS_TEXT]);
/* What is not understood is left out; NULL is fine. */
void slu_waited_parse(const char *text, struct slu_waited *waited);

#endif
