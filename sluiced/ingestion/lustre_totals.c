/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sends slurmctld what Lustre's servers have counted of each job's I/O: of
 * ended jobs from the history, of running jobs twice a minute from memory.
 */
#include "sluiced/ingestion/lustre_totals.h"

#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "job_submit/history/job_history.h"

#define EVERY  30.0 /* s */
#define SETTLE SLU_HISTORY_SETTLE
#define MAX    100 /* runs that are stored in one turn */
#define DAY    86400
#define SPEAKS 600 /* s: no server does that has been silent for longer */

static int send_row(void *arg, const struct slu_history_row *row,
		    struct slu_err *err)
{
	(void)err;
	slu_control_send(arg, &slu_history_row_desc, row);
	return 0;
}

/* Rows to be folded may be as old as the history: an earlier release kept them,
 * or no server reported then. */
static int begin(struct slu_lustre_totals *s, int64_t until,
		 struct slu_err *err)
{
	struct slu_db *db = s->history->db;

	if (slu_history_before(db, until, &s->seen, err) < 0)
		return -1;
	s->seen_metadata = s->seen_fs = s->seen;
	s->folded = 0;
	s->begun = true;
	return 0;
}

/* Runs that ended before the start are part of the replay. */
static int teach(struct slu_lustre_totals *s, bool *more, struct slu_err *err)
{
	int64_t until = (int64_t)slu_now_wall() - SETTLE;
	struct slu_import_io run[MAX];
	struct slu_history *h = s->history;
	long n;

	if (!s->begun && begin(s, until, err) < 0)
		return -1;
	n = slu_history_served(h->db, until - DAY, until, &s->seen, run, MAX,
			       more, err);
	for (long i = 0; i < n; i++)
		if (slu_history_whole(h->db, run[i].job_id, run[i].start,
				      SLU_IO_JOBSTATS, send_row, h->control,
				      err) < 0)
			return -1;
	return n < 0 ? -1 : 0;
}

static bool is_wanted(const struct slu_lustre_totals *s)
{
	return s->history->conf &&
	       s->history->conf->io_start != SLU_IOSTART_OFF;
}

static int send_metadata(void *arg, const struct slu_history_row *row,
			 struct slu_err *err)
{
	(void)err;
	slu_control_send(arg, &slu_metadata_row_desc, row);
	return 0;
}

/* Their own message, as their bytes may have been known before. */
static int teach_metadata(struct slu_lustre_totals *s, bool *more,
			  struct slu_err *err)
{
	int64_t until = (int64_t)slu_now_wall() - SETTLE;
	struct slu_import_io run[MAX];
	struct slu_history *h = s->history;
	bool again;
	long n = slu_history_metadata(h->db, until - DAY, until,
				      &s->seen_metadata, run, MAX, &again, err);

	*more |= again;
	for (long i = 0;
	     i < n && is_wanted(s) && slu_conf_counts_metadata(h->conf); i++)
		if (slu_history_whole(h->db, run[i].job_id, run[i].start,
				      SLU_IO_METADATA, send_metadata,
				      h->control, err) < 0)
			return -1;
	return n < 0 ? -1 : 0;
}

/* Runs of which something is known, also by others than servers. */
static int teach_fs(struct slu_lustre_totals *s, bool *more,
		    struct slu_err *err)
{
	int64_t until = (int64_t)slu_now_wall() - SETTLE;
	struct slu_import_io run[MAX];
	struct slu_history *h = s->history;
	bool again;
	long n = slu_history_known(h->db, until - DAY, until, &s->seen_fs, run,
				   MAX, &again, err);

	*more |= again;
	for (long i = 0; i < n && slu_history_by_fs_wanted(h); i++)
		if (slu_history_run(h->db, run[i].job_id, run[i].start,
				    slu_history_send_fs_row, h, err) < 0)
			return -1;
	return n < 0 ? -1 : 0;
}

/* The last run of a job first. */
static int by_run(const void *a, const void *b)
{
	const struct slu_moved_run *x = a, *y = b;
	int order = (x->job_id > y->job_id) - (x->job_id < y->job_id);

	return order ? order : (x->start < y->start) - (x->start > y->start);
}

