/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libsluice's conversation with sluiced, with the loop turned by hand. */
#include "config.h"
#include "tests/unit/ctl_fake.h"

#define IONS "IONodes=io[1-2]\nMappingDir=/nowhere/map\nMappingTimeout=10"

static const struct slu_job plain = {
	.job_id = 7,
	.array_task_id = SLU_NO_ID,
	.uid = 1000,
	.name = "plain",
	.nodes = "n[1-2]",
	.node_cnt = 2,
	.start = 1000,
	.limit_asked = 10,
	.state = "RUNNING",
	.ion_max = SLU_NO_ID,
};

static struct slu_job with_buffer(uint32_t id)
{
	struct slu_job job = plain;

	job.job_id = id;
	job.request = "jobfs type=scratch capacity=1048576";
	return job;
}

static void end_job(uint32_t id, const char *state, const char *completing)
{
	struct slu_job *job = host_job(id);

	set_text(&job->state, state);
	set_text(&job->completing_nodes, completing);
	job->completing = completing != NULL;
	job->end = job->start + 60;
}

START_TEST(test_hello)
{
	char why[SLU_CTL_WHY];
	struct slu_ctl *ctl = ctl_by_hand("");
	struct slu_hello_daemon hello = {.version = SLU_WIRE_VERSION};
	struct slu_buffer_state alive = {.buffer = 3,
					 .job_id = 9,
					 .uid = 1000,
					 .name = "JOBFS",
					 .state = "STAGE_OUT",
					 .size = 1 << 20};
	struct slu_hello_ctl *heard;
	struct slu_job done = with_buffer(9);

	host_add(plain);
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
	ck_assert_int_eq(host.schedules, 1);
	ck_assert(slu_ctl_alive(ctl, 9));
	ck_assert(!slu_ctl_alive(ctl, 7));
	/* What ended while nobody listened gets into the history. */
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
	struct slu_ctl_submit submit = {.job = plain, .has_limit = true};
	struct slu_stored stored = {.job_id = 7, .start = 1000};
	struct slu_job *row;
	bool held;

	host_add(plain);
	set_text(&host_job(7)->state, "PENDING");
	link_up(ctl, 1);
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
	struct slu_ctl_submit submit = {.job = plain, .has_limit = true};
	struct slu_history_end end = {.rows = 0};
	bool held;

	host_add(plain);
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
	host_add(plain);
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

	/* Nobody listens: tries again, ever more slowly, and says so once. */
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
	host_add(plain);
	snapshots = host.snapshots;
	before = ctl->queue.cap;
	for (size_t i = 0; i <= before; i++)
		slu_ctl_cancelled(ctl, (uint32_t)(100 + i));
	daemon_say(&slu_drain_desc, &order);
	slu_ctl_step(ctl, 2);
	ck_assert_int_eq(host.snapshots, snapshots + 1);
	ck_assert(strstr(host.log, "too many events"));
	/* The command is answered all the same, and then the whole state is
	 * told anew, with the job nobody had announced. */
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
	ck_assert_ptr_nonnull(slu_live_get(ctl, 7));
	slu_ctl_release(ctl);
}
END_TEST

START_TEST(test_held_launch)
{
	struct slu_ctl *ctl = ctl_by_hand(IONS);
	struct slu_published published = {.ok = true};
	struct slu_assignment *assignment;
	bool held;

	/* Without a link nothing is held. */
	host_add(plain);
	say_started(ctl, 7, &held);
	ck_assert(!held);
	slu_ctl_step(ctl, 0);
	link_up(ctl, 1);
	while (daemon_heard(&slu_assignment_desc))
		;

	host.job[0].start = 2000; /* another run */
	say_started(ctl, 7, &held);
	ck_assert(held);
	slu_ctl_step(ctl, 2);
	ck_assert(!has_done("go 7;"));
	assignment = daemon_hear(&slu_assignment_desc);
	ck_assert_ptr_nonnull(assignment);
	/* Said as what is different: the run has what the other had. */
	ck_assert_uint_eq(ctl->assignment.n_jobs, 1);
	ck_assert_uint_eq(assignment->n_jobs, 0);
	ck_assert_uint_eq(assignment->base, assignment->epoch - 1);
	ck_assert_str_eq(assignment->event, "start 7");
	published.epoch = assignment->epoch - 1; /* an older one: too early */
	daemon_say(&slu_published_desc, &published);
	slu_ctl_step(ctl, 3);
	ck_assert(!has_done("go 7;"));
	published.epoch = assignment->epoch;
	daemon_say(&slu_published_desc, &published);
	slu_ctl_step(ctl, 3);
	ck_assert(has_done("go 7;"));
	slu_msg_free(&slu_assignment_desc, assignment);
	slu_ctl_release(ctl);
}
END_TEST

