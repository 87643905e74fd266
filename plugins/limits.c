/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time limits that we have set, as slurmctld keeps them: the tight one in the
 * job, the whole one in the note of its administrator's comment. Both are saved
 * together, so a slurmctld that was killed knows both or neither.
 */
#include "config.h"
#include "plugins/limits.h"
#include "plugins/act.h"

#include <time.h>

#define YEAR	 (365 * 24 * 3600)
#define LAST_TRY 60  /* s before a limit's end */
#define AT_ONE	 256 /* jobs that are looked at under one read lock */

/* Most comments are ruled out by a look. */
static bool may_be_guarded(const job_record_t *job)
{
	return job->admin_comment && strstr(job->admin_comment, "limit ");
}

bool slu_limit_guarded(const job_record_t *job, struct slu_note *note)
{
	return may_be_guarded(job) &&
	       slu_ctl_note_parse(job->admin_comment, note) &&
	       note->limit == SLU_LIMIT_GUARDED;
}

uint32_t slu_limit_whole(const job_record_t *job, const struct slu_note *note)
{
	const part_record_t *part = job->part_ptr;

	if (note->whole)
		return note->whole;
	if (!part)
		return SLU_NOTE_UNLIMITED;
	return part->default_time != NO_VAL ? part->default_time
					    : part->max_time;
}

_Static_assert(SLU_NOTE_UNLIMITED == INFINITE, "one stands for the other");

/* Are the nodes that the user named all that the job gets? */
static bool names_all(const struct job_details *d)
{
	if (!d || !d->req_node_bitmap)
		return false;
	return (uint32_t)bit_set_count(d->req_node_bitmap) >=
	       (d->max_nodes ? d->max_nodes : d->min_nodes);
}

/* Does this reservation stand between `from` and `to` on nodes that the job
 * may get, or is it the job's own and ends there? */
static bool bars(const slurmctld_resv_t *resv, const job_record_t *job,
		 time_t from, time_t to)
{
	bitstr_t *mine = job->part_ptr ? job->part_ptr->node_bitmap : NULL;

	if (resv == job->resv_ptr)
		return !(resv->flags & RESERVE_FLAG_FLEX) &&
		       resv->end_time >= from && resv->end_time < to;
	if (names_all(job->details))
		mine = job->details->req_node_bitmap;
	return resv->start_time >= from && resv->start_time < to &&
	       resv->node_bitmap &&
	       (!mine || bit_overlap_any(resv->node_bitmap, mine));
}

/* node READ, part READ */
static bool is_barred(const job_record_t *job, uint32_t tight, uint32_t whole)
{
	time_t now = time(NULL), from = now + (time_t)tight * 60;
	time_t to = whole == INFINITE ? now + YEAR : now + (time_t)whole * 60;
	slurmctld_resv_t *resv;
	bool barred = false;
	ListIterator i;

	if (!list_count(resv_list))
		return false;
	i = list_iterator_create(resv_list);
	while (!barred && (resv = list_next(i)))
		barred = bars(resv, job, from, to);
	list_iterator_destroy(i);
	return barred;
}

bool slu_limit_in_gap(const job_record_t *job)
{
	struct slu_note note;

	return IS_JOB_PENDING(job) && list_count(resv_list) &&
	       slu_limit_guarded(job, &note) && job->time_limit == note.tight &&
	       is_barred(job, note.tight, slu_limit_whole(job, &note));
}

struct found {
	uint32_t *id;
	size_t n, cap;
};

static bool is_alive(const job_record_t *job)
{
	return (IS_JOB_RUNNING(job) || IS_JOB_PENDING(job)) &&
	       !IS_JOB_COMPLETING(job);
}

static int find_one(void *x, void *arg)
{
	const job_record_t *job = x;
	struct found *found = arg;

	if (found->n < found->cap && is_alive(job) && may_be_guarded(job))
		found->id[found->n++] = job->job_id;
	return 0;
}

/* One look at each job, which is a short one. */
static int find(struct found *found, struct slu_err *err)
{
	slurmctld_lock_t lock = {.job = READ_LOCK};

	lock_slurmctld(lock);
	/* a controller that goes decides no more */
	if (!slurmctld_config.shutdown_time)
		found->cap = (size_t)list_count(job_list);
	found->id = calloc(found->cap + 1, sizeof(*found->id));
	if (found->id)
		list_for_each_ro(job_list, find_one, found);
	unlock_slurmctld(lock);
	return found->id ? 0 : slu_err(err, SLU_NOMEM, "out of memory");
}

/* job, node, part READ */
static bool look_at(uint32_t job_id, struct slu_ctl_limit *out)
{
	const job_record_t *job = find_job_record(job_id);
	struct slu_note note;

	if (!job || !is_alive(job) || !slu_limit_guarded(job, &note))
		return false;
	*out = (struct slu_ctl_limit){
		.job_id = job->job_id,
		.running = IS_JOB_RUNNING(job),
		.whole_asked = note.asked || note.whole == SLU_NOTE_UNLIMITED,
		.end = job->end_time,
		.limit = job->time_limit,
		.tight = note.tight,
		.whole = slu_limit_whole(job, &note),
	};
	out->barred = !out->running && is_barred(job, out->tight, out->whole);
	return true;
}

