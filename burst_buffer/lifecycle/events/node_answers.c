/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses the word that answers a node which sets up, takes down or polls, such
 * as go, abort or skip, or lets it wait (SLU_BUSY); from the buffer's record
 * alone.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/lifecycle/effects/fate.h"
#include "burst_buffer/lifecycle/events/node_answers.h"
#include "burst_buffer/lifecycle/record_facts.h"
#include "common/str.h"

/* For a node that sets up: go, abort, or wait. */
int slu_bb_up_word(const struct slu_bb *bb, double now, const char **word,
		   struct slu_err *err)
{
	*word = "go";
	if (bb->end.at || slu_bb_released(bb, now))
		*word = "abort";
	else if (bb->failure.text)
		return slu_err(err, SLU_BUSY,
			       "a failure waits until slurmctld has carried "
			       "out its verdict");
	return 0;
}

/* For a node that takes down, or asks whether it has to. */
const char *slu_bb_down_word(const struct slu_bb *bb)
{
	if (slu_bb_has_data(bb) && slu_bb_failed_with_data(bb))
		return "abort";
	return bb->state == SLU_BB_STAGE_OUT ? "go" : "skip";
}

/* The reason for that answer. Caller frees; NULL: none, or no memory. */
static char *why(const struct slu_bb *bb, const char *word)
{
	if (slu_eq(word, "skip") && slu_bb_has_data(bb))
		return NULL; /* it was staged out before */
	if (bb->failure.text)
		return strdup(bb->failure.text);
	return slu_eq(word, "skip") ? slu_bb_not_staged(bb) : NULL;
}

int slu_bb_answer(const struct slu_bb *bb, const char *word,
		  struct slu_answer *out, struct slu_err *err)
{
	struct slu_answer a = {.success =
				       (bb->end.outcome == SLU_OUTCOME_SUCCESS),
			       .ran = bb->ready > 0,
			       .word = strdup(word),
			       .text = why(bb, word)};

	if (!a.word) {
		slu_msg_clear(&slu_answer_desc, &a);
		return slu_err(err, SLU_NOMEM, "out of memory");
	}
	*out = a;
	return 0;
}

/* Does the node have something of the buffer although no epilog will come?
 * Slurm has released the node, or does not know the job any more. A node that
 * was given up may still be at work, and then goes on as long as others stage
 * out. */
static bool is_left(const struct slu_bb *bb, const struct slu_bb_member *m)
{
	if (m->state == SLU_NODE_LOST)
		return bb->state >= SLU_BB_TEARDOWN &&
		       (m->order == SLU_ORDER_DRAIN ||
			bb->end.outcome == SLU_OUTCOME_UNSURE);
	return (m->order == SLU_ORDER_DRAIN || m->left) &&
	       m->state != SLU_NODE_DOWN && m->state != SLU_NODE_CLEAN;
}

int slu_bb_poll_word(const struct slu_bb *bb, size_t i, double now,
		     const char **word, struct slu_err *err)
{
	const struct slu_bb_member *m = &bb->member[i];

	*word = "go";
	if (bb->plan.persistent && bb->end.at)
		*word = "ended";
	else if (is_left(bb, m))
		*word = "left";
	else if (m->state == SLU_NODE_DOWN || m->state == SLU_NODE_LOST ||
		 m->state == SLU_NODE_CLEAN)
		*word = slu_bb_failed_with_data(bb) || slu_bb_is_replaced(bb, i)
				? "abort"
				: "go";
	else if (bb->ready > 0)
		*word = bb->end.at ? "ended" : "go";
	else
		return slu_bb_up_word(bb, now, word, err);
	return 0;
}

/* seconds to wait for the start of the next run */
#define BACK 600.0
/* seconds that slurmd needs to run a prolog, if it runs one */
#define PROLOG 5.0

/* May Slurm start the job again on this node, which was given up? */
static bool may_run_again(const struct slu_bb *bb, double now)
{
	const char *state = bb->end.state;

	return now < bb->end.at + BACK &&
	       (bb->end.requeued || slu_eq(state, "NODE_FAIL") || !*state);
}

const char *slu_bb_returned_word(const struct slu_buffers *b,
				 const struct slu_bb *bb, size_t i, double now,
				 const char *word)
{
	const struct slu_bb *next = slu_bb_of(b, bb->plan.job_id);
	long at;

	if (bb->member[i].state != SLU_NODE_LOST || bb->plan.persistent ||
	    bb->end.at <= 0 || bb->state < SLU_BB_TEARDOWN)
		return word;
	if (next == bb)
		return may_run_again(bb, now) ? "lost" : "left";
	at = slu_bb_index(next, bb->plan.node[i].name);
	if (at < 0 || next->end.at > 0)
		return "left";
	if (next->failure.text || next->state != SLU_BB_SETUP ||
	    next->member[at].state != SLU_NODE_PLANNED)
		return word;
	return now < next->since + PROLOG ? "lost" : "again";
}

bool slu_bb_is_over(const struct slu_bb *bb, size_t member, double now)
{
	const char *word;

	return !slu_bb_poll_word(bb, member, now, &word, NULL) &&
	       (!strcmp(word, "ended") || !strcmp(word, "abort"));
}
