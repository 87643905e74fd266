/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures the benefit of predicted run times for the scheduler, on job logs
 * (SWF).
 *
 *	bench/backfill [--csv] [--procs N] LOG...
 *	bench/backfill --shake N LOG...
 *	bench/backfill --lambda LOG
 */

/*
 * The measure is the mean bounded slowdown, max(1, (wait + run) / max(run,
 * 10)), under FCFS with EASY backfilling in the order of submission and
 * shortest job first, and under conservative backfilling (at most 128
 * processors), for each estimate of guides.h. Then the effect of exceeded
 * predictions on planned starts; and, with a reservation of the whole machine
 * every two weeks, the cost of not starting jobs before it whose limit could
 * not be extended to their request, and their number.
 *
 * --shake: significance: the mean over N logs whose submissions are shifted by
 * up to a minute, in both orders, and the ratio to that of requests with its
 * standard error.
 *
 * --lambda: the node prediction of ADA-FS, section 3.2, and the slowdown under
 * conservative backfilling; see nodes.h.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/guides.h"
#include "bench/nodes.h"

#define EVERY  (14 * 86400)
#define LENGTH (12 * 3600)
#define SHAKE  60 /* s */

static const char *const order_name[] = {"EASY", "shortest first"};

enum { RECORDED = LAST_2_DOUBLING + 1 };

/* Published results of the predictsim simulator, EASY and shortest first. */
static const struct {
	const char *log;
	double slowdown[2][RECORDED];
} recorded[] = {
	{"KTH-SP2",
	 {{92.6, 71.7, 65.7, 85.4, 76.9}, {69.4, 49.8, 62.9, 63.5, 64.5}}},
	{"SDSC-SP2",
	 {{87.9, 70.5, 79.2, 100.0, 84.0}, {84.9, 56.8, 65.1, 79.4, 98.0}}},
};

/* Slowdowns for one estimate: EASY, shortest first, conservative; EASY with
 * reservations. */
struct outcome {
	struct slu_easy_result easy[2], reserved;
	double conservative;
};

static int try_easy(const struct swf_log *log, const struct slu_easy_site *site,
		    enum guide guide, struct slu_easy_result *out)
{
	struct guide_state *s = guide_new(log, guide, 0);
	int64_t *start = calloc(log->n + 1, sizeof(*start));
	int rc = s && start ? easy_run(log, site, guide_oracle(s), start, out)
			    : -1;

	free(start);
	guide_free(s);
	return rc;
}

static int try_nodes(const struct swf_log *log, int64_t procs, enum guide guide,
		     double lambda, struct nodes_result *out)
{
	struct guide_state *s = guide_new(log, guide, lambda);
	int rc = s ? nodes_run(log, procs, guide_oracle(s), out) : -1;

	guide_free(s);
	return rc;
}

static int try_all(const struct swf_log *log, int64_t procs, enum guide guide,
		   struct outcome *out)
{
	struct slu_easy_site site = {.procs = procs};
	struct nodes_result nodes;

	if (try_easy(log, &site, guide, &out->easy[0]) < 0)
		return -1;
	site.shortest = true;
	if (try_easy(log, &site, guide, &out->easy[1]) < 0)
		return -1;
	site = (struct slu_easy_site){
		.procs = procs, .every = EVERY, .length = LENGTH};
	if (try_easy(log, &site, guide, &out->reserved) < 0)
		return -1;
	out->conservative = try_nodes(log, procs, guide, 0, &nodes) < 0
				    ? NAN
				    : nodes.slowdown;
	return 0;
}

static double recorded_for(const char *log, int order, int guide)
{
	for (size_t i = 0; i < sizeof(recorded) / sizeof(recorded[0]); i++)
		if (guide < RECORDED &&
		    !strncmp(log, recorded[i].log, strlen(recorded[i].log)))
			return recorded[i].slowdown[order][guide];
	return NAN;
}

/* A number, or a dash if there is none. */
static void cell(int width, double x)
{
	if (isfinite(x))
		printf(" %*.1f", width, x);
	else
		printf(" %*s", width, "-");
}

