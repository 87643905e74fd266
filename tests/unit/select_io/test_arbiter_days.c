/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests the arbiter in random days of jobs: its total is compared with the best
 * division, found by trying all of them, and its answers with those of a new
 * arbiter.
 */
#include "config.h"
#include "tests/unit/arbiter_help.h"
#include "select_io/ion/assignment_delta.h"
#include "tests/unit/random.h"

/*
 * Random days. The applications' curves are given point by point, so that the
 * best total can be found by trying everything.
 */
#define IONS 6
#define JOBS 5

struct world {
	enum slu_ion_policy policy;
	bool remap;
	uint64_t seed;
	double rate[4][5]; /* application, I/O nodes; rate[3] is unknown */
	struct slu_job job[JOBS];
	size_t n;
	uint32_t up; /* bit i: ion(i+1) is available */
	struct slu_assignment last;
};

static struct slu_arbiter *arbiter_of(const struct world *w)
{
	struct slu_conf conf = conf_of("ion[1-6]", w->policy);
	struct slu_arbiter *a;
	struct slu_err err;

	conf.remap_running = w->remap;
	a = slu_arbiter_new(&conf, 16, &err);
	ck_assert_msg(a != NULL, "%s", err.text);
	slu_hosts_free(&conf.io_nodes);
	return a;
}

static char *app_name[] = {"app0", "app1", "app2", "app3"};

static void teach_world(const struct world *w, struct slu_arbiter *a)
{
	for (int app = 0; app < 3; app++)
		for (uint32_t n = 1; n <= 8; n++)
			for (uint32_t nodes = 1; nodes <= 8; nodes++)
				learn(a, app_name[app], nodes, n,
				      w->rate[app][n < 4 ? n : 4]);
}

static int app_of(const struct slu_job *job)
{
	return job->name[3] - '0';
}

static double best_total(const struct world *w, size_t from, int room)
{
	const double *rate;
	double best = -1;

	if (from == w->n)
		return 0;
	rate = w->rate[app_of(&w->job[from])];
	for (int k = 1; k <= 8 && k <= room; k++) {
		double rest, here = rate[k < 4 ? k : 4]; /* flat above 4 */

		if (w->job[from].node_cnt % (uint32_t)k != 0)
			continue;
		rest = best_total(w, from + 1, room - k);
		if (rest >= 0 && rest + here > best)
			best = rest + here;
	}
	return best;
}

static bool is_up(const struct world *w, const char *ion)
{
	return w->up >> (ion[3] - '1') & 1;
}

/* STATIC moves no job. */
static void check_sharing(const struct world *w,
			  const struct slu_ion_share *old,
			  const struct slu_ion_share *now)
{
	if (w->policy == SLU_ION_STATIC && old->shared && old->ions &&
	    *old->ions && is_up(w, old->ions)) {
		ck_assert(now->shared);
		ck_assert_str_eq(old->ions, now->ions);
	}
}

static void check_unchanged(const struct world *w,
			    const struct slu_ion_share *now)
{
	for (size_t i = 0; i < w->last.n_jobs; i++) {
		const struct slu_ion_share *old = &w->last.jobs[i];
		struct slu_hosts was = {0}, is = {0};
		struct slu_err err;
		bool alive = true;

		if (old->job_id != now->job_id)
			continue;
		if (old->shared || now->shared) {
			check_sharing(w, old, now);
			continue;
		}
		expect_ok(slu_hosts_parse(old->ions, &was, &err), err);
		expect_ok(slu_hosts_parse(now->ions, &is, &err), err);
		for (size_t k = 0; k < was.n; k++)
			alive = alive && is_up(w, was.name[k]);
		if (alive && was.n == is.n)
			ck_assert_str_eq(old->ions, now->ions);
		if (alive && was.n > 0 && w->policy == SLU_ION_STATIC)
			ck_assert_uint_eq(was.n, is.n);
		slu_hosts_free(&was);
		slu_hosts_free(&is);
	}
}

