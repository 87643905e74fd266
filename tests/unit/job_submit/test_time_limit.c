/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests the time limits that are set for jobs: which, and with which message.
 */
#include "config.h"
#include "tests/unit/harness.h"
#include "common/str.h"
#include "job_submit/time_limit.h"

#define TIGHTEN SLU_PREDICT_TIGHTEN
#define FILL	SLU_PREDICT_FILL
#define EARLY	SLU_PREDICT_EARLY
#define TIGHT	SLU_LIMIT_TIGHT
#define FILLED	SLU_LIMIT_FILLED

#define NONE	SLU_LIMIT_NONE

START_TEST(test_cases)
{
	static const struct {
		enum slu_predict_mode mode;
		struct slu_limit_rules rules;
		struct slu_limit_needs needs;
		struct slu_limit_grant want;
	} cases[] = {
		{SLU_PREDICT_OFF,
		 {.given = 1, .whole = 60, .most = NONE},
		 {.careful = 61},
		 {0}},
		{SLU_PREDICT_ADVISE,
		 {.given = 1, .whole = 60, .most = NONE},
		 {.careful = 61},
		 {0}},
		{SLU_PREDICT_ADVISE,
		 {.whole = 60, .most = NONE},
		 {.careful = 7800},
		 {0}},
		{FILL,
		 {.given = 1, .whole = 60, .most = NONE},
		 {.careful = 61},
		 {0}},
		{FILL,
		 {.whole = NONE, .most = NONE},
		 {.careful = 61},
		 {TIGHT, 2}},
		/* MaxTime is what is filled in */
		{FILL,
		 {.whole = 90, .most = 90},
		 {.careful = 5340},
		 {TIGHT, 89}},
		{FILL, {.whole = 90, .most = 90}, {.careful = 5400}, {0}},
		{FILL, {.whole = 90, .most = 90}, {.careful = 5401}, {0}},
		/* DefaultTime is */
		{FILL,
		 {.whole = 60, .most = NONE},
		 {.careful = 7800},
		 {FILLED, 130}},
		{FILL,
		 {.whole = 60, .most = 240},
		 {.careful = 7801},
		 {FILLED, 131}},
		{FILL,
		 {.whole = 60, .most = 90},
		 {.careful = 7800},
		 {FILLED, 90}},
		{FILL, {.whole = 60, .most = 60}, {.careful = 7800}, {0}},
		{FILL, {.whole = 60, .most = 30}, {.careful = 7800}, {0}},
		{FILL, {.whole = 60, .most = 30}, {.careful = 600}, {0}},
		{TIGHTEN,
		 {.whole = 60, .most = NONE},
		 {.careful = 7800},
		 {FILLED, 130}},
		{FILL,
		 {.left = 1, .whole = 60, .most = NONE},
		 {.careful = 7800},
		 {0}},
		{FILL,
		 {.unknown = 1, .whole = 60, .most = NONE},
		 {.careful = 60},
		 {0}},
		{TIGHTEN,
		 {.given = 1, .whole = 60, .most = NONE},
		 {.careful = 61},
		 {TIGHT, 2}},
		{TIGHTEN,
		 {.given = 1, .whole = 60, .most = NONE},
		 {.careful = 60},
		 {TIGHT, 1}},
		{TIGHTEN,
		 {.given = 1, .whole = 60, .most = NONE},
		 {.careful = 3540},
		 {TIGHT, 59}},
		{TIGHTEN,
		 {.given = 1, .whole = 60, .most = NONE},
		 {.careful = 3541},
		 {0}},
		{TIGHTEN,
		 {.given = 1, .whole = 60, .most = NONE},
		 {.careful = 7200},
		 {0}},
		{TIGHTEN,
		 {.given = 1, .whole = NONE, .most = NONE},
		 {.careful = 7200},
		 {TIGHT, 120}},
		/* Slurm says no */
		{TIGHTEN,
		 {.given = 1, .whole = NONE, .most = 60},
		 {.careful = 600},
		 {0}},
		{TIGHTEN,
		 {.given = 1, .whole = 61, .most = 60},
		 {.careful = 600},
		 {0}},
		{TIGHTEN,
		 {.given = 1, .whole = 60, .most = 60},
		 {.careful = 600},
		 {TIGHT, 10}},
		{TIGHTEN,
		 {.whole = 60, .most = 60},
		 {.careful = 600},
		 {TIGHT, 10}},
		{TIGHTEN,
		 {.given = 1, .whole = 60, .most = NONE},
		 {.careful = 0},
		 {0}},
		{TIGHTEN,
		 {.given = 1, .whole = 60, .most = NONE},
		 {.careful = -5},
		 {0}},
		{TIGHTEN,
		 {.given = 1, .whole = NONE, .most = NONE},
		 {.careful = INT64_MAX},
		 {0}},
		{TIGHTEN,
		 {.whole = 60, .most = NONE},
		 {.careful = INT64_MAX},
		 {0}},
		/* planned with the early one, ended by their own */
		{EARLY,
		 {.given = 1, .whole = 60, .most = NONE},
		 {3600, 61},
		 {TIGHT, 2}},
		{EARLY,
		 {.given = 1, .whole = 60, .most = NONE},
		 {7200, 3541},
		 {0}},
		{EARLY, {.whole = 60, .most = NONE}, {3000, 61}, {TIGHT, 2}},
		{EARLY, {.whole = 60, .most = 60}, {7200, 61}, {TIGHT, 2}},
		/* what ends a job is never the early one */
		{EARLY, {.whole = 60, .most = 90}, {5000, 61}, {FILLED, 84}},
		{EARLY, {.whole = 60, .most = 90}, {7200, 61}, {FILLED, 90}},
		{EARLY, {.given = 1, .whole = 60, .most = 60}, {0, 0}, {0}},
		{EARLY,
		 {.given = 1, .whole = 60, .most = 60},
		 {600, 700},
		 {TIGHT, 10}},
		{TIGHTEN,
		 {.given = 1, .whole = 60, .most = 60},
		 {600, 61},
		 {TIGHT, 10}},
	};

	each(c, cases)
	{
		struct slu_limit_grant got =
			slu_limit_decide(c->mode, &c->rules, &c->needs);

		expect(got.deed == c->want.deed &&
			       got.minutes == c->want.minutes,
		       "case %td: %d %u", c - cases, got.deed, got.minutes);
	}
}
END_TEST

