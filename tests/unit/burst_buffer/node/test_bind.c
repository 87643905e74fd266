/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the binding of a process and its children to CPUs, and its reversal. */
#include "config.h"
#include "burst_buffer/host/bind.h"
#include "tests/unit/harness.h"

#include <unistd.h>

static struct slu_err err;

static bool same(const cpu_set_t *a)
{
	cpu_set_t now;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(now), &now), 0);
	return CPU_EQUAL(a, &now);
}

/* Bound, also what is started then; and as before again. */
START_TEST(test_there_and_back)
{
	struct slu_bound bound, again;
	cpu_set_t before, one;
	char text[32];
	int cpu = 0;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(before), &before), 0);
	while (!CPU_ISSET(cpu, &before))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	snprintf(text, sizeof(text), "%d,8000-8191", cpu);
	expect_ok(slu_bind(text, &bound, &err), err);
	ck_assert(same(&one));
	expect_ok(slu_bind("0-8191", &again, &err), err);
	ck_assert(same(&one)); /* nobody gets more than he had */
	slu_unbind(&again);
	ck_assert(same(&one));
	slu_unbind(&bound);
	ck_assert(same(&before));
	slu_unbind(&bound); /* nothing is to be undone */
	ck_assert(same(&before));
}
END_TEST

START_TEST(test_refused)
{
	static const char *const cases[] = {
		"x",	       "-1",  "1-",  "3-2",	  "0,,1", "0-8192",
		"99999999999", "0 1", "0x1", "8191-8191", ""};
	struct slu_bound bound;
	cpu_set_t before;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(before), &before), 0);
	each(c, cases)
	{
		expect(slu_bind(*c, &bound, &err) == -1, "\"%s\"", *c);
		ck_assert_int_eq(err.kind, SLU_INVALID);
		ck_assert_ptr_null(bound.before);
		ck_assert(same(&before));
	}
}
END_TEST

TEST_MAIN("bind", test_there_and_back, test_refused)
