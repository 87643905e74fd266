/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STAGING_MOVE_H
#define SLU_STAGING_MOVE_H

/*
 * The site's own copier of large trees (dcp, dsync, rsync), between PREPARE and
 * COPY. What it leaves to be done, COPY does, with part->quick, and VERIFY
 * believes neither.
 */

#include "burst_buffer/staging/stage.h"

struct slu_mover {
	/* The program, absolute, and its arguments, NULL-ended; %s and %d in
	 * them become the directories the contents of which are to arrive in
	 * which, %% becomes %. */
	char *const *words;
	/* Its whole environment, NULL-ended NAME=VALUE. */
	char *const *env;
};

/*
 * Run it, as whoever we are, until it ends: 1; 0: the source is not one whole
 * directory, and it was not run. An exit code other than 0 is SLU_IO with the
 * last line that it said; part->progress is asked twice a second whether to
 * stop (SLU_BUSY). When this returns, or the calling process dies, nothing that
 * it started is left on this machine. part->manifest is not used.
 */
int slu_stage_move(const struct slu_stage_part *part,
		   const struct slu_mover *mover, struct slu_err *err);

#endif
