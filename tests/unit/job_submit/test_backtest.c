/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests the backtest of predictions against a slow and simple oracle: a new
 * predictor for each job, trained with the rows that had ended before it was
 * submitted.
 */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/job_submit/history_rows.h"
#include "tests/unit/random.h"
#include "common/jsonx.h"
#include "job_submit/simulation/policy_backtest.h"
#include "job_submit/simulation/workload_replay.h"
#include "job_submit/predictor/too_short.h"

enum { N = 150 };

static const struct slu_backtest_options usual = {.quantile = 0.75,
						  .floor = 60};

static char *const names[] = {"a_1", "a_2", "b", NULL};
static char *const states[] = {"COMPLETED", "FAILED", "NODE_FAIL", "TIMEOUT"};
static char *const partitions[] = {"main", "long"};

/* Some ask for nothing and have the default of an hour. */
static struct slu_job random_job(uint32_t id, int64_t now, uint64_t *seed)
{
	uint32_t limit = 10 + (uint32_t)slu_random(seed, 12) * 10;
	bool asks = slu_random(seed, 4);
	int64_t wait = (int64_t)slu_random(seed, 300);
	int64_t run = 1 + (int64_t)slu_random(seed, (asks ? limit : 60) * 60);

	return (struct slu_job){
		.job_id = id,
		.uid = (uint32_t)slu_random(seed, 3),
		.name = names[slu_random(seed, 4)],
		.state = states[slu_random(seed, 4)],
		.partition = partitions[slu_random(seed, 2)],
		.node_cnt = 1 + (uint32_t)slu_random(seed, 4),
		.submit = now,
		.eligible = now,
		.start = now + wait,
		.end = now + wait + run,
		.limit = asks ? limit : 60,
		.limit_asked = asks ? limit : 0,
		.ions = SLU_NO_ID,
		.ion_max = SLU_NO_ID,
	};
}

static void random_past(struct slu_db *db, struct slu_job *jobs, size_t n,
			uint64_t seed)
{
	int64_t now = 1000000;
	struct slu_err err;

	for (size_t i = 0; i < n; i++) {
		now += 1 + (int64_t)slu_random(&seed, 600);
		jobs[i] = random_job(1 + (uint32_t)i, now, &seed);
		expect_ok(slu_history_add(db, &jobs[i], &err), err);
	}
}

static int by_end(const void *a, const void *b)
{
	const struct slu_job *x = *(const struct slu_job *const *)a;
	const struct slu_job *y = *(const struct slu_job *const *)b;

	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return (x > y) - (x < y);
}

/* What was known at the submission of job i, and nothing else. */
static struct slu_predictor *taught(const struct slu_job *jobs, size_t n,
				    size_t i)
{
	struct slu_predictor *p =
		slu_predictor_new(SLU_PREDICT_CLASSES, 0.75, 60, NULL);
	const struct slu_job *known[N];
	size_t k = 0;

	for (size_t j = 0; j < n; j++)
		if (jobs[j].end <= jobs[i].submit)
			known[k++] = &jobs[j];
	qsort(known, k, sizeof(known[0]), by_end);
	for (size_t j = 0; j < k; j++)
		slu_learn(p, known[j]);
	return p;
}

static struct slu_workload read_past(struct slu_db *db)
{
	struct slu_workload past;
	struct slu_err err;

	expect_ok(slu_workload_read(db, NULL, &past, &err), err);
	return past;
}

static void check_job(const struct slu_job *jobs, size_t i,
		      const struct slu_workload *past,
		      const struct slu_workload_replayed *said)
{
	struct slu_predictor *p = taught(jobs, N, i);
	uint32_t whole = slu_workload_replay_whole(&past->job[i]);
	const uint32_t *limit = said->limit;
	struct slu_prediction want;
	struct slu_too_short is;

	slu_predict(p, &jobs[i], &want);
	if (!want.jobs || want.seconds <= 0) /* as ctl/jobs/pending/submit.c */
		want.jobs = 0, want.seconds = 0;
	expect(said->predicted == want.seconds, "job %zu: %u, %ld", i,
	       said->predicted, want.seconds);
	ck_assert(said->warned ==
		  (want.jobs &&
		   slu_predict_too_short(p, &jobs[i], whole * 60, &is)));
	ck_assert_uint_eq(limit[SLU_BACKTEST_ADVISE], whole);
	if (jobs[i].limit_asked)
		ck_assert_uint_eq(limit[SLU_BACKTEST_FILL], whole);
	if (want.jobs && jobs[i].limit_asked) {
		ck_assert_int_eq(limit[SLU_BACKTEST_TIGHTEN],
				 (want.careful + 59) / 60);
		ck_assert_int_le(limit[SLU_BACKTEST_EARLY],
				 limit[SLU_BACKTEST_TIGHTEN]);
	}
	slu_predictor_free(p);
}

