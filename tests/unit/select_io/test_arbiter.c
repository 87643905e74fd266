/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests the arbiter, which divides the I/O nodes among running jobs: each
 * policy step by step, shared I/O nodes, changes of the pool, restarts, and
 * failing allocations.
 */
#include "config.h"
#include "tests/unit/arbiter_help.h"

/* Which explanation runs out of memory; 0: none (local.mk wraps it). */
static unsigned fails;

struct running;
int __real_slu_ion_explain(const struct slu_arbiter *a, struct running *r);
int __wrap_slu_ion_explain(const struct slu_arbiter *a, struct running *r);

int __wrap_slu_ion_explain(const struct slu_arbiter *a, struct running *r)
{
	if (fails && --fails == 0)
		return -1;
	return __real_slu_ion_explain(a, r);
}

static void unavailable(struct slu_arbiter *a, const char *ions)
{
	struct slu_hosts hosts;
	struct slu_err err;

	expect_ok(slu_hosts_parse(ions, &hosts, &err), err);
	slu_arbiter_unavailable(a, &hosts);
	slu_hosts_free(&hosts);
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
START_TEST(test_assignment_step_by_step)
{
	struct slu_arbiter *a = new_arbiter("ion[1-8]", 32, SLU_ION_MCKP);

	ck_assert_str_eq(shown(a), "");
	start(a, 10, "sim", 8);
	ck_assert_str_eq(shown(a), "10:ion[1-2]"); /* 8 * 8 / 32 */
	start(a, 11, "io", 4);
	ck_assert_str_eq(shown(a), "10:ion[1-2] 11:ion3");
	slu_arbiter_end(a, 11);
	learn(a, "io", 4, 1, 100);
	learn(a, "io", 4, 2, 190);
	learn(a, "io", 4, 4, 380);
	start(a, 12, "io", 4);
	ck_assert_str_eq(shown(a), "10:ion[1-2] 12:ion[3-6]");
	start(a, 12, "io", 4); /* again */
	start(a, 13, "io", 4);
	start(a, 14, "sim", 8);
	ck_assert_str_eq(shown(a), "10:ion[1-2] 12:ion[3-4] 13:ion[5-6] "
				   "14:ion[7-8]");
	ck_assert_uint_eq(slu_arbiter_held(a, 10), 2);
	ck_assert_uint_eq(slu_arbiter_held(a, 12), SLU_NO_ID); /* 4 before */
	ck_assert_uint_eq(slu_arbiter_held(a, 99), SLU_NO_ID);
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
	learn(a, "quick", 8, 4, 100);
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

/* A job that is resized while it runs keeps what it may; a host that it has got
 * is in the answer, by which mappings are made. */
START_TEST(test_resized)
{
	struct slu_arbiter *a = new_arbiter("ion[1-4]", 8, SLU_ION_STATIC);
	struct slu_job job = make_job(1, "io", 4);
	struct slu_assignment got;
	struct slu_err err;

	for (int i = 0; i < 3; i++) {
		job.node_cnt = i == 1 ? 8 : 2;
		job.nodes = i == 1 ? "n[1-8]" : "n[1-2]";
		expect_ok(slu_arbiter_set(a, &job, 1, &err), err);
		if (i == 0)
			start(a, 2, "io", 2);
		solve(a, &got);
		ck_assert_str_eq(got.jobs[0].nodes, job.nodes);
		ck_assert_uint_eq(got.jobs[0].node_cnt, job.node_cnt);
		/* STATIC does not change a running job; 1 divides all. */
		ck_assert_str_eq(got.jobs[0].ions, "ion1");
		slu_msg_clear(&slu_assignment_desc, &got);
	}
	slu_arbiter_free(a);
}
END_TEST

/* Without any I/O node jobs reach what they reach without. */
START_TEST(test_none_left)
{
	for (int direct = 0; direct < 2; direct++) {
		struct slu_conf conf = conf_of("ion[1-2]", SLU_ION_MCKP);
		struct slu_assignment got;
		struct slu_arbiter *a;
		struct slu_err err;

		conf.direct_access = direct;
		a = slu_arbiter_new(&conf, 8, &err);
		learn(a, "io", 4, 1, 90);
		learn(a, "io", 4, 0, 80);
		start(a, 1, "io", 4);
		start(a, 2, "new", 4);
		unavailable(a, "ion[1-2]");
		for (int i = 0; i < 2; i++) {
			solve(a, &got);
			ck_assert_double_eq(got.total, direct ? 80 : 0);
			ck_assert_double_eq(got.static_total, direct ? 80 : 0);
			ck_assert_str_eq(got.jobs[0].ions, "");
			slu_msg_clear(&slu_assignment_desc, &got);
		}
		unavailable(a, "");
		solve(a, &got);
		ck_assert_double_eq(got.total, 90);
		slu_msg_clear(&slu_assignment_desc, &got);
		slu_hosts_free(&conf.io_nodes);
		slu_arbiter_free(a);
	}
}
END_TEST

/* RemapRunning=no: running jobs keep what they have, so no job gets more than
 * STATIC gives, which could be missing later; less where that is as good. */
START_TEST(test_static_is_the_limit_without_remapping)
{
	struct slu_conf conf = conf_of("ion[1-8]", SLU_ION_MCKP);
	struct slu_assignment got;
	struct slu_arbiter *a;
	struct slu_err err;

	conf.remap_running = false;
	a = slu_arbiter_new(&conf, 8, &err);
	ck_assert_msg(a != NULL, "%s", err.text);
	learn(a, "io", 4, 1, 100);
	learn(a, "io", 4, 2, 190);
	learn(a, "io", 4, 4, 380);
	learn(a, "small", 2, 1, 10);
	learn(a, "small", 2, 2, 8);
	start(a, 1, "io", 4);
	start(a, 2, "io", 4);
	ck_assert_str_eq(shown(a), "1:ion[1-4] 2:ion[5-8]");
	start(a, 3, "io", 4);
	solve(a, &got);
	ck_assert_uint_eq(got.jobs[0].in_effect, 4);
	ck_assert_uint_eq(got.jobs[1].in_effect, 4);
	ck_assert(got.jobs[2].shared && got.jobs[2].in_effect == 0);
	ck_assert_uint_eq(got.jobs[0].wanted + got.jobs[1].wanted +
				  got.jobs[2].wanted,
			  8);
	slu_msg_clear(&slu_assignment_desc, &got);
	slu_arbiter_end(a, 1);
	start(a, 4, "io", 4);
	solve(a, &got);
	ck_assert_uint_eq(got.jobs[2].job_id, 4);
	ck_assert_str_eq(got.jobs[1].ions, "ion8"); /* where it was */
	ck_assert_str_eq(got.jobs[2].ions, "ion[1-4]");
	slu_msg_clear(&slu_assignment_desc, &got);
	slu_arbiter_end(a, 4);
	start(a, 5, "small", 2);
	start(a, 6, "io", 4);
	ck_assert_str_eq(shown(a), "2:ion[5-8] 3:ion8(shared) 5:ion1 "
				   "6:ion[2-3]");
	slu_arbiter_free(a);
	slu_hosts_free(&conf.io_nodes);
}
END_TEST

/* Who may be remapped has what it is to have, and no more than exists. */
START_TEST(test_remapping_gives_what_is_wanted)
{
	struct slu_arbiter *a = new_arbiter("ion[1-2]", 8, SLU_ION_MCKP);
	struct slu_assignment got;

	learn(a, "io", 8, 8, 800);
	start(a, 1, "io", 8);
	start(a, 2, "io", 8);
	solve(a, &got);
	ck_assert_uint_eq(got.jobs[0].wanted, got.jobs[0].in_effect);
	ck_assert_str_eq(got.jobs[0].ions, "ion1");
	slu_msg_clear(&slu_assignment_desc, &got);
	slu_arbiter_free(a);
}
END_TEST

/* What was not measured is not given, however many are idle; first of all it is
 * to be known what STATIC's number gives. */
START_TEST(test_measured_only)
{
	struct slu_arbiter *a = new_arbiter("ion[1-8]", 64, SLU_ION_MCKP);

	start(a, 5, "io", 8);
	ck_assert_str_eq(shown(a), "5:ion1");
	learn(a, "io", 8, 4, 400);
	ck_assert_str_eq(shown(a), "5:ion1");
	learn(a, "io", 8, 1, 100);
	ck_assert_str_eq(shown(a), "5:ion[1-4]");
	start(a, 6, "io", 8);
	start(a, 7, "other", 8); /* two times two, if they were known */
	ck_assert_str_eq(shown(a), "5:ion[1-4] 6:ion5 7:ion6");
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
	ck_assert_uint_eq(slu_arbiter_held(a, 1), SLU_NO_ID);
	ck_assert_uint_eq(slu_arbiter_held(a, 3), 1);
	ck_assert_uint_eq(slu_arbiter_held(a, 4), SLU_NO_ID);
	unavailable(a, "ion1");
	ck_assert_str_eq(shown(a), "1:ion2(shared) 2:ion2(shared) "
				   "3:ion2(shared)");
	unavailable(a, "ion[1-2]");
	ck_assert_str_eq(shown(a), "1: 2: 3:");
	unavailable(a, "");
	slu_arbiter_end(a, 2);
	ck_assert_str_eq(shown(a), "1:ion1 3:ion2");
	/* it has one again, but not all the time */
	ck_assert_uint_eq(slu_arbiter_held(a, 1), SLU_NO_ID);
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
	/* who runs is not moved, and nothing is set aside for him */
	ck_assert_str_eq(shown(a), "3:ion4 5:ion[1-2] 7:ion2(shared)");
	start(a, 8, "io", 16);
	ck_assert_str_eq(shown(a), "3:ion4 5:ion[1-2] 7:ion2(shared) 8:ion3");
	slu_arbiter_end(a, 5);
	start(a, 9, "io", 16);
	ck_assert_str_eq(shown(a), "3:ion4 7:ion2(shared) 8:ion3 9:ion1");
	slu_arbiter_free(a);
}
END_TEST

/* The same under MCKP, if running jobs may not be moved. */
START_TEST(test_sharing_stays)
{
	struct slu_conf conf = conf_of("ion[1-3]", SLU_ION_MCKP);
	struct slu_arbiter *a;
	struct slu_err err;

	conf.remap_running = false;
	a = slu_arbiter_new(&conf, 12, &err);
	ck_assert_msg(a != NULL, "%s", err.text);
	slu_hosts_free(&conf.io_nodes);
	for (uint32_t id = 1; id <= 3; id++)
		start(a, id, "io", 4);
	ck_assert_str_eq(shown(a), "1:ion1 2:ion2 3:ion3");
	start(a, 4, "io", 4);
	ck_assert_str_eq(shown(a), "1:ion1 2:ion2 3:ion3 4:ion3(shared)");
	slu_arbiter_end(a, 1);
	ck_assert_str_eq(shown(a), "2:ion2 3:ion3 4:ion3(shared)");
	start(a, 5, "io", 4);
	ck_assert_str_eq(shown(a), "2:ion2 3:ion3 4:ion3(shared) 5:ion1");
	slu_arbiter_end(a, 3);
	ck_assert_str_eq(shown(a), "2:ion2 4:ion3(shared) 5:ion1");
	unavailable(a, "ion3");
	slu_arbiter_end(a, 2);
	ck_assert_str_eq(shown(a), "4:ion2 5:ion1");
	slu_arbiter_free(a);
}
END_TEST

/* A new pool, and a restart: jobs keep what they hold. */
START_TEST(test_pool_change_and_restart_keep_ions)
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

/* A job's own history, else the patterns it names, else those predicted. */
START_TEST(test_curve_from)
{
	static const char text[] = "pattern,op,1,2\nr,read,100,300\n"
				   "w,write,60,70\n";
	struct slu_arbiter *a = new_arbiter("ion[1-4]", 16, SLU_ION_MCKP);
	struct slu_job job = make_job(3, "names", 2);
	struct slu_assignment got;
	struct slu_err err;
	struct slu_patterns *t = slu_patterns_parse(text, "t", &err);

	slu_arbiter_patterns(a, t);
	learn(a, "known", 2, 1, 10);
	start(a, 1, "known", 2);
	start(a, 2, "newer", 2);
	job.uid = 8;
	job.ion_pattern = "w";
	expect_ok(slu_arbiter_start(a, &job, &err), err);
	start(a, 4, "new", 2);
	for (uint32_t id = 1; id <= 5; id++)
		if (id != 4)
			expect_ok(slu_arbiter_predict(a, id, "r:3G,w:1G",
						      "5 runs", &err),
				  err);
	solve(a, &got);
	ck_assert_uint_eq(got.n_jobs, 4);
	ck_assert_str_eq(got.jobs[0].why,
			 "history: 1 gave 10.0 MB/s (1 run); for others "
			 "PerformanceTable: r:3G,w:1G, predicted by 5 runs");
	ck_assert_double_eq_tol(got.jobs[0].curve[0].bandwidth, 10, 1e-9);
	/* a byte takes as much less as by the table */
	ck_assert_double_eq_tol(1 / got.jobs[0].curve[1].bandwidth,
				0.1 - (0.03 + 1 / 60.0 - 0.01 - 1 / 70.0) / 4,
				1e-9);
	ck_assert_str_eq(got.jobs[1].why,
			 "PerformanceTable: r:3G,w:1G, predicted by 5 runs");
	ck_assert_uint_eq(got.jobs[1].n_curve, 2);
	ck_assert_double_eq_tol(got.jobs[1].curve[0].bandwidth,
				4 / (3 / 100.0 + 1 / 60.0), 1e-9);
	ck_assert_double_eq_tol(got.jobs[1].curve[1].bandwidth,
				4 / (3 / 300.0 + 1 / 70.0), 1e-9);
	ck_assert_str_eq(got.jobs[2].why, "PerformanceTable: w");
	ck_assert_str_eq(got.jobs[3].why, "no history: as STATIC");
	slu_msg_clear(&slu_assignment_desc, &got);
	expect_ok(slu_arbiter_predict(a, 2, NULL, NULL, &err), err);
	solve(a, &got);
	ck_assert_str_eq(got.jobs[1].why, "no history: as STATIC");
	slu_msg_clear(&slu_assignment_desc, &got);
	slu_arbiter_free(a);
	slu_patterns_free(t);
}
END_TEST

/* How long it had what, and what that teaches. */
START_TEST(test_times)
{
	struct slu_arbiter *a = new_arbiter("ion[1-4]", 16, SLU_ION_MCKP);
	struct slu_history_row row = {.job = make_job(1, "x", 4),
				      .io_bandwidth = 150};
	struct slu_assignment got;
	struct slu_ion_times t;

	learn(a, "x", 4, 1, 100);
	learn(a, "x", 4, 2, 400 / 3.0);
	learn(a, "x", 4, 4, 200);
	start(a, 1, "x", 4);
	ck_assert_int_eq(slu_arbiter_times(a, 1, 2000, &t), -1); /* not yet */
	slu_arbiter_clock(a, 1000);
	solve(a, &got);
	ck_assert_uint_eq(got.jobs[0].in_effect, 4);
	slu_msg_clear(&slu_assignment_desc, &got);
	start(a, 2, "x", 4);
	slu_arbiter_clock(a, 1600);
	solve(a, &got);
	ck_assert_uint_eq(got.jobs[0].in_effect, 2);
	slu_msg_clear(&slu_assignment_desc, &got);
	slu_arbiter_end(a, 2);
	slu_arbiter_clock(a, 1700);
	solve(a, &got);
	slu_msg_clear(&slu_assignment_desc, &got);
	ck_assert_int_eq(slu_arbiter_times(a, 1, 1600, &t), -1); /* backwards */
	ck_assert_int_eq(slu_arbiter_times(a, 1, 2000, &t), 0);
	ck_assert_uint_eq(t.n, 2);
	ck_assert_double_eq(t.time[0].seconds, 900);
	ck_assert_double_eq(t.time[1].seconds, 100);
	row.job.ions = SLU_NO_ID;
	row.job.ion_times = "2:100";
	slu_arbiter_learn(a, &row);
	row.job.ion_times = "0:100,2:100"; /* no direct access here */
	slu_arbiter_learn(a, &row);
	row.job.ion_times = "rubbish";
	slu_arbiter_learn(a, &row);
	row.job.ion_times = NULL;
	slu_arbiter_learn(a, &row);
	start(a, 3, "x", 4);
	solve(a, &got);
	ck_assert_str_eq(got.jobs[1].why,
			 "history: 1 gave 100.0 MB/s (1 run), 2 gave 141.7 "
			 "MB/s (2 runs), 4 gave 200.0 MB/s (1 run)");
	ck_assert_double_gt(got.jobs[1].curve[1].error, 0);
	slu_msg_clear(&slu_assignment_desc, &got);
	slu_arbiter_free(a);
}
END_TEST

/* After a solve that ran out of memory any job may end, and the rest is solved
 * as if nothing had been. */
START_TEST(test_no_memory)
{
	struct slu_assignment got;
	struct slu_err err;

	for (unsigned at = 1; at <= 3; at++)
		for (uint32_t id = 1; id <= 3; id++) {
			struct slu_arbiter *a =
				new_arbiter("ion[1-8]", 24, SLU_ION_STATIC);

			for (uint32_t i = 1; i <= 3; i++)
				start(a, i, "sim", 3);
			fails = at;
			expect_fail(slu_arbiter_solve(a, &got, &err), err,
				    SLU_NOMEM, "memory");
			slu_arbiter_end(a, id);
			start(a, 9, "sim", 3);
			solve(a, &got);
			ck_assert_uint_eq(got.n_jobs, 3);
			for (size_t i = 0; i < got.n_jobs; i++)
				ck_assert_str_eq(got.jobs[i].why,
						 "no history: as STATIC");
			slu_msg_clear(&slu_assignment_desc, &got);
			slu_arbiter_free(a);
		}
}
END_TEST

TEST_MAIN("arbiter", test_assignment_step_by_step, test_answer,
	  test_static_is_the_limit_without_remapping, test_limits, test_resized,
	  test_none_left, test_remapping_gives_what_is_wanted,
	  test_measured_only, test_shared, test_static, test_sharing_stays,
	  test_pool_change_and_restart_keep_ions, test_curve_from, test_times,
	  test_no_memory)