/* On the link, and one job runs that it has not heard of. */
static struct slu_ctl *ctl_and_a_job(void)
{
	struct slu_ctl *ctl = ctl_by_hand(IONS);

	while (host.n)
		slu_msg_clear(&slu_job_desc, &host.job[--host.n]);
	forget();
	link_up(ctl, 1);
	host_add(plain);
	return ctl;
}

static void check_let_go(void (*why)(struct slu_ctl *ctl))
{
	struct slu_ctl *ctl = ctl_and_a_job();
	bool held;

	say_started(ctl, 7, &held);
	ck_assert(held);
	slu_ctl_step(ctl, 2);
	ck_assert(!has_done("go 7;"));
	why(ctl);
	ck_assert_str_eq(strstr(host.did, "go 7;"), "go 7;"); /* once, last */
	slu_ctl_release(ctl);
	daemon_hang_up();
}

static void time_over(struct slu_ctl *ctl)
{
	slu_ctl_step(ctl, 11.9);
	ck_assert(!has_done("go 7;"));
	slu_ctl_step(ctl, 12.1);
}

/* The file is a bad one: the link stays, but while it was read nobody could
 * have let the job go. */
static void file_read(struct slu_ctl *ctl)
{
	write_conf("NoSuchKey=1");
	slu_ctl_reload(ctl);
	slu_ctl_step(ctl, 3);
	slu_ctl_step(ctl, 3.5);
	ck_assert(ctl->linked);
}

static void link_lost(struct slu_ctl *ctl)
{
	close(daemon_end.fd);
	slu_ctl_step(ctl, 3);
}

static void job_over(struct slu_ctl *ctl)
{
	end_job(7, "CANCELLED", NULL);
	say_ended(ctl, 7);
	forget();
	slu_ctl_events(ctl, 3);
}

/* A look found the job before its launch asked, and its mapping is there. */
START_TEST(test_held_launch_found_before)
{
	struct slu_ctl *ctl = ctl_and_a_job();
	struct slu_published published = {.ok = true};
	bool held;

	slu_ctl_look(ctl, 7);
	slu_ctl_step(ctl, 2);
	slu_ctl_step(ctl, 3);
	ck_assert_uint_eq(ctl->assignment.n_jobs, 1);
	published.epoch = ctl->epoch;
	daemon_say(&slu_published_desc, &published);
	slu_ctl_step(ctl, 4);
	say_started(ctl, 7, &held);
	ck_assert(held);
	slu_ctl_step(ctl, 5);
	ck_assert(has_done("go 7;"));
	slu_ctl_release(ctl);
	daemon_hang_up();
}
END_TEST

START_TEST(test_held_launch_is_let_go)
{
	check_let_go(file_read);
	check_let_go(time_over);
	check_let_go(link_lost);
	check_let_go(job_over);
}
END_TEST

START_TEST(test_ions_are_marked)
{
	struct slu_ctl *ctl = ctl_by_hand(IONS "\nArbiterPolicy=MCKP");

	slu_ctl_step(ctl, 1);
	ck_assert(has_done("mark io1 ion_free -;mark io2 ion_free -;"));
	forget();
	host_add(plain);
	slu_ctl_look(ctl, 7);
	slu_ctl_step(ctl, 2);
	slu_ctl_step(ctl, 3);
	ck_assert(has_done("ion_assigned sluice: 7;"));
	forget();
	end_job(7, "COMPLETED", NULL);
	say_ended(ctl, 7);
	slu_ctl_step(ctl, 4);
	ck_assert(has_done("ion_free -;"));
	slu_ctl_release(ctl);
}
END_TEST

