/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the barriers of a buffer in memory: finds and makes them, counts which
 * nodes have arrived and which are still expected, and builds the answer for
 * those that wait. The answer is the same for all nodes and may be long, so it
 * is built once and dropped when an attribute changes.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/lifecycle/barriers.h"
#include "burst_buffer/lifecycle/fate.h"
#include "burst_buffer/lifecycle/record_facts.h"
#include "common/str.h"

static void unsay(struct slu_bb_barrier *barrier)
{
	slu_text_unref(barrier->said);
	free(barrier->brief);
	free(barrier->told);
	free(barrier->away);
	barrier->said = NULL;
	barrier->brief = barrier->told = barrier->away = NULL;
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
	unsay(barrier);
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
	bool failed = bb->failure.text && bb->failure.in == SLU_BB_STAGE_OUT;
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

/* The attributes of all nodes. Left out: empty ones, and what only sluiced
 * needs to know. */
static int add_attrs(const struct slu_bb *bb,
		     const struct slu_bb_barrier *barrier,
		     struct slu_barrier_answer *a)
{
	size_t i;

	a->attr = calloc(bb->plan.n_node + 1, sizeof(*a->attr));
	for (i = 0; a->attr && i < bb->plan.n_node; i++)
		if (!is_room(barrier) && barrier->attr[i] && *barrier->attr[i])
			a->attr[a->n_attr++] = (struct slu_pair){
				bb->plan.node[i].name, barrier->attr[i]};
	return a->attr ? 0 : -1;
}

/* The answer is the same for all nodes and may be long, so it is built once. */
static int say(const struct slu_bb *bb, struct slu_bb_barrier *barrier,
	       struct slu_barrier_answer *a)
{
	char *brief = slu_encode_text(&slu_barrier_answer_desc, a);

	if (brief && slu_eq(barrier->brief, brief)) {
		free(brief);
		return 0;
	}
	free(barrier->brief);
	slu_text_unref(barrier->said);
	barrier->brief = brief;
	barrier->said = brief && add_attrs(bb, barrier, a) == 0
				? slu_bb_text(&slu_barrier_answer_desc, a)
				: NULL;
	free(a->attr);
	if (barrier->said)
		return 0;
	unsay(barrier);
	return -1;
}

/* The names of the nodes that have not arrived at it, as a host list. NULL: no
 * memory. */
static char *away(const struct slu_bb *bb, struct slu_bb_barrier *barrier)
{
	struct slu_hosts hosts = {0};

	if (barrier->away)
		return barrier->away;
	hosts.name = calloc(bb->plan.n_node + 1, sizeof(*hosts.name));
	for (size_t i = 0; hosts.name && i < bb->plan.n_node; i++)
		if (!barrier->attr[i])
			hosts.name[hosts.n++] = bb->plan.node[i].name;
	if (hosts.name)
		barrier->away = slu_hosts_text(&hosts);
	free(hosts.name); /* the names are the plan's */
	return barrier->away;
}

/* The text for the job's user at this barrier; it stays the same once a node
 * has got it. NULL: none. */
static const char *told(const struct slu_bb *bb, struct slu_bb_barrier *barrier,
			const char *word)
{
	bool in = !strcmp(barrier->name, "ready") && !strcmp(word, "go");

	if (!in && !is_done(barrier))
		return NULL;
	if (!barrier->told)
		barrier->told =
			in ? slu_bb_begin_text(bb) : slu_bb_stage_out_text(bb);
	return barrier->told;
}

int slu_bb_barrier_answer(const struct slu_bb *bb,
			  struct slu_bb_barrier *barrier, const char *word,
			  struct slu_text **out, struct slu_err *err)
{
	const char *text = told(bb, barrier, word);
	struct slu_barrier_answer a = {
		.word = (char *)(uintptr_t)word,
		.text = text ? (char *)(uintptr_t)text : bb->failure.text,
		.away = away(bb, barrier),
	};

	if (!a.away || say(bb, barrier, &a))
		return slu_err(err, SLU_NOMEM, "out of memory");
	*out = slu_text_ref(barrier->said);
	return 0;
}

bool slu_bb_boots(const struct slu_bb *bb)
{
	const unsigned began = SLU_IN(SLU_NODE_UP) | SLU_IN(SLU_NODE_READY) |
			       SLU_IN(SLU_NODE_DOWN);

	return bb->plan.boot_timeout && bb->state == SLU_BB_SETUP &&
	       slu_bb_count(bb, began) == 0;
}
