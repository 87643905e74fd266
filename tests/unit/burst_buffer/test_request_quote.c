/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests error messages that quote the line, with a caret under the error. */
#include "tests/unit/harness.h"

#include <stdlib.h>
#include <string.h>
#include "burst_buffer/request/request.h"
#include "common/str.h"
#include "common/width.h"
#include "tests/unit/random.h"

/* quoted: the line below the sentence, and the caret's, without their blanks at
 * the begin; NULL: nothing is shown. */
static const struct text_case {
	const char *option, *script, *said, *line, *caret;
} cases[] = {
	/* by columns */
	{NULL, "#!/bin/sh\n#BB jobsf capacity=1K\n",
	 "line 2: unknown request \"jobsf\"; did you mean jobfs (column 5)",
	 "#BB jobsf capacity=1K", "    ^~~~~"},
	{"capacity=1K; stage_in source=/\xc3\xa9 sorce=/b", NULL,
	 "--bb: stage_in: unknown key \"sorce\"; did you mean source (column 33)",
	 "capacity=1K; stage_in source=/\xc3\xa9 sorce=/b",
	 "                                ^~~~~"},
	{"forward max=1\njobfs\n", NULL,
	 "--bb: line 2: jobfs: capacity= is missing (column 1)", "jobfs",
	 "^~~~~"},
	{NULL, "\t#BB\tjobfs  nodes=0 capacity=1K",
	 "line 1: jobfs: nodes: is wrong (column 13)",
	 " #BB jobfs  nodes=0 capacity=1K", "            ^~~~~"},
	{NULL, "#BB forward ma\001=1\r\nx",
	 "line 1: control characters are refused (column 15)",
	 "#BB forward ma =1", "              ^"},
	/* by words before colons, each behind the one before */
	{NULL, "#BB jobfs type=jobfs capacity=1K", "line 1: jobfs: type: what",
	 "#BB jobfs type=jobfs capacity=1K", "          ^~~~"},
	{NULL, "#BB stage_in source=/a/$USER destination=$BB_JOBFS",
	 "line 1: stage_in: /a/$USER: $USER is not known; write %u",
	 "#BB stage_in source=/a/$USER destination=$BB_JOBFS",
	 "                    ^~~~~~~~"},
	{"capacity=1K; stage_out source=$BB_JOBFSx destination=/y", NULL,
	 "stage_out: $BB_JOBFSx: this job has no $BB_JOBFSx",
	 "capacity=1K; stage_out source=$BB_JOBFSx destination=/y",
	 "                              ^~~~~~~~~~"},
	/* by what it quotes */
	{NULL, "#BB jobfs type=lustre capacity=1K",
	 "line 1: jobfs: no file system is called \"lustre\"",
	 "#BB jobfs type=lustre capacity=1K", "               ^~~~~~"},
	{NULL, "#BB jobfs capacity=9TiB", "line 1: jobfs: 9TiB is too much",
	 "#BB jobfs capacity=9TiB", "                   ^~~~"},
	{NULL, "#BB stage_in source=/a destination=/b",
	 "line 1: stage_in: destination /b: must be $BB_JOBFS",
	 "#BB stage_in source=/a destination=/b",
	 "                                   ^~"},
	{NULL, "#BB jobfs capacity=9TiB", "line 1: capacity=9TiB is too much",
	 "#BB jobfs capacity=9TiB", "          ^~~~~~~~~~~~~"},
	{NULL, "#BB jobfs type=lustre capacity=1K",
	 "line 1: jobfs: there is no file system lustre; type= may be a, b",
	 "#BB jobfs type=lustre capacity=1K", "          ^~~~"},
	/* of either, whose line has the words */
	{"forward max=1\nstripe target=/a",
	 "#!/bin/sh\n#BB jobfs capacity=1K\n", "line 2: stripe: /a: what",
	 "stripe target=/a", "              ^~"},
	{"forward max=1\nstripe target=/a",
	 "#!/bin/sh\n#BB jobfs capacity=1K\n", "line 2: jobfs: what",
	 "#BB jobfs capacity=1K", "    ^~~~~"},
	/* only whole words */
	{NULL, "#BB jobfs nodes=1 jobfsx=2", "line 1: jobfsx: what",
	 "#BB jobfs nodes=1 jobfsx=2", "                  ^~~~~~"},
	/* nothing to be shown */
	{NULL, "#BB jobfs capacity=1K", "line 1: forward: what", NULL, NULL},
	{NULL, "#BB jobfs capacity=1K", "line 7: jobfs: what", NULL, NULL},
	{NULL, "# BB forward", "line 1: \"# BB forward\" is a comment", NULL,
	 NULL},
	{NULL, NULL, "sluice is not configured: jobfs: what", NULL, NULL},
	{NULL, "#BB jobfs", "and 3 more mistakes", NULL, NULL},
	/* cut, with the caret in sight */
	{NULL,
	 "#BB stage_in source=/projects/astro/simulations/of/the/year/2026/a "
	 "destination=$BB_JOBFS/in tpye=file",
	 "line 1: stage_in: unknown key \"tpye\" (column 93)",
	 "...ations/of/the/year/2026/a destination=$BB_JOBFS/in tpye=file",
	 "                                                      ^~~~"},
	{NULL,
	 "#BB jobsf capacity=1K pattern=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	 "line 1: unknown request \"jobsf\" (column 5)",
	 "#BB jobsf capacity=1K pattern=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...",
	 "    ^~~~~"},
};

