/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the prediction of the bytes that a job will read and write. */
#include "config.h"
#include "tests/unit/harness.h"
#include <math.h>
#include "job_submit/io/volumes.h"

static void learn(struct slu_volumes *v, uint32_t uid, char *name,
		  double read_bytes, double written_bytes)
{
	struct slu_history_row row = {.job = {.uid = uid, .name = name},
				      .read_bytes = read_bytes,
				      .written_bytes = written_bytes};

	slu_volumes_learn(v, &row);
}

START_TEST(test_predict)
{
	struct slu_err err;
	struct slu_volumes *v = slu_volumes_new(64, &err);
	static const struct {
		uint32_t uid;
		char *name;
		uint32_t runs;
		double read_bytes, written_bytes, later[3];
	} cases[] = {
		{7, "sim_12", 3, 0, 500, {500, 500, 500}},
		{7, "sim_9", 3, 0, 500, {500, 500, 500}},
		{7, "post", 8, 900, 10, {70, 10, 70}},
		{8, "sim_1", 0, -1, -1, {0}},
		{7, "quiet", 0, -1, -1, {0}},
		{7, "", 0, -1, -1, {0}},
		{9, "strange", 0, -1, -1, {0}},
	};

	ck_assert_msg(v != NULL, "%s", err.text);
	for (int i = 0; i < 3; i++)
		learn(v, 7, "sim_3", 0, 500);
	for (int i = 0; i < 4; i++) { /* turn by turn */
		learn(v, 7, "post", 900, 10);
		learn(v, 7, "post", 100, 70);
	}
	learn(v, 7, "quiet", 0, 0);
	learn(v, 9, "strange", INFINITY, 0);
	learn(v, 9, "strange", NAN, 1);
	learn(v, 9, "strange", -5, 100);
	each(c, cases)
	{
		struct slu_job job = {.uid = c->uid, .name = c->name};
		struct slu_volumes_next n = {.read_bytes = -1,
					     .written_bytes = -1};
		bool known = slu_volumes_predict(v, &job, &n);

		expect(known == (c->runs > 0) && n.runs == c->runs && !n.seen &&
			       n.read_bytes == c->read_bytes &&
			       n.written_bytes == c->written_bytes &&
			       !memcmp(n.later, c->later, sizeof(n.later)),
		       "%s: %u runs, %f, %f", c->name, n.runs, n.read_bytes,
		       n.written_bytes);
	}
	slu_volumes_free(v);
	ck_assert_ptr_null(slu_volumes_new(SIZE_MAX, &err));
}
END_TEST

/* The manner is that of the runs that Darshan has seen, all together. */
START_TEST(test_manner)
{
	struct slu_volumes *v = slu_volumes_new(64, NULL);
	struct slu_history_row row = {.job = {.uid = 7, .name = "sim"},
				      .written_bytes = 4000};
	struct slu_volumes_next n;

	slu_volumes_learn(v, &row);
	ck_assert(slu_volumes_predict(v, &row.job, &n) && !n.seen);
	row.calls = 10;
	row.called_bytes = 4000;
	row.shared_bytes = 4000;
	row.consecutive = 9;
	slu_volumes_learn(v, &row);
	row.calls = 30;
	row.shared_bytes = 0;
	row.consecutive = 3;
	slu_volumes_learn(v, &row);
	row.calls = INFINITY;
	slu_volumes_learn(v, &row);
	ck_assert(slu_volumes_predict(v, &row.job, &n) && n.seen);
	ck_assert_uint_eq(n.runs, 4);
	ck_assert_double_eq(n.request, 200);
	ck_assert_double_eq(n.shared, 0.5);
	ck_assert_double_eq(n.contiguous, 0.3);
	slu_volumes_free(v);
}
END_TEST

/* Memory is bounded, and the ones taught last are known. */
START_TEST(test_bounded)
{
	struct slu_volumes *v = slu_volumes_new(64, NULL);
	char name[16] = "";
	unsigned known = 0;
	struct slu_volumes_next n;

	for (uint32_t uid = 0; uid < 1000; uid++)
		learn(v, uid, name, uid + 1, 1);
	for (uint32_t uid = 0; uid < 1000; uid++) {
		struct slu_job job = {.uid = uid, .name = name};

		known += slu_volumes_predict(v, &job, &n);
		ck_assert(uid < 999 ||
			  (slu_volumes_predict(v, &job, &n) && n.runs == 1));
	}
	ck_assert_uint_le(known, 64);
	ck_assert_uint_gt(known, 32);
	slu_volumes_free(v);
}
END_TEST

TEST_MAIN("volumes", test_predict, test_manner, test_bounded)
