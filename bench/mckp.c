/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures the time of the knapsack solver, cold and after one start or end,
 * compared with other exact solvers.
 *
 *	bench/mckp [--csv] [--quick]
 */

/*
 * The rivals are the textbook dynamic program (doubles, a choice table), the
 * solver's own table (dominance, integers, vectors, backtracking without stored
 * choices: the "optimised DP") and GLPK's branch and bound if it was built in.
 * All solve the same instances in one run, and equal optima are asserted. Times
 * after an event are processor time, less the cost of reading that clock. The
 * worst of many instances is the maximum of their minima over many repetitions.
 *
 * Instances: numbers of I/O nodes 0, 1, 2, 4 .. 64; r: saturating curves with
 * 10 % noise; u: uncorrelated; s: value = weight + 10; t: eight kinds of jobs,
 * all else identical; i: all identical; o: even weights only, an odd capacity,
 * slopes nearly equal; n: the same with some odd jobs; p: the same in threes.
 */
#include "config.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/mckp_rivals.h"
#include "bench/measure.h"
#include "tests/unit/random.h"

struct instance {
	struct slu_mckp_item (*item)[ITEMS];
	struct slu_mckp_class *class;
	struct slu_mckp_problem p;
};

struct options {
	bool csv, quick;
};

static double real(uint64_t *seed)
{
	return (double)slu_random(seed, 1u << 30) / (1u << 30);
}

static void make_job(char kind, uint64_t *seed, struct slu_mckp_item *item)
{
	double top = 100 + 5000 * real(seed), half = 1 + 20 * real(seed);
	double type = (double)slu_random(seed, 8);

	if (kind == 'i') {
		top = 3000;
		half = 5;
	}
	if (kind == 't') {
		top = 100 + 600 * type;
		half = 1 + 2.5 * type;
	}
	for (uint32_t i = 0; i < ITEMS; i++) {
		uint32_t w = i ? 1u << (i - 1) : 0;
		double v = top * w / (w + half);

		switch (kind) {
		case 'r':
			v *= 0.9 + 0.2 * real(seed);
			break;
		case 'u':
			v = 5000 * real(seed);
			break;
		case 's':
			v = w + 10;
			break;
		case 'o':
		case 'n':
		case 'p':
			w = (kind == 'p' ? 3 : 2) * i;
			v = 100.0 * w + real(seed);
			if (kind != 'o' && i == 5 && real(seed) < 0.1)
				w--;
			break;
		}
		item[i] = (struct slu_mckp_item){w, v};
	}
}

static void make(struct instance *t, char kind, uint32_t jobs, uint32_t ions,
		 uint64_t seed)
{
	t->item = calloc(jobs + 1, sizeof(*t->item));
	t->class = calloc(jobs + 1, sizeof(*t->class));
	for (uint32_t i = 0; i < jobs; i++) {
		make_job(kind, &seed, t->item[i]);
		t->class[i] = (struct slu_mckp_class){t->item[i], ITEMS,
						      SLU_MCKP_NONE};
	}
	t->p = (struct slu_mckp_problem){
		t->class, jobs, strchr("onp", kind) ? (ions - 1) | 1 : ions};
}

static void drop(struct instance *t)
{
	free(t->item);
	free(t->class);
}

/* From the problem to the answer, by a solver that has solved another problem
 * before, so that its memory is allocated and mapped. */
static double ours(const struct slu_mckp_problem *p, enum slu_mckp_method how,
		   double *seconds, double *solve, struct slu_mckp_info *info)
{
	struct slu_mckp_settings settings = {.method = how,
					     .max_bytes = (size_t)1 << 29};
	struct slu_mckp_solution s = {.choice = NULL};
	struct slu_mckp *m = slu_mckp_setup(p, &settings, NULL);
	double start, middle;

	slu_mckp_solve(m, &s, info);
	start = bench_now();
	slu_mckp_load(m, p, NULL);
	middle = bench_now();
	slu_mckp_solve(m, &s, info);
	*seconds = bench_now() - start;
	*solve = bench_now() - middle;
	slu_mckp_free(m);
	return s.value;
}

