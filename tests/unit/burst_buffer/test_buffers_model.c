/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests a job's buffer with random events in any order: nodes take steps,
 * repeat messages, fail and lose their connection; slurmctld answers late,
 * cancels, requeues and sends its whole state; sluiced restarts. In the end all
 * data to be staged out is staged out or kept; no node passes a barrier too
 * early; no node counts as clean that is not; and everything ends.
 */
#include "config.h"
#include "tests/unit/burst_buffer/burst_world.h"
#include "tests/unit/random.h"

#define SEEDS 150

struct model {
	struct world w;
	uint64_t seed;
	double told_at; /* the verdict of this run; 0: none */
	bool answered;
	bool ran;   /* every node was set up: tasks may have written */
	bool fault; /* something happened in this run that may fail it */
	int runs;
};

static bool chance(struct model *m, unsigned per_mille)
{
	return slu_random(&m->seed, 1000) < per_mille;
}

static struct actor *any_node(struct model *m)
{
	return &m->w.node[slu_random(&m->seed, (uint64_t)m->w.n_node)];
}

static bool all_staged(const struct world *w)
{
	int i;

	for (i = 0; i < w->n_node; i++)
		if (!w->node[i].staged)
			return false;
	return true;
}

/* Lost, given up, or it never began: it does not wait for others, nor they for
 * it. */
static bool left_out(const struct world *w, const struct actor *a)
{
	return a->gone || !a->buffer || w->drained[a - w->node] == 'x';
}

/* A node passes a barrier only when all have arrived. */
static void check_barrier(const struct world *w, const struct actor *a,
			  const struct actor *was)
{
	const char *const *steps = was->where == AT_UP ? up_steps : down_steps;
	int i;

	if (strncmp(steps[was->pos], "barrier", 7) != 0 || a->keep ||
	    left_out(w, a))
		return;
	for (i = 0; i < w->n_node; i++) {
		const struct actor *o = &w->node[i];

		if (o == a || left_out(w, o))
			continue;
		expect(o->where > was->where ||
			       (o->where == was->where &&
				(o->pos > was->pos ||
				 (o->pos == was->pos && o->breath > 0))),
		       "%.64s passed \"%s\" before %.64s", a->name,
		       steps[was->pos], o->name);
	}
}

/* One step of one node, and what must hold about it. */
static void step_node(struct model *m, struct actor *a)
{
	struct world *w = &m->w;
	struct actor was = *a;

	m->fault = m->fault || a->pos == a->fail_at || a->fail_down >= 0;
	step(w, a);
	if (a->where == was.where && a->pos == was.pos + 1)
		check_barrier(w, a, &was);
	if (a->aborted && !was.aborted)
		expect(w->ended || m->answered ||
			       (m->told_at && w->now >= m->told_at + 30),
		       "%s was let go too early", a->name);
	if (was.where == AT_DOWN && was.pos == OUT_DONE && a->pos > was.pos)
		expect(a->keep || all_staged(w), "%s may wipe", a->name);
	if (a->skip && !was.skip)
		expect(!m->ran || all_staged(w), "%s may wipe", a->name);
	if (all_at(w, AT_RUN) && !w->ended) {
		int i;

		m->ran = true;
		for (i = 0; i < w->n_node; i++)
			m->ran = m->ran && !w->node[i].aborted &&
				 !w->node[i].cut;
	}
}

static void repeat(struct model *m, struct actor *a)
{
	struct actor copy = *a;

	if (a->where == AT_UP && a->pos > 0 && !a->cut)
		do_step(&m->w, &copy,
			up_steps[slu_random(&m->seed, (uint64_t)a->pos)], true);
	/* from "out.done" on a step says that those before it were taken */
	if (a->where == AT_DOWN && a->pos > 0 && a->pos < OUT_DONE && !a->cut)
		do_step(&m->w, &copy,
			down_steps[slu_random(&m->seed, (uint64_t)a->pos)],
			true);
	if (a->where == AT_END && a->buffer && a->wiped)
		do_step(&m->w, &copy, "report clean", true);
}

static void cut(struct model *m, struct actor *a)
{
	if (a->cut || a->where == AT_END)
		return;
	a->cut = a->gone = m->fault = true;
	if (chance(m, 800))
		job_nodes(&m->w, NULL, a->name);
}

static void next_run(struct model *m)
{
	struct world *w = &m->w;
	int i;

	w->job.restarts++;
	w->job.start += 1 + (int64_t)(w->now - (double)w->job.start);
	w->job.state = (char *)"RUNNING";
	w->job.completing = false;
	w->started = w->ended = w->left = w->owes_verdict = false;
	m->told_at = 0;
	m->answered = m->ran = m->fault = false;
	m->runs++;
	for (i = 0; i < w->n_node; i++) {
		struct actor *a = &w->node[i];

		a->where = AT_UP;
		a->pos = 0;
		a->buffer = a->staged = 0;
		a->aborted = a->keep = a->skip = a->wiped = a->gone = false;
		a->fail_at = chance(m, 100)
				     ? (int)slu_random(&m->seed, N_UP - 1) + 1
				     : -1;
		a->fail_down =
			chance(m, 100) ? 3 + (int)slu_random(&m->seed, 6) : -1;
		if (a->fail_down >= 0 &&
		    strncmp(down_steps[a->fail_down], "report", 6) != 0)
			a->fail_down = -1;
	}
}

