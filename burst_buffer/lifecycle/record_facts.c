/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers questions about a buffer's record, such as: has it a plan, which
 * nodes are lost, is it over? It changes nothing. */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/lifecycle/record_facts.h"
#include "burst_buffer/request/site/fstype.h"
#include "common/hostlist.h"

static bool is_always(const struct slu_stage *stage)
{
	return strcmp(stage->on, "success") != 0 &&
	       strcmp(stage->on, "failure") != 0;
}

static bool wanted(const struct slu_bb *bb, const struct slu_stage *stage)
{
	if (bb->end.outcome == SLU_OUTCOME_UNSURE || is_always(stage))
		return true;
	return (bb->end.outcome == SLU_OUTCOME_SUCCESS) ==
	       (strcmp(stage->on, "success") == 0);
}

uint64_t slu_bb_stages(const struct slu_bb *bb, bool out)
{
	uint64_t mask = 0;
	size_t r;

	for (r = 0; r < bb->plan.n_stage; r++)
		if (bb->plan.stage[r].out == out &&
		    (!out || wanted(bb, &bb->plan.stage[r])))
			mask |= UINT64_C(1) << r;
	return mask;
}

bool slu_bb_has_plan(const struct slu_bb *bb)
{
	return bb->plan.fs != NULL; /* see slu_plan_bare() */
}

static bool failed_in(const struct slu_bb *bb, enum slu_bb_state state)
{
	return bb->failure.text && bb->failure.in == state;
}

bool slu_bb_failed_with_data(const struct slu_bb *bb)
{
	return failed_in(bb, SLU_BB_RUNNING) || failed_in(bb, SLU_BB_STAGE_OUT);
}

bool slu_bb_has_data(const struct slu_bb *bb)
{
	if (bb->ready <= 0 || failed_in(bb, SLU_BB_SETUP))
		return false;
	if (failed_in(bb, SLU_BB_RUNNING)) /* has been told to be kept */
		return !bb->end.hurry;
	return !bb->end.unlaunched && slu_bb_stages(bb, true) != 0;
}

bool slu_bb_in_doubt(const struct slu_bb *bb)
{
	for (size_t r = 0;
	     bb->end.outcome == SLU_OUTCOME_UNSURE && r < bb->plan.n_stage; r++)
		if (bb->plan.stage[r].out && !is_always(&bb->plan.stage[r]))
			return true;
	return false;
}

bool slu_bb_released(const struct slu_bb *bb, double now)
{
	return bb->failure.text &&
	       (bb->failure.verdict != SLU_VERDICT_SENT ||
		bb->failure.answered || now >= bb->failure.at + SLU_BB_BOUND);
}

size_t slu_bb_count(const struct slu_bb *bb, unsigned states)
{
	size_t i, n = 0;

	for (i = 0; i < bb->plan.n_node; i++)
		n += states >> bb->member[i].state & 1;
	return n;
}

bool slu_bb_all_ready(const struct slu_bb *bb)
{
	for (size_t i = 0; i < bb->plan.n_node; i++)
		if (bb->member[i].state != SLU_NODE_READY)
			return false;
	return true;
}

bool slu_bb_is_lost(const struct slu_bb *bb, size_t i)
{
	return bb->member[i].state == SLU_NODE_LOST;
}

bool slu_bb_holds(const struct slu_bb *bb, size_t i)
{
	const struct slu_fstype *type = slu_fstype_find(bb->plan.driver);

	return !bb->plan.use && !bb->plan.node[i].client &&
	       !(type && type->remote);
}

bool slu_bb_tolerates(const struct slu_bb *bb)
{
	size_t gone = 0;

	for (size_t i = 0; i < bb->plan.n_node; i++)
		gone += slu_bb_holds(bb, i) &&
			(slu_bb_is_lost(bb, i) || bb->member[i].broken);
	return gone <= bb->plan.tolerate;
}