/* One that fails is taken out within seconds, one that returns is used. */
START_TEST(test_ion_fails)
{
	struct slu_ctl *ctl = ctl_by_hand(IONS "\nArbiterPolicy=MCKP");
	struct slu_job two = plain;

	two.job_id = 8;
	host_add(plain);
	host_add(two);
	slu_ctl_step(ctl, 1);
	ck_assert(has_done("mark io1 ion_assigned sluice: 7;"
			   "mark io2 ion_assigned sluice: 8;"));
	forget();
	slu_ctl_step(ctl, 2);
	ck_assert(!has_done("mark"));
	host.down = "io1";
	slu_ctl_step(ctl, 3.1);
	ck_assert(has_done("mark io1 ion_free -;"));
	forget();
	host.down = NULL;
	slu_ctl_step(ctl, 5.2);
	ck_assert(has_done("io1 ion_assigned sluice: "));
	forget();
	slu_ctl_step(ctl, 7.3); /* nothing has changed */
	ck_assert(!has_done("mark"));
	slu_ctl_release(ctl);
}
END_TEST

/* What an administrator overwrites is back within seconds, without an event. */
START_TEST(test_marks_are_put_back)
{
	struct slu_ctl *ctl = ctl_by_hand(IONS "\nArbiterPolicy=MCKP");

	host.marks_lost = true; /* nothing has been shown yet */
	host_add(plain);
	slu_ctl_step(ctl, 1);
	ck_assert(has_done("mark io1 ion_assigned sluice: 7;"
			   "mark io2 ion_assigned sluice: 7;"));
	forget();
	slu_ctl_step(ctl, 3.1);
	ck_assert(has_done("mark io1 ion_assigned sluice: 7;"
			   "mark io2 ion_assigned sluice: 7;"));
	forget();
	host.marks_lost = false;
	slu_ctl_step(ctl, 5.2);
	ck_assert(!has_done("mark"));
	slu_ctl_release(ctl);
}
END_TEST

/* A restart of slurmctld moves no job. */
START_TEST(test_ions_after_restart)
{
	struct slu_job other = plain;
	struct slu_ctl *ctl;

	other.job_id = 8;
	host_add(plain);
	host_add(other);
	host.comment[2] = "sluice: 8,99";
	host.comment[3] = "sluice: 7";
	ctl = ctl_by_hand(IONS "\nArbiterPolicy=MCKP");
	slu_ctl_step(ctl, 1);
	ck_assert(has_done("mark io1 ion_assigned sluice: 8;"
			   "mark io2 ion_assigned sluice: 7;"));
	slu_ctl_release(ctl);
}
END_TEST

static void expect_nodes(const char *left, const char *lost)
{
	struct slu_job_nodes *msg = daemon_hear(&slu_job_nodes_desc);

	ck_assert_ptr_nonnull(msg);
	expect(slu_eq(msg->left, left), "left %s", msg->left);
	expect(slu_eq(msg->lost, lost), "lost %s", msg->lost);
	slu_msg_free(&slu_job_nodes_desc, msg);
}

