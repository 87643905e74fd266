/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the totals of jobs' I/O from Lustre's counters, and when they are
 * reported. */
#include "config.h"
#include "tests/unit/harness.h"

#include <math.h>

#include "common/str.h"
#include "select_io/tbf/job_totals.h"

static struct slu_job_totals *io;
static double now;
static struct slu_server_job due[10];

/* "JOB START READ WRITTEN RPCS", one a line, of target t; others follow when
 * the text has lines "TARGET". "!" first: t could not be read. */
static void reading(const char *text)
{
	struct slu_jobstats s = {0};
	struct slu_buf out = {0};
	char line[100], job[32];
	unsigned long start, in, written, rpcs;
	struct slu_err err;

	if (*text == '!')
		text += 2;
	else
		slu_buf_puts(&out, "obdfilter.t.job_stats=\njob_stats:\n");
	for (; *text; text += strcspn(text, "\n") + 1) {
		snprintf(line, sizeof(line), "%.*s", (int)strcspn(text, "\n"),
			 text);
		if (sscanf(line, "%31s %lu %lu %lu %lu", job, &start, &in,
			   &written, &rpcs) == 5)
			slu_buf_printf(
				&out,
				"- job_id: %s\n  start_time: %lu\n"
				"  read_bytes: { samples: 0, sum: %lu }\n"
				"  write_bytes: { samples: %lu, sum: %lu }\n",
				job, start, in, rpcs, written);
		else
			slu_buf_printf(&out, "obdfilter.%s.job_stats=\n", line);
	}
	expect_ok(slu_jobstats_parse(&s, out.data, out.len, &err), err);
	expect_ok(slu_job_totals_read(io, &s, now, &err), err);
	slu_jobstats_free(&s);
	slu_buf_free(&out);
}

/* A job that only asks an MDT is told, and again when it asks for more. */
START_TEST(test_metadata)
{
	struct slu_jobstats s = {.count_requests = true};
	struct slu_err err;
	char text[200];

	now = 1000;
	io = slu_job_totals_new();
	for (int i = 1; i <= 3; i++) {
		snprintf(text, sizeof(text),
			 "mdt.f-MDT0000.job_stats=\n- job_id: 7\n"
			 "  start_time: 1\n  open: { samples: %d }\n",
			 i * 10);
		expect_ok(slu_jobstats_parse(&s, text, strlen(text), &err),
			  err);
		expect_ok(slu_job_totals_read(io, &s, now, &err), err);
		now += SLU_JOB_TOTALS_QUIET;
		ck_assert_uint_eq(slu_job_totals_due(io, now, due, 10), 1);
		ck_assert_double_eq(due[0].metadata_ops, i * 10);
		ck_assert_double_eq(due[0].rpcs, 0);
		slu_job_totals_stored(io, now, due, 1, NULL, 0);
		ck_assert_uint_eq(slu_job_totals_due(io, now, due, 10), 0);
	}
	slu_jobstats_free(&s);
	slu_job_totals_free(io);
}
END_TEST

/* After a time without a change: what is due, as "JOB READ WRITTEN RPCS;". */
static const char *quiet_due(void)
{
	static char text[400];
	size_t n;

	now += SLU_JOB_TOTALS_QUIET;
	n = slu_job_totals_due(io, now, due, 10);
	*text = '\0';
	for (size_t i = 0; i < n; i++)
		sprintf(strchr(text, '\0'), "%u %g %g %g;", due[i].job_id,
			due[i].read_bytes, due[i].written_bytes, due[i].rpcs);
	slu_job_totals_stored(io, now, due, n, NULL, 0);
	return text;
}

/* What of a job went to which file system: of targets of two, of a target with
 * another name, and of more file systems than there is room for. */
