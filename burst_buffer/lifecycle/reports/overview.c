/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports all buffers to administrators, as JSON from memory: which phase each
 * is in, since when, and which nodes it waits for; which nodes are drained,
 * what data is kept, and which verdicts slurmctld has not answered.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/lifecycle/barriers.h"
#include "burst_buffer/lifecycle/effects/drained_nodes.h"
#include "burst_buffer/lifecycle/effects/notifications.h"
#include "burst_buffer/lifecycle/reconcile/deadlines.h"
#include "burst_buffer/lifecycle/record_facts.h"
#include "burst_buffer/lifecycle/reports/buffer_report.h"
#include "burst_buffer/request/site/fstype.h"
#include "common/jsonx.h"
#include "common/str.h"

static struct json_object *row_of(const struct slu_bb *bb)
{
	struct json_object *row = json_object_new_object();
	const bool persistent = bb->plan.persistent && !bb->plan.early;

	slu_json_set_u64(row, "job",
			 bb->plan.persistent ? bb->plan.creator
					     : bb->plan.job_id);
	if (persistent)
		slu_json_set_str(row, "name", bb->plan.name);
	slu_json_set_u64(row, "uid", bb->plan.uid);
	if (bb->user)
		slu_json_set_str(row, "user", bb->user);
	return row;
}

static void set_hosts(struct json_object *row, const char *key,
		      const struct slu_bb *bb, slu_bb_pick_f *pick)
{
	char *hosts = slu_bb_hosts(bb, pick);

	if (hosts)
		slu_json_set_str(row, key, hosts);
	free(hosts);
}

/* Is it in a phase that ends by itself? */
static bool is_busy(const struct slu_bb *bb)
{
	return bb->state != SLU_BB_RUNNING && bb->state != SLU_BB_DONE;
}

static void add_phase(const struct slu_buffers *b, const struct slu_bb *bb,
		      struct json_object *phases)
{
	struct json_object *row = row_of(bb);
	struct slu_buffer_state state;

	slu_json_set_str(row, "phase", slu_bb_phase(bb->state));
	slu_json_set_u64(row, "state", bb->state);
	if (bb->plan.driver)
		slu_json_set_str(row, "driver", bb->plan.driver);
	slu_json_set_double(row, "since", bb->since);
	slu_json_set_double(row, "deadline", slu_bb_deadline(b, bb));
	set_hosts(row, "waits_for", bb, slu_bb_is_waited_for);
	if (slu_bb_boots(bb))
		slu_json_set_bool(row, "boots", true);
	if (slu_bb_mirror(bb, &state) == 0) {
		slu_json_set_str(row, "text", state.text);
		slu_msg_clear(&slu_buffer_desc, &state);
	}
	json_object_array_add(phases, row);
}

static void add_unanswered(const struct slu_bb *bb, struct json_object *all)
{
	struct json_object *row = row_of(bb);

	slu_json_set_double(row, "since", bb->failure.at);
	slu_json_set_str(row, "text", bb->failure.text);
	json_object_array_add(all, row);
}

static bool holds_kept(const struct slu_bb *bb, size_t i)
{
	return slu_bb_takes(bb, i) > 0;
}

static void add_kept(const struct slu_bb *bb, struct json_object *kept)
{
	const struct slu_fstype *type = slu_fstype_find(bb->plan.driver);
	uint64_t room = type && type->remote ? bb->plan.capacity : 0;
	uint64_t bytes = room;
	struct json_object *row;

	for (size_t i = 0; !(type && type->remote) && i < bb->plan.n_node;
	     i++) {
		room += slu_bb_takes(bb, i);
		bytes += slu_bb_data(bb, i);
	}
	if (!room)
		return;
	row = row_of(bb);
	slu_json_set_u64(row, "bytes", bytes);
	slu_json_set_u64(row, "room", room);
	slu_json_set_double(row, "since", bb->failure.at);
	slu_json_set_double(row, "until",
			    bb->since + (double)bb->plan.keep_failed);
	set_hosts(row, "nodes", bb, holds_kept);
	json_object_array_add(kept, row);
}

static void add_drained(struct json_object *drained, const char *node,
			const char *reason, double since)
{
	struct json_object *row = json_object_new_object();

	slu_json_set_str(row, "node", node);
	slu_json_set_str(row, "reason", reason);
	if (since > 0)
		slu_json_set_double(row, "since", since);
	json_object_array_add(drained, row);
}

static void add_orders(const struct slu_bb *bb, struct json_object *drained)
{
	char *reason;

	for (size_t i = 0; i < bb->plan.n_node; i++) {
		if (bb->member[i].order != SLU_ORDER_DRAIN)
			continue;
		reason = slu_bb_drain_reason(bb, i);
		add_drained(drained, bb->plan.node[i].name,
			    reason ? reason : "", bb->since);
		free(reason);
	}
}

struct json_object *slu_buffers_overview(const struct slu_buffers *b,
					 uint32_t uid)
{
	struct json_object *all = json_object_new_object();
	struct json_object *phases = json_object_new_array();
	struct json_object *kept = json_object_new_array();
	struct json_object *drained = json_object_new_array();
	struct json_object *unanswered = json_object_new_array();

	for (const struct slu_bb *bb = b->first; bb; bb = bb->next) {
		if (uid != SLU_NO_ID && bb->plan.uid != uid)
			continue;
		if (is_busy(bb))
			add_phase(b, bb, phases);
		if (bb->failure.verdict == SLU_VERDICT_SENT &&
		    !bb->failure.answered)
			add_unanswered(bb, unanswered);
		if (bb->state == SLU_BB_DONE && bb->keeps)
			add_kept(bb, kept);
		add_orders(bb, drained);
	}
	for (size_t i = 0; uid == SLU_NO_ID && i < b->n_dirty; i++)
		add_drained(drained, b->dirty[i].node, b->dirty[i].reason, 0);
	json_object_object_add(all, "phases", phases);
	json_object_object_add(all, "kept", kept);
	json_object_object_add(all, "drained", drained);
	json_object_object_add(all, "unanswered", unanswered);
	return all;
}

size_t slu_buffers_drained(const struct slu_buffers *b)
{
	size_t n = b->n_dirty;

	for (const struct slu_bb *bb = b->first; bb; bb = bb->next)
		for (size_t i = 0; i < bb->plan.n_node; i++)
			n += bb->member[i].order == SLU_ORDER_DRAIN;
	return n;
}
