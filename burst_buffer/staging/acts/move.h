/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STAGING_MOVE_H
#define SLU_STAGING_MOVE_H

/*
 * Copies a large directory with the site's own program (Mover in sluice.conf:
 * dcp, dsync, rsync). It runs between the acts PREPARE and COPY (stage.h): COPY
 * with part->quick then copies only what the program has not, and VERIFY checks
 * the whole result.
 */

#include "burst_buffer/staging/stage.h"

struct slu_mover {
	/* The program, absolute, and its arguments, NULL-ended; %s becomes the
	 * source directory, whose contents are to be copied into the
	 * destination directory, %d; %% becomes %. */
	char *const *words;
	/* Its whole environment, NULL-ended NAME=VALUE. */
	char *const *env;
};

/*
 * Runs the mover, as the user of this process, until it ends. 1: it has
 * succeeded; 0: it was not run, since the source is not one whole directory.
 * An exit code other than 0 is SLU_IO with its last line of output;
 * part->progress is called twice a second and can stop it (SLU_BUSY). When this
 * returns, or the calling process dies, no process of the mover is left on this
 * machine. part->manifest is not used.
 */
int slu_stage_move(const struct slu_stage_part *part,
		   const struct slu_mover *mover, struct slu_err *err);

#endif
