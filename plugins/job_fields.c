/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies jobs, nodes and submissions from Slurm's structures to ours, field by
 * field. The only file that knows where Slurm keeps what.
 */
#include "config.h"
#include "plugins/job_fields.h"
#include "plugins/account.h"
#include "plugins/hetjobs.h"
#include "plugins/limits.h"
#include "plugins/partitions.h"

#include <ctype.h>

#define BOOT_NOTICED 60 /* s */

static char *copy_text(const char *text)
{
	return text ? strdup(text) : NULL;
}

/* A bitmap as a host list. Slurm allocates it with xmalloc. */
static char *nodes_of(bitstr_t *bitmap)
{
	char *slurms, *ours = NULL;

	if (!bitmap || bit_ffs(bitmap) < 0)
		return NULL;
	slurms = bitmap2node_name(bitmap);
	ours = copy_text(slurms);
	xfree(slurms);
	return ours;
}

/* The job's nodes that are DOWN. up_node_bitmap alone does not tell: after a
 * restart of slurmctld it lacks nodes that have not registered yet. */
static char *down_of(bitstr_t *bitmap)
{
	bitstr_t *down;
	char *text;

	if (!bitmap || bit_super_set(bitmap, up_node_bitmap))
		return NULL;
	down = bit_copy(bitmap);
	bit_and_not(down, up_node_bitmap);
	for (int i = bit_ffs(down), last = bit_fls(down); i >= 0 && i <= last;
	     i++)
		if (bit_test(down, i) &&
		    !IS_NODE_DOWN(node_record_table_ptr[i]))
			bit_clear(down, i);
	text = nodes_of(down);
	FREE_NULL_BITMAP(down);
	return text;
}

/* Does the job wait for its prologs? A slurmctld that has started, or taken
 * over, since the job's start may have missed that they ended. */
static bool is_unlaunched(const job_record_t *job)
{
	return job->state_reason == WAIT_PROLOG &&
	       job->start_time > slu_ctl_active_since();
}

static const char *state_name(uint32_t state)
{
	if (state & JOB_REQUEUE)
		return "REQUEUED";
	return job_state_string(state & JOB_STATE_BASE);
}

static uint32_t minutes(uint32_t limit)
{
	return limit == NO_VAL || limit == INFINITE ? 0 : limit;
}

int64_t slu_eligible(const job_record_t *job)
{
	const job_details_t *d = job->details;

	return !d ? 0 : d->begin_time ? d->begin_time : d->submit_time;
}

/* Seconds for which a run was suspended, until it was suspended or resumed
 * last. Not tot_sus_time: for a job that ends while suspended that contains
 * what followed, too, and since 24.11 for every job the time until its nodes
 * were ready. */
static int64_t suspended(const job_record_t *job)
{
	return job->suspend_time
		       ? job->suspend_time - job->start_time - job->pre_sus_time
		       : 0;
}

static void copy_times(const job_record_t *job, struct slu_job *out)
{
	const job_details_t *d = job->details;

	out->submit = d ? d->submit_time : 0;
	out->eligible = slu_eligible(job);
	out->start = job->start_time;
	out->end = IS_JOB_PENDING(job) || IS_JOB_RUNNING(job) ||
				   IS_JOB_SUSPENDED(job)
			   ? 0
			   : job->end_time;
	if (job->job_state & JOB_REQUEUE)
		out->end = job->end_time; /* of the run that is ending */
	if (!IS_JOB_PENDING(job) || out->end)
		out->suspended = suspended(job);
	if (!out->end && IS_JOB_SUSPENDED(job))
		out->suspended_since = job->suspend_time;
	out->limit = minutes(job->time_limit);
	/* 1: Slurm put in the partition's, because the user had none. */
	out->limit_asked = job->limit_set.time == 1 ? 0 : out->limit;
}

/* The memory for the job on one node, MB. Memory per CPU is multiplied by the
 * CPUs of a node. */
