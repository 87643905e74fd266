/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench/backfill [--csv] [--procs N] LOG...
 *
 * What predictions do for the scheduler: FCFS with EASY backfilling, in the
 * order of submission and the shortest first, on job logs (SWF), by
 *   request	 what the user asked for
 *   clairvoyant the run time itself
 *   last-2	 the mean of the user's last two, and when that is exceeded
 *     /request  the request
 *     /steps    1 min, 5 min, 15 min, 30 min, 1 h, 2 h, 5 h, ... more
 *     /doubling twice as long
 *               (Tsafrir, Etzion, Feitelson 2007)
 *   ours	 the shipped predictor; when exceeded, the median given that the
 *		 job has run so long; ours/request: the request
 *   careful	 the shipped predictor's careful limit (0.95), extended to the
 *		 request in one step, as a tightened limit is
 * The number is the mean bounded slowdown, max(1, (wait + run) / max(run, 10)).
 *
 * bench/backfill --lambda LOG: the node prediction of ADA-FS, section 3.2, and
 * the slowdown under conservative backfilling; see nodes.h.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/easy.h"
#include "bench/nodes.h"
#include "bench/rivals.h"
#include "bench/students.h"
#include "job_submit/predict.h"

enum guide {
	REQUEST,
	CLAIRVOYANT,
	LAST_2_REQUEST,
	LAST_2_STEPS,
	LAST_2_DOUBLING,
	OURS,
	OURS_REQUEST,
	CAREFUL,
	GUIDES
};

static const char *const guide_name[GUIDES] = {
	"request",	   "clairvoyant", "last-2/request", "last-2/steps",
	"last-2/doubling", "ours",	  "ours/request",   "careful"};

/* Recorded runs of the predictsim simulator, EASY and shortest first. */
static const struct {
	const char *log;
	double slowdown[2][OURS];
} recorded[] = {
	{"KTH-SP2",
	 {{92.6, 71.7, 65.7, 85.4, 76.9}, {69.4, 49.8, 62.9, 63.5, 64.5}}},
	{"SDSC-SP2",
	 {{87.9, 70.5, 79.2, 100.0, 84.0}, {84.9, 56.8, 65.1, 79.4, 98.0}}},
};

struct state {
	const struct swf_log *log;
	enum guide guide;
	struct rivals *rivals;
	struct slu_predictor *ours;
	double *predicted; /* the last answer for each job */
};

static double predict(void *arg, size_t i, int64_t now)
{
	struct state *s = arg;
	const struct swf_job *job = &s->log->job[i];
	struct student_names names;
	struct slu_job j = student_job(job, &names);
	struct slu_prediction got;
	double p = (double)job->request;

	(void)now;
	if (s->guide == CLAIRVOYANT)
		p = (double)(job->end - job->start);
	else if (s->guide >= OURS) {
		slu_predict(s->ours, &j, &got);
		p = (double)(s->guide != CAREFUL ? got.seconds : got.careful);
	} else if (s->guide != REQUEST)
		p = rivals_predict(s->rivals, RIVAL_LAST_2, job);
	s->predicted[i] = fmax(p, 1);
	return p;
}

static double steps(double predicted, int64_t elapsed)
{
	static const double add[] = {60,    300,   900,	  1800,	  3600,	 7200,
				     18000, 36000, 72000, 180000, 360000};
	size_t i = 0;

	while (i < 10 && predicted + add[i] <= (double)elapsed)
		i++;
	return predicted + add[i];
}

static double renewed(struct state *s, const struct swf_job *job,
		      int64_t elapsed)
{
	struct student_names names;
	struct slu_job j = student_job(job, &names);
	struct slu_outlook o;

	slu_predict_outlook(s->ours, &j, &o);
	return slu_predict_quantile(s->ours, &o, 0.5, (double)elapsed);
}

