/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Repeats the experiments of AdapTBF (Rashid and Dai), sections IV-D, E, F and
 * H, on a simulated storage target (tbf_sim.h), with the paper's algorithm and
 * the shipped controller; and measures the controller's costs.
 *
 *	bench/tbf [--csv] [--capacity RPCS] [--rate RPCS] [--cpts N]
 *		[--timeline SCENARIO]
 */

/*
 * 1 MB is one RPC, files have 1 GB, and a process has 8 RPCs in flight. Four
 * jobs; no control, static rules by priority, AdapTBF as published (to the
 * letter, all rules rewritten every 100 ms), its mended equations with the same
 * rewriting, and the shipped controller with its defaults. The paper prints no
 * numbers, only pictures: its statements stand beside the tables, and bursts
 * (E, F), which it describes as "short", are ours: 60, 120 and 90 (F: 30) RPCs
 * every 3, 5 and 4 seconds for each of the processes that burst. In F and H no
 * job ends, as job 4's files of 1 GB would before the others want their tokens
 * back; the records are those of the paper's figure 7.
 *
 * Then what passes in ten seconds when --rate is below what the target can
 * serve, also with floors and with each node a class; what jobs on one client
 * have; and the time of the token step, also as a multiple of one pass over its
 * arrays, and of a whole period of the controller (job_stats of 1,000 jobs,
 * parsed, dealt out, compared with the rules).
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/tbf.h"

void tbf_csv(const char *name, const char *metric, const char *unit,
	     double ours, const char *rival, double value)
{
	printf("%s,%s,%s,%.4g,%s,%.4g,%.4g\n", name, metric, unit, ours, rival,
	       value, value != 0 ? ours / value : 0);
}

static void csv_of_job(const char *name, const char *what, int j,
		       const char *unit, double ours, const char *rival,
		       double value)
{
	char metric[48];

	snprintf(metric, sizeof(metric), "%sjob %d", what, j + 1);
	if (ours > 0)
		tbf_csv(name, metric, unit, ours, rival, value);
}

static void print_csv(const struct tbf_scenario *s, const struct tbf_result *r)
{
	char name[8] = {'I', 'V', '-', s->letter};
	const struct tbf_result *o = &r[OURS];

	for (int p = 0; p < OURS; p++) {
		const char *rival = tbf_policy_name[p];

		tbf_csv(name, "total", "RPC/s", o->total, rival, r[p].total);
		tbf_csv(name, "Jain", "", o->jain, rival, r[p].jain);
		for (int j = 0; j < TBF_JOBS; j++) {
			csv_of_job(name, "", j, "RPC/s", o->job[j], rival,
				   r[p].job[j]);
			csv_of_job(name, "burst of ", j, "s", o->burst[j],
				   rival, r[p].burst[j]);
			csv_of_job(name, "mean latency of ", j, "s", o->mean[j],
				   rival, r[p].mean[j]);
			csv_of_job(name, "99 % latency of ", j, "s", o->slow[j],
				   rival, r[p].slow[j]);
		}
		tbf_csv(name, "rule commands", "1/s", o->commands, rival,
			r[p].commands);
	}
}

static void print_table(const struct tbf_scenario *s,
			const struct tbf_result *r)
{
	printf("\nIV-%c: %s\n%s\n\n%-16s %7s  %7s %7s %7s %7s   %6s %6s %6s "
	       "%8s\n",
	       s->letter, s->what, s->paper, "RPC/s", "total", "job 1", "job 2",
	       "job 3", "job 4", "burst1", "burst2", "burst3", "rules/s");
	for (int p = 0; p < POLICIES; p++) {
		printf("%-16s %7.1f  ", tbf_policy_name[p], r[p].total);
		for (int j = 0; j < TBF_JOBS; j++)
			printf("%7.1f ", r[p].job[j]);
		printf("  ");
		for (int j = 0; j < 3; j++)
			printf("%5.2fs ", r[p].burst[j]);
		printf("%8.1f\n", r[p].commands);
	}
	printf("\n%-16s %7s  %s\n", "ms of an RPC", "Jain",
	       "mean and 99 % of job 1, 2, 3, 4");
	for (int p = 0; p < POLICIES; p++) {
		printf("%-16s %7.3f ", tbf_policy_name[p], r[p].jain);
		for (int j = 0; j < TBF_JOBS; j++)
			printf(" %6.0f %5.0f", 1e3 * r[p].mean[j],
			       1e3 * r[p].slow[j]);
		putchar('\n');
	}
}

/* The paper's figure 7: tokens lent, or borrowed where negative. */
static void print_records(const struct tbf_result *r)
{
	printf("\nrecords of jobs 1 to 4 (paper's figure 7: job 3 lends until "
	       "80 s, then is given back)\n%-6s",
	       "s");
	for (int p = LITERAL; p < POLICIES; p++)
		printf(" %27s", tbf_policy_name[p]);
	putchar('\n');
	for (size_t k = 1; k < r[OURS].records; k++) {
		printf("%-6zu", k * TBF_RECORD_STEP);
		for (int p = LITERAL; p < POLICIES; p++)
			for (int j = 0; j < TBF_JOBS; j++)
				printf(" %6.0f", r[p].record[k][j]);
		putchar('\n');
	}
}