static void line(const struct options *o, const char *what, const char *metric,
		 double mine, const char *rival, double theirs)
{
	if (o->csv)
		printf("%s,%s,us,%.3f,%s,%.3f,%.4g\n", what, metric, mine,
		       rival, theirs, theirs / mine);
	else
		printf("%-22s %-16s %12.2f   %-16s %14.2f %12.4g\n", what,
		       metric, mine, rival, theirs, theirs / mine);
}

static void must(const char *what, double a, double b, double units)
{
	if (fabs(a - b) <= units + 1e-9 * fabs(b))
		return;
	fprintf(stderr, "bench/mckp: %s: %f is not %f\n", what, a, b);
	exit(1);
}

static double median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof(*v), bench_by_value);
	return v[n / 2];
}

struct shape {
	char kind;
	uint32_t jobs, ions;
	int repeats;
	bool mip;
};

static void cold(const struct options *o, const struct shape *s)
{
	double book[301], table[301], core[301], solve[301], once;
	struct slu_mckp_info info, by_table;
	struct instance t;
	char what[64];

	snprintf(what, sizeof(what), "%u x %u %c cold", s->jobs, s->ions,
		 s->kind);
	make(&t, s->kind, s->jobs, s->ions, 7);
	for (int i = 0; i < s->repeats; i++) {
		double a = bench_textbook(&t.p, &book[i]);
		double b =
			ours(&t.p, SLU_MCKP_TABLE, &table[i], &once, &by_table);
		double c =
			ours(&t.p, SLU_MCKP_AUTO, &core[i], &solve[i], &info);

		must(what, b, a, info.unit * s->jobs);
		must(what, c, b, 1e-9);
	}
	line(o, what, "load + solve", 1e6 * median(core, s->repeats),
	     "textbook DP", 1e6 * median(book, s->repeats));
	line(o, what, "load + solve", 1e6 * core[s->repeats / 2],
	     "optimised DP", 1e6 * median(table, s->repeats));
	line(o, what, "best", 1e6 * core[0], "best of both DP",
	     1e6 * fmin(book[0], table[0]));
	line(o, what, "solve only", 1e6 * median(solve, s->repeats),
	     "textbook DP", 1e6 * book[s->repeats / 2]);
#ifdef HAVE_GLPK_H
	if (s->mip && !o->quick) {
		double v = bench_glpk(&t.p, &once);

		if (!isnan(v))
			must(what, v, bench_textbook(&t.p, &book[0]), 1e-3);
		line(o, what, "load + solve", 1e6 * core[s->repeats / 2],
		     isnan(v) ? "GLPK (gave up)" : "GLPK", 1e6 * once);
	}
#endif
	if (!o->csv)
		printf("%-22s by %d, core %u, gap %.3f MB/s\n", "", info.by,
		       info.core, info.gap);
	drop(&t);
}

#define IN_A_ROW 64

/* A small problem takes less time than reading the clock: solves many of its
 * kind one after the other, each from the problem to the answer, between two
 * readings. */
static void in_a_row(const struct options *o, const struct shape *s)
{
	struct slu_mckp_solution out = {.choice = NULL};
	struct slu_mckp_problem none = {0};
	struct slu_mckp *m = slu_mckp_setup(&none, NULL, NULL);
	struct instance t[IN_A_ROW];
	double took[301], book[IN_A_ROW], sum = 0;
	char what[64];

	for (int k = 0; k < IN_A_ROW; k++) {
		make(&t[k], s->kind, s->jobs, s->ions, 500 + (uint64_t)k);
		sum += bench_textbook(&t[k].p, &book[k]);
	}
	for (int i = 0; i < 301; i++) {
		double start = bench_now(), all = 0;

		for (int k = 0; k < IN_A_ROW; k++) {
			slu_mckp_load(m, &t[k].p, NULL);
			slu_mckp_solve(m, &out, NULL);
			all += out.value;
		}
		took[i] = (bench_now() - start) / IN_A_ROW;
		must("in a row", all, sum, 1e-3 * s->jobs * IN_A_ROW);
	}
	snprintf(what, sizeof(what), "%u x %u %c cold", s->jobs, s->ions,
		 s->kind);
	line(o, what, "in a row", 1e6 * median(took, 301), "textbook DP",
	     1e6 * median(book, IN_A_ROW));
	line(o, what, "in a row, best", 1e6 * took[0], "textbook DP",
	     1e6 * book[0]);
	for (int k = 0; k < IN_A_ROW; k++)
		drop(&t[k]);
	slu_mckp_free(m);
}

