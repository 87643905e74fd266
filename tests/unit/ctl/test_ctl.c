/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the conversation of libsluice (in slurmctld) with sluiced; the test
 * calls the event loop itself, without a thread. */
#include "config.h"
#include <sys/socket.h>
#include "tests/unit/ctl/ctl_fake.h"
#include "wire/node.h"

START_TEST(test_hello)
{
	char why[SLU_CTL_WHY];
	time_t now;
	struct slu_ctl *ctl = ctl_by_hand("");
	struct slu_hello_daemon hello = {.version = SLU_WIRE_VERSION};
	struct slu_buffer_state alive = {.buffer = 3,
					 .job_id = 9,
					 .uid = 1000,
					 .name = "JOBFS",
					 .state = "STAGE_OUT",
					 .size = 1 << 20};
	struct slu_buffer_state early = {.buffer = 4,
					 .job_id = SLU_PERSIST_FIRST,
					 .creator = 9,
					 .persistent = true,
					 .early = true,
					 .state = "RUNNING"};
	struct slu_hello_ctl *heard;
	struct slu_job done = with_buffer(9);

	host_add(plain_job);
	host_add(done);
	end_job(9, "COMPLETED", NULL);
	daemon_listen();
	slu_ctl_step(ctl, 1);
	ck_assert(daemon_accept());
	heard = daemon_hear(&slu_hello_ctl_desc);
	ck_assert_ptr_nonnull(heard);
	ck_assert_uint_eq(heard->version, SLU_WIRE_VERSION);
	ck_assert_str_eq(heard->cluster, "toy");
	ck_assert_uint_eq(heard->n_nodes, 4);
	ck_assert_str_eq(heard->nodes[1].addr, "10.0.0.2");
	ck_assert_uint_eq(heard->n_jobs, 2);
	slu_msg_free(&slu_hello_ctl_desc, heard);

	/* Not before its answer may a job with a buffer start. */
	ck_assert(!slu_ctl_may_start(ctl, done.request, 1000, why));
	ck_assert(slu_ctl_may_start(ctl, NULL, 1000, why));
	ck_assert(slu_ctl_may_start(ctl, "forward max=1", 1000, why));
	hello.buffers = &alive;
	hello.n_buffers = 1;
	daemon_say(&slu_hello_daemon_desc, &hello);
	slu_ctl_step(ctl, 1);
	ck_assert(slu_ctl_may_start(ctl, done.request, 1000, why));
	ck_assert_int_eq(host.passes, 1);
	ck_assert(slu_ctl_alive(ctl, 9));
	ck_assert(!slu_ctl_alive(ctl, 7));
	/* Its next run waits until there is no data of this one. */
	ck_assert(slu_ctl_earlier_run(ctl, 9, time(NULL), why));
	ck_assert(strstr(why, "earlier run"));
	ck_assert(!slu_ctl_earlier_run(ctl, 7, time(NULL), why));
	alive.state = "TEARDOWN";
	daemon_say(&slu_buffer_desc, &alive);
	slu_ctl_step(ctl, 1);
	ck_assert(!slu_ctl_earlier_run(ctl, 9, time(NULL), why));
	/* But not until what is staged in for it is gone. */
	daemon_say(&slu_buffer_desc, &early);
	slu_ctl_step(ctl, 1);
	ck_assert(!slu_ctl_earlier_run(ctl, 9, time(NULL), why));
	/* Nor at once, when all is clean: slurmd needs a moment. */
	alive.state = "DONE";
	now = time(NULL);
	daemon_say(&slu_buffer_desc, &alive);
	slu_ctl_step(ctl, 1);
	for (int after = 0; after < 60; after += 3)
		expect(slu_ctl_earlier_run(ctl, 9, now + after, why) ==
			       (after == 0 || after == 3),
		       "after %d s", after);
	ck_assert(strstr(why, "ended just now"));
	ck_assert(!slu_ctl_earlier_run(ctl, 9 + 256, now, why));
	/* What ended while there was no connection gets into the history. */
	slu_ctl_step(ctl, 1);
	ck_assert(daemon_heard(&slu_history_desc));
	slu_ctl_release(ctl);
}
END_TEST