static void check_nodes(const struct world *w, const struct slu_assignment *now)
{
	uint32_t owned = 0, shared = 0;
	int up = __builtin_popcount(w->up);

	for (size_t i = 0; i < now->n_jobs; i++) {
		const struct slu_ion_share *s = &now->jobs[i];
		struct slu_hosts ions = {0};
		struct slu_err err;

		expect_ok(slu_hosts_parse(s->ions, &ions, &err), err);
		ck_assert_uint_eq(s->job_id, w->job[i].job_id);
		expect(up == 0 ? ions.n == 0
			       : ions.n >= 1 &&
					 w->job[i].node_cnt % ions.n == 0,
		       "%s", s->ions);
		ck_assert(!s->shared || ions.n == 1);
		for (size_t k = 0; k < ions.n; k++) {
			uint32_t bit = 1u << (ions.name[k][3] - '1');

			ck_assert(w->up & bit);
			ck_assert(s->shared || !(owned & bit));
			*(s->shared ? &shared : &owned) |= bit;
		}
		slu_hosts_free(&ions);
		check_unchanged(w, s);
	}
	ck_assert_int_le(__builtin_popcount(shared), 1);
	ck_assert(w->policy == SLU_ION_STATIC || !w->remap ||
		  !(owned & shared));
}

static void tell_up(const struct world *w, struct slu_arbiter *a)
{
	struct slu_hosts down = {0};
	char name[8];

	for (int i = 0; i < IONS; i++)
		if (!(w->up >> i & 1)) {
			snprintf(name, sizeof(name), "ion%d", i + 1);
			slu_hosts_add(&down, name);
		}
	slu_arbiter_unavailable(a, &down);
	slu_hosts_free(&down);
}

/* One that has seen nothing but this set, in the opposite order. */
static double fresh_total(const struct world *w)
{
	struct slu_arbiter *a = arbiter_of(w);
	struct slu_assignment got;
	struct slu_err err;
	double total;

	teach_world(w, a);
	for (size_t i = w->n; i-- > 0;)
		expect_ok(slu_arbiter_start(a, &w->job[i], &err), err);
	tell_up(w, a);
	solve(a, &got);
	total = got.total;
	slu_msg_clear(&slu_assignment_desc, &got);
	slu_arbiter_free(a);
	return total;
}

static void check_totals(const struct world *w,
			 const struct slu_assignment *now)
{
	bool known = true;
	double best;

	for (size_t i = 0; i < w->n; i++)
		known = known && app_of(&w->job[i]) != 3;
	if (!known)
		return;
	ck_assert_double_eq_tol(now->total, fresh_total(w), 0.01);
	ck_assert_double_ge(now->total, now->static_total - 0.01);
	best = best_total(w, 0, __builtin_popcount(w->up));
	if (best >= 0)
		ck_assert_double_eq_tol(now->total, best, 0.01);
}

static void start_one(struct world *w, struct slu_arbiter *a, uint32_t id)
{
	struct slu_err err;
	struct slu_job job = make_job(id, app_name[slu_random(&w->seed, 4)],
				      1 + (uint32_t)slu_random(&w->seed, 8));

	if (w->n == JOBS)
		return;
	job.nodes = "n[1-8]";
	if (!strcmp(job.name, "app3")) /* of somebody else */
		job.uid = 8;
	expect_ok(slu_arbiter_start(a, &job, &err), err);
	w->job[w->n++] = job;
}

static void end_one(struct world *w, struct slu_arbiter *a)
{
	size_t i = slu_random(&w->seed, w->n);

	slu_arbiter_end(a, w->job[i].job_id);
	memmove(&w->job[i], &w->job[i + 1], (--w->n - i) * sizeof(w->job[0]));
}