START_TEST(test_nodes_that_leave)
{
	struct slu_ctl *ctl = ctl_by_hand("");
	struct slu_job job = with_buffer(7);

	job.nodes = "n[1-4]";
	host_add(job);
	link_up(ctl, 1);
	end_job(7, "COMPLETED", "n[1-4]");
	say_ended(ctl, 7);
	slu_ctl_step(ctl, 2);
	ck_assert(!daemon_heard(&slu_job_nodes_desc));
	set_text(&host_job(7)->completing_nodes, "n[2,4]");
	host.down = "n3";
	slu_ctl_step(ctl, 2.5);
	expect_nodes("n1", "n3");
	slu_ctl_step(ctl, 3);
	ck_assert(!daemon_heard(&slu_job_nodes_desc));

	/* A new daemon hears of all of them. */
	daemon_hang_up();
	slu_ctl_step(ctl, 4);
	link_up(ctl, 5);
	slu_ctl_step(ctl, 6);
	expect_nodes("n1", "n3");
	set_text(&host_job(7)->completing_nodes, NULL);
	slu_ctl_step(ctl, 7);
	expect_nodes("n[2,4]", NULL);
	ck_assert_uint_eq(ctl->ending, 0);
	slu_ctl_step(ctl, 30);
	ck_assert_ptr_null(slu_live_get(ctl, 7)); /* forgotten */
	slu_ctl_release(ctl);
}
END_TEST

/* A job that was requeued and runs again completes nowhere; nor does one whose
 * record is gone. */
START_TEST(test_nodes_of_a_run_that_is_over)
{
	struct slu_ctl *ctl = ctl_by_hand("");

	host_add(with_buffer(7));
	host_add(with_buffer(8));
	link_up(ctl, 1);
	end_job(7, "REQUEUED", "n[1-2]");
	say_ended(ctl, 7);
	end_job(8, "COMPLETED", "n[1-2]");
	say_ended(ctl, 8);
	slu_ctl_step(ctl, 2);
	host.job[0].start = 5000; /* runs again on the same nodes */
	set_text(&host.job[0].state, "RUNNING");
	host.n = 1;
	slu_ctl_step(ctl, 3);
	expect_nodes("n[1-2]", NULL);
	expect_nodes("n[1-2]", NULL);
	slu_ctl_release(ctl);
}
END_TEST

static void expect_done(uint64_t id, bool ok, const char *words)
{
	struct slu_done *done = daemon_hear(&slu_done_desc);

	ck_assert_ptr_nonnull(done);
	ck_assert_uint_eq(done->id, id);
	expect(done->ok == ok, "%s", done->text ? done->text : "-");
	expect(strstr(done->text ? done->text : "", words), "%s", done->text);
	slu_msg_free(&slu_done_desc, done);
}

START_TEST(test_commands)
{
	struct slu_ctl *ctl = ctl_by_hand("");
	struct slu_verdict verdict = {.job_id = 7, .reason = "no such source"};
	struct slu_node_order order = {.node = "n1", .reason = "not clean"};
	struct slu_annotate annotate = {.job_id = 7, .text = "staging in"};
	char why[SLU_CTL_WHY] = "";
	struct slu_buffer_state state = {.buffer = 1,
					 .job_id = 7,
					 .state = "STAGE_IN",
					 .text = "sluice: 3 GiB"};

	host_add(with_buffer(7));
	link_up(ctl, 1);
	daemon_say(&slu_hold_desc, &verdict);
	daemon_say(&slu_requeue_desc, &verdict);
	daemon_say(&slu_fail_desc, &verdict);
	daemon_say(&slu_cancel_job_desc, &verdict);
	daemon_say(&slu_complete_desc, &verdict);
	daemon_say(&slu_drain_desc, &order);
	daemon_say(&slu_resume_desc, &order);
	daemon_say(&slu_annotate_desc, &annotate);
	daemon_say(&slu_buffer_desc, &state);
	slu_ctl_step(ctl, 2);
	ck_assert_str_eq(host.did, "hold 7 no such source;"
				   "requeue 7 no such source;"
				   "fail 7 no such source;"
				   "cancel 7 no such source;"
				   "complete 7 no such source;"
				   "drain n1 not clean;"
				   "resume n1;annotate 7 staging in;"
				   "show 7 STAGE_IN: 3 GiB;");
	for (uint64_t id = daemon_end.id - 8; id < daemon_end.id; id++)
		expect_done(id, true, "");
	ck_assert(slu_ctl_alive(ctl, 7));
	forget();
	state.state = "DONE";
	state.text = "";
	daemon_say(&slu_buffer_desc, &state);
	verdict.job_id = 70; /* does not exist: answered, not asked again */
	daemon_say(&slu_hold_desc, &verdict);
	slu_ctl_step(ctl, 3);
	expect_done(daemon_end.id, false, "does not exist");
	ck_assert_str_eq(host.did, "show 7 DONE;");
	ck_assert(!slu_ctl_alive(ctl, 7));
	forget();
	ck_assert(slu_waits_due(&ctl->mirror, 8));
	annotate = (struct slu_annotate){8, "no room", true};
	daemon_say(&slu_annotate_desc, &annotate);
	slu_ctl_step(ctl, 3.1);
	slu_waits_why(&ctl->mirror, 8, why);
	ck_assert_str_eq(why, "no room");
	expect_done(daemon_end.id, true, "");
	ck_assert_str_eq(host.did, "");
	host.ends = true; /* not answered: asked again of the next one */
	verdict.job_id = 7;
	daemon_say(&slu_hold_desc, &verdict);
	slu_ctl_step(ctl, 4);
	ck_assert(!daemon_heard(&slu_done_desc));
	host.ends = false;
	slu_ctl_release(ctl);
}
END_TEST

