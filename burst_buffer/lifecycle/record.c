/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Allocates, frees and finds the records of buffers in sluiced's memory. It
 * decides nothing and writes nothing to the database. */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/lifecycle/record.h"
#include "common/str.h"

void slu_bb_forget_text(struct slu_bb *bb)
{
	for (int over = 0; over < 2; over++) {
		slu_text_unref(bb->plan_text[over]);
		bb->plan_text[over] = NULL;
	}
}

static void free_barriers(struct slu_bb *bb)
{
	size_t g, i;

	for (g = 0; g < bb->n_barrier; g++) {
		for (i = 0; i < bb->plan.n_node; i++)
			free(bb->barrier[g].attr[i]);
		free(bb->barrier[g].attr);
		free(bb->barrier[g].name);
		slu_text_unref(bb->barrier[g].said);
		free(bb->barrier[g].user_text);
		free(bb->barrier[g].brief);
		free(bb->barrier[g].away);
	}
	free(bb->barrier);
}

void slu_bb_free(struct slu_bb *bb)
{
	if (!bb)
		return;
	free_barriers(bb);
	free(bb->member);
	for (size_t p = 0; bb->part && p < bb->n_part; p++)
		free(bb->part[p].sum);
	free(bb->part);
	free(bb->user);
	free(bb->failure.text);
	free(bb->failure.without);
	free(bb->persistent.unsaved);
	free(bb->persistent.aged);
	slu_bb_forget_text(bb);
	slu_msg_clear(&slu_plan_desc, &bb->plan);
	free(bb);
}

static struct slu_bb *of_job(struct slu_bb *bb, uint32_t job_id)
{
	while (bb && bb->plan.job_id != job_id)
		bb = bb->peer;
	return bb;
}

struct slu_bb *slu_bb_of(const struct slu_buffers *b, uint32_t job_id)
{
	return of_job(b->bucket[job_id % SLU_BB_BUCKETS], job_id);
}

struct slu_bb *slu_bb_older(const struct slu_bb *bb)
{
	return of_job(bb->peer, bb->plan.job_id);
}

bool slu_bb_is_newest(const struct slu_buffers *b, const struct slu_bb *bb)
{
	return slu_bb_of(b, bb->plan.job_id) == bb;
}

void slu_bb_join(struct slu_buffers *b, struct slu_bb *bb)
{
	struct slu_bb **peers = &b->bucket[bb->plan.job_id % SLU_BB_BUCKETS];

	bb->next = b->first;
	b->first = bb;
	bb->peer = *peers;
	*peers = bb;
}

void slu_bb_leave(struct slu_buffers *b, struct slu_bb *bb)
{
	struct slu_bb **next = &b->first;
	struct slu_bb **peer = &b->bucket[bb->plan.job_id % SLU_BB_BUCKETS];

	while (*next != bb)
		next = &(*next)->next;
	*next = bb->next;
	while (*peer != bb)
		peer = &(*peer)->peer;
	*peer = bb->peer;
}

/* The part that contains node i. Nodes of one switch usually have neighbouring
 * names, so the search begins at the part of the node before. */
static size_t part_of(struct slu_bb *bb, size_t i)
{
	const struct slu_plan_node *node = bb->plan.node;

	for (size_t k = i; k > 0; k--)
		if (slu_eq(node[k - 1].part, node[i].part))
			return bb->member[k - 1].part;
	return bb->n_part++;
}

static int compare_names(const void *a, const void *b, void *arg)
{
	const struct slu_plan_node *node = arg;
	const struct slu_bb_member *x = a, *y = b;

	return strcmp(node[x->by_name].name, node[y->by_name].name);
}

/* Before anything else of them is known. */
static void sort_by_name(struct slu_bb *bb)
{
	for (size_t i = 0; i < bb->plan.n_node; i++)
		bb->member[i].by_name = i;
	qsort_r(bb->member, bb->plan.n_node, sizeof(*bb->member), compare_names,
		bb->plan.node);
}

int slu_bb_alloc_members(struct slu_bb *bb)
{
	size_t i;

	bb->member = calloc(bb->plan.n_node + 1, sizeof(*bb->member));
	bb->part = calloc(bb->plan.n_node + 1, sizeof(*bb->part));
	if (!bb->member || !bb->part)
		return -1;
	sort_by_name(bb);
	for (i = 0; i < bb->plan.n_node; i++) {
		bb->member[i].state = SLU_NODE_PLANNED;
		bb->member[i].part = part_of(bb, i);
		bb->part[bb->member[i].part].n_node++;
	}
	bb->n_part = bb->n_part ? bb->n_part : 1;
	for (size_t p = 0; p < bb->n_part; p++) {
		bb->part[p].sum =
			calloc(bb->plan.n_stage + 1, sizeof(struct slu_bb_sum));
		if (!bb->part[p].sum)
			return -1;
	}
	return 0;
}

