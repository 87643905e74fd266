/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers become letters, since digits of names count as one. */
#include <stdio.h>
#include "bench/students.h"
#include "job_submit/predict.h"

static void spell(int64_t number, char out[24])
{
	snprintf(out, 24, "%lld", (long long)number);
	for (char *c = out; *c; c++)
		if (*c >= '0' && *c <= '9')
			*c = (char)(*c - '0' + 'a');
}

struct slu_job student_job(const struct swf_job *job,
			   struct student_names *names)
{
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
	};
}

static void learn(void *arg, const struct swf_job *job)
{
	struct student_names names;
	struct slu_job j = student_job(job, &names);

	slu_learn(arg, &j);
}

static double predict(void *arg, const struct swf_job *job)
{
	struct student_names names;
	struct slu_job j = student_job(job, &names);
	struct slu_prediction got;

	slu_predict(arg, &j, &got);
	return (double)got.seconds;
}

int student_predict_all(const struct swf_log *log, double *predicted)
{
	struct slu_predictor *p =
		slu_predictor_new(8 * log->n, 0.95, 300, NULL);
	struct swf_student student = {learn, predict, p};
	int rc = p ? swf_replay(log, &student, predicted) : -1;

	slu_predictor_free(p);
	return rc;
}