static void run_scenarios(const struct tbf_bench *b)
{
	static struct tbf_result r[POLICIES];

	for (size_t i = 0; i < tbf_n_scenarios; i++) {
		const struct tbf_scenario *s = &tbf_scenarios[i];

		if (b->timeline && b->timeline != s->letter)
			continue;
		for (int p = 0; p < POLICIES; p++)
			r[p] = tbf_run(b, s, p, 0.1);
		if (b->timeline)
			continue;
		if (b->csv)
			print_csv(s, r);
		else
			print_table(s, r);
		if (!b->csv && s->letter == 'F')
			print_records(r);
	}
}

/* IV-H: F again, with other periods. */
static void run_periods(const struct tbf_bench *b)
{
	static const double period[] = {0.1, 0.2, 0.5, 1, 2, 5, 10};

	if (!b->csv)
		printf("\nIV-H: total RPC/s by allocation period\npaper: the "
		       "shorter, the more\n\n%-16s %10s %10s %10s\n",
		       "period", "literal", "mended", "ours");
	for (size_t i = 0; i < sizeof(period) / sizeof(*period); i++) {
		double total[POLICIES];
		char name[32];

		for (int p = LITERAL; p < POLICIES; p++)
			total[p] = tbf_run(b, tbf_scenario('F'), p, period[i])
					   .total;
		snprintf(name, sizeof(name), "IV-H %g s", period[i]);
		if (!b->csv)
			printf("%14g s %10.1f %10.1f %10.1f\n", period[i],
			       total[LITERAL], total[MENDED], total[OURS]);
		else
			for (int p = LITERAL; p < OURS; p++)
				tbf_csv(name, "total", "RPC/s", total[OURS],
					tbf_policy_name[p], total[p]);
	}
}

/* The most RPCs of any ten seconds of IV-D, as parts of --rate. */
static void print_most(const struct tbf_bench *b, const char *name)
{
	double part[POLICIES];

	for (int p = STATIC; p < POLICIES; p++)
		part[p] =
			tbf_run(b, tbf_scenario('D'), p, 0.1).most[1] / b->rate;
	if (!b->csv)
		printf("%-28s %8.2f %8.2f %8.2f %8.2f\n", name, part[STATIC],
		       part[LITERAL], part[MENDED], part[OURS]);
	else
		tbf_csv(name, "most of 10 s", "of --rate", part[OURS],
			tbf_policy_name[MENDED], part[MENDED]);
}

/* A --rate far below what the target can serve: it is what passes. */
static void run_small_rates(const struct tbf_bench *b)
{
	static const unsigned cpts[] = {1, 2, 4, 8};

	if (!b->csv)
		printf("\nA rate below what the target can serve (%g RPC/s): "
		       "IV-D, most RPCs of any 10 s as parts of the rate\n\n"
		       "%-28s %8s %8s %8s %8s\n",
		       b->capacity, "rate", "static", "literal", "mended",
		       "ours");
	for (double rate = b->capacity / 12; rate < b->capacity; rate *= 4)
		for (size_t i = 0; i < sizeof(cpts) / sizeof(*cpts); i++) {
			struct tbf_bench small = *b;
			char name[48];

			small.rate = rint(rate);
			small.cpts = cpts[i];
			snprintf(name, sizeof(name), "%.0f, %u CPTs",
				 small.rate, small.cpts);
			print_most(&small, name);
		}
}

