/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the texts that tell users what became of their data. */
#include "config.h"
#include "tests/unit/burst_buffer/burst_world.h"

#include <regex.h>

static void expect_like(const char *text, const char *pattern)
{
	regex_t re;

	ck_assert(!regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB));
	expect(!regexec(&re, text, 0, NULL, 0), "\"%s\" is not %s", text,
	       pattern);
	regfree(&re);
}

static void expect_told(const struct world *w, int way, const char *pattern)
{
	expect_like(w->told[way], pattern);
}

START_TEST(test_texts_after_success)
{
	struct world w;

	world_new(&w, 3, WALK, NULL);
	run_all(&w);
	expect_told(&w, 0, "^staged in 30 files, [0-9.]+KiB, in [0-9.]+ s$");
	expect_told(&w, 1,
		    "^staged out 30 files, [0-9.]+KiB, in [0-9.]+ s, verified "
		    "by size and time on another node, to /dst$");
	ck_assert_int_eq(w.staged, 1);
	expect_like(
		w.at_teardown,
		"^sluice: teardown, [0-3] of 3 nodes done"
		"(, waits for n[123])?; staged out 30 files, .* on another node$");
	world_free(&w);
}
END_TEST

/* The text does not name the length of a phase in which sluiced was stopped. */
START_TEST(test_restarted)
{
	struct world w;

	world_new(&w, 2, WALK, NULL);
	run_until(&w, AT_RUN);
	job_end(&w, "COMPLETED");
	world_restart(&w);
	sync_all(&w);
	run_all(&w);
	expect_told(&w, 1, "^staged out 20 files, [0-9.]+KiB");
	world_free(&w);
}
END_TEST

START_TEST(test_requests)
{
#define IN  "; stage_in source=/src destination=$BB_JOBFS/in"
#define OUT "; stage_out source=$BB_JOBFS/out destination=/dst"
	static const struct {
		const char *request, *in, *out;
	} cases[] = {
		{"", "^nothing was to be staged in$", "^$"},
		{OUT, "^nothing was", "by size and time, to /dst$"},
		{OUT " verify=content", "^nothing was",
		 "verified by content, to /dst$"},
		{OUT "; stage_out source=$BB_JOBFS/p destination=/p "
		     "verify=content",
		 "^nothing was", "time and in part by content$"},
		/* not to be done: how the rest was verified, and why */
		{OUT "; stage_out source=$BB_JOBFS/p destination=/p "
		     "verify=content on=failure",
		 "^nothing was",
		 "by size and time, to /dst\nstage_out of \\$BB_JOBFS/p was left "
		 "out: on=failure, and the job ended COMPLETED$"},
		{IN " type=file", "^staged in", "^$"},
	};

	each(c, cases)
	{
		char request[300];
		struct world w;

		snprintf(request, sizeof(request),
			 "jobfs type=tmp capacity=4GiB%s", c->request);
		world_new(&w, 2, request, "FileSystem=tmp Driver=scratch");
		run_until(&w, AT_RUN);
		job_end(&w, "COMPLETED");
		run_all(&w);
		ck_assert_str_eq(w.state, "DONE");
		expect_told(&w, 0, c->in);
		expect_told(&w, 1, c->out);
		world_free(&w);
	}
}
END_TEST

/* Why, where it is and until when; or that it is not kept. */
START_TEST(test_texts_after_failure)
{
	static const struct {
		const char *conf, *told;
	} cases[] = {
		{NULL, "^stage-out failed: n1: [^\n]*the data is kept on "
		       "n\\[1-2\\] for [^\n]*: srun -N2 -w n\\[1-2\\] "
		       "sluice-node fetch 17 DIR\n"
		       "after [-0-9T:]+ what is kept is removed$"},
		{"KeepFailed=0", "^stage-out failed: n1: [^\n]*$"},
	};

	each(c, cases)
	{
		struct world w;

		world_new(&w, 2, WALK, c->conf);
		run_until(&w, AT_RUN);
		job_end(&w, "COMPLETED");
		for (int i = 0; i < 2; i++)
			do_step(&w, &w.node[i], "report down", true);
		do_step(&w, &w.node[0], "report out.1.share", false);
		verdict_done(&w);
		for (int i = 0; i < 2; i++)
			barrier(&w, &w.node[i], "out.done", NULL);
		expect_told(&w, 1, c->told);
		ck_assert_int_eq(w.staged, 0);
		world_free(&w);
	}
}
END_TEST

static int history_lines(struct world *w, const char *like)
{
	struct slu_err err;
	struct slu_rows *rows =
		slu_db_query(w->db, &err,
			     "SELECT COUNT(*) FROM BufferHistory"
			     " WHERE Text LIKE ?",
			     "s", like);
	int n;

	ck_assert_int_eq(slu_db_step(rows, &err), 1);
	n = (int)slu_db_int(rows, 0);
	slu_db_done(rows);
	return n;
}

/* What on= leaves out is reported: in the history at once, and in the job's
 * output, whether or not anything else is staged out. */
START_TEST(test_left_out)
{
#define LEFT_OUT(on, how) \
	"stage_out of $BB_JOBFS/out was left out: on=" on ", and the job " how
	static const struct {
		const char *on, *state, *why;
	} cases[] = {
		{"success", "FAILED", LEFT_OUT("success", "ended FAILED")},
		{"success", "TIMEOUT", LEFT_OUT("success", "ended TIMEOUT")},
		{"success", "CANCELLED",
		 LEFT_OUT("success", "ended CANCELLED")},
		{"success", "PREEMPTED",
		 LEFT_OUT("success", "ended PREEMPTED")},
		{"failure", "COMPLETED",
		 LEFT_OUT("failure", "ended COMPLETED")},
		{"success", "FAILED", LEFT_OUT("success", "did not COMPLETE")},
		{"success", "COMPLETED", ""},
		{"always", "FAILED", ""},
	};

	each(c, cases)
	{
		char request[300], like[300];
		struct world w;

		snprintf(request, sizeof(request),
			 "jobfs capacity=4GiB; stage_out source=$BB_JOBFS/out "
			 "destination=/dst on=%s",
			 c->on);
		world_new(&w, 2, request, NULL);
		run_until(&w, AT_RUN);
		job_end(&w, c->state);
		snprintf(like, sizeof(like), "job ended: %s; %s", c->state,
			 LEFT_OUT("%", "ended %"));
		ck_assert_int_eq(history_lines(&w, like), *c->why != '\0');
		if (strstr(c->why, "did not")) /* how is forgotten */
			world_restart(&w);
		for (int i = 0; i < 2; i++)
			do_step(&w, &w.node[i], "report down", true);
		ck_assert_str_eq(w.skipped, c->why);
		world_free(&w);
	}
}
END_TEST

TEST_MAIN("fate", test_texts_after_success, test_restarted, test_requests,
	  test_texts_after_failure, test_left_out)
