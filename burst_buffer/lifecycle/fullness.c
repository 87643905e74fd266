/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes the fill levels that nodes report: the highest one of each node is
 * stored, the present one is kept in memory. Reports them per buffer and per
 * pool.
 */
#include "config.h"
#include "burst_buffer/lifecycle/fullness.h"
#include "burst_buffer/lifecycle/record_facts.h"

#include "common/jsonx.h"
#include "common/str.h"

void slu_bb_note_used(struct slu_bb *bb, size_t i, bool known, uint64_t now)
{
	struct slu_bb_used *used = &bb->member[i].used;

	if (!known || now > INT64_MAX)
		return;
	used->known = true;
	used->now = now;
}

/* Is this fuller than what is stored, or is nothing stored? */
static bool is_fuller(const struct slu_bb *bb, size_t i,
		      const struct slu_report *r)
{
	const struct slu_bb_used *used = &bb->member[i].used;

	return r->used_known && r->used_most <= INT64_MAX &&
	       (!used->is_stored || r->used_most > used->stored);
}

int slu_bb_store_used(struct slu_db *db, const struct slu_bb *bb, size_t i,
		      const struct slu_report *r, struct slu_err *err)
{
	if (!is_fuller(bb, i, r))
		return 0;
	return slu_db_exec(db, err,
			   "UPDATE BufferNode SET UsedMost = ?"
			   " WHERE BID = ? AND Position = ?",
			   "IIi", (int64_t)r->used_most, (int64_t)bb->id,
			   (int)i) < 0
		       ? -1
		       : 0;
}

void slu_bb_used_stored(struct slu_bb *bb, size_t i, const struct slu_report *r)
{
	if (!is_fuller(bb, i, r))
		return;
	bb->member[i].used.is_stored = true;
	bb->member[i].used.stored = r->used_most;
}

static void take_fill(struct slu_buffers *b, const char *node,
		      const struct slu_fill *fill)
{
	const struct slu_report r = {.used_known = true,
				     .used = fill->used,
				     .used_most = fill->used_most};
	struct slu_bb *bb = slu_bb_of(b, fill->job_id);
	struct slu_err err;
	long i;

	while (bb && bb->plan.buffer != fill->buffer)
		bb = slu_bb_older(bb);
	i = bb ? slu_bb_index(bb, node) : -1;
	if (i < 0 || bb->member[i].state == SLU_NODE_CLEAN)
		return;
	slu_bb_note_used(bb, (size_t)i, true, r.used);
	if (slu_bb_store_used(b->db, bb, (size_t)i, &r, &err))
		b->ops->log(b->arg, SLU_WARN, err.text);
	else
		slu_bb_used_stored(bb, (size_t)i, &r);
}

void slu_buffers_filled(struct slu_buffers *b, const struct slu_node_ask *ask)
{
	for (size_t i = 0; i < ask->n_fill; i++)
		take_fill(b, ask->node, &ask->fill[i]);
}

void slu_bb_used_known(struct slu_bb *bb, size_t i, int64_t most)
{
	struct slu_bb_used *used = &bb->member[i].used;

	if (most < 0)
		return;
	used->is_stored = true;
	used->stored = (uint64_t)most;
}

/* {"used_bytes": bytes on its nodes now, as reported, "told": how many nodes
 * have reported}. */
static struct json_object *fullness(const struct slu_bb *bb)
{
	struct json_object *obj;
	uint64_t told = 0, bytes = 0;

	for (size_t i = 0; i < bb->plan.n_node; i++)
		if (bb->member[i].used.known) {
			told++;
			bytes += bb->member[i].used.now;
		}
	if (!told)
		return NULL;
	obj = json_object_new_object();
	slu_json_set_u64(obj, "used_bytes", bytes);
	slu_json_set_u64(obj, "told", told);
	return obj;
}

/* The buffer whose fullness answers a question about `asked`: if the question
 * is about a job, the persistent buffer that the job uses, if any. */
static const struct slu_bb *means(const struct slu_buffers *b,
				  const struct slu_bb *asked, uint32_t job_id)
{
	const struct slu_bb *bb = b->first;

	if (!job_id || !asked->plan.use)
		return asked;
	while (bb && bb->id != asked->plan.use)
		bb = bb->next;
	return bb ? bb : asked;
}

struct json_object *slu_buffers_fullness(const struct slu_buffers *b,
					 uint32_t job_id, uint32_t uid)
{
	struct json_object *all = json_object_new_object(), *one;
	char id[24];

	for (const struct slu_bb *bb = b->first; bb; bb = bb->next) {
		if (!slu_bb_is_asked(bb, job_id, uid) ||
		    bb->state >= SLU_BB_TEARDOWN)
			continue;
		one = fullness(means(b, bb, job_id));
		snprintf(id, sizeof(id), "%llu", (unsigned long long)bb->id);
		if (one)
			json_object_object_add(all, id, one);
	}
	return all;
}

uint64_t slu_buffers_used(const struct slu_buffers *b, const char *pool)
{
	uint64_t sum = 0;

	for (const struct slu_bb *bb = b->first; bb; bb = bb->next)
		for (size_t i = 0;
		     bb->state < SLU_BB_TEARDOWN &&
		     slu_eq(bb->plan.pool, pool) && i < bb->plan.n_node;
		     i++)
			if (bb->member[i].used.known)
				sum += bb->member[i].used.now;
	return sum;
}