/* The least times of some more solves of one instance, alternating. */
static void race(const struct instance *t, int times, double *mine,
		 double *theirs)
{
	for (int i = 0; i < times; i++) {
		double book, table, core, solve, a, b, c;
		struct slu_mckp_info info;

		b = ours(&t->p, SLU_MCKP_TABLE, &table, &solve, &info);
		c = ours(&t->p, SLU_MCKP_AUTO, &core, &solve, &info);
		must("worst", c, b, 1e-9);
		*theirs = fmin(*theirs, table);
		*mine = fmin(*mine, core);
		if (i >= 9)
			continue;
		a = bench_textbook(&t->p, &book);
		must("worst", a, b, info.unit * t->p.n);
		*theirs = fmin(*theirs, book);
	}
}

/* The worst ratio to the best exact rival over many instances of this kind.
 * Those that seem slow are timed more often: interference by another process on
 * the core is larger than the differences. */
static void worst(const struct options *o, const struct shape *s)
{
	int instances = o->quick ? 20 : 200, worst = 0;
	double mine[200], theirs[200], ratio[200];
	char what[64], metric[64];

	for (int k = 0; k < instances; k++) {
		struct instance t;

		make(&t, s->kind, s->jobs, s->ions, 1000 + (uint64_t)k);
		mine[k] = theirs[k] = HUGE_VAL;
		race(&t, 9, &mine[k], &theirs[k]);
		for (int i = 0; i < 20 && mine[k] > 1.3 * theirs[k]; i++)
			race(&t, 50, &mine[k], &theirs[k]);
		ratio[k] = mine[k] / theirs[k];
		worst = ratio[k] > mine[worst] / theirs[worst] ? k : worst;
		drop(&t);
	}
	snprintf(what, sizeof(what), "%u x %u %c worst", s->jobs, s->ions,
		 s->kind);
	snprintf(metric, sizeof(metric), "worst of %d", instances);
	line(o, what, metric, 1e6 * mine[worst], "best exact",
	     1e6 * theirs[worst]);
	qsort(ratio, (size_t)instances, sizeof(*ratio), bench_by_value);
	if (!o->csv)
		printf("%-22s times the best exact: median %.2f, p90 %.2f, p99 "
		       "%.2f, worst %.2f\n",
		       "", ratio[instances / 2], ratio[instances * 9 / 10],
		       ratio[instances * 99 / 100], ratio[instances - 1]);
}

/* Reading the processor-time clock is a system call. */
static double clock_takes(void)
{
	double took[101];

	for (int i = 0; i < 101; i++) {
		double start = bench_cpu();

		took[i] = bench_cpu() - start;
	}
	return median(took, 101);
}

/* Alternately ends and starts a job, and keeps the solution. Processor time, so
 * that the tail of thousands of events is the solver's own. */
static void warm(const struct options *o, const struct shape *s)
{
	int events = o->quick ? 400 : 4000;
	double *took = calloc((size_t)events, sizeof(*took)), table, once;
	double clock = clock_takes();
	struct slu_mckp_settings settings = {.max_bytes = (size_t)1 << 29};
	struct slu_mckp_solution out = {.choice = NULL};
	struct slu_mckp_item item[ITEMS];
	struct slu_mckp_class job = {item, ITEMS, SLU_MCKP_NONE};
	struct slu_mckp_info info;
	uint64_t seed = 99, changed = 0, searched = 0;
	struct instance t;
	struct slu_mckp *m;
	char what[64];

	snprintf(what, sizeof(what), "%u x %u %c event", s->jobs, s->ions,
		 s->kind);
	make(&t, s->kind, s->jobs, s->ions, 7);
	m = slu_mckp_setup(&t.p, &settings, NULL);
	slu_mckp_solve(m, &out, NULL);
	slu_mckp_keep(m);
	for (int i = 0; i < events; i++) {
		uint32_t id = (uint32_t)slu_random(&seed, s->jobs);
		double start;

		make_job(s->kind, &seed, item);
		start = bench_cpu();
		if (i % 2 == 0)
			slu_mckp_remove(m, id);
		else
			slu_mckp_add(m, &job, &id, NULL);
		slu_mckp_solve(m, &out, &info);
		slu_mckp_keep(m);
		took[i] = bench_cpu() - start - clock;
		changed += out.n_changed;
		searched += info.core;
		if (i % 2)
			memcpy(t.item[id], item, sizeof(item));
	}
	must(what, out.value, ours(&t.p, SLU_MCKP_TABLE, &table, &once, &info),
	     1e-9);
	qsort(took, (size_t)events, sizeof(*took), bench_by_value);
	line(o, what, "median", 1e6 * took[events / 2], "optimised DP",
	     1e6 * table);
	line(o, what, "p99", 1e6 * took[events * 99 / 100], "optimised DP",
	     1e6 * table);
	if (!o->csv)
		printf("%-22s changed %.2f, core %.2f (mean)\n", "",
		       (double)changed / events, (double)searched / events);
	slu_mckp_free(m);
	drop(&t);
	free(took);
}

