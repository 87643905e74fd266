/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests IOStart through the functions that plugins call: no job waits before
 * the history has been read, or for a sluiced that is away; `scontrol
 * reconfigure` releases all.
 */
#include "config.h"
#include <time.h>
#include "tests/unit/ctl/ctl_fake.h"
#include "tests/unit/tmpdir.h"

#define ON "IOStart=on\nIOBandwidth=100MB/s"

static void tell_history(int runs, const char *request)
{
	struct slu_history_row row = {.job = plain_job};
	struct slu_history_end end = {.rows = (uint64_t)runs};

	row.job.name = "heavy_17";
	row.job.request = (char *)request;
	row.job.end = row.job.start;
	row.read_bytes = 60e9; /* of two nodes, in 600 s: 100 MB/s */
	for (int i = 0; i < runs; i++) {
		row.job.job_id = 100 + (uint32_t)i;
		row.job.start = row.job.end + 10;
		row.job.end = row.job.start + 600;
		daemon_tell(&row);
	}
	daemon_say(&slu_history_end_desc, &end);
}

static struct slu_ctl_io job(uint32_t id)
{
	struct slu_ctl_io io = {.job = plain_job, .predicted = 600};

	io.job.job_id = id;
	io.job.name = "heavy_4711"; /* the same without its counter */
	io.job.start = 0;
	io.job.limit = 20;
	return io;
}

static bool waits(struct slu_ctl *ctl, uint32_t id, int64_t later)
{
	struct slu_ctl_io io = job(id);
	char why[SLU_CTL_WHY];

	return slu_ctl_io_waits(ctl, &io, time(NULL) + later, why);
}

static void begin(struct slu_ctl *ctl, uint32_t id)
{
	struct slu_ctl_io io = job(id);

	slu_ctl_io_begun(ctl, &io, time(NULL));
}

static void end(struct slu_ctl *ctl, uint32_t id)
{
	struct slu_job gone = {.job_id = id};

	slu_ctl_ended(ctl, &gone);
}

START_TEST(test_life)
{
	struct slu_ctl *ctl = ctl_by_hand(ON);
	struct slu_io_use *use;
	char *note;

	ck_assert(slu_ctl_io_is_on(ctl));
	begin(ctl, 1); /* runs when slurmctld starts */
	ck_assert(!waits(ctl, 2, 0));
	link_up(ctl, 1);
	ck_assert(!waits(ctl, 2, 0));
	tell_history(8, NULL);
	slu_ctl_step(ctl, 2);
	ck_assert(waits(ctl, 2, 0));
	ck_assert_int_gt(slu_ctl_io_when(ctl, 2, time(NULL)), time(NULL) + 60);
	note = slu_ctl_begin_note(ctl, 2, 0, NULL, time(NULL) + 20);
	ck_assert_ptr_nonnull(note);
	ck_assert_ptr_nonnull(strstr(note, "sluice: waited 0:00:2"));
	ck_assert_ptr_nonnull(strstr(note, " for bandwidth"));
	free(note);
	end(ctl, 1);
	ck_assert(!waits(ctl, 2, 0));
	begin(ctl, 2);
	ck_assert(waits(ctl, 3, 1));
	slu_ctl_step(ctl, 60);
	ck_assert(daemon_heard(&slu_io_use_desc)); /* at the beginning */
	use = daemon_hear(&slu_io_use_desc);
	ck_assert_double_eq(use->capacity, 100e6);
	ck_assert_double_gt(use->demand, 50e6);
	ck_assert_uint_eq(use->waiting, 1);
	ck_assert_uint_eq(use->waited, 1);
	slu_msg_free(&slu_io_use_desc, use);
	ck_assert_msg(strstr(host.log, "JobId=2 starts after a wait of"), "%s",
		      host.log);
	slu_ctl_io_ended(ctl, 2); /* it was given no nodes */
	ck_assert(!waits(ctl, 3, 2));
	slu_ctl_release(ctl);
}
END_TEST

