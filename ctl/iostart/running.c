/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the running jobs, and what each is expected to move from now on: by
 * prediction, corrected by what servers measure.
 */
#include "config.h"
#include "ctl/iostart/iostart_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "job_submit/name.h"
#include "wire/fs_shares.h"

#define GAP  120 /* s without a measurement: it was not busy */
#define BUSY 0.9 /* part of the capacity */

/* bytes/s */
double slu_io_foretell(const struct slu_iostart *s, uint32_t uid,
		       const char *plain, double nodes, double seconds)
{
	struct slu_rate rate =
		slu_rates_foretell(s->rates, uid, plain, nodes, seconds);

	return slu_admission_rate(&s->site, &rate, nodes);
}

/* What went to this object's file system. Returns whether servers say so. */
static bool share_of(const struct slu_iostart *s,
		     const struct slu_job_moved *moved,
		     struct slu_fs_share *out)
{
	const unsigned wanted =
		s->scope == SLU_IO_OPS ? SLU_FS_OPS : SLU_FS_BYTES;

	if (*s->fs && moved->by_fs &&
	    slu_fs_share_of(moved->by_fs, s->fs, out) & wanted)
		return true;
	*out = (struct slu_fs_share){.read_bytes = moved->read_bytes,
				     .written_bytes = moved->written_bytes,
				     .metadata_ops = moved->metadata_ops};
	return false;
}

double slu_io_counts(const struct slu_iostart *s,
		     const struct slu_job_moved *moved)
{
	struct slu_fs_share share;

	share_of(s, moved, &share);
	return (s->scope & SLU_IO_READ ? share.read_bytes : 0) +
	       (s->scope & SLU_IO_WRITTEN ? share.written_bytes : 0) +
	       (s->scope & SLU_IO_OPS ? share.metadata_ops : 0);
}

bool slu_io_is_known(const struct slu_iostart *s,
		     const struct slu_job_moved *moved)
{
	struct slu_fs_share share;

	if (share_of(s, moved, &share))
		return true;
	return s->scope == SLU_IO_OPS
		       ? moved->metadata_ops > 0
		       : moved->read_bytes > 0 || moved->written_bytes > 0;
}

/* Takes what servers say of a run. Of one that goes on they tell at intervals
 * of their own: what it moved between two of these is taken to last for as
 * long again. */
static void note_moved(struct io_run *run, double bytes, int64_t now)
{
	int64_t since = now - run->told;

	if (run->at && since > 0) {
		run->lately = fmax(bytes - run->moved, 0) / (double)since;
		run->lasts = now + since;
	}
	run->moved = bytes;
	run->at = run->told = now;
}

/* Do all of them move so much now that the file system is busy? */
static void note_busy(struct slu_iostart *s, int64_t now)
{
	const struct io_run *run;
	double rate = 0;

	for (size_t i = 0; (run = slu_map_next(&s->running, &i));)
		rate += now < run->lasts ? run->lately : 0;
	if (s->moved_at && now > s->moved_at)
		s->busy =
			s->site.capacity > 0 && rate > BUSY * s->site.capacity;
	slu_busy_times_add(&s->busy_times, s->moved_at && s->busy, now, GAP);
	s->moved_at = now;
}

/* Is it known what this job moved? Object storage servers report bytes,
 * metadata servers operations. Not known: the other kind has reported something
 * of this job, and this kind nothing yet of any job. */
static bool is_published(struct slu_iostart *s,
			 const struct slu_job_moved *moved, double counted)
{
	const double other = s->scope & SLU_IO_OPS
				     ? moved->read_bytes + moved->written_bytes
				     : moved->metadata_ops;

	s->published |= counted > 0;
	return s->published || !(other > 0);
}

/* Sets the rate with which a running job counts. */
static void count(const struct slu_iostart *s, struct io_run *run)
{
	run->rate = run->at ? slu_admission_seen(&run->foretold,
						 (double)(run->at - run->start),
						 run->moved, s->busy)
			    : run->foretold.rate;
}

/* After a measurement: no run ends earlier or later than before. */
static void count_anew(struct slu_iostart *s)
{
	struct slu_admission *a = &s->admit;
	struct io_run *run;

	for (size_t i = 0; s->looked && i < a->n_end; i++) {
		run = slu_map_get(&s->running, a->end[i].id);
		if (!run) /* not possible */
			continue;
		count(s, run);
		a->end[i].rate = run->rate;
	}
	slu_admission_sum(a);
	s->heavy_known = false;
}

void slu_iostart_measured(struct slu_iostart *s,
			  const struct slu_job_moved *moved, size_t n,
			  int64_t now)
{
	struct io_run *run;
	double bytes;

	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; i < n; i++) {
		run = slu_map_get(&s->running, moved[i].job_id);
		bytes = slu_io_counts(s, &moved[i]);
		if (!run || !(bytes >= 0) || now < run->start)
			continue;
		if (!is_published(s, &moved[i], bytes))
			continue;
		note_moved(run, bytes, now);
	}
	for (size_t i = 0; (run = slu_map_next(&s->running, &i));)
		run->at = run->at ? now : 0;
	note_busy(s, now);
	count_anew(s);
	pthread_mutex_unlock(&s->lock);
}