/* A job that names no nodes gets the fewest that hold its tasks, and is
 * predicted from jobs that had as many. */
START_TEST(test_nodes_from_tasks)
{
	static const struct {
		uint32_t nodes, tasks, per_node, cpus, node_cpus, want;
	} cases[] = {
		{0, 0, 0, 0, 0, 1},
		{0, 8, 0, 0, 0, 1},
		{0, 8, 4, 0, 0, 2},
		{0, 9, 4, 0, 0, 3},
		{0, 64, 0, 0, 32, 2},
		{0, 64, 0, 2, 32, 4},
		{0, 65, 0, 0, 32, 3},
		{0, 3, 0, 0, 32, 1},
		{5, 64, 0, 0, 32, 5},
		{0, 64, 16, 8, 32, 4},
		{0, UINT32_MAX, 0, 65535, 1, UINT32_MAX},
	};
	struct slu_ctl *ctl = ctl_by_hand("");

	each(c, cases)
	{
		struct slu_ctl_submit submit = {
			.job = {.node_cnt = c->nodes, .tasks = c->tasks},
			.tasks_per_node = c->per_node,
			.cpus_per_task = c->cpus,
			.cpus_per_node = c->node_cpus,
		};

		slu_ctl_submit(ctl, &submit);
		expect(submit.job.node_cnt == c->want, "case %zu: %u",
		       (size_t)(c - cases), submit.job.node_cnt);
	}
	slu_ctl_release(ctl);
}
END_TEST

START_TEST(test_give_back)
{
	struct slu_ctl *ctl = ctl_by_hand("MaxGiveBack=1000");
	struct slu_extend extend = {.job_id = 7};
	struct slu_job job = with_buffer(7);

	job.start = time(NULL) - 100;
	host_add(job);
	link_up(ctl, 1);
	daemon_say(&slu_extend_desc, &extend);
	slu_ctl_step(ctl, 2);
	ck_assert(has_done("set_end 7 ahead;"));
	expect(host.give_back > 150 && host.give_back < 250, "%ld",
	       (long)host.give_back);
	forget();
	slu_ctl_step(ctl, 10);
	ck_assert(!has_done("set_end"));
	slu_ctl_step(ctl, 40); /* kept ahead without being asked again */
	ck_assert(has_done("set_end 7 ahead;"));
	forget();
	extend.final = true;
	extend.give_back = 123;
	daemon_say(&slu_extend_desc, &extend);
	slu_ctl_step(ctl, 41);
	ck_assert(has_done("set_end 7 final;"));
	ck_assert(!has_done("ahead"));
	ck_assert_int_eq(host.give_back, 123);
	ck_assert_int_eq(host.max_give_back, 1000);
	ck_assert_int_eq(host.since, job.start);
	forget();
	slu_ctl_step(ctl, 50);
	ck_assert(!has_done("set_end"));
	/* again and again: Slurm forgets it when the job is resumed */
	slu_ctl_step(ctl, 100);
	ck_assert(has_done("set_end 7 final;"));
	ck_assert(!has_done("ahead"));
	ck_assert_int_eq(host.give_back, 123);
	/* said of the run before: it was waiting for us to connect */
	forget();
	while (daemon_heard(&slu_done_desc))
		;
	extend.restarts = 1;
	daemon_say(&slu_extend_desc, &extend);
	slu_ctl_step(ctl, 100.5);
	ck_assert(!has_done("set_end"));
	expect_done(daemon_end.id, false, "the run is over");
	extend.restarts = 0;
	extend.give_back = 5000;
	daemon_say(&slu_extend_desc, &extend);
	slu_ctl_step(ctl, 101);
	/* what of it is too much the host says: it knows what Slurm has given
	 * back already */
	ck_assert_int_eq(host.give_back, 5000);
	ck_assert_int_eq(host.max_give_back, 1000);
	slu_ctl_release(ctl);
}
END_TEST