START_TEST(test_hello_of_another_version)
{
	struct slu_ctl *ctl = ctl_by_hand("");
	struct slu_hello_daemon hello = {.version = SLU_WIRE_VERSION + 1};

	daemon_listen();
	slu_ctl_step(ctl, 1);
	ck_assert(daemon_accept());
	daemon_say(&slu_hello_daemon_desc, &hello);
	slu_ctl_step(ctl, 1);
	ck_assert(!ctl->linked);
	ck_assert(ctl->link.fd < 0);
	ck_assert(strstr(host.log, "upgrade both"));
	slu_ctl_release(ctl);
}
END_TEST

START_TEST(test_start_and_end)
{
	struct slu_ctl *ctl = ctl_by_hand("PredictMode=advise");
	struct slu_history_end no_history = {.rows = 0};
	struct slu_ctl_submit submit = {.job = plain_job, .has_limit = true};
	struct slu_stored stored = {.job_id = 7, .start = 1000};
	struct slu_job *row;
	bool held;

	host_add(plain_job);
	set_text(&host_job(7)->state, "PENDING");
	link_up(ctl, 1);
	daemon_say(&slu_history_end_desc, &no_history);
	set_text(&host_job(7)->state, "RUNNING");
	say_started(ctl, 7, &held);
	ck_assert(!held);
	slu_ctl_step(ctl, 2);
	ck_assert(daemon_heard(&slu_job_started_desc));

	end_job(7, "COMPLETED", "n[1-2]");
	say_ended(ctl, 7);
	say_ended(ctl, 7); /* as Slurm does after a failed prolog */
	slu_ctl_step(ctl, 3);
	ck_assert(daemon_heard(&slu_job_ended_desc));
	ck_assert(daemon_heard(&slu_job_ended_desc));
	slu_ctl_submit(ctl, &submit);
	ck_assert_int_eq(submit.note.predicted, 60);
	ck_assert_uint_eq(submit.note.jobs, 1); /* taught once */

	/* The row is sent once, again after a reconnect, then no more. */
	ck_assert_uint_eq(ctl->history.n, 1);
	daemon_hang_up();
	slu_ctl_step(ctl, 4);
	ck_assert(!ctl->linked);
	link_up(ctl, 5);
	row = daemon_hear(&slu_history_desc);
	ck_assert_ptr_nonnull(row);
	ck_assert_uint_eq(row->job_id, 7);
	ck_assert_uint_eq(row->limit_asked, 10);
	slu_msg_free(&slu_history_desc, row);
	daemon_say(&slu_stored_desc, &stored);
	slu_ctl_step(ctl, 6);
	ck_assert_uint_eq(ctl->history.n, 0);
	slu_ctl_release(ctl);
}
END_TEST

/* Without prep and stage-out hooks, looks find starts and ends. */
/* A look at everything finds the end before its event comes. */
START_TEST(test_end_that_is_found)
{
	struct slu_ctl *ctl = ctl_by_hand("PredictMode=advise");
	struct slu_ctl_submit submit = {.job = plain_job, .has_limit = true};
	struct slu_history_end end = {.rows = 0};
	bool held;

	host_add(plain_job);
	set_text(&host_job(7)->state, "PENDING");
	link_up(ctl, 1);
	daemon_say(&slu_history_end_desc, &end);
	set_text(&host_job(7)->state, "RUNNING");
	say_started(ctl, 7, &held);
	slu_ctl_step(ctl, 2);
	end_job(7, "COMPLETED", NULL);
	ctl->stale = true;
	slu_ctl_step(ctl, 3);
	ck_assert(daemon_heard(&slu_history_desc));
	slu_ctl_step(ctl, 4);
	say_ended(ctl, 7);
	slu_ctl_step(ctl, 5);
	ck_assert(!daemon_heard(&slu_history_desc));
	slu_ctl_submit(ctl, &submit);
	ck_assert_int_eq(submit.note.predicted, 60);
	ck_assert_uint_eq(submit.note.jobs, 1);

	/* and one that was never seen to run */
	host_job(7)->start = 5000;
	end_job(7, "COMPLETED", NULL);
	ctl->stale = true;
	slu_ctl_step(ctl, 6);
	say_ended(ctl, 7);
	say_ended(ctl, 7);
	slu_ctl_step(ctl, 7);
	ck_assert(daemon_heard(&slu_history_desc));
	slu_ctl_submit(ctl, &submit);
	ck_assert_uint_eq(submit.note.jobs, 2);
	slu_ctl_release(ctl);
}
END_TEST