START_TEST(test_judged_as_replayed)
{
	static struct slu_job jobs[N];
	static struct slu_workload_replayed said[N];
	struct slu_db *db = new_db();
	struct slu_workload past;
	struct slu_err err;

	for (uint64_t seed = 1; seed <= 3; seed++) {
		random_past(db, jobs, N, seed);
		past = read_past(db);
		ck_assert_uint_eq(past.n, N);
		expect_ok(slu_workload_replay(&past, &usual, said, &err), err);
		for (size_t i = 0; i < N; i++)
			check_job(jobs, i, &past, &said[i]);
		slu_workload_free(&past);
		ck_assert_int_eq(
			slu_db_exec(db, &err, "DELETE FROM History", ""), N);
	}
	slu_db_close(db);
}
END_TEST

static double number(struct json_object *obj, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(obj, key, &value)
		       ? json_object_get_double(value)
		       : 0;
}

static struct json_object *part(struct json_object *obj, const char *key)
{
	return json_object_object_get(obj, key);
}

static struct json_object *run(struct slu_db *db,
			       const struct slu_backtest_options *ask)
{
	struct json_object *out;
	struct slu_err err;

	expect_ok(slu_backtest(db, ask, &out, &err), err);
	return out;
}

static const char *const sums[] = {"jobs", "lowered", "raised", "extended",
				   "late", "cut",     NULL};

/* What users, or partitions, have together in a mode is what all have. */
static void check_sums(struct json_object *answer, const char *list,
		       struct json_object *all)
{
	const char *mode = json_object_get_string(part(all, "mode"));
	struct json_object *rows = part(answer, list);

	for (const char *const *key = sums; *key; key++) {
		double sum = 0;

		for (size_t i = 0; i < json_object_array_length(rows); i++) {
			struct json_object *row =
				json_object_array_get_idx(rows, i);

			if (!strcmp(json_object_get_string(part(row, "mode")),
				    mode))
				sum += number(row, *key);
		}
		expect(sum == number(all, *key), "%s of %s: %g, %g", *key, mode,
		       sum, number(all, *key));
	}
}

START_TEST(test_answer)
{
	static struct slu_job jobs[N];
	struct slu_db *db = new_db();
	struct json_object *answer, *modes, *errors;

	random_past(db, jobs, N, 9);
	answer = run(db, &usual);
	modes = part(answer, "modes");
	errors = part(answer, "errors");
	ck_assert_int_eq(json_object_array_length(modes), 4);
	ck_assert(number(answer, "jobs") == N);
	ck_assert(number(answer, "judged") < N); /* nodes have failed */
	ck_assert(number(errors, "jobs") <= number(answer, "judged"));
	ck_assert_str_eq(json_object_get_string(part(answer, "unit")), "nodes");
	for (size_t m = 0; m < 4; m++) {
		struct json_object *mode = json_object_array_get_idx(modes, m);

		check_sums(answer, "user", mode);
		check_sums(answer, "partition", mode);
		ck_assert(number(mode, "cut") == 0);
		ck_assert(number(mode, "extended") <= number(mode, "lowered"));
		ck_assert(number(mode, "slowdown") >= 1);
		ck_assert((number(mode, "lowered") > 0) == (m > 0));
		ck_assert((number(mode, "raised") > 0) == (m > 0));
	}
	json_object_put(answer);
	slu_db_close(db);
}
END_TEST

