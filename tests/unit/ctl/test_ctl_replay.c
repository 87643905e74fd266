/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the transfer of the job history from sluiced to libsluice (replay), and
 * jobs that end during it. */
#include "config.h"
#include "tests/unit/ctl/ctl_fake.h"
#include "wire/node.h"
#include "wire/rows.h"

static void run_7(struct slu_ctl *ctl, double now)
{
	bool held;

	host_add(plain_job);
	say_started(ctl, 7, &held);
	slu_ctl_step(ctl, now);
	end_job(7, "COMPLETED", NULL);
	say_ended(ctl, 7);
	slu_ctl_step(ctl, now + 0.1);
}

/* A run that ends while history is read, or before, is one training sample,
 * though history has it again, and twice; and the last one. */
START_TEST(test_end_in_replay)
{
	static const bool before[] = {false, true};

	each(c, before)
	{
		struct slu_ctl *ctl = ctl_by_hand("PredictMode=advise");
		struct slu_ctl_submit submit = {.job = plain_job,
						.has_limit = true};
		struct slu_history_row old = {.job = plain_job}, row = old;
		struct slu_history_end end = {.rows = 3};

		old.job.job_id = 5;
		old.job.start = 500;
		old.job.end = 800;
		row.job.end = row.job.start + 60;
		old.job.state = row.job.state = "COMPLETED";
		if (*c)
			run_7(ctl, 1);
		link_up(ctl, 2);
		if (!*c)
			run_7(ctl, 2.1);
		slu_ctl_submit(ctl, &submit);
		ck_assert_uint_eq(submit.note.jobs, *c);
		daemon_tell(&row);
		daemon_tell(&old);
		daemon_tell(&row);
		daemon_say(&slu_history_end_desc, &end);
		slu_ctl_step(ctl, 3);
		slu_ctl_submit(ctl, &submit);
		expect(submit.note.jobs == 2, "%d: %u", *c, submit.note.jobs);
		slu_ctl_release(ctl);
		forget();
	}
}
END_TEST

static void tell_first(uint32_t n)
{
	struct slu_history_row row = {.job = plain_job};

	row.job.state = "COMPLETED";
	row.job.start = 500;
	for (uint32_t i = 0; i < n; i++) {
		row.job.job_id = 20 - i;
		row.job.end = 800 + i / 3;
		daemon_tell(&row);
	}
}

static uint32_t jobs_known(struct slu_ctl *ctl)
{
	struct slu_ctl_submit submit = {.job = plain_job, .has_limit = true};

	slu_ctl_submit(ctl, &submit);
	return submit.note.jobs;
}

/* A replay that breaks off, with rows of one second on both sides, teaches
 * each row once. */
START_TEST(test_replay_broken_off)
{
	struct slu_history_end end = {.rows = 6};

	for (uint32_t told = 0; told <= 6; told++) {
		struct slu_ctl *ctl = ctl_by_hand("PredictMode=advise");

		link_up(ctl, 1);
		tell_first(told);
		slu_ctl_step(ctl, 2);
		expect(jobs_known(ctl) == told, "%u", told);
		daemon_hang_up();
		slu_ctl_step(ctl, 3);
		link_up(ctl, 4);
		tell_first(6);
		daemon_say(&slu_history_end_desc, &end);
		slu_ctl_step(ctl, 5);
		expect(jobs_known(ctl) == 6, "%u: %u", told, jobs_known(ctl));
		slu_ctl_release(ctl);
		forget();
	}
}
END_TEST

/* What a job read and wrote, which is sent meanwhile, is no row of it: a replay
 * that breaks off then goes on where it was. */
