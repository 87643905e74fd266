/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests the predictor on a recorded log against the best of several simple
 * predictors. The log is not part of the project: $SLUICE_DATA names the folder
 * that has swf/, else it is looked for beside the checkout; without it the test
 * is skipped.
 */
#include "config.h"
#include "tests/unit/harness.h"
#include <unistd.h>
#include "bench/swf.h"
#include "job_submit/predictor/predict.h"

static char log_path[1024];

static struct slu_job as_job(const struct swf_job *job)
{
	return (struct slu_job){
		.uid = (uint32_t)job->user,
		.node_cnt = (uint32_t)job->procs,
		.limit_asked = (uint32_t)((job->request + 59) / 60),
		.submit = job->submit + 1,
		.start = job->start + 1,
		.end = job->end + 1,
		.state = (char *)(uintptr_t)job->state,
	};
}

static void learn(void *arg, const struct swf_job *job)
{
	struct slu_job j = as_job(job);

	slu_learn(arg, &j);
}

static double predict(void *arg, const struct swf_job *job)
{
	struct slu_job j = as_job(job);
	struct slu_prediction got;

	slu_predict(arg, &j, &got);
	return (double)got.seconds;
}

START_TEST(test_kth)
{
	struct swf_predictor predictor = {learn, predict, NULL};
	struct swf_log log;
	struct swf_error e;
	struct slu_err err;
	double *predicted;

	predictor.arg = slu_predictor_new(1 << 18, 0.9, 0, &err);
	ck_assert_ptr_nonnull(predictor.arg);
	expect_ok(swf_load(log_path, &log, &err), err);
	ck_assert_uint_eq(log.n, 28468);
	predicted = calloc(log.n, sizeof(*predicted));
	ck_assert_int_eq(swf_replay(&log, &predictor, predicted), 0);
	ck_assert_int_eq(swf_error(&log, predicted, 1, &e), 0);
	/* The best of the simple ones: 161 (last in class), 3974 (ratio). */
	ck_assert_double_lt(e.median, 0.85 * 161);
	ck_assert_double_lt(e.mean, 0.95 * 3974);
	free(predicted);
	swf_free(&log);
	slu_predictor_free(predictor.arg);
}
END_TEST

static int find_log(void)
{
	static const char file[] = "swf/KTH-SP2-1996-2.1-cln.swf.gz";
	const char *data = getenv("SLUICE_DATA"), *src = getenv("srcdir");

	if (data)
		snprintf(log_path, sizeof(log_path), "%s/%s", data, file);
	else
		snprintf(log_path, sizeof(log_path), "%s/../shared/data/%s",
			 src ? src : ".", file);
	return access(log_path, R_OK);
}

int main(void)
{
	Suite *suite;
	TCase *tcase;
	SRunner *runner;
	int failed;

	if (find_log() < 0) {
		printf("skipped: there is no %s; see SLUICE_DATA\n", log_path);
		return 77;
	}
	suite = suite_create("yardstick");
	tcase = tcase_create("yardstick");
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, test_kth);
	suite_add_tcase(suite, tcase);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