/* A job that declines to wait does not, where it may, and counts all the same.
 */
START_TEST(test_declines)
{
	for (int may = 0; may < 2; may++) {
		struct slu_ctl *ctl =
			ctl_by_hand(may ? ON "\nIOWaitOptional=yes" : ON);
		struct slu_ctl_io io = job(1);
		char why[SLU_CTL_WHY];

		link_up(ctl, 1);
		tell_history(8, NULL);
		slu_ctl_step(ctl, 2);
		begin(ctl, 9);
		io.no_wait = true;
		ck_assert(slu_ctl_io_waits(ctl, &io, time(NULL), why) == !may);
		slu_ctl_io_begun(ctl, &io, time(NULL));
		end(ctl, 9);
		ck_assert(waits(ctl, 2, 0));
		slu_ctl_release(ctl);
	}
	ck_assert(slu_ctl_no_io_wait("bandwidth wait=no"));
	ck_assert(slu_ctl_no_io_wait("forward; bandwidth wait=no"));
	ck_assert(!slu_ctl_no_io_wait("forward") && !slu_ctl_no_io_wait(NULL));
}
END_TEST

/* What runs counts with what servers have seen of it. */
START_TEST(test_measured)
{
	struct slu_job_moved one = {.job_id = 1};
	struct slu_jobs_moved moved = {&one, 1};
	struct slu_ctl *ctl = ctl_by_hand("IOStart=on\nIOBandwidth=150MB/s");
	struct slu_ctl_io io = job(1);

	link_up(ctl, 1);
	tell_history(8, NULL);
	slu_ctl_step(ctl, 2);
	io.job.start = time(NULL) - 86400; /* it has run for a day, */
	slu_ctl_io_begun(ctl, &io, time(NULL));
	ck_assert(waits(ctl, 2, 0));
	daemon_say(&slu_jobs_moved_desc, &moved); /* and moved nothing */
	slu_ctl_step(ctl, 3);
	ck_assert(!waits(ctl, 2, 0));
	slu_ctl_release(ctl);
}
END_TEST

START_TEST(test_sluiced_away)
{
	struct slu_ctl *ctl = ctl_by_hand(ON);

	link_up(ctl, 1);
	tell_history(8, NULL);
	slu_ctl_step(ctl, 2);
	begin(ctl, 1);
	daemon_hang_up();
	slu_ctl_step(ctl, 3);
	ck_assert(!ctl->linked);
	ck_assert(waits(ctl, 2, SLU_IOSTART_GRACE - 5));
	ck_assert(!waits(ctl, 2, SLU_IOSTART_GRACE + 1));
	slu_ctl_release(ctl);
}
END_TEST

/* What is read again does not make those go that wait, but switching off does,
 * and switching on teaches it from the first row on. */
START_TEST(test_reconfigure)
{
	struct slu_ctl *ctl = ctl_by_hand(ON);
	int passes;

	link_up(ctl, 1);
	tell_history(8, NULL);
	slu_ctl_step(ctl, 2);
	begin(ctl, 1);
	ck_assert(waits(ctl, 2, 0));
	write_conf(ON "\nMaxIOWait=1d");
	slu_ctl_reload(ctl);
	slu_ctl_step(ctl, 3);
	daemon_hang_up();
	link_up(ctl, 4);
	ck_assert(waits(ctl, 2, 0)); /* history is not read again */
	write_conf("");
	passes = host.passes;
	slu_ctl_reload(ctl);
	slu_ctl_step(ctl, 5);
	daemon_hang_up();
	link_up(ctl, 6);
	ck_assert(!slu_ctl_io_is_on(ctl));
	ck_assert(!waits(ctl, 2, 0));
	ck_assert_int_gt(host.passes, passes);
	write_conf(ON);
	slu_ctl_reload(ctl);
	slu_ctl_step(ctl, 7);
	daemon_hang_up();
	link_up(ctl, 8);
	ck_assert(!waits(ctl, 2, 0));
	tell_history(8, NULL);
	slu_ctl_step(ctl, 9);
	ck_assert(waits(ctl, 2, 0));
	slu_ctl_release(ctl);
}
END_TEST

