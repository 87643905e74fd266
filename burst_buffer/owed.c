/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a node owes: the instances that it has a part of, whether it remembers
 * them or not.
 */
#include "config.h"
#include <stdlib.h>
#include "burst_buffer/live.h"

static bool owes(const struct slu_bb *bb, long i)
{
	return i >= 0 &&
	       (bb->plan.persistent ||
		bb->member[i].state != SLU_NODE_PLANNED) &&
	       bb->member[i].state != SLU_NODE_CLEAN;
}

int slu_buffers_owed(struct slu_buffers *b, const char *node, double now,
		     struct slu_buf *out, struct slu_err *err)
{
	const char *comma = "";
	struct slu_bb *bb;
	struct slu_plan plan; /* all but one word of it is the buffer's */
	char *text;
	long i;

	slu_buf_puts(out, "{\"plan\":[");
	for (bb = b->first; bb; bb = bb->next) {
		i = slu_bb_index(bb, node);
		if (!owes(bb, i))
			continue;
		plan = bb->plan;
		plan.over = slu_bb_is_over(bb, (size_t)i, now);
		text = slu_encode_text(&slu_plan_desc, &plan);
		out->failed |= !text;
		slu_buf_printf(out, "%s%s", comma, text ? text : "");
		free(text);
		comma = ",";
	}
	slu_buf_puts(out, "]}");
	return out->failed ? slu_err(err, SLU_NOMEM, "out of memory") : 0;
}
