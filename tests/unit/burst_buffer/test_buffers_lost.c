/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests buffers that lose nodes: tolerated losses, lost and incomplete data. */
#include "config.h"
#include "tests/unit/burst_buffer/burst_world.h"
#include "burst_buffer/lifecycle/record.h"
#include "burst_buffer/lifecycle/reports/buffer_report.h"

/* With tolerate=1 and data that each node has alone, one node may be lost after
 * the job has begun to run; what the others have is staged out. slurmctld
 * reports which is lost, or takes it out of a job with --no-kill without a
 * report. */
static void lose(int lost, bool taken_out)
{
	struct world w;

	world_new(&w, 4,
		  "jobfs type=tmp capacity=4GiB tolerate=1; stage_out "
		  "source=$BB_JOBFS/out destination=/dst",
		  "FileSystem=tmp Driver=scratch");
	run_until(&w, AT_RUN);
	for (int i = 0; i < lost; i++) {
		w.node[i + 1].cut = true;
		if (!taken_out)
			job_nodes(&w, NULL, i ? "n3" : "n2");
	}
	if (taken_out) {
		w.job.nodes = (char *)(lost > 1 ? "n[1,4]" : "n[1,3-4]");
		w.job.node_cnt -= (uint32_t)lost;
	}
	job_end(&w, "COMPLETED");
	run_all(&w);
	ck_assert_str_eq(w.state, "DONE");
	ck_assert_int_eq(w.verdicts, lost > 1);
	ck_assert(w.node[0].keep == (lost > 1));
	ck_assert_uint_eq(w.node[3].staged, lost > 1 ? 0 : 1);
	world_free(&w);
}

START_TEST(test_tolerate)
{
	for (int lost = 1; lost <= 2; lost++) {
		lose(lost, false);
		lose(lost, true);
	}
}
END_TEST

/* A node that was lost and tolerated is back before the others are done: it
 * reports that its data is gone, or knows nothing. */
START_TEST(test_tolerate_back)
{
	static const char *const words[] = {"report lost_data", "report clean"};

	each(word, words)
	{
		struct world w;
		struct actor back;

		world_new(&w, 4,
			  "jobfs type=tmp capacity=4GiB tolerate=1; stage_out "
			  "source=$BB_JOBFS/out destination=/dst",
			  "FileSystem=tmp Driver=scratch");
		run_until(&w, AT_RUN);
		w.node[1].cut = true;
		back = w.node[1];
		job_nodes(&w, NULL, "n2");
		job_end(&w, "COMPLETED");
		ck_assert_str_eq(w.state, "STAGE_OUT");
		ck_assert_str_eq(do_step(&w, &back, *word, true).word, "go");
		ck_assert_int_eq(w.verdicts, 0);
		world_restart(&w);
		run_all(&w);
		ck_assert_str_eq(w.state, "DONE");
		ck_assert_int_eq(w.verdicts, 0);
		ck_assert(!w.node[0].keep);
		ck_assert_uint_eq(w.node[3].staged, 1);
		world_free(&w);
	}
}
END_TEST

#define OUT_TO_DST "; stage_out source=$BB_JOBFS/o destination=/dst"

static void tell_broken(struct world *w, int node)
{
	const struct slu_report r = {
		.step = (char *)"server_lost",
		.text = (char *)"/s1 (/dev/sdb1) is not mounted any more"};

	report(w, &w->node[node], r);
	report(w, &w->node[node], r);
}

#define KEPT "the data is kept on n[1-4] for 2-00:00:00"

/* The text says what is done with the data. */
static void expect_kept(struct world *w, bool fails, bool keeps)
{
	if (fails)
		expect(strstr(w->text,
			      "sluice: run failed: n2: /s1 (/dev/sdb1) "
			      "is not mounted any more") ||
			       strstr(w->text, "sluice: run failed: n3: /s1"),
		       "%s", w->text);
	expect((fails && keeps) == !!strstr(w->text, KEPT), "%s", w->text);
}