/* In s from then. */
static struct slu_demand demand_of(const struct io_run *run, int64_t now)
{
	return (struct slu_demand){
		.id = run->job_id,
		.nodes = run->foretold.nodes,
		.rate = run->rate,
		.seconds = run->foretold.seconds - (double)(now - run->start),
	};
}

bool slu_io_look_anew(struct slu_iostart *s)
{
	struct slu_demand *all = NULL;
	struct io_run *run;
	size_t n = 0;
	int rc = -1;

	if (s->mode != SLU_IOSTART_OFF)
		all = calloc(s->running.n + 1, sizeof(*all));
	for (size_t i = 0; all && (run = slu_map_next(&s->running, &i));) {
		count(s, run);
		all[n++] = demand_of(run, 0);
	}
	if (all)
		rc = slu_admission_look(&s->admit, &s->site, all, n, NULL, 0);
	free(all);
	s->looked = rc == 0;
	s->heavy_known = false;
	return s->looked;
}

bool slu_io_look(struct slu_iostart *s, int64_t now)
{
	if (!s->looked && !slu_io_look_anew(s))
		return false;
	s->admit.now = (double)now;
	return true;
}

static void fill_in(const struct slu_iostart *s, struct io_run *run,
		    const struct slu_io_job *job, int64_t now)
{
	*run = (struct io_run){
		.job_id = job->job_id,
		.uid = job->uid,
		.start = job->start ? job->start : now,
		.foretold = {.nodes = job->nodes, .seconds = job->seconds},
	};
	slu_plain_name(job->name, run->name, sizeof(run->name));
	if (s->taught)
		run->foretold.rate = slu_io_foretell(s, run->uid, run->name,
						     job->nodes, job->seconds);
	run->rate = run->foretold.rate;
}

/* Logs the wait of a job that the scheduler has not asked about since the
 * restart of slurmctld, from the job's note. */
static void say_noted(struct slu_iostart *s, const struct slu_io_job *job,
		      int64_t now)
{
	const struct io_wait noted = {.job_id = job->job_id,
				      .since = job->since};

	if (s->mode == SLU_IOSTART_ON && s->scope != SLU_IO_OPS && !s->place &&
	    job->since && !job->start)
		slu_io_log(s, &noted, now);
}

static void end_wait(struct slu_iostart *s, const struct slu_io_job *job,
		     int64_t now)
{
	struct io_wait *wait = slu_io_wait(s, job->job_id, now);

	slu_map_del(&s->waiting, job->job_id);
	/* one that was asked about long ago has not been waiting for this */
	if (wait &&
	    (s->mode == SLU_IOSTART_ON || now - wait->asked <= SLU_IO_LEFT))
		slu_io_log(s, wait, now);
	else if (!wait)
		say_noted(s, job, now);
	free(wait);
}

/* The record of a job that starts, empty if it is new; NULL without memory. */
static struct io_run *run_of(struct slu_iostart *s, uint32_t job_id)
{
	struct io_run *run = slu_map_get(&s->running, job_id);

	if (run) { /* perhaps another run of it */
		if (s->looked)
			slu_admission_ended(&s->admit, job_id);
		return run;
	}
	run = calloc(1, sizeof(*run));
	if (run && slu_map_put(&s->running, job_id, run) < 0) {
		free(run);
		run = NULL;
	}
	return run;
}

/* A job that cannot be noted for lack of memory is not counted. */
void slu_iostart_begun(struct slu_iostart *s, const struct slu_io_job *job,
		       int64_t now)
{
	struct slu_demand d;
	struct io_run *run;

	pthread_mutex_lock(&s->lock);
	end_wait(s, job, now);
	run = run_of(s, job->job_id);
	if (run) {
		fill_in(s, run, job, now);
		s->heavy_known = false;
	}
	if (run && s->looked) {
		s->admit.now = (double)now;
		d = demand_of(run, now);
		s->looked = slu_admission_begun(&s->admit, &d) == 0;
	}
	pthread_mutex_unlock(&s->lock);
}

void slu_iostart_ended(struct slu_iostart *s, uint32_t job_id)
{
	struct io_run *run;

	pthread_mutex_lock(&s->lock);
	slu_io_forget_wait(s, job_id);
	run = slu_map_del(&s->running, job_id);
	if (run && s->looked) {
		slu_admission_ended(&s->admit, job_id);
		s->heavy_known = false;
	}
	free(run);
	pthread_mutex_unlock(&s->lock);
}

void slu_iostart_adopt(struct slu_iostart *s, struct slu_iostart *from)
{
	const struct io_run *run;
	struct io_run *copy;

	pthread_mutex_lock(&from->lock);
	pthread_mutex_lock(&s->lock);
	for (size_t i = 0; (run = slu_map_next(&from->running, &i));) {
		if (slu_map_get(&s->running, run->job_id))
			continue;
		copy = calloc(1, sizeof(*copy));
		if (!copy || slu_map_put(&s->running, run->job_id, copy) < 0) {
			free(copy);
			continue; /* it does not count */
		}
		*copy = *run;
		copy->at = copy->lasts = 0;
		copy->rate = copy->foretold.rate =
			0; /* until history is read */
	}
	s->looked = false;
	pthread_mutex_unlock(&s->lock);
	pthread_mutex_unlock(&from->lock);
}
