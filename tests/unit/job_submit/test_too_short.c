/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the warning that a requested time limit is shorter than such jobs
 * usually take. */
#include "config.h"
#include "tests/unit/harness.h"
#include "job_submit/predictor/too_short.h"

static struct slu_predictor *p;
static int64_t now;

static void fresh(void)
{
	p = slu_predictor_new(1024, 0.75, 300, NULL);
	now = 1000000;
}

static struct slu_job job(const char *name, uint32_t limit)
{
	return (struct slu_job){.uid = 7,
				.name = (char *)(uintptr_t)name,
				.node_cnt = 1,
				.limit_asked = limit,
				.submit = now};
}

/* Runs of this name, minutes each, one after the other. */
static void ran(const char *name, uint32_t limit, int64_t minutes,
		const char *state, int times)
{
	for (int i = 0; i < times; i++) {
		struct slu_job j = job(name, limit);

		j.start = now;
		j.end = now += minutes * 60;
		j.state = (char *)(uintptr_t)state;
		now += 10;
		slu_learn(p, &j);
	}
}

static bool warns(const char *name, uint32_t limit, struct slu_too_short *is)
{
	struct slu_job j = job(name, limit);

	return slu_predict_too_short(p, &j, (int64_t)limit * 60, is);
}

/* Six of six took 2:10. */
START_TEST(test_plain)
{
	struct slu_too_short is;
	struct slu_buf text = {0};

	fresh();
	ck_assert(!warns("climate", 60, &is));
	ran("climate", 240, 130, "COMPLETED", 6);
	ck_assert(!warns("climate", 240, &is));
	ck_assert(!warns("climate", 131, &is));
	ck_assert(!warns("other", 60, &is));
	ck_assert(!warns("climate", 0, &is)); /* without end */
	ck_assert(warns("climate", 60, &is));
	ck_assert_uint_eq(is.known, 6);
	ck_assert_uint_eq(is.longer, 6);
	ck_assert_int_eq(is.limit, 3600);
	expect(is.half > 7750 && is.half < 7850, "%lld", (long long)is.half);
	is.half = 7800;
	slu_too_short_say(&text, &is);
	ck_assert_str_eq(text.data,
			 "6 of the last 6 runs like this one took its limit of "
			 "1:00:00 or longer, half of these 2:10:00 or more: it "
			 "may end unfinished (--time)");
	slu_buf_free(&text);
	slu_predictor_free(p);
}
END_TEST

/* A run that was ended at a lower limit tells nothing of a higher one, and of
 * the same one that it would have taken longer. */
START_TEST(test_censored)
{
	struct slu_too_short is;

	fresh();
	ran("a", 30, 30, "TIMEOUT", 3);
	ck_assert(!warns("a", 60, &is));
	ran("a", 240, 130, "COMPLETED", 3);
	ck_assert(warns("a", 60, &is));
	ck_assert_uint_eq(is.known, 3);
	ck_assert_uint_eq(is.longer, 3);
	slu_predictor_free(p);
}
END_TEST

/* Nobody is warned by his own limit having been reached before that has come
 * true here often enough; nor goes a site on that does not bear it out. */
START_TEST(test_record)
{
	struct slu_too_short is;

	fresh();
	ran("a", 60, 60, "TIMEOUT", 7);
	ck_assert(!warns("a", 60, &is));
	ran("a", 60, 60, "TIMEOUT", 60);
	ck_assert(warns("a", 60, &is));
	ran("a", 60, 10, "COMPLETED", 1); /* six of seven, another kind */
	ck_assert(!warns("a", 60, &is));
	ran("a", 60, 60, "TIMEOUT", 6);
	ck_assert(!warns("a", 60, &is)); /* the seventh still counts */

	for (int i = 0; i < 8; i++) {
		char name[] = {'b', (char)('a' + i), '\0'};

		ran(name, 240, 130, "COMPLETED", 6);
		ck_assert(warns(name, 60, &is) == (i < 2));
		ran(name, 60, 10, "COMPLETED", 1);
	}
	slu_predictor_free(p);
}
END_TEST

/* What failed in the last minute failed at its limit. */
START_TEST(test_failed)
{
	struct slu_too_short is;

	fresh();
	for (int i = 0; i < 8; i++) {
		char name[] = {'c', (char)('a' + i), '\0'};

		ran(name, 240, 130, "COMPLETED", 6);
		ck_assert(warns(name, 60, &is));
		now -= 30;
		ran(name, 60, 60, "FAILED", 1);
	}
	slu_predictor_free(p);
}
END_TEST

/* Jobs without a name are not alike. */
START_TEST(test_unnamed)
{
	struct slu_too_short is;

	fresh();
	ran("", 240, 130, "COMPLETED", 6);
	ck_assert(!warns("", 60, &is));
	ran(NULL, 240, 130, "COMPLETED", 6);
	ck_assert(!warns(NULL, 60, &is));
	slu_predictor_free(p);
}
END_TEST

/* Nor do they say how much the runs of a name are worth: logs of other sites
 * may have no names. */
START_TEST(test_unnamed_mislead)
{
	struct slu_too_short is;

	fresh();
	for (int i = 0; i < 40; i++) {
		ran("", 240, 130, "COMPLETED", 7);
		ran("", 60, 10, "COMPLETED", 1);
	}
	ran("climate", 240, 130, "COMPLETED", 6);
	ck_assert(warns("climate", 60, &is));
	slu_predictor_free(p);
}
END_TEST

/* What had not ended when it was submitted is not known. */
START_TEST(test_known_then)
{
	struct slu_too_short is;
	struct slu_job j;

	fresh();
	j = job("a", 60);
	ran("a", 240, 130, "COMPLETED", 6);
	ck_assert(!slu_predict_too_short(p, &j, 3600, &is));
	j.submit = 0; /* now */
	ck_assert(slu_predict_too_short(p, &j, 3600, &is));
	slu_predictor_free(p);
}
END_TEST

TEST_MAIN("too short", test_plain, test_censored, test_record, test_failed,
	  test_unnamed, test_unnamed_mislead, test_known_then)
