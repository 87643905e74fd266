/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench/tbf [--csv] [--capacity RPCS] [--cpts N] [--timeline SCENARIO]
 *
 * The experiments of AdapTBF (Rashid and Dai), sections IV-D, E, F and H, on a
 * simulated storage target (tbf_sim.h), where 1 MB is one RPC, files have 1 GB,
 * and a process has 8 RPCs in flight. Four jobs; no control, static rules by
 * priority, AdapTBF as published (all rules rewritten every 100 ms), its
 * corrected equations with the same rewriting, and the shipped controller with
 * its defaults. The paper has no numbers, only figures: its statements are
 * printed with the tables. The bursts (E, F), which it describes as "short",
 * are assumed: 60, 120 and 90 RPCs every 3, 5 and 4 seconds for each process
 * with bursts.
 *
 * Then the time of the token step and of a whole period of the controller
 * (job_stats of 1,000 jobs: parse, allocate, compare with the rules).
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/tbf.h"
#include "bench/tbf_sim.h"
#include "select_io/tbf/controller.h"

#define JOBS	4
#define FILE_GB 1024 /* RPCs */
#define WINDOW	8
#define LIMIT	600 /* s, of simulated time */

enum policy { NONE, STATIC, LITERAL, MENDED, OURS, POLICIES };

static const char *const policy_name[] = {
	"no control", "static", "AdapTBF literal", "AdapTBF mended", "ours"};

struct bench {
	double capacity;
	unsigned cpts;
	bool csv;
	char timeline; /* 'D', 'E', 'F' or 0 */
};

struct scenario {
	char letter;
	const char *what, *paper;
	double nodes[JOBS];
	void (*fill)(struct sim *sim);
};

static void continuous(struct sim *sim, int job, int processes, double begin)
{
	for (int i = 0; i < processes; i++)
		sim_add(sim, job,
			(struct sim_process){.begin = begin,
					     .volume = FILE_GB,
					     .window = WINDOW});
}

static void bursts(struct sim *sim, int job, int processes)
{
	static const unsigned burst[] = {60, 120, 90};
	static const double interval[] = {3, 5, 4}, begin[] = {0.5, 1.2, 2.1};

	for (int i = 0; i < processes; i++)
		sim_add(sim, job,
			(struct sim_process){.begin = begin[job],
					     .interval = interval[job],
					     .burst = burst[job],
					     .volume = FILE_GB,
					     .window = WINDOW});
}

static void fill_d(struct sim *sim)
{
	for (int j = 0; j < JOBS; j++)
		continuous(sim, j, 16, 0);
}

static void fill_e(struct sim *sim)
{
	for (int j = 0; j < 3; j++)
		bursts(sim, j, 2);
	continuous(sim, 3, 16, 0);
}

static void fill_f(struct sim *sim)
{
	static const double begin[] = {20, 50, 80};

	for (int j = 0; j < 3; j++) {
		bursts(sim, j, 1);
		continuous(sim, j, 1, begin[j]);
	}
	continuous(sim, 3, 16, 0);
}

static const struct scenario scenarios[] = {
	{'D',
	 "equal loads, priorities 10, 10, 30, 50 %",
	 "paper: highest overall throughput; large gains of jobs 3 and 4, small "
	 "losses of 1 and 2",
	 {1, 1, 3, 5},
	 fill_d},
	{'E',
	 "bursts of 30 % jobs, one 10 % job without a pause",
	 "paper: bursts faster than without control and than static; job 4 and "
	 "the total below no control, above static",
	 {3, 3, 3, 1},
	 fill_e},
	{'F',
	 "equal priorities, bursts, continuous from 20, 50, 80 s on",
	 "paper: total on par with no control, static far below; jobs 1 to 3 "
	 "gain, job 4 loses little",
	 {1, 1, 1, 1},
	 fill_f},
};

struct result {
	double total;	    /* RPCs a second until the last job has ended */
	double job[JOBS];   /* RPCs a second until it has ended */
	double burst[JOBS]; /* seconds of a burst */
	double commands;    /* per second */
	double share;	    /* largest excess over the rules' rates */
};

static void set_nodes(struct slu_tbf *tbf, const double *nodes)
{
	char text[256] = "";

	for (int j = 0; j < JOBS; j++)
		sprintf(text + strlen(text), "%d %.0f\n", 1000 + j, nodes[j]);
	slu_tbf_set_nodes(tbf, text, NULL);
}