START_TEST(test_by_file_system)
{
	struct slu_jobstats s = {0};
	struct slu_buf text = {0};
	struct slu_err err;
	static const char *const targets[] = {
		"scratch-OST0000", "home-OST0001", "scratch-OST0003", "odd",
		"c-OST0000",	   "d-OST0000",	   "e-OST0000"};

	now = 1000;
	io = slu_job_totals_new();
	for (size_t i = 0; i < 7; i++)
		slu_buf_printf(&text,
			       "obdfilter.%s.job_stats=\njob_stats:\n"
			       "- job_id: 7\n  start_time: 1\n"
			       "  write_bytes: { samples: 1, sum: %d }\n",
			       targets[i], 1 << i);
	slu_buf_puts(&text, "- job_id: 8\n  start_time: 1\n  read_bytes: "
			    "{ samples: 1, sum: 9 }\n");
	for (int round = 1; round <= 2; round++) {
		expect_ok(slu_jobstats_parse(&s, text.data, text.len, &err),
			  err);
		expect_ok(slu_job_totals_read(io, &s, now, &err), err);
		now += SLU_JOB_TOTALS_QUIET;
		ck_assert_uint_eq(slu_job_totals_due(io, now, due, 10), 2);
		ck_assert_double_eq(due[0].written_bytes, 127);
		ck_assert_str_eq(due[0].by_fs,
				 "? 0 72 2 0,scratch 0 5 2 0,home 0 2 1 0,"
				 "c 0 16 1 0,d 0 32 1 0");
		ck_assert_ptr_null(due[1].by_fs); /* "e": there is no room */
		ck_assert_double_eq(due[1].read_bytes, 9);
	}
	slu_buf_free(&text);
	slu_jobstats_free(&s);
	slu_job_totals_free(io);
}
END_TEST

static void begin(void)
{
	io = slu_job_totals_new();
	now = 1000;
}

/* Readings one after another, and what is due when all is quiet. */
START_TEST(test_totals)
{
	static const struct {
		const char *reading[4], *due;
	} cases[] = {
		{{""}, ""},
		{{"7 1 10 20 3\n"}, "7 10 20 3;"},
		{{"7 1 0 0 0\n"}, ""}, /* it has asked for the free space */
		{{"7 1 10 20 3\n", "7 1 15 20 4\n"}, "7 15 20 4;"},
		{{"7 1 10 20 3\n", "7 1 15 20 4\n", ""}, "7 15 20 4;"},
		/* idle, forgotten, back */
		{{"7 1 10 20 3\n", "", "7 9 1 2 3\n"}, "7 11 22 6;"},
		{{"7 1 10 20 3\n", "7 9 11 2 3\n"}, "7 21 22 6;"},
		/* somebody has cleared them; no start before 2.15 */
		{{"7 0 10 20 3\n", "7 0 1 0 1\n"}, "7 11 20 4;"},
		/* targets of one server */
		{{"7 1 10 20 3\nu\n7 2 1 1 1\n"}, "7 11 21 4;"},
		{{"7 1 10 20 3\nu\n7 2 1 1 1\n", "u\n7 2 2 1 2\n7 3 0 0 0\n"},
		 "7 12 21 5;"},
		/* one that cannot be read for once */
		{{"7 1 10 20 3\nu\n8 2 1 1 1\n", "!\nu\n8 2 1 1 1\n",
		  "7 1 11 20 4\nu\n8 2 1 1 1\n"},
		 "7 11 20 4;8 1 1 1;"},
		{{"8 1 1 1 1\n7 1 2 2 2\n"}, "7 2 2 2;8 1 1 1;"},
		/* nobody's */
		{{"dd.0 1 5 5 5\n4712_3 1 5 5 5\n0 1 5 5 5\n07 1 5 5 5\n"
		  "-1 1 5 5 5\n99999999999999999999 1 5 5 5\n7x 1 5 5 5\n"
		  "4294967294 1 5 5 5\n"},
		 ""},
	};

	each(c, cases)
	{
		begin();
		for (size_t i = 0; i < 4 && c->reading[i]; i++)
			reading(c->reading[i]), now += 5;
		ck_assert_str_eq(quiet_due(), c->due);
		ck_assert_str_eq(quiet_due(), "");
		slu_job_totals_free(io);
	}
}
END_TEST

/* Of a job that goes on it is known what it moved until a minute ago, or a
 * tenth of its time if that is longer, ten minutes at most; of three hours that
 * takes 43 reports. When it is quiet it is told at once. */
