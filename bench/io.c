/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures the accuracy of predicted I/O of applications, on a year of
 * benchmark runs (NERSC/tokio-abcutils; the file may be gzipped).
 *
 *	bench/io [--csv] SUMMARIES.csv|--generated
 */

/*
 * Runs are predicted in the order of their starts, each from the earlier ones
 * of the same program, file system and number of processes: by the shipped
 * Markov chains of order 1 to 8 (Paul et al., table II), by the earlier value
 * that is nearest to the chain's of order 3 (nearest) with the bandwidth of
 * such runs (profile), and by the last value, the median and the mean of all
 * earlier ones. A hit is a value within 10 %. --generated: runs of applications
 * that repeat patterns of two to eight sizes, with other sizes in between. "ns"
 * is the processor time to learn one run and predict the next in this order;
 * "hot" that of an application which repeats the first four.
 *
 * Order 3, the paper's, is shipped: a pattern with repeated sizes needs the
 * ones before them as context, but a longer context has to recur within the
 * same sixteen values. Chains predict a state's value; "nearest" is what is
 * used.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/io_runs.h"
#include "bench/measure.h"
#include "job_submit/io/io_profile.h"
#include "tests/unit/random.h"

#define APPS   64
#define ORDERS SLU_MARKOV_MAX_ORDER
#define ORDER  3 /* as shipped */

/* Predictors of one quantity: chains, then rivals. */
enum { NEAREST = ORDERS, LAST, MEDIAN, MEAN, PROFILE, PREDICTORS };
static const char *const predictor_name[PREDICTORS] = {
	"order 1", "order 2", "order 3", "order 4", "order 5",
	"order 6", "order 7", "order 8", "nearest", "last",
	"median",  "mean",    "profile"};

struct score {
	double error;
	size_t hits, n;
};

struct series {
	double *value; /* sorted, for the median */
	size_t n;
	double last, sum;
	struct slu_markov chain[ORDERS];
};

struct app {
	char name[96];
	struct series written, read, bandwidth;
	struct slu_profile profile;
};

static int series_init(struct series *s, size_t n)
{
	for (uint32_t o = 0; o < ORDERS; o++)
		slu_markov_init(&s->chain[o], o + 1);
	s->value = calloc(n + 1, sizeof(double));
	return s->value ? 0 : -1;
}

static void mark(struct score *score, double guess, double value)
{
	double off = fabs(guess - value);

	score->error += off;
	score->hits += off <= value / 10;
	score->n++;
}

static void predict(const struct series *s, double value, struct score *score)
{
	size_t n = s->n;
	double guess;

	for (int o = 0; o < ORDERS; o++) {
		slu_markov_predict(&s->chain[o], &guess, 1);
		mark(&score[o], guess, value);
	}
	slu_markov_predict(&s->chain[ORDER - 1], &guess, 1);
	mark(&score[NEAREST], slu_markov_nearest(&s->chain[ORDER - 1], guess),
	     value);
	mark(&score[LAST], s->last, value);
	mark(&score[MEDIAN], (s->value[(n - 1) / 2] + s->value[n / 2]) / 2,
	     value);
	mark(&score[MEAN], s->sum / (double)n, value);
}

static void learn(struct series *s, double value)
{
	size_t i = s->n++;

	for (; i > 0 && s->value[i - 1] > value; i--)
		s->value[i] = s->value[i - 1];
	s->value[i] = value;
	s->last = value;
	s->sum += value;
	for (int o = 0; o < ORDERS; o++)
		slu_markov_learn(&s->chain[o], value);
}

static struct app *find_app(struct app *app, size_t *n, const char *name,
			    size_t runs)
{
	for (size_t i = 0; i < *n; i++)
		if (strcmp(app[i].name, name) == 0)
			return &app[i];
	if (*n == APPS || series_init(&app[*n].written, runs) < 0 ||
	    series_init(&app[*n].read, runs) < 0 ||
	    series_init(&app[*n].bandwidth, runs) < 0)
		return NULL;
	snprintf(app[*n].name, sizeof(app[*n].name), "%s", name);
	slu_profile_init(&app[*n].profile);
	return &app[(*n)++];
}

