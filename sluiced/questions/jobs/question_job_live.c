/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prepares, in the daemon, the question "job": what slurmctld last reported of
 * a running job, what its nodes report, and its I/O nodes.
 */
#include "sluiced/questions/answerers.h"

#include "burst_buffer/lifecycle/reports/buffer_report.h"
#include "common/jsonx.h"
#include "sluiced/control/known_jobs.h"
#include "sluiced/daemon.h"
#include "sluiced/publication/assignment.h"

static bool is_task(const struct slu_job *job, uint64_t array, uint64_t task)
{
	return job->array_job_id == array && job->array_task_id == task;
}

/* The running job that is asked about: by its number, or as a task of an
 * array. */
static const struct slu_known_job *find_running(const struct slu_daemon *d,
						struct json_object *args)
{
	const struct slu_known_job *job;
	uint64_t id = 0, task = SLU_NO_ID;

	slu_json_u64_opt(args, "job_id", &id, NULL);
	slu_json_u64_opt(args, "task", &task, NULL);
	if (id >= SLU_NO_ID)
		return NULL;
	if (task == SLU_NO_ID)
		return slu_jobs_find(d->jobs, (uint32_t)id);
	for (size_t i = 0; (job = slu_jobs_at(d->jobs, i)); i++)
		if (job->job && is_task(job->job, id, task))
			return job;
	return NULL;
}

static struct json_object *share_json(const struct slu_ion_share *share)
{
	struct json_object *obj = json_object_new_object();

	slu_json_set_str(obj, "nodes", share->ions);
	slu_json_set_u64(obj, "count", slu_share_count(share));
	slu_json_set_u64(obj, "wanted", share->wanted);
	slu_json_set_bool(obj, "shared", share->shared);
	return obj;
}

static void add_running(const struct slu_daemon *d,
			const struct slu_known_job *job, struct json_object *to)
{
	const struct slu_ion_share *share =
		slu_epoch_share(d->epoch, job->job_id);

	json_object_object_add(to, "job", slu_encode(&slu_job_desc, job->job));
	slu_json_set_u64(to, "job_id", job->job_id);
	slu_json_set_bool(to, "running", job->ended <= 0);
	if (share && job->ended <= 0)
		json_object_object_add(to, "io_nodes", share_json(share));
}

struct json_object *slu_prepare_job(const struct slu_daemon *d,
				    const struct slu_asker *who,
				    struct json_object *args)
{
	const struct slu_known_job *job = find_running(d, args);
	const uint32_t uid = who->admin ? SLU_NO_ID : who->uid;
	struct json_object *live = json_object_new_object();
	uint64_t id = 0;

	slu_json_u64_opt(args, "job_id", &id, NULL);
	if (job && job->job && (who->admin || job->uid == who->uid)) {
		add_running(d, job, live);
		id = job->job_id;
	}
	if (id && id < SLU_NO_ID) {
		json_object_object_add(
			live, "progress",
			slu_buffers_progress(d->buffers, (uint32_t)id, uid));
		json_object_object_add(
			live, "fullness",
			slu_buffers_fullness(d->buffers, (uint32_t)id, uid));
	}
	return live;
}
