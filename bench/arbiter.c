/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Repeats the experiments of Bez et al., "Arbitration Policies for On-Demand
 * User-Level I/O Forwarding on HPC Platforms" (IPDPS 2021), with the shipped
 * solver and policies.
 *
 *	bench/arbiter [--csv] [--sets N] [--compute C] [--out DIR]
 *		[--month SEED] [--noise X] [SCENARIOS.csv]
 */

/*
 * Table 4 and the queue of section 5.3 need no file; section 3.2 needs the
 * measured scenarios: per line, 5 groups of 4 columns behind the 8th (number of
 * runs, mean, median and deviation of MB/s with 0, 1, 2, 4 and 8 I/O nodes);
 * the 2nd column is the number of processes, the 3rd that of compute nodes.
 * --out writes the numbers of each figure as CSV; bench/arbiter-plots draws
 * them. --csv runs only the months and prints
 * "case,metric,unit,ours,rival,rival_value,ratio". --month is the seed of the
 * months, --noise the relative standard deviation of a run's bandwidth (0.2).
 */
#include "bench/arbiter.h"

#include <stdlib.h>
#include <string.h>
#include "bench/measure.h"

const uint32_t bench_measured[BENCH_CHOICES] = {0, 1, 2, 4, 8};

double bench_median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), bench_by_value);
	return (v[(n - 1) / 2] + v[n / 2]) / 2;
}

FILE *bench_open(const struct bench *b, const char *name)
{
	char path[4096];
	FILE *file;

	if (!b->out)
		return NULL;
	snprintf(path, sizeof(path), "%s/%s", b->out, name);
	file = fopen(path, "w");
	if (!file) {
		perror(path);
		exit(1);
	}
	return file;
}

struct slu_ion_job bench_job(const struct bench_scenario *s, uint32_t compute,
			     uint32_t pool)
{
	return (struct slu_ion_job){
		.choice = s->choice,
		.n = s->n,
		.usual =
			slu_ion_usual(s->nodes, compute, pool, s->choice, s->n),
		.nodes = s->nodes,
		.tasks = s->tasks,
		.curve = &s->curve,
	};
}

static int parse(const char *line, struct bench_scenario *s)
{
	for (int column = 1; line; column++) {
		double v = strtod(line, NULL);

		if (column == 2)
			s->tasks = (uint32_t)v;
		else if (column == 3)
			s->nodes = (uint32_t)v;
		else if (column > 8 && column % 4 == 2)
			slu_curve_add(&s->curve,
				      bench_measured[(column - 10) / 4], v);
		line = strchr(line, ',');
		line = line ? line + 1 : NULL;
	}
	s->n = slu_ion_choices(s->nodes, 8, true, s->choice, BENCH_CHOICES);
	return s->nodes > 0 && s->curve.n == BENCH_CHOICES ? 0 : -1;
}

static int load(struct bench *b, const char *path)
{
	FILE *file = fopen(path, "r");
	char line[1024];
	int rc = 0;

	if (!file || !fgets(line, sizeof(line), file)) { /* skips the header */
		perror(path);
		rc = -1;
	}
	while (rc == 0 && b->n < BENCH_SCENARIOS &&
	       fgets(line, sizeof(line), file)) {
		rc = parse(line, &b->s[b->n++]);
		if (rc < 0)
			fprintf(stderr, "%s: cannot read: %s", path, line);
	}
	if (file)
		fclose(file);
	return rc;
}

static int usage(void)
{
	fputs("usage: bench/arbiter [--csv] [--sets N] [--compute C] [--out DIR] "
	      "[--month SEED] [--noise X] [SCENARIOS.csv]\n",
	      stderr);
	return 2;
}

int main(int argc, char **argv)
{
	static struct bench b = {.sets = 10000,
				 .compute = 512,
				 .seed = 1,
				 .month = 1,
				 .noise = 0.2};
	struct slu_mckp_problem none = {0};
	size_t below = 0;
	int i = 1;

	if (i < argc && !strcmp(argv[i], "--csv")) {
		b.csv = true;
		i++;
	}
	for (; i + 1 < argc && argv[i][0] == '-'; i += 2)
		if (!strcmp(argv[i], "--sets"))
			b.sets = strtoul(argv[i + 1], NULL, 10);
		else if (!strcmp(argv[i], "--compute"))
			b.compute = (uint32_t)strtoul(argv[i + 1], NULL, 10);
		else if (!strcmp(argv[i], "--month"))
			b.month = strtoul(argv[i + 1], NULL, 10);
		else if (!strcmp(argv[i], "--noise"))
			b.noise = strtod(argv[i + 1], NULL);
		else if (!strcmp(argv[i], "--out"))
			b.out = argv[i + 1];
		else
			return usage();
	if (i < argc - 1 || !b.sets || !b.compute)
		return usage();
	b.solver = slu_mckp_setup(&none, NULL, NULL);
	b.division = slu_ion_division_new(NULL);
	if (i < argc && load(&b, argv[i]) < 0)
		return 1;
	if (!b.csv) {
		bench_table4(&b);
		bench_queue(&b);
	}
	if (i < argc && !b.csv)
		below = bench_sets(&b) + bench_unknown(&b);
	if (i < argc)
		below += bench_month(&b);
	slu_mckp_free(b.solver);
	slu_ion_division_free(b.division);
	if (below)
		fprintf(stderr,
			"bench/arbiter: MCKP is below STATIC in effect "
			"in %zu sets or events\n",
			below);
	return below > 0;
}
