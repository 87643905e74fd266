/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures how accurately the start time and the nodes of jobs are predicted
 * (job_submit/simulation/start_forecast.h), on job logs (SWF).
 *
 *	bench/start [--csv] [--jobs N] LOG...
 */

/*
 * The jobs of a log are scheduled by EASY with the requests as limits and nodes
 * in numerical order. For N (400) jobs that waited, the start is predicted at
 * their submission, and their nodes an hour, ten minutes and a second before
 * their start, from jobs that had ended by then, without later submissions.
 * Compared with ours (which is "sure" if 0.9 of the samples agree): the plan by
 * limits, as of squeue --start, and the plan by predicted run times.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/easy.h"
#include "bench/measure.h"
#include "bench/predictor_job.h"
#include "job_submit/predictor/predict.h"
#include "job_submit/simulation/start_forecast.h"

enum { OURS, LIMITS, POINTS, WAYS };
static const char *const way_name[WAYS] = {"ours", "plan by limits",
					   "plan by predictions"};
enum { AT_SUBMISSION, HOUR, MINUTES, SECOND, MOMENTS };
static const char *const moment_name[MOMENTS] = {"submission", "1 h", "10 min",
						 "1 s"};
static const int64_t before[MOMENTS] = {0, 3600, 600, 1};
#define SAMPLES 100
#define SURE	0.9

struct moment {
	size_t job;
	int64_t when;
	int which; /* index in MOMENTS */
};

struct found {
	double *error[WAYS]; /* of starts predicted at the submission, s */
	size_t n, within;    /* between 10 and 90 % quantiles of ours */
	/* nodes, at each moment: asked, known (ours: sure), correct */
	size_t asked[MOMENTS], known[WAYS][MOMENTS], held[WAYS][MOMENTS];
};

struct world {
	const struct swf_log *log;
	int64_t procs;
	int64_t *start;
	uint32_t **node; /* of each job */
	size_t *ended;	 /* jobs sorted by end */
	size_t learnt;
	struct slu_predictor *p;
	/* running and waiting jobs at the moment */
	struct slu_start_forecast_job *job;
	size_t *of, n;
	struct slu_outlook *outlook;
	double *point;
	int way;
};

static int64_t end_of(const struct world *w, size_t i)
{
	return w->start[i] + easy_run_time(&w->log->job[i]);
}

static double by_request(void *arg, size_t i, int64_t now)
{
	const struct world *w = arg;

	(void)now;
	return (double)w->log->job[i].request;
}

static double renew(void *arg, size_t i, int64_t elapsed)
{
	(void)elapsed;
	return by_request(arg, i, 0);
}

static void ignore(void *arg, size_t i, int64_t start, int64_t end)
{
	(void)arg, (void)i, (void)start, (void)end;
}

static int by_start(const void *a, const void *b, void *arg)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	const struct world *w = arg;

	if (w->start[x] != w->start[y])
		return w->start[x] < w->start[y] ? -1 : 1;
	return (x > y) - (x < y);
}

static int by_end(const void *a, const void *b, void *arg)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	const struct world *w = arg;

	if (end_of(w, x) != end_of(w, y))
		return end_of(w, x) < end_of(w, y) ? -1 : 1;
	return (x > y) - (x < y);
}

static void give(struct world *w, size_t i, bool *busy)
{
	int64_t need = w->log->job[i].procs;

	w->node[i] = calloc((size_t)need + 1, sizeof(**w->node));
	for (uint32_t k = 0, n = 0; w->node[i] && n < need; k++)
		if (!busy[k]) {
			busy[k] = true;
			w->node[i][n++] = k;
		}
}

/* Assigns each job the lowest idle nodes at its start. */
static void place_all(struct world *w)
{
	size_t n = w->log->n, ended = 0;
	size_t *order = calloc(n + 1, sizeof(*order));
	bool *busy = calloc((size_t)w->procs + 1, sizeof(*busy));

	for (size_t i = 0; i < n; i++)
		order[i] = w->ended[i] = i;
	qsort_r(order, n, sizeof(*order), by_start, w);
	qsort_r(w->ended, n, sizeof(*w->ended), by_end, w);
	for (size_t o = 0; o < n; o++) {
		for (; end_of(w, w->ended[ended]) <= w->start[order[o]];
		     ended++)
			for (int64_t k = 0;
			     k < w->log->job[w->ended[ended]].procs; k++)
				busy[w->node[w->ended[ended]][k]] = false;
		give(w, order[o], busy);
	}
	free(order);
	free(busy);
}

static void learn_until(struct world *w, int64_t when)
{
	for (; w->learnt < w->log->n && end_of(w, w->ended[w->learnt]) <= when;
	     w->learnt++) {
		struct swf_job job = w->log->job[w->ended[w->learnt]];
		struct predictor_names names;
		struct slu_job j;

		job.end = end_of(w, w->ended[w->learnt]);
		job.start = w->start[w->ended[w->learnt]];
		j = predictor_job(&job, &names);
		slu_learn(w->p, &j);
	}
}