/* What was moved in a file system of its own says nothing of the site's; off,
 * nothing is kept. */
START_TEST(test_not_counted)
{
	struct slu_ctl *ctl = ctl_by_hand(ON);

	link_up(ctl, 1);
	tell_history(8, "jobfs type=scratch capacity=1048576");
	slu_ctl_step(ctl, 2);
	begin(ctl, 1);
	ck_assert(!waits(ctl, 2, 0));
	slu_ctl_release(ctl);
}
END_TEST

START_TEST(test_status)
{
	struct slu_ctl *ctl = ctl_by_hand(ON);
	char *text = slu_ctl_status(ctl, NULL, false);

	ck_assert_msg(strstr(text, "history has not been"), "%s", text);
	free(text);
	slu_ctl_release(ctl);
}
END_TEST

/* Runs that moved next to nothing, but asked the MDTs for 100 operations a
 * second; live: of which that became known after their ends. */
static void tell_metadata(bool live)
{
	struct slu_history_row row = {.job = plain_job};
	struct slu_history_end end = {.rows = 8};

	row.job.name = "heavy_17";
	row.job.end = row.job.start;
	row.read_bytes = 1;
	for (int i = 0; i < 8; i++) {
		row.job.job_id = 100 + (uint32_t)i;
		row.job.start = row.job.end + 10;
		row.job.end = row.job.start + 600;
		row.metadata_ops = live ? 0 : 60e3;
		daemon_tell(&row);
	}
	daemon_say(&slu_history_end_desc, &end);
	row.metadata_ops = 60e3;
	for (int i = 0; live && i < 8; i++) {
		row.job.job_id = 200 + (uint32_t)i;
		daemon_say(&slu_metadata_row_desc, &row);
	}
}

static const char *why_waits(struct slu_ctl *ctl, uint32_t id, int64_t later)
{
	static char why[SLU_CTL_WHY];
	struct slu_ctl_io io = job(id);

	*why = '\0';
	ck_assert_int_eq(slu_ctl_io_waits(ctl, &io, time(NULL) + later, why),
			 *why != '\0');
	return why;
}

/* A job waits for operations of metadata, too, as they are predicted and
 * measured, where it is said how many there are. */
START_TEST(test_metadata)
{
	static const char *const conf[] = {ON "\nIOMetadata=100/s",
					   ON "\nIOMetadata=100/s", ON};

	for (int i = 0; i < 3; i++) {
		struct slu_ctl *ctl = ctl_by_hand(conf[i]);
		struct slu_job_moved none = {.job_id = 1};
		struct slu_jobs_moved moved = {&none, 1};
		const char *why;
		char *note;

		link_up(ctl, 1);
		tell_metadata(i == 1);
		slu_ctl_step(ctl, 2);
		begin(ctl, 1);
		why = why_waits(ctl, 2, 0);
		if (i == 2) { /* metadata does not count */
			ck_assert_str_eq(why, "");
			slu_ctl_release(ctl);
			continue;
		}
		expect(strstr(why, "waits for metadata operations of the "
				   "parallel file system: ") &&
			       strstr(why, "/s of 100/s are in use (jobs 1)"),
		       "%s", why);
		ck_assert_int_gt(slu_ctl_io_when(ctl, 2, time(NULL)),
				 time(NULL) + 60);
		note = slu_ctl_begin_note(ctl, 2, 0, NULL, time(NULL) + 20);
		expect(note && strstr(note, " for metadata operations"), "%s",
		       note);
		free(note);
		moved.jobs->metadata_ops = 3;
		daemon_say(&slu_jobs_moved_desc, &moved);
		slu_ctl_step(ctl, 3);
		expect(*why_waits(ctl, 2, 1), "it has only begun");
		end(ctl, 1);
		expect(!*why_waits(ctl, 2, 1), "%s", why);
		slu_ctl_release(ctl);
	}
}
END_TEST