static double renew(void *arg, size_t i, int64_t elapsed)
{
	struct state *s = arg;
	const struct swf_job *job = &s->log->job[i];

	switch (s->guide) {
	case LAST_2_STEPS:
		return steps(s->predicted[i], elapsed);
	case LAST_2_DOUBLING:
		return 2 * (double)elapsed;
	case OURS:
		return renewed(s, job, elapsed);
	case REQUEST:
	case CLAIRVOYANT:
	case LAST_2_REQUEST:
	case OURS_REQUEST:
	case CAREFUL:
	case GUIDES:
		break;
	}
	return (double)job->request;
}

/* As the simulation has it, not as the log had it. */
static void learn(void *arg, size_t i, int64_t start, int64_t end)
{
	struct state *s = arg;
	struct swf_job job = s->log->job[i];
	struct student_names names;
	struct slu_job j;

	job.start = start;
	job.end = end;
	j = student_job(&job, &names);
	if (s->guide >= OURS)
		slu_learn(s->ours, &j);
	else
		rivals_learn(s->rivals, &job);
}

static int try_guide(const struct swf_log *log, int64_t procs, enum guide guide,
		     bool shortest, struct easy_result *out)
{
	int64_t *start = calloc(log->n + 1, sizeof(*start));
	struct state s = {
		.log = log,
		.guide = guide,
		.rivals = rivals_new(log->n),
		.ours = slu_predictor_new(8 * log->n, 0.95, 300, NULL),
		.predicted = calloc(log->n + 1, sizeof(double)),
	};
	struct easy_oracle oracle = {predict, renew, learn, &s};
	int rc = start && s.rivals && s.ours && s.predicted
			 ? easy_run(log, procs, shortest, &oracle, start, out)
			 : -1;

	free(start);
	rivals_free(s.rivals);
	slu_predictor_free(s.ours);
	free(s.predicted);
	return rc;
}

static double recorded_for(const char *log, int order, enum guide guide)
{
	for (size_t i = 0; i < sizeof(recorded) / sizeof(recorded[0]); i++)
		if (guide < OURS &&
		    !strncmp(log, recorded[i].log, strlen(recorded[i].log)))
			return recorded[i].slowdown[order][guide];
	return NAN;
}

static void print(const char *log, struct easy_result r[2][GUIDES])
{
	printf("  %-16s %10s %9s %8s %10s %9s\n", "", "EASY", "recorded",
	       "wait s", "shortest", "recorded");
	for (int g = 0; g < GUIDES; g++)
		printf("  %-16s %10.1f %9.1f %8.0f %10.1f %9.1f\n",
		       guide_name[g], r[0][g].slowdown,
		       recorded_for(log, 0, (enum guide)g), r[0][g].wait,
		       r[1][g].slowdown, recorded_for(log, 1, (enum guide)g));
	printf("\n");
}

static void print_csv(const char *log, struct easy_result r[2][GUIDES])
{
	for (int order = 0; order < 2; order++)
		for (int g = 0; g < GUIDES; g++)
			if (g != OURS)
				printf("%s,bounded slowdown %s,,%.2f,%s,%.2f,"
				       "%.3f\n",
				       log, order ? "shortest first" : "EASY",
				       r[order][OURS].slowdown, guide_name[g],
				       r[order][g].slowdown,
				       r[order][OURS].slowdown /
					       r[order][g].slowdown);
}

static int bench_easy(const char *name, const struct swf_log *log,
		      int64_t procs, bool csv)
{
	struct easy_result r[2][GUIDES];

	for (int order = 0; order < 2; order++)
		for (int g = 0; g < GUIDES; g++)
			if (try_guide(log, procs, (enum guide)g, order,
				      &r[order][g]) < 0)
				return -1;
	if (csv) {
		print_csv(name, r);
		return 0;
	}
	printf("%s: %zu jobs on %lld processors; mean bounded slowdown\n", name,
	       log->n, (long long)procs);
	print(name, r);
	return 0;
}