static uint64_t memory_of_node(const job_record_t *job, uint32_t nodes)
{
	uint64_t mem = job->details ? job->details->pn_min_memory : 0;

	if (!(mem & MEM_PER_CPU))
		return mem;
	mem &= ~MEM_PER_CPU;
	return nodes ? mem * ((job->total_cpus + nodes - 1) / nodes) : mem;
}

/* The QOS may be deleted at any time, so its name is read under the association
 * manager's lock, which Slurm takes in the same places. */
static char *qos_of(const job_record_t *job)
{
	assoc_mgr_lock_t lock = {.qos = READ_LOCK};
	char *name;

	if (!job->qos_ptr)
		return NULL;
	assoc_mgr_lock(&lock);
	name = copy_text(job->qos_ptr->name);
	assoc_mgr_unlock(&lock);
	return name;
}

static void copy_size(const job_record_t *job, struct slu_job *out)
{
	const job_details_t *d = job->details;

	out->node_cnt = job->total_nodes ? job->total_nodes : job->node_cnt;
	out->cpus = job->total_cpus;
	out->tasks = d ? d->num_tasks : 0;
	out->mem_mb = memory_of_node(job, out->node_cnt);
}

bool slu_saves_power(void)
{
	return slurm_conf.resume_program && slurm_conf.resume_program[0];
}

/* s until Slurm gives up a node of it that does not come up: it starts
 * ResumeRate of them a minute, and looks every 30 s whether all are there. */
static int64_t boot_timeout(const job_record_t *job)
{
	int64_t most = slurm_conf.resume_timeout, nodes = 0;
	const node_record_t *node;

	if (!IS_JOB_POWER_UP_NODE(job) || !job->node_bitmap)
		return 0;
	for (int i = bit_ffs(job->node_bitmap),
		 last = bit_fls(job->node_bitmap);
	     i >= 0 && i <= last; i++) {
		if (!bit_test(job->node_bitmap, i))
			continue;
		node = node_record_table_ptr[i];
		nodes++;
		if (node->resume_timeout != NO_VAL16 &&
		    node->resume_timeout > most)
			most = node->resume_timeout;
	}
	if (slurm_conf.resume_rate)
		most += nodes * 60 / slurm_conf.resume_rate;
	return most + BOOT_NOTICED;
}

void slu_copy_job(const job_record_t *job, struct slu_job *out)
{
	const char *nodes = job->nodes;

	if (!nodes && job->job_resrcs)
		nodes = job->job_resrcs->nodes;
	*out = (struct slu_job){
		.job_id = job->job_id,
		.array_job_id = job->array_job_id,
		.array_task_id = job->array_task_id == NO_VAL
					 ? SLU_NO_ID
					 : job->array_task_id,
		.uid = job->user_id,
		.gid = job->group_id,
		.user = copy_text(job->user_name),
		.account = copy_text(job->account),
		.partition = copy_text(job->partition),
		.qos = qos_of(job),
		.name = copy_text(job->name),
		.work_dir =
			copy_text(job->details ? job->details->work_dir : NULL),
		.nodes = copy_text(nodes),
		.state = copy_text(state_name(job->job_state)),
		.completing = IS_JOB_COMPLETING(job),
		.unlaunched = is_unlaunched(job),
		.hurry = job->bit_flags & JOB_KILL_HURRY,
		.exit_code = job->exit_code,
		.restarts = job->restart_cnt,
		.boot_timeout = boot_timeout(job),
		.ion_max = SLU_NO_ID,
		.ions = SLU_NO_ID,
	};
	copy_times(job, out);
	copy_size(job, out);
	if (job->het_job_id && slu_ctl_has_buffer(job->burst_buffer)) {
		out->het_job = job->het_job_id;
		out->het_buffers = slu_hetjob_buffers(job);
	}
	if (job->burst_buffer && job->burst_buffer[0])
		out->request = copy_text(job->burst_buffer);
	slu_ctl_note_to_job(job->admin_comment, out);
}

