/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the barriers of a buffer in memory: finds and makes them, counts which
 * nodes have arrived and which are still expected.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/lifecycle/barriers.h"
#include "burst_buffer/lifecycle/record_facts.h"
#include "common/str.h"

void slu_bb_barrier_forget_answer(struct slu_bb_barrier *barrier)
{
	slu_text_unref(barrier->said);
	free(barrier->brief);
	free(barrier->user_text);
	free(barrier->away);
	barrier->said = NULL;
	barrier->brief = barrier->user_text = barrier->away = NULL;
}

struct slu_bb_barrier *slu_bb_find_barrier(const struct slu_bb *bb,
					   const char *name)
{
	size_t g;

	for (g = 0; g < bb->n_barrier; g++)
		if (strcmp(bb->barrier[g].name, name) == 0)
			return &bb->barrier[g];
	return NULL;
}

struct slu_bb_barrier *slu_bb_barrier(struct slu_bb *bb, const char *name)
{
	struct slu_bb_barrier *barrier = slu_bb_find_barrier(bb, name);

	if (barrier || bb->n_barrier == SLU_BB_BARRIERS)
		return barrier;
	barrier = realloc(bb->barrier, (bb->n_barrier + 1) * sizeof(*barrier));
	if (!barrier)
		return NULL;
	bb->barrier = barrier;
	barrier += bb->n_barrier;
	*barrier = (struct slu_bb_barrier){
		.name = strdup(name),
		.attr = calloc(bb->plan.n_node + 1, sizeof(*barrier->attr)),
	};
	if (!barrier->name || !barrier->attr) {
		free(barrier->name);
		free(barrier->attr);
		return NULL;
	}
	bb->n_barrier++;
	return barrier;
}

void slu_bb_barrier_attr(struct slu_bb_barrier *barrier, size_t i, char *attr)
{
	free(barrier->attr[i]);
	barrier->attr[i] = attr;
	slu_bb_barrier_forget_answer(barrier);
}

static bool is_room(const struct slu_bb_barrier *barrier)
{
	return strcmp(barrier->name, SLU_BB_ROOM) == 0;
}

/* An older sluice-node does not stop at "room" and arrives at the next
 * barrier. */
static bool has_passed(const struct slu_bb *bb,
		       const struct slu_bb_barrier *barrier, size_t i)
{
	for (size_t g = 0; is_room(barrier) && g < bb->n_barrier; g++)
		if (bb->barrier[g].attr[i])
			return true;
	return false;
}

bool slu_bb_all_came(const struct slu_bb *bb,
		     const struct slu_bb_barrier *barrier)
{
	size_t i;

	for (i = 0; i < bb->plan.n_node; i++)
		if (!barrier->attr[i] &&
		    bb->member[i].state != SLU_NODE_CLEAN &&
		    bb->member[i].state != SLU_NODE_LOST &&
		    !has_passed(bb, barrier, i))
			return false;
	return true;
}

bool slu_bb_barrier_present(const struct slu_bb *bb,
			    const struct slu_bb_barrier *barrier)
{
	if (strncmp(barrier->name, "out.", 4) == 0)
		return bb->state == SLU_BB_STAGE_OUT;
	if (strcmp(barrier->name, "detached") == 0)
		return bb->state == SLU_BB_TEARDOWN;
	return bb->state <= SLU_BB_RUNNING && !bb->end.at;
}

const struct slu_bb_barrier *slu_bb_closed_barrier(const struct slu_bb *bb)
{
	for (size_t g = bb->n_barrier; g-- > 0;)
		if (!bb->barrier[g].open &&
		    slu_bb_barrier_present(bb, &bb->barrier[g]))
			return &bb->barrier[g];
	return NULL;
}

bool slu_bb_is_late_at(const struct slu_bb *bb,
		       const struct slu_bb_barrier *closed, size_t i)
{
	const enum slu_bb_node state = bb->member[i].state;

	if (state == SLU_NODE_CLEAN || state == SLU_NODE_LOST)
		return false;
	if (closed)
		return !closed->attr[i];
	return bb->state >= SLU_BB_RUNNING || state != SLU_NODE_READY;
}

bool slu_bb_is_waited_for(const struct slu_bb *bb, size_t i)
{
	return slu_bb_is_late_at(bb, slu_bb_closed_barrier(bb), i);
}

static bool is_done(const struct slu_bb_barrier *barrier)
{
	return strcmp(barrier->name, "out.done") == 0;
}

bool slu_bb_barrier_shut(const struct slu_bb *bb,
			 const struct slu_bb_barrier *barrier, size_t i)
{
	return slu_bb_is_replaced(bb, i) &&
	       strncmp(barrier->name, "out.", 4) == 0 && !is_done(barrier);
}

bool slu_bb_barrier_down(const struct slu_bb *bb,
			 const struct slu_bb_barrier *barrier, size_t i,
			 const char **word)
{
	bool out = strncmp(barrier->name, "out.", 4) == 0;
	bool failed = slu_bb_failed_with_data(bb);
	bool shut = slu_bb_barrier_shut(bb, barrier, i);

	*word = shut || (out && failed) ? "abort" : "go";
	if (barrier->open || shut)
		return true;
	if (out)
		return bb->state >= SLU_BB_TEARDOWN ||
		       (!is_done(barrier) && failed);
	return bb->state == SLU_BB_DONE ||
	       (slu_bb_is_lost(bb, i) && bb->state == SLU_BB_TEARDOWN);
}

bool slu_bb_boots(const struct slu_bb *bb)
{
	const unsigned began = SLU_IN(SLU_NODE_UP) | SLU_IN(SLU_NODE_READY) |
			       SLU_IN(SLU_NODE_DOWN);

	return bb->plan.boot_timeout && bb->state == SLU_BB_SETUP &&
	       slu_bb_count(bb, began) == 0;
}