int slu_limits(void *arg, int64_t now, struct slu_ctl_limit **out, size_t *n,
	       struct slu_err *err)
{
	slurmctld_lock_t lock = {
		.job = READ_LOCK, .node = READ_LOCK, .part = READ_LOCK};
	struct slu_ctl_limit *limit;
	struct found found = {0};
	size_t kept = 0;

	(void)arg;
	(void)now;
	if (find(&found, err) < 0)
		return -1;
	limit = calloc(found.n + 1, sizeof(*limit));
	for (size_t i = 0; limit && i < found.n;) {
		size_t end = i + AT_ONE < found.n ? i + AT_ONE : found.n;

		lock_slurmctld(lock);
		for (; i < end; i++)
			kept += look_at(found.id[i], &limit[kept]);
		unlock_slurmctld(lock);
	}
	free(found.id);
	if (!limit)
		return slu_err(err, SLU_NOMEM, "out of memory");
	*out = limit;
	*n = kept;
	return 0;
}

/* Whose planned start on nodes of `job` is between its end and a later one. */
struct late {
	const job_record_t *job;
	time_t end, later;
	struct slu_ctl_late *out;
};

static int add_late(void *x, void *arg)
{
	const job_record_t *job = x;
	struct late *late = arg;
	bitstr_t *nodes = NULL;
	int64_t by = late->later - job->start_time;

	if (!IS_JOB_PENDING(job) || !job->sched_nodes ||
	    job->start_time < late->end || job->start_time >= late->later ||
	    node_name2bitmap(job->sched_nodes, true, &nodes) != SLURM_SUCCESS)
		return 0;
	if (bit_overlap_any(nodes, late->job->node_bitmap)) {
		if (!late->out->jobs++)
			late->out->first = job->job_id;
		if (by > late->out->longest)
			late->out->longest = by;
	}
	FREE_NULL_BITMAP(nodes);
	return 0;
}

static time_t longer_end(const job_record_t *job, uint32_t whole)
{
	if (whole == INFINITE)
		return time(NULL) + YEAR;
	return job->end_time + ((time_t)whole - (time_t)job->time_limit) * 60;
}

static void find_late(uint32_t job_id, struct slu_ctl_late *out)
{
	slurmctld_lock_t lock = {
		.job = READ_LOCK, .node = READ_LOCK, .part = READ_LOCK};
	struct late late = {.out = out};
	struct slu_note note;

	lock_slurmctld(lock);
	late.job = find_job_record(job_id);
	if (late.job && IS_JOB_RUNNING(late.job) && late.job->node_bitmap &&
	    slu_limit_guarded(late.job, &note)) {
		late.end = late.job->end_time;
		late.later =
			longer_end(late.job, slu_limit_whole(late.job, &note));
		list_for_each_ro(job_list, add_late, &late);
	}
	unlock_slurmctld(lock);
}

void slu_limit_put(job_record_t *job, uint32_t limit)
{
	time_t end = longer_end(job, limit);

	acct_policy_alter_job(job, limit);
	job->time_limit = limit;
	if (IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job))
		job->end_time = job->end_time_exp = end;
	last_job_update = time(NULL);
}

/* job WRITE, part READ */
static int set(job_record_t *job, bool whole, const struct slu_ctl_late *late,
	       struct slu_err *err)
{
	struct slu_note note;

	if (!slu_limit_guarded(job, &note) || job->preempt_time ||
	    slurmctld_config.shutdown_time)
		return slu_err(err, SLU_NOTFOUND, "not ours any more");
	if (IS_JOB_PENDING(job)) {
		slu_limit_put(job,
			      whole ? slu_limit_whole(job, &note) : note.tight);
		return 0;
	}
	if (!whole || !IS_JOB_RUNNING(job))
		return slu_err(err, SLU_NOTFOUND, "not pending any more");
	if (job->db_index == NO_VAL64 && job->end_time > time(NULL) + LAST_TRY)
		return slu_err(err, SLU_NOTFOUND, "not yet in slurmdbd");
	note.limit = SLU_LIMIT_EXTENDED;
	note.late = late->jobs;
	note.late_by = late->longest;
	slu_act_put_note(job, &note);
	slu_limit_put(job, slu_limit_whole(job, &note));
	/* NO_VAL64: slurmdbd is about to say under which number it has it */
	if (job->db_index != NO_VAL64)
		jobacct_storage_job_start_direct(acct_db_conn, job);
	return 0;
}

int slu_limit_set(void *arg, uint32_t job_id, bool whole,
		  struct slu_ctl_late *late, struct slu_err *err)
{
	slurmctld_lock_t lock = {.conf = READ_LOCK,
				 .job = WRITE_LOCK,
				 .node = READ_LOCK,
				 .part = READ_LOCK};
	job_record_t *job;
	int rc;

	(void)arg;
	*late = (struct slu_ctl_late){0};
	if (whole)
		find_late(job_id, late);
	lock_slurmctld(lock);
	job = find_job_record(job_id);
	rc = job ? set(job, whole, late, err)
		 : slu_err(err, SLU_NOTFOUND, "JobId=%u does not exist",
			   job_id);
	unlock_slurmctld(lock);
	if (rc == 0)
		schedule_job_save();
	return rc;
}