int main(int argc, char **argv)
{
	static const struct shape colds[] = {
		{'r', 16, 128, 301, true},    {'r', 128, 128, 31, true},
		{'r', 512, 256, 31, true},    {'u', 512, 256, 31, false},
		{'s', 512, 256, 31, false},   {'t', 512, 256, 31, false},
		{'r', 2000, 1024, 5, true},   {'t', 2000, 1024, 5, false},
		{'o', 128, 128, 31, false},   {'o', 512, 256, 31, false},
		{'o', 2000, 1024, 5, false},  {'n', 128, 128, 31, false},
		{'n', 512, 256, 31, false},   {'n', 2000, 1024, 5, false},
		{'r', 10000, 4096, 3, false}, {'t', 10000, 4096, 3, false},
	};
	static const struct shape worsts[] = {
		{'n', 8, 32, 0, false},	   {'n', 16, 128, 0, false},
		{'o', 16, 128, 0, false},  {'t', 16, 128, 0, false},
		{'i', 16, 128, 0, false},  {'n', 40, 100, 0, false},
		{'n', 64, 128, 0, false},  {'i', 64, 128, 0, false},
		{'n', 128, 256, 0, false}, {'n', 512, 256, 0, false},
		{'o', 512, 256, 0, false}, {'t', 512, 256, 0, false},
		{'i', 512, 256, 0, false}, {'p', 512, 256, 0, false},
	};
	static const struct shape warms[] = {
		{'r', 16, 128, 0, false},     {'r', 128, 128, 0, false},
		{'r', 512, 256, 0, false},    {'r', 2000, 1024, 0, false},
		{'t', 2000, 1024, 0, false},  {'o', 2000, 1024, 0, false},
		{'n', 2000, 1024, 0, false},  {'r', 10000, 4096, 0, false},
		{'o', 10000, 4096, 0, false}, {'n', 10000, 4096, 0, false},
		{'u', 10000, 4096, 0, false}, {'s', 10000, 4096, 0, false},
		{'t', 10000, 4096, 0, false}, {'r', 100000, 16384, 0, false},
	};
	struct options o = {0};

	for (int i = 1; i < argc; i++) {
		o.csv |= !strcmp(argv[i], "--csv");
		o.quick |= !strcmp(argv[i], "--quick");
	}
	if (o.csv)
		puts("case,metric,unit,ours,rival,rival_value,ratio");
	else
		printf("%-22s %-16s %12s   %-16s %14s %12s\n", "case", "metric",
		       "ours, us", "rival", "us", "rival/ours");
	for (size_t i = 0; i < sizeof(colds) / sizeof(*colds); i++)
		if (!o.quick || colds[i].jobs <= 2000)
			cold(&o, &colds[i]);
	in_a_row(&o, &colds[0]);
	for (size_t i = 0; i < sizeof(worsts) / sizeof(*worsts); i++)
		worst(&o, &worsts[i]);
	for (size_t i = 0; i < sizeof(warms) / sizeof(*warms); i++)
		if (!o.quick || warms[i].jobs <= 10000)
			warm(&o, &warms[i]);
	return 0;
}
