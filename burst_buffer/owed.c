/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a node owes: the instances that it has a part of, whether it remembers
 * them or not.
 */
#include "config.h"
#include <stdlib.h>
#include "burst_buffer/live.h"

static bool owes(const struct slu_bb *bb, const char *node)
{
	long i = slu_bb_index(bb, node);

	return i >= 0 &&
	       (bb->plan.persistent ||
		bb->member[i].state != SLU_NODE_PLANNED) &&
	       bb->member[i].state != SLU_NODE_CLEAN;
}

int slu_buffers_owed(struct slu_buffers *b, const char *node,
		     struct slu_buf *out, struct slu_err *err)
{
	const char *comma = "";
	struct slu_bb *bb;
	char *text;

	slu_buf_puts(out, "{\"plan\":[");
	for (bb = b->first; bb; bb = bb->next) {
		if (!owes(bb, node))
			continue;
		text = slu_encode_text(&slu_plan_desc, &bb->plan);
		out->failed |= !text;
		slu_buf_printf(out, "%s%s", comma, text ? text : "");
		free(text);
		comma = ",";
	}
	slu_buf_puts(out, "]}");
	return out->failed ? slu_err(err, SLU_NOMEM, "out of memory") : 0;
}
