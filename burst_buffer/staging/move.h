/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STAGING_MOVE_H
#define SLU_STAGING_MOVE_H

/*
 * The site's own copier of large trees (dcp, dsync, rsync), between PREPARE and
 * COPY. COPY does what it has left undone, with part->quick, and VERIFY checks
 * the result of both.
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
 * Run it, as the user of this process, until it ends: 1; 0: the source is not
 * one whole directory, and it was not run. An exit code other than 0 is SLU_IO
 * with its last line of output; part->progress is called twice a second and can
 * stop it (SLU_BUSY). When this returns, or the calling process dies, none of
 * its processes is left on this machine. part->manifest is not used.
 */
int slu_stage_move(const struct slu_stage_part *part,
		   const struct slu_mover *mover, struct slu_err *err);

#endif