static void look_at(struct world *w, size_t i, int64_t when)
{
	const struct swf_job *job = &w->log->job[i];
	struct predictor_names names;
	struct slu_job j = predictor_job(job, &names);
	bool runs = w->start[i] <= when;
	struct slu_prediction got;

	j.submit = when + 1; /* predicts with what is known at that time */
	slu_predict_outlook(w->p, &j, &w->outlook[w->n]);
	slu_predict(w->p, &j, &got);
	w->point[w->n] = (double)got.seconds;
	w->of[w->n] = i;
	w->job[w->n++] = (struct slu_start_forecast_job){
		.size = job->procs,
		.elapsed = runs ? when - w->start[i] : -1,
		.limit = job->request,
		.node = runs ? w->node[i] : NULL,
	};
}

static double run_time(void *arg, size_t k, double share)
{
	const struct world *w = arg;
	double gone = (double)(w->job[k].elapsed > 0 ? w->job[k].elapsed : 0);

	if (w->way == LIMITS)
		return (double)w->job[k].limit;
	if (w->way == OURS)
		return slu_predict_quantile(w->p, &w->outlook[k], share, gone);
	if (w->point[k] > gone)
		return w->point[k];
	return slu_predict_quantile(w->p, &w->outlook[k], 0.5, gone);
}

static bool is_right(const struct world *w,
		     const struct slu_start_forecast *got, size_t i)
{
	if ((int64_t)got->n_likely != w->log->job[i].procs)
		return false;
	for (size_t k = 0; k < got->n_likely; k++)
		if (got->likely[k] != w->node[i][k])
			return false;
	return true;
}

static void judge(struct world *w, const struct moment *m,
		  const struct slu_start_forecast *got, struct found *out)
{
	int64_t wait = w->start[m->job] - m->when;
	double error =
		fabs((double)(slu_start_forecast_quantile(got, 0.5) - wait));
	bool known = w->way != OURS || got->sure >= SURE;

	out->known[w->way][m->which] += known;
	out->held[w->way][m->which] += known && is_right(w, got, m->job);
	if (m->which != AT_SUBMISSION)
		return;
	out->error[w->way][out->n] = error;
	if (w->way == OURS)
		out->within += wait >= slu_start_forecast_quantile(got, 0.1) &&
			       wait <= slu_start_forecast_quantile(got, 0.9);
}

static int ask(struct world *w, const struct moment *m, struct found *out)
{
	struct slu_start_forecast_input what = {.job = w->job,
						.machine = w->procs,
						.nodes = (uint32_t)w->procs,
						.run = run_time,
						.arg = w,
						.seed = m->job};
	struct slu_start_forecast got;

	learn_until(w, m->when);
	w->n = 0;
	for (size_t i = 0; i < w->log->n && w->log->job[i].submit <= m->when;
	     i++) {
		if (end_of(w, i) <= m->when)
			continue;
		if (i == m->job)
			what.target = w->n;
		look_at(w, i, m->when);
	}
	what.n = w->n;
	out->asked[m->which]++;
	for (w->way = 0; w->way < WAYS; w->way++) {
		what.samples = w->way == OURS ? SAMPLES : 1;
		if (slu_start_forecast_make(&what, &got, NULL) < 0)
			return -1;
		judge(w, m, &got, out);
		slu_start_forecast_free(&got);
	}
	out->n += m->which == AT_SUBMISSION;
	return 0;
}

static int by_when(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	return (x->when > y->when) - (x->when < y->when);
}

static size_t choose(const struct world *w, size_t jobs, struct moment *out)
{
	size_t waited = 0, n = 0, k = 0;

	for (size_t i = 0; i < w->log->n; i++)
		waited += w->start[i] > w->log->job[i].submit;
	for (size_t i = 0; i < w->log->n; i++) {
		int64_t submit = w->log->job[i].submit;

		if (w->start[i] <= submit || k++ % (waited / jobs + 1))
			continue;
		out[n++] = (struct moment){i, submit, AT_SUBMISSION};
		for (int m = HOUR; m < MOMENTS; m++)
			if (w->start[i] - before[m] > submit)
				out[n++] = (struct moment){
					i, w->start[i] - before[m], m};
	}
	qsort(out, n, sizeof(*out), by_when);
	return n;
}

