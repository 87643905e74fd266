/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests each rule of advice for a job: it applies where its condition holds,
 * and not one step outside of it. */
#include "config.h"
#include <errno.h>
#include <math.h>
#include "common/jsonx.h"
#include "sysquery/answers/job_advice.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"

#define GIB (UINT64_C(1) << 30)
#define MIB (UINT64_C(1) << 20)

/* An ended job of which there is nothing to say: everything is as it should
 * be, and known. */
static const struct slu_advice_facts well = {
	.job_id = 17,
	.completed = true,
	.asked = 3600,
	.granted = 3600,
	.predicted = 3000,
	.used = 2900,
	.run = {{2800, false, true}, {2900, false, true}, {3000, false, true}},
	.n_run = 3,
	.own = true,
	.capacity = 10 * GIB,
	.used_known = true,
	.used_most = 6 * GIB,
	.fullest = 0.7,
	.ran = true,
	.run_seconds = 2800,
	.in = {60, 4 * GIB, 100},
	.out = {60, 2 * GIB, 20},
	.last = {"stage_in", "n2", 2, 60},
};

/* The names of the rules that hold, each with a blank behind it. */
static const char *rules(const struct slu_advice_facts *f)
{
	static char names[400];
	struct json_object *list = slu_advice(f), *one;
	const char *rule, *text;
	struct slu_err err;

	*names = '\0';
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		one = json_object_array_get_idx(list, i);
		expect_ok(slu_json_str(one, "rule", &rule, &err) ||
				  slu_json_str(one, "text", &text, &err),
			  err);
		ck_assert_uint_gt(strlen(text), 40);
		strcat(strcat(names, rule), " ");
	}
	json_object_put(list);
	return names;
}

static const char *said(const struct slu_advice_facts *f)
{
	static char text[600];
	struct json_object *list = slu_advice(f);

	ck_assert_uint_ge(json_object_array_length(list), 1);
	snprintf(text, sizeof(text), "%s",
		 json_object_get_string(json_object_object_get(
			 json_object_array_get_idx(list, 0), "text")));
	json_object_put(list);
	return text;
}

#define HOLDS(facts, want) ck_assert_str_eq(rules(&(facts)), want)

START_TEST(test_nothing)
{
	struct slu_advice_facts nothing = {.job_id = 3};

	HOLDS(well, "");
	HOLDS(nothing, "");
}
END_TEST

/* Three times too large, and what would do. */
START_TEST(test_too_large)
{
	struct slu_advice_facts f = well;

	f.fullest = 1.0 / 3;
	f.used_most = 3 * GIB;
	HOLDS(f, "");
	f.capacity = 12 * GIB; /* 6 GiB would do */
	HOLDS(f, "capacity-too-large ");
	ck_assert_ptr_nonnull(strstr(said(&f), "capacity=6GiB"));
	ck_assert_ptr_nonnull(strstr(said(&f), "At most 3GiB of 12GiB"));
	f.fullest = 0.34;
	HOLDS(f, "");
	f.fullest = 0.1;
	HOLDS(f, "capacity-too-large ");
	f.used_known = false; /* not every node has told */
	HOLDS(f, "");
	f.used_known = true;
	f.own = false; /* it is of several jobs */
	HOLDS(f, "");
	f.own = true;
	f.completed = false; /* it might have gone on writing */
	HOLDS(f, "");
	f.completed = true;
	f.ran = false;
	HOLDS(f, "");
}
END_TEST

/* What is suggested has room for half as much again, on the fullest node, and
 * is no more than half of what was asked for. */
START_TEST(test_suggested_size_has_reserve)
{
	struct slu_advice_facts f = well;
	double want;
	char *at, unit[8];
	uint64_t seed = 7;

	for (int i = 0; i < 20000; i++) {
		f.capacity = MIB + slu_random(&seed, GIB << 12);
		f.fullest = (double)slu_random(&seed, 1000) / 1000;
		f.used_most = MIB;
		if (strcmp(rules(&f), "capacity-too-large ") != 0)
			continue;
		at = strstr(said(&f), "capacity=");
		ck_assert_int_eq(
			sscanf(at, "capacity=%lf%7[A-Za-z]", &want, unit), 2);
		for (const char *u = "KMGTP"; *u; u++) {
			want *= 1024;
			if (*u == *unit)
				break;
		}
		expect(want >= (double)f.capacity * f.fullest * 1.5 &&
			       want * 2 <= (double)f.capacity,
		       "%s of %ju, %g", at, f.capacity, f.fullest);
	}
}
END_TEST

START_TEST(test_too_small)
{
	struct slu_advice_facts f = well;

	f.completed = false;
	f.failure = "n1: write: No space left on device";
	f.failed_in = "STAGE_IN";
	f.no_space = true;
	HOLDS(f, "capacity-too-small ");
	f.held = true;
	HOLDS(f, "held capacity-too-small ");
	ck_assert_ptr_nonnull(strstr(said(&f), "scontrol release 17"));
	f.failed_in = "STAGE_OUT"; /* there the destination is full */
	f.held = false;
	HOLDS(f, "output-not-staged ");
	f.failed_in = "RUNNING";
	HOLDS(f, "output-not-staged ");
	ck_assert_ptr_nonnull(strstr(said(&f), "staged out. \"sysquery"));
	f.kept = "the data is kept on n1: srun -N1 -w n1 sluice-node fetch 17 "
		 "DIR";
	ck_assert_ptr_nonnull(strstr(said(&f), "out: the data is kept on n1: "
					       "srun -N1 -w n1 sluice-node "
					       "fetch 17 DIR. \"sysquery"));
	f.kept = NULL;
	f.failed_in = "SETUP";
	HOLDS(f, "");
	f.fullest = 0.95;
	f.no_space = false;
	HOLDS(f, "nearly-full ");
	f.fullest = 0.949;
	HOLDS(f, "");
}
END_TEST

