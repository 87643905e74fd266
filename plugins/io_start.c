/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asks libsluice whether IOStart lets a job start. Slurm's main scheduler asks
 * about a job before it looks for nodes, the backfill scheduler after it has
 * found some. A job without enough free nodes is not held by IOStart: otherwise
 * it would lose its place to later jobs, and its MaxIOWait would be used up.
 */
#include "config.h"
#include "plugins/actions.h"
#include "plugins/io_start.h"
#include "plugins/job_fields.h"

#include <string.h>

static uint32_t nodes_of(const job_record_t *job)
{
	uint32_t least = job->details ? job->details->min_nodes : 0;

	if (!IS_JOB_PENDING(job))
		return job->node_cnt ? job->node_cnt : job->total_nodes;
	return job->node_cnt_wag > least ? job->node_cnt_wag : least;
}

/* Nodes of a job that begins: Slurm sets node_cnt only later. A requeued job
 * may still have the count of its earlier run. */
static uint32_t nodes_given(const job_record_t *job)
{
	return job->node_bitmap ? (uint32_t)bit_set_count(job->node_bitmap)
				: nodes_of(job);
}

/* All strings are the job's. */
static void borrow(const job_record_t *job, const struct slu_note *note,
		   uint32_t nodes, struct slu_ctl_io *out)
{
	const job_details_t *d = job->details;
	bool limited = job->time_limit != NO_VAL && job->time_limit != INFINITE;
	bool asked = note->has_asked && note->asked;

	*out = (struct slu_ctl_io){
		.job =
			{
				.job_id = job->job_id,
				.uid = job->user_id,
				.name = job->name,
				.account = job->account,
				.partition = job->partition,
				.node_cnt = nodes,
				.tasks = d ? d->num_tasks : 0,
				.limit = limited ? job->time_limit : 0,
				.start = IS_JOB_PENDING(job) ? 0
							     : job->start_time,
			},
		.predicted = note->predicted,
		.since = note->io_since,
		.no_wait = slu_ctl_no_io_wait(job->burst_buffer),
	};
	out->job.limit_asked =
		asked ? (uint32_t)(note->asked / 60) : out->job.limit;
}

/* Nodes that are down or drained may be idle, too. */
static int free_nodes(const part_record_t *part)
{
	bitstr_t *idle = bit_copy(part->node_bitmap);
	int n;

	bit_and(idle, idle_node_bitmap);
	n = bit_overlap(idle, avail_node_bitmap);
	FREE_NULL_BITMAP(idle);
	return n;
}

/* Are there at least as many free nodes as the job needs? A quick check; not
 * possible for nodes that jobs share. */
static bool has_nodes(const job_record_t *job)
{
	const part_record_t *part = job->part_ptr;

	if (!part || !part->node_bitmap || part->max_share || !job->details)
		return true;
	return free_nodes(part) >= (int)job->details->min_nodes;
}

static void note_since(struct slu_ctl *ctl, job_record_t *job,
		       struct slu_note *note, int64_t since)
{
	note->io_since = since;
	slu_act_put_note(job, note);
	slu_ctl_store_jobs(ctl);
}

/* Does IOStart decide about it? Not about starts planned for later, nor about
 * components of heterogeneous jobs, which start together or not at all, and
 * never wait. */
static bool is_asked(const job_record_t *job, bool test_only, time_t now)
{
	if (job->het_job_id || slu_ctl_has_buffer(job->burst_buffer))
		return false;
	return test_only ? job->start_time && job->start_time <= now
			 : has_nodes(job);
}

bool slu_io_waits(struct slu_ctl *ctl, job_record_t *job, bool test_only,
		  char why[SLU_CTL_WHY])
{
	time_t now = time(NULL);
	struct slu_ctl_io io;
	struct slu_note note;

	if (!slu_ctl_io_is_on(ctl) || !is_asked(job, test_only, now))
		return false;
	slu_ctl_note_parse(job->admin_comment, &note);
	borrow(job, &note, nodes_of(job), &io);
	if (!slu_ctl_io_waits(ctl, &io, now, why))
		return false;
	if (!note.io_since)
		note_since(ctl, job, &note, now);
	return true;
}

/* A job with a file system of its own does little other I/O. */
static void tell(struct slu_ctl *ctl, const job_record_t *job, uint32_t nodes,
		 struct slu_note *note)
{
	struct slu_ctl_io io;

	slu_ctl_note_parse(job->admin_comment, note);
	borrow(job, note, nodes, &io);
	if (!slu_ctl_has_buffer(job->burst_buffer))
		slu_ctl_io_begun(ctl, &io, time(NULL));
}

/* An array task that begins gets a job record of its own, and leaves note and
 * number to the remaining tasks: for the next one the wait starts now. A
 * requeued task has its own record already. */
static void start_clock_of_rest(struct slu_ctl *ctl, const job_record_t *task,
				int64_t since)
{
	job_record_t *rest;
	struct slu_note note;

	if (!task->array_job_id || task->array_job_id == task->job_id)
		return;
	rest = find_job_record(task->array_job_id);
	if (!rest || !IS_JOB_PENDING(rest))
		return;
	slu_ctl_note_parse(rest->admin_comment, &note);
	if (note.io_since != since)
		return;
	note_since(ctl, rest, &note, 0);
	slu_ctl_io_ended(ctl, rest->job_id);
}

void slu_io_begin(struct slu_ctl *ctl, job_record_t *job)
{
	struct slu_note note;

	tell(ctl, job, nodes_given(job), &note);
	if (!note.io_since)
		return;
	start_clock_of_rest(ctl, job, note.io_since);
	note_since(ctl, job, &note, 0);
}

static int load_one(void *x, void *arg)
{
	const job_record_t *job = x;
	struct slu_note note;

	if (IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job))
		tell(arg, job, nodes_of(job), &note);
	return 0;
}

void slu_io_load(struct slu_ctl *ctl)
{
	list_for_each_ro(job_list, load_one, ctl);
}