/* slurmctld was restarted while a job's prologs ran. */
START_TEST(test_lost_launch)
{
	struct slu_ctl *ctl = ctl_by_hand("");

	host_add(plain);
	set_text(&host_job(7)->state, "PROLOG");
	slu_ctl_launch_lost(ctl, 7);
	slu_ctl_launch_lost(ctl, 8); /* gone meanwhile */
	slu_ctl_step(ctl, 1);
	ck_assert_str_eq(host.did, "");
	set_text(&host_job(7)->state, "RUNNING");
	expect(slu_ctl_step(ctl, 2) > 2, "busy loop");
	ck_assert_str_eq(host.did, "launch 7 -;");
	slu_ctl_step(ctl, 3);
	ck_assert_str_eq(host.did, "launch 7 -;"); /* once */
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
	host_add(plain);
	link_up(ctl, 1);
	for (uint32_t i = 0; i < 3000 && ctl->linked; i++) {
		slu_job_copy(&copy, &plain);
		copy.job_id = 100 + i;
		set_text(&copy.name, name);
		slu_ctl_started(ctl, &copy);
		slu_ctl_step(ctl, 2);
	}
	ck_assert(!ctl->linked);
	ck_assert(strstr(host.log, "too much to send"));
	free(name);
	slu_ctl_release(ctl);
}
END_TEST

START_TEST(test_history_replay)
{
	struct slu_ctl *ctl = ctl_by_hand("PredictMode=advise");
	struct slu_history_row row = {.job = plain};
	struct slu_history_end end = {.rows = 1};
	struct slu_ctl_submit submit = {.job = plain};

	link_up(ctl, 1);
	row.job.end = row.job.start + 300;
	row.job.state = "COMPLETED";
	daemon_say(&slu_history_row_desc, &row);
	row.job.end = row.job.start + 3;
	row.job.state = "CANCELLED"; /* teaches nothing */
	daemon_say(&slu_history_row_desc, &row);
	row.job.state = "COMPLETED";
	daemon_say(&slu_history_end_desc, &end);
	slu_ctl_step(ctl, 2);
	slu_ctl_submit(ctl, &submit);
	ck_assert_int_eq(submit.note.predicted, 300);
	ck_assert_str_eq(submit.note.from, "class");
	ck_assert(strstr(host.log, "learned from 2 "));
	/* Told again after a reconnect it teaches nothing. */
	daemon_hang_up();
	slu_ctl_step(ctl, 3);
	link_up(ctl, 4);
	row.job.end = row.job.start + 900;
	daemon_say(&slu_history_row_desc, &row);
	slu_ctl_step(ctl, 5);
	slu_ctl_submit(ctl, &submit);
	ck_assert_int_eq(submit.note.predicted, 300);
	slu_ctl_release(ctl);
}
END_TEST

