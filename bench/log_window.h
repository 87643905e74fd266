/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_LOG_WINDOW_H
#define SLU_BENCH_LOG_WINDOW_H

/*
 * Selects the busiest hours of a job log, and the jobs that a scheduler has to
 * do with in them, for bench/replay_window.
 */

#include "bench/easy.h"

#define LOG_WINDOW_HOUR	 3600
#define LOG_WINDOW_RANKS 64

/* What a job is when the window begins. */
enum log_window_kind {
	RUNNING, /* what is left of it counts: of its run and of its request */
	WAITING, /* submitted before */
	WINDOW	 /* submitted in the window */
};

struct log_window {
	const struct swf_log *log; /* borrowed */
	int64_t begin, length;	   /* s of the log; s */
	/* Set by log_window_cut, by kind and then by submission: */
	struct slu_easy_job *job; /* submit counts from the window's begin, and
				   * is 0 before; requests are whole minutes */
	enum log_window_kind *kind;
	size_t *of; /* indexes in the log */
	size_t n;
};

/* Of all spans of `length` s that begin on a whole hour, not before the first
 * quarter of the log's submissions in time, and end before the last one, the
 * rank-th busiest (from 1, at most LOG_WINDOW_RANKS) by node seconds submitted
 * that overlaps none of the busier ones, the earliest of equals. Its begin; -1
 * if there are less. */
int64_t log_window_choose(const struct swf_log *log, int64_t length, int rank);

/* Fills the window with the jobs that have not ended when it begins and were
 * submitted before its end, except those whose request is over by then. -1
 * without memory. Caller frees with log_window_free, also after that. */
int log_window_cut(struct log_window *w);
void log_window_free(struct log_window *w);

#endif
