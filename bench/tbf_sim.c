/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulates the storage target of tbf_sim.h in fixed time steps, not event by
 * event.
 */
#include "config.h"
#include "bench/tbf_sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool under_tbf(const struct sim *sim)
{
	return strncmp(sim->fake.policy, "tbf", 3) == 0;
}

static void job_name(int job, char out[16])
{
	snprintf(out, 16, "%d", 1000 + job);
}

static struct sim_class *class_of(struct sim *sim, unsigned p)
{
	unsigned cpt = p % sim->cpts;
	struct sim_class *c = sim->class;
	char job[16], client[32];

	job_name(sim->process[p].job, job);
	snprintf(client, sizeof(client), "10.0.0.%u@tcp_4_0_0", p);
	while (c < sim->class + sim->n_classes &&
	       !fake_tbf_is_class(&sim->fake, &c->bucket, job, client, cpt))
		c++;
	if (c == sim->class + sim->n_classes) {
		sim->n_classes++;
		*c = (struct sim_class){
			.bucket = fake_tbf_class(&sim->fake, job, client, cpt)};
	}
	return c;
}

static void arrive(struct sim *sim, unsigned p)
{
	struct sim_class *c;

	if (!under_tbf(sim)) {
		sim->fifo[(sim->fifo_head + sim->fifo_n++) % SIM_QUEUE] = p;
		return;
	}
	c = class_of(sim, p);
	fake_tbf_arrive(&sim->fake, &c->bucket, sim->now);
	c->queue[(c->head + c->queued++) % (SIM_QUEUE / 16)] = p;
}

/* Has it, or its client, room for another RPC on its way? */
static bool has_room(const struct sim *sim, const struct sim_process *proc)
{
	uint64_t all = proc->issued - proc->done;

	for (size_t k = 0; proc->client && k < sim->n_processes; k++) {
		const struct sim_process *other = &sim->process[k];

		if (other != proc && other->client == proc->client)
			all += other->issued - other->done;
	}
	return all < proc->window;
}

static void issue(struct sim *sim, unsigned p)
{
	struct sim_process *proc = &sim->process[p];

	if (sim->now < proc->begin || proc->finished > 0)
		return;
	if (proc->interval > 0 && sim->now >= proc->next &&
	    proc->done == proc->allowed && proc->allowed < proc->volume) {
		proc->allowed += proc->burst;
		proc->allowed = proc->allowed < proc->volume ? proc->allowed
							     : proc->volume;
		sim->burst_begin[p] = sim->now;
		proc->next = fmax(proc->next, proc->begin) + proc->interval;
	}
	while (proc->issued < proc->allowed && has_room(sim, proc)) {
		proc->issued_at[proc->issued++ % SIM_WINDOW] = sim->now;
		arrive(sim, p);
	}
}

#define LATENCY_STEPS 32 /* for twice as long */

/* A process's RPCs are served in the order of their issue. */
static void note_latency(struct sim *sim, const struct sim_process *proc)
{
	double took = sim->now - proc->issued_at[proc->done % SIM_WINDOW];
	double step = LATENCY_STEPS * log2(1 + took / SIM_STEP);

	sim->latency[proc->job] += took;
	sim->latencies[proc->job][(int)fmin(step, SIM_LATENCIES - 1)]++;
}

double sim_latency(const struct sim *sim, int job, double part)
{
	double left = part * (double)sim->served[job];

	for (int k = 0; left > 0 && k < SIM_LATENCIES; k++) {
		left -= sim->latencies[job][k];
		if (left <= 0)
			return SIM_STEP * (exp2((k + 1.0) / LATENCY_STEPS) - 1);
	}
	return 0;
}

static void complete(struct sim *sim, unsigned p)
{
	struct sim_process *proc = &sim->process[p];

	note_latency(sim, proc);
	proc->done++;
	sim->bytes[proc->job] +=
		sim->rpc_bytes[proc->job] ? sim->rpc_bytes[proc->job] : 1 << 20;
	if (sim->served[proc->job]++ == 0)
		sim->start[proc->job] = sim->now;
	if (proc->interval > 0 && proc->done == proc->allowed) {
		sim->wait[proc->job] += sim->now - sim->burst_begin[p];
		sim->bursts[proc->job]++;
	}
	if (proc->done == proc->volume)
		proc->finished = sim->now;
}

/* The whole tokens of the class. As in Lustre, they are only updated when it is
 * served, which drops the fraction. */
static double tokens(const struct sim *sim, const struct fake_class *c)
{
	return fmin(c->tokens + floor((sim->now - c->check) * c->rate + 1e-9),
		    FAKE_DEPTH);
}

/* The class with the earliest deadline, if it has a token. */
static struct sim_class *pick(struct sim *sim)
{
	struct sim_class *best = NULL;
	double due, earliest = INFINITY;

	for (struct sim_class *c = sim->class; c < sim->class + sim->n_classes;
	     c++) {
		due = c->bucket.check + 1.0 / c->bucket.rate;
		if (c->queued > 0 && due < earliest) {
			earliest = due;
			best = c;
		}
	}
	return best && tokens(sim, &best->bucket) >= 1 ? best : NULL;
}

