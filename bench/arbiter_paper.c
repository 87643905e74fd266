/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Part of bench/arbiter: repeats table 4 and the queue of section 5.3 of Bez et
 * al. (see bench/arbiter.c). The nine applications' curves (bandwidth by number
 * of I/O nodes) are published only as a picture; numbers in tables and text are
 * used unchanged. Other points are marked as assumed: they are read from figure
 * 5, and no conclusions may be drawn from them.
 */
#include "bench/arbiter.h"
#include "select_io/division/division.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POINTS 5

struct app {
	const char *name;
	uint32_t nodes, tasks;
	double gigabytes; /* written and read: table 3 */
	bool assumed;
	struct {
		uint32_t ions;
		double bandwidth; /* MB/s; 0: not published */
	} point[POINTS];
};

/* Table 4, choices 0 to 8. */
static const struct app table4[] = {
	{"BT-C", 32, 128, 12.6, false, {{0, 195.7}, {1, 77.6}}},
	{"BT-D", 64, 512, 253.0, false, {{1, 597.2}, {2, 594.2}}},
	{"IOR-MPI", 16, 128, 32.0, false, {{1, 268.4}, {8, 5089.9}}},
	{"POSIX-L", 64, 512, 64.0, false, {{2, 411.9}}},
	{"MAD", 32, 64, 32.4, false, {{0, 255.9}, {1, 77.8}}},
	{"S3D", 64, 512, 33.7, false, {{0, 241.3}, {2, 48.1}}},
};

/* Section 5.3: without direct access; from text and tables. */
static const struct app apps[] = {
	{"HACC", 8, 64, 1.8, false, {{1, 987.3}, {4, 3850.7}}},
	{"IOR-MPI", 16, 128, 32.0, false, {{1, 268.4}, {8, 5089.9}}},
	{"SIM", 16, 16, 19.6, true, {{1, 200}, {8, 500}}},
	{"POSIX-S", 16, 128, 32.0, true, {{1, 500}, {8, 5000}}},
	{"POSIX-L",
	 64,
	 512,
	 64.0,
	 false,
	 {{2, 391.7}, {4, 1049.9}, {8, 1963.9}}},
	{"BT-C", 32, 128, 12.6, false, {{1, 77.6}}},
	{"MAD", 32, 64, 32.4, false, {{1, 77.8}}},
	{"S3D", 64, 512, 33.7, false, {{2, 48.1}}},
	{"BT-D", 64, 512, 253.0, false, {{1, 597.2}, {2, 594.2}}},
};

static const char *const queue[] = {
	"HACC", "IOR-MPI", "SIM", "IOR-MPI", "IOR-MPI", "POSIX-S", "POSIX-L",
	"BT-C", "MAD",	   "MAD", "S3D",     "HACC",	"HACC",	   "BT-D",
};
#define QUEUE (sizeof(queue) / sizeof(*queue))

static double published(const struct app *a, uint32_t ions)
{
	for (int i = 0; i < POINTS; i++)
		if (a->point[i].bandwidth > 0 && a->point[i].ions == ions)
			return a->point[i].bandwidth;
	return 0;
}

static struct bench_scenario scenario(const struct app *a, bool direct)
{
	struct bench_scenario s = {.nodes = a->nodes, .tasks = a->tasks};

	for (int i = 0; i < POINTS; i++)
		slu_curve_add(&s.curve, a->point[i].ions,
			      a->point[i].bandwidth);
	s.n = slu_ion_choices(a->nodes, 8, direct, s.choice, BENCH_CHOICES);
	return s;
}

/* MCKP with the published points as items. */
static double solve4(struct bench *b, uint32_t *ions)
{
	enum { APPS = sizeof(table4) / sizeof(*table4) };
	struct slu_mckp_item item[APPS][POINTS];
	struct slu_mckp_class class[APPS];
	struct slu_mckp_problem p = {class, APPS, 12};
	struct slu_mckp_solution s = {.choice = ions};

	for (int i = 0; i < APPS; i++) {
		class[i] = (struct slu_mckp_class){item[i], 0, SLU_MCKP_NONE};
		for (int k = 0; k < POINTS; k++)
			if (table4[i].point[k].bandwidth > 0)
				item[i][class[i].n++] = (struct slu_mckp_item){
					table4[i].point[k].ions,
					table4[i].point[k].bandwidth};
	}
	slu_mckp_load(b->solver, &p, NULL);
	slu_mckp_solve(b->solver, &s, NULL);
	for (int i = 0; i < APPS; i++)
		ions[i] = item[i][ions[i]].weight;
	return s.value;
}

void bench_table4(struct bench *b)
{
	enum { APPS = sizeof(table4) / sizeof(*table4) };
	FILE *file = bench_open(b, "table4.csv");
	uint32_t mckp[APPS], all = 0;
	double fixed = 0, total = solve4(b, mckp);

	for (int i = 0; i < APPS; i++)
		all += table4[i].nodes;
	puts("Table 4: 12 I/O nodes, STATIC at C = 512; the six jobs have 272 "
	     "nodes (printed: 72)\n");
	puts("            STATIC     MB/s  SIZE     MB/s  MCKP     MB/s");
	if (file)
		fputs("app,STATIC,STATIC_MBps,SIZE,SIZE_MBps,MCKP,MCKP_MBps\n",
		      file);
	for (int i = 0; i < APPS; i++) {
		const struct app *a = &table4[i];
		struct bench_scenario s = scenario(a, true);
		uint32_t st = slu_ion_usual(a->nodes, 512, 12, s.choice, s.n);
		uint32_t size = slu_ion_round_down(
			(2u * 12 * a->nodes + all) / (2 * all), s.choice, s.n);

		fixed += published(a, st);
		printf("%-10s %7u %8.1f %5u %8.1f %5u %8.1f\n", a->name, st,
		       published(a, st), size, published(a, size), mckp[i],
		       published(a, mckp[i]));
		if (file)
			fprintf(file, "%s,%u,%.1f,%u,%.1f,%u,%.1f\n", a->name,
				st, published(a, st), size, published(a, size),
				mckp[i], published(a, mckp[i]));
	}
	printf("%-10s %16.1f %14s %14.1f  = %.2f x (paper: 6791.9, 1478.0, "
	       "4.59 x)\n\n",
	       "sum", fixed, "", total, total / fixed);
	if (file)
		fclose(file);
}

