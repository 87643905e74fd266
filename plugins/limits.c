/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Implements libsluice's queries and changes of time limits that we have set,
 * in slurmctld: the tight limit is the job's time limit, the whole one is in
 * the note in its AdminComment. Slurm saves both together, so after a crash
 * slurmctld has both or neither.
 */
#include "config.h"
#include "plugins/limits.h"
#include "plugins/actions.h"
#include "plugins/partitions.h"

#include <time.h>

#define YEAR	  (365 * 24 * 3600)
#define LAST_TRY  60  /* s before a limit's end */
#define AT_ONE	  256 /* jobs that are looked at, or changed, under one lock */
#define COUNT_FOR 15  /* s that it may take to count delayed jobs */

_Static_assert(SLU_NOTE_UNLIMITED == INFINITE, "one stands for the other");

/* Are these nodes, which the user named, all that the job gets? */
static bool names_all(bitstr_t *named, uint32_t min, uint32_t max)
{
	uint32_t most = max && max != NO_VAL ? max : min;

	return named && (most == NO_VAL || bit_set_count(named) >= (int)most);
}

/* When a reservation begins. A floating one always begins the same time from
 * now: no job that is longer than that starts on its nodes. */
static time_t start_of(const slurmctld_resv_t *resv, time_t now)
{
	return resv->flags & RESERVE_FLAG_TIME_FLOAT ? now + resv->start_time
						     : resv->start_time;
}

/* Nodes and a time in which a reservation would be in the way of a job. */
struct gap {
	bitstr_t *nodes;   /* that it may get; NULL: any */
	const char *own;   /* the reservation that it names, or NULL */
	uint32_t from, to; /* minutes from now; to: or INFINITE */
};

/* Does this reservation begin on these nodes in this time? A job's own
 * reservation is not in its way: Slurm lets the job in whatever its limit, and
 * ends it with the reservation. */
static bool bars(const slurmctld_resv_t *resv, const struct gap *gap,
		 time_t now)
{
	time_t start = start_of(resv, now), from = now + (time_t)gap->from * 60;
	time_t to =
		gap->to == INFINITE ? now + YEAR : now + (time_t)gap->to * 60;

	if (gap->own && !xstrcmp(resv->name, gap->own))
		return false;
	return start >= from && start < to && resv->node_bitmap &&
	       (!gap->nodes || bit_overlap_any(resv->node_bitmap, gap->nodes));
}

/* node READ */
static bool is_reserved(const struct gap *gap)
{
	time_t now = time(NULL);
	slurmctld_resv_t *resv;
	bool barred = false;
	list_itr_t *i;

	if (!list_count(resv_list))
		return false;
	i = list_iterator_create(resv_list);
	while (!barred && (resv = list_next(i)))
		barred = bars(resv, gap, now);
	list_iterator_destroy(i);
	return barred;
}

/* node READ, part READ */
static bool is_in_gap(const job_record_t *job, uint32_t tight, uint32_t whole)
{
	const job_details_t *d = job->details;
	struct gap gap = {.nodes = job->part_ptr ? job->part_ptr->node_bitmap
						 : NULL,
			  .own = job->resv_ptr ? job->resv_ptr->name : NULL,
			  .from = tight,
			  .to = whole};

	if (d && names_all(d->req_node_bitmap, d->min_nodes, d->max_nodes))
		gap.nodes = d->req_node_bitmap;
	return is_reserved(&gap);
}

bool slu_limit_reserved(const void *host, uint32_t from, uint32_t to)
{
	const job_desc_msg_t *desc = host;
	const part_record_t *part = slu_first_partition(desc->partition);
	struct gap gap = {.nodes = part ? part->node_bitmap : NULL,
			  .own = desc->reservation,
			  .from = from,
			  .to = to};
	bitstr_t *named = NULL;
	bool reserved;

	if (!is_reserved(&gap) || !desc->req_nodes)
		return is_reserved(&gap);
	node_name2bitmap(desc->req_nodes, true, &named, NULL);
	if (names_all(named, desc->min_nodes, desc->max_nodes))
		gap.nodes = named;
	reserved = is_reserved(&gap);
	FREE_NULL_BITMAP(named);
	return reserved;
}

static enum slu_limit_bar bar_of(const job_record_t *job,
				 const struct slu_note *note)
{
	uint32_t whole = slu_limit_whole(job, note);
	uint32_t longest = MAX(whole, note->tight);

	if (!slu_limit_allowed(job, longest))
		return SLU_LIMIT_BAR_MAXIMUM;
	return is_in_gap(job, note->tight, whole) ? SLU_LIMIT_BAR_RESERVATION
						  : SLU_LIMIT_BAR_NONE;
}

bool slu_limit_barred(const job_record_t *job)
{
	struct slu_note note;

	return IS_JOB_PENDING(job) && slu_limit_guarded(job, &note) &&
	       job->time_limit == note.tight && bar_of(job, &note);
}

struct found {
	uint32_t *id;
	size_t n, cap;
};

/* One whose nodes are being made ready has not begun to use up its limit:
 * Slurm moves its end when they are (job_config_fini() in job_mgr.c), and looks
 * at no limit until then. */
static bool is_alive(const job_record_t *job)
{
	return (IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job) ||
		IS_JOB_PENDING(job)) &&
	       !IS_JOB_COMPLETING(job) && !IS_JOB_CONFIGURING(job);
}

/* Of a suspended one, if it were resumed now: jobs that take turns may run only
 * where the guard does not look. Slurm then counts all from its start on, also
 * what it took to make its nodes ready (_job_suspend_op() in job_mgr.c), which
 * may be more than it had left. */