struct slu_bb *slu_bb_with_plan(struct slu_plan *plan)
{
	struct slu_bb *bb = calloc(1, sizeof(*bb));

	if (!bb)
		return NULL;
	bb->plan = *plan;
	*plan = (struct slu_plan){0};
	if (slu_bb_alloc_members(bb) == 0)
		return bb;
	slu_bb_free(bb);
	return NULL;
}

int slu_bb_copy_plan(const struct slu_plan *from, struct slu_plan *to,
		     struct slu_err *err)
{
	char *text = slu_encode_text(&slu_plan_desc, from);
	int rc = text ? slu_decode_text(&slu_plan_desc, text, strlen(text), to,
					err)
		      : slu_err(err, SLU_NOMEM, "out of memory");

	free(text);
	return rc;
}

void slu_bb_exchange(struct slu_bb *bb, struct slu_bb *with)
{
	const struct slu_bb was = *bb;

	bb->plan = with->plan;
	bb->member = with->member;
	bb->part = with->part;
	bb->n_part = with->n_part;
	with->plan = was.plan;
	with->member = was.member;
	with->part = was.part;
	with->n_part = was.n_part;
	slu_bb_forget_text(bb);
	slu_bb_forget_text(with);
}

int slu_bb_locate(const struct slu_buffers *b, struct slu_bb *bb,
		  struct slu_err *err)
{
	struct slu_plan_node *node = bb->plan.node;
	const char *addr;
	char *copy;

	for (size_t i = 0; b->ops->addr && i < bb->plan.n_node; i++) {
		addr = b->ops->addr(b->arg, node[i].name);
		if (!addr || slu_eq(addr, node[i].addr))
			continue;
		copy = strdup(addr);
		if (!copy)
			return slu_err(err, SLU_NOMEM, "out of memory");
		free(node[i].addr);
		node[i].addr = copy;
		slu_bb_forget_text(bb);
	}
	return 0;
}

struct slu_text *slu_bb_text(const struct slu_desc *desc, const void *msg)
{
	char *text = slu_encode_text(desc, msg);
	struct slu_text *out = text ? slu_text_new(text, strlen(text)) : NULL;

	free(text);
	return out;
}

struct slu_text *slu_bb_plan_text(struct slu_bb *bb, bool over)
{
	/* a copy that differs from bb's plan only in `over` */
	struct slu_plan plan = bb->plan;

	plan.over = over;
	if (!bb->plan_text[over])
		bb->plan_text[over] = slu_bb_text(&slu_plan_desc, &plan);
	return bb->plan_text[over];
}

long slu_bb_index(const struct slu_bb *bb, const char *node)
{
	size_t from = 0, to = bb->plan.n_node;

	while (from < to) {
		size_t i = from + (to - from) / 2;
		size_t at = bb->member[i].by_name;
		int cmp = strcmp(node, bb->plan.node[at].name);

		if (cmp == 0)
			return (long)at;
		if (cmp < 0)
			to = i;
		else
			from = i + 1;
	}
	return -1;
}

void slu_bb_add_cache(struct slu_cache_use *sum,
		      const struct slu_cache_use *one)
{
	sum->hits += one->hits;
	sum->misses += one->misses;
	sum->bytes += one->bytes;
}

/* A node that copied nothing need not know the totals. */
static void add_share(struct slu_bb_sum *sum, const struct slu_bb_share *one)
{
	struct slu_bb_share *all = &sum->all;

	sum->n++;
	sum->held += one->held;
	slu_bb_add_cache(&all->cache, &one->cache);
	if (!one->total_files && !one->total_bytes && !one->files)
		return;
	if (!all->total_files && !all->total_bytes) {
		all->total_bytes = one->total_bytes;
		all->total_files = one->total_files;
	}
	sum->uneven = sum->uneven || all->total_bytes != one->total_bytes ||
		      all->total_files != one->total_files;
	sum->partly = sum->partly || one->bytes != one->total_bytes ||
		      one->files != one->total_files;
	all->bytes += one->bytes;
	all->files += one->files;
}

void slu_bb_note_step(struct slu_bb *bb, size_t i, const char *step,
		      const struct slu_bb_share *share)
{
	struct slu_bb_member *m = &bb->member[i];
	unsigned r;
	int end = 0;

	if (strcmp(step, "attach") == 0)
		m->attached = true;
	if (strcmp(step, SLU_BB_BROKEN) == 0)
		m->broken = true;
	if (strcmp(step, "clean") == 0)
		m->kept = share->bytes;
	if ((sscanf(step, "in.%2u.share%n", &r, &end) != 1 || !end) &&
	    (sscanf(step, "out.%2u.share%n", &r, &end) != 1 || !end))
		return;
	if (step[end] || r >= bb->plan.n_stage || m->shared >> r & 1)
		return;
	m->shared |= UINT64_C(1) << r;
	add_share(&bb->part[m->part].sum[r], share);
}