/* The queue as a discrete-event simulation. */
struct run {
	struct bench_scenario s;
	double left, start, end; /* MB, s */
	uint32_t ions;
	bool running, held, shared;
	double rate;
};

struct sim {
	struct bench *b;
	enum slu_ion_policy policy;
	struct run run[QUEUE];
	uint32_t order[QUEUE]; /* of starts */
	size_t started;
	uint32_t free;
	double now;
	FILE *file;
};

static void resolve(struct sim *sim)
{
	struct slu_ion_job job[QUEUE];
	struct slu_ion_grant grant[QUEUE];
	struct run *who[QUEUE];
	struct slu_err err;
	size_t n = 0;

	for (size_t i = 0; i < sim->started; i++) {
		struct run *r = &sim->run[i];

		if (!r->running)
			continue;
		job[n] = bench_job(&r->s, 96, 12);
		job[n].claimed = true; /* also between published points */
		job[n].holds = r->held;
		job[n].shares = r->shared;
		job[n].held = r->ions;
		who[n++] = r;
	}
	if (slu_ion_decide(sim->b->division, sim->policy, 12, job, n, grant,
			   NULL, &err) < 0) {
		fprintf(stderr, "bench/arbiter: %s\n", err.text);
		exit(1);
	}
	for (size_t i = 0; i < n; i++) {
		who[i]->ions = grant[i].ions;
		who[i]->shared = grant[i].shared;
		who[i]->rate = grant[i].bandwidth;
		if (who[i]->rate <= 0) {
			fprintf(stderr, "bench/arbiter: %s would never end\n",
				queue[who[i] - sim->run]);
			exit(1);
		}
		who[i]->held = true;
		if (sim->file)
			fprintf(sim->file, "%s,%.2f,%td,%s,%u,%.1f\n",
				slu_ion_policy_names[sim->policy], sim->now,
				who[i] - sim->run, queue[who[i] - sim->run],
				grant[i].ions, grant[i].bandwidth);
	}
}

static bool start_next(struct sim *sim)
{
	struct run *r = &sim->run[sim->started];

	if (sim->started == QUEUE || r->s.nodes > sim->free)
		return false;
	sim->free -= r->s.nodes;
	r->running = true;
	r->start = sim->now;
	sim->started++;
	return true;
}

/* Advances to the next end; false: no job runs. */
static bool advance(struct sim *sim)
{
	struct run *next = NULL;
	double step;

	for (struct run *r = sim->run; r < sim->run + sim->started; r++)
		if (r->running &&
		    (!next || r->left / r->rate < next->left / next->rate))
			next = r;
	if (!next)
		return false;
	step = next->left / next->rate;
	for (struct run *r = sim->run; r < sim->run + sim->started; r++)
		if (r->running)
			r->left -= r->rate * step;
	sim->now += step;
	next->running = false;
	next->end = sim->now;
	sim->free += next->s.nodes;
	return true;
}

static double simulate(struct sim *sim)
{
	double sum = 0;

	sim->free = 96;
	for (size_t i = 0; i < QUEUE; i++) {
		const struct app *a = apps;

		while (strcmp(a->name, queue[i]))
			a++;
		sim->run[i].s = scenario(a, false);
		sim->run[i].left = a->gigabytes * 1000;
	}
	do {
		while (start_next(sim))
			;
		resolve(sim);
	} while (advance(sim));
	for (size_t i = 0; i < QUEUE; i++) {
		const struct app *a = apps;

		while (strcmp(a->name, queue[i]))
			a++;
		sum += a->gigabytes / (sim->run[i].end - sim->run[i].start);
	}
	return sum;
}

void bench_queue(struct bench *b)
{
	static const enum slu_ion_policy policies[] = {
		SLU_ION_ONE, SLU_ION_STATIC, SLU_ION_SIZE, SLU_ION_MCKP};
	FILE *file = bench_open(b, "queue.csv");
	double fixed = 0;

	puts("Section 5.3: the queue on 96 compute and 12 I/O nodes, no direct "
	     "access, strict FIFO;\ncurves of SIM and POSIX-S are assumed, the "
	     "others have one to three published points\n");
	puts("policy   sum of bandwidths   all done after");
	if (file)
		fputs("policy,time,job,app,ions,MBps\n", file);
	for (size_t i = 0; i < 4; i++) {
		struct sim sim = {.b = b, .policy = policies[i], .file = file};
		double sum = simulate(&sim);

		if (file)
			fprintf(file, "%s,%.2f,,end,0,0\n",
				slu_ion_policy_names[policies[i]], sim.now);
		fixed = policies[i] == SLU_ION_STATIC ? sum : fixed;
		printf("%-8s %12.2f GB/s %12.0f s",
		       slu_ion_policy_names[policies[i]], sum, sim.now);
		printf(fixed > 0 ? "   %.2f x STATIC\n" : "\n", sum / fixed);
	}
	puts("paper: STATIC 8.41, MCKP 16.02 GB/s (1.9 x in the text, 85 % in "
	     "the abstract), by measured runs; not a test\n");
	if (file)
		fclose(file);
}
