/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Discards what failed stage-outs of a job have left on its nodes, before it
 * expires, on request of the job's owner or an administrator. The request is
 * stored in the record; nodes read it in their inventory, and each removes its
 * own data and reports that it is gone.
 */
#include "config.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "burst_buffer/lifecycle/effects/fate.h"
#include "burst_buffer/lifecycle/events/discard_kept.h"
#include "burst_buffer/lifecycle/persistence.h"
#include "burst_buffer/lifecycle/record_facts.h"
#include "burst_buffer/request/site/fstype.h"
#include "common/hostlist.h"

static bool keeps(const struct slu_bb *bb)
{
	return bb->state == SLU_BB_DONE && bb->keeps;
}

static bool keeps_here(const struct slu_bb *bb, size_t i)
{
	return keeps(bb) && !slu_bb_is_lost(bb, i) && slu_bb_takes(bb, i);
}

/* Where the data lies in one place for all nodes, no node keeps it: *err says
 * where it is. */
static int in_common(const struct slu_bb *bb, struct slu_err *err)
{
	const struct slu_fstype *type = slu_fstype_find(bb->plan.driver);
	char *where;

	if (!type || !type->remote)
		return 0;
	where = slu_bb_kept_where(bb);
	slu_err(err, SLU_INVALID, "%.400s; its owner can remove it there",
		where ? where : "it is on no node");
	free(where);
	return -1;
}

/* Looks at the kept data of one run; adds to `add` the names, borrowed, of the
 * nodes that keep it. */
static void look(const struct slu_bb *bb, struct slu_hosts *add,
		 uint64_t *bytes)
{
	for (size_t i = 0; i < bb->plan.n_node; i++) {
		if (!keeps_here(bb, i))
			continue;
		*bytes += slu_bb_data(bb, i);
		add->name[add->n++] = bb->plan.node[i].name;
	}
}

static int wish(struct slu_buffers *b, struct slu_bb *bb, bool owner,
		double now, struct slu_err *err)
{
	if (bb->persistent.destroy)
		return 0;
	return slu_bb_set_destroy(
		b->db, bb, SLU_DESTROY_SAFE,
		owner ? "what is kept is given up by its owner"
		      : "what is kept is given up by an administrator",
		now, err);
}

/* An upper bound on the nodes of all runs; 0: the job has no buffer. */
static size_t count_nodes(const struct slu_buffers *b, uint32_t job_id)
{
	size_t n = 0;

	for (struct slu_bb *bb = slu_bb_of(b, job_id); bb;
	     bb = slu_bb_older(bb))
		n += bb->plan.n_node;
	return n;
}

static int each_run(struct slu_buffers *b, const struct slu_discard *ask,
		    uint32_t uid, bool admin, double now,
		    struct slu_hosts *hosts, uint64_t *bytes,
		    struct slu_err *err)
{
	for (struct slu_bb *bb = slu_bb_of(b, ask->job_id); bb;
	     bb = slu_bb_older(bb)) {
		if (uid != bb->plan.uid && !admin)
			return slu_err(err, SLU_DENIED, "job %u is not yours",
				       (unsigned)ask->job_id);
		if (!keeps(bb))
			continue;
		if (in_common(bb, err))
			return -1;
		look(bb, hosts, bytes);
		if (!ask->dry_run && wish(b, bb, uid == bb->plan.uid, now, err))
			return -1;
	}
	return 0;
}

int slu_buffers_discard(struct slu_buffers *b, const struct slu_discard *ask,
			uint32_t uid, bool admin, double now,
			struct slu_discarded *out, struct slu_err *err)
{
	struct slu_hosts hosts = {
		.name = calloc(count_nodes(b, ask->job_id) + 1,
			       sizeof(*hosts.name))};
	uint64_t bytes = 0;
	int rc;

	if (!hosts.name)
		return slu_err(err, SLU_NOMEM, "out of memory");
	rc = each_run(b, ask, uid, admin, now, &hosts, &bytes, err);
	if (!rc && !hosts.n)
		rc = slu_err(err, SLU_NOTFOUND, "nothing is kept of job %u",
			     (unsigned)ask->job_id);
	if (!rc) {
		slu_hosts_sort(&hosts);
		*out = (struct slu_discarded){.hosts = slu_hosts_text(&hosts),
					      .bytes = bytes};
		if (!out->hosts)
			rc = slu_err(err, SLU_NOMEM, "out of memory");
	}
	free(hosts.name); /* the names are borrowed from the plans */
	return rc;
}

char *slu_bb_discards(const struct slu_buffers *b, const char *node)
{
	struct slu_buf out = {0};
	long i;

	slu_buf_puts(&out, "");
	for (const struct slu_bb *bb = b->first; bb; bb = bb->next) {
		if (!bb->persistent.destroy || !keeps(bb))
			continue;
		i = slu_bb_index(bb, node);
		if (i >= 0 && keeps_here(bb, (size_t)i))
			slu_buf_printf(
				&out, "%s%u.%" PRIu64, out.len ? " " : "",
				(unsigned)bb->plan.job_id, bb->plan.buffer);
	}
	return slu_buf_steal(&out);
}