void slu_copy_nodes(const job_record_t *job, struct slu_job *out)
{
	if (!out->completing || !slu_ctl_has_buffer(out->request))
		return;
	out->completing_nodes = nodes_of(job->node_bitmap_cg);
	out->down_nodes = down_of(job->node_bitmap);
}

/* The account that Slurm will give the job, copied to out: the one that is
 * named, whose capitals Slurm takes away only later, else the user's default.
 */
static char *account_of(const job_desc_msg_t *desc, uint32_t uid,
			char out[SLU_CTL_ACCOUNT])
{
	if (desc->account) {
		slu_copy(out, SLU_CTL_ACCOUNT, desc->account);
		for (char *c = out; *c; c++)
			*c = (char)tolower((unsigned char)*c);
		return out;
	}
	return slu_account_default(uid, out) ? out : NULL;
}

/* CPUs of a node of it, on average. */
static uint32_t partition_cpus(const part_record_t *part)
{
	uint32_t cpus;

	if (!part || !part->total_nodes)
		return 0;
	cpus = part->total_cpus / part->total_nodes;
	return part->max_cpus_per_node < cpus ? part->max_cpus_per_node : cpus;
}

static uint32_t given32(uint32_t number)
{
	return number == NO_VAL ? 0 : number;
}

static uint32_t given16(uint16_t number)
{
	return number == NO_VAL16 ? 0 : number;
}

static void copy_rules(const job_desc_msg_t *desc, const part_record_t *part,
		       struct slu_ctl_submit *out)
{
	struct slu_limit_rules rules =
		slu_limit_rules_asked(desc, &out->job, part);

	out->has_limit = rules.given;
	out->watched = rules.left;
	out->default_limit = rules.given ? 0 : minutes(rules.whole);
	out->default_unknown = rules.unknown;
	out->max_limit = minutes(rules.most);
}

void slu_copy_submit(const job_desc_msg_t *desc, uint32_t uid,
		     struct slu_ctl_submit *out)
{
	const part_record_t *part = slu_first_partition(desc->partition);

	uid = desc->user_id == NO_VAL ? uid : desc->user_id;
	*out = (struct slu_ctl_submit){
		.job =
			{
				.uid = uid,
				.name = desc->name,
				.partition = part ? part->name : NULL,
				.node_cnt = given32(desc->min_nodes),
				.tasks = given32(desc->num_tasks),
				.limit_asked = minutes(desc->time_limit),
			},
		.tasks_per_node = given16(desc->ntasks_per_node),
		.cpus_per_task = given16(desc->cpus_per_task),
		.cpus_per_node = partition_cpus(part),
		.guarded = !xstrcmp(slurm_conf.bb_type, "burst_buffer/sluice"),
		.option = desc->burst_buffer,
		.script = desc->script,
		.reserved = slu_limit_reserved,
		.host = desc,
	};
	out->job.account = account_of(desc, uid, out->default_account);
	copy_rules(desc, part, out);
}

void slu_strip_env(struct slu_ctl *ctl, char **env, uint32_t *n)
{
	uint32_t kept = 0;

	if (!env || *n == NO_VAL)
		return;
	for (uint32_t i = 0; i < *n; i++) {
		if (env[i] && slu_ctl_stale_env(ctl, env[i]))
			xfree(env[i]);
		else
			env[kept++] = env[i];
	}
	/* Both arrays may be walked up to a NULL as well. */
	for (uint32_t i = kept; i < *n; i++)
		env[i] = NULL;
	*n = kept;
}

void slu_set_env(char ***env, uint32_t *n, const char *entry)
{
	size_t name = strcspn(entry, "=") + 1;

	if (!*env || *n == NO_VAL)
		*n = 0;
	for (uint32_t i = 0; i < *n; i++)
		if (!xstrncmp((*env)[i], entry, name)) {
			xfree((*env)[i]);
			(*env)[i] = xstrdup(entry);
			return;
		}
	xrecalloc(*env, *n + 2, sizeof(char *));
	(*env)[(*n)++] = xstrdup(entry);
}
