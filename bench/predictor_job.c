/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fills a struct slu_job from a job of a log. Numbers are spelled in letters,
 * as the predictor ignores digits of names.
 */
#include <stdio.h>
#include "bench/predictor_job.h"

static void spell(int64_t number, char out[24])
{
	snprintf(out, 24, "%lld", (long long)number);
	for (char *c = out; *c; c++)
		if (*c >= '0' && *c <= '9')
			*c = (char)(*c - '0' + 'a');
}

struct slu_job predictor_job(const struct swf_job *job,
			     struct predictor_names *names)
{
	if (job->program < 0) /* not known */
		*names->program = '\0';
	else
		spell(job->program, names->program);
	spell(job->group, names->group);
	spell(job->queue, names->queue);
	return (struct slu_job){
		.uid = (uint32_t)job->user,
		.name = names->program,
		.account = names->group,
		.partition = names->queue,
		.node_cnt = (uint32_t)job->procs,
		.limit_asked = (uint32_t)((job->request + 59) / 60),
		.submit = job->submit + 1, /* 0 is "never" */
		.start = job->start + 1,
		.end = job->end + 1,
		.state = (char *)(uintptr_t)job->state,
	};
}
