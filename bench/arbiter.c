/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench/arbiter [--csv] [--sets N] SCENARIOS.csv
 *
 * The experiment of Bez et al., IPDPS 2021, section 3.2: sets of 16 of the
 * measured access patterns run at once, direct access allowed, at most 8 I/O
 * nodes each; all policies divide the same pool by the same mean bandwidths.
 * C, the compute nodes of the whole system, follows from the paper's ratios
 * (1:8 at 64 I/O nodes) as 512. STATIC here never hands out more than exists:
 * what does not fit is lowered, as in the shipped policy.
 *
 * The file has, per line, 5 groups of 4 columns behind the 8th: number of
 * runs, mean, median and deviation of MB/s with 0, 1, 2, 4 and 8 I/O nodes;
 * the 3rd column is the number of compute nodes.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "select_io/ion/policy.h"

#define SET	      16
#define MAX_SCENARIOS 512
#define COMPUTE_NODES 512
#define CHOICES	      5

static const uint32_t measured[CHOICES] = {0, 1, 2, 4, 8};

struct scenario {
	uint32_t nodes;
	uint32_t choice[CHOICES];
	size_t n;
	struct slu_curve curve;
};

struct bench {
	struct scenario s[MAX_SCENARIOS];
	size_t n;
	size_t sets;
	uint64_t seed;
	bool csv;
};

static uint64_t random_below(uint64_t *seed, uint64_t below)
{
	uint64_t z = (*seed += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return (z ^ (z >> 31)) % below;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int parse(const char *line, struct scenario *s)
{
	for (int column = 1; line; column++) {
		double v = strtod(line, NULL);

		if (column == 3)
			s->nodes = (uint32_t)v;
		else if (column > 8 && column % 4 == 2)
			slu_curve_add(&s->curve, measured[(column - 10) / 4],
				      v);
		line = strchr(line, ',');
		line = line ? line + 1 : NULL;
	}
	s->n = slu_ion_choices(s->nodes, 8, true, s->choice, CHOICES);
	return s->nodes > 0 && s->curve.n == CHOICES ? 0 : -1;
}

static int load(struct bench *b, const char *path)
{
	FILE *file = fopen(path, "r");
	char line[1024];
	int rc = 0;

	if (!file || !fgets(line, sizeof(line), file)) { /* the heading */
		perror(path);
		rc = -1;
	}
	while (rc == 0 && b->n < MAX_SCENARIOS &&
	       fgets(line, sizeof(line), file)) {
		rc = parse(line, &b->s[b->n++]);
		if (rc < 0)
			fprintf(stderr, "%s: cannot read: %s", path, line);
	}
	if (file)
		fclose(file);
	return rc;
}

/* One set of the experiment, and what each policy reaches with it. */
struct totals {
	double zero, one, oracle, fixed, mckp; /* fixed: STATIC */
};

static double sum(const struct slu_ion_grant *grant)
{
	double total = 0;

	for (int i = 0; i < SET; i++)
		total += grant[i].bandwidth;
	return total;
}

static double best(const struct scenario *s)
{
	double most = 0;

	for (size_t k = 0; k < s->n; k++)
		most = fmax(most, slu_curve_at(&s->curve, s->choice[k]));
	return most;
}

static void draw(struct bench *b, const struct scenario *set[SET])
{
	for (int i = 0; i < SET; i++)
		set[i] = &b->s[random_below(&b->seed, b->n)];
}

static int run_set(const struct scenario *set[SET], uint32_t pool,
		   struct totals *out)
{
	struct slu_ion_job job[SET];
	struct slu_ion_grant grant[SET];
	struct slu_err err;

	*out = (struct totals){0};
	for (int i = 0; i < SET; i++) {
		const struct scenario *s = set[i];

		job[i] = (struct slu_ion_job){
			.choice = s->choice,
			.n = s->n,
			.usual = slu_ion_usual(s->nodes, COMPUTE_NODES, pool,
					       s->choice, s->n),
			.curve = &s->curve,
		};
		out->zero += slu_curve_at(&s->curve, 0);
		out->one += slu_curve_at(&s->curve, 1);
		out->oracle += best(s);
	}
	if (slu_ion_decide(SLU_ION_STATIC, job, SET, pool, grant, &err) < 0)
		goto fail;
	out->fixed = sum(grant);
	if (slu_ion_decide(SLU_ION_MCKP, job, SET, pool, grant, &err) < 0)
		goto fail;
	out->mckp = sum(grant);
	return 0;
fail:
	fprintf(stderr, "bench/arbiter: %s\n", err.text);
	return -1;
}

static double median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), by_value);
	return (v[(n - 1) / 2] + v[n / 2]) / 2;
}

