/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include <math.h>
#include "common/str.h"
#include "select_io/ion/arbiter.h"

static struct slu_conf conf_of(const char *ions, enum slu_ion_policy policy)
{
	struct slu_conf conf = {.max_ions_per_job = 8, .ion_policy = policy};
	struct slu_err err;

	expect_ok(slu_hosts_parse(ions, &conf.io_nodes, &err), err);
	return conf;
}

static struct slu_arbiter *new_arbiter(const char *ions, uint32_t compute,
				       enum slu_ion_policy policy)
{
	struct slu_conf conf = conf_of(ions, policy);
	struct slu_err err;
	struct slu_arbiter *a = slu_arbiter_new(&conf, compute, &err);

	ck_assert_msg(a != NULL, "%s", err.text);
	slu_hosts_free(&conf.io_nodes);
	return a;
}

static struct slu_job make_job(uint32_t id, char *name, uint32_t nodes)
{
	return (struct slu_job){.job_id = id,
				.uid = 7,
				.name = name,
				.nodes = "n[1-99]",
				.node_cnt = nodes,
				.ion_max = SLU_NO_ID};
}

static void start(struct slu_arbiter *a, uint32_t id, char *name,
		  uint32_t nodes)
{
	struct slu_job job = make_job(id, name, nodes);
	struct slu_err err;

	expect_ok(slu_arbiter_start(a, &job, &err), err);
}

static void learn(struct slu_arbiter *a, char *name, uint32_t nodes,
		  uint32_t ions, double bandwidth)
{
	struct slu_history_row row = {.job = make_job(1, name, nodes),
				      .io_bandwidth = bandwidth};

	row.job.ions = ions;
	slu_arbiter_learn(a, &row);
}

static void unavailable(struct slu_arbiter *a, const char *ions)
{
	struct slu_hosts hosts;
	struct slu_err err;

	expect_ok(slu_hosts_parse(ions, &hosts, &err), err);
	slu_arbiter_unavailable(a, &hosts);
	slu_hosts_free(&hosts);
}

static void solve(struct slu_arbiter *a, struct slu_assignment *out)
{
	struct slu_err err;

	expect_ok(slu_arbiter_solve(a, out, &err), err);
}

/* Solve, and write "1:ion1 2:ion[2-3] 3:ion4(shared)". */
static const char *shown(struct slu_arbiter *a)
{
	static char text[512];
	struct slu_assignment got;

	solve(a, &got);
	text[0] = '\0';
	for (size_t i = 0; i < got.n_jobs; i++)
		sprintf(text + strlen(text), "%s%u:%s%s", i ? " " : "",
			got.jobs[i].job_id, got.jobs[i].ions,
			got.jobs[i].shared ? "(shared)" : "");
	slu_msg_clear(&slu_assignment_desc, &got);
	return text;
}

/* A day with eight I/O nodes: what the room's documentation promises, step by
 * step. */
START_TEST(test_story)
{
	struct slu_arbiter *a = new_arbiter("ion[1-8]", 32, SLU_ION_MCKP);

	ck_assert_str_eq(shown(a), "");
	start(a, 10, "sim", 8);
	ck_assert_str_eq(shown(a), "10:ion[1-2]"); /* 8 * 8 / 32 */
	start(a, 11, "io", 4);
	ck_assert_str_eq(shown(a), "10:ion[1-2] 11:ion3");
	slu_arbiter_end(a, 11);
	learn(a, "io", 4, 1, 100);
	learn(a, "io", 4, 4, 380);
	start(a, 12, "io", 4);
	ck_assert_str_eq(shown(a), "10:ion[1-2] 12:ion[3-6]");
	start(a, 12, "io", 4); /* again */
	start(a, 13, "io", 4);
	start(a, 14, "sim", 8);
	ck_assert_str_eq(shown(a), "10:ion[1-2] 12:ion[3-4] 13:ion[5-6] "
				   "14:ion[7-8]");
	ck_assert_uint_eq(slu_arbiter_held(a, 12), 2);
	ck_assert_uint_eq(slu_arbiter_held(a, 99), 0);
	unavailable(a, "ion[1,5],elsewhere");
	ck_assert_str_eq(shown(a), "10:ion[2,4] 12:ion3 13:ion6 14:ion[7-8]");
	unavailable(a, "");
	slu_arbiter_end(a, 10);
	slu_arbiter_end(a, 10); /* again */
	slu_arbiter_end(a, 14);
	ck_assert_str_eq(shown(a), "12:ion[1-4] 13:ion[5-8]");
	slu_arbiter_free(a);
}
END_TEST

