/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "tests/unit/harness.h"
#include "job_submit/granted.h"

#define TIGHTEN SLU_PREDICT_TIGHTEN
#define FILL	SLU_PREDICT_FILL

START_TEST(test_cases)
{
	static const struct {
		enum slu_predict_mode mode;
		struct slu_limit_wish wish;
		int64_t careful;
		uint32_t want;
	} cases[] = {
		{SLU_PREDICT_OFF, {true, 60, 0}, 61, 0},
		{SLU_PREDICT_ADVISE, {true, 60, 0}, 61, 0},
		{SLU_PREDICT_ADVISE, {false, 0, 0}, 61, 0},
		{FILL, {true, 60, 0}, 61, 0},
		{FILL, {false, 0, 0}, 61, 2},
		{FILL, {false, 0, 90}, 5400, 90},
		{FILL, {false, 0, 90}, 5401, 90},
		{TIGHTEN, {true, 60, 0}, 61, 2},
		{TIGHTEN, {true, 60, 0}, 60, 1},
		{TIGHTEN, {true, 60, 0}, 59 * 60, 59},
		{TIGHTEN, {true, 60, 0}, 59 * 60 + 1, 0}, /* no less */
		{TIGHTEN, {true, 60, 0}, 7200, 0},
		{TIGHTEN, {true, 0, 0}, 7200, 120}, /* without end */
		{TIGHTEN, {true, 0, 60}, 600, 0},   /* Slurm says no */
		{TIGHTEN, {true, 61, 60}, 600, 0},
		{TIGHTEN, {true, 60, 60}, 600, 10},
		{TIGHTEN, {false, 0, 60}, 600, 10},
		{TIGHTEN, {true, 60, 0}, 0, 0},
		{TIGHTEN, {true, 60, 0}, -5, 0},
		{TIGHTEN, {true, 0, 0}, INT64_MAX - 60, 0},
	};

	each(c, cases)
	{
		uint32_t got = slu_limit_granted(c->mode, &c->wish, c->careful);

		expect(got == c->want, "case %td: %u", c - cases, got);
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
	}
}
END_TEST

TEST_MAIN("granted", test_cases, test_lead)
