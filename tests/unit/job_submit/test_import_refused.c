/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests that files that are no job history are not imported, with an error that
 * says why. */
#include "config.h"
#include "tests/unit/harness.h"
#include "job_submit/import/import_formats.h"

static int to_uid(const char *user, uint32_t *uid)
{
	(void)user;
	*uid = 1000;
	return 0;
}

static int take(void *arg, const struct slu_job *j, struct slu_err *err)
{
	(void)arg;
	return j->job_id == 666 ? slu_err(err, SLU_BUSY, "not this one") : 0;
}

/* What ends later than now cannot have ended. */
START_TEST(test_end_in_the_future)
{
	static const struct {
		const char *format, *text, *named;
	} cases[] = {
		{"swf",
		 "1 10 5 100 4 -1 -1 8 601 -1 1 3 2 7 1 -1 -1 -1\n"
		 "2 900 5 100 4 -1 -1 8 601 -1 1 3 2 7 1 -1 -1 -1\n",
		 "2: end 1006 lies in the future"},
		{"sacct",
		 "JobID|UID|Start|End|State\n1|5|500|1000|COMPLETED\n"
		 "2|5|500|1001|COMPLETED\n3|5|500|Unknown|RUNNING\n",
		 "3: end 1001 lies in the future"},
		{"json",
		 "{\"jobs\":[{\"job_id\":1,\"user\":\"ada\",\"time\":{\"start\":"
		 "3,\"end\":9}},{\"job_id\":2,\"user\":\"ada\",\"time\":{"
		 "\"start\":3,\"end\":1001}}]}",
		 "2: job 2: end 1001 lies in the future"},
	};

	each(c, cases)
	{
		char *text = strdup(c->text);
		struct slu_import import = {gmtime_r, to_uid, take,
					    NULL,     NULL,   1000};
		struct slu_import_report r;
		struct slu_err err;

		expect_ok(slu_import(c->format, text, strlen(text), &import, &r,
				     &err),
			  err);
		expect(r.jobs == 1 && r.broken == 1 &&
			       !strcmp(r.named[0], c->named),
		       "case %td: %ld jobs, %ld broken: %s", c - cases,
		       (long)r.jobs, (long)r.broken, r.named[0]);
		free(text);
	}
}
END_TEST

START_TEST(test_refused)
{
	struct slu_import import = {gmtime_r, to_uid, take, NULL, NULL, 0};
	struct slu_import_report r;
	char no[] = "{\"jobs\":[],\"errors\":[{\"error_number\":5,"
		    "\"error\":\"no such user\"}]}";
	char apart[] = "{\n\"job_id\":5\n}\n{\n\"job_id\":6\n}\n";
	char swf[] = "666 10 5 100 4 -1 -1 8 601 -1 1 3 2 7 1 -1 -1 -1";
	char old[] =
		"{\"meta\":{\"plugin\":{\"type\":\"openapi\\/dbv0.0.37\"}},"
		"\"jobs\":[{\"job_id\":666,\"user\":\"ada\",\"time\":{"
		"\"start\":3,\"end\":9}}]}";
	struct slu_err err;

	expect_fail(slu_import("json", old, strlen(old), &import, &r, &err),
		    err, SLU_INVALID, "v0.0.38");
	*strrchr(old, '7') = '8';
	expect_fail(slu_import("json", old, strlen(old), &import, &r, &err),
		    err, SLU_BUSY, "not this one");
	expect_fail(slu_import("xml", swf, 0, &import, &r, &err), err,
		    SLU_INVALID, "\"xml\"");
	expect_fail(slu_import("swf", swf, sizeof(swf) - 1, &import, &r, &err),
		    err, SLU_BUSY, "not this one");
	expect_fail(slu_import("json", (char[]){"[1"}, 2, &import, &r, &err),
		    err, SLU_INVALID, "");
	expect_fail(slu_import("json", (char[]){"[1]"}, 3, &import, &r, &err),
		    err, SLU_INVALID,
		    "no \"jobs\" in it: want what sacct --json prints, or a "
		    "job a line (jq -c '.jobs[]')");
	expect_fail(slu_import("json", apart, strlen(apart), &import, &r, &err),
		    err, SLU_INVALID, "or a job a line (jq -c '.jobs[]')");
	expect_fail(slu_import("json", no, strlen(no), &import, &r, &err), err,
		    SLU_IO, "says: no such user");
}
END_TEST

/* A table of sacct's that cannot tell of jobs. */
START_TEST(test_header)
{
	static const struct {
		const char *text, *missing;
	} cases[] = {
		{"JobIDRaw|UID|Start|End|State\n", NULL},
		{"JobID|User|Start|End|\n", NULL},
		{"JobID|User|Submit|End|State\n", "no column Start"},
		{"JobID|User|Start|Elapsed|State\n", "no column End"},
		{"User|JobIDs|Start|End|State\n", "no column JobID"},
		{"JobID|Account|Start|End|State\n", "no column User"},
		{"JobID        JobName  Partition\n", "option -P"},
		{"JobID:User:Start:End\n", "option -P"},
		{"JobID | User | Start | End\n", "separated by \" | \""},
		{"\"JobID\",\"User\",\"Start\"\n", "no column End"},
		{"\"job\",\"owner\",\"began\"\n",
		 "first line, \"\"job\",\"owner\",\"began\"\", names no columns"},
		{"job_id,user,start_time\n", "names no columns"},
		{"7009|7009|u|a|COMPLETED|2026-03-02T10:00:00|||3600|0:0\n"
		 "7010|7010|u|a|COMPLETED|2026-03-02T10:00:00|||3600|0:0\n",
		 "names no columns, and its 10 are not the 26 of Open XDMoD"},
	};
	struct slu_import import = {gmtime_r, to_uid, take, NULL, NULL, 0};
	struct slu_import_report r;
	struct slu_err err;

	each(c, cases)
	{
		char *text = strdup(c->text);
		size_t len = strlen(text);

		if (c->missing)
			expect_fail(slu_import("sacct", text, len, &import, &r,
					       &err),
				    err, SLU_INVALID, c->missing);
		else
			expect_ok(slu_import("sacct", text, len, &import, &r,
					     &err),
				  err);
		free(text);
	}
}
END_TEST