START_TEST(test_looks)
{
	struct slu_ctl *ctl = ctl_by_hand("");

	link_up(ctl, 1);
	host_add(plain_job);
	slu_ctl_look(ctl, 7);
	slu_ctl_look(ctl, 8); /* never came to be */
	slu_ctl_step(ctl, 2);
	ck_assert(!daemon_heard(&slu_job_started_desc));
	slu_ctl_step(ctl, 2.2);
	ck_assert(daemon_heard(&slu_job_started_desc));
	slu_ctl_look(ctl, 7); /* seen before */
	slu_ctl_step(ctl, 3);
	slu_ctl_step(ctl, 3.2);
	ck_assert(!daemon_heard(&slu_job_started_desc));
	end_job(7, "FAILED", "n2");
	slu_ctl_look(ctl, 7);
	slu_ctl_step(ctl, 4);
	slu_ctl_step(ctl, 4.2);
	ck_assert(daemon_heard(&slu_job_ended_desc));
	slu_ctl_release(ctl);
}
END_TEST

START_TEST(test_reconnect)
{
	struct slu_ctl *ctl = ctl_by_hand("");
	double due;

	/* No process listens: libsluice retries at growing intervals, and logs
	 * it once. */
	due = slu_ctl_step(ctl, 1);
	expect(due > 1.05 && due < 1.15, "%f", due);
	for (double now = due; now < 100; now = due)
		due = slu_ctl_step(ctl, now);
	expect(ctl->link.pause == 5.0, "%f", ctl->link.pause);
	ck_assert(strstr(host.log, "no link"));
	ck_assert_ptr_null(strstr(strstr(host.log, "no link") + 1, "no link"));

	due = ctl->link.retry_at;
	link_up(ctl, due);
	daemon_hang_up();
	slu_ctl_step(ctl, due + 1);
	ck_assert(!ctl->linked);
	/* It was well, so the first try comes soon. */
	expect(ctl->link.retry_at < due + 1.2, "%f", ctl->link.retry_at);
	link_up(ctl, ctl->link.retry_at);
	slu_ctl_release(ctl);
}
END_TEST

START_TEST(test_overflow)
{
	struct slu_ctl *ctl = ctl_by_hand("");
	struct slu_node_order order = {.node = "n1", .reason = "not clean"};
	size_t before;
	int snapshots;
	bool heard;

	link_up(ctl, 1);
	host_add(plain_job);
	snapshots = host.snapshots;
	before = ctl->queue.cap;
	for (size_t i = 0; i <= before; i++)
		slu_ctl_cancelled(ctl, (uint32_t)(100 + i), 0);
	daemon_say(&slu_drain_desc, &order);
	slu_ctl_step(ctl, 2);
	ck_assert_int_eq(host.snapshots, snapshots + 1);
	ck_assert(strstr(host.log, "too many events"));
	/* The command is answered all the same, and then the whole state is
	 * sent again, with the job that was not announced. */
	heard = false;
	for (int i = 0; i < 1000 && !heard; i++) {
		heard = daemon_heard(&slu_done_desc);
		slu_ctl_step(ctl, 2);
	}
	ck_assert(heard);
	heard = false;
	for (int i = 0; i < 1000 && !heard; i++) {
		heard = daemon_heard(&slu_hello_ctl_desc);
		slu_ctl_step(ctl, 2);
	}
	ck_assert(heard);
	ck_assert_ptr_nonnull(slu_followed_get(ctl, 7));
	slu_ctl_release(ctl);
}
END_TEST

