/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tells a node which instances it must still run or clean up (/v1/owed), as the
 * node may have lost its notes in a restart. The request lists the data that
 * the node keeps after failed stage-outs (KeepFailed); what is missing there
 * was removed and does not count as used any more. Also records nodes' warnings
 * in a buffer's history.
 */
#include "config.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "burst_buffer/lifecycle/events/discard_kept.h"
#include "burst_buffer/lifecycle/events/node_inventory.h"
#include "burst_buffer/lifecycle/events/node_answers.h"
#include "burst_buffer/lifecycle/effects/notifications.h"
#include "burst_buffer/lifecycle/node_rows.h"
#include "burst_buffer/lifecycle/persistence.h"
#include "burst_buffer/lifecycle/pending/predicted_nodes.h"
#include "burst_buffer/request/site/fstype.h"
#include "common/str.h"

/* Is its data kept, on nodes that list it? */
static bool is_kept(const struct slu_bb *bb)
{
	const struct slu_fstype *type = slu_fstype_find(bb->plan.driver);

	return bb->state == SLU_BB_DONE && bb->keeps && !(type && type->remote);
}

/* Can a list without it be from before it was kept? Not if an earlier list of
 * that node had it. */
static bool may_be_early(const struct slu_bb *bb, const struct slu_bb_member *m,
			 double now)
{
	return m->keeping == SLU_KEEPING_UNTOLD &&
	       now <= bb->since + SLU_BB_ANSWER_SECONDS;
}

/* True: what takes room has changed. What could not be stored the node tells
 * again. */
static bool set_keeping(struct slu_buffers *b, struct slu_bb *bb, size_t i,
			enum slu_bb_keeping next)
{
	const enum slu_bb_keeping last = bb->member[i].keeping;
	struct slu_err err;

	if (next == last)
		return false;
	if (slu_bb_set_keeping(b->db, bb, i, next, &err)) {
		slu_bb_log(b, bb, SLU_WARN, "%s", err.text);
		return false;
	}
	return (next == SLU_KEEPING_REMOVED) != (last == SLU_KEEPING_REMOVED);
}

bool slu_buffers_keeps(struct slu_buffers *b, const char *node,
		       const char *kept, double now)
{
	struct slu_bb *bb;
	bool listed, news = false;
	char name[48];
	long i;

	for (bb = b->first; bb; bb = bb->next) {
		i = slu_bb_index(bb, node);
		if (i < 0 || !is_kept(bb))
			continue;
		snprintf(name, sizeof(name), "%u.%" PRIu64,
			 (unsigned)bb->plan.job_id, bb->plan.buffer);
		listed = slu_has_word(kept, name);
		if (listed || !may_be_early(bb, &bb->member[i], now))
			news |= set_keeping(b, bb, (size_t)i,
					    listed ? SLU_KEEPING_LISTED
						   : SLU_KEEPING_REMOVED);
	}
	return news;
}

int slu_bb_note_of_node(struct slu_buffers *b, const struct slu_bb *bb,
			const struct slu_report *r, const char *what,
			double now, struct slu_err *err)
{
	char text[SLU_ERR_TEXT + 300];

	snprintf(text, sizeof(text), "%s: %s%s", r->node, what,
		 r->text ? r->text : "");
	slu_printable(text);
	slu_bb_log(b, bb, SLU_WARN, "%s", text);
	return slu_bb_note(b->db, bb, text, now, err);
}

static bool owes(const struct slu_bb *bb, long i)
{
	return i >= 0 &&
	       (bb->plan.persistent ||
		bb->member[i].state != SLU_NODE_PLANNED) &&
	       bb->member[i].state != SLU_NODE_CLEAN;
}

static bool tells_users(const struct slu_bb *bb)
{
	return bb->plan.persistent && !bb->plan.early;
}

/* Caller frees. */
static char *users_of(const struct slu_buffers *b, const struct slu_bb *used)
{
	struct slu_buf out = {0};

	slu_buf_puts(&out, "");
	for (const struct slu_bb *bb = b->first; bb; bb = bb->next)
		if (bb->plan.use == used->id && bb->state != SLU_BB_DONE)
			slu_buf_printf(
				&out, "%s%u.%" PRIu64, out.len ? " " : "",
				(unsigned)bb->plan.job_id, bb->plan.buffer);
	return slu_buf_steal(&out);
}

static void put(struct slu_buf *out, const char *text)
{
	out->failed |= !text;
	slu_buf_puts(out, text ? text : "");
}

static void put_plan(struct slu_bb *bb, bool over, struct slu_buf *out)
{
	const struct slu_text *text = slu_bb_plan_text(bb, over);

	put(out, text ? text->data : NULL);
}

/* Users come and go, so this text is made for each request, not cached with the
 * plan. */
static void put_with_users(const struct slu_buffers *b, const struct slu_bb *bb,
			   bool over, struct slu_buf *out)
{
	struct slu_plan plan = bb->plan;
	char *text;

	plan.over = over;
	plan.users = users_of(b, bb);
	plan.unready = bb->ready <= 0;
	text = slu_encode_text(&slu_plan_desc, &plan);
	put(out, text);
	free(plan.users);
	free(text);
}

int slu_buffers_node_inventory(struct slu_buffers *b, const char *node,
			       double now, struct slu_buf *out,
			       struct slu_err *err)
{
	const char *comma = "";
	char *discards;
	struct slu_bb *bb;
	bool over;
	long i;

	put(out, "{\"plan\":[");
	for (bb = b->first; bb; bb = bb->next) {
		i = slu_bb_index(bb, node);
		if (!owes(bb, i))
			continue;
		over = slu_bb_is_over(bb, (size_t)i, now);
		put(out, comma);
		if (tells_users(bb))
			put_with_users(b, bb, over, out);
		else
			put_plan(bb, over, out);
		comma = ",";
	}
	discards = slu_bb_discards(b, node);
	put(out, "],\"discard\":\"");
	put(out, discards);
	put(out, "\",");
	slu_predicted_append_inventory(b, node, now, out);
	put(out, "}");
	free(discards);
	return out->failed ? slu_err(err, SLU_NOMEM, "out of memory") : 0;
}
