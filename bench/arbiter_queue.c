/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes the random jobs of a queue (application, amount of data, noise, time of
 * submission) and lets the arbiter run them in
 * select_io/ion/evaluation/replay.c. The jobs depend only on the seed, so all
 * policies get the same ones.
 */
#include "bench/arbiter_queue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/random.h"

static _Noreturn void fail(const struct slu_err *err)
{
	fprintf(stderr, "bench/arbiter: %s\n", err->text);
	exit(1);
}

/* A standard normal number: the sum of twelve uniform ones, less 6. */
static double gauss(uint64_t *seed)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += (double)slu_random(seed, 1u << 30) / (1u << 30);
	return sum;
}

/* Fills in the i-th job: a run of a random application. Each application is one
 * of the measured scenarios, and belongs to a user of its own. */
static void fill_job(const struct bench *b, const struct bench_queue *q,
		     uint64_t *seed, size_t i, struct slu_replay_job *out,
		     char name[24])
{
	size_t apps = q->apps ? q->apps : b->n;
	size_t app = slu_random(seed, apps) * b->n / apps;
	const struct bench_scenario *s = &b->s[app];

	*out = (struct slu_replay_job){
		.curve = &s->curve,
		/* 10 to 90 minutes with one I/O node */
		.mb = slu_curve_at(&s->curve, 1) *
		      (600 + (double)slu_random(seed, 4800)),
		.luck = 1,
		.job = {.job_id = (uint32_t)i + 1,
			.uid = (uint32_t)app,
			.name = name,
			.nodes = "n[1-99]",
			.node_cnt = s->nodes,
			.tasks = s->tasks,
			.ion_max = SLU_NO_ID}};
	if (slu_random(seed, 100) < q->once)
		snprintf(name, 24, "once%zu", i);
	else
		snprintf(name, 24, "app%zu", app);
	if (q->noise > 0)
		out->luck =
			exp(q->noise * gauss(seed) - q->noise * q->noise / 2);
}

/* Fills in all jobs, with exponentially distributed times between them. */
static void fill(const struct bench *b, const struct bench_queue *q,
		 struct slu_replay_job *job, char (*name)[24])
{
	uint64_t seed = q->seed;
	double due = 0;

	for (size_t i = 0; i < q->jobs; i++) {
		fill_job(b, q, &seed, i, &job[i], name[i]);
		if (q->every > 0)
			due += -q->every *
			       log(((double)slu_random(&seed, 1u << 30) + 1) /
				   (1u << 30));
		job[i].due = due;
	}
}

struct lesson {
	const struct bench *b;
	const struct bench_queue *q;
};

/* Teaches the arbiter all true curves before it starts, as if each application
 * had run a thousand times with each number of I/O nodes. */
static void teach_all(void *arg, struct slu_arbiter *a)
{
	const struct lesson *l = arg;

	for (size_t i = 0; i < l->b->n; i++) {
		const struct bench_scenario *s = &l->b->s[i];
		struct slu_history_row row = {.job.uid = (uint32_t)i};
		char name[24];

		snprintf(name, sizeof(name), "app%zu", i);
		row.job.name = name;
		row.job.node_cnt = s->nodes;
		for (int k = !l->q->direct; k < BENCH_CHOICES; k++) {
			row.job.ions = bench_measured[k];
			row.io_bandwidth =
				slu_curve_at(&s->curve, row.job.ions);
			for (int n = 0; n < 1000; n++)
				slu_arbiter_learn(a, &row);
		}
	}
}

struct slu_replayed bench_simulate(struct bench *b, const struct bench_queue *q)
{
	struct slu_conf conf = {.max_ions_per_job = 8,
				.remap_running = q->remap,
				.direct_access = q->direct,
				.explore = q->explore,
				.ion_policy = q->policy};
	struct lesson lesson = {b, q};
	struct slu_replay replay = {.conf = &conf,
				    .compute = b->compute,
				    .free = b->compute,
				    .learns = true,
				    .unchanged = q->unchanged,
				    .best = true,
				    .hope = q->hope,
				    .teach = q->knows ? teach_all : NULL,
				    .arg = &lesson};
	struct slu_replay_job *job = calloc(q->jobs + 1, sizeof(*job));
	char(*name)[24] = calloc(q->jobs + 1, sizeof(*name));
	struct slu_replayed out;
	struct slu_err err;
	char text[32];

	if (!job || !name)
		exit(1);
	fill(b, q, job, name);
	snprintf(text, sizeof(text), "ion[1-%u]", q->pool);
	if (slu_hosts_parse(text, &conf.io_nodes, &err) < 0 ||
	    slu_ion_replay(&replay, job, q->jobs, &out, &err) < 0)
		fail(&err);
	slu_hosts_free(&conf.io_nodes);
	free(job);
	free(name);
	return out;
}
