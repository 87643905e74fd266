/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares the node seconds of all spans that begin on a whole hour; the jobs
 * of a window are then found by one pass over the log for each kind.
 */
#include <stdlib.h>
#include "bench/log_window.h"

/* Node seconds submitted in a span. */
static double work(const struct swf_log *log, int64_t from, int64_t length)
{
	double sum = 0;

	for (size_t i = 0; i < log->n && log->job[i].submit < from + length;
	     i++)
		if (log->job[i].submit >= from)
			sum += (double)easy_run_time(&log->job[i]) *
			       (double)log->job[i].procs;
	return sum;
}

static bool overlaps(const int64_t *busier, int n, int64_t at, int64_t length)
{
	for (int i = 0; i < n; i++)
		if (llabs(busier[i] - at) < length)
			return true;
	return false;
}

int64_t log_window_choose(const struct swf_log *log, int64_t length, int rank)
{
	int64_t last = log->n ? log->job[log->n - 1].submit : 0;
	int64_t first = (last + 4 * LOG_WINDOW_HOUR - 1) /
			(4 * LOG_WINDOW_HOUR) * LOG_WINDOW_HOUR;
	int64_t busier[LOG_WINDOW_RANKS], best = -1;

	for (int r = 0; r < rank; r++) {
		double most = 0;

		best = -1;
		for (int64_t at = first; at + length <= last;
		     at += LOG_WINDOW_HOUR) {
			double sum = overlaps(busier, r, at, length)
					     ? 0
					     : work(log, at, length);

			if (sum > most) {
				most = sum;
				best = at;
			}
		}
		busier[r] = best;
	}
	return best;
}

/* Adds job i if it is one of the window's, or was there when that begins. */
static void take(struct log_window *w, size_t i, enum log_window_kind kind)
{
	const struct swf_job *job = &w->log->job[i];
	int64_t gone = kind == RUNNING ? w->begin - job->start : 0;
	struct slu_easy_job *out = &w->job[w->n];

	*out = (struct slu_easy_job){
		.submit = kind == WINDOW ? job->submit - w->begin : 0,
		.run = easy_run_time(job) - gone,
		.request = (job->request - gone + 59) / 60 * 60,
		.procs = job->procs,
	};
	if (out->run < 1 || out->request < 1)
		return;
	w->kind[w->n] = kind;
	w->of[w->n++] = i;
}

static enum log_window_kind kind_of(const struct log_window *w,
				    const struct swf_job *job)
{
	if (job->submit >= w->begin)
		return WINDOW;
	return job->start > w->begin ? WAITING : RUNNING;
}

int log_window_cut(struct log_window *w)
{
	const struct swf_log *log = w->log;

	w->job = calloc(log->n + 1, sizeof(*w->job));
	w->kind = calloc(log->n + 1, sizeof(*w->kind));
	w->of = calloc(log->n + 1, sizeof(*w->of));
	if (!w->job || !w->kind || !w->of)
		return -1;
	for (enum log_window_kind kind = RUNNING; kind <= WINDOW; kind++)
		for (size_t i = 0; i < log->n; i++) {
			const struct swf_job *job = &log->job[i];

			if (job->submit < w->begin + w->length &&
			    job->end > w->begin && kind_of(w, job) == kind)
				take(w, i, kind);
		}
	return 0;
}

void log_window_free(struct log_window *w)
{
	free(w->job);
	free(w->kind);
	free(w->of);
	*w = (struct log_window){0};
}