/* Serves one RPC, if any is eligible. */
static bool serve(struct sim *sim)
{
	struct sim_class *c;
	unsigned p;

	if (sim->fifo_n > 0) {
		p = sim->fifo[sim->fifo_head];
		sim->fifo_head = (sim->fifo_head + 1) % SIM_QUEUE;
		sim->fifo_n--;
	} else {
		c = pick(sim);
		if (!c)
			return false;
		c->bucket.tokens = tokens(sim, &c->bucket) - 1;
		c->bucket.check = sim->now;
		p = c->queue[c->head];
		c->head = (c->head + 1) % (SIM_QUEUE / 16);
		c->queued--;
	}
	complete(sim, p);
	for (size_t k = 1; k <= sim->n_processes; k++) { /* a turn each */
		unsigned q = (unsigned)((p + k) % sim->n_processes);

		if (q == p ||
		    (sim->process[p].client &&
		     sim->process[q].client == sim->process[p].client))
			issue(sim, q);
	}
	return true;
}

static void note_busy(struct sim *sim)
{
	bool busy[SIM_JOBS] = {false};

	for (size_t p = 0; p < sim->n_processes; p++)
		busy[sim->process[p].job] |=
			sim->process[p].issued > sim->process[p].done;
	for (size_t j = 0; j < sim->n_jobs; j++)
		sim->busy[j] += busy[j] ? SIM_STEP : 0;
}

bool sim_step(struct sim *sim)
{
	bool live = false;

	sim->now += SIM_STEP;
	note_busy(sim);
	for (size_t k = 0; k < sim->n_processes; k++) {
		/* rotates the first process */
		unsigned p = (unsigned)((k + (size_t)(sim->now / SIM_STEP)) %
					sim->n_processes);

		issue(sim, p);
		live |= sim->process[p].finished == 0;
	}
	sim->credit = fmin(sim->credit + sim->capacity * SIM_STEP, 2);
	while (sim->credit >= 1 && serve(sim))
		sim->credit--;
	return live;
}

void sim_add(struct sim *sim, int job, struct sim_process process)
{
	struct sim_process *p = &sim->process[sim->n_processes++];

	*p = process;
	p->job = job;
	p->next = p->begin;
	p->allowed = p->interval > 0 ? 0 : p->volume;
	if (sim->n_jobs < (size_t)job + 1)
		sim->n_jobs = (size_t)job + 1;
}

/* The controller's access to the simulated server. */
static int sim_job_stats(struct slu_lustre *lustre, struct slu_jobstats *stats,
			 struct slu_err *err)
{
	struct sim *sim = (struct sim *)lustre;
	struct slu_buf text = {0};
	char name[16];
	int ret;

	slu_buf_puts(&text, "obdfilter.sim-OST0000.job_stats=\njob_stats:\n");
	for (size_t j = 0; j < sim->n_jobs; j++) {
		if (sim->served[j] == 0)
			continue;
		job_name((int)j, name);
		slu_buf_printf(&text,
			       "- job_id:          %s%s\n"
			       "  start_time:      %.9f secs.nsecs\n"
			       "  write_bytes:     { samples: %lu, unit: bytes,"
			       " sum: %lu }\n",
			       strcmp(sim->fake.policy, "tbf uid") ? "" : "p.",
			       name, sim->start[j], sim->served[j],
			       sim->bytes[j]);
	}
	ret = slu_jobstats_parse(stats, text.data, text.len, err);
	slu_buf_free(&text);
	return ret;
}

static unsigned sim_classes(void *arg, const struct fake_rule *rule,
			    unsigned cpt)
{
	struct sim *sim = arg;
	unsigned n = 0;

	for (size_t i = 0; i < sim->n_classes; i++)
		n += sim->class[i].bucket.cpt == cpt &&
		     sim->class[i].bucket.rule == rule->number;
	return n;
}

static int sim_rules(struct slu_lustre *lustre, struct slu_buf *out,
		     struct slu_err *err)
{
	struct sim *sim = (struct sim *)lustre;

	slu_buf_reset(out);
	if (fake_tbf_dump(&sim->fake, sim_classes, sim, out))
		return slu_err(err, SLU_NOTFOUND, "no tbf");
	return 0;
}

static int sim_set_rule(struct slu_lustre *lustre, const char *command,
			struct slu_err *err)
{
	struct sim *sim = (struct sim *)lustre;
	int rc = fake_tbf_command(&sim->fake, command);

	return rc ? slu_err(err, SLU_IO, "%s: %s", command, strerror(rc)) : 0;
}

int sim_init(struct sim *sim, double capacity, unsigned cpts)
{
	*sim = (struct sim){
		.capacity = capacity,
		.cpts = cpts,
		.lustre = {.job_stats = sim_job_stats,
			   .rules = sim_rules,
			   .set_rule = sim_set_rule},
	};
	return fake_tbf_init(&sim->fake, cpts);
}

void sim_free(struct sim *sim)
{
	fake_tbf_free(&sim->fake);
}