static void static_rules(struct sim *sim, const double *nodes)
{
	double all = 0;
	char command[128];

	for (int j = 0; j < JOBS; j++)
		all += nodes[j];
	fake_tbf_set_policy(&sim->fake, "tbf jobid");
	for (int j = 0; j < JOBS; j++) {
		snprintf(command, sizeof(command),
			 "start s%d jobid={%d} rate=%.0f", j, 1000 + j,
			 fmax(1, sim->capacity * nodes[j] / all / sim->cpts));
		fake_tbf_command(&sim->fake, command);
	}
}

static struct slu_tbf *controller(const struct bench *b, enum policy policy)
{
	struct slu_tbf_settings set = slu_tbf_defaults;
	struct slu_err err;
	struct slu_tbf *tbf;

	set.rate = b->capacity;
	set.literal = policy == LITERAL;
	if (policy != OURS) {
		set.naive = true;
		set.hungry = set.instant = false;
		set.min_rate = 1;
		set.headroom = 0;
	}
	tbf = slu_tbf_new(&set, &err);
	if (!tbf) {
		fprintf(stderr, "bench/tbf: %s\n", err.text);
		exit(1);
	}
	return tbf;
}

/* One period of the shipped controller on the simulated target. */
static size_t control(struct slu_tbf *tbf, struct sim *sim, bool look)
{
	static struct slu_jobstats stats;
	static struct slu_rules rules;
	static struct slu_buf text;
	struct slu_err err = {0};
	const char *command;
	size_t n = 0;

	if (sim->lustre.job_stats(&sim->lustre, &stats, &err) ||
	    slu_tbf_observe(tbf, sim->now, &stats, &err))
		goto fail;
	if (look && (sim->lustre.rules(&sim->lustre, &text, &err) ||
		     slu_rules_parse(&rules, text.data, &err) ||
		     slu_tbf_reconcile(tbf, &rules, &err)))
		goto fail;
	for (; (command = slu_tbf_command(tbf, sim->now)); n++)
		if (sim->lustre.set_rule(&sim->lustre, command, &err))
			goto fail;
	return n;
fail:
	fprintf(stderr, "bench/tbf: %s\n", err.text);
	exit(1);
}

static void timeline(const struct sim *sim, uint64_t *before)
{
	printf("%.1f", sim->now);
	for (int j = 0; j < JOBS; j++) {
		printf(",%lu", sim->served[j] - before[j]);
		before[j] = sim->served[j];
	}
	putchar('\n');
}

static struct result run(const struct bench *b, const struct scenario *s,
			 enum policy policy, double period)
{
	static struct sim sim;
	struct slu_tbf *tbf = NULL;
	struct result r = {0};
	uint64_t before[JOBS] = {0};
	double next = 0, look = 0, line = 0, end[JOBS] = {0}, all = 0;
	size_t commands = 0;

	sim_init(&sim, b->capacity, b->cpts);
	s->fill(&sim);
	if (policy == STATIC)
		static_rules(&sim, s->nodes);
	if (policy >= LITERAL) {
		tbf = controller(b, policy);
		set_nodes(tbf, s->nodes);
		fake_tbf_set_policy(&sim.fake, slu_tbf_policy(tbf));
	}
	if (b->timeline)
		printf("# %s\n", policy_name[policy]);
	while (sim_step(&sim) && sim.now < LIMIT) {
		if (b->timeline && sim.now >= line) {
			timeline(&sim, before);
			line += 0.1;
		}
		if (!tbf || sim.now < next)
			continue;
		next += period;
		commands += control(tbf, &sim, sim.now >= look);
		look = sim.now >= look ? sim.now + 1 : look;
	}
	for (size_t p = 0; p < sim.n_processes; p++) {
		int j = sim.process[p].job;

		end[j] = fmax(end[j], sim.process[p].finished);
	}
	for (int j = 0; j < JOBS; j++) {
		r.job[j] = (double)sim.served[j] / end[j];
		r.burst[j] =
			sim.bursts[j] ? sim.wait[j] / (double)sim.bursts[j] : 0;
		all += (double)sim.served[j];
	}
	r.total = all / sim.now;
	r.commands = (double)commands / sim.now;
	slu_tbf_free(tbf);
	sim_free(&sim);
	return r;
}

void tbf_csv(const char *name, const char *metric, const char *unit,
	     double ours, const char *rival, double value)
{
	printf("%s,%s,%s,%.4g,%s,%.4g,%.4g\n", name, metric, unit, ours, rival,
	       value, value != 0 ? ours / value : 0);
}