static void print(const char *name, struct found *f, bool csv)
{
	double mean[WAYS] = {0}, median[WAYS];

	for (int y = 0; y < WAYS; y++) {
		for (size_t i = 0; i < f->n; i++)
			mean[y] += f->error[y][i] / (double)f->n;
		qsort(f->error[y], f->n, sizeof(double), bench_by_value);
		median[y] = f->n ? f->error[y][f->n / 2] : 0;
	}
	for (int y = LIMITS; y < WAYS; y++)
		printf(csv ? "%s,MedAE of starts,s,%.0f,%s,%.0f,%.3f\n"
			   : "%s: median error of starts %.0f s, %s %.0f s "
			     "(%.3f)\n",
		       name, median[OURS], way_name[y], median[y],
		       median[OURS] / median[y]);
	for (int y = LIMITS; y < WAYS; y++)
		printf(csv ? "%s,MAE of starts,s,%.0f,%s,%.0f,%.3f\n"
			   : "%s: mean error of starts %.0f s, %s %.0f s "
			     "(%.3f)\n",
		       name, mean[OURS], way_name[y], mean[y],
		       mean[OURS] / mean[y]);
	printf(csv ? "%s,starts between 10 and 90 %%,share,%.3f,goal,0.8,%.3f\n"
		   : "%s: %.3f start between the 10 and 90 %% of it (0.8: "
		     "%.3f)\n",
	       name, (double)f->within / (double)f->n,
	       (double)f->within / (double)f->n / 0.8);
	for (int m = 0; m < MOMENTS; m++)
		for (int y = 0; y < WAYS; y++)
			printf(csv ? "%s,nodes known %s ahead by %s,share,%.3f,"
				     "held,%.3f,%.3f\n"
				   : "%s: nodes %s ahead, %s: %.3f known, "
				     "%.3f of these held (%.3f of all)\n",
			       name, moment_name[m], way_name[y],
			       (double)f->known[y][m] / (double)f->asked[m],
			       (double)f->held[y][m] / (double)f->known[y][m],
			       (double)f->held[y][m] / (double)f->asked[m]);
}

static int work(const char *name, struct world *w, size_t jobs, bool csv)
{
	struct moment *moment =
		calloc(MOMENTS * (w->log->n + 1), sizeof(*moment));
	size_t n = moment ? choose(w, jobs, moment) : 0;
	struct found f = {0};
	int rc = moment ? 0 : -1;

	for (int y = 0; y < WAYS; y++)
		f.error[y] = calloc(n + 1, sizeof(double));
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = ask(w, &moment[i], &f);
	if (rc == 0)
		print(name, &f, csv);
	for (int y = 0; y < WAYS; y++)
		free(f.error[y]);
	free(moment);
	return rc;
}

static int try_log(const char *path, size_t jobs, bool csv)
{
	const char *slash = strrchr(path, '/');
	struct slu_easy_oracle oracle = {by_request, renew, ignore, NULL, 0};
	struct slu_easy_site site = {0};
	struct slu_easy_result result;
	struct swf_log log;
	struct world w = {.log = &log};
	struct slu_err err;
	size_t size;
	int rc;

	if (swf_load(path, &log, &err) < 0) {
		fprintf(stderr, "bench/start: %s\n", err.text);
		return -1;
	}
	size = log.n + 1;
	for (size_t i = 0; i < log.n; i++)
		if (log.job[i].procs < 1)
			log.job[i].procs = 1;
	for (size_t i = 0; i < log.n; i++)
		if (log.job[i].procs > w.procs)
			w.procs = log.job[i].procs;
	w.start = calloc(size, sizeof(*w.start));
	w.node = calloc(size, sizeof(*w.node));
	w.ended = calloc(size, sizeof(*w.ended));
	w.job = calloc(size, sizeof(*w.job));
	w.of = calloc(size, sizeof(*w.of));
	w.outlook = calloc(size, sizeof(*w.outlook));
	w.point = calloc(size, sizeof(*w.point));
	w.p = slu_predictor_new(8 * size, PREDICTOR_QUANTILE, PREDICTOR_FLOOR,
				NULL);
	oracle.arg = &w;
	site.procs = w.procs;
	rc = easy_run(&log, &site, &oracle, w.start, &result);
	if (rc == 0) {
		place_all(&w);
		rc = work(slash ? slash + 1 : path, &w, jobs, csv);
	}
	for (size_t i = 0; i < log.n; i++)
		free(w.node[i]);
	free(w.start);
	free(w.node);
	free(w.ended);
	free(w.job);
	free(w.of);
	free(w.outlook);
	free(w.point);
	slu_predictor_free(w.p);
	swf_free(&log);
	return rc;
}

int main(int argc, char **argv)
{
	bool csv = false;
	size_t jobs = 400;
	int i = 1;

	for (; i < argc && argv[i][0] == '-'; i++)
		if (strcmp(argv[i], "--csv") == 0)
			csv = true;
		else if (strcmp(argv[i], "--jobs") == 0 && i + 1 < argc)
			jobs = strtoul(argv[++i], NULL, 10);
		else
			break;
	if (i == argc || argv[i][0] == '-' || !jobs) {
		fprintf(stderr,
			"usage: bench/start [--csv] [--jobs N] LOG...\n");
		return 2;
	}
	if (csv)
		puts("case,metric,unit,ours,rival,rival_value,ratio");
	for (; i < argc; i++)
		if (try_log(argv[i], jobs, csv) < 0)
			return 1;
	return 0;
}