/* Would it be refused to salloc, which waits 450 s? */
static bool salloc_refused(struct slu_ctl *ctl, struct slu_err *err)
{
	struct slu_ctl_ask ask = {.option = "type=scratch capacity=1MiB",
				  .uid = 1000,
				  .min_nodes = 2,
				  .max_nodes = 2,
				  .patience = 450,
				  .prolog_flags = true};
	char *text = NULL;
	bool refused = slu_ctl_validate(ctl, &ask, &text, err) < 0;

	free(text);
	return refused;
}

/* What runs took to be ready is told by sluiced once, and seen of those that
 * end: also of one that was given up before its first task. */
START_TEST(test_ready)
{
	struct slu_ctl *ctl = ctl_by_hand("");
	struct slu_history_row row = {.job = with_buffer(3)};
	struct slu_history_end end = {.rows = 2};
	struct slu_err err;

	link_up(ctl, 1);
	row.job.end = row.job.start + 900;
	row.job.state = "COMPLETED";
	row.job.prepared = 460;
	daemon_say(&slu_history_row_desc, &row);
	daemon_say(&slu_history_row_desc, &row);
	daemon_say(&slu_history_end_desc, &end);
	slu_ctl_step(ctl, 2);
	daemon_hang_up();
	slu_ctl_step(ctl, 3);
	link_up(ctl, 4);
	daemon_say(&slu_history_row_desc, &row);
	slu_ctl_step(ctl, 5);
	ck_assert(!salloc_refused(ctl, &err)); /* two runs only */

	host_add(with_buffer(8));
	host_job(8)->unlaunched = true;
	end_job(8, "COMPLETED", NULL);
	host_job(8)->end = host_job(8)->start + 451;
	say_ended(ctl, 8);
	say_ended(ctl, 8);
	slu_ctl_step(ctl, 6);
	ck_assert(salloc_refused(ctl, &err));
	expect(strstr(err.text, "took 460 s (median of 3 runs)"), "%s",
	       err.text);
	slu_ctl_release(ctl);
}
END_TEST

/* What the last job of the assignment holds, and why. */
static void expect_share(struct slu_ctl *ctl, const char *event,
			 const char *ions, const char *why)
{
	const struct slu_assignment *a = &ctl->assignment;

	ck_assert_str_eq(a->event, event);
	ck_assert_uint_gt(a->n_jobs, 0);
	ck_assert_str_eq(a->jobs[a->n_jobs - 1].ions, ions);
	expect(strstr(a->jobs[a->n_jobs - 1].why, why), "%s",
	       a->jobs[a->n_jobs - 1].why);
}

/* The history reaches the arbiter once, and is acted upon; what comes later is
 * news. A new configuration changes neither that nor who holds what. */
START_TEST(test_arbiter_learns)
{
	struct slu_ctl *ctl = ctl_by_hand(IONS "\nArbiterPolicy=MCKP");
	struct slu_history_row row = {.job = plain, .io_bandwidth = 100};
	struct slu_history_row more = {.job = plain, .io_bandwidth = 60};
	struct slu_history_end end = {.rows = 2};
	struct slu_job other = plain;

	row.job.ions = 1;
	more.job.ions = 2;
	host_add(plain);
	other.job_id = 8;
	other.nodes = "n1";
	other.node_cnt = 1;
	link_up(ctl, 1);
	daemon_say(&slu_history_row_desc, &row);
	daemon_say(&slu_history_row_desc, &more);
	daemon_say(&slu_history_end_desc, &end);
	slu_ctl_step(ctl, 2);
	slu_ctl_step(ctl, 2);
	expect_share(ctl, "history read", "io1", "1 gave 100.0 MB/s (1 run)");
	daemon_say(&slu_history_row_desc, &row);
	slu_ctl_step(ctl, 3);
	host_add(other);
	slu_ctl_look(ctl, 8);
	slu_ctl_step(ctl, 4);
	slu_ctl_step(ctl, 5);
	expect_share(ctl, "start 8", "io2", "no history");
	end_job(7, "COMPLETED", NULL);
	say_ended(ctl, 7);
	slu_ctl_step(ctl, 6);

	write_conf(IONS "\nArbiterPolicy=MCKP\nMaxGiveBack=7");
	slu_ctl_reload(ctl);
	slu_ctl_step(ctl, 7);
	slu_ctl_step(ctl, 7.5);
	link_up(ctl, 8);
	expect_share(ctl, "all jobs read", "io2", "no history");
	daemon_say(&slu_history_row_desc, &row);
	daemon_say(&slu_history_end_desc, &end);
	slu_ctl_step(ctl, 9);
	other = plain;
	other.job_id = 9;
	host_add(other);
	slu_ctl_look(ctl, 9);
	slu_ctl_step(ctl, 10);
	slu_ctl_step(ctl, 11);
	expect_share(ctl, "start 9", "io1", "1 gave 100.0 MB/s (2 runs)");
	slu_ctl_release(ctl);
}
END_TEST

