/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stores what a job's tasks have read and written, as each of its nodes reports
 * at the job's end: by /v1/io, or for a job with a buffer in the report
 * "stopped". The counts are added to the history row of that run.
 */
#include "sluiced/ingestion/iocount.h"

#include <stdlib.h>
#include <string.h>

#include "sluiced/http/api/handlers.h"
#include "sluiced/http/api/reply.h"

struct count {
	struct slu_item item;
	struct slu_daemon *d;
	struct slu_req *req; /* to be answered; NULL: there is no request */
	int64_t start;
	struct slu_io_report io;
	bool whole; /* all nodes of the run have reported now */
};

static int store_count(struct slu_item *item, struct slu_db *db,
		       struct slu_err *err)
{
	struct count *c = (struct count *)item;

	return slu_history_io(db, &c->io, c->start, &c->d->history.io_runs,
			      &c->whole, err);
}

static void count_done(struct slu_item *item, const struct slu_err *err)
{
	struct count *c = (struct count *)item;
	struct slu_buf body = {0};

	if (err)
		slu_log(c->d->log, SLU_ERROR, "I/O of job %u: %s", c->io.job_id,
			err->text);
	else if (c->whole)
		slu_history_counted(&c->d->history, c->io.job_id, c->start);
	if (c->req) {
		slu_buf_puts(&body, "{}");
		slu_routes_reply(c->d, c->req, &body, err);
	}
	free(c->io.node);
	free(c);
}

static int add(struct slu_daemon *d, const struct slu_io_report *io,
	       int64_t start, struct slu_req *req, struct slu_err *err)
{
	struct count *c = calloc(1, sizeof(*c));

	if (!c || !(c->io.node = strdup(io->node))) {
		free(c);
		return slu_err(err, SLU_NOMEM, "out of memory");
	}
	c->item = (struct slu_item){
		.store = store_count, .done = count_done, .retry_busy = !req};
	c->d = d;
	c->req = req;
	c->start = start;
	c->io.job_id = io->job_id;
	c->io.read_bytes = io->read_bytes;
	c->io.written_bytes = io->written_bytes;
	c->io.source = io->source;
	slu_write_batch_add(&d->batch, &c->item);
	return 0;
}

int slu_handle_io(struct slu_daemon *d, struct slu_req *req,
		  struct slu_buf *out, struct slu_err *err)
{
	const struct slu_io_report *io = req->msg;
	const struct slu_known_job *job = slu_jobs_find(d->jobs, io->job_id);

	(void)out;
	if (!job || !slu_hosts_sorted_has(&job->nodes, io->node))
		return slu_err(err, SLU_NOTFOUND,
			       "job %u does not run on %.64s", io->job_id,
			       io->node);
	return add(d, io, job->start, req, err) < 0 ? -1 : SLU_KEPT;
}

/* Reported after the stage-out, when the job may not be in d->jobs any more:
 * its buffer knows which run it was. */
void slu_io_add(struct slu_daemon *d, const struct slu_report *report)
{
	struct slu_io_report io = {
		.job_id = report->job_id,
		.node = report->node,
		.read_bytes = report->read_bytes,
		.written_bytes = report->written_bytes,
		.source = SLU_IO_BUFFER,
	};
	int64_t start =
		slu_buffers_run(d->buffers, report->job_id, report->buffer);
	struct slu_err err;

	/* a node that does not count is no source: servers and nodes know
	 * better */
	if (report->uncounted)
		return;
	if (start && add(d, &io, start, NULL, &err) < 0)
		slu_log(d->log, SLU_ERROR, "I/O of job %u: %s", io.job_id,
			err.text);
}
