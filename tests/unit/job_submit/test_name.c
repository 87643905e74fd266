/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the reduction of job names to a common form, so that numbered jobs
 * share a history. */
#include "config.h"
#include "tests/unit/harness.h"
#include "job_submit/name.h"

START_TEST(test_plain_names)
{
	static const struct {
		const char *name, *plain;
		size_t size;
	} cases[] = {
		{NULL, "", 64},
		{"", "", 64},
		{"cfd", "cfd", 64},
		{"run_017.b", "run_#.b", 64},
		{"42", "#", 64},
		{"a1b22c333", "a#b#c#", 64},
		{"a1b22c333", "a#b", 4},
		{"abc", "", 1},
		{"caf\xc3\xa9 7", "caf\xc3\xa9 #", 64},
	};

	each(c, cases)
	{
		char out[64];
		size_t n = slu_plain_name(c->name, out, c->size);

		expect(strcmp(out, c->plain) == 0, "case %td: %s", c - cases,
		       out);
		expect(n == strlen(out), "case %td", c - cases);
	}
}
END_TEST

TEST_MAIN("name", test_plain_names)