START_TEST(test_answer)
{
	struct slu_arbiter *a = new_arbiter("ion[1-4]", 16, SLU_ION_MCKP);
	struct slu_assignment got;

	learn(a, "io", 4, 1, 100);
	learn(a, "io", 4, 2, 150);
	learn(a, "io", 4, 2, 250);
	learn(a, "new", 4, 1, 0); /* no I/O: teaches nothing */
	learn(a, "new", 4, 0, 50);
	learn(a, "io", 4, 0, 50); /* without direct access: not known why */
	start(a, 2, "io", 4);
	start(a, 1, "new", 4);
	solve(a, &got);
	ck_assert_str_eq(got.policy, "MCKP");
	ck_assert_str_eq(got.ions, "ion[1-4]");
	ck_assert_double_eq(got.total, 200);
	ck_assert_double_eq(got.static_total, 100);
	ck_assert_uint_eq(got.n_jobs, 2);
	ck_assert_uint_eq(got.jobs[0].job_id, 1);
	ck_assert_str_eq(got.jobs[0].why, "no history: as STATIC");
	ck_assert_double_eq(got.jobs[0].bandwidth, 0);
	ck_assert_uint_eq(got.jobs[0].wanted, 1);
	ck_assert_str_eq(got.jobs[1].why, "history: 1 gave 100.0 MB/s (1 run), "
					  "2 gave 200.0 MB/s (2 runs)");
	ck_assert_double_eq(got.jobs[1].bandwidth, 200);
	ck_assert_uint_eq(got.jobs[1].wanted, 2);
	ck_assert_str_eq(got.jobs[1].nodes, "n[1-99]");
	ck_assert_str_eq(got.jobs[1].name, "io");
	slu_msg_clear(&slu_assignment_desc, &got);
	slu_arbiter_free(a);
}
END_TEST

/* #BB forward max=, DirectAccess. */
START_TEST(test_limits)
{
	struct slu_conf conf = conf_of("ion[1-8]", SLU_ION_MCKP);
	struct slu_job job = make_job(1, "io", 8), jobs[2];
	struct slu_arbiter *a;
	struct slu_err err;

	conf.direct_access = true;
	a = slu_arbiter_new(&conf, 8, &err);
	learn(a, "io", 8, 8, 800);
	learn(a, "quick", 8, 0, 900);
	learn(a, "quick", 8, 1, 100);
	job.ion_max = 3;
	expect_ok(slu_arbiter_start(a, &job, &err), err);
	job.job_id = 2;
	job.ion_max = 0; /* forward max=none */
	expect_ok(slu_arbiter_start(a, &job, &err), err);
	start(a, 3, "quick", 8);
	ck_assert_str_eq(shown(a), "1:ion[1-2] 2: 3:");
	conf.direct_access = false;
	conf.max_ions_per_job = 1;
	expect_ok(slu_arbiter_configure(a, &conf, 8, &err), err);
	ck_assert_str_eq(shown(a), "1:ion1 2: 3:ion2");
	expect_fail(slu_arbiter_configure(a, &conf, 0, &err), err, SLU_INVALID,
		    "no compute nodes");
	job = make_job(9, "x", 0);
	expect_fail(slu_arbiter_start(a, &job, &err), err, SLU_INVALID,
		    "job 9 has no nodes");
	jobs[0] = job;
	jobs[1] = make_job(2, "io", 8);
	jobs[1].start = 77; /* another run, which asks for nothing */
	expect_fail(slu_arbiter_set(a, jobs, 2, &err), err, SLU_INVALID,
		    "job 9 has no nodes");
	ck_assert_str_eq(shown(a), "2:ion1");
	slu_arbiter_free(a);
	slu_hosts_free(&conf.io_nodes);
}
END_TEST

