/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests what libsluice and sluiced report to each other about jobs and their
 * nodes, and the commands of sluiced that libsluice executes in slurmctld. */
#include "config.h"
#include "tests/unit/ctl/ctl_fake.h"

#include "ctl/map.h"
#include "ctl/pools/pools.h"

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
	ck_assert_ptr_null(slu_followed_get(ctl, 7)); /* forgotten */
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

static void expect_row(const char *state)
{
	struct slu_job *row = daemon_hear(&slu_history_desc);

	expect(row ? slu_eq(row->state, state) : !state, "%s, not %s",
	       row ? row->state : "none", state ? state : "none");
	slu_msg_free(&slu_history_desc, row);
}

/* What has completed and is turned into a failure is recorded as one. */
START_TEST(test_turned)
{
	struct slu_ctl *ctl = ctl_by_hand("");
	struct slu_verdict verdict = {.job_id = 7, .reason = "not all copied"};

	host_add(with_buffer(7));
	link_up(ctl, 1);
	daemon_say(&slu_fail_desc, &verdict); /* it runs: its end says it */
	slu_ctl_step(ctl, 2);
	expect_row(NULL);
	end_job(7, "COMPLETED", "n[1-2]");
	say_ended(ctl, 7);
	slu_ctl_step(ctl, 3);
	expect_row("COMPLETED");
	daemon_say(&slu_requeue_desc, &verdict);
	slu_ctl_step(ctl, 4);
	expect_row(NULL);
	set_text(&host.job[0].state, "FAILED");
	daemon_say(&slu_fail_desc, &verdict);
	slu_ctl_step(ctl, 5);
	expect_row("FAILED");
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

/* It is handed on, and never answered; none that wait are a message, too. */
START_TEST(test_starts)
{
	struct slu_ctl *ctl = ctl_by_hand("");
	struct slu_start_told told[] = {{7, "50 % by noon"}, {9, "soon"}};
	struct slu_starts starts = {told, 2};

	link_up(ctl, 1);
	daemon_say(&slu_starts_desc, &starts);
	starts.n_jobs = 0;
	daemon_say(&slu_starts_desc, &starts);
	slu_ctl_step(ctl, 2);
	ck_assert_str_eq(host.did, "start 7 50 % by noon;start 9 soon;2 starts;"
				   "0 starts;");
	slu_ctl_release(ctl);
}
END_TEST

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
	ck_assert(slu_persistent_wait_due(&ctl->mirror, 8, 10));
	annotate = (struct slu_annotate){8, "no room", true};
	daemon_say(&slu_annotate_desc, &annotate);
	slu_ctl_step(ctl, 3.1);
	slu_persistent_wait_why(&ctl->mirror, 8, why);
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

/* A verdict that comes late, when the job runs again, takes nothing from the
 * new run. */
START_TEST(test_late_hold)
{
	struct slu_ctl *ctl = ctl_by_hand("");
	struct slu_verdict verdict = {.job_id = 7, .reason = "no such source"};
	const struct slu_pool_need need = {.pool = "p", .size = 1};

	host_add(with_buffer(7))->restarts = 1;
	link_up(ctl, 1);
	slu_pools_claim(&ctl->mirror, 7, &need, 0);
	daemon_say(&slu_hold_desc, &verdict);
	slu_ctl_step(ctl, 2);
	expect_done(daemon_end.id, true, "");
	ck_assert(!has_done("hold 7"));
	ck_assert(slu_ctl_claimed(ctl, 7));
	verdict.restarts = 1;
	daemon_say(&slu_hold_desc, &verdict);
	slu_ctl_step(ctl, 3);
	ck_assert(has_done("hold 7"));
	ck_assert(!slu_ctl_claimed(ctl, 7));
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

/* Many jobs cost a few looks every 15 s, not one each. */
START_TEST(test_many_ends)
{
	struct slu_ctl *ctl = ctl_by_hand("");
	struct slu_followed *live;

	link_up(ctl, 1);
	for (uint32_t id = 1; id <= 1000; id++) {
		const struct slu_job job = with_buffer(id);

		live = slu_followed_start(ctl, &job);
		ck_assert_ptr_nonnull(live);
		live->gave_back = id % 10 ? 60 : 0;
		live->setting_up = id == 10;
		live->ended = id == 11;
	}
	ctl->next_keep = 2;
	slu_followed_tick(ctl, 2);
	ck_assert_uint_eq(host.ends_set, 1000 - 100 + 1 - 1);
	ck_assert_uint_eq(host.end_calls, 4);
	slu_followed_tick(ctl, 16.9);
	ck_assert_uint_eq(host.end_calls, 4);
	slu_followed_tick(ctl, 17);
	ck_assert_uint_eq(host.end_calls, 8);
	/* one that is resumed may be ended before the next 15 s are over */
	host.suspended = true;
	slu_followed_tick(ctl, 32);
	ck_assert_uint_eq(host.end_calls, 12);
	slu_followed_tick(ctl, 33);
	ck_assert_uint_eq(host.end_calls, 16);
	host.suspended = false;
	slu_followed_tick(ctl, 34);
	ck_assert_uint_eq(host.end_calls, 20);
	slu_followed_tick(ctl, 35);
	ck_assert_uint_eq(host.end_calls, 20);
	slu_ctl_release(ctl);
}
END_TEST

/* slurmctld was restarted while a job's prologs ran. */
START_TEST(test_lost_launch)
{
	struct slu_ctl *ctl = ctl_by_hand("");

	host_add(plain_job);
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

/* Would it be refused to salloc, which waits 450 s? */
static bool salloc_refused(struct slu_ctl *ctl, struct slu_err *err)
{
	struct slu_ctl_ask ask = {.option = "type=scratch capacity=1MiB",
				  .uid = 1000,
				  .min_nodes = 2,
				  .max_nodes = 2,
				  .client_timeout = 450,
				  .prolog_flags = true};
	char *text = NULL;
	bool refused = slu_ctl_validate(ctl, &ask, &text, err) < 0;

	free(text);
	return refused;
}

/* How long runs took to be ready is sent by sluiced once, and seen of those
 * that end: also of one that was given up before its first task. */
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
	daemon_tell(&row);
	daemon_tell(&row);
	daemon_say(&slu_history_end_desc, &end);
	slu_ctl_step(ctl, 2);
	daemon_hang_up();
	slu_ctl_step(ctl, 3);
	link_up(ctl, 4);
	daemon_tell(&row);
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

/* What a job shows of its buffer is not of yesterday when the link returns. */
START_TEST(test_done_without_a_link)
{
	struct slu_ctl *ctl = ctl_by_hand("");
	struct slu_buffer_state state = {
		.buffer = 1, .job_id = 7, .state = "STAGE_OUT"};
	struct slu_hello_daemon hello = {
		.version = SLU_WIRE_VERSION, .buffers = &state, .n_buffers = 1};

	link_up(ctl, 1);
	daemon_say(&slu_buffer_desc, &state);
	state.buffer = 2;
	state.job_id = 8;
	daemon_say(&slu_buffer_desc, &state);
	slu_ctl_step(ctl, 2);
	daemon_hang_up();
	slu_ctl_step(ctl, 3);
	forget();
	slu_ctl_step(ctl, 5);
	ck_assert(daemon_accept());
	daemon_say(&slu_hello_daemon_desc, &hello);
	slu_ctl_step(ctl, 5);
	ck_assert(ctl->linked && slu_ctl_alive(ctl, 8));
	ck_assert_str_eq(host.did, "show 7 DONE;");
	slu_ctl_release(ctl);
}
END_TEST

/* Slurm sends no message when a job is suspended, so libsluice checks. */
START_TEST(test_suspended)
{
	static const struct {
		int64_t suspended, since;
		double at;
		bool told;
	} cases[] = {
		{0, 0, 62, false},	{0, 1500, 70, false},
		{0, 1500, 122, true},	{0, 1500, 182, false},
		{90, 0, 242, true},	{90, 2000, 302, true},
		{150, 2100, 362, true},
	};
	struct slu_ctl *ctl = ctl_by_hand("");
	struct slu_job *told;

	host_add(plain_job);
	link_up(ctl, 1);
	slu_ctl_step(ctl, 2);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		host_job(7)->suspended = cases[i].suspended;
		host_job(7)->suspended_since = cases[i].since;
		slu_ctl_step(ctl, cases[i].at);
		told = daemon_hear(&slu_job_started_desc);
		expect(!told == !cases[i].told, "%zu", i);
		if (!told)
			continue;
		expect(told->suspended == cases[i].suspended, "%zu", i);
		expect(told->suspended_since == cases[i].since, "%zu", i);
		slu_msg_free(&slu_job_started_desc, told);
	}
	end_job(7, "COMPLETED", NULL);
	host_job(7)->suspended = 200;
	slu_ctl_step(ctl, 430);
	ck_assert(!daemon_heard(&slu_job_started_desc));
	slu_ctl_release(ctl);
}
END_TEST

static void copy_eight(void *arg, struct slu_job *job)
{
	(void)arg;
	*job = with_buffer(8);
	ck_assert_int_eq(slu_job_copy(job, job), 0);
}

/* Does sluiced get that job 8, which has an input, waits? */
static bool tells_wait(struct slu_ctl *ctl, const char *conf)
{
	static double now = 1;

	slu_ctl_predict_want(ctl, 8, conf, copy_eight, NULL);
	slu_ctl_step(ctl, ++now);
	return daemon_heard(&slu_job_waits_desc);
}

/* Thousands of jobs may wait with an input: each is reported at intervals, not
 * as often as one that waits for sluiced's answer. */
START_TEST(test_predict_want)
{
	const char *in = "jobfs type=scratch capacity=1GiB; stage_in "
			 "source=/a/ destination=$BB_JOBFS/in",
		   *none = "jobfs type=scratch capacity=1GiB";
	struct slu_ctl *ctl =
		ctl_by_hand("StageCache=1GiB\nPrestageTo=predicted");
	struct slu_wait_notice *notice;

	link_up(ctl, 1);
	ck_assert(!tells_wait(ctl, none));
	ck_assert(tells_wait(ctl, in));
	notice = slu_map_get(&ctl->mirror.notice, 8);
	ck_assert_ptr_nonnull(notice);
	notice->at -= 30;
	ck_assert(!tells_wait(ctl, in));
	notice->at -= 31;
	ck_assert(tells_wait(ctl, in));
	slu_ctl_release(ctl);
	ctl = ctl_by_hand("");
	link_up(ctl, 1);
	ck_assert(!tells_wait(ctl, in));
	slu_ctl_release(ctl);
}
END_TEST

TEST_MAIN("ctl jobs", test_nodes_that_leave, test_nodes_of_a_run_that_is_over,
	  test_starts, test_commands, test_late_hold, test_nodes_from_tasks,
	  test_give_back, test_many_ends, test_lost_launch, test_ready,
	  test_done_without_a_link, test_suspended, test_turned,
	  test_predict_want)
