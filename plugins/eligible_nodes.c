/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the nodes on which a submitted job may run, and those it must get, as
 * bitmaps of Slurm's nodes.
 */
#include "config.h"
#include "plugins/eligible_nodes.h"
#include "plugins/partitions.h"

#include <string.h>

static void add_part(void *arg, const part_record_t *part)
{
	bitstr_t **all = arg;

	if (!part || !part->node_bitmap)
		return;
	if (*all)
		bit_or(*all, part->node_bitmap);
	else
		*all = bit_copy(part->node_bitmap);
}

bitstr_t *slu_eligible_nodes_of_partitions(const char *names)
{
	bitstr_t *all = NULL;

	slu_each_partition(names, add_part, &all);
	return all;
}

/* Slurm refuses wrong names itself; NULL: none is named. */
static bitstr_t *named(char *nodes)
{
	bitstr_t *bits = NULL;

	if (nodes && *nodes && node_name2bitmap(nodes, true, &bits, NULL))
		FREE_NULL_BITMAP(bits);
	return bits;
}

static enum slu_ctl_may_get may_get(void *arg, const char *node)
{
	const struct slu_eligible_nodes *w = arg;
	const node_record_t *n = find_node_record((char *)node);

	if (!n || !bit_test(w->may, n->index))
		return SLU_GET_NO;
	return w->must && bit_test(w->must, n->index) ? SLU_GET_MUST
						      : SLU_GET_MAY;
}

/* The others are excluded, as the user would by --exclude. */
static void keep_to(void *arg, const struct slu_hosts *nodes)
{
	struct slu_eligible_nodes *w = arg;
	bitstr_t *others = bit_copy(w->may);
	const node_record_t *n;
	char *names;

	for (size_t i = 0; i < nodes->n; i++) {
		n = find_node_record(nodes->name[i]);
		if (n)
			bit_clear(others, n->index);
	}
	if (bit_ffs(others) >= 0) {
		names = bitmap2node_name(others);
		if (w->desc->exc_nodes && *w->desc->exc_nodes)
			xstrfmtcat(w->desc->exc_nodes, ",%s", names);
		else
			xstrcat(w->desc->exc_nodes, names);
		xfree(names);
	}
	FREE_NULL_BITMAP(others);
}

void slu_eligible_nodes_begin(struct slu_eligible_nodes *w,
			      job_desc_msg_t *desc, struct slu_ctl_ask *ask)
{
	bitstr_t *excluded = named(desc->exc_nodes);

	*w = (struct slu_eligible_nodes){
		.desc = desc,
		.may = slu_eligible_nodes_of_partitions(desc->partition),
		.must = named(desc->req_nodes)};
	if (w->may && excluded)
		bit_and_not(w->may, excluded);
	FREE_NULL_BITMAP(excluded);
	if (!w->may)
		return;
	ask->may_get = may_get;
	ask->keep_to = keep_to;
	ask->arg = w;
	ask->named = w->must ? (uint32_t)bit_set_count(w->must) : 0;
}

void slu_eligible_nodes_end(struct slu_eligible_nodes *w)
{
	FREE_NULL_BITMAP(w->may);
	FREE_NULL_BITMAP(w->must);
}

/* The nodes without these on which it could run. Caller frees; NULL: not enough
 * are left, or the job requires one of them. */
static bitstr_t *others_of(const job_record_t *job, bitstr_t *without)
{
	const job_details_t *d = job->details;
	bitstr_t *may = slu_eligible_nodes_of_partitions(job->partition);

	if (may && d->exc_node_bitmap)
		bit_and_not(may, d->exc_node_bitmap);
	if (may)
		bit_and_not(may, without);
	if (may && (bit_set_count(may) < (int)d->min_nodes ||
		    (d->req_node_bitmap &&
		     bit_overlap_any(d->req_node_bitmap, without))))
		FREE_NULL_BITMAP(may);
	return may;
}

bool slu_eligible_nodes_exclude(job_record_t *job, char *nodes)
{
	job_details_t *d = job->details;
	bitstr_t *without = NULL, *others;
	bool can;

	if (!nodes || !d || node_name2bitmap(nodes, true, &without, NULL)) {
		FREE_NULL_BITMAP(without);
		return true;
	}
	others = others_of(job, without);
	can = others != NULL;
	if (can) {
		if (d->exc_node_bitmap)
			bit_or(without, d->exc_node_bitmap);
		FREE_NULL_BITMAP(d->exc_node_bitmap);
		d->exc_node_bitmap = bit_copy(without);
		xfree(d->exc_nodes);
		d->exc_nodes = bitmap2node_name(without);
	}
	FREE_NULL_BITMAP(without);
	FREE_NULL_BITMAP(others);
	return can;
}