/* The same that it knew already. */
static void teach_one(struct world *w, struct slu_arbiter *a)
{
	const struct slu_job *job = &w->job[slu_random(&w->seed, w->n)];
	uint32_t ions = 1 + (uint32_t)slu_random(&w->seed, 4);

	if (app_of(job) != 3)
		learn(a, job->name, job->node_cnt, ions,
		      w->rate[app_of(job)][ions]);
}

/* Another one that knows what runs, and what was in force. */
static struct slu_arbiter *restart(const struct world *w, struct slu_arbiter *a)
{
	struct slu_arbiter *b = arbiter_of(w);
	struct slu_err err;

	slu_arbiter_free(a);
	teach_world(w, b);
	expect_ok(slu_arbiter_set(b, w->job, w->n, &err), err);
	expect_ok(slu_arbiter_resume(b, &w->last, &err), err);
	return b;
}

/* The last assignment with its changes applied must equal the whole new
 * assignment. */
static void solve_both_ways(const struct world *w, struct slu_arbiter *a,
			    uint32_t step, struct slu_assignment *now)
{
	struct slu_assignment whole;
	struct slu_err err;
	char *text[2];
	size_t i = 0;

	expect_ok(slu_arbiter_changes(a, now, &err), err);
	ck_assert_uint_le(now->n_jobs, w->n);
	now->base = w->last.epoch;
	if (now->base)
		expect_ok(slu_delta_apply(&w->last, now, &err), err);
	solve(a, &whole);
	now->epoch = whole.epoch = step;
	/* It is of another solve, which may prove and wish something else. */
	whole.bound = now->bound;
	for (size_t k = 0; !w->remap && k < whole.n_jobs; k++)
		whole.jobs[k].wanted = now->jobs[k].wanted;
	text[0] = slu_encode_text(&slu_assignment_desc, now);
	text[1] = slu_encode_text(&slu_assignment_desc, &whole);
	while (text[0][i] && text[0][i] == text[1][i])
		i++;
	expect(text[0][i] == text[1][i], "...%.300s, not %.300s", text[0] + i,
	       text[1] + i);
	free(text[0]);
	free(text[1]);
	slu_msg_clear(&slu_assignment_desc, &whole);
}

static void random_day(enum slu_ion_policy policy, bool remap, uint64_t seed)
{
	struct world w = {
		.policy = policy, .remap = remap, .seed = seed, .up = 63};
	struct slu_arbiter *a = arbiter_of(&w);

	for (int app = 0; app < 4; app++)
		for (int n = 1; n <= 4; n++)
			w.rate[app][n] = (double)(1 + slu_random(&w.seed, 30));
	teach_world(&w, a);
	for (uint32_t step = 1; step <= 60; step++) {
		uint64_t what = slu_random(&w.seed, 8);
		struct slu_assignment now;
		bool again;

		if (what < 4)
			start_one(&w, a, step);
		else if (what < 7 && w.n > 0)
			end_one(&w, a);
		else
			w.up ^= 1u << slu_random(&w.seed, IONS);
		again = slu_random(&w.seed, 10) == 0;
		if (again)
			a = restart(&w, a);
		tell_up(&w, a);
		if (again)
			w.last.epoch = 0;
		if (slu_random(&w.seed, 4) == 0 && w.n > 0)
			teach_one(&w, a);
		solve_both_ways(&w, a, step, &now);
		ck_assert_uint_eq(now.n_jobs, w.n);
		check_nodes(&w, &now);
		if (policy == SLU_ION_MCKP && remap)
			check_totals(&w, &now);
		slu_msg_clear(&slu_assignment_desc, &w.last);
		w.last = now;
	}
	slu_msg_clear(&slu_assignment_desc, &w.last);
	slu_arbiter_free(a);
}

START_TEST(test_random_days)
{
	for (uint64_t seed = 1; seed <= 40; seed++) {
		random_day(SLU_ION_MCKP, true, seed);
		random_day(SLU_ION_MCKP, false, seed);
		random_day(SLU_ION_STATIC, true, seed);
	}
}
END_TEST

TEST_MAIN("arbiter_days", test_random_days)