static void break_run(const char *request, const char *conf, int broken,
		      bool fails)
{
	const bool keeps = !strstr(conf, "KeepFailed=0");
	struct world w;

	world_new(&w, 4, request, conf);
	run_until(&w, AT_RUN);
	for (int i = 0; i < broken; i++)
		tell_broken(&w, i + 1);
	ck_assert_int_eq(w.verdicts, fails);
	expect_kept(&w, fails, keeps);
	world_restart(&w);
	w.node[1].fail_down =
		strstr(request, "tolerate") && strstr(request, "out") ? 3 : -1;
	job_end(&w, fails ? "FAILED" : "COMPLETED");
	run_all(&w);
	ck_assert_str_eq(w.state, "DONE");
	ck_assert_int_eq(w.verdicts, fails);
	for (int i = 0; i < 4; i++)
		expect(fails ? w.node[i].keep : i == 1 || !w.node[i].keep,
		       "n%d: %s %s", i + 1, request, conf);
	expect_kept(&w, fails, keeps);
	ck_assert_int_eq(history_has(&w, KEPT), fails && keeps);
	world_restart(&w); /* what is kept is known for as long */
	ck_assert(slu_bb_of(w.b, JOB)->keeps == (fails && keeps));
	world_free(&w);
}

/* A device that fails under the job is as a server that ends (OnServerLoss),
 * and named, and what is left of the data is kept, whether or not any is to be
 * staged out; where tolerate= allows for it the job goes on, and what the other
 * nodes have is staged out. */
START_TEST(test_broken)
{
	static const char *const outs[] = {"", OUT_TO_DST,
					   OUT_TO_DST " on=success"};
	static const struct {
		const char *request, *conf;
		int broken;
		bool fails;
	} cases[] = {
		{"jobfs type=tmp capacity=4GiB tolerate=1", "", 1, false},
		{"jobfs type=tmp capacity=4GiB tolerate=1", "", 2, true},
		{"jobfs type=tmp capacity=4GiB", "", 1, true},
		{"jobfs type=tmp capacity=4GiB", "\nKeepFailed=0", 1, true},
		{"jobfs capacity=4GiB", "", 1, true},
		{"jobfs capacity=4GiB", "\nOnServerLoss=requeue", 1, true},
		{"jobfs capacity=4GiB", "\nOnServerLoss=hold", 1, true},
		{"jobfs capacity=4GiB", "\nOnServerLoss=leave", 1, false},
	};

	each(out, outs) each(c, cases)
	{
		char *request = slu_asprintf("%s%s", c->request, *out);
		char *conf = slu_asprintf("FileSystem=tmp Driver=scratch%s",
					  c->conf);

		break_run(request, conf, c->broken, c->fails);
		free(request);
		free(conf);
	}
}
END_TEST

/* The user wants nothing of it (scancel --hurry), or no task was launched. */
START_TEST(test_broken_unlaunched)
{
	for (int hurry = 0; hurry < 2; hurry++) {
		struct world w;

		world_new(&w, 4, "jobfs capacity=4GiB", NULL);
		run_until(&w, AT_RUN);
		tell_broken(&w, 1);
		w.job.unlaunched = true;
		w.job.hurry = hurry;
		job_end(&w, "FAILED");
		run_all(&w);
		ck_assert_str_eq(w.state, "DONE");
		ck_assert(w.node[0].keep == !hurry);
		expect_kept(&w, true, !hurry);
		world_free(&w);
	}
}
END_TEST

static struct heard tell_share(struct world *w, int node, uint64_t files)
{
	const struct slu_report r = {.step = (char *)"out.1.share",
				     .ok = true,
				     .files = files,
				     .total_files = 30};

	return report(w, &w->node[node], r);
}

static void expect_at(struct world *w, int node, const char *gate,
		      const char *word, const char *away)
{
	struct heard h = barrier(w, &w->node[node], gate, NULL);

	expect(!strcmp(h.word, word) && !strcmp(h.away, away), "%s: %s %s",
	       gate, h.word, h.away);
}

static void begin_lost(struct world *w, const char *driver)
{
	static char conf[80];

	snprintf(conf, sizeof(conf), "FileSystem=par Driver=%s", driver);
	world_new(w, 3,
		  "jobfs type=par capacity=4GiB; stage_in source=/src "
		  "destination=$BB_JOBFS/in; stage_out source=$BB_JOBFS/out "
		  "destination=/dst",
		  conf);
	run_until(w, AT_RUN);
	job_end(w, "COMPLETED");
	for (int i = 0; i < 3; i++)
		ck_assert_str_eq(
			do_step(w, &w->node[i], "report down", true).word,
			"go");
}

/* Where nothing of the data lies on a node, its loss is none: the others hear
 * at each barrier who did not come to it, also later, and do its part. It is
 * told to stop, if it lives. What they tell must be the whole all the same. */
