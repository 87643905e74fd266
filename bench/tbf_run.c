/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Defines the experiments of bench/tbf, and runs one of them under one policy
 * on the simulated storage target (tbf_sim.h).
 *
 * D, E and F are those of AdapTBF's sections IV-D to IV-F: four jobs, whose
 * processes write without a pause or in bursts. The policies are no control,
 * static rules, the paper's algorithm as printed (literal) or with its errors
 * corrected (mended), and the shipped controller (ours).
 */
#include "config.h"
#include "bench/tbf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"

#define FILE_GB 1024	   /* RPCs */
#define LASTING (1u << 30) /* RPCs: more than any job gets done */
#define WINDOW	8	   /* RPCs in flight of a process */
#define LIMIT	600	   /* seconds, of a simulation */
#define START	5  /* seconds until rates are measured: each job has a rule */
#define FINE	10 /* measurements of the served RPCs in a second */
#define SPAN	10 /* seconds, of the longest window */

const char *const tbf_policy_name[] = {
	"no control", "static", "AdapTBF literal", "AdapTBF mended", "ours"};

static void continuous(struct sim *sim, int job, int processes, double begin,
		       unsigned volume)
{
	for (int i = 0; i < processes; i++)
		sim_add(sim, job,
			(struct sim_process){.begin = begin,
					     .volume = volume,
					     .window = WINDOW});
}

static void bursts(struct sim *sim, int job, int processes, unsigned burst,
		   unsigned volume)
{
	static const double interval[] = {3, 5, 4}, begin[] = {0.5, 1.2, 2.1};

	for (int i = 0; i < processes; i++)
		sim_add(sim, job,
			(struct sim_process){.begin = begin[job],
					     .interval = interval[job],
					     .burst = burst,
					     .volume = volume,
					     .window = WINDOW});
}

static void fill_d(struct sim *sim)
{
	for (int j = 0; j < TBF_JOBS; j++)
		continuous(sim, j, 16, 0, FILE_GB);
}

static void fill_e(struct sim *sim)
{
	static const unsigned burst[] = {60, 120, 90};

	for (int j = 0; j < 3; j++)
		bursts(sim, j, 2, burst[j], FILE_GB);
	continuous(sim, 3, 16, 0, FILE_GB);
}

/* Job 3 has the smallest bursts; no job ends. */
static void fill_f(struct sim *sim)
{
	static const unsigned burst[] = {60, 120, 30};
	static const double begin[] = {20, 50, 80};

	for (int j = 0; j < 3; j++) {
		bursts(sim, j, 1, burst[j], LASTING);
		continuous(sim, j, 1, begin[j], LASTING);
	}
	continuous(sim, 3, 16, 0, LASTING);
}

static void fill_clients(struct sim *sim, unsigned client)
{
	for (int j = 0; j < TBF_JOBS; j++)
		sim_add(sim, j,
			(struct sim_process){.volume = LASTING,
					     .window = WINDOW,
					     .client = client});
}

static void fill_own_clients(struct sim *sim)
{
	fill_clients(sim, 0);
}

static void fill_one_client(struct sim *sim)
{
	fill_clients(sim, 1);
}

const struct tbf_scenario tbf_own_clients = {
	0, NULL, NULL, {1, 1, 3, 5}, fill_own_clients, 60};
const struct tbf_scenario tbf_one_client = {
	0, NULL, NULL, {1, 1, 3, 5}, fill_one_client, 60};

const struct tbf_scenario tbf_scenarios[] = {
	{'D',
	 "equal loads, priorities 10, 10, 30, 50 %",
	 "paper: highest overall throughput; large gains of jobs 3 and 4, small "
	 "losses of 1 and 2",
	 {1, 1, 3, 5},
	 fill_d,
	 LIMIT},
	{'E',
	 "bursts of 30 % jobs, one 10 % job without a pause",
	 "paper: bursts faster than without control and than static; job 4 and "
	 "the total below no control, above static",
	 {3, 3, 3, 1},
	 fill_e,
	 LIMIT},
	{'F',
	 "equal priorities, bursts, continuous from 20, 50, 80 s on; 160 s, no "
	 "job ends",
	 "paper: total on par with no control, static far below; jobs 1 to 3 "
	 "gain, job 4 loses little",
	 {1, 1, 1, 1},
	 fill_f,
	 160},
};
const size_t tbf_n_scenarios = sizeof(tbf_scenarios) / sizeof(*tbf_scenarios);

const struct tbf_scenario *tbf_scenario(char letter)
{
	for (size_t i = 0; i < tbf_n_scenarios; i++)
		if (tbf_scenarios[i].letter == letter)
			return &tbf_scenarios[i];
	return NULL;
}

static void set_nodes(struct slu_tbf *tbf, const double *nodes)
{
	char text[256] = "";

	for (int j = 0; j < TBF_JOBS; j++)
		sprintf(text + strlen(text), "%d %.0f\n", 1000 + j, nodes[j]);
	slu_tbf_set_nodes(tbf, text, NULL);
}

static void static_rules(const struct tbf_bench *b, struct sim *sim,
			 const double *nodes)
{
	double all = 0;
	char command[128];

	for (int j = 0; j < TBF_JOBS; j++)
		all += nodes[j];
	fake_tbf_set_policy(&sim->fake, b->classes ? "tbf" : "tbf jobid");
	for (int j = 0; j < TBF_JOBS; j++) {
		snprintf(command, sizeof(command),
			 "start s%d jobid={%d} rate=%.0f", j, 1000 + j,
			 fmax(1, b->rate * nodes[j] / all / sim->cpts));
		fake_tbf_command(&sim->fake, command);
	}
}