static void print_csv(const struct scenario *s, const struct result *r)
{
	char name[8] = "IV-", metric[32];

	name[3] = s->letter;
	name[4] = '\0';
	for (int p = 0; p < OURS; p++) {
		tbf_csv(name, "total", "RPC/s", r[OURS].total, policy_name[p],
			r[p].total);
		for (int j = 0; j < JOBS; j++) {
			snprintf(metric, sizeof(metric), "job %d", j + 1);
			tbf_csv(name, metric, "RPC/s", r[OURS].job[j],
				policy_name[p], r[p].job[j]);
			snprintf(metric, sizeof(metric), "burst of job %d",
				 j + 1);
			if (r[OURS].burst[j] > 0)
				tbf_csv(name, metric, "s", r[OURS].burst[j],
					policy_name[p], r[p].burst[j]);
		}
		tbf_csv(name, "rule commands", "1/s", r[OURS].commands,
			policy_name[p], r[p].commands);
	}
}

static void print_table(const struct scenario *s, const struct result *r)
{
	printf("\nIV-%c: %s\n%s\n\n%-16s %7s  %7s %7s %7s %7s   %6s %6s %6s "
	       "%8s\n",
	       s->letter, s->what, s->paper, "RPC/s", "total", "job 1", "job 2",
	       "job 3", "job 4", "burst1", "burst2", "burst3", "rules/s");
	for (int p = 0; p < POLICIES; p++) {
		printf("%-16s %7.1f  ", policy_name[p], r[p].total);
		for (int j = 0; j < JOBS; j++)
			printf("%7.1f ", r[p].job[j]);
		printf("  ");
		for (int j = 0; j < 3; j++)
			printf("%5.2fs ", r[p].burst[j]);
		printf("%8.1f\n", r[p].commands);
	}
}

static void run_scenarios(const struct bench *b)
{
	struct result r[POLICIES];

	for (size_t i = 0; i < sizeof(scenarios) / sizeof(*scenarios); i++) {
		const struct scenario *s = &scenarios[i];

		if (b->timeline && b->timeline != s->letter)
			continue;
		for (int p = 0; p < POLICIES; p++)
			r[p] = run(b, s, p, 0.1);
		if (b->timeline)
			continue;
		if (b->csv)
			print_csv(s, r);
		else
			print_table(s, r);
	}
}

/* IV-H: F again with other periods. */
static void run_periods(const struct bench *b)
{
	static const double period[] = {0.1, 0.2, 0.5, 1, 2, 5, 10};

	if (!b->csv)
		printf("\nIV-H: total RPC/s by allocation period\npaper: the "
		       "shorter, the more\n\n%-16s %10s %10s %10s\n",
		       "period", "literal", "mended", "ours");
	for (size_t i = 0; i < sizeof(period) / sizeof(*period); i++) {
		struct result r[POLICIES];
		char name[32];

		for (int p = LITERAL; p < POLICIES; p++)
			r[p] = run(b, &scenarios[2], p, period[i]);
		snprintf(name, sizeof(name), "IV-H %g s", period[i]);
		if (!b->csv)
			printf("%14g s %10.1f %10.1f %10.1f\n", period[i],
			       r[LITERAL].total, r[MENDED].total,
			       r[OURS].total);
		else
			for (int p = LITERAL; p < OURS; p++)
				tbf_csv(name, "total", "RPC/s", r[OURS].total,
					policy_name[p], r[p].total);
	}
}

int main(int argc, char **argv)
{
	struct bench b = {.capacity = 500, .cpts = 2};

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--csv") == 0)
			b.csv = true;
		else if (strcmp(argv[i], "--capacity") == 0 && i + 1 < argc)
			b.capacity = atof(argv[++i]);
		else if (strcmp(argv[i], "--cpts") == 0 && i + 1 < argc)
			b.cpts = (unsigned)atoi(argv[++i]);
		else if (strcmp(argv[i], "--timeline") == 0 && i + 1 < argc)
			b.timeline = *argv[++i];
		else
			b.cpts = 0;
	}
	if (b.capacity < 1 || b.cpts < 1 || b.cpts > 8) {
		fputs("usage: tbf [--csv] [--capacity RPCS] [--cpts N] "
		      "[--timeline D|E|F]\n",
		      stderr);
		return 2;
	}
	if (b.csv)
		puts("case,metric,unit,ours,rival,rival_value,ratio");
	run_scenarios(&b);
	if (b.timeline)
		return 0;
	run_periods(&b);
	tbf_run_costs(b.csv);
	return 0;
}