START_TEST(test_news_in_replay)
{
	struct slu_ctl *ctl = ctl_by_hand("PredictMode=advise");
	struct slu_history_row last = {.job = plain_job};
	struct slu_history_end end = {.rows = 7};

	last.job.state = "COMPLETED";
	last.job.end = 9000;
	link_up(ctl, 1);
	tell_first(3);
	daemon_say(&slu_history_row_desc, &last);
	slu_ctl_step(ctl, 2);
	ck_assert_uint_eq(jobs_known(ctl), 3);
	daemon_hang_up();
	slu_ctl_step(ctl, 3);
	link_up(ctl, 4);
	tell_first(6);
	daemon_tell(&last);
	daemon_say(&slu_history_end_desc, &end);
	slu_ctl_step(ctl, 5);
	ck_assert_uint_eq(jobs_known(ctl), 7);
	slu_ctl_release(ctl);
}
END_TEST

/* A reconfigure makes a new predictor: what has ended and is not stored yet may
 * be in the history that it gets, or not. */
START_TEST(test_reload_in_replay)
{
	static const bool in_history[] = {false, true};

	each(c, in_history)
	{
		struct slu_ctl *ctl = ctl_by_hand("PredictMode=advise");
		struct slu_history_row row = {.job = plain_job};
		struct slu_history_end end = {.rows = *c};

		row.job.end = row.job.start + 60;
		row.job.state = "COMPLETED";
		link_up(ctl, 1);
		run_7(ctl, 1.1);
		write_conf("PredictMode=advise\nPredictFloor=600");
		slu_ctl_reload(ctl);
		slu_ctl_step(ctl, 2);
		slu_ctl_step(ctl, 2.5);
		ck_assert(!ctl->linked);
		link_up(ctl, 3);
		if (*c)
			daemon_tell(&row);
		daemon_say(&slu_history_end_desc, &end);
		daemon_say(&slu_history_row_desc, &row);
		slu_ctl_step(ctl, 4);
		expect(jobs_known(ctl) == 1, "%d: %u", *c, jobs_known(ctl));
		slu_ctl_release(ctl);
		forget();
	}
}
END_TEST

static void reconfigure(struct slu_ctl *ctl, double now)
{
	slu_ctl_reload(ctl);
	slu_ctl_step(ctl, now);
	slu_ctl_step(ctl, now + 0.5);
	ck_assert(!ctl->linked);
}

static void tell_ended(uint32_t id, int64_t end)
{
	struct slu_history_row row = {.job = plain_job};

	row.job.job_id = id;
	row.job.end = end;
	row.job.state = "COMPLETED";
	daemon_tell(&row);
}

/* After a reconfigure the predictor is trained again with history and what was
 * imported meanwhile; until it has been, the old one predicts and learns. */
START_TEST(test_training_after_reconfigure)
{
	static const bool in_history[] = {false, true};
	struct slu_history_end end = {0};

	each(c, in_history)
	{
		struct slu_ctl *ctl = ctl_by_hand("PredictMode=advise");

		link_up(ctl, 1);
		tell_ended(5, 1040);
		daemon_say(&slu_history_end_desc, &end);
		slu_ctl_step(ctl, 2);
		ck_assert_uint_eq(jobs_known(ctl), 1);
		write_conf("PredictMode=fill\nPredictQuantile=0.9");
		reconfigure(ctl, 3);
		ck_assert_uint_eq(jobs_known(ctl), 1);
		run_7(ctl, 4);
		ck_assert_uint_eq(jobs_known(ctl), 2);
		link_up(ctl, 5);
		tell_ended(4, 1030); /* imported */
		slu_ctl_step(ctl, 6);
		ck_assert_uint_eq(jobs_known(ctl), 2);
		reconfigure(ctl, 7); /* again */
		ck_assert_uint_eq(jobs_known(ctl), 2);
		link_up(ctl, 8);
		tell_ended(4, 1030);
		tell_ended(5, 1040);
		if (*c)
			tell_ended(7, 1060);
		daemon_say(&slu_history_end_desc, &end);
		slu_ctl_step(ctl, 9);
		ck_assert_uint_eq(jobs_known(ctl), 3);
		reconfigure(ctl, 10); /* sluiced has lost all, or cannot read */
		link_up(ctl, 11);
		daemon_say(&slu_history_end_desc, &end);
		slu_ctl_step(ctl, 12);
		ck_assert_uint_eq(jobs_known(ctl), 3);
		ck_assert_ptr_null(strstr(host.log, "learned from 0"));
		slu_ctl_release(ctl);
		forget();
	}
}
END_TEST

