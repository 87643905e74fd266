/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stores ended jobs from other sources, in batches: like slurmctld's own rows,
 * and once however often they are sent. slurmctld gets them when the history is
 * next replayed.
 */
#include <stdlib.h>
#include "common/clock.h"
#include "job_submit/history/job_history.h"
#include "sluiced/http/api/handlers.h"
#include "sluiced/http/api/reply.h"

struct import {
	struct slu_item item;
	struct slu_daemon *d;
	struct slu_req *req;
	struct slu_import_jobs msg; /* taken from the request */
	struct slu_history_counts io;
	uint64_t added, old, unknown;
};

static int store(struct slu_item *item, struct slu_db *db, struct slu_err *err)
{
	struct import *in = (struct import *)item;
	const struct slu_import_jobs *msg = &in->msg;

	if (slu_history_import(db, msg->jobs, msg->n_jobs, &in->added, err) <
		    0 ||
	    slu_history_runless(db, msg->io, msg->n_io, &in->unknown, err) <
		    0 ||
	    slu_history_import_io(db, msg->io, msg->n_io, &in->io, err) < 0)
		return -1;
	return 0;
}

static void done(struct slu_item *item, const struct slu_err *err)
{
	struct import *in = (struct import *)item;
	struct slu_buf body = {0};

	slu_buf_printf(
		&body,
		"{\"added\":%llu,\"io\":%llu,\"io_changed\":%llu,"
		"\"old\":%llu,\"unknown\":%llu}",
		(unsigned long long)in->added, (unsigned long long)in->io.added,
		(unsigned long long)in->io.changed, (unsigned long long)in->old,
		(unsigned long long)in->unknown);
	slu_routes_reply(in->d, in->req, &body, err);
	slu_msg_clear(&slu_import_jobs_desc, &in->msg);
	free(in);
}

/* Drops rows that are older than the history is kept: they would be removed
 * again within the hour. Returns how many. */
static uint64_t drop_old(struct slu_import_jobs *msg, int64_t age, int64_t now)
{
	size_t kept = 0, n = msg->n_jobs;

	for (size_t i = 0; i < n; i++) {
		struct slu_job job = msg->jobs[i];

		if (age < now && job.end < now - age)
			slu_msg_clear(&slu_job_desc, &job);
		else
			msg->jobs[kept++] = job;
	}
	msg->n_jobs = kept;
	return n - kept;
}

int slu_handle_import(struct slu_daemon *d, struct slu_req *req,
		      struct slu_buf *out, struct slu_err *err)
{
	struct slu_import_jobs *msg = req->msg;
	struct import *in;

	(void)out;
	if (msg->n_jobs > SLU_IMPORT_JOBS || msg->n_io > SLU_IMPORT_JOBS)
		return slu_err(err, SLU_INVALID, "%zu jobs: at most %d at once",
			       msg->n_jobs, SLU_IMPORT_JOBS);
	in = calloc(1, sizeof(*in));
	if (!in)
		return slu_err(err, SLU_NOMEM, "out of memory");
	*in = (struct import){.item = {.store = store, .done = done},
			      .d = d,
			      .req = req,
			      .msg = *msg};
	in->old = drop_old(&in->msg, d->conf->history_age,
			   (int64_t)slu_now_wall());
	*msg = (struct slu_import_jobs){0};
	slu_write_batch_add(&d->batch, &in->item);
	return SLU_KEPT;
}