START_TEST(test_reported_when_quiet_or_overdue)
{
	const double began = now = 1000;
	char line[40];
	unsigned times = 0;
	double told = began;

	begin();
	for (unsigned i = 1; i <= 2160; i++, now += 5) {
		snprintf(line, sizeof(line), "7 1 0 %u 1\n", i);
		reading(line);
		if (slu_job_totals_due(io, now, due, 10)) {
			times++;
			told = now;
			ck_assert_double_eq(due[0].written_bytes, i);
			ck_assert_double_eq(due[0].idle, 0);
			slu_job_totals_stored(io, now, due, 1, NULL, 0);
		}
		ck_assert_double_lt(now - told, fmin(fmax((now - began) / 10,
							  SLU_JOB_TOTALS_SOON),
						     SLU_JOB_TOTALS_EVERY));
	}
	ck_assert_uint_eq(times, 39);
	reading(line);
	now += SLU_JOB_TOTALS_QUIET - 6;
	ck_assert_uint_eq(slu_job_totals_due(io, now, due, 10), 0);
	now += 6;
	ck_assert_uint_eq(slu_job_totals_due(io, now, due, 10), 1);
	ck_assert_double_ge(due[0].idle, SLU_JOB_TOTALS_QUIET);
	/* Nobody has confirmed it. */
	ck_assert_uint_eq(slu_job_totals_due(io, now + 5, due, 10), 1);
	slu_job_totals_free(io);
}
END_TEST

/* Who is not known is told of again, more and more rarely, but no later than
 * who is active: it may be that slurmctld was away. It keeps nobody else
 * waiting. */
START_TEST(test_unknown_job_is_reported_less_often)
{
	const struct slu_job_number seven = {7};
	double last, pause = 0;

	begin();
	reading("7 1 1 1 1\n8 1 1 1 1\n");
	now += SLU_JOB_TOTALS_QUIET;
	ck_assert_uint_eq(slu_job_totals_due(io, now, due, 1), 1);
	ck_assert_uint_eq(due[0].job_id, 7);
	slu_job_totals_stored(io, now, due, 1, &seven, 1);
	ck_assert_uint_eq(slu_job_totals_due(io, now, due, 1), 1);
	ck_assert_uint_eq(due[0].job_id, 8);
	slu_job_totals_stored(io, now, due, 1, &seven, 1);
	for (int i = 0; i < 9; i++) {
		for (last = now; slu_job_totals_due(io, now, due, 10) == 0;)
			now++;
		ck_assert_uint_eq(due[0].job_id, 7);
		ck_assert(now - last > pause || pause >= SLU_JOB_TOTALS_EVERY);
		pause = now - last;
		slu_job_totals_stored(io, now, due, 1, &seven, 1);
	}
	ck_assert_double_eq(pause, SLU_JOB_TOTALS_EVERY);
	now += SLU_JOB_TOTALS_EVERY;
	ck_assert_str_eq(quiet_due(), "7 1 1 1;");
	ck_assert_str_eq(quiet_due(), "");
	slu_job_totals_free(io);
}
END_TEST

/* What Lustre and everybody has forgotten takes no room, and there is an end
 * to what crowds take. */
START_TEST(test_forget)
{
	struct slu_jobstats s = {0};
	struct slu_jobstats_target t = {"t", 0, 1000};
	struct slu_jobstat *job = calloc(t.n, sizeof(*job));
	struct slu_err err;

	begin();
	reading("7 1 1 1 1\n");
	now += SLU_JOB_TOTALS_FORGET + 1;
	reading("7 1 1 1 1\n8 1 1 1 1\n"); /* 7 is still there */
	reading("8 1 1 1 1\n");
	ck_assert_uint_eq(slu_job_totals_count(io), 2);
	reading("8 1 1 1 1\n");
	ck_assert_uint_eq(slu_job_totals_count(io), 1);
	s = (struct slu_jobstats){
		.job = job, .n = t.n, .target = &t, .n_targets = 1};
	for (unsigned crowd = 0; crowd < 200; crowd++, now += 5) {
		for (unsigned i = 0; i < t.n; i++) {
			job[i].read_bytes = 1;
			snprintf(job[i].job, sizeof(job[i].job), "%u",
				 1000 + crowd * 1000 + i);
		}
		expect_ok(slu_job_totals_read(io, &s, now, &err), err);
		ck_assert_uint_le(slu_job_totals_count(io), SLU_JOB_TOTALS_MAX);
	}
	ck_assert_uint_ge(slu_job_totals_count(io), SLU_JOB_TOTALS_MAX / 4);
	free(job);
	slu_job_totals_free(io);
}
END_TEST

TEST_MAIN("job_totals", test_by_file_system, test_metadata, test_totals,
	  test_reported_when_quiet_or_overdue,
	  test_unknown_job_is_reported_less_often, test_forget)
