/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a staging request of the plan says: its type= ("file", "list", "auto",
 * else a directory) as the enum of staging/stage.h, and whether the site's
 * program (Mover=) is to copy it.
 */
#include "config.h"
#include "burst_buffer/node/node.h"

#include <string.h>
#include "burst_buffer/staging/walk/selection.h"

enum slu_stage_what slu_stage_what(const char *type)
{
	static const char *const words[] = {
		[SLU_WHAT_FILE] = "file",
		[SLU_WHAT_LIST] = "list",
		[SLU_WHAT_ANY] = "auto",
	};

	for (int i = SLU_WHAT_FILE; i <= SLU_WHAT_ANY; i++)
		if (slu_eq(type, words[i]))
			return (enum slu_stage_what)i;
	return SLU_WHAT_DIRECTORY;
}

bool slu_stage_uses_mover(const struct slu_node *n, size_t r, uint64_t bytes)
{
	const struct slu_stage *s = &n->plan.stage[r];
	enum slu_stage_what what = slu_stage_what(s->type);

	return n->conf->mover && !n->driver->interposed &&
	       bytes >= n->conf->mover_from && what != SLU_WHAT_FILE &&
	       what != SLU_WHAT_LIST && !slu_pattern(s->source);
}