static void print_slowdowns(const char *log, const struct outcome *r)
{
	printf("  %-16s %9s %9s %9s %9s %12s\n", "", "EASY", "recorded",
	       "shortest", "recorded", "conservative");
	for (int g = 0; g < GUIDES; g++) {
		printf("  %-16s", guide_name[g]);
		for (int order = 0; order < 2; order++) {
			cell(9, r[g].easy[order].slowdown);
			cell(9, recorded_for(log, order, g));
		}
		cell(12, r[g].conservative);
		printf("\n");
	}
}

static void print_moves(const struct outcome *r)
{
	printf("  %-16s %9s %9s %9s %9s %9s %12s\n", "EASY", "wait s",
	       "at most h", "exceeded", "moved", "by s", "at most s");
	for (int g = 0; g < GUIDES; g++) {
		const struct slu_easy_result *e = &r[g].easy[0];

		printf("  %-16s %9.0f %9.0f %9zu %9zu %9.0f %12lld\n",
		       guide_name[g], e->wait, e->longest_wait / 3600,
		       e->renewed, e->moved, e->delay, (long long)e->longest);
	}
}

static void print_reserved(const char *what, const struct slu_easy_result *r)
{
	printf("  %-16s %9.1f %9.0f %9zu\n", what, r->slowdown, r->wait,
	       r->caught);
}

static void print(const char *log, const struct outcome *r,
		  const struct slu_easy_result *gaps)
{
	print_slowdowns(log, r);
	print_moves(r);
	printf("  %-16s %9s %9s %9s\n", "reservations", "EASY", "wait s",
	       "caught");
	for (int g = 0; g < GUIDES; g++)
		print_reserved(guide_name[g], &r[g].reserved);
	print_reserved("tighten in gaps", gaps);
	printf("\n");
}

static void print_csv(const char *log, const struct outcome *r)
{
	for (int o = 0; o < 2; o++)
		for (int g = 0; g < OURS; g++)
			for (int us = OURS; us < GUIDES; us++)
				printf("%s,bounded slowdown %s of %s,,%.2f,%s,"
				       "%.2f,%.3f\n",
				       log, order_name[o], guide_name[us],
				       r[us].easy[o].slowdown, guide_name[g],
				       r[g].easy[o].slowdown,
				       r[us].easy[o].slowdown /
					       r[g].easy[o].slowdown);
}

static int bench_easy(const char *name, const struct swf_log *log,
		      int64_t procs, bool csv)
{
	struct slu_easy_site site = {
		.procs = procs, .every = EVERY, .length = LENGTH, .gaps = true};
	struct outcome r[GUIDES];
	struct slu_easy_result gaps;

	for (int g = 0; g < GUIDES; g++)
		if (try_all(log, procs, (enum guide)g, &r[g]) < 0)
			return -1;
	if (try_easy(log, &site, TIGHTEN, &gaps) < 0)
		return -1;
	if (csv) {
		print_csv(name, r);
		return 0;
	}
	printf("%s: %zu jobs on %lld processors; mean bounded slowdown\n", name,
	       log->n, (long long)procs);
	print(name, r, &gaps);
	return 0;
}

/* One estimate and order, over the shaken logs: the slowdown, and its ratio to
 * that of requests on the same log. */
struct shaken {
	double slowdown, part, part_squared;
};

static int try_shaken(const struct swf_log *log, int64_t procs,
		      struct shaken r[2][GUIDES])
{
	for (int o = 0; o < 2; o++) {
		struct slu_easy_site site = {.procs = procs, .shortest = o};
		double request = 0;

		for (int g = 0; g < GUIDES; g++) {
			struct slu_easy_result got;
			double part;

			if (try_easy(log, &site, (enum guide)g, &got) < 0)
				return -1;
			request = g == REQUEST ? got.slowdown : request;
			part = got.slowdown / request;
			r[o][g].slowdown += got.slowdown;
			r[o][g].part += part;
			r[o][g].part_squared += part * part;
		}
	}
	return 0;
}

static double standard_error(const struct shaken *s, int n)
{
	double mean = s->part / n;

	return sqrt(fmax(s->part_squared / n - mean * mean, 0) / (n - 1));
}