enum { WRITTEN, READ, BANDWIDTH, QUANTITIES };

/* Predicts at the start of a run, from ended runs. */
static void predict_run(const struct app *app, const struct io_run *run,
			struct score score[QUANTITIES][PREDICTORS])
{
	if (app->written.n < 2)
		return;
	predict(&app->written, run->written, score[WRITTEN]);
	predict(&app->read, run->read, score[READ]);
	predict(&app->bandwidth, run->bandwidth, score[BANDWIDTH]);
	mark(&score[BANDWIDTH][PROFILE], slu_profile_bandwidth(&app->profile),
	     run->bandwidth);
}

static void learn_run(struct app *app, const struct io_run *run)
{
	struct slu_history_row row = {.read_bytes = run->read,
				      .written_bytes = run->written,
				      .io_bandwidth = run->bandwidth};

	learn(&app->written, run->written);
	learn(&app->read, run->read);
	learn(&app->bandwidth, run->bandwidth);
	slu_profile_learn(&app->profile, &row);
}

static int by_end(const void *a, const void *b)
{
	const struct io_run *x = *(const struct io_run *const *)a;
	const struct io_run *y = *(const struct io_run *const *)b;

	return (x->end > y->end) - (x->end < y->end);
}

/* Runs are predicted at their starts and learned at their ends. */
static int replay(const struct io_run *run, size_t n,
		  struct score score[QUANTITIES][PREDICTORS])
{
	const struct io_run **ended = calloc(n + 1, sizeof(*ended));
	struct app *app = calloc(APPS, sizeof(*app)), *a;
	size_t apps = 0, known = 0;
	int rc = app && ended ? 0 : -1;

	for (size_t i = 0; ended && i < n; i++)
		ended[i] = &run[i];
	if (ended)
		qsort(ended, n, sizeof(*ended), by_end);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		for (; known < n && ended[known]->end <= run[i].start; known++)
			if ((a = find_app(app, &apps, ended[known]->app, n)))
				learn_run(a, ended[known]);
		a = find_app(app, &apps, run[i].app, n);
		if (a)
			predict_run(a, &run[i], score);
		else
			rc = -1;
	}
	free(ended);
	for (size_t i = 0; i < apps; i++) {
		free(app[i].written.value);
		free(app[i].read.value);
		free(app[i].bandwidth.value);
	}
	free(app);
	return rc;
}

/* Processor time of one learn and one predict, ns, by order: for these runs in
 * sequence, or for the first four repeatedly. The minimum of many rounds, which
 * is the least disturbed by other programs. */
static double cost(const struct io_run *run, size_t n, uint32_t order)
{
	double least = INFINITY, sum = 0;

	for (int round = 0; round < 100; round++) {
		struct slu_markov m;
		double before = bench_cpu(), guess;
		size_t done = 0;

		slu_markov_init(&m, order);
		for (size_t i = 0; done < 5000; done++) {
			slu_markov_learn(&m, run[i].written);
			slu_markov_predict(&m, &guess, 1);
			sum += guess;
			i = i + 1 < n ? i + 1 : 0;
		}
		least = fmin(least, (bench_cpu() - before) / (double)done);
	}
	return sum >= 0 ? least * 1e9 : 0;
}

static const char *const quantity[QUANTITIES] = {
	"bytes written (GB)", "bytes read (GB)", "bandwidth (MB/s)"};

/* The paper's accuracy on its own traces, in %. */
static const double table_ii[ORDERS] = {65.6, 78.7, 95.5, 96.3,
					96.8, 97.2, 97.5, 97.8};

