/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares stripe layouts on simulated storage targets: the time of sequential
 * and random reads, beside the measurements of the paper "Evaluating Dynamic
 * File Striping for Lustre".
 *
 *	bench/stripe [--csv]
 */

/*
 * The layouts are the published ones (IOR.1-6, netflow.1-6, blast.1-18, Fig.
 * 11), those of `stripe explain`, and Lustre's own; then files that many tasks
 * have a part of each.
 *
 * From the paper: the numbers of tasks and nodes; 8 servers of 8 targets with
 * three drives each, on FDR (knot), and 7 targets a server and 2,880 MB/s of a
 * router (Titan); BLAST's database is 79 files of 1 GB, each in the directory
 * of one part, on targets of its own, while the others have a file for each
 * part.
 *
 * Files and watermarks are scaled down; results are ratios to the first layout
 * of each group.
 */
#include "config.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/measure.h"
#include "bench/stripe_sim.h"
#include "bench/stripe_special.h"
#include "select_io/stripe/layout_cost.h"

#define FDR    SLU_STRIPE_PORT
#define ROUTER SLU_STRIPE_NODE

static const struct site knot = {64, 8, FDR, FDR};
static const struct site titan = {TARGETS, 7, ROUTER, FDR};

static const struct work *job;
static struct slu_stripe_layout layout;

struct group {
	const char *prefix, *says;
	uint32_t n;
	struct work work;
};

static const struct group groups[] = {
	{"IOR",
	 "4-6 (dynamic) read better than 1-3",
	 6,
	 {"4 TB, 64 tasks on 16 nodes", 4096 * GIB, 64, 64, false, 0, &knot, 4,
	  0}},
	{"netflow",
	 "phase 1: dynamic better than static; phase 2: alike, some worse",
	 6,
	 {"55 GB, 128 tasks on 16 nodes", 55 * GIB, 4, 128, false, 200, &knot,
	  8, 0}},
	{"blast",
	 "2-9 are 1.22-1.26 times as fast as 1 (but 6, 7); 10 to 12 from 1.26 "
	 "down to 1.22; 13-18 no clear trend",
	 18,
	 {"79 files, 8 nodes read all", 79 * GIB, 8, 8, true, 200, &titan, 1,
	  GIB}},
};

static void scale(uint64_t part)
{
	for (size_t i = 0; i < layout.n; i++)
		layout.part[i].end /= part;
}

static void load(const char *name, uint64_t part)
{
	if (slu_stripe_preset(name, &layout, NULL)) {
		fprintf(stderr, "bench/stripe: no layout %s\n", name);
		exit(1);
	}
	scale(part);
}

static void report(bool csv, const char *name, double seq, double rnd,
		   double first_seq, double first_rnd)
{
	double mb = (double)job->size / 1e6 * (job->shared ? job->clients : 1);

	if (csv) {
		printf("%s,sequential,MB/s,%.0f,first,%.0f,%.3f\n", name,
		       mb / seq, mb / first_seq, first_seq / seq);
		if (rnd > 0)
			printf("%s,random,s,%.2f,first,%.2f,%.3f\n", name, rnd,
			       first_rnd, rnd / first_rnd);
		return;
	}
	printf("%-12s %10.0f %8.2fx", name, mb / seq, first_seq / seq);
	if (rnd > 0)
		printf(" %10.2f %8.2fx %8.2fx", rnd, first_rnd / rnd,
		       (first_seq + first_rnd) / (seq + rnd));
	putchar('\n');
}

/* Lustre's own layout: until 2.15, and since 2.16. */
static void load_default(char name[40], uint32_t mib)
{
	snprintf(name, 40, "default %uM", mib);
	layout = (struct slu_stripe_layout){
		.part = {{0, 1, mib * (uint32_t)MIB, ""}}, .n = 1};
}

/* Clients that share nothing have a part each. */
static void explain(char name[40], const struct work *w)
{
	const struct slu_stripe_request ask = {
		.size = w->size,
		.access = w->random && !w->shared ? SLU_STRIPE_RANDOM
						  : SLU_STRIPE_SEQUENTIAL,
		.readers = w->shared ? w->clients : 0,
		.tasks = w->shared ? 0 : w->clients,
		.targets = w->site->targets};

	snprintf(name, 40, "explain");
	slu_stripe_plan(&ask, &layout, NULL);
	scale(w->part);
}

static void run_group(bool csv, const struct group *g)
{
	double seq, rnd, first_seq = 0, first_rnd = 0;
	struct work scaled = g->work;
	char name[40];

	scaled.size /= scaled.part;
	scaled.file /= scaled.part;
	job = &scaled;
	if (!csv)
		printf("\n%s: %s, 1/%lu of it\npaper: %s\n\n%-12s %10s %9s "
		       "%10s %9s %9s\n",
		       g->prefix, scaled.name, scaled.part, g->says, "layout",
		       "MB/s", "to first", "random s", "to first", "both");
	for (uint32_t i = 1; i <= g->n + 3; i++) {
		snprintf(name, sizeof(name), "%s.%u", g->prefix, i);
		if (i <= g->n)
			load(name, scaled.part);
		else if (i <= g->n + 2)
			load_default(name, i == g->n + 1 ? 1 : 4);
		else
			explain(name, &g->work);
		seq = stripe_sim(job, &layout, false);
		rnd = job->random ? stripe_sim(job, &layout, true) : 0;
		first_seq = i == 1 ? seq : first_seq;
		first_rnd = i == 1 ? rnd : first_rnd;
		report(csv, name, seq, rnd, first_seq, first_rnd);
	}
}