/* A job that names no patterns gets those of its application's volumes, told
 * at the start of the job, or after it by the history. */
START_TEST(test_arbiter_foretells)
{
	static const char table[] = "pattern,op,layout,1,2\n"
				    "x,write,file-per-process,60,90\n"
				    "w,write,shared,50,90\n";
	char conf[256], path[] = "/tmp/test_ctl.XXXXXX";
	struct slu_history_row row = {.job = plain,
				      .written_bytes = 4096,
				      .calls = 4,
				      .called_bytes = 4096,
				      .shared_bytes = 4096,
				      .consecutive = 1};
	struct slu_history_end end = {.rows = 1};
	struct slu_job other = plain;
	struct slu_ctl *ctl;
	int fd = mkstemp(path);

	ck_assert_int_eq(write(fd, table, sizeof(table) - 1),
			 sizeof(table) - 1);
	close(fd);
	snprintf(conf, sizeof(conf), IONS "\nPerformanceTable=%s", path);
	ctl = ctl_by_hand(conf);
	row.job.node_cnt = 17; /* whatever their number */
	host_add(plain);
	link_up(ctl, 1);
	daemon_say(&slu_history_row_desc, &row);
	daemon_say(&slu_history_end_desc, &end);
	slu_ctl_step(ctl, 2);
	slu_ctl_step(ctl, 2);
	expect_share(ctl, "history read", "io[1-2]",
		     "PerformanceTable: w:4096, foretold by 1 run"
		     " (1KiB requests, strided, shared files)");
	other.job_id = 8;
	other.nodes = "n1";
	host_add(other);
	slu_ctl_look(ctl, 8);
	slu_ctl_step(ctl, 4);
	slu_ctl_step(ctl, 5);
	expect_share(ctl, "start 8", "io2", "w:4096, foretold by 1 run");
	unlink(path);
	slu_ctl_release(ctl);
}
END_TEST

START_TEST(test_reload)
{
	struct slu_ctl *ctl = ctl_by_hand("MaxGiveBack=1000");

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
	link_up(ctl, 3); /* connects at once, and anew */
	write_conf("NoSuchKey=1");
	slu_ctl_reload(ctl);
	slu_ctl_step(ctl, 4);
	slu_ctl_step(ctl, 4.5);
	ck_assert_int_eq(ctl->site->conf->max_give_back, 2000);
	ck_assert(ctl->linked);
	ck_assert(strstr(host.log, "NoSuchKey"));
	slu_ctl_release(ctl);
}
END_TEST

TEST_MAIN("ctl", test_hello, test_hello_of_another_version, test_start_and_end,
	  test_looks, test_end_that_is_found, test_reconnect, test_overflow,
	  test_held_launch, test_held_launch_is_let_go,
	  test_held_launch_found_before, test_ions_are_marked, test_ion_fails,
	  test_marks_are_put_back, test_arbiter_foretells,
	  test_ions_after_restart, test_nodes_that_leave,
	  test_nodes_of_a_run_that_is_over, test_commands,
	  test_nodes_from_tasks, test_give_back, test_lost_launch,
	  test_bad_lines, test_daemon_that_does_not_read, test_history_replay,
	  test_ready, test_arbiter_learns, test_reload)
