/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The gates of a buffer's barriers: who has come, with what, and what those are
 * answered who ask.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/lifecycle/record.h"
#include "common/str.h"

static void unsay(struct slu_bb_gate *gate)
{
	free(gate->said);
	free(gate->brief);
	gate->said = gate->brief = NULL;
}

void slu_bb_free_gates(struct slu_bb *bb)
{
	size_t g, i;

	for (g = 0; g < bb->n_gate; g++) {
		for (i = 0; i < bb->plan.n_node; i++)
			free(bb->gate[g].attr[i]);
		free(bb->gate[g].attr);
		free(bb->gate[g].name);
		unsay(&bb->gate[g]);
	}
	free(bb->gate);
}

struct slu_bb_gate *slu_bb_find_gate(const struct slu_bb *bb, const char *name)
{
	size_t g;

	for (g = 0; g < bb->n_gate; g++)
		if (strcmp(bb->gate[g].name, name) == 0)
			return &bb->gate[g];
	return NULL;
}

struct slu_bb_gate *slu_bb_gate(struct slu_bb *bb, const char *name)
{
	struct slu_bb_gate *gate = slu_bb_find_gate(bb, name);

	if (gate || bb->n_gate == SLU_BB_GATES)
		return gate;
	gate = realloc(bb->gate, (bb->n_gate + 1) * sizeof(*gate));
	if (!gate)
		return NULL;
	bb->gate = gate;
	gate += bb->n_gate;
	*gate = (struct slu_bb_gate){
		.name = strdup(name),
		.attr = calloc(bb->plan.n_node + 1, sizeof(*gate->attr)),
	};
	if (!gate->name || !gate->attr) {
		free(gate->name);
		free(gate->attr);
		return NULL;
	}
	bb->n_gate++;
	return gate;
}

void slu_bb_gate_attr(struct slu_bb_gate *gate, size_t i, char *attr)
{
	free(gate->attr[i]);
	gate->attr[i] = attr;
	unsay(gate);
}

bool slu_bb_all_came(const struct slu_bb *bb, const struct slu_bb_gate *gate)
{
	size_t i;

	for (i = 0; i < bb->plan.n_node; i++)
		if (!gate->attr[i] && bb->member[i].state != SLU_NODE_CLEAN &&
		    bb->member[i].state != SLU_NODE_LOST)
			return false;
	return true;
}

static bool is_done(const struct slu_bb_gate *gate)
{
	return strcmp(gate->name, "out.done") == 0;
}

bool slu_bb_gate_shut(const struct slu_bb *bb, const struct slu_bb_gate *gate,
		      size_t i)
{
	return slu_bb_is_replaced(bb, i) &&
	       strncmp(gate->name, "out.", 4) == 0 && !is_done(gate);
}

bool slu_bb_gate_down(const struct slu_bb *bb, const struct slu_bb_gate *gate,
		      size_t i, const char **word)
{
	bool out = strncmp(gate->name, "out.", 4) == 0;
	bool failed = bb->failure && bb->failed_in == SLU_BB_STAGE_OUT;
	bool shut = slu_bb_gate_shut(bb, gate, i);

	*word = shut || (out && failed) ? "abort" : "go";
	if (gate->open || shut)
		return true;
	if (out)
		return bb->state >= SLU_BB_TEARDOWN ||
		       (!is_done(gate) && failed);
	return bb->state == SLU_BB_DONE ||
	       (slu_bb_is_lost(bb, i) && bb->state == SLU_BB_TEARDOWN);
}

/* What each has brought; who has nothing to say is left out. */
static int add_attrs(const struct slu_bb *bb, const struct slu_bb_gate *gate,
		     struct slu_barrier_answer *a)
{
	size_t i;

	a->attr = calloc(bb->plan.n_node + 1, sizeof(*a->attr));
	for (i = 0; a->attr && i < bb->plan.n_node; i++)
		if (gate->attr[i] && *gate->attr[i])
			a->attr[a->n_attr++] = (struct slu_pair){
				bb->plan.node[i].name, gate->attr[i]};
	return a->attr ? 0 : -1;
}

/* All nodes ask at once, for what may be long: it is made once. */
static int say(const struct slu_bb *bb, struct slu_bb_gate *gate,
	       struct slu_barrier_answer *a)
{
	char *brief = slu_encode_text(&slu_barrier_answer_desc, a);

	if (brief && slu_eq(gate->brief, brief)) {
		free(brief);
		return 0;
	}
	free(gate->brief);
	free(gate->said);
	gate->brief = brief;
	gate->said = brief && add_attrs(bb, gate, a) == 0
			     ? slu_encode_text(&slu_barrier_answer_desc, a)
			     : NULL;
	free(a->attr);
	if (gate->said)
		return 0;
	unsay(gate);
	return -1;
}

/* Who has not come to it. Caller frees; NULL: no memory. */
static char *away(const struct slu_bb *bb, const struct slu_bb_gate *gate)
{
	struct slu_hosts hosts = {
		.name = calloc(bb->plan.n_node + 1, sizeof(*hosts.name))};
	char *text = NULL;

	for (size_t i = 0; hosts.name && i < bb->plan.n_node; i++)
		if (!gate->attr[i])
			hosts.name[hosts.n++] = bb->plan.node[i].name;
	if (hosts.name)
		text = slu_hosts_text(&hosts);
	free(hosts.name); /* the names are the plan's */
	return text;
}

int slu_bb_gate_answer(const struct slu_bb *bb, struct slu_bb_gate *gate,
		       const char *word, struct slu_buf *out,
		       struct slu_err *err)
{
	struct slu_barrier_answer a = {
		.word = (char *)(uintptr_t)word,
		.text = bb->failure,
		.away = away(bb, gate),
	};
	int rc = a.away ? say(bb, gate, &a) : -1;

	if (rc == 0)
		slu_buf_puts(out, gate->said);
	free(a.away);
	return rc == 0 && !out->failed
		       ? 0
		       : slu_err(err, SLU_NOMEM, "out of memory");
}
