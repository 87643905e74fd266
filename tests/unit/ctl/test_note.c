/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the text that Sluice writes into a job's AdminComment: it is read back
 * equal, and other texts are ignored. */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include "common/str.h"
#include "wire/note.h"

static const struct {
	const char *comment;
	struct slu_note note;
	bool has;
} notes[] = {
	{NULL, {.gave_back = -1}, false},
	{"", {.gave_back = -1}, false},
	{"of others", {.gave_back = -1}, false},
	{"mysluice: x", {.gave_back = -1}, false},
	{"sluice: predicted 0:05:10 (class, 3 jobs), asked 0:10:00",
	 {.predicted = 310,
	  .from = "class",
	  .jobs = 3,
	  .has_asked = true,
	  .asked = 600,
	  .gave_back = -1},
	 true},
	{"sluice: predicted 123:00:00 (user, 2 jobs), no limit asked; "
	 "gave back 0:01:23",
	 {.predicted = 442800,
	  .from = "user",
	  .jobs = 2,
	  .has_asked = true,
	  .gave_back = 83},
	 true},
	{"of others; sluice: gave back 0:00:00; stage-out failed; twice",
	 {.gave_back = 0, .why = "stage-out failed; twice"},
	 true},
	{"sluice: predicted 0:05:10 (class, 3 jobs), asked 0:10:00; limit "
	 "0:06:00 of 0:10:00; script 00000000deadbeef; gave back 0:00:01; why",
	 {.predicted = 310,
	  .from = "class",
	  .jobs = 3,
	  .has_asked = true,
	  .asked = 600,
	  .limit = SLU_LIMIT_GUARDED,
	  .tight = 6,
	  .whole = 10,
	  .script = 0xdeadbeef,
	  .gave_back = 1,
	  .why = "why"},
	 true},
	{"sluice: gave back 0:00:01; waits for I/O since "
	 "2026-11-28T11:40:02Z; why",
	 {.gave_back = 1, .io_since = 1795866002, .why = "why"},
	 true},
	{"sluice: waits for I/O since 1970-01-01T00:00:01Z",
	 {.gave_back = -1, .io_since = 1},
	 true},
	{"sluice: gave back 0:00:01; start: 50 % by 2026-11-28T14:20, 90 % by "
	 "2026-11-28T15:10, on n12 .8, n13 .8; why",
	 {.gave_back = 1,
	  .start = "50 % by 2026-11-28T14:20, 90 % by 2026-11-28T15:10, on "
		   "n12 .8, n13 .8",
	  .why = "why"},
	 true},
	{"sluice: limit 0:01:00 of none, meant",
	 {.limit = SLU_LIMIT_MEANT, .tight = 1, .gave_back = -1},
	 true},
	{"sluice: limit 100:00:00 of unlimited, extended",
	 {.limit = SLU_LIMIT_EXTENDED,
	  .tight = 6000,
	  .whole = SLU_NOTE_UNLIMITED,
	  .gave_back = -1},
	 true},
	{"sluice: limit 0:01:00 of unlimited by default, extended",
	 {.limit = SLU_LIMIT_EXTENDED,
	  .tight = 1,
	  .whole = SLU_NOTE_UNLIMITED,
	  .by_default = true,
	  .gave_back = -1},
	 true},
	{"x; sluice: limit 0:01:00 of none, extended, 2 planned starts later "
	 "by up to 0:00:59; script ffffffffffffffff",
	 {.limit = SLU_LIMIT_EXTENDED,
	  .tight = 1,
	  .late = 2,
	  .late_by = 59,
	  .script = UINT64_MAX,
	  .gave_back = -1},
	 true},
	{"sluice: limit 0:01:00 of 1:00:00, changed since",
	 {.limit = SLU_LIMIT_LEFT, .tight = 1, .whole = 60, .gave_back = -1},
	 true},
	{"sluice: limit 2:10:00 in place of 1:00:00; script ffffffffffffffff",
	 {.limit = SLU_LIMIT_GUARDED,
	  .tight = 130,
	  .whole = 60,
	  .script = UINT64_MAX,
	  .gave_back = -1},
	 true},
	{"sluice: limit 0:00:00 of 1:00:00 is nonsense",
	 {.gave_back = -1, .why = "limit 0:00:00 of 1:00:00 is nonsense"},
	 true},
	{"sluice: script 00000000deadbeef; waited 0:02:00 for storage, "
	 "0:00:40 for its input; gave back 0:00:01; why",
	 {.script = 0xdeadbeef,
	  .waited.seconds = {[SLU_WAIT_STORAGE] = 120, [SLU_WAIT_INPUT] = 40},
	  .gave_back = 1,
	  .why = "why"},
	 true},
	{"of others; sluice: disk full",
	 {.gave_back = -1, .why = "disk full"},
	 true},
};

