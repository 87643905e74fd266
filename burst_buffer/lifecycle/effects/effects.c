/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Carries out the effects that were requested for buffers: sends commands to
 * slurmctld and messages to users, and wakes waiting requests of nodes. Nothing
 * here changes a buffer's state, and everything may be sent again.
 */
#include "config.h"
#include <math.h>
#include <stdlib.h>
#include "burst_buffer/lifecycle/effects/drained_nodes.h"
#include "burst_buffer/lifecycle/effects/effects.h"
#include "burst_buffer/lifecycle/effects/fate.h"
#include "burst_buffer/lifecycle/effects/notifications.h"
#include "burst_buffer/lifecycle/node_rows.h"
#include "burst_buffer/lifecycle/record_facts.h"

/* Requests for effects */

void slu_bb_request_effects(struct slu_buffers *b, struct slu_bb *bb,
			    unsigned effects)
{
	bb->effects |= effects;
	if (bb->is_due)
		return;
	bb->is_due = true;
	bb->next_due = NULL;
	if (b->first_due)
		b->last_due->next_due = bb;
	else
		b->first_due = bb;
	b->last_due = bb;
}

void slu_bb_resend_all(struct slu_buffers *b, struct slu_bb *bb)
{
	bb->notified = (struct slu_bb_notified){0};
	for (size_t i = 0; i < bb->plan.n_node; i++)
		bb->member[i].order_due = true;
	slu_bb_request_effects(b, bb,
			       SLU_EFFECT_STATE | SLU_EFFECT_EXTEND |
				       SLU_EFFECT_ORDERS);
}

int slu_bb_order(struct slu_buffers *b, struct slu_bb *bb, size_t i,
		 enum slu_bb_order order, const char *text, double now,
		 struct slu_err *err)
{
	if (slu_bb_set_order(b->db, bb, i, order, text, now, err))
		return -1;
	bb->member[i].order_due = true;
	slu_bb_request_effects(b, bb, SLU_EFFECT_ORDERS);
	return 0;
}

struct slu_bb *slu_bb_next_changed(struct slu_buffers *b)
{
	struct slu_bb *bb = b->first_due;

	while (bb && !(bb->effects & SLU_EFFECT_RECONCILE))
		bb = bb->next_due;
	if (bb)
		bb->effects &= ~(unsigned)SLU_EFFECT_RECONCILE;
	return bb;
}

/* Carrying effects out */

static void tell_verdict(struct slu_buffers *b, const struct slu_bb *bb)
{
	/* Two waits of one job cannot be told apart: a hold that was carried
	 * out is not sent again, as that could undo a user's release. */
	const bool pending = bb->plan.persistent;
	struct slu_verdict verdict = {
		.job_id = pending ? bb->plan.creator : bb->plan.job_id,
		.pending = pending,
		.restarts = bb->restarts,
		.ended = (int64_t)bb->end.at,
		.without = bb->failure.without,
	};

	/* what was done to an old run must not be done to a new one */
	if (bb->failure.verdict != SLU_VERDICT_SENT ||
	    (pending ? bb->failure.answered : !slu_bb_is_newest(b, bb)))
		return;
	verdict.reason = slu_bb_sentence(bb);
	if (verdict.reason)
		b->ops->verdict(b->arg, bb->failure.what, &verdict);
	free(verdict.reason);
}

static void tell_staged(struct slu_buffers *b, const struct slu_bb *bb)
{
	struct slu_verdict verdict = {
		.job_id = bb->plan.job_id,
		.restarts = bb->restarts,
		.ended = (int64_t)bb->end.at,
	};

	if (bb->failure.text || !slu_bb_stages(bb, true))
		return;
	verdict.reason = slu_bb_stage_out_text(bb);
	if (verdict.reason)
		b->ops->staged(b->arg, &verdict);
	free(verdict.reason);
}

static void tell_extend(struct slu_buffers *b, struct slu_bb *bb, double now)
{
	bool final = bb->ready > 0;
	struct slu_extend extend = {
		bb->plan.job_id,
		(int64_t)ceil(final ? bb->ready : now) - bb->job_start,
		final,
		bb->restarts,
	};

	if (bb->end.at || bb->failure.text || bb->job_start <= 0)
		return;
	bb->extended = now;
	if (extend.give_back > 0)
		b->ops->extend(b->arg, &extend);
}

static void tell_order(struct slu_buffers *b, const struct slu_bb *bb, size_t i)
{
	struct slu_node_order order = {bb->plan.node[i].name, NULL};

	if (bb->member[i].order == SLU_ORDER_NONE)
		return;
	order.reason = slu_bb_drain_reason(bb, i);
	if (!order.reason)
		return;
	if (bb->member[i].order == SLU_ORDER_DRAIN)
		b->ops->drain(b->arg, &order);
	else if (bb->member[i].order == SLU_ORDER_RESUME &&
		 !slu_bb_wants_drained(b, order.node))
		b->ops->resume(b->arg, &order);
	free(order.reason);
}

static void tell_orders(struct slu_buffers *b, struct slu_bb *bb)
{
	for (size_t i = 0; i < bb->plan.n_node; i++) {
		if (bb->member[i].order_due)
			tell_order(b, bb, i);
		bb->member[i].order_due = false;
	}
}

static void carry_out(struct slu_buffers *b, struct slu_bb *bb,
		      unsigned effects, double now)
{
	if (effects & SLU_EFFECT_WAKE)
		b->ops->wake(b->arg, bb->plan.job_id);
	if (effects & SLU_EFFECT_VERDICT)
		tell_verdict(b, bb);
	if (effects & SLU_EFFECT_ORDERS)
		tell_orders(b, bb);
	if (effects & SLU_EFFECT_STAGED)
		tell_staged(b, bb);
	if (effects & SLU_EFFECT_EXTEND)
		tell_extend(b, bb, now);
	if (effects & SLU_EFFECT_STATE)
		slu_bb_notify(b, bb, now);
}

void slu_bb_carry_out(struct slu_buffers *b, double now)
{
	struct slu_bb *bb;
	unsigned effects;

	while ((bb = b->first_due)) {
		b->first_due = bb->next_due;
		effects = bb->effects;
		bb->is_due = false;
		bb->effects = 0;
		carry_out(b, bb, effects, now);
	}
}