/* More than exists is not even wanted. */
START_TEST(test_wanted)
{
	struct slu_arbiter *a = new_arbiter("ion[1-2]", 8, SLU_ION_MCKP);
	struct slu_assignment got;

	learn(a, "io", 8, 8, 800);
	start(a, 1, "io", 8);
	start(a, 2, "io", 8);
	solve(a, &got);
	ck_assert_uint_eq(got.jobs[0].wanted, 2);
	ck_assert_str_eq(got.jobs[0].ions, "ion1");
	slu_msg_clear(&slu_assignment_desc, &got);
	slu_arbiter_free(a);
}
END_TEST

START_TEST(test_shared)
{
	struct slu_arbiter *a = new_arbiter("ion[1-2]", 8, SLU_ION_MCKP);

	learn(a, "fast", 1, 1, 90);
	learn(a, "slow", 1, 1, 10);
	start(a, 1, "slow", 1);
	start(a, 2, "slow", 1);
	ck_assert_str_eq(shown(a), "1:ion1 2:ion2");
	start(a, 3, "fast", 1);
	ck_assert_str_eq(shown(a), "1:ion2(shared) 2:ion2(shared) 3:ion1");
	ck_assert_uint_eq(slu_arbiter_held(a, 1), 0);
	ck_assert_uint_eq(slu_arbiter_held(a, 3), 1);
	unavailable(a, "ion1");
	ck_assert_str_eq(shown(a), "1:ion2(shared) 2:ion2(shared) "
				   "3:ion2(shared)");
	unavailable(a, "ion[1-2]");
	ck_assert_str_eq(shown(a), "1: 2: 3:");
	unavailable(a, "");
	slu_arbiter_end(a, 2);
	ck_assert_str_eq(shown(a), "1:ion1 3:ion2");
	slu_arbiter_free(a);
}
END_TEST

START_TEST(test_static)
{
	struct slu_arbiter *a = new_arbiter("ion[1-4]", 16, SLU_ION_STATIC);

	learn(a, "io", 8, 4, 900); /* does not matter */
	start(a, 5, "io", 8);
	start(a, 6, "io", 4);
	ck_assert_str_eq(shown(a), "5:ion[1-2] 6:ion3");
	start(a, 3, "io", 8); /* only one is left */
	ck_assert_str_eq(shown(a), "3:ion4 5:ion[1-2] 6:ion3");
	start(a, 7, "io", 8); /* none is left */
	ck_assert_str_eq(shown(a), "3:ion4 5:ion[1-2] 6:ion3 7:ion2(shared)");
	slu_arbiter_end(a, 6);
	ck_assert_str_eq(shown(a), "3:ion4 5:ion[1-2] 7:ion3(shared)");
	start(a, 8, "io", 16);
	ck_assert_str_eq(shown(a), "3:ion4 5:ion[1-2] 7:ion3(shared) "
				   "8:ion3(shared)");
	slu_arbiter_end(a, 5);
	start(a, 9, "io", 16);
	ck_assert_str_eq(shown(a), "3:ion4 7:ion3(shared) 8:ion3(shared) "
				   "9:ion[1-2]");
	slu_arbiter_free(a);
}
END_TEST

/* A new pool, and a restart: jobs keep what they hold. */
START_TEST(test_kept)
{
	struct slu_arbiter *a = new_arbiter("ion[1-4]", 8, SLU_ION_MCKP), *b;
	struct slu_conf conf = conf_of("ion[9,3-4,8]", SLU_ION_MCKP);
	struct slu_job jobs[2] = {make_job(2, "a", 2), make_job(3, "b", 2)};
	struct slu_assignment before;
	struct slu_err err;

	start(a, 1, "a", 4);
	start(a, 2, "a", 2);
	start(a, 3, "a", 2);
	ck_assert_str_eq(shown(a), "1:ion[1-2] 2:ion3 3:ion4");
	slu_arbiter_end(a, 1);
	expect_ok(slu_arbiter_configure(a, &conf, 8, &err), err);
	ck_assert_str_eq(shown(a), "2:ion3 3:ion4");
	slu_arbiter_end(a, 2);
	start(a, 4, "a", 2);
	ck_assert_str_eq(shown(a), "3:ion4 4:ion9");
	solve(a, &before);

	b = new_arbiter("ion[1-9]", 9, SLU_ION_MCKP);
	jobs[0].job_id = 4;
	expect_ok(slu_arbiter_set(b, jobs, 2, &err), err);
	expect_ok(slu_arbiter_resume(b, &before, &err), err);
	ck_assert_str_eq(shown(b), "3:ion[1,4] 4:ion[2,9]");
	expect_ok(slu_arbiter_set(b, &jobs[1], 1, &err), err);
	ck_assert_str_eq(shown(b), "3:ion[1,4]");
	slu_msg_clear(&slu_assignment_desc, &before);
	slu_hosts_free(&conf.io_nodes);
	slu_arbiter_free(a);
	slu_arbiter_free(b);
}
END_TEST