static void print(struct score score[QUANTITIES][PREDICTORS],
		  const struct io_run *run, size_t n)
{
	printf("%zu runs; hits (within 10 %%) and mean absolute error\n", n);
	printf("  %-10s", "");
	for (int q = 0; q < QUANTITIES; q++)
		printf(" %22s", quantity[q]);
	printf(" %10s %6s %9s\n", "ns", "hot", "table II");
	for (int s = 0; s < PREDICTORS; s++) {
		printf("  %-10s", predictor_name[s]);
		for (int q = 0; q < QUANTITIES; q++) {
			const struct score *c = &score[q][s];
			double unit = q == BANDWIDTH ? 1 : 1e9;

			if (c->n)
				printf(" %10.1f %% %9.0f",
				       100 * (double)c->hits / (double)c->n,
				       c->error / (double)c->n / unit);
			else
				printf(" %22s", "-");
		}
		if (s < ORDERS)
			printf(" %10.0f %6.1f %7.1f %%",
			       cost(run, n, (uint32_t)s + 1),
			       cost(run, n < 4 ? n : 4, (uint32_t)s + 1),
			       table_ii[s]);
		printf("\n");
	}
}

static double mean_error(const struct score *c)
{
	return c->n ? c->error / (double)c->n : 0;
}

static void print_csv(struct score score[QUANTITIES][PREDICTORS])
{
	static const char *const unit[] = {"B", "B", "MB/s"};

	for (int q = 0; q < QUANTITIES; q++) {
		int ours = q == BANDWIDTH ? PROFILE : NEAREST;

		for (int s = LAST; s <= MEAN; s++) {
			double us = mean_error(&score[q][ours]);
			double them = mean_error(&score[q][s]);

			printf("io-runs,MAE of %s,%s,%.4g,%s,%.4g,%.3f\n",
			       q == WRITTEN ? "bytes written"
			       : q == READ  ? "bytes read"
					    : "bandwidth",
			       unit[q], us, predictor_name[s], them, us / them);
		}
	}
}

/* Applications that repeat a pattern of two to eight out of five sizes, as
 * checkpoint loops do; every twentieth run has another size. */
static struct io_run *generate(size_t *n)
{
	enum { APPLICATIONS = 40, RUNS = 250 };
	struct io_run *run = calloc(APPLICATIONS * RUNS, sizeof(*run));
	uint64_t seed = 1;

	for (*n = 0; run && *n < APPLICATIONS * RUNS; ++*n) {
		size_t app = *n % APPLICATIONS, k = *n / APPLICATIONS;
		size_t period = 2 + app % 7;
		uint64_t pattern = 7919 * (app + 1);
		uint64_t size = 0;

		for (size_t i = 0; i <= k % period; i++)
			size = slu_random(&pattern, 5);
		if (slu_random(&seed, 20) == 0)
			size = slu_random(&seed, 5);
		run[*n] = (struct io_run){.start = (double)*n,
					  .end = (double)*n + 1,
					  .written = 1e9 * (double)(1 + size),
					  .read = 1e6,
					  .bandwidth = 1000};
		snprintf(run[*n].app, sizeof(run->app), "a%zu", app);
	}
	return run;
}

static int bench(const char *path, bool csv)
{
	static struct score score[QUANTITIES][PREDICTORS];
	struct io_run *run = NULL;
	struct slu_err err;
	int rc = -1;
	bool generated = strcmp(path, "--generated") == 0;
	size_t n;

	run = generated ? generate(&n) : io_runs_load(path, &n, &err);
	if (!run) {
		fprintf(stderr, "bench/io: %s\n",
			generated ? "out of memory" : err.text);
		goto out;
	}
	if (replay(run, n, score) < 0) {
		fprintf(stderr, "bench/io: out of memory\n");
		goto out;
	}
	if (csv)
		print_csv(score);
	else
		print(score, run, n);
	rc = 0;
out:
	free(run);
	return rc;
}

int main(int argc, char **argv)
{
	bool csv = argc > 1 && strcmp(argv[1], "--csv") == 0;

	if (argc != 2 + csv) {
		fprintf(stderr,
			"usage: bench/io [--csv] SUMMARIES.csv|--generated\n");
		return 2;
	}
	if (csv)
		puts("case,metric,unit,ours,rival,rival_value,ratio");
	return bench(argv[1 + csv], csv) < 0;
}
