/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_WIRE_WAITS_H
#define SLU_WIRE_WAITS_H

/*
 * Records for what, besides Slurm's own reasons, a job waited in the queue, and
 * how long: as a text such as "0:10:00 for storage, 0:00:40 for its input", for
 * people and for messages (slu_job.waited).
 */

#include <stdbool.h>
#include <stdint.h>

enum slu_wait {
	SLU_WAIT_NOTHING,
	SLU_WAIT_STORAGE,  /* its pool, or its user's share of it, is in use */
	SLU_WAIT_PROMISED, /* the free space is reserved for other jobs */
	SLU_WAIT_PERSISTENT, /* a persistent buffer has to be made, used or
				destroyed */
	SLU_WAIT_INPUT,	  /* its data is being staged in, before it has nodes */
	SLU_WAIT_RUN,	  /* its previous run is not over */
	SLU_WAIT_SLUICED, /* sluiced does not answer */
	SLU_WAIT_BANDWIDTH, /* bandwidth of the parallel file system (IOStart),
			     */
	SLU_WAIT_METADATA,  /* or its operations of metadata */
	SLU_N_WAIT,
};

#define SLU_WAITS_TEXT 256

/* Whole seconds, for each reason. */
struct slu_waited {
	int64_t seconds[SLU_N_WAIT];
};

/* The name in the text: "storage"...; NULL: unknown. */
const char *slu_wait_name(enum slu_wait wait);
/* The reasons that took `least` seconds or more; "": none. */
const char *slu_waited_print(const struct slu_waited *waited, int64_t least,
			     char text[SLU_WAITS_TEXT]);
/* Unknown parts are skipped; NULL is allowed. */
void slu_waited_parse(const char *text, struct slu_waited *waited);

/* For this and for notes (note.h), without sscanf(), which takes several times
 * as long: hooks of slurmctld read notes. A decimal number of at most `most`,
 * and a time "H:MM:SS"; *text moves behind what was read. False: there is none,
 * and *text stays. */
bool slu_take_number(const char **text, int64_t most, int64_t *out);
bool slu_take_hms(const char **text, int64_t *seconds);

#endif
