/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests how the predictor learns from ended jobs: the weights of its sources,
 * and the properties of the runs. */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/job_submit/predictor_fixture.h"
#include "job_submit/predictor/issued.h"
#include "job_submit/predictor/mixture.h"

/* How far a stranger's request is believed. */
static float believed(const struct slu_predictor *p, uint32_t minutes)
{
	struct slu_job job = make_job(2, "b", 1, minutes, 0);
	struct slu_outlook o;

	job.account = job.partition = NULL;
	slu_predict_outlook(p, &job, &o);
	return o.spread.weight[o.spread.n - 1];
}

/* Many that were submitted at once were told the same: that they all fail does
 * not teach that nobody's request says anything. */
START_TEST(test_jobs_submitted_together)
{
	struct slu_predictor *p = new_predictor(1000, 0.9, 0);
	float before = believed(p, 600);

	for (int i = 0; i < 2000; i++) {
		struct slu_job job = make_job(1, "a", 4, 60, 0);

		job.submit = 1000;
		job.start = 1000 + i * 100;
		job.end = job.start + 30;
		slu_learn(p, &job);
	}
	ck_assert_float_gt(before, 0.5f);
	ck_assert_float_gt(believed(p, 600), 0.8f * before);
	slu_predictor_free(p);
}
END_TEST

/* One of the eight lessons until the i-th told what they were then. */
static void check_then(const struct slu_predictor *p, int64_t then, int i)
{
	float was = slu_issued_alpha(p, then)[0];

	expect(was <= (float)i && (was > (float)(i - 8) || i < 8), "%d: %g", i,
	       (double)was);
}

/* What the levels were at each second; before the first that is remembered, as
 * they were then. */
START_TEST(test_levels_at_earlier_times)
{
	struct slu_predictor *p = new_predictor(64, 0.9, 0);

	ck_assert_float_eq(slu_issued_alpha(p, 5)[0], (float)slu_knot[0]);
	for (int i = 1; i <= 20000; i++) {
		slu_set(&p->alpha[0], (float)i);
		slu_issued_note_alpha(p, i * 10);
		check_then(p, i * 10, i);
		check_then(p, INT64_MAX, i);
		if (i < 20)
			ck_assert_float_eq(slu_issued_alpha(p, 9)[0],
					   (float)slu_knot[0]);
	}
	for (int i = 12000; i <= 20000; i++)
		check_then(p, i * 10 + 9, i);
	ck_assert_float_ge(slu_issued_alpha(p, 5)[0], 2);
	slu_predictor_free(p);
}
END_TEST

/* Where who asks for ten hours takes them, and who asks for two does not, a
 * stranger's request, which nobody had, is believed by how long it is. */
START_TEST(test_gate)
{
	struct slu_predictor *p = new_predictor(10000, 0.9, 0);

	for (uint32_t uid = 10; uid < 110; uid++)
		if (uid % 2)
			teach(p, uid, "a", uid, 64 + uid % 50, 60 + uid);
		else
			teach(p, uid, "a", uid, 512 + uid, (512 + uid) * 60);
	ck_assert_float_gt(believed(p, 601), believed(p, 120) + 0.1f);
	slu_predictor_free(p);
}
END_TEST

/* After 600 s here and `second`, what is a third run of a new user told? */
static int64_t third(struct slu_predictor *p, int64_t second)
{
	teach(p, 9999, "a", 2, 60, 600);
	teach(p, 9999, "a", 2, 60, second);
	return ask(p, 9999, "a", 2, 60).seconds;
}

/* Where a run that reached its request is followed by what came before it, and
 * any other by its like, that it reached it says how far it is believed. */
START_TEST(test_reached_request_tells_kinds_apart)
{
	static const int64_t second[] = {3600, 1200}, told[] = {600, 1200};

	for (int reached = 0; reached < 2; reached++) {
		struct slu_predictor *p = new_predictor(100000, 0.9, 0);

		for (uint32_t u = 0; u < 5000; u++) {
			int64_t run = 400 + u * 7919 % 1000;
			int64_t next = u % 5 > 1 ? 2 * run : 3600;

			teach(p, u, "a", 2, 60, run);
			teach(p, u, "a", 2, 60, next);
			teach(p, u, "a", 2, 60, u % 5 > 1 ? next : run);
		}
		ck_assert_int_eq((third(p, second[reached]) + 3) / 10 * 10,
				 told[reached]);
		slu_predictor_free(p);
	}
}
END_TEST