/* sluiced hears how much of it is in use; a running job that asks for nothing
 * any more gives it back. */
START_TEST(test_metadata_use)
{
	struct slu_ctl *ctl = ctl_by_hand(ON "\nIOMetadata=150/s");
	struct slu_job_moved moved[] = {{.job_id = 1, .metadata_ops = 10}};
	struct slu_jobs_moved said = {moved, 1};
	struct slu_ctl_io old = job(1);
	struct slu_io_use *use;

	link_up(ctl, 1);
	tell_metadata(false);
	slu_ctl_step(ctl, 2);
	old.job.start = time(NULL) - 5000;
	old.predicted = 6000;
	slu_ctl_io_begun(ctl, &old, time(NULL));
	expect(*why_waits(ctl, 2, 1), "as predicted");
	daemon_say(&slu_jobs_moved_desc, &said);
	slu_ctl_step(ctl, 3);
	expect(!*why_waits(ctl, 2, 2), "as measured");
	slu_ctl_step(ctl, 60);
	ck_assert(daemon_heard(&slu_io_use_desc));
	use = daemon_hear(&slu_io_use_desc);
	ck_assert_double_eq(use->metadata_capacity, 150);
	ck_assert_double_lt(use->metadata_demand, 90);
	slu_msg_free(&slu_io_use_desc, use);
	slu_ctl_release(ctl);
}
END_TEST

#define BOTH "IOStart=on\nIOBandwidth=scratch:100MB/s,home:20MB/s"

/* Runs that moved so much, in these file systems; told in the replay, or as
 * rows that become known later, both ways. */
static void tell_by_fs(double bytes, const char *by_fs, bool live)
{
	struct slu_history_row row = {.job = plain_job,
				      .read_bytes = live ? 0 : bytes,
				      .by_fs = (char *)(uintptr_t)by_fs};
	struct slu_history_end end = {.rows = 8};

	row.job.name = "heavy_17";
	for (uint32_t i = 0; i < 16; i++) {
		if (i == 8)
			daemon_say(&slu_history_end_desc, &end);
		if (i == 8 && !live)
			break;
		row.job.job_id = 100 + i;
		row.job.start += 610;
		row.job.end = row.job.start + 600;
		if (i < 8) {
			daemon_tell(&row);
			continue;
		}
		row.read_bytes = bytes;
		daemon_say(&slu_fs_row_desc, &row);
		row.by_fs = NULL; /* does not count: it comes as the other */
		row.read_bytes = 1e15;
		daemon_say(&slu_history_row_desc, &row);
		row.by_fs = (char *)(uintptr_t)by_fs;
	}
}

/* A job waits for the file system that its application uses, and counts there;
 * if it is not known which that is, for each. */
START_TEST(test_by_file_system)
{
	static const struct {
		double bytes;
		const char *by_fs, *why; /* "": none */
	} cases[] = {
		{60e9, "home 60000000000 0 1 0",
		 "waits for bandwidth of the home file system: "},
		{6e9, "scratch 6000000000 0 1 0", ""},
		{60e9, "scratch 60000000000 0 1 0",
		 "waits for bandwidth of the scratch file system: "},
		{66e9, "scratch 6000000000 0 1 0,home 60000000000 0 1 0",
		 "waits for bandwidth of the home file system: "},
		{6e9, "proj 60000000000 0 1 0", ""},
		{6e9, NULL, "waits for bandwidth of the home file system: "},
		{60e9, NULL, "waits for bandwidth of the scratch file system"},
		{6e9, "scratch 0 0 0 9",
		 "waits for bandwidth of the home file system: "},
	};

	for (int i = 0; i < 2 * (int)(sizeof(cases) / sizeof(*cases)); i++) {
		struct slu_ctl *ctl = ctl_by_hand(BOTH);
		const char *why = cases[i / 2].why, *is;

		link_up(ctl, 1);
		tell_by_fs(cases[i / 2].bytes, cases[i / 2].by_fs, i % 2);
		slu_ctl_step(ctl, 2);
		for (uint32_t id = 1; id <= 3; id++)
			begin(ctl, id);
		is = why_waits(ctl, 9, 0);
		expect(*why ? strstr(is, why) == is : !*is, "%d: %s", i, is);
		for (uint32_t id = 1; id <= 3; id++)
			end(ctl, id);
		is = why_waits(ctl, 9, 1);
		expect(!*is, "%d: %s", i, is);
		slu_ctl_release(ctl);
	}
}
END_TEST