static time_t ends(const job_record_t *job, int64_t now)
{
	return IS_JOB_SUSPENDED(job)
		       ? (time_t)now + (time_t)job->time_limit * 60 -
				 job->pre_sus_time
		       : job->end_time;
}

static int find_one(void *x, void *arg)
{
	const job_record_t *job = x;
	struct found *found = arg;

	if (found->n < found->cap && is_alive(job) &&
	    slu_limit_may_be_guarded(job))
		found->id[found->n++] = job->job_id;
	return 0;
}

/* Finds the jobs with a limit of ours, by one short look at each job. */
static int find(struct found *found, struct slu_err *err)
{
	slurmctld_lock_t lock = {.job = READ_LOCK};

	lock_slurmctld(lock);
	/* a controller that is ending decides nothing any more */
	if (!slurmctld_config.shutdown_time)
		found->cap = (size_t)list_count(job_list);
	found->id = calloc(found->cap + 1, sizeof(*found->id));
	if (found->id)
		list_for_each_ro(job_list, find_one, found);
	unlock_slurmctld(lock);
	return found->id ? 0 : slu_err(err, SLU_NOMEM, "out of memory");
}

/* job, node, part READ */
static bool look_at(uint32_t job_id, int64_t now, struct slu_ctl_limit *out)
{
	const job_record_t *job = find_job_record(job_id);
	struct slu_note note;

	if (!job || !is_alive(job) || !slu_limit_guarded(job, &note))
		return false;
	*out = (struct slu_ctl_limit){
		.job_id = job->job_id,
		.running = !IS_JOB_PENDING(job),
		.suspended = IS_JOB_SUSPENDED(job),
		.whole_asked =
			note.asked ||
			(note.whole == SLU_NOTE_UNLIMITED && !note.by_default),
		.end = ends(job, now),
		.limit = job->time_limit,
		.tight = note.tight,
		.whole = slu_limit_whole(job, &note),
	};
	if (!out->running)
		out->bar = bar_of(job, &note);
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
	if (find(&found, err) < 0)
		return -1;
	limit = calloc(found.n + 1, sizeof(*limit));
	for (size_t i = 0; limit && i < found.n;) {
		size_t end = i + AT_ONE < found.n ? i + AT_ONE : found.n;

		lock_slurmctld(lock);
		for (; i < end; i++)
			kept += look_at(found.id[i], now, &limit[kept]);
		unlock_slurmctld(lock);
	}
	free(found.id);
	if (!limit)
		return slu_err(err, SLU_NOMEM, "out of memory");
	*out = limit;
	*n = kept;
	return 0;
}

void slu_limit_put(job_record_t *job, uint32_t limit)
{
	time_t end = slu_limit_end(job, limit);

	acct_policy_alter_job(job, limit);
	job->time_limit = limit;
	if (IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job))
		job->end_time = job->end_time_exp = end;
	last_job_update = time(NULL);
}

/* slurmdbd learns the new limit. A job that it does not know yet (0) is sent to
 * it, as it then is, by a thread of the accounting plugin; sent from here it
 * would keep all of slurmctld waiting for an answer. NO_VAL64: that thread has
 * sent it as it was, and waits for its number. */
static void tell_slurmdbd(job_record_t *job)
{
	if (job->db_index && job->db_index != NO_VAL64)
		jobacct_storage_g_job_start(acct_db_conn, job);
}

/* job WRITE, part READ. Has it been done? */
static bool set(job_record_t *job, const struct slu_ctl_put *put)
{
	struct slu_note note;

	if (!slu_limit_guarded(job, &note) || !is_alive(job) ||
	    slurmctld_config.shutdown_time)
		return false;
	if (IS_JOB_PENDING(job)) {
		slu_limit_put(job, put->whole ? slu_limit_whole(job, &note)
					      : note.tight);
		return true;
	}
	if (!put->whole || job->time_limit != note.tight)
		return false;
	if (slu_limit_end(job, slu_limit_whole(job, &note)) <= job->end_time)
		return false;
	if (job->db_index == NO_VAL64 && job->end_time > time(NULL) + LAST_TRY)
		return false;
	note.limit = SLU_LIMIT_EXTENDED;
	slu_act_put_note(job, &note);
	slu_limit_put(job, slu_limit_whole(job, &note));
	tell_slurmdbd(job);
	return true;
}

/* n <= AT_ONE */
static void set_some(struct slu_ctl_put *put, size_t n)
{
	slurmctld_lock_t lock = {.conf = READ_LOCK,
				 .job = WRITE_LOCK,
				 .node = READ_LOCK,
				 .part = READ_LOCK};
	job_record_t *job;

	lock_slurmctld(lock);
	for (size_t i = 0; i < n; i++) {
		job = find_job_record(put[i].job_id);
		put[i].done = job && set(job, &put[i]);
	}
	unlock_slurmctld(lock);
}

void slu_limits_set(void *arg, struct slu_ctl_put *put, size_t n)
{
	size_t parts = (n + AT_ONE - 1) / AT_ONE;
	struct slu_planned_starts **late =
		xcalloc(parts, sizeof(struct slu_planned_starts *));
	time_t until;

	(void)arg;
	for (size_t i = 0; i < parts; i++) {
		struct slu_ctl_put *some = &put[i * AT_ONE];
		size_t left = n - i * AT_ONE;

		left = left < AT_ONE ? left : AT_ONE;
		late[i] = slu_planned_starts_read(some, left);
		set_some(some, left);
	}
	until = time(NULL) + COUNT_FOR;
	for (size_t i = 0; i < parts; i++)
		slu_planned_starts_count_delayed(late[i], until);
	xfree(late);
	schedule_job_save();
}