/* Half of what the target can serve, with --min-rate, and with each node of a
 * job a class of its own, as where a user is exempt. */
static void run_floors(const struct tbf_bench *b)
{
	static const double floor_of[] = {1, 10, 100};

	for (int classes = 0; classes < 2; classes++)
		for (unsigned cpts = 1; cpts <= 4; cpts *= 4)
			for (size_t i = 0; i < 3; i++) {
				struct tbf_bench half = *b;
				char name[48];

				half.rate = rint(b->capacity / 2);
				half.cpts = cpts;
				half.min_rate = floor_of[i];
				half.classes = classes;
				snprintf(name, sizeof(name),
					 "%.0f, %u CPTs%s, floor %g", half.rate,
					 cpts, classes ? ", nodes" : "",
					 floor_of[i]);
				print_most(&half, name);
			}
}

/* What a job that waits for tokens does to others of its client, whose RPCs on
 * their way it holds. */
static void run_clients(const struct tbf_bench *b)
{
	static const enum tbf_policy policies[] = {NONE, STATIC, OURS};
	const struct tbf_scenario *s[] = {&tbf_own_clients, &tbf_one_client};

	if (!b->csv)
		printf("\nJobs of 10, 10, 30, 50 %%, a process each, with 8 RPCs "
		       "on their way: of each, or of all (on one client)\n\n"
		       "%-28s %7s %7s %7s %7s\n",
		       "RPC/s", "job 1", "job 2", "job 3", "job 4");
	for (size_t i = 0; i < 6; i++) {
		enum tbf_policy p = policies[i % 3];
		struct tbf_result r = tbf_run(b, s[i / 3], p, 0.1);
		char name[48];

		snprintf(name, sizeof(name), "%s, %s",
			 i < 3 ? "own clients" : "one client",
			 tbf_policy_name[p]);
		if (b->csv) {
			tbf_csv(name, "job 4", "RPC/s", r.job[3], "job 1",
				r.job[0]);
			continue;
		}
		printf("%-28s", name);
		for (int j = 0; j < TBF_JOBS; j++)
			printf(" %7.1f", r.job[j]);
		putchar('\n');
	}
}

int main(int argc, char **argv)
{
	struct tbf_bench b = {.capacity = 500, .cpts = 2};

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--csv") == 0)
			b.csv = true;
		else if (strcmp(argv[i], "--capacity") == 0 && i + 1 < argc)
			b.capacity = atof(argv[++i]);
		else if (strcmp(argv[i], "--rate") == 0 && i + 1 < argc)
			b.rate = atof(argv[++i]);
		else if (strcmp(argv[i], "--cpts") == 0 && i + 1 < argc)
			b.cpts = (unsigned)atoi(argv[++i]);
		else if (strcmp(argv[i], "--timeline") == 0 && i + 1 < argc)
			b.timeline = *argv[++i];
		else
			b.cpts = 0;
	}
	b.rate = b.rate > 0 ? b.rate : b.capacity;
	if (b.capacity < 1 || b.rate < 1 || b.cpts < 1 || b.cpts > 8 ||
	    (b.timeline && !tbf_scenario(b.timeline))) {
		fputs("usage: tbf [--csv] [--capacity RPCS] [--rate RPCS] "
		      "[--cpts N]\n           [--timeline D|E|F]\n",
		      stderr);
		return 2;
	}
	if (b.csv)
		puts("case,metric,unit,ours,rival,rival_value,ratio");
	run_scenarios(&b);
	if (b.timeline)
		return 0;
	run_periods(&b);
	run_small_rates(&b);
	run_floors(&b);
	run_clients(&b);
	fflush(stdout);
	tbf_run_costs(b.csv);
	return 0;
}