/*
 * Random days. The applications' curves are given point by point, so that the
 * best total can be found by trying everything.
 */
#define IONS 6
#define JOBS 5

struct world {
	enum slu_ion_policy policy;
	uint64_t seed;
	double rate[4][5]; /* application, I/O nodes; rate[3] is unknown */
	struct slu_job job[JOBS];
	size_t n;
	uint32_t up; /* bit i: ion(i+1) is available */
	struct slu_assignment last;
};

static char *app_name[] = {"app0", "app1", "app2", "app3"};

static void teach_world(const struct world *w, struct slu_arbiter *a)
{
	for (int app = 0; app < 3; app++)
		for (uint32_t n = 1; n <= 4; n++)
			for (uint32_t nodes = 1; nodes <= 8; nodes++)
				learn(a, app_name[app], nodes, n,
				      w->rate[app][n]);
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

static void check_unchanged(const struct world *w,
			    const struct slu_ion_share *now)
{
	for (size_t i = 0; i < w->last.n_jobs; i++) {
		const struct slu_ion_share *old = &w->last.jobs[i];
		struct slu_hosts was = {0}, is = {0};
		struct slu_err err;
		bool alive = true;

		if (old->job_id != now->job_id || old->shared || now->shared)
			continue;
		expect_ok(slu_hosts_parse(old->ions, &was, &err), err);
		expect_ok(slu_hosts_parse(now->ions, &is, &err), err);
		for (size_t k = 0; k < was.n; k++)
			alive = alive && (w->up >> (was.name[k][3] - '1') & 1);
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
	ck_assert(w->policy == SLU_ION_STATIC || !(owned & shared));
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
	struct slu_arbiter *a = new_arbiter("ion[1-6]", 16, w->policy);
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
	expect_ok(slu_arbiter_start(a, &job, &err), err);
	w->job[w->n++] = job;
}

static void end_one(struct world *w, struct slu_arbiter *a)
{
	size_t i = slu_random(&w->seed, w->n);

	slu_arbiter_end(a, w->job[i].job_id);
	memmove(&w->job[i], &w->job[i + 1], (--w->n - i) * sizeof(w->job[0]));
}

static void random_day(enum slu_ion_policy policy, uint64_t seed)
{
	struct world w = {.policy = policy, .seed = seed, .up = 63};
	struct slu_arbiter *a = new_arbiter("ion[1-6]", 16, policy);

	for (int app = 0; app < 4; app++)
		for (int n = 1; n <= 4; n++)
			w.rate[app][n] = (double)(1 + slu_random(&w.seed, 30));
	teach_world(&w, a);
	for (uint32_t step = 1; step <= 60; step++) {
		uint64_t what = slu_random(&w.seed, 8);
		struct slu_assignment now;

		if (what < 4)
			start_one(&w, a, step);
		else if (what < 7 && w.n > 0)
			end_one(&w, a);
		else
			w.up ^= 1u << slu_random(&w.seed, IONS);
		tell_up(&w, a);
		solve(a, &now);
		ck_assert_uint_eq(now.n_jobs, w.n);
		check_nodes(&w, &now);
		if (policy == SLU_ION_MCKP)
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
		random_day(SLU_ION_MCKP, seed);
		random_day(SLU_ION_STATIC, seed);
	}
}
END_TEST

TEST_MAIN("arbiter", test_story, test_answer, test_limits, test_wanted,
	  test_shared, test_static, test_kept, test_random_days)
