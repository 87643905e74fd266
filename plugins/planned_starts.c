/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports which planned starts of pending jobs are delayed by longer limits,
 * and which reservation a longer limit would run into. Pending jobs' times are
 * read under one lock; their nodes, whose names take a millisecond or two where
 * there are thousands, each under a lock of its own. On a busy slurmctld each
 * of these locks takes time, and thousands of starts may be planned: so limits
 * are extended without waiting for the report.
 */
#include "config.h"
#include "plugins/actions.h"
#include "plugins/limits.h"

#include "common/str.h"

/* A job that is about to be extended: from its end to a later one. */
struct extent {
	bitstr_t *nodes;
	time_t end, later;
	struct slu_ctl_put *put;
};

struct slu_planned_starts {
	struct extent *of;
	size_t n;
	list_t *planned; /* of struct planned */
	time_t until;
};

/* A pending job that is to start in the time of some extents. */
struct planned {
	uint32_t job_id;
	time_t start;
	char *nodes;
};

static void free_planned(void *x)
{
	struct planned *p = x;

	xfree(p->nodes);
	xfree(p);
}

static bool holds(const struct extent *e, time_t start)
{
	return start >= e->end && start < e->later;
}

/* Which reservation of its nodes begins in that time? Jobs of its own end with
 * it; a floating one, which has no time, never begins. node READ */
static void meet(const struct extent *e, const job_record_t *job)
{
	list_itr_t *i = list_iterator_create(resv_list);
	const slurmctld_resv_t *resv;

	while ((resv = list_next(i)) && !*e->put->late.reservation)
		if (resv != job->resv_ptr && resv->node_bitmap &&
		    holds(e, resv->start_time) &&
		    bit_overlap_any(resv->node_bitmap, e->nodes))
			slu_copy(e->put->late.reservation,
				 sizeof(e->put->late.reservation), resv->name);
	list_iterator_destroy(i);
}

/* job, node, part READ */
static void add_extent(struct slu_planned_starts *all, struct slu_ctl_put *put)
{
	const job_record_t *job = find_job_record(put->job_id);
	struct slu_note note;

	if (!put->whole || !job || !IS_JOB_RUNNING(job) || !job->node_bitmap ||
	    !slu_limit_guarded(job, &note))
		return;
	all->of[all->n++] = (struct extent){
		.nodes = bit_copy(job->node_bitmap),
		.end = job->end_time,
		.later = slu_limit_end(job, slu_limit_whole(job, &note)),
		.put = put,
	};
	meet(&all->of[all->n - 1], job);
}

/* For list_for_each_ro(); job READ */
static int add_planned(void *x, void *arg)
{
	const job_record_t *job = x;
	struct slu_planned_starts *all = arg;
	struct planned *p;

	if (!IS_JOB_PENDING(job) || !job->sched_nodes)
		return 0;
	for (size_t i = 0; i < all->n; i++) {
		if (!holds(&all->of[i], job->start_time))
			continue;
		p = xmalloc(sizeof(*p));
		p->job_id = job->job_id;
		p->start = job->start_time;
		p->nodes = xstrdup(job->sched_nodes);
		list_append(all->planned, p);
		break;
	}
	return 0;
}

static bitstr_t *bitmap(char *names)
{
	slurmctld_lock_t lock = {.node = READ_LOCK};
	bitstr_t *nodes = NULL;

	lock_slurmctld(lock);
	if (node_name2bitmap(names, true, &nodes, NULL) != SLURM_SUCCESS)
		FREE_NULL_BITMAP(nodes);
	unlock_slurmctld(lock);
	return nodes;
}

static void put_off(const struct extent *e, const struct planned *p,
		    bitstr_t *nodes)
{
	struct slu_ctl_late *late = &e->put->late;
	int64_t by = e->later - p->start;

	/* the sizes differ when slurm.conf has been read anew meanwhile */
	if (!e->put->done || !holds(e, p->start) ||
	    bit_size(nodes) != bit_size(e->nodes) ||
	    !bit_overlap_any(nodes, e->nodes))
		return;
	if (!late->jobs++)
		late->first = p->job_id;
	if (by > late->longest)
		late->longest = by;
}

/* For list_for_each_ro(); no lock */
static int put_off_one(void *x, void *arg)
{
	struct planned *p = x;
	const struct slu_planned_starts *all = arg;
	bitstr_t *nodes;

	if (time(NULL) >= all->until)
		return -1;
	nodes = bitmap(p->nodes);
	for (size_t i = 0; nodes && i < all->n; i++)
		put_off(&all->of[i], p, nodes);
	FREE_NULL_BITMAP(nodes);
	return 0;
}

struct slu_planned_starts *slu_planned_starts_read(struct slu_ctl_put *put,
						   size_t n)
{
	slurmctld_lock_t lock = {
		.job = READ_LOCK, .node = READ_LOCK, .part = READ_LOCK};
	struct slu_planned_starts *all = xmalloc(sizeof(*all));

	all->of = xcalloc(n, sizeof(*all->of));
	all->planned = list_create(free_planned);
	lock_slurmctld(lock);
	for (size_t i = 0; i < n; i++)
		add_extent(all, &put[i]);
	if (all->n)
		list_for_each_ro(job_list, add_planned, all);
	unlock_slurmctld(lock);
	return all;
}

/* job WRITE */
static void note_late(const struct slu_ctl_put *put)
{
	job_record_t *job = find_job_record(put->job_id);
	struct slu_note note;

	if (!job || !slu_ctl_note_parse(job->admin_comment, &note) ||
	    note.limit != SLU_LIMIT_EXTENDED)
		return;
	note.late = put->late.jobs;
	note.late_by = put->late.longest;
	slu_act_put_note(job, &note);
}

static void note_all(const struct slu_planned_starts *all)
{
	lock_slurmctld(slu_act_job_lock);
	for (size_t i = 0; i < all->n && !slu_act_refused(NULL); i++)
		if (all->of[i].put->late.jobs)
			note_late(all->of[i].put);
	unlock_slurmctld(slu_act_job_lock);
}

void slu_planned_starts_count_delayed(struct slu_planned_starts *all,
				      time_t until)
{
	all->until = until;
	if (list_count(all->planned)) {
		list_for_each_ro(all->planned, put_off_one, all);
		note_all(all);
	}
	for (size_t i = 0; i < all->n; i++)
		FREE_NULL_BITMAP(all->of[i].nodes);
	list_destroy(all->planned);
	xfree(all->of);
	xfree(all);
}