/* Earlier jobs teach, and are not judged. */
START_TEST(test_jobs_before_since_only_train)
{
	static struct slu_job jobs[N];
	struct slu_backtest_options ask = usual;
	struct slu_db *db = new_db();
	struct json_object *answer, *modes;

	random_past(db, jobs, N, 9);
	ask.since = jobs[100].submit;
	ask.mode = "early";
	answer = run(db, &ask);
	modes = part(answer, "modes");
	ck_assert_int_eq(json_object_array_length(modes), 2);
	ck_assert(number(json_object_array_get_idx(modes, 1), "jobs") ==
		  N - 100);
	ck_assert(number(answer, "first") >= (double)ask.since);
	/* by what had ended before, all is known */
	ck_assert(number(part(answer, "errors"), "jobs") ==
		  number(answer, "judged"));
	json_object_put(answer);
	slu_db_close(db);
}
END_TEST

/* A date later than all that is recorded is a mistake, and said to be one. */
START_TEST(test_since_after_the_last_job)
{
	struct slu_backtest_options ask = usual;
	struct slu_db *db = new_db();
	struct json_object *out;
	struct slu_err err;

	add(db, 1, 7, 86400, 86500);
	ask.since = 86400;
	json_object_put(run(db, &ask));
	ask.since = 3 * 86400;
	ck_assert_int_eq(slu_backtest(db, &ask, &out, &err), -1);
	ck_assert_int_eq(err.kind, SLU_NOTFOUND);
	ck_assert_str_eq(err.text,
			 "no job of the history was submitted since "
			 "1970-01-04: the last one was on 1970-01-02 (UTC)");
	slu_db_close(db);
}
END_TEST

START_TEST(test_nothing)
{
	struct slu_db *db = new_db();
	struct json_object *answer = run(db, &usual);

	ck_assert(number(answer, "jobs") == 0);
	ck_assert(!part(answer, "first"));
	json_object_put(answer);
	slu_db_close(db);
}
END_TEST

START_TEST(test_refused)
{
	struct slu_backtest_options bad[] = {usual, usual};
	struct slu_db *db = new_db();
	struct json_object *out;
	struct slu_err err;

	add(db, 1, 7, 100, 200); /* on two nodes */
	bad[0].mode = "loose";
	bad[1].quantile = 0.2;
	each(b, bad)
	{
		ck_assert_int_eq(slu_backtest(db, b, &out, &err), -1);
		ck_assert_int_eq(err.kind, SLU_INVALID);
	}
	slu_db_close(db);
}
END_TEST

/* A job that is larger than the machine was never on it. */
START_TEST(test_job_larger_than_machine_is_left_out)
{
	static struct slu_job jobs[N];
	struct slu_backtest_options ask = usual;
	struct slu_db *db = new_db();
	struct json_object *answer, *mode;
	double larger = 0;

	random_past(db, jobs, N, 9);
	for (size_t i = 0; i < N; i++)
		larger += jobs[i].node_cnt > 3;
	ask.machine = 3;
	answer = run(db, &ask);
	mode = json_object_array_get_idx(part(answer, "modes"), 3);
	ck_assert(number(answer, "larger") == larger);
	ck_assert(number(answer, "machine") == 3);
	ck_assert(number(mode, "jobs") == N - larger);
	json_object_put(answer);
	slu_db_close(db);
}
END_TEST

/* Without a submission it is that of the start; what is unlimited ends when it
 * ended. */
START_TEST(test_odd_rows)
{
	struct slu_db *db = new_db();
	struct json_object *answer;

	add(db, 1, 7, 100, 200);
	add(db, 2, 8, 150, 90); /* ends before it begins */
	add(db, 3, 7, 5000000000, 5000000100);
	answer = run(db, &usual);
	ck_assert(number(answer, "judged") == 2);
	ck_assert(number(json_object_array_get_idx(part(answer, "modes"), 3),
			 "wait") == 0);
	json_object_put(answer);
	slu_db_close(db);
}
END_TEST

TEST_MAIN("backtest", test_judged_as_replayed, test_answer,
	  test_jobs_before_since_only_train, test_since_after_the_last_job,
	  test_nothing, test_refused, test_job_larger_than_machine_is_left_out,
	  test_odd_rows)
