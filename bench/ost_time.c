/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Part of bench/ost: measures the time to place files on storage targets, and
 * that of LEMON's network simplex for the same problem (bench/ost_lemon.cc). */
#include "config.h"
#include "bench/ost.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "bench/measure.h"
#include "select_io/flow/min_cost_flow.h"
#include "tests/unit/random.h"

#define CLASSES 7 /* 1, 2, 4, ... 64 stripes */

static uint64_t seed = 1;

static uint64_t below(uint64_t n)
{
	return slu_random(&seed, n);
}

struct instance {
	struct slu_place_target *target;
	uint32_t *stripes;
	uint32_t m, r, of_class[CLASSES];
};

static struct instance invent(uint32_t m, uint32_t r, bool tight)
{
	struct instance t = {
		.target = calloc(m, sizeof(*t.target)),
		.stripes = calloc(r, sizeof(*t.stripes)),
		.m = m,
		.r = r,
	};
	uint64_t wanted = 0;

	for (uint32_t i = 0; i < r; i++) {
		uint64_t k = below(CLASSES);

		t.stripes[i] = 1u << k;
		t.of_class[k]++;
		wanted += t.stripes[i];
	}
	for (uint32_t j = 0; j < m; j++) {
		/* integers, so that sums are exact in every order */
		uint64_t load = (j / 8 * 2654435761u) % 1000;

		t.target[j].cost = (double)(load + below(100000));
		t.target[j].step = 1 + (double)below(500);
		t.target[j].room =
			tight ? 1 + (uint32_t)(wanted / m + below(3)) : r;
	}
	return t;
}

static void release(struct instance *t)
{
	free(t->target);
	free(t->stripes);
}

/* The minimum over so many runs; the last solution. */
static double time_of(const struct instance *t, bool convex, double *cost,
		      uint64_t *flow)
{
	struct slu_place_problem p = {t->target, t->m, t->stripes, t->r,
				      convex};
	struct slu_flow_place *place = slu_place_setup(&p, NULL);
	struct slu_place_solution s;
	double best = 1e9, begin;

	if (!place)
		ost_die("no memory");
	for (int run = 0; run < 30; run++) {
		begin = bench_now();
		slu_place_solve(place, &s);
		best = fmin(best, bench_now() - begin);
	}
	*cost = s.cost;
	*flow = s.placed;
	slu_place_free(place);
	return best;
}

static double time_of_one(const struct instance *t)
{
	static uint32_t chosen[OST_TARGETS];
	double best = 1e9, begin;

	for (int run = 0; run < 300; run++) {
		begin = bench_now();
		slu_place_one(t->target, t->m, 64, true, chosen);
		best = fmin(best, bench_now() - begin);
	}
	return best;
}

/* Seconds of LEMON; 0 if it is missing. */
static double time_of_lemon(const struct instance *t, const char *program,
			    double cost, uint64_t flow)
{
	char path[] = "/tmp/slu-ost.XXXXXX", command[4200];
	int fd = mkstemp(path);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	double seconds = 0;
	long long c = 0, placed = 0;

	if (!f || access(program, X_OK) != 0) {
		unlink(path);
		return 0;
	}
	fprintf(f, "%u %d\n", t->m, CLASSES);
	for (uint32_t j = 0; j < t->m; j++)
		fprintf(f, "%.0f %u\n", t->target[j].cost, t->target[j].room);
	for (int k = 0; k < CLASSES; k++)
		fprintf(f, "%u %u\n", 1u << k, t->of_class[k]);
	fclose(f);
	snprintf(command, sizeof(command), "%s <%s", program, path);
	f = popen(command, "r");
	if (!f || fscanf(f, "%lf %lld %lld", &seconds, &c, &placed) != 3)
		ost_die("bench/ost-lemon fails");
	pclose(f);
	unlink(path);
	if ((double)c != cost || (uint64_t)placed != flow)
		ost_die("LEMON finds another cost");
	return seconds;
}

void ost_run_times(bool csv, const char *lemon)
{
	static const uint32_t size[][2] = {
		{160, 16},   {160, 64},	  {480, 64},   {800, 64},
		{1024, 256}, {3600, 256}, {3600, 1024}};

	if (!csv)
		printf("targets x requests  room    linear    convex  one of 64"
		       "     LEMON  LEMON/linear\n");
	for (size_t i = 0; i < 14; i++) {
		bool tight = i & 1;
		struct instance t =
			invent(size[i / 2][0], size[i / 2][1], tight);
		double cost, other, linear, convex, one, rival;
		uint64_t flow, more;

		linear = time_of(&t, false, &cost, &flow) * 1e6;
		convex = time_of(&t, true, &other, &more) * 1e6;
		one = time_of_one(&t) * 1e6;
		rival = time_of_lemon(&t, lemon, cost, flow) * 1e6;
		if (flow != more)
			ost_die("linear and convex place not equally much");
		if (csv)
			printf("%ux%u %s,linear,us,%.1f,LEMON,%.1f,%.4g\n"
			       "%ux%u %s,convex,us,%.1f,goal,200,%.4g\n",
			       t.m, t.r, tight ? "tight" : "loose", linear,
			       rival, rival > 0 ? linear / rival : 0, t.m, t.r,
			       tight ? "tight" : "loose", convex, convex / 200);
		else
			printf("%7u x %-8u %5s %6.1f us %6.1f us  %6.1f us "
			       "%8.0f us %9.0fx\n",
			       t.m, t.r, tight ? "tight" : "loose", linear,
			       convex, one, rival, rival / linear);
		release(&t);
	}
}
