/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests each rule of advice for many jobs: it applies where its condition
 * holds, and not outside of it. */
#include "config.h"
#include "common/jsonx.h"
#include "sysquery/answers/report_advice.h"
#include "tests/unit/harness.h"

#define GIB (double)(UINT64_C(1) << 30)

/* Nothing is to be said of these. */
static const struct slu_report_facts well = {
	.jobs = 100,
	.timeouts = 5,
	.limited = 100,
	.asked = 7200,
	.used = 3600,
	.node_seconds = 400 * 3600,
	.staging = 100 * 3600,
	.known = 10,
	.capacity = 100 * GIB,
	.most = 60 * GIB,
	.third = 5,
	.systems = 20,
	.failed = 1,
};

static const char *rules(const struct slu_report_facts *f)
{
	static char names[200];
	struct json_object *list = slu_report_advice(f), *one;

	*names = '\0';
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		one = json_object_array_get_idx(list, i);
		strcat(names, json_object_get_string(
				      json_object_object_get(one, "rule")));
		strcat(names, " ");
	}
	json_object_put(list);
	return names;
}

#define HOLDS(facts, want) ck_assert_str_eq(rules(&(facts)), want)

START_TEST(test_rules)
{
	struct slu_report_facts f = well, nothing = {0};

	HOLDS(well, "");
	HOLDS(nothing, "");

	f.failed = 2; /* more than a twentieth */
	HOLDS(f, "failures ");
	f.systems = 4; /* are no habit */
	HOLDS(f, "");

	f = well;
	f.timeouts = 10;
	HOLDS(f, "");
	f.timeouts = 11;
	HOLDS(f, "limits-too-short ");
	f.jobs = f.timeouts = 4;
	HOLDS(f, "");

	f = well;
	f.staging++;
	HOLDS(f, "staging-takes-long ");
	f.node_seconds = 0;
	HOLDS(f, "");

	f = well;
	f.third = 6;
	HOLDS(f, "");
	f.most = 50 * GIB;
	HOLDS(f, "capacity-too-large ");
	f.third = 5;
	HOLDS(f, "");
	f.known = f.third = 4;
	HOLDS(f, "");

	f = well;
	f.asked = 3 * f.used;
	HOLDS(f, "limits-too-long ");
	f.asked--;
	HOLDS(f, "");
	f.asked++;
	f.timeouts = 6; /* some needed more: who knows which */
	HOLDS(f, "");
}
END_TEST

TEST_MAIN("report advice", test_rules)
