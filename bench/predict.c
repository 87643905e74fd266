/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench/predict [--csv] LOG...
 *
 * How good run times are predicted: every log is replayed in the order of
 * submission, only jobs that have ended being known, by the shipped predictor
 * and by three rivals:
 *   request   what the user asked for
 *   last-2    the mean of the user's last two
 *   in class  the last of the same user, processors and request; else of the
 *	       same user and request; else last-2
 * None predicts more than the request. Requests are whole minutes for ours, as
 * in Slurm; a log's program number stands for the job's name.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>
#include "bench/swf.h"
#include "job_submit/predict.h"

enum { REQUEST, LAST_2, IN_CLASS, OURS, STUDENTS };

static const char *const student_name[STUDENTS] = {"request", "last-2",
						   "in class", "ours"};

/* The last two run times by key, in a table with room for every job. */
struct memory {
	struct cell {
		uint64_t key;
		int64_t last, before;
	} * cell;
	size_t size; /* a power of two */
};

static int memory_init(struct memory *m, size_t jobs)
{
	for (m->size = 1; m->size < 6 * jobs;)
		m->size *= 2;
	m->cell = calloc(m->size, sizeof(*m->cell));
	return m->cell ? 0 : -1;
}

static struct cell *recall(const struct memory *m, int64_t user, int64_t procs,
			   int64_t request)
{
	int64_t with[] = {user, procs, request};
	uint64_t key = XXH3_64bits(with, sizeof(with)) | 1;
	size_t i = key >> 1;

	while (m->cell[i & (m->size - 1)].key &&
	       m->cell[i & (m->size - 1)].key != key)
		i++;
	m->cell[i & (m->size - 1)].key = key;
	return &m->cell[i & (m->size - 1)];
}

static void remember(void *arg, const struct swf_job *job)
{
	struct cell *cell[] = {
		recall(arg, job->user, -1, -1),
		recall(arg, job->user, -1, job->request),
		recall(arg, job->user, job->procs, job->request),
	};

	for (int i = 0; i < 3; i++) {
		cell[i]->before = cell[i]->last;
		cell[i]->last = job->end - job->start;
	}
}

static void learn_nothing(void *arg, const struct swf_job *job)
{
	(void)arg;
	(void)job;
}

static double predict_request(void *arg, const struct swf_job *job)
{
	(void)arg;
	return (double)job->request;
}

static double predict_last_2(void *arg, const struct swf_job *job)
{
	const struct cell *user = recall(arg, job->user, -1, -1);
	double mean = (double)(user->last + user->before) / 2;

	if (!user->last)
		return (double)job->request;
	if (!user->before)
		mean = (double)user->last;
	return fmin(mean, (double)job->request);
}

static double predict_in_class(void *arg, const struct swf_job *job)
{
	const struct cell *c = recall(arg, job->user, job->procs, job->request);

	if (!c->last)
		c = recall(arg, job->user, -1, job->request);
	if (!c->last)
		return predict_last_2(arg, job);
	return fmin((double)c->last, (double)job->request);
}

