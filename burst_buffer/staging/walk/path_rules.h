/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_BUFFER_STAGING_PATH_RULES_H
#define SLU_BURST_BUFFER_STAGING_PATH_RULES_H

/* Resolves the source and the destination of a request to two open directories,
 * by the rules for trailing slashes and missing parents in stage.h. */

#include "burst_buffer/staging/stage.h"

struct slu_stage_places {
	int src, dst;	 /* directories */
	char *from, *to; /* a single file: names in them; else NULL */
	char *list;	 /* the name of a list in src; else NULL */
	char *pattern;	 /* below src; else NULL */
	/* The paths of what is staged, for messages: of the directories, or of
	 * the single file. */
	char *src_path, *dst_path;
	bool made; /* this call, or an earlier one that was interrupted, has
		      created dst */
};

/* With `make`, missing directories of the destination are created. */
int slu_places_open(const struct slu_stage_part *part, bool make,
		    struct slu_stage_places *out, struct slu_err *err);
void slu_places_close(struct slu_stage_places *places);

#endif
