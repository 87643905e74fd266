/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the parsing of times on the command line. */
#include "config.h"
#include "sysquery/cli/time_text.h"
#include "tests/unit/harness.h"

#include <time.h>

static struct slu_err err;

#define NOW 1000000

START_TEST(test_when)
{
	static const struct {
		const char *text;
		int64_t want;
	} cases[] = {
		{"@0", 0},
		{"@1700000000", 1700000000},
		{"3d", NOW - 3 * 86400},
		{"1-12:00:00", NOW - 36 * 3600},
		{"90", NOW - 90},
		{"1970-01-02", 86400 + 3600},
		{"1970-01-02T01:00", 86400 + 2 * 3600},
		{"2026-07-01 12:30:15", 1782912615},
	};
	static const char *const bad[] = {"",
					  "@",
					  "@-1",
					  "@1x",
					  "yesterday",
					  "2026-13-01",
					  "2026-11-20x",
					  "20d",
					  "1969-01-01",
					  "2026-11-20T9:",
					  "-3d"};
	int64_t got;

	setenv("TZ", "XYZ+1", 1); /* an hour west */
	tzset();
	each(c, cases)
	{
		expect(slu_when_parse(c->text, NOW, &got, &err) == 0, "%s: %s",
		       c->text, err.text);
		expect(got == c->want, "%s: %lld", c->text, (long long)got);
	}
	each(b, bad)
	{
		expect_fail(slu_when_parse(*b, NOW, &got, &err), err,
			    SLU_INVALID, "is no time");
	}
}
END_TEST

TEST_MAIN("time_text", test_when)