/* Sorts the jobs in ascending order and removes duplicates. */
static void sort_moved(struct slu_lustre_totals *s)
{
	size_t n = 0;

	if (s->n_moved)
		qsort(s->moved, s->n_moved, sizeof(*s->moved), by_run);
	for (size_t i = 0; i < s->n_moved; i++)
		if (!n || s->moved[n - 1].job_id != s->moved[i].job_id)
			s->moved[n++] = s->moved[i];
	s->n_moved = n;
}

void slu_lustre_totals_moved(struct slu_lustre_totals *s, uint32_t job_id,
			     int64_t start)
{
	if (!is_wanted(s))
		return;
	s->spoken = slu_now_wall();
	if (!s->moved)
		s->moved = calloc(SLU_MOVED_MOST, sizeof(*s->moved));
	if (s->n_moved == SLU_MOVED_MOST && !s->full) {
		sort_moved(s);
		s->full = s->n_moved > SLU_MOVED_MOST / 2;
	}
	if (s->moved && start && s->n_moved < SLU_MOVED_MOST)
		s->moved[s->n_moved++] = (struct slu_moved_run){job_id, start};
}

static int fill_in(const struct slu_lustre_totals *s,
		   struct slu_jobs_moved *msg, struct slu_err *err)
{
	for (size_t i = 0; i < s->n_moved; i++) {
		const struct slu_moved_run *run = &s->moved[i];
		struct slu_job_moved *job = &msg->jobs[msg->n_jobs];

		job->job_id = run->job_id;
		if (slu_history_moved(s->history->db, run->job_id, run->start,
				      job, err) < 0)
			return -1;
		msg->n_jobs++;
		if (!slu_conf_names_fs(s->history->conf)) {
			free(job->by_fs);
			job->by_fs = NULL;
		}
	}
	return 0;
}

/* Sent also when no job has moved anything, but not when no server reports any
 * more. */
static int tell_moved(struct slu_lustre_totals *s, struct slu_err *err)
{
	struct slu_jobs_moved msg = {0};
	int rc = 0;

	if (!is_wanted(s) || !s->spoken || slu_now_wall() - s->spoken > SPEAKS)
		return 0;
	msg.jobs = calloc(s->n_moved + 1, sizeof(*msg.jobs));
	if (!msg.jobs)
		return slu_err(err, SLU_NOMEM, "out of memory");
	sort_moved(s);
	rc = fill_in(s, &msg, err);
	if (rc == 0)
		slu_control_send(s->history->control, &slu_jobs_moved_desc,
				 &msg);
	s->n_moved = 0;
	s->full = false;
	slu_msg_clear(&slu_jobs_moved_desc, &msg);
	return rc;
}

static void on_timer(void *arg)
{
	struct slu_lustre_totals *s = arg;
	struct slu_err err;
	bool more = false;

	bool fold = false;

	if (teach(s, &more, &err) < 0 || teach_metadata(s, &more, &err) < 0 ||
	    teach_fs(s, &more, &err) < 0 ||
	    slu_history_fold_servers(s->history->db, (int64_t)slu_now_wall(),
				     &s->folded, &fold, &err) < 0 ||
	    (!more && !fold && tell_moved(s, &err) < 0))
		slu_log(s->history->log, SLU_ERROR, "I/O from servers: %s",
			err.text);
	slu_timer_set(s->loop, &s->timer, more || fold ? 0.1 : EVERY);
}

void slu_lustre_totals_start(struct slu_lustre_totals *s, struct slu_loop *loop,
			     struct slu_history *history)
{
	*s = (struct slu_lustre_totals){.loop = loop, .history = history};
	s->timer = (struct slu_timer){.fn = on_timer, .arg = s};
	slu_timer_set(loop, &s->timer, EVERY);
}

void slu_lustre_totals_stop(struct slu_lustre_totals *s)
{
	free(s->moved);
	s->moved = NULL;
	s->n_moved = 0;
}
