/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the components of a heterogeneous job, in the list that Slurm keeps
 * with its leader.
 */
#include "config.h"
#include "plugins/hetjobs.h"

job_record_t *slu_hetjob_leader(const job_record_t *job)
{
	job_record_t *leader =
		job->het_job_id ? find_job_record(job->het_job_id) : NULL;

	return leader && leader->het_job_list ? leader : (job_record_t *)job;
}

void slu_hetjob_each(const job_record_t *job, int (*fn)(void *job, void *arg),
		     void *arg)
{
	const job_record_t *leader = slu_hetjob_leader(job);

	if (leader->het_job_list)
		list_for_each_ro(leader->het_job_list, fn, arg);
	else
		fn((void *)job, arg);
}

static int add_request(void *x, void *arg)
{
	const job_record_t *job = x;

	*(uint32_t *)arg += slu_ctl_has_buffer(job->burst_buffer);
	return 0;
}

uint32_t slu_hetjob_buffers(const job_record_t *job)
{
	uint32_t n = 0;

	slu_hetjob_each(job, add_request, &n);
	return n;
}

struct others {
	const job_record_t *job;
	struct slu_ctl_request *request;
	size_t n;
};

static int add_other(void *x, void *arg)
{
	const job_record_t *job = x;
	struct others *others = arg;

	if (job != others->job && IS_JOB_PENDING(job) &&
	    slu_ctl_has_buffer(job->burst_buffer) && others->n < SLU_CTL_OTHERS)
		others->request[others->n++] = (struct slu_ctl_request){
			job->job_id, job->burst_buffer};
	return 0;
}

size_t slu_hetjob_others(const job_record_t *job,
			 struct slu_ctl_request request[SLU_CTL_OTHERS])
{
	struct others others = {.job = job, .request = request};

	slu_hetjob_each(job, add_other, &others);
	return others.n;
}

static int find_configuring(void *x, void *arg)
{
	const job_record_t *job = x;

	return job->het_job_id == *(uint32_t *)arg && IS_JOB_CONFIGURING(job)
		       ? -1
		       : 0;
}

/* The list of components is not made again yet. */
bool slu_hetjob_launches(const job_record_t *job)
{
	uint32_t id = job->het_job_id;

	if (!id)
		return true;
	return id == job->job_id &&
	       list_for_each_ro(job_list, find_configuring, &id) >= 0;
}