/* What must hold for any job: for its message, and for its limit. */
static void judge(enum slu_predict_mode mode, const struct slu_limit_rules *r,
		  const struct slu_limit_needs *needs)
{
	struct slu_limit_grant got = slu_limit_decide(mode, r, needs), again;
	int64_t careful = needs->careful, tight = careful;
	uint32_t limit = got.deed == SLU_LIMIT_KEPT ? r->whole : got.minutes;
	bool changes =
		mode == TIGHTEN || mode == EARLY || (mode == FILL && !r->given);
	bool may = changes && !r->left && !r->unknown && r->whole <= r->most;

	expect(slu_limit_may_change(mode, r) == may, "asked before it is told");
	if (mode == EARLY && needs->early < careful)
		tight = needs->early;
	if (got.deed != SLU_LIMIT_KEPT)
		expect(may && careful > 0 && got.minutes && limit <= r->most,
		       "may not be changed");
	if (got.deed == TIGHT)
		expect(limit < r->whole && r->whole <= r->most &&
			       (int64_t)limit * 60 >= tight,
		       "less, but enough, and may grow");
	if (got.deed == FILLED)
		expect(!r->given && limit > r->whole &&
			       ((int64_t)limit * 60 >= careful ||
				limit == r->most),
		       "more, and enough if that is allowed");
	/* Slurm has judged it, and nothing has changed. */
	again = slu_limit_decide(
		TIGHTEN, r,
		&(struct slu_limit_needs){(int64_t)got.minutes * 60, 0});
	expect(again.deed == got.deed && again.minutes == got.minutes,
	       "what is told is what it gets");
	if (may && tight > 0 && careful <= 86400)
		expect((int64_t)limit * 60 >= careful || limit == r->most ||
			       r->given || r->whole == r->most ||
			       (int64_t)r->whole * 60 >= careful,
		       "no job without a limit gets too little");
}

START_TEST(test_all)
{
	static const uint32_t minutes[] = {1,  2,  59,	     60,
					   61, 90, NONE - 1, NONE};
	static const int64_t seconds[] = {-1,	0,	   1,	     59,   60,
					  61,	120,	   3600,     3601, 5400,
					  7800, 1LL << 40, INT64_MAX};

	for (int mode = 0; mode <= EARLY; mode++)
		for (int bits = 0; bits < 8; bits++)
			each(whole, minutes) each(most, minutes)
				each(c, seconds) each(early, seconds)
			{
				struct slu_limit_rules rules = {
					bits & 1, bits & 2, bits & 4, *whole,
					*most};
				struct slu_limit_needs needs = {*c, *early};

				judge((enum slu_predict_mode)mode, &rules,
				      &needs);
			}
}
END_TEST

START_TEST(test_words)
{
	static const struct {
		struct slu_limit_rules rules;
		struct slu_limit_grant grant;
		bool waits;
		const char *words;
	} cases[] = {
		{{.whole = 60}, {0}, false, ""},
		{{.whole = 600},
		 {TIGHT, 61},
		 false,
		 ", the limit is to be 1:01:00 and grows to 10:00:00 when "
		 "needed (scontrol show job tells)"},
		{{.whole = NONE},
		 {TIGHT, 1},
		 true,
		 ", the limit is to be 0:01:00 and grows to unlimited when "
		 "needed, or while a reservation is in the way (scontrol show "
		 "job tells)"},
		{{.whole = 60},
		 {FILLED, 130},
		 false,
		 ", the limit is to be 2:10:00 in place of 1:00:00 by default, "
		 "and does not grow (--time asks for another)"},
	};

	each(c, cases)
	{
		struct slu_buf text = {0};

		slu_limit_say(&text, &c->rules, &c->grant, c->waits);
		ck_assert_str_eq(text.len ? text.data : "", c->words);
		slu_buf_free(&text);
	}
}
END_TEST

/* Slurm may end a job at a look each 30 s: a look of ours comes before. */
START_TEST(test_lead)
{
	static const struct {
		uint32_t minutes;
		int64_t lead;
	} cases[] = {{0, 0},   {1, 30},	 {3, 90},
		     {4, 120}, {5, 120}, {UINT32_MAX, 120}};

	each(c, cases)
	{
		expect(slu_limit_lead(c->minutes) == c->lead, "%u", c->minutes);
		ck_assert(!c->lead || c->lead > SLU_LIMIT_LOOK);
		expect(!c->minutes || slu_limit_extended_before(
					      c->minutes, 0) == c->lead - 1,
		       "%u", c->minutes);
	}
}
END_TEST

TEST_MAIN("time_limit", test_cases, test_all, test_words, test_lead)
