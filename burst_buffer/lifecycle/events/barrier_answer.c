/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds the answer for nodes that wait at a barrier. The answer is the same
 * for all nodes and may be long, so it is built once and dropped when an
 * attribute changes (barriers.c).
 */
#include "config.h"
#include "burst_buffer/lifecycle/events/barrier_answer.h"

#include <stdlib.h>
#include <string.h>
#include "burst_buffer/lifecycle/effects/fate.h"
#include "common/str.h"

/* The attributes of all nodes. Left out: empty ones, and what only sluiced
 * needs to know. */
static int add_attrs(const struct slu_bb *bb,
		     const struct slu_bb_barrier *barrier,
		     struct slu_barrier_answer *a)
{
	const bool room = !strcmp(barrier->name, SLU_BB_ROOM);
	size_t i;

	a->attr = calloc(bb->plan.n_node + 1, sizeof(*a->attr));
	for (i = 0; a->attr && i < bb->plan.n_node; i++)
		if (!room && barrier->attr[i] && *barrier->attr[i])
			a->attr[a->n_attr++] = (struct slu_pair){
				bb->plan.node[i].name, barrier->attr[i]};
	return a->attr ? 0 : -1;
}

/* Builds the answer, unless the last one said the same. */
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
	slu_bb_barrier_forget_answer(barrier);
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
static const char *user_text(const struct slu_bb *bb,
			     struct slu_bb_barrier *barrier, const char *word)
{
	bool in = !strcmp(barrier->name, "ready") && !strcmp(word, "go");

	if (!in && strcmp(barrier->name, "out.done") != 0)
		return NULL;
	if (!barrier->user_text)
		barrier->user_text =
			in ? slu_bb_begin_text(bb) : slu_bb_stage_out_text(bb);
	return barrier->user_text;
}

int slu_bb_barrier_answer(const struct slu_bb *bb,
			  struct slu_bb_barrier *barrier, const char *word,
			  struct slu_text **out, struct slu_err *err)
{
	const char *text = user_text(bb, barrier, word);
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