/* The shipped predictor, and what it costs. */
struct ours {
	struct slu_predictor *p;
	double *careful;
	size_t predictions, lessons;
	double predict_time, learn_time;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct slu_job as_job(const struct swf_job *job, char name[32])
{
	snprintf(name, 32, "%lld", (long long)job->program);
	return (struct slu_job){
		.uid = (uint32_t)job->user,
		.name = name,
		.node_cnt = (uint32_t)job->procs,
		.limit_asked = (uint32_t)((job->request + 59) / 60),
		.start = job->start + 1, /* 0 is "never" */
		.end = job->end + 1,
	};
}

static void learn_ours(void *arg, const struct swf_job *job)
{
	struct ours *o = arg;
	char name[32];
	struct slu_job j = as_job(job, name);
	double before = now();

	slu_learn(o->p, &j);
	o->learn_time += now() - before;
	o->lessons++;
}

static double predict_ours(void *arg, const struct swf_job *job)
{
	struct ours *o = arg;
	char name[32];
	struct slu_job j = as_job(job, name);
	struct slu_prediction got;
	double before = now();

	slu_predict(o->p, &j, &got);
	o->predict_time += now() - before;
	o->careful[o->predictions++] = (double)got.careful;
	return (double)got.seconds;
}

struct result {
	struct swf_error all[STUDENTS], long_ones[STUDENTS];
	double enough; /* share of jobs to which `careful` costs nothing */
	double predict_ns, learn_ns;
};

static int examine(const struct swf_log *log, int which,
		   const struct swf_student *student, struct result *out)
{
	double *predicted = calloc(log->n + 1, sizeof(*predicted));
	int rc = predicted ? swf_replay(log, student, predicted) : -1;

	if (rc == 0)
		rc = swf_error(log, predicted, 1, &out->all[which]);
	if (rc == 0)
		rc = swf_error(log, predicted, 600, &out->long_ones[which]);
	free(predicted);
	return rc;
}

static int run_rivals(const struct swf_log *log, struct result *out)
{
	static double (*const predict[])(void *, const struct swf_job *) = {
		predict_request, predict_last_2, predict_in_class};
	int rc = 0;

	for (int i = REQUEST; i < OURS && rc == 0; i++) {
		struct memory m = {0};
		struct swf_student s = {i == REQUEST ? learn_nothing : remember,
					predict[i], &m};

		rc = memory_init(&m, log->n);
		if (rc == 0)
			rc = examine(log, i, &s, out);
		free(m.cell);
	}
	return rc;
}

static int run_ours(const struct swf_log *log, struct result *out)
{
	struct ours o = {.p = slu_predictor_new(4 * log->n, 0.95, 300, NULL),
			 .careful = calloc(log->n + 1, sizeof(double))};
	struct swf_student s = {learn_ours, predict_ours, &o};
	int rc = o.p && o.careful ? examine(log, OURS, &s, out) : -1;
	size_t enough = 0;

	for (size_t i = 0; rc == 0 && i < log->n; i++) {
		const struct swf_job *job = &log->job[i];
		int64_t run = job->end - job->start;

		enough += o.careful[i] >=
			  (double)(run < job->request ? run : job->request);
	}
	if (rc == 0) {
		out->enough = (double)enough / (double)log->n;
		out->predict_ns = o.predict_time / (double)o.predictions * 1e9;
		out->learn_ns =
			o.lessons ? o.learn_time / (double)o.lessons * 1e9 : 0;
	}
	slu_predictor_free(o.p);
	free(o.careful);
	return rc;
}

static void print_csv(const char *log, const char *metric,
		      const struct swf_error *e, bool median)
{
	double ours = median ? e[OURS].median : e[OURS].mean;

	for (int i = REQUEST; i < OURS; i++) {
		double rival = median ? e[i].median : e[i].mean;

		printf("%s,%s,s,%.1f,%s,%.1f,%.3f\n", log, metric, ours,
		       student_name[i], rival, ours / rival);
	}
}

static void print_result(const char *log, const struct result *r, bool csv)
{
	if (csv) {
		print_csv(log, "MedAE", r->all, true);
		print_csv(log, "MAE", r->all, false);
		print_csv(log, "MedAE of jobs from 600 s", r->long_ones, true);
		print_csv(log, "MAE of jobs from 600 s", r->long_ones, false);
		return;
	}
	printf("%s: %zu jobs, %zu of at least 600 s\n", log, r->all[0].jobs,
	       r->long_ones[0].jobs);
	printf("  %-10s %10s %10s %18s %10s\n", "", "MedAE s", "MAE s",
	       "from 600 s: MedAE", "MAE");
	for (int i = 0; i < STUDENTS; i++)
		printf("  %-10s %10.0f %10.0f %18.0f %10.0f\n", student_name[i],
		       r->all[i].median, r->all[i].mean, r->long_ones[i].median,
		       r->long_ones[i].mean);
	printf("  careful (quantile 0.95, floor 300 s) is enough, or what was "
	       "asked, for %.1f %% of the jobs\n"
	       "  predict %.0f ns, learn %.0f ns (mean, with the clock)\n\n",
	       100 * r->enough, r->predict_ns, r->learn_ns);
}

static int do_log(const char *path, bool csv)
{
	const char *slash = strrchr(path, '/');
	struct swf_log log;
	struct result r;
	struct slu_err err;
	int rc;

	if (swf_load(path, &log, &err) < 0) {
		fprintf(stderr, "bench/predict: %s\n", err.text);
		return -1;
	}
	rc = run_rivals(&log, &r);
	if (rc == 0)
		rc = run_ours(&log, &r);
	if (rc == 0)
		print_result(slash ? slash + 1 : path, &r, csv);
	else
		fprintf(stderr, "bench/predict: out of memory\n");
	swf_free(&log);
	return rc;
}

int main(int argc, char **argv)
{
	bool csv = argc > 1 && strcmp(argv[1], "--csv") == 0;

	if (argc < 2 + csv) {
		fprintf(stderr, "usage: bench/predict [--csv] LOG...\n");
		return 2;
	}
	if (csv)
		puts("case,metric,unit,ours,rival,rival_value,ratio");
	for (int i = 1 + csv; i < argc; i++)
		if (do_log(argv[i], csv) < 0)
			return 1;
	return 0;
}