static void slurmctld(struct model *m)
{
	struct world *w = &m->w;
	bool over = all_at(w, AT_END);
	int i;

	for (i = 0; i < w->n_node; i++)
		over = over && !w->node[i].cut;
	if (!w->started) {
		job_start(w);
	} else if (w->owes_verdict) {
		verdict_done(w);
		m->answered = true;
	} else if (!w->ended && (m->answered || chance(m, 20))) {
		job_end(w, m->answered && w->what == SLU_REQUEUE ? "PENDING"
			   : chance(m, 500)			 ? "CANCELLED"
								 : "PENDING");
	} else if (!w->ended && all_at(w, AT_RUN)) {
		job_end(w, chance(m, 700) ? "COMPLETED" : "FAILED");
	} else if (over && w->ended && !w->left) {
		w->left = true;
		job_nodes(w, w->nodes_text, NULL);
	} else if (w->left && strcmp(w->job.state, "PENDING") == 0) {
		next_run(m);
	}
}

/* Take out of the text what begins so, up to one of `ends`. */
static void leave_out(char *text, const char *from, const char *ends)
{
	char *at = strstr(text, from), *end;

	if (!at)
		return;
	end = at + strlen(from);
	end += strcspn(end, ends);
	memmove(at, end, strlen(end) + 1);
}

static char *whole_state(struct world *w)
{
	struct slu_hello_daemon hello;
	struct slu_err err;
	char *text;

	expect_ok(slu_buffers_hello(w->b, &hello, &err), err);
	/* which nodes wait is known again when they ask again */
	for (size_t i = 0; i < hello.n_buffers; i++) {
		*hello.buffers[i].pending = '\0';
		leave_out(hello.buffers[i].text, ", waits for ", ";");
	}
	text = slu_encode_text(&slu_hello_daemon_desc, &hello);
	slu_msg_clear(&slu_hello_daemon_desc, &hello);
	return text;
}

static void restart(struct model *m)
{
	char *before = whole_state(&m->w), *after;

	world_restart(&m->w);
	after = whole_state(&m->w);
	ck_assert_str_eq(before, after);
	free(before);
	free(after);
}

/* Nothing is believed clean that may hold something. */
static void check_clean(struct world *w)
{
	struct slu_err err;
	int i;

	for (i = 0; i < w->n_node; i++) {
		const struct actor *a = &w->node[i];
		int64_t clean;

		if (!a->buffer || a->wiped)
			continue;
		expect_ok(slu_db_value(w->db, &clean, 0, &err,
				       "SELECT State = 5 FROM BufferNode"
				       " WHERE BID = ? AND Position = ?",
				       "Ii", (int64_t)a->buffer, i),
			  err);
		/* it has reported, but the answer is not yet there */
		expect(!clean || (a->where == AT_DOWN && a->pos == N_DOWN - 1),
		       "%s is not clean", a->name);
	}
}

static void one_event(struct model *m)
{
	struct world *w = &m->w;
	bool owed = w->owes_verdict;
	struct actor *a = any_node(m);

	if (chance(m, 700))
		step_node(m, a);
	else if (chance(m, 400))
		repeat(m, a);
	else if (chance(m, 400))
		slurmctld(m);
	else if (chance(m, 40))
		cut(m, a);
	else if (chance(m, 150))
		restart(m);
	else if (chance(m, 150) && w->started && !w->left)
		sync_all(w);
	else if (chance(m, 100))
		w->node[slu_random(&m->seed, (uint64_t)w->n_node)].cut = false;
	else if (chance(m, 50) && (m->fault = true))
		w->now += 40;
	if (w->owes_verdict && !owed) {
		m->told_at = w->now;
		expect(m->fault, "a verdict without a fault: %s", w->reason);
	}
	w->now += (double)slu_random(&m->seed, 30) / 100;
	if (chance(m, 300))
		slu_buffers_tick(w->b, w->now);
}

static void heal(struct model *m)
{
	struct world *w = &m->w;
	int n = 0, i;

	for (i = 0; i < w->n_node; i++)
		w->node[i].cut = false;
	m->runs = 9; /* no more */
	while (!w->left) {
		expect(n++ < 20000, "it does not end: %s %s", w->state,
		       w->text);
		step_node(m, any_node(m));
		if (chance(m, 300))
			slurmctld(m);
		w->now += 0.05;
		slu_buffers_tick(w->b, w->now);
	}
}

static void play(unsigned seed, bool trace)
{
	struct model m = {.seed = seed};
	struct slu_err err;
	int64_t alive;
	int i;

	world_new(&m.w, 1 + (int)(seed % 4), WALK, NULL);
	m.w.trace = trace;
	next_run(&m);
	m.w.job.restarts = 0;
	for (i = 0; i < 1000 && m.runs < 4; i++) {
		one_event(&m);
		check_clean(&m.w);
	}
	if (m.w.left && strcmp(m.w.job.state, "PENDING") == 0)
		m.w.job.state = (char *)"CANCELLED"; /* while it waits */
	heal(&m);
	expect_ok(slu_db_value(m.w.db, &alive, -1, &err,
			       "SELECT COUNT(*) FROM Buffer WHERE State < 6",
			       ""),
		  err);
	ck_assert_int_eq(alive, 0);
	expect_ok(slu_db_check(m.w.db, &err), err);
	ck_assert_int_eq(m.w.errors, 0);
	world_free(&m.w);
}

/* SEED=n shows one play. */
START_TEST(test_model)
{
	const char *only = getenv("SEED");
	unsigned seed;

	if (only) {
		play((unsigned)atoi(only), true);
		return;
	}
	for (seed = 1; seed <= SEEDS; seed++)
		play(seed, false);
}
END_TEST

TEST_MAIN("buffers model", test_model)