static double pass(void)
{
	return stripe_sim(job, &layout, false) +
	       (job->random ? stripe_sim(job, &layout, true) : 0);
}

/* The fastest of Lustre's and the published ones. */
static double best_rival(const struct work *w)
{
	char name[40];
	double best = INFINITY;

	for (uint32_t i = 1; i <= 14; i++) {
		if (i <= 12) {
			snprintf(name, sizeof(name), "%s.%u",
				 i <= 6 ? "IOR" : "netflow", (i - 1) % 6 + 1);
			load(name, w->part);
		} else {
			load_default(name, i == 13 ? 1 : 4);
		}
		best = fmin(best, pass());
	}
	return best;
}

/* A file of which each of so many tasks, four on a node, has a part: seconds
 * with the layout of explain, as a ratio to the best rival's, and with twice as
 * many stripes (setstripe -C). */
static void run_tasks(bool csv, bool random, const struct site *site)
{
	static const uint32_t tasks[] = {1, 2, 4, 8, 16, 64, 256};
	static const uint64_t gib[] = {1, 16, 256, 4096};
	double worst = 0, rival, ours, over;
	char name[40];

	if (!csv)
		printf("\nTasks: a part for each, %u targets%s; time to that of "
		       "the best preset or default, (-C twice)\n\n"
		       "%-8s %14s %14s %14s %14s\n",
		       site->targets,
		       random ? ", then 20 random reads each" : "", "tasks",
		       "1 GiB", "16 GiB", "256 GiB", "4 TiB");
	for (size_t t = 0; t < sizeof(tasks) / sizeof(*tasks); t++) {
		csv ? 0 : printf("%-8u", tasks[t]);
		for (size_t g = 0; g < sizeof(gib) / sizeof(*gib); g++) {
			struct work w = {"",
					 gib[g] * GIB,
					 gib[g] > 64 ? gib[g] / 64 : 1,
					 tasks[t],
					 false,
					 random ? 20 : 0,
					 site,
					 4,
					 0};
			struct work scaled = w;

			scaled.size /= w.part;
			job = &scaled;
			rival = best_rival(&w);
			explain(name, &w);
			ours = pass();
			for (size_t c = 0; c < layout.n; c++)
				layout.part[c].count *= 2;
			over = pass();
			worst = fmax(worst, ours / rival);
			if (csv)
				printf("%u tasks %lu GiB%s,time,s,%.3f,best,"
				       "%.3f,%.3f\n",
				       tasks[t], gib[g],
				       random ? " random" : "", ours, rival,
				       ours / rival);
			else
				printf("   %5.2f (%4.2f)", ours / rival,
				       over / rival);
		}
		csv ? 0 : putchar('\n');
	}
	if (!csv)
		printf("worst: %.2f\n", worst);
}

/* All of 79 GB by so many nodes, with the four layouts. */
static void run_fig11(bool csv)
{
	static const uint32_t count[] = {16, 64, 128, 0};
	static struct work w = {"", 79 * GIB, 128, 16, true,
				20, &titan,   1,   GIB};
	double seconds[4];

	w.size /= w.part; /* called once */
	w.file /= w.part;
	job = &w;
	if (!csv)
		printf("\nFig. 11: nodes that all read 79 GB (1/%lu of it), "
		       "and at random; s\npaper: more stripes, more time; "
		       "dynamic always before 128\n\n%-8s %9s %9s %9s %9s\n",
		       w.part, "nodes", "16", "64", "128", "dynamic");
	for (w.clients = 16; w.clients <= CLIENTS; w.clients *= 2) {
		for (int i = 0; i < 4; i++) {
			load("fig11", w.part);
			if (count[i])
				layout = (struct slu_stripe_layout){
					.part = {{0, count[i], MIB, ""}},
					.n = 1};
			seconds[i] = stripe_sim(job, &layout, false) +
				     stripe_sim(job, &layout, true);
		}
		if (!csv)
			printf("%-8u %9.2f %9.2f %9.2f %9.2f\n", w.clients,
			       seconds[0], seconds[1], seconds[2], seconds[3]);
		for (int i = 0; csv && i < 3; i++)
			printf("fig11 %u nodes,time,s,%.2f,%u stripes,%.2f,"
			       "%.3f\n",
			       w.clients, seconds[3], count[i], seconds[i],
			       seconds[3] / seconds[i]);
	}
}

int main(int argc, char **argv)
{
	bool csv = argc == 2 && strcmp(argv[1], "--csv") == 0;

	if (argc > 1 && !csv) {
		fputs("usage: stripe [--csv]\n", stderr);
		return 2;
	}
	if (!stripe_sim_begin())
		return 1;
	if (csv)
		puts("case,metric,unit,ours,rival,rival_value,ratio");
	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++)
		run_group(csv, &groups[i]);
	for (int random = 0; random < 2; random++) {
		run_tasks(csv, random, &knot);
		run_tasks(csv, random, &titan);
	}
	run_fig11(csv);
	stripe_small_files(csv);
	stripe_unequal_room(csv);
	stripe_sim_end();
	return 0;
}