/* A node that was not in the last snapshot, or has moved since. */
START_TEST(test_where_is_answered)
{
	static const struct {
		const char *node, *addr;
	} cases[] = {{"n9", "n9-addr"}, {"login", NULL}};
	struct slu_ctl *ctl = ctl_by_hand("");

	link_up(ctl, 1);
	each(c, cases)
	{
		struct slu_where where = {.node = (char *)c->node};
		struct slu_node_addr *is;

		daemon_say(&slu_where_desc, &where);
		slu_ctl_step(ctl, 2);
		slu_ctl_step(ctl, 2);
		is = daemon_hear(&slu_node_is_desc);
		ck_assert_ptr_nonnull(is);
		ck_assert_str_eq(is->name, c->node);
		ck_assert(slu_eq(is->addr, c->addr));
		slu_msg_free(&slu_node_is_desc, is);
	}
	slu_ctl_release(ctl);
}
END_TEST

static void say_raw(const char *text)
{
	ck_assert(send(daemon_end.fd, text, strlen(text), 0) > 0);
}

START_TEST(test_bad_lines)
{
	struct slu_ctl *ctl = ctl_by_hand("");
	char *long_line = malloc(SLU_LINE_MAX + (1 << 20));
	size_t sent = 0;

	link_up(ctl, 1);
	say_raw("{]\n");
	say_raw("{\"v\":1,\"id\":1,\"type\":\"sing\",\"body\":{}}\n");
	say_raw("{\"v\":1,\"id\":2,\"type\":\"sing\",\"body\":{}}\n");
	slu_ctl_step(ctl, 2);
	ck_assert(ctl->linked);
	ck_assert(strstr(host.log, "sing"));
	ck_assert_ptr_null(strstr(strstr(host.log, "sing") + 1, "sing"));

	memset(long_line, 'x', SLU_LINE_MAX + (1 << 20));
	for (int i = 0; i < 10000 && ctl->linked; i++) {
		ssize_t n = send(daemon_end.fd, long_line + sent,
				 SLU_LINE_MAX + (1 << 20) - sent, MSG_NOSIGNAL);

		if (n > 0)
			sent += (size_t)n;
		slu_ctl_step(ctl, 3);
	}
	ck_assert(!ctl->linked);
	ck_assert(strstr(host.log, "too long a line"));
	free(long_line);
	slu_ctl_release(ctl);
}
END_TEST

/* A daemon that does not read is dropped, and costs bounded memory. */
START_TEST(test_daemon_that_does_not_read)
{
	struct slu_ctl *ctl = ctl_by_hand("");
	char *name = malloc(60001);
	struct slu_job copy;

	memset(name, 'n', 60000);
	name[60000] = '\0';
	host_add(plain_job);
	link_up(ctl, 1);
	for (uint32_t i = 0; i < 3000 && ctl->linked; i++) {
		slu_job_copy(&copy, &plain_job);
		copy.job_id = 100 + i;
		set_text(&copy.name, name);
		slu_ctl_started(ctl, &copy);
		slu_ctl_step(ctl, 2);
	}
	ck_assert(!ctl->linked);
	ck_assert(strstr(host.log, "too long to be sent"));
	free(name);
	slu_ctl_release(ctl);
}
END_TEST

static void say_buffer(uint32_t job_id, const char *state, bool early)
{
	const struct slu_buffer_state b = {.job_id = job_id,
					   .name = (char *)"JOBFS",
					   .state = (char *)state,
					   .early = early};

	daemon_say(&slu_buffer_desc, &b);
}

/* What may let jobs start begins a pass of the scheduler at once, but no more
 * than one a second. */
