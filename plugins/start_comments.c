/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes into the comments of jobs that wait when they will start, as sluiced
 * has predicted it, and removes it from those of all other jobs.
 */
#include "config.h"
#include "plugins/actions.h"
#include "plugins/host.h"

#include <stdlib.h>
#include <string.h>

#include "wire/note.h"

/* Comments changed at a time; others follow the next time. */
#define AT_ONE 256

struct starts {
	const struct slu_start_told *told;
	size_t n;
	uint32_t change[AT_ONE]; /* jobs */
	size_t n_change;
};

static int by_job(const void *key, const void *told)
{
	uint32_t a = *(const uint32_t *)key,
		 b = ((const struct slu_start_told *)told)->job_id;

	return (a > b) - (a < b);
}

static char *new_comment(const job_record_t *job, const struct starts *s)
{
	const struct slu_start_told *told =
		IS_JOB_PENDING(job) && s->n
			? bsearch(&job->job_id, s->told, s->n, sizeof(*told),
				  by_job)
			: NULL;

	return slu_ctl_note_start(job->admin_comment, told ? told->text : NULL);
}

static int find_one(void *x, void *arg)
{
	const job_record_t *job = x;
	struct starts *s = arg;
	char *text = s->n_change < AT_ONE && !IS_JOB_FINISHED(job)
			     ? new_comment(job, s)
			     : NULL;

	if (text)
		s->change[s->n_change++] = job->job_id;
	free(text);
	return 0;
}

static void change(job_record_t *job, const struct starts *s)
{
	char *text = new_comment(job, s);

	if (!text)
		return;
	slu_act_put_text(&job->admin_comment, text);
	last_job_update = time(NULL);
}

void slu_act_tell_starts(void *arg, const struct slu_start_told *told, size_t n)
{
	const slurmctld_lock_t look = {.job = READ_LOCK};
	struct starts s = {.told = told, .n = n};
	job_record_t *job;

	(void)arg;
	lock_slurmctld(look);
	if (!slurmctld_config.shutdown_time)
		list_for_each_ro(job_list, find_one, &s);
	unlock_slurmctld(look);
	if (!s.n_change)
		return;
	lock_slurmctld(slu_act_job_lock);
	for (size_t i = 0; i < s.n_change; i++) {
		job = find_job_record(s.change[i]);
		if (job && !IS_JOB_FINISHED(job))
			change(job, &s);
	}
	unlock_slurmctld(slu_act_job_lock);
}

void slu_act_drop_start(job_record_t *job)
{
	char *text = slu_ctl_note_start(job->admin_comment, NULL);

	if (text)
		slu_act_put_text(&job->admin_comment, text);
}