bool slu_bb_together(const struct slu_bb *bb)
{
	const struct slu_fstype *type = slu_fstype_find(bb->plan.driver);

	return type && type->shared;
}

bool slu_bb_is_replaced(const struct slu_bb *bb, size_t i)
{
	return slu_bb_is_lost(bb, i) && bb->state >= SLU_BB_STAGE_OUT &&
	       slu_bb_together(bb);
}

char *slu_bb_hosts(const struct slu_bb *bb, slu_bb_pick_f *pick)
{
	struct slu_hosts hosts = {0};
	char *text;
	size_t i;

	hosts.name = calloc(bb->plan.n_node + 1, sizeof(*hosts.name));
	if (!hosts.name)
		return NULL;
	for (i = 0; i < bb->plan.n_node; i++)
		if (pick(bb, i))
			hosts.name[hosts.n++] = bb->plan.node[i].name;
	text = slu_hosts_text(&hosts);
	free(hosts.name); /* the names are borrowed from the plan */
	return text;
}

bool slu_bb_keeps(const struct slu_bb *bb, double now)
{
	double seconds = (double)bb->plan.keep_failed;

	return bb->state >= SLU_BB_TEARDOWN && slu_bb_failed_with_data(bb) &&
	       slu_bb_has_data(bb) && !bb->plan.use && seconds > 0 &&
	       (bb->state != SLU_BB_DONE || now <= bb->since + seconds);
}

bool slu_bb_is_unheard(const struct slu_buffers *b, const struct slu_bb *bb,
		       double now)
{
	return bb->unwitnessed && now < b->loaded + SLU_BB_WITNESS;
}

uint64_t slu_bb_takes(const struct slu_bb *bb, size_t i)
{
	const struct slu_bb_member *m = &bb->member[i];
	const bool clean = m->state == SLU_NODE_CLEAN;
	uint64_t all;

	if (bb->plan.node[i].client ||
	    (clean && (!bb->keeps || m->keeping == SLU_KEEPING_REMOVED)))
		return 0;
	all = slu_plan_node_takes(&bb->plan, &bb->plan.node[i]);
	return clean && m->kept && m->kept < all ? m->kept : all;
}

uint64_t slu_bb_device_takes(const struct slu_bb *bb, size_t i, size_t k)
{
	const struct slu_plan_node *node = &bb->plan.node[i];
	const uint64_t all = slu_plan_node_takes(&bb->plan, node);
	const uint64_t takes = slu_bb_takes(bb, i);
	const uint64_t part = slu_plan_device_takes(&bb->plan, node, k);

	return takes == all
		       ? part
		       : (uint64_t)((double)takes * (double)part / (double)all);
}

uint64_t slu_bb_data(const struct slu_bb *bb, size_t i)
{
	const struct slu_bb_used *used = &bb->member[i].used;
	const uint64_t takes = slu_bb_takes(bb, i);
	uint64_t data = used->known	  ? used->now
			: used->is_stored ? used->stored
					  : takes;

	return data < takes ? data : takes;
}

bool slu_bb_over(const struct slu_bb *bb, double now)
{
	size_t i;

	if (bb->state != SLU_BB_DONE ||
	    now <= bb->since + SLU_BB_ANSWER_SECONDS)
		return false;
	if (now > bb->since + SLU_BB_FORGET)
		return true;
	if (bb->keeps)
		return false;
	for (i = 0; i < bb->plan.n_node; i++)
		if (bb->member[i].state == SLU_NODE_LOST ||
		    bb->member[i].order != SLU_ORDER_NONE)
			return false;
	return true;
}

bool slu_bb_is_asked(const struct slu_bb *bb, uint32_t job_id, uint32_t uid)
{
	if (uid != SLU_NO_ID && bb->plan.uid != uid)
		return false;
	return !job_id || bb->plan.job_id == job_id ||
	       (bb->plan.early && bb->plan.creator == job_id);
}