START_TEST(test_pass)
{
	struct slu_ctl *ctl = ctl_by_hand("");
	struct slu_capacity supply = {0};
	const double began = 10;
	int passes;
	double next;

	link_up(ctl, 1);
	slu_ctl_step(ctl, 5);
	passes = host.passes;
	say_buffer(1, "RUNNING", false);
	slu_ctl_step(ctl, began - 1);
	ck_assert_int_eq(host.passes, passes);
	say_buffer(1, "DONE", false);
	slu_ctl_step(ctl, began);
	ck_assert_int_eq(host.passes, passes + 1);
	for (uint32_t i = 0; i < 50; i++) {
		say_buffer(2 + i, "DONE", false);
		next = slu_ctl_step(ctl, began + 0.01 * (1 + i));
		ck_assert_int_eq(host.passes, passes + 1);
		ck_assert(next <= began + 1);
	}
	slu_ctl_step(ctl, began + 1);
	ck_assert_int_eq(host.passes, passes + 2);
	slu_ctl_step(ctl, began + 5);
	ck_assert_int_eq(host.passes, passes + 2);
	say_buffer(99, "RUNNING", true);
	slu_ctl_step(ctl, began + 6);
	ck_assert_int_eq(host.passes, passes + 3);
	daemon_say(&slu_capacity_desc, &supply);
	slu_ctl_step(ctl, began + 8);
	ck_assert_int_eq(host.passes, passes + 4);
	slu_ctl_release(ctl);
}
END_TEST

START_TEST(test_reload)
{
	struct slu_ctl *ctl = ctl_by_hand("MaxGiveBack=1000");
	struct slu_hello_ctl *hello;
	char *text;

	link_up(ctl, 1);
	write_conf("MaxGiveBack=2000");
	slu_ctl_reload(ctl);
	slu_ctl_step(ctl, 2);
	slu_ctl_reload(ctl); /* by another plugin, at the same time */
	slu_ctl_step(ctl, 2.1);
	ck_assert(ctl->linked);
	slu_ctl_step(ctl, 2.5);
	ck_assert(!ctl->linked);
	ck_assert_int_eq(ctl->site->conf->max_give_back, 2000);
	link_up(ctl, 3); /* connects at once, again */
	write_conf("NoSuchKey=1");
	slu_ctl_reload(ctl);
	slu_ctl_step(ctl, 4);
	slu_ctl_step(ctl, 4.5);
	ck_assert_int_eq(ctl->site->conf->max_give_back, 2000);
	ck_assert(ctl->linked);
	ck_assert(strstr(host.log, "NoSuchKey"));
	/* sluiced hears it, and administrators see it until it is mended */
	hello = daemon_hear(&slu_hello_ctl_desc);
	ck_assert(hello && strstr(hello->conf_wrong, "NoSuchKey"));
	ck_assert_str_eq(hello->release, PACKAGE_VERSION);
	ck_assert_int_gt(hello->conf_read, 0);
	ck_assert(hello->conf_hash && hello->conf_hash == ctl->site->hash);
	slu_msg_free(&slu_hello_ctl_desc, hello);
	text = slu_ctl_status(ctl, NULL, false);
	ck_assert(strstr(text, "NoSuchKey") &&
		  strstr(text, "used\n" /* the old one; folded */));
	free(text);
	write_conf("");
	slu_ctl_reload(ctl);
	slu_ctl_step(ctl, 5);
	slu_ctl_step(ctl, 5.5);
	text = slu_ctl_status(ctl, NULL, false);
	ck_assert(!strstr(text, "NoSuchKey"));
	free(text);
	slu_ctl_release(ctl);
}
END_TEST

TEST_MAIN("ctl", test_hello, test_hello_of_another_version, test_start_and_end,
	  test_looks, test_end_that_is_found, test_reconnect, test_overflow,
	  test_where_is_answered, test_bad_lines,
	  test_daemon_that_does_not_read, test_pass, test_reload)