START_TEST(test_note)
{
	each(c, notes)
	{
		struct slu_note note;
		char *back;

		expect(slu_ctl_note_parse(c->comment, &note) == c->has, "%s",
		       c->comment);
		expect(note.predicted == c->note.predicted &&
			       note.jobs == c->note.jobs &&
			       note.has_asked == c->note.has_asked &&
			       note.asked == c->note.asked &&
			       note.gave_back == c->note.gave_back &&
			       note.limit == c->note.limit &&
			       note.tight == c->note.tight &&
			       note.whole == c->note.whole &&
			       note.by_default == c->note.by_default &&
			       note.late == c->note.late &&
			       note.late_by == c->note.late_by &&
			       note.script == c->note.script &&
			       !memcmp(&note.waited, &c->note.waited,
				       sizeof(note.waited)) &&
			       note.io_since == c->note.io_since &&
			       !strcmp(note.from, c->note.from) &&
			       !strcmp(note.start, c->note.start) &&
			       !strcmp(note.why, c->note.why),
		       "%s", c->comment);
		/* Printed it is what was read. */
		back = slu_ctl_note_apply(c->comment, &note);
		ck_assert_str_eq(back, c->comment ? c->comment : "");
		free(back);
	}
}
END_TEST

/* NULL: nothing is to be written. */
START_TEST(test_start)
{
	static const struct {
		const char *comment, *start, *after;
	} starts[] = {
		{NULL, NULL, NULL},
		{NULL, "", NULL},
		{"of others; start: x", "", NULL},
		{NULL, "50 %", "sluice: start: 50 %"},
		{"of others", "50 %", "of others; sluice: start: 50 %"},
		{"sluice: gave back 0:00:01; why", "50 %",
		 "sluice: gave back 0:00:01; start: 50 %; why"},
		{"sluice: start: 50 %", "50 %", NULL},
		{"sluice: start: 50 %; why", "90 %",
		 "sluice: start: 90 %; why"},
		{"sluice: start: 50 %; why", "", "sluice: why"},
		{"a; sluice: start: 50 %", NULL, "a"},
	};

	each(c, starts)
	{
		char *got = slu_ctl_note_start(c->comment, c->start);

		expect(slu_eq(got, c->after), "%s: %s",
		       c->comment ? c->comment : "-", got ? got : "-");
		free(got);
	}
}
END_TEST

/* What a person has made of it: never a limit of another order. */
START_TEST(test_note_out_of_range)
{
	static const struct {
		const char *comment;
		uint32_t tight, whole;
	} cases[] = {
		{"sluice: limit 0:01:00 of 71582788:14:00", 1, 4294967294},
		{"sluice: limit 0:01:00 of 71582788:15:00", 1, UINT32_MAX},
		{"sluice: limit 0:01:00 of 99999999:00:00", 1, UINT32_MAX},
		{"sluice: limit 0:01:00 of -1:00:00", 1, 0},
		{"sluice: limit 0:01:00 of 9223372036854775807:00:00", 0, 0},
		{"sluice: limit 9223372036854775807:00:00 of none", 0, 0},
		{"sluice: gave back 9223372036854775807:00:00", 0, 0},
		{"sluice: predicted 9223372036854775807:00:00 (class, 3 jobs)",
		 0, 0},
	};

	each(c, cases)
	{
		struct slu_note note;

		slu_ctl_note_parse(c->comment, &note);
		expect(note.tight == c->tight && note.whole == c->whole,
		       "%s: %u, %u", c->comment, note.tight, note.whole);
		expect(note.predicted == 0 && note.gave_back == -1, "%s",
		       c->comment);
	}
}
END_TEST