START_TEST(test_quote)
{
	each(c, cases)
	{
		char *want = c->line ? slu_asprintf("%s\n    %s\n    %s",
						    c->said, c->line, c->caret)
				     : strdup(c->said);
		char *got = slu_request_quote(c->said, c->option, c->script);

		expect(slu_eq(got, want), "got\n%s\nwant\n%s", got, want);
		free(got);
		free(want);
	}
}
END_TEST

/* As they are told, several of them. */
START_TEST(test_several)
{
	static const char script[] = "#!/bin/sh\n#BB jobsf capacity=1K\n"
				     "#BB stage_in source=/a\n";
	struct slu_request req;
	struct slu_err err;
	char *got;

	expect_fail(slu_request_submitted(NULL, script, true, &req, &err), err,
		    SLU_INVALID, "line 2");
	got = slu_request_quote(err.text, NULL, script);
	ck_assert_str_eq(
		got,
		"line 2: unknown request \"jobsf\"; did you mean jobfs (column "
		"5)\n    #BB jobsf capacity=1K\n        ^~~~~\n"
		"line 3: stage_in: destination= is missing (column 5)\n"
		"    #BB stage_in source=/a\n        ^~~~~~~~");
	free(got);
}
END_TEST

/* Whatever users write: all of the mistakes, nothing that a terminal obeys,
 * lines that fit. */
START_TEST(test_random_requests_are_quoted)
{
	static const char *const words[] = {"#BB ",	 "jobfs ",
					    "capacity=", "\"",
					    ";",	 "\xe4\xb8\xad",
					    "\n",	 "\xff",
					    "\t",	 "\033[2J",
					    "a",	 "%s",
					    "$USER/",	 "=",
					    "bbbbb",	 "\r",
					    "stage_in ", ": ",
					    "#DW "};
	uint64_t seed = 7;

	for (int i = 0; i < 3000; i++) {
		struct slu_buf text = {0};
		struct slu_request req;
		struct slu_err err;
		char *got, *save = NULL, *line;

		for (uint64_t n = slu_random(&seed, 60); n; n--)
			slu_buf_puts(&text,
				     words[slu_random(
					     &seed, sizeof(words) /
							    sizeof(words[0]))]);
		slu_buf_puts(&text, "\n");
		if (!slu_request_submitted(i % 2 ? text.data : NULL, text.data,
					   true, &req, &err)) {
			slu_request_free(&req);
			slu_buf_free(&text);
			continue;
		}
		got = slu_request_quote(err.text, i % 2 ? text.data : NULL,
					text.data);
		ck_assert_ptr_nonnull(got);
		expect(!strpbrk(got, "\r\033\t"), "%s", got);
		for (line = strtok_r(got, "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save))
			expect(strncmp(line, "    ", 4) ||
				       slu_width(line) <= 74,
			       "%s", line);
		free(got);
		slu_buf_free(&text);
	}
}
END_TEST

TEST_MAIN("request quote", test_quote, test_several,
	  test_random_requests_are_quoted)
