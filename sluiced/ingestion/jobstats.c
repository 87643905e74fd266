/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stores what servers of Lustre, or I/O forwarders, have counted of many jobs'
 * I/O (POST /v1/jobstats). One report is stored in one batch, and answered when
 * that is done, with the jobs that are unknown.
 */
#include <stdlib.h>

#include "sluiced/http/api/handlers.h"
#include "sluiced/http/api/reply.h"

/* One report */
struct word {
	struct slu_item item;
	struct slu_daemon *d;
	struct slu_req *req;
	struct slu_server_io io; /* taken from the request */
	int64_t *start; /* beginning of each job's run; 0: it does not run */
	struct slu_server_answer answer;
};

static void word_free(struct word *w)
{
	slu_msg_clear(&slu_server_io_desc, &w->io);
	free(w->answer.unknown);
	free(w->start);
	free(w);
}

static bool is_forwarded(const struct word *w)
{
	return w->io.source == SLU_IO_FORWARDERS;
}

static int store(struct slu_item *item, struct slu_db *db, struct slu_err *err)
{
	struct word *w = (struct word *)item;
	double now = slu_now_wall();

	w->answer.n_unknown = 0; /* may be called twice */
	for (size_t i = 0; i < w->io.n_job; i++) {
		const struct slu_server_job *job = &w->io.job[i];
		int64_t when = (int64_t)(now - job->idle);
		int rc =
			is_forwarded(w)
				? slu_history_forwarded(db, job, &w->start[i],
							when, err)
				: slu_history_server_io(db, w->io.node, job,
							w->start[i], when, err);

		if (rc < 0 && err->kind != SLU_INVALID)
			return -1;
		if (rc <= 0) /* or not plausible: that affects no other */
			w->answer.unknown[w->answer.n_unknown++].job_id =
				job->job_id;
	}
	return 0;
}

/* Passes on which jobs moved something. Not from reports of forwarders, as it
 * is not known which file system they mean. */
static void note_moved(const struct word *w)
{
	for (size_t i = 0; !is_forwarded(w) && i < w->io.n_job; i++)
		slu_lustre_totals_moved(&w->d->served, w->io.job[i].job_id,
					w->start[i]);
}

static void done(struct slu_item *item, const struct slu_err *err)
{
	struct word *w = (struct word *)item;
	struct slu_buf body = {0};
	char *text = slu_encode_text(&slu_server_answer_desc, &w->answer);

	slu_buf_puts(&body, text ? text : "");
	body.failed |= !text;
	free(text);
	slu_routes_reply(w->d, w->req, &body, err);
	for (size_t i = 0; !err && is_forwarded(w) && i < w->io.n_job; i++)
		if (w->start[i])
			slu_history_counted(&w->d->history, w->io.job[i].job_id,
					    w->start[i]);
	if (!err)
		note_moved(w);
	word_free(w);
}

/* The run that was there when the counters last moved; an earlier run of a
 * requeued job may have been different. */
static int64_t live_run(const struct slu_daemon *d,
			const struct slu_server_job *io, double now)
{
	const struct slu_known_job *job = slu_jobs_find(d->jobs, io->job_id);

	return job && (double)job->start <= now - io->idle ? job->start : 0;
}

static int check(const struct slu_server_io *io, struct slu_err *err)
{
	if (io->n_job > SLU_SERVER_JOBS)
		return slu_err(err, SLU_INVALID, "%zu jobs: at most %d at once",
			       io->n_job, SLU_SERVER_JOBS);
	for (size_t i = 0; i < io->n_job; i++) {
		if (!(io->job[i].idle >= 0 && io->job[i].idle <= 1e9))
			return slu_err(err, SLU_INVALID,
				       "job %u: idle for %g s",
				       io->job[i].job_id, io->job[i].idle);
		if (i > 0 && io->job[i].job_id <= io->job[i - 1].job_id)
			return slu_err(err, SLU_INVALID,
				       "job %u: not in ascending order",
				       io->job[i].job_id);
	}
	return 0;
}

int slu_handle_jobstats(struct slu_daemon *d, struct slu_req *req,
			struct slu_buf *out, struct slu_err *err)
{
	struct slu_server_io *io = req->msg;
	double now = slu_now_wall();
	struct word *w;

	(void)out;
	if (check(io, err) < 0)
		return -1;
	w = calloc(1, sizeof(*w));
	if (w) {
		w->start = calloc(io->n_job + 1, sizeof(*w->start));
		w->answer.unknown =
			calloc(io->n_job + 1, sizeof(*w->answer.unknown));
	}
	if (!w || !w->start || !w->answer.unknown) {
		if (w)
			word_free(w);
		return slu_err(err, SLU_NOMEM, "out of memory");
	}
	w->item = (struct slu_item){.store = store, .done = done};
	w->d = d;
	w->req = req;
	for (size_t i = 0; i < io->n_job; i++)
		w->start[i] = live_run(d, &io->job[i], now);
	w->io = *io;
	*io = (struct slu_server_io){0};
	slu_write_batch_add(&d->batch, &w->item);
	return SLU_KEPT;
}