struct series {
	double *gain, *fixed, *mckp; /* per set */
	size_t below, ideal;	     /* sets where MCKP < STATIC, = ORACLE */
};

static void print_pool(const struct bench *b, uint32_t pool, struct series *s)
{
	double gain = median(s->gain, b->sets);
	double fixed = median(s->fixed, b->sets);
	double mckp = median(s->mckp, b->sets);

	if (b->csv)
		printf("%u I/O nodes,median bandwidth,MB/s,%.1f,STATIC,%.1f,"
		       "%.3f\n",
		       pool, mckp, fixed, gain);
	else
		printf("%5u %12.0f %12.0f %9.2f %7.2f %7.2f %8zu %9.0f %%\n",
		       pool, fixed, mckp, gain, s->gain[0],
		       s->gain[b->sets - 1], s->below,
		       100.0 * (double)s->ideal / (double)b->sets);
}

/* MCKP over STATIC at one size of the pool. */
static int run_pool(struct bench *b, uint32_t pool)
{
	struct series s = {.gain = calloc(b->sets, sizeof(double)),
			   .fixed = calloc(b->sets, sizeof(double)),
			   .mckp = calloc(b->sets, sizeof(double))};
	int rc = s.gain && s.fixed && s.mckp ? 0 : -1;

	for (size_t i = 0; rc == 0 && i < b->sets; i++) {
		const struct scenario *set[SET];
		struct totals t;

		draw(b, set);
		rc = run_set(set, pool, &t);
		s.gain[i] = t.mckp / t.fixed;
		s.fixed[i] = t.fixed;
		s.mckp[i] = t.mckp;
		s.below += t.mckp < t.fixed * (1 - 1e-9);
		s.ideal += t.mckp > t.oracle * (1 - 1e-9);
	}
	if (rc == 0)
		print_pool(b, pool, &s);
	free(s.gain);
	free(s.fixed);
	free(s.mckp);
	return rc;
}

/* The policies that know no pool. */
static int run_bounds(struct bench *b)
{
	double *one = calloc(b->sets, sizeof(*one));
	double *oracle = calloc(b->sets, sizeof(*oracle));
	int rc = one && oracle ? 0 : -1;

	for (size_t i = 0; rc == 0 && i < b->sets; i++) {
		const struct scenario *set[SET];
		struct totals t;

		draw(b, set);
		rc = run_set(set, 8 * SET, &t);
		one[i] = t.one / t.zero;
		oracle[i] = t.oracle / t.zero;
	}
	if (rc == 0 && !b->csv)
		printf("ONE is %.1f %% below ZERO (paper: 82.11), "
		       "ORACLE %.1f %% above (paper: 25.63)\n\n",
		       100 * (1 - median(one, b->sets)),
		       100 * (median(oracle, b->sets) - 1));
	free(one);
	free(oracle);
	return rc;
}

static int run_paper(struct bench *b)
{
	static const uint32_t pools[] = {8, 16, 24, 32, 48, 56, 64, 96, 128};
	int rc;

	if (!b->csv)
		printf("%zu sets of %d of %zu patterns, C = %d\n", b->sets, SET,
		       b->n, COMPUTE_NODES);
	rc = run_bounds(b);
	if (!b->csv)
		printf("%5s %12s %12s %9s %7s %7s %8s %11s\n", "nodes",
		       "STATIC MB/s", "MCKP MB/s", "MCKP/", "least", "most",
		       "below", "as ORACLE");
	for (size_t i = 0; rc == 0 && i < sizeof(pools) / sizeof(*pools); i++)
		rc = run_pool(b, pools[i]);
	if (rc == 0 && !b->csv)
		puts("(medians; paper: 5.11 at 24, 3.11 at 56, MCKP = ORACLE "
		     "at 56)\n");
	return rc;
}

int main(int argc, char **argv)
{
	static struct bench b = {.sets = 2000, .seed = 1};
	int i = 1;

	for (; i < argc - 1; i++)
		if (strcmp(argv[i], "--csv") == 0)
			b.csv = true;
		else if (strcmp(argv[i], "--sets") == 0)
			b.sets = strtoul(argv[++i], NULL, 10);
		else
			break;
	if (i != argc - 1 || b.sets == 0) {
		fprintf(stderr, "usage: bench/arbiter [--csv] [--sets N] "
				"SCENARIOS.csv\n");
		return 2;
	}
	if (load(&b, argv[i]) < 0)
		return 1;
	if (b.csv)
		puts("case,metric,unit,ours,rival,rival_value,ratio");
	return run_paper(&b) < 0;
}