static struct slu_tbf *controller(const struct tbf_bench *b,
				  enum tbf_policy policy)
{
	static const char *const exempt[] = {"uid=0", NULL};
	struct slu_tbf_settings set = slu_tbf_defaults;
	struct slu_err err;
	struct slu_tbf *tbf;

	set.rate = b->rate;
	set.exempt = b->classes ? exempt : NULL;
	if (b->min_rate > 0)
		set.min_rate = b->min_rate;
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

/* Reads the records of the jobs 1000, 1001, ... from the controller's state; 0
 * if there is no controller. */
static void records(const struct slu_tbf *tbf, double now, double *out)
{
	struct json_object *state, *jobs = NULL;

	memset(out, 0, TBF_JOBS * sizeof(*out));
	if (!tbf)
		return;
	state = slu_tbf_save(tbf, now);
	json_object_object_get_ex(state, "jobs", &jobs);
	for (size_t i = 0; i < json_object_array_length(jobs); i++) {
		struct json_object *job = json_object_array_get_idx(jobs, i);
		const char *id = "1000";

		slu_json_str_opt(job, "job", &id, NULL);
		slu_json_double_opt(job, "record", &out[atoi(id) - 1000], NULL);
	}
	json_object_put(state);
}

static void timeline(const struct sim *sim, const struct slu_tbf *tbf,
		     uint64_t *before)
{
	double record[TBF_JOBS];

	printf("%.1f", sim->now);
	for (int j = 0; j < TBF_JOBS; j++) {
		printf(",%lu", sim->served[j] - before[j]);
		before[j] = sim->served[j];
	}
	records(tbf, sim->now, record);
	for (int j = 0; j < TBF_JOBS; j++)
		printf(",%.0f", record[j]);
	putchar('\n');
}

/* A ring of the total RPCs served, at the last SPAN * FINE measurements. */
struct windows {
	uint64_t seen[SPAN * FINE];
	size_t n;
};

/* Updates most[]: the most RPCs a second in any window of 1 s and of SPAN s. */
static void note_windows(struct windows *w, const struct sim *sim, double *most)
{
	static const size_t span[] = {FINE, SPAN * FINE};
	uint64_t all = 0;

	for (size_t j = 0; j < sim->n_jobs; j++)
		all += sim->served[j];
	for (int k = 0; k < 2; k++)
		if (w->n >= span[k])
			most[k] = fmax(most[k],
				       (double)(all - w->seen[(w->n - span[k]) %
							      (SPAN * FINE)]) *
					       FINE / (double)span[k]);
	w->seen[w->n++ % (SPAN * FINE)] = all;
}

/* Jain's fairness index of the x_j: RPCs that job j got for each node and each
 * second in which it had any waiting. 1: all x_j are equal. */
static double jain(const struct sim *sim, const double *nodes)
{
	double all = 0, squares = 0;

	for (int j = 0; j < TBF_JOBS; j++) {
		double x = (double)sim->served[j] / sim->busy[j] / nodes[j];

		all += x;
		squares += x * x;
	}
	return all * all / (TBF_JOBS * squares);
}

static void sum_up(const struct sim *sim, const struct tbf_scenario *s,
		   struct tbf_result *r)
{
	double end[TBF_JOBS] = {0}, all = 0;

	for (size_t p = 0; p < sim->n_processes; p++) {
		const struct sim_process *proc = &sim->process[p];

		end[proc->job] =
			fmax(end[proc->job],
			     proc->finished > 0 ? proc->finished : sim->now);
	}
	for (int j = 0; j < TBF_JOBS; j++) {
		double served = (double)sim->served[j];

		r->job[j] = served / end[j];
		r->burst[j] = sim->bursts[j]
				      ? sim->wait[j] / (double)sim->bursts[j]
				      : 0;
		r->mean[j] = sim->latency[j] / served;
		r->slow[j] = sim_latency(sim, j, 0.99);
		all += served;
	}
	r->total = all / sim->now;
	r->jain = jain(sim, s->nodes);
}

struct tbf_result tbf_run(const struct tbf_bench *b,
			  const struct tbf_scenario *s, enum tbf_policy policy,
			  double period)
{
	static struct sim sim;
	struct windows windows = {0};
	struct slu_tbf *tbf = NULL;
	struct tbf_result r = {0};
	uint64_t before[TBF_JOBS] = {0};
	double next = 0, look = 0, line = 0;
	size_t commands = 0;

	sim_init(&sim, b->capacity, b->cpts);
	s->fill(&sim);
	if (policy == STATIC)
		static_rules(b, &sim, s->nodes);
	if (policy >= LITERAL) {
		tbf = controller(b, policy);
		set_nodes(tbf, s->nodes);
		fake_tbf_set_policy(&sim.fake, slu_tbf_policy(tbf));
	}
	if (b->timeline)
		printf("# %s\n", tbf_policy_name[policy]);
	while (sim_step(&sim) && sim.now < s->seconds) {
		if (sim.now >= line) {
			if (b->timeline)
				timeline(&sim, tbf, before);
			if (sim.now >= START)
				note_windows(&windows, &sim, r.most);
			line += 1.0 / FINE;
		}
		if (sim.now >= (double)r.records * TBF_RECORD_STEP &&
		    r.records < TBF_RECORDS)
			records(tbf, sim.now, r.record[r.records++]);
		if (!tbf || sim.now < next)
			continue;
		next += period;
		commands += control(tbf, &sim, sim.now >= look);
		look = sim.now >= look ? sim.now + 1 : look;
	}
	sum_up(&sim, s, &r);
	r.commands = (double)commands / sim.now;
	slu_tbf_free(tbf);
	sim_free(&sim);
	return r;
}