static void tell_written(uint32_t id, double bytes)
{
	struct slu_history_row row = {.job = plain_job, .written_bytes = bytes};

	row.job.job_id = id;
	row.job.end = 1000 + id;
	daemon_tell(&row);
}

/* Of earlier runs; what the next one is predicted. */
static uint32_t runs_known(struct slu_ctl *ctl, double *written)
{
	struct slu_volumes_next next = {0};

	slu_volumes_predict(ctl->volumes, &plain_job, &next);
	*written = next.written_bytes;
	return next.runs;
}

/* The same for what runs wrote, each run once. */
START_TEST(test_volumes_after_reconfigure)
{
	struct slu_ctl *ctl = ctl_by_hand("");
	struct slu_history_end end = {0};
	double written;

	link_up(ctl, 1);
	tell_written(5, 4096);
	daemon_say(&slu_history_end_desc, &end);
	slu_ctl_step(ctl, 2);
	ck_assert_uint_eq(runs_known(ctl, &written), 1);
	reconfigure(ctl, 3);
	ck_assert_uint_eq(runs_known(ctl, &written), 1);
	link_up(ctl, 4);
	tell_written(4, 8192); /* imported */
	tell_written(5, 8192);
	daemon_say(&slu_history_end_desc, &end);
	slu_ctl_step(ctl, 5);
	ck_assert_uint_eq(runs_known(ctl, &written), 2);
	ck_assert(written >= 8192);
	slu_ctl_release(ctl);
}
END_TEST

START_TEST(test_history_replay)
{
	struct slu_ctl *ctl = ctl_by_hand("PredictMode=advise");
	struct slu_history_row row = {.job = plain_job};
	struct slu_history_end end = {.rows = 1};
	struct slu_ctl_submit submit = {.job = plain_job};
	struct slu_history_rows rows;
	struct slu_buf text = {0};

	link_up(ctl, 1);
	row.job.end = row.job.start + 300;
	row.job.state = "COMPLETED";
	slu_row_pack(&row, &text);
	slu_buf_printf(&text, "x;-1;"); /* of no release */
	row.job.end = row.job.start + 3;
	row.job.state = "NODE_FAIL"; /* teaches nothing */
	slu_row_pack(&row, &text);
	rows.packed = text.data;
	daemon_say(&slu_history_rows_desc, &rows);
	row.job.state = "COMPLETED";
	daemon_say(&slu_history_end_desc, &end);
	slu_ctl_step(ctl, 2);
	slu_ctl_submit(ctl, &submit);
	ck_assert_int_eq(submit.note.predicted, 300);
	ck_assert_str_eq(submit.note.from, "class");
	ck_assert(strstr(host.log, "learned from 2 "));
	ck_assert(strstr(host.log, "history: rows: job.uid: x"));
	ck_assert(!strstr(host.log, "job.uid: -1"));
	ck_assert(strstr(host.log, "2 rows could not be decoded"));
	slu_buf_free(&text);
	/* Told again after a reconnect it teaches nothing. */
	daemon_hang_up();
	slu_ctl_step(ctl, 3);
	link_up(ctl, 4);
	row.job.end = row.job.start + 900;
	daemon_tell(&row);
	slu_ctl_step(ctl, 5);
	slu_ctl_submit(ctl, &submit);
	ck_assert_int_eq(submit.note.predicted, 300);
	slu_ctl_release(ctl);
}
END_TEST

TEST_MAIN("ctl replay", test_end_in_replay, test_replay_broken_off,
	  test_news_in_replay, test_reload_in_replay,
	  test_training_after_reconfigure, test_volumes_after_reconfigure,
	  test_history_replay)