/* What runs counts where it is measured; sluiced hears of each file system. */
START_TEST(test_measured_by_file_system)
{
	struct slu_job_moved one = {
		.job_id = 1,
		.read_bytes = 100e6 * 86400,
		.by_fs = (char *)(uintptr_t) "scratch 8640000000000 0 1 0"};
	struct slu_jobs_moved moved = {&one, 1};
	struct slu_io_capacity said = {.capacity = 1,
				       .targets = 1,
				       .scope = 3,
				       .fs = (char *)(uintptr_t) "scratch"};
	struct slu_ctl *ctl = ctl_by_hand(BOTH "\nIOMetadata=home:7");
	struct slu_ctl_io io = job(1);
	struct slu_io_use *use;

	link_up(ctl, 1);
	tell_by_fs(60e9, "home 60000000000 0 1 0", false);
	slu_ctl_step(ctl, 2);
	io.job.start = time(NULL) - 10 * 86400;
	slu_ctl_io_begun(ctl, &io, time(NULL));
	expect(*why_waits(ctl, 2, 0), "as predicted");
	daemon_say(&slu_jobs_moved_desc, &moved);
	daemon_say(&slu_io_capacity_desc, &said); /* it is not auto */
	slu_ctl_step(ctl, 3);
	expect(!*why_waits(ctl, 2, 0), "it uses the other one");
	slu_ctl_step(ctl, 60);
	for (int i = 0; i < 2; i++) /* at the beginning */
		slu_msg_free(&slu_io_use_desc, daemon_hear(&slu_io_use_desc));
	for (uint32_t i = 0; i < 2; i++) {
		use = daemon_hear(&slu_io_use_desc);
		ck_assert_uint_eq(use->place, i);
		ck_assert_str_eq(use->fs, i ? "home" : "scratch");
		ck_assert_double_eq(use->capacity, i ? 20e6 : 100e6);
		ck_assert_double_eq(use->metadata_capacity, i ? 7 : 0);
		expect(use->demand < 20e6, "%u: %g", i, use->demand);
		slu_msg_free(&slu_io_use_desc, use);
	}
	slu_ctl_release(ctl);
}
END_TEST

/* File systems that are named later know what runs. */
START_TEST(test_named_later)
{
	struct slu_ctl *ctl = ctl_by_hand(ON);
	const char *why;

	link_up(ctl, 1);
	slu_ctl_step(ctl, 2);
	begin(ctl, 1);
	write_conf(BOTH);
	slu_ctl_reload(ctl);
	slu_ctl_step(ctl, 3);
	daemon_hang_up();
	link_up(ctl, 4);
	tell_by_fs(60e9, "home 60000000000 0 1 0", false);
	slu_ctl_step(ctl, 5);
	why = why_waits(ctl, 2, 0);
	expect(strstr(why, "home file system: "), "%s", why);
	end(ctl, 1);
	expect(!*why_waits(ctl, 2, 1), "nothing runs");
	slu_ctl_release(ctl);
}
END_TEST

TEST_MAIN("iostart hooks", test_by_file_system, test_measured_by_file_system,
	  test_named_later, test_metadata, test_metadata_use, test_life,
	  test_declines, test_measured, test_sluiced_away, test_reconfigure,
	  test_not_counted, test_status)