START_TEST(test_lost_without_data)
{
	static const struct {
		uint64_t files[2];
		const char *reason;
	} cases[] = {
		{{10, 20}, ""},
		{{30, 0}, ""},
		{{10, 10}, "20 of 30 files, 0B of 0B, reported by 2 of 3"},
	};

	each(c, cases)
	{
		struct world w;

		begin_lost(&w, "lustre root=/pfs");
		for (int i = 0; i < 3; i++)
			expect_at(&w, i, "out.begin", i < 2 ? "busy" : "go",
				  "");
		expect_at(&w, 0, "out.1.copied", "busy", "");
		job_nodes(&w, NULL, "n2");
		expect_at(&w, 1, "out.1.copied", "abort", "n[2-3]");
		ck_assert_str_eq(poll_word(&w, &w.node[1], "").word, "abort");
		expect_at(&w, 2, "out.1.copied", "go", "n2");
		world_restart(&w);
		expect_at(&w, 0, "out.begin", "go", "");
		expect_at(&w, 0, "out.1.copied", "go", "n2");
		ck_assert_str_eq(tell_share(&w, 0, c->files[0]).word, "go");
		ck_assert_str_eq(tell_share(&w, 2, c->files[1]).word, "go");
		expect_at(&w, 0, "out.done", "busy", "");
		barrier(&w, &w.node[2], "out.done", NULL);
		expect(strstr(w.reason, c->reason), "%s", w.reason);
		ck_assert_int_eq(w.verdicts, *c->reason != 0);
		if (!*c->reason) {
			ck_assert_str_eq(w.state, "TEARDOWN");
			expect_at(&w, 0, "out.done", "go", "n2");
			expect_at(&w, 1, "out.1.copied", "abort", "n2");
		}
		world_free(&w);
	}
}
END_TEST

/* Nobody is left to do it; and data that was on the node. */
START_TEST(test_lost_all)
{
	static const struct {
		const char *driver, *lost, *reason;
	} cases[] = {
		{"lustre root=/pfs", "n[1-3]", "reported by 0 of 3 nodes"},
		{"glusterfs", "n2", "n2 was lost, and its data with it"},
	};

	each(c, cases)
	{
		struct world w;

		begin_lost(&w, c->driver);
		job_nodes(&w, NULL, c->lost);
		ck_assert_int_eq(w.verdicts, 1);
		expect(strstr(w.reason, c->reason), "%s", w.reason);
		world_free(&w);
	}
}
END_TEST

/* Stage-out reports that do not add up. */
START_TEST(test_incomplete)
{
	struct world w;
	int i;

	world_new(&w, 3, WALK, NULL);
	run_until(&w, AT_RUN);
	w.job.state = (char *)"COMPLETED";
	job_end(&w, "COMPLETED");
	for (i = 0; i < 3; i++) {
		struct slu_report r = {.step = (char *)"out.1.share",
				       .ok = true,
				       .phase = (char *)"stage_out",
				       .bytes = 1000,
				       .files = i == 1 ? 9 : 10,
				       .total_bytes = 3000,
				       .total_files = 30};

		do_step(&w, &w.node[i], "report down", true);
		ck_assert_str_eq(report(&w, &w.node[i], r).word, "go");
	}
	ck_assert_int_eq(w.verdicts, 0);
	for (i = 0; i < 3; i++)
		ck_assert_str_eq(barrier(&w, &w.node[i], "out.done", NULL).word,
				 "busy");
	ck_assert_int_eq(w.verdicts, 1);
	expect(strstr(w.reason, "stage-out of /run/sluice/17/mnt/data/out is "
				"incomplete: 29 of 30 files"),
	       "%s", w.reason);
	verdict_done(&w);
	for (i = 0; i < 3; i++)
		ck_assert_str_eq(barrier(&w, &w.node[i], "out.done", NULL).word,
				 "abort");
	world_free(&w);
}
END_TEST

/* Tasks ran, and no node was asked to do anything before: slurmd lacks us. */
START_TEST(test_without)
{
	struct world w;

	for (int unlaunched = 0; unlaunched < 2; unlaunched++) {
		world_new(&w, 2, WALK, NULL);
		job_start(&w);
		w.job.unlaunched = unlaunched;
		job_end(&w, "FAILED");
		ck_assert_int_eq(history_has(&w, "it ran without"),
				 !unlaunched);
		world_free(&w);
	}
}
END_TEST

TEST_MAIN("buffers lost", test_tolerate, test_tolerate_back, test_broken,
	  test_broken_unlaunched, test_without, test_lost_without_data,
	  test_lost_all, test_incomplete)
