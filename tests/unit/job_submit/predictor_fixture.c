/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements short constructors, since most fields do not matter to a test. */
#include "config.h"
#include "tests/unit/job_submit/predictor_fixture.h"

struct slu_predictor *new_predictor(size_t classes, double quantile,
				    int64_t floor)
{
	struct slu_err err;
	struct slu_predictor *p =
		slu_predictor_new(classes, quantile, floor, &err);

	ck_assert_msg(p != NULL, "%s", err.text);
	return p;
}

static char account[] = "acc", partition[] = "batch";

struct slu_job make_job(uint32_t uid, char *name, uint32_t nodes,
			uint32_t minutes, int64_t run)
{
	return (struct slu_job){
		.uid = uid,
		.name = name,
		.account = account,
		.partition = partition,
		.node_cnt = nodes,
		.limit_asked = minutes,
		.start = 1000,
		.end = 1000 + run,
	};
}

struct slu_prediction ask(const struct slu_predictor *p, uint32_t uid,
			  char *name, uint32_t nodes, uint32_t minutes)
{
	struct slu_job job = make_job(uid, name, nodes, minutes, 0);
	struct slu_prediction out;

	job.account = job.partition = NULL;
	slu_predict(p, &job, &out);
	return out;
}

void teach(struct slu_predictor *p, uint32_t uid, char *name, uint32_t nodes,
	   uint32_t minutes, int64_t run)
{
	struct slu_job job = make_job(uid, name, nodes, minutes, run);

	job.account = job.partition = NULL;
	slu_learn(p, &job);
}