static void print_nodes(const char *name, const char *what,
			const struct nodes_result *r, bool csv)
{
	static const char *const class[] = {"at once", "<=1 s", "<=10 min",
					    ">10 min"};

	if (!csv) {
		printf("  %-12s %8.1f %8.1f %8.1f %8.1f %10.1f\n", what,
		       100 * r->share[0], 100 * r->share[1], 100 * r->share[2],
		       100 * r->share[3], r->slowdown);
		return;
	}
	for (int c = 0; c < NODES_CLASSES; c++)
		printf("%s,%s: nodes known %s,share,%.4f,,,\n", name, what,
		       class[c], r -> share[c]);
	printf("%s,%s: bounded slowdown conservative,,%.2f,,,\n", name, what,
	       r->slowdown);
}

/* Estimates for ../nodes.h, by lambda or by what is predicted in the log's own
 * time. */
static int bench_nodes(const char *name, const struct swf_log *log,
		       int64_t procs, bool csv)
{
	static const double lambda[] = {1, 0.8, 0.6, 0.4, 0.2, 0.1, 0.05, 0};
	double *estimate = calloc(log->n + 1, sizeof(*estimate));
	struct nodes_result r;
	char what[32];
	int rc = estimate ? 0 : -1;

	if (!csv)
		printf("%s: nodes known before the start, %% of the jobs\n"
		       "  %-12s %8s %8s %8s %8s %10s\n",
		       name, "", "at once", "<=1 s", "<=10 min", ">10 min",
		       "slowdown");
	for (size_t l = 0; rc == 0 && l < sizeof(lambda) / sizeof(lambda[0]);
	     l++) {
		for (size_t i = 0; i < log->n; i++) {
			const struct swf_job *j = &log->job[i];
			double run = (double)(j->end - j->start);

			estimate[i] =
				run + lambda[l] * ((double)j->request - run);
		}
		rc = nodes_run(log, procs, estimate, &r);
		snprintf(what, sizeof(what), "lambda %.2f", lambda[l]);
		if (rc == 0)
			print_nodes(name, what, &r, csv);
	}
	if (rc == 0)
		rc = student_predict_all(log, estimate);
	if (rc == 0)
		rc = nodes_run(log, procs, estimate, &r);
	if (rc == 0)
		print_nodes(name, "ours", &r, csv);
	free(estimate);
	return rc;
}

static int do_log(const char *path, int64_t procs, bool nodes, bool csv)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	struct swf_log log;
	struct slu_err err;
	int rc;

	if (swf_load(path, &log, &err) < 0) {
		fprintf(stderr, "bench/backfill: %s\n", err.text);
		return -1;
	}
	for (size_t i = 0; i < log.n; i++)
		procs = log.job[i].procs > procs ? log.job[i].procs : procs;
	rc = nodes ? bench_nodes(name, &log, procs, csv)
		   : bench_easy(name, &log, procs, csv);
	if (rc < 0)
		fprintf(stderr,
			"bench/backfill: %s: out of memory, or too "
			"many nodes\n",
			name);
	swf_free(&log);
	return rc;
}

int main(int argc, char **argv)
{
	bool csv = false, nodes = false;
	int64_t procs = 0;
	int i = 1;

	for (; i < argc && argv[i][0] == '-'; i++)
		if (strcmp(argv[i], "--csv") == 0)
			csv = true;
		else if (strcmp(argv[i], "--lambda") == 0)
			nodes = true;
		else if (strcmp(argv[i], "--procs") == 0 && i + 1 < argc)
			procs = strtoll(argv[++i], NULL, 10);
		else
			i = argc;
	if (i >= argc) {
		fprintf(stderr, "usage: bench/backfill [--csv] [--procs N] "
				"[--lambda] LOG...\n");
		return 2;
	}
	if (csv)
		puts("case,metric,unit,ours,rival,rival_value,ratio");
	for (; i < argc; i++)
		if (do_log(argv[i], procs, nodes, csv) < 0)
			return 1;
	return 0;
}