START_TEST(test_note_apply)
{
	struct slu_note note = {.gave_back = 83};
	struct slu_job job = {0};
	char *text;

	text = slu_ctl_note_apply("keep me; sluice: predicted 0:00:01 (user, 2 "
				  "jobs)",
				  &note);
	ck_assert_str_eq(text, "keep me; sluice: gave back 0:01:23");
	free(text);
	slu_copy(note.why, sizeof(note.why), "sluice: stage-in failed");
	text = slu_ctl_note_apply(NULL, &note);
	ck_assert_str_eq(text, "sluice: gave back 0:01:23; stage-in failed");
	free(text);
	note.why[0] = '\0';
	note.gave_back = -1;
	text = slu_ctl_note_apply("keep me; sluice: gave back 0:01:23", &note);
	ck_assert_str_eq(text, "keep me");
	free(text);
	text = slu_ctl_note_apply("sluice: gave back 0:01:23", &note);
	ck_assert_str_eq(text, "");
	free(text);
	slu_ctl_note_to_job(notes[4].comment, &job);
	ck_assert_uint_eq(job.predicted, 310);
	ck_assert_uint_eq(job.limit_asked, 10);
	ck_assert_str_eq(job.predicted_from, "class");
	ck_assert_int_eq(job.prepared, 0);
	slu_ctl_note_to_job(notes[5].comment, &job);
	ck_assert_int_eq(job.prepared, 83);
	slu_msg_clear(&slu_job_desc, &job);
}
END_TEST

/* A node's comment: the words of others stay in front. */
START_TEST(test_comment)
{
	static const struct {
		const char *before, *ours, *after;
	} cases[] = {
		{NULL, NULL, ""},
		{NULL, "sluice: 7", "sluice: 7"},
		{"sluice: 7", "sluice: 7,8", "sluice: 7,8"},
		{"sluice: 7", NULL, ""},
		{"new fan", "sluice: 7", "new fan; sluice: 7"},
		{"new fan; sluice: 7", "sluice: 8", "new fan; sluice: 8"},
		{"new fan; sluice: 7", "", "new fan"},
		{"a; b;  sluice: 7", "sluice: 8", "a; b; sluice: 8"},
		{"resluice: it", "sluice: 8", "resluice: it; sluice: 8"},
		{"broken, see sluice: ticket 5", "sluice: 8",
		 "broken, see sluice: ticket 5; sluice: 8"},
		{"broken, see sluice: ticket 5; sluice: 8", NULL,
		 "broken, see sluice: ticket 5"},
		{"see sluice: 5", "sluice: 8", "see sluice: 5; sluice: 8"},
		{"sluice: 7,; x", "sluice: 8", "sluice: 7,; x; sluice: 8"},
		{"sluice: 7a", "", "sluice: 7a"},
		{"sluice: 7,9; new disk", "sluice: 8", "new disk; sluice: 8"},
		{"fan; sluice: 7 rebooted", "sluice: 8",
		 "fan; rebooted; sluice: 8"},
		{"fan; sluice: 7; disk", NULL, "fan; disk"},
	};
	char *text;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		text = slu_ctl_comment_put(cases[i].before, cases[i].ours);
		ck_assert_str_eq(text, cases[i].after);
		free(text);
	}
	ck_assert_ptr_null(slu_ctl_comment_ours(NULL));
	ck_assert_ptr_null(slu_ctl_comment_ours("resluice: it"));
	ck_assert_ptr_null(slu_ctl_comment_ours("see sluice: ticket 5"));
	text = slu_ctl_comment_ours("fan sluice: 1; sluice: 7,8; disk");
	ck_assert_str_eq(text, "sluice: 7,8");
	free(text);
}
END_TEST

/* Whatever people write there must not hurt. */
START_TEST(test_note_garbage)
{
	static const char *const pieces[] = {
		"limit ",     " of ",	  ", extended", "none",
		"script ",    "sluice: ", "predicted ", "0:05:10",
		" (",	      "class",	  ", 3 jobs)",	"; ",
		"gave back ", "asked ",	  ":",		"9999999999999",
		"-1:-1:-1"};
	uint64_t seed = 5;
	char text[512];

	for (int i = 0; i < 20000; i++) {
		struct slu_note note;
		char *back;

		text[0] = '\0';
		for (unsigned n = (uint32_t)slu_random(&seed, 12); n; n--)
			strcat(text, pieces[(uint32_t)slu_random(&seed, 12)]);
		slu_ctl_note_parse(text, &note);
		back = slu_ctl_note_apply(text, &note);
		ck_assert_ptr_nonnull(back);
		free(back);
	}
}
END_TEST

TEST_MAIN("note", test_note, test_start, test_note_out_of_range,
	  test_note_apply, test_comment, test_note_garbage)