static void teach_state(struct slu_predictor *p, uint32_t uid, int64_t run,
			const char *state)
{
	struct slu_job job = make_job(uid, "a", 2, 60, run);

	job.account = job.partition = NULL;
	job.state = (char *)(uintptr_t)state;
	slu_learn(p, &job);
}

/* Where a job that failed is followed by what came before it, and one that
 * completed by its like, its end says how far its run is believed. */
START_TEST(test_failure_tells_kinds_apart)
{
	static const struct {
		const char *state;
		int64_t told;
	} second[] = {{"FAILED", 600}, {"COMPLETED", 1200}};

	for (int c = 0; c < 2; c++) {
		struct slu_predictor *p = new_predictor(100000, 0.9, 0);

		for (uint32_t u = 0; u < 5000; u++) {
			int64_t run = 400 + u * 7919 % 1000;
			bool failed = u % 5 > 1;

			teach_state(p, u, run, "COMPLETED");
			teach_state(p, u, 2 * run,
				    failed ? "FAILED" : "COMPLETED");
			teach_state(p, u, failed ? run : 2 * run, "COMPLETED");
		}
		teach_state(p, 9999, 600, "COMPLETED");
		teach_state(p, 9999, 1200, second[c].state);
		ck_assert_int_eq((ask(p, 9999, "a", 2, 60).seconds + 3) / 10 *
					 10,
				 second[c].told);
		slu_predictor_free(p);
	}
}
END_TEST

/* A job that others of its class overtook is judged by what was known when it
 * was submitted: of the runs in the order of their lessons, what came before
 * the last one that had not ended. */
START_TEST(test_overtaken)
{
	static const struct {
		int64_t end[3];
		unsigned known;
	} cases[] = {
		{{100, 200, 300}, 3},	 {{100, 200, 3000}, 2},
		{{100, 3000, 200}, 1},	 {{3000, 100, 200}, 0},
		{{2000, 2000, 2001}, 2},
	};

	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct slu_predictor *p = new_predictor(1000, 0.9, 0);
		struct slu_job job = make_job(1, "a", 2, 60, 0);
		struct slu_mixture mix;

		for (int i = 0; i < 3; i++) {
			job.start = cases[c].end[i] - 50 - i;
			job.end = cases[c].end[i];
			slu_learn(p, &job);
		}
		job.submit = 2000;
		slu_mixture_read(p, &job, &mix);
		for (int l = 0; l < SLU_JOB_CLASSES; l++)
			expect(mix.inputs.n[l] == cases[c].known, "%zu: %u", c,
			       mix.inputs.n[l]);
		for (unsigned k = 0; k < cases[c].known; k++)
			ck_assert_int_eq(
				slu_lagged_run(&mix.inputs, SLU_BY_USER, k),
				slu_logtime(50 + cases[c].known - 1 - k));
		slu_predictor_free(p);
	}
}
END_TEST

/* After a comes b, after b comes c, after c comes c a few times, or a: what
 * came after the last like run is the answer while it is remembered. */
START_TEST(test_what_came_after)
{
	static const int64_t run[] = {700, 2900, 11000};
	struct slu_predictor *p = new_predictor(10000, 0.9, 0);
	int asked = 0, met = 0;

	for (uint32_t i = 0, state = 0, draw = 1; i < 4000; i++) {
		draw = draw * 1664525 + 1013904223;
		state = state < 2 ? state + 1 : draw >> 30 ? 2 : 0;
		if (i > 2000 && state == 1) {
			int64_t told = ask(p, 1, "a", 2, 600).seconds;

			asked++;
			met += llabs(told - run[1]) < 30;
		}
		teach(p, 1, "a", 2, 600, run[state]);
	}
	ck_assert_int_gt(asked, 100);
	ck_assert_int_gt(met, asked * 6 / 10);
	slu_predictor_free(p);
}
END_TEST

TEST_MAIN("learn", test_jobs_submitted_together, test_levels_at_earlier_times,
	  test_gate, test_reached_request_tells_kinds_apart,
	  test_failure_tells_kinds_apart, test_overtaken, test_what_came_after)
