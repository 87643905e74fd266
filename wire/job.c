/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Table (codec.h) of struct slu_job, its deep copy, and how long a job ran. */
#include "wire/job.h"

#include <stdlib.h>
#include <string.h>

#include "wire/field.h"

#define T struct slu_job
#define LATER(i)                                           \
	{                                                  \
		.name = "later_" #i, .type = SLU_T_DOUBLE, \
		.offset = offsetof(T, later[i])            \
	}
static const struct slu_field job_fields[] = {
	NEEDED(U32, job_id),
	FIELD(U32, array_job_id),
	FIELD(U32, array_task_id),
	FIELD(U32, uid),
	FIELD(U32, gid),
	FIELD(STR, user),
	FIELD(STR, account),
	FIELD(STR, partition),
	FIELD(STR, qos),
	FIELD(STR, name),
	FIELD(STR, work_dir),
	FIELD(STR, script),
	FIELD(STR, nodes),
	FIELD(U32, node_cnt),
	FIELD(U32, tasks),
	FIELD(U32, cpus),
	FIELD(U64, mem_mb),
	FIELD(I64, submit),
	FIELD(I64, eligible),
	FIELD(I64, start),
	FIELD(I64, end),
	FIELD(U32, limit),
	FIELD(U32, limit_asked),
	FIELD(U32, tightened),
	FIELD(BOOL, extended),
	FIELD(I64, late_by),
	FIELD(U32, predicted),
	FIELD(STR, predicted_from),
	FIELD(I64, prepared),
	FIELD(I64, suspended),
	FIELD(STR, state),
	FIELD(BOOL, completing),
	FIELD(BOOL, unlaunched),
	FIELD(BOOL, hurry),
	FIELD(U32, exit_code),
	FIELD(U32, restarts),
	FIELD(STR, request),
	FIELD(STR, completing_nodes),
	FIELD(STR, down_nodes),
	FIELD(U32, het_job),
	FIELD(U32, het_buffers),
	FIELD(U32, ion_max),
	FIELD(STR, ion_pattern),
	FIELD(U32, ions),
	FIELD(STR, ion_times),
	FIELD(DOUBLE, ion_predicted),
	FIELD(DOUBLE, ion_static),
	FIELD(DOUBLE, ion_alone),
	FIELD(DOUBLE, ion_error),
	FIELD(DOUBLE, request_size),
	FIELD(DOUBLE, file_size),
	LATER(0),
	LATER(1),
	LATER(2),
	FIELD(I64, suspended_since),
	FIELD(I64, boot_timeout),
	FIELD(STR, waited),
	LAST,
};
DESC(slu_job_desc, "job", job_fields);
DESC(slu_job_started_desc, "job_started", job_fields);
DESC(slu_job_ended_desc, "job_ended", job_fields);
DESC(slu_history_desc, "history", job_fields);
DESC(slu_job_waits_desc, "job_waits", job_fields);

static int copy_strings(struct slu_job *dst)
{
	for (const struct slu_field *f = job_fields; f->name; f++) {
		char **text = (char **)((char *)dst + f->offset);

		if (f->type != SLU_T_STR || !*text)
			continue;
		*text = strdup(*text);
		if (!*text)
			return -1;
	}
	return 0;
}

int slu_job_copy(struct slu_job *dst, const struct slu_job *src)
{
	struct slu_job copy = *src;

	/* On failure the strings not yet copied are still src's: leave them. */
	if (copy_strings(&copy) < 0) {
		for (const struct slu_field *f = job_fields; f->name; f++) {
			char *ours = *(char **)((char *)&copy + f->offset);
			char *theirs =
				*(char *const *)((const char *)src + f->offset);

			if (f->type == SLU_T_STR && ours != theirs)
				free(ours);
		}
		return -1;
	}
	*dst = copy;
	return 0;
}

static int64_t ran_until(const struct slu_job *job, int64_t end)
{
	int64_t suspended = job->suspended > 0 ? job->suspended : 0;
	int64_t ran = end - job->start - suspended;

	return job->start > 0 && ran > 0 ? ran : 0;
}

int64_t slu_job_ran(const struct slu_job *job)
{
	return ran_until(job, job->end);
}

int64_t slu_job_runs(const struct slu_job *job, int64_t now)
{
	return ran_until(job,
			 job->suspended_since ? job->suspended_since : now);
}

#undef T
#define T struct slu_import_io
static const struct slu_field import_io_fields[] = {
	NEEDED(U32, job_id),
	NEEDED(I64, start),
	FIELD(DOUBLE, read_bytes),
	FIELD(DOUBLE, written_bytes),
	FIELD(DOUBLE, calls),
	FIELD(DOUBLE, called_bytes),
	FIELD(DOUBLE, shared_bytes),
	FIELD(DOUBLE, consecutive),
	FIELD(U32, source),
	FIELD(U64, log),
	LAST,
};
static DESC(import_io_desc, "import_io", import_io_fields);
#undef T
#define T struct slu_import_jobs
static const struct slu_field import_jobs_fields[] = {
	MANY(jobs, n_jobs, slu_job_desc),
	MANY(io, n_io, import_io_desc),
	LAST,
};
DESC(slu_import_jobs_desc, "import", import_jobs_fields);
#undef T