START_TEST(test_stage_in)
{
	struct slu_advice_facts f = well;

	f.in.seconds = f.run_seconds;
	HOLDS(f, "");
	f.in.seconds++;
	HOLDS(f, "stage-in-longer-than-run ");
	ck_assert_ptr_nonnull(strstr(said(&f), "persistent"));
	f.completed = false; /* it may have died early */
	HOLDS(f, "");
	f.completed = true;
	f.in.seconds = 9;
	f.run_seconds = 8; /* who cares */
	HOLDS(f, "");
	f.in.seconds = 11;
	HOLDS(f, "stage-in-longer-than-run ");
	f.in.bytes = 0;
	HOLDS(f, "");
}
END_TEST

START_TEST(test_small_files)
{
	struct slu_advice_facts f = well;

	f.in = (struct slu_advice_stage){10, 1000 * 4096, 1000};
	HOLDS(f, "small-files ");
	ck_assert_ptr_nonnull(strstr(said(&f), "1000 files of 4KiB"));
	f.in.files = 999;
	HOLDS(f, "");
	f.in.files = 1000;
	f.in.seconds = 9.9;
	HOLDS(f, "");
	f.in.seconds = 10;
	f.in.bytes = 1000 * (256 << 10);
	HOLDS(f, "");
	f.out = (struct slu_advice_stage){11, 2000 * 100, 2000};
	HOLDS(f, "small-files ");
	ck_assert_ptr_nonnull(strstr(said(&f), "staged out"));
}
END_TEST

START_TEST(test_unused_file_system)
{
	struct slu_advice_facts f = well;

	f.in = f.out = (struct slu_advice_stage){0};
	f.used_most = MIB - 1;
	f.fullest = 0.01;
	HOLDS(f, "unused ");
	f.used_most = MIB;
	f.fullest = 0.5;
	HOLDS(f, "");
	f.used_most = 0;
	f.fullest = 0;
	HOLDS(f, "unused ");
	f.out = (struct slu_advice_stage){1, 5, 1};
	HOLDS(f, "");
	f.out = (struct slu_advice_stage){0};
	f.completed = false;
	HOLDS(f, "");
}
END_TEST

START_TEST(test_limit_short)
{
	struct slu_advice_facts f = well;

	f.completed = false;
	f.timeout = true;
	f.used = 3600;
	HOLDS(f, "longer-than-before ");
	ck_assert_ptr_nonnull(strstr(said(&f), "3 runs of this name took 50:"));
	f.run[0] = (struct slu_advice_run){700, true, false};
	HOLDS(f, "limit-too-short ");
	ck_assert_ptr_nonnull(strstr(said(&f), "ask for more time"));
	f.run[0] = well.run[0];
	f.run[1] = (struct slu_advice_run){4000, false, true};
	ck_assert_ptr_nonnull(
		strstr(said(&f), "took 1:06:40: ask for 1:20:00"));
	ck_assert_ptr_nonnull(strstr(said(&f), "last 3 runs of this name 1 "));
	f.n_run = 2; /* too few to tell */
	HOLDS(f, "");
	/* of one that runs, if most of those before were longer */
	f = well;
	f.completed = false;
	f.running = true;
	HOLDS(f, "");
	f.run[0].used = f.run[1].used = 3600;
	HOLDS(f, "limit-too-short ");
	f.run[0].used = 3599;
	HOLDS(f, "");
	f.run[0] = (struct slu_advice_run){600, true, false};
	HOLDS(f, "limit-too-short ");
	f.granted = 0;
	HOLDS(f, "");
}
END_TEST

START_TEST(test_limit_long)
{
	struct slu_advice_facts f = well;

	f.asked = 9000;
	HOLDS(f, "limit-too-long ");
	ck_assert_ptr_nonnull(strstr(said(&f), "took 50:00 at most"));
	f.asked = 8999;
	HOLDS(f, "");
	f.asked = 9000;
	f.used = 3001;
	HOLDS(f, "");
	f.used = 10;
	f.run[2].completed = false; /* one was cancelled: who knows */
	HOLDS(f, "");
	f.run[2].completed = true;
	f.n_run = 2;
	HOLDS(f, "");
	/* minutes are not worth a word */
	f = well;
	f.asked = 1799;
	f.used = 1;
	for (int i = 0; i < 3; i++)
		f.run[i].used = 1;
	HOLDS(f, "");
	f.asked = 1800;
	HOLDS(f, "limit-too-long ");
}
END_TEST

START_TEST(test_slow_node)
{
	struct slu_advice_facts f = well;

	f.last = (struct slu_advice_last){"setup", "n9", 10, 20};
	HOLDS(f, "slow-node ");
	ck_assert_ptr_nonnull(strstr(said(&f), "In setup n9 was done 10.0 s"));
	f.last.behind = 9.9;
	HOLDS(f, "");
	f.last.behind = 10;
	f.last.seconds = 21;
	HOLDS(f, "");
	f.last.node = NULL;
	HOLDS(f, "");
}
END_TEST

TEST_MAIN("job_advice", test_nothing, test_too_large,
	  test_suggested_size_has_reserve, test_too_small, test_stage_in,
	  test_small_files, test_unused_file_system, test_limit_short,
	  test_limit_long, test_slow_node)