/* What can be made readable by a command, and which. */
START_TEST(test_advice)
{
	static const struct {
		const char *format, *text, *advice;
	} cases[] = {
		{"sacct", "\xff\xfeJ?o?b?", "UTF-16: iconv -f UTF-16 -t UTF-8"},
		{"json", "\xfe\xff?{?}", "UTF-16: iconv -f UTF-16 -t UTF-8"},
		{"sacct", "JobID|UID|Start|End\r1|5|2|9\r",
		 "end in CR alone: tr '\\r' '\\012'"},
		{"swf", "; UnixStartTime: 1000\r1 10 5 100\r",
		 "end in CR alone: tr '\\r' '\\012'"},
		{"sacct", " \n{\"jobs\":[]}", "it is JSON: import json"},
		{"json", "---\njobs:\n- job_id: 5\n",
		 "YAML: print it by sacct "
		 "--json"},
		{"json", "jobs:\n- job_id: 5\n",
		 "YAML: print it by sacct "
		 "--json"},
		{"json", "[\n {\n  \"job_id\": 5\n }\n]\n",
		 "want what sacct --json prints, or a job a line (jq -c "
		 "'.jobs[]')"},
		{"sacct", "JobID, User, Start, End\n",
		 "separated by \", \", of which a part also occurs within "
		 "them"},
		{"xml", "", "swf, sacct, json or darshan, or rest and a URL"},
	};
	struct slu_import import = {gmtime_r, to_uid, take, NULL, NULL, 0};
	struct slu_import_report r;
	struct slu_err err;

	each(c, cases)
	{
		char *text = strdup(c->text);

		expect_fail(slu_import(c->format, text, strlen(text), &import,
				       &r, &err),
			    err, SLU_INVALID, c->advice);
		free(text);
	}
}
END_TEST

static int count(void *arg, const struct slu_job *j, struct slu_err *err)
{
	(void)j, (void)err;
	++*(uint64_t *)arg;
	return 0;
}

/* Another header, which cannot be read: what is before it has been taken. */
START_TEST(test_second_header)
{
	char text[] = "JobID|UID|Start|End\n1|5|2|9\nJobName|State|Start\n";
	uint64_t taken = 0;
	struct slu_import import = {gmtime_r, to_uid, count, NULL, &taken, 0};
	struct slu_import_report r;
	struct slu_err err;

	expect_fail(slu_import("sacct", text, strlen(text), &import, &r, &err),
		    err, SLU_INVALID, "no column JobID");
	ck_assert_uint_eq(r.jobs, 1);
	ck_assert_uint_eq(taken, 1);
	ck_assert_ptr_nonnull(strstr(r.lacks, "no column NNodes"));
}
END_TEST

/* Without the time that they count from, times of a log are in 1970. */
START_TEST(test_no_origin)
{
	static const struct {
		const char *text;
		bool lacks;
	} cases[] = {
		{"1 10 5 9 4 -1 -1 8 60 -1 1 3 2 7 1 -1 -1 -1\n", true},
		{"1 1700000000 5 9 4 -1 -1 8 60 -1 1 3 2 7 1 -1 -1 -1\n",
		 false},
		{"; UnixStartTime: 1000000000\n"
		 "1 10 5 9 4 -1 -1 8 60 -1 1 3 2 7 1 -1 -1 -1\n",
		 false},
		{"", false},
	};
	struct slu_import import = {gmtime_r, to_uid, take, NULL, NULL, 0};
	struct slu_import_report r;
	struct slu_err err;

	each(c, cases)
	{
		char *text = strdup(c->text);

		expect_ok(slu_import("swf", text, strlen(text), &import, &r,
				     &err),
			  err);
		expect(!!strstr(r.lacks, "no UnixStartTime") == c->lacks,
		       "case %td: %s", c - cases, r.lacks);
		free(text);
	}
}
END_TEST

/* As a power failure leaves them: what comes after is read all the same. */
START_TEST(test_zeros)
{
	char swf[] = "1 10 5 100 4 -1 -1 8 601 -1 1 3 2 7 1 -1 -1 -1\n"
		     "2 10 5\0\0\0\n"
		     "3 10 5 100 4 -1 -1 8 601 -1 1 3 2 7 1 -1 -1 -1\n";
	struct slu_import import = {gmtime_r, to_uid, take, NULL, NULL, 0};
	struct slu_import_report r;
	struct slu_err err;

	expect_ok(slu_import("swf", swf, sizeof(swf) - 1, &import, &r, &err),
		  err);
	ck_assert_uint_eq(r.jobs, 2);
	ck_assert_uint_eq(r.broken, 1);
	ck_assert_str_eq(r.named[0], "2: 3 of 18 columns");
}
END_TEST

TEST_MAIN("import refused", test_end_in_the_future, test_header, test_advice,
	  test_second_header, test_refused, test_no_origin, test_zeros)
