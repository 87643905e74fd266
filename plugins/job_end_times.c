/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes the end of running jobs that have a buffer. Their ends are checked
 * every few seconds, because Slurm drops the time that was given back when a
 * job is resumed or its limit is changed; usually nothing has to be done, so
 * the write lock is taken only for jobs with a wrong end.
 */
#include "config.h"
#include "plugins/actions.h"
#include "plugins/hetjobs.h"

#include <time.h>

static const slurmctld_lock_t look_lock = {
	.job = READ_LOCK,
	.node = READ_LOCK,
};

/* The time when a reservation takes one of the job's nodes, or its own
 * reservation ends. */
static time_t must_end_by(const job_record_t *job, time_t now)
{
	slurmctld_resv_t *resv;
	time_t by = (time_t)INT64_MAX;
	list_itr_t *i = list_iterator_create(resv_list);

	while ((resv = list_next(i))) {
		if (resv == job->resv_ptr) {
			if (!(resv->flags & RESERVE_FLAG_FLEX) &&
			    resv->end_time < by)
				by = resv->end_time;
		} else if (resv->start_time > now && resv->start_time < by &&
			   resv->node_bitmap && job->node_bitmap &&
			   bit_overlap_any(resv->node_bitmap,
					   job->node_bitmap)) {
			by = resv->start_time;
		}
	}
	list_iterator_destroy(i);
	return by;
}

/* Does the job run, is its limit finite, and is it not being preempted? */
static bool has_end(const job_record_t *job)
{
	return IS_JOB_RUNNING(job) && job->time_limit != INFINITE &&
	       job->time_limit != NO_VAL && !job->preempt_time;
}

/* The end it should have; `note` is the job's, updated if that is new. If the
 * nodes had to boot, Slurm moves the job's start to the end of that
 * (job_config_fini() in job_mgr.c): that time is given back already. */
static time_t should_end(const job_record_t *job, const struct slu_ctl_end *e,
			 int64_t max, time_t now, struct slu_note *note)
{
	time_t by = must_end_by(job, now), end;
	time_t base = job->start_time + (time_t)job->time_limit * 60 +
		      job->tot_sus_time;
	int64_t moved =
		job->start_time > e->start ? job->start_time - e->start : 0;
	int64_t extra = e->give_back - moved - job->tot_sus_time;

	if (extra > max)
		extra = max;
	if (extra < 0)
		extra = 0;
	if (e->final && note->gave_back >= 0)
		extra = note->gave_back;
	if (e->final)
		note->gave_back = extra;
	end = base + extra < by ? base + extra : by;
	return end < base ? base : end;
}

/* Under a read lock. */
static bool is_one_set(const job_record_t *job, const struct slu_ctl_end *e,
		       int64_t max, time_t now)
{
	struct slu_note note;
	int64_t had;

	if (!has_end(job))
		return true;
	slu_ctl_note_parse(job->admin_comment, &note);
	had = note.gave_back;
	return should_end(job, e, max, now, &note) == job->end_time &&
	       note.gave_back == had;
}

/* Under the write lock. */
static void set_one(job_record_t *job, const struct slu_ctl_end *e, int64_t max,
		    time_t now)
{
	struct slu_note note;
	int64_t had;
	time_t end;

	slu_ctl_note_parse(job->admin_comment, &note);
	had = note.gave_back;
	end = should_end(job, e, max, now, &note);
	if (note.gave_back != had)
		slu_act_put_note(job, &note);
	if (job->end_time == end)
		return;
	job->end_time = job->end_time_exp = end;
	last_job_update = now;
}

/* For the components of a heterogeneous job that have no buffer: the script,
 * which waits for those that have, is theirs, too. */
struct span {
	const job_record_t *job;
	const struct slu_ctl_end *end;
	int64_t max;
	time_t now;
	bool unset;
};

static bool goes_with(const job_record_t *job, const struct span *s)
{
	return job == s->job || (s->job->job_id == s->job->het_job_id &&
				 !slu_ctl_has_buffer(job->burst_buffer));
}

static int look_at(void *x, void *arg)
{
	struct span *s = arg;

	if (goes_with(x, s) && !is_one_set(x, s->end, s->max, s->now))
		s->unset = true;
	return 0;
}

static bool is_set(const job_record_t *job, const struct slu_ctl_end *e,
		   int64_t max, time_t now)
{
	struct span s = {.job = job, .end = e, .max = max, .now = now};

	slu_hetjob_each(job, look_at, &s);
	return !s.unset;
}

static int set(void *x, void *arg)
{
	struct span *s = arg;

	if (goes_with(x, s) && has_end(x))
		set_one(x, s->end, s->max, s->now);
	return 0;
}

static void set_end(const job_record_t *job, const struct slu_ctl_end *e,
		    int64_t max, time_t now)
{
	struct span s = {.job = job, .end = e, .max = max, .now = now};

	slu_hetjob_each(job, set, &s);
}

int slu_act_set_end(void *arg, const struct slu_ctl_end *end, int64_t max,
		    struct slu_err *err)
{
	job_record_t *job;
	int rc = 0;

	(void)arg;
	lock_slurmctld(slu_act_job_lock);
	job = find_job_record(end->job_id);
	if (slu_act_refused(err))
		rc = -1;
	else if (!job)
		rc = slu_act_no_job(end->job_id, err);
	else if (!IS_JOB_RUNNING(job))
		rc = slu_err(err, SLU_INVALID, "JobId=%u does not run",
			     end->job_id);
	else
		set_end(job, end, max, time(NULL));
	unlock_slurmctld(slu_act_job_lock);
	return rc;
}

/* Puts the jobs of the n whose end is wrong into `out`, from its front. */
static size_t not_set(const struct slu_ctl_end *end, size_t n, int64_t max,
		      struct slu_ctl_end *out, bool *suspended)
{
	const job_record_t *job;
	time_t now = time(NULL);
	size_t kept = 0;

	lock_slurmctld(look_lock);
	for (size_t i = 0; i < n; i++) {
		job = find_job_record(end[i].job_id);
		if (job && !is_set(job, &end[i], max, now))
			out[kept++] = end[i];
		*suspended |= job && IS_JOB_SUSPENDED(job);
	}
	unlock_slurmctld(look_lock);
	return kept;
}

bool slu_act_set_ends(void *arg, const struct slu_ctl_end *end, size_t n,
		      int64_t max)
{
	struct slu_ctl_end left[SLU_CTL_ENDS];
	time_t now = time(NULL);
	job_record_t *job;
	bool suspended = false;
	size_t n_left;

	(void)arg;
	n_left = not_set(end, n, max, left, &suspended);
	if (!n_left)
		return suspended;
	lock_slurmctld(slu_act_job_lock);
	for (size_t i = 0; i < n_left && !slu_act_refused(NULL); i++) {
		job = find_job_record(left[i].job_id);
		if (job)
			set_end(job, &left[i], max, now);
	}
	unlock_slurmctld(slu_act_job_lock);
	return suspended;
}