static void print_shaken(const char *name, int n, struct shaken r[2][GUIDES],
			 bool csv)
{
	for (int o = 0; o < 2; o++) {
		if (!csv)
			printf("  %-16s %9s %11s %7s\n", order_name[o],
			       "slowdown", "of request", "+-");
		for (int g = 0; g < GUIDES; g++) {
			const struct shaken *s = &r[o][g];

			if (csv)
				printf("%s,bounded slowdown %s shaken: %s,,"
				       "%.2f,request,%.2f,%.3f\n",
				       name, order_name[o], guide_name[g],
				       s->slowdown / n,
				       r[o][REQUEST].slowdown / n, s->part / n);
			else
				printf("  %-16s %9.1f %11.3f %7.3f\n",
				       guide_name[g], s->slowdown / n,
				       s->part / n, standard_error(s, n));
		}
	}
}

static int bench_shaken(const char *name, const struct swf_log *log,
			int64_t procs, int n, bool csv)
{
	struct shaken r[2][GUIDES] = {0};

	for (int k = 1; k <= n; k++) {
		struct swf_log other;
		int rc;

		if (swf_shake(log, SHAKE, (uint16_t)k, &other) < 0)
			return -1;
		rc = try_shaken(&other, procs, r);
		swf_free(&other);
		if (rc < 0)
			return -1;
	}
	if (!csv)
		printf("%s: mean bounded slowdown, mean of %d logs with "
		       "submissions up to %d s earlier or later\n",
		       name, n, SHAKE);
	print_shaken(name, n, r, csv);
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

static int bench_nodes(const char *name, const struct swf_log *log,
		       int64_t procs, bool csv)
{
	static const double lambda[] = {1, 0.8, 0.6, 0.4, 0.2, 0.1, 0.05, 0};
	struct nodes_result r;
	char what[32];

	if (!csv)
		printf("%s: nodes known before the start, %% of the jobs\n"
		       "  %-12s %8s %8s %8s %8s %10s\n",
		       name, "", "at once", "<=1 s", "<=10 min", ">10 min",
		       "slowdown");
	for (size_t l = 0; l < sizeof(lambda) / sizeof(lambda[0]); l++) {
		if (try_nodes(log, procs, LAMBDA, lambda[l], &r) < 0)
			return -1;
		snprintf(what, sizeof(what), "lambda %.2f", lambda[l]);
		print_nodes(name, what, &r, csv);
	}
	for (int g = OURS; g < GUIDES; g++) {
		if (try_nodes(log, procs, (enum guide)g, 0, &r) < 0)
			return -1;
		print_nodes(name, guide_name[g], &r, csv);
	}
	return 0;
}

struct wish {
	int64_t procs;
	bool nodes, csv;
	int shake; /* number of shaken logs; 0: none */
};

static int do_log(const char *path, const struct wish *wish)
{
	int64_t procs = wish->procs;
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
	if (wish->nodes)
		rc = bench_nodes(name, &log, procs, wish->csv);
	else if (wish->shake)
		rc = bench_shaken(name, &log, procs, wish->shake, wish->csv);
	else
		rc = bench_easy(name, &log, procs, wish->csv);
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
	struct wish wish = {0};
	int i = 1;

	for (; i < argc && argv[i][0] == '-'; i++)
		if (strcmp(argv[i], "--csv") == 0)
			wish.csv = true;
		else if (strcmp(argv[i], "--lambda") == 0)
			wish.nodes = true;
		else if (strcmp(argv[i], "--procs") == 0 && i + 1 < argc)
			wish.procs = strtoll(argv[++i], NULL, 10);
		else if (strcmp(argv[i], "--shake") == 0 && i + 1 < argc &&
			 (wish.shake = atoi(argv[i + 1])) > 1)
			i++;
		else
			i = argc;
	if (i >= argc) {
		fprintf(stderr, "usage: bench/backfill [--csv] [--procs N] "
				"[--lambda | --shake N] LOG...\n");
		return 2;
	}
	if (wish.csv)
		puts("case,metric,unit,ours,rival,rival_value,ratio");
	for (; i < argc; i++)
		if (do_log(argv[i], &wish) < 0)
			return 1;
	return 0;
}
