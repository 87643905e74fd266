/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the life of a buffer in a whole sluiced: slurmctld on its socket, the
 * nodes over HTTP. */
#include <pwd.h>
#include <sys/mman.h>
#include "select_io/tbfd/publisher.h"
#include "tests/unit/sluiced/sluiced.h"

#define NOBODY_KNOWS 4711u

static int *asked; /* for that user, by sluiced; shared with it */

/* In place of libc's: a name service that is slow to know nothing. */
struct passwd *getpwuid(uid_t uid)
{
	static struct passwd pw;
	static char text[4096];
	struct passwd *found = NULL;

	if (uid == NOBODY_KNOWS) {
		++*asked;
		usleep(600000);
	} else {
		getpwuid_r(uid, &pw, text, sizeof(text), &found);
	}
	return found;
}

/* The word of the answer to a report of a node. */
static const char *report(uint32_t job_id, uint64_t buffer, const char *node,
			  const char *step)
{
	static char word[32];
	struct slu_report msg = {.job_id = job_id,
				 .buffer = buffer,
				 .node = (char *)(uintptr_t)node,
				 .step = (char *)(uintptr_t)step,
				 .read_bytes = 1e6,
				 .written_bytes = 2e6,
				 .ok = true};
	char *text = slu_encode_text(&slu_report_desc, &msg);
	struct slu_buf reply = {0};
	struct slu_answer answer;

	expect(post("/v1/report", text, &reply) == 0, "%s %s: %s", node, step,
	       err.text);
	expect_ok(slu_decode_text(&slu_answer_desc, reply.data, reply.len,
				  &answer, &err),
		  err);
	snprintf(word, sizeof(word), "%s", answer.word);
	slu_msg_clear(&slu_answer_desc, &answer);
	slu_buf_free(&reply);
	free(text);
	return word;
}

static struct slu_plan fetch_plan(uint32_t job_id, const char *node)
{
	struct slu_buf reply = {0};
	struct slu_plan plan;
	char ask[128];

	snprintf(ask, sizeof(ask), "{\"job_id\":%u,\"node\":\"%s\"}", job_id,
		 node);
	expect(post("/v1/plan", ask, &reply) == 0, "%s: %s", node, err.text);
	expect_ok(slu_decode_text(&slu_plan_desc, reply.data, reply.len, &plan,
				  &err),
		  err);
	ck_assert_ptr_null(strstr(reply.data, "secret"));
	ck_assert_ptr_nonnull(slu_http_secret(http));
	plan.secret = strdup(slu_http_secret(http));
	slu_buf_free(&reply);
	return plan;
}

/* Meet at a barrier, n2 in a process of its own and a little later. */
static void barrier(uint64_t buffer, const char *name)
{
	char text[2][256];
	struct slu_buf reply = {0};
	pid_t other;

	for (int i = 0; i < 2; i++)
		snprintf(text[i], sizeof(text[i]),
			 "{\"job_id\":7,\"buffer\":%llu,\"node\":\"n%d\","
			 "\"name\":\"%s\",\"attr\":\"port%d\"}",
			 (unsigned long long)buffer, i + 1, name, i + 1);
	other = fork();
	if (!other) {
		char addr[32];
		char *addrs[] = {addr, NULL};

		snprintf(addr, sizeof(addr), "127.0.0.1:%u", sluiced_port);
		http = slu_http_new(addrs, getuid(), NULL);
		usleep(300000);
		_exit(post("/v1/barrier", text[1], NULL));
	}
	expect(post("/v1/barrier", text[0], &reply) == 0, "%s: %s", name,
	       err.text);
	ck_assert_ptr_nonnull(strstr(reply.data, "\"go\""));
	ck_assert_ptr_nonnull(strstr(reply.data, "port2"));
	slu_buf_free(&reply);
	ck_assert_int_eq(sluiced_status(other), 0);
}

static void expect_state(const char *want)
{
	for (;;) {
		struct slu_buffer_state *state = ctl_expect(&slu_buffer_desc);
		bool found = !strcmp(state->state, want);

		slu_msg_free(&slu_buffer_desc, state);
		if (found)
			return;
	}
}

static void change_db(const char *sql)
{
	struct slu_db *db = slu_db_open(tmpfile_path("db"), SLU_DB_WRITE, &err);

	expect(db, "%s", err.text);
	expect_ok(slu_db_script(db, sql, &err), err);
	slu_db_close(db);
}

/* The plan of a job whose nodes' reports cannot be stored from now on; text:
 * one of them. */
static struct slu_plan fetch_refused(struct slu_job *job, char text[160])
{
	struct slu_plan plan;

	ctl_meet();
	ctl_send(&slu_job_started_desc, job);
	plan = fetch_plan(7, "n1");
	change_db("CREATE TRIGGER no BEFORE INSERT ON BufferPhase BEGIN"
		  " SELECT RAISE(ROLLBACK, 'no'); END");
	snprintf(text, 160,
		 "{\"job_id\":7,\"buffer\":%llu,\"node\":\"n1\","
		 "\"step\":\"ready\",\"ok\":true}",
		 (unsigned long long)plan.buffer);
	return plan;
}

/* A report that cannot be stored counts as not received, and the cached state
 * is dropped: nodes are told to retry, and slurmctld gets everything again. */
START_TEST(test_lost_turn)
{
	struct slu_job j = job_of_ann(7, true);
	struct slu_plan plan;
	char text[160];

	if (!have_root() || !sluiced_begin())
		return;
	plan = fetch_refused(&j, text);
	ck_assert_int_eq(post("/v1/report", text, NULL), SLU_TIMEOUT);
	expect(strstr(err.text, "try again"), "%s", err.text);
	change_db("DROP TRIGGER no");
	ctl_close();
	ctl_connect();
	ctl_hello(&j, 1);
	slu_msg_clear(&slu_plan_desc, &plan);
	plan = fetch_plan(7, "n2");
	ck_assert_str_eq(report(7, plan.buffer, "n2", "ready"), "go");
	ck_assert_str_eq(report(7, plan.buffer, "n1", "ready"), "go");
	expect_state("RUNNING");
	slu_msg_clear(&slu_plan_desc, &plan);
	ctl_close();
	sluiced_end();
}
END_TEST

/* One try each. */
static unsigned failures_of_reports(const char *text, unsigned n)
{
	static const char key[] = "\nsluice_database_failures_total ";
	const char *metrics;
	struct slu_buf reply = {0};

	for (unsigned i = 0; i < n; i++)
		ck_assert_int_lt(slu_http_post(http, "/v1/report", text,
					       strlen(text), 0, &reply, &err),
				 0);
	metrics = strstr(raw("GET /metrics HTTP/1.1\r\nHost: x\r\n"
			     "Connection: close\r\n\r\n"),
			 key);
	ck_assert_ptr_nonnull(metrics);
	return (unsigned)atoi(metrics + strlen(key));
}

/* While nothing can be written, as on a full disk, a machine full of nodes that
 * try again does not make sluiced load all buffers for each of them. */
START_TEST(test_full_disk_loads_buffers_once)
{
	struct slu_job j = job_of_ann(7, true);
	struct slu_plan plan;
	unsigned failed;
	char text[160];

	if (!have_root() || !sluiced_begin())
		return;
	plan = fetch_refused(&j, text);
	failed = failures_of_reports(text, 30);
	ck_assert_uint_gt(failed, 0);
	ck_assert_uint_lt(failed, 30);
	change_db("DROP TRIGGER no");
	slu_msg_clear(&slu_plan_desc, &plan);
	ctl_close();
	sluiced_end();
}
END_TEST

/* It is not waited for once for each of slurmctld's jobs. */
START_TEST(test_slow_names)
{
	struct slu_job jobs[8];

	asked = mmap(NULL, sizeof(*asked), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert(asked != MAP_FAILED);
	if (!sluiced_begin())
		return;
	for (unsigned i = 0; i < 8; i++) {
		jobs[i] = job_of_ann(100 + i, true);
		jobs[i].uid = NOBODY_KNOWS;
		jobs[i].user = NULL;
	}
	ctl_connect();
	ctl_hello(jobs, 8);
	ctl_expect_any(&slu_history_end_desc);
	ck_assert_int_gt(*asked, 0);
	ck_assert_int_lt(*asked, 8);
	munmap(asked, sizeof(*asked));
	ctl_close();
	sluiced_end();
}
END_TEST

/* An error of the database, not of what is stored. */
#define NO(what)                                  \
	"CREATE TRIGGER no BEFORE " what " BEGIN" \
	" SELECT abs(1 << 63); END"

static void say_in_vain(const char *trigger, const struct slu_desc *desc,
			const void *msg)
{
	change_db(trigger);
	ctl_send(desc, msg);
	while (getc(ctl_in) != EOF)
		;
	ck_assert(feof(ctl_in)); /* not that we lost patience */
	change_db("DROP TRIGGER no");
	ctl_close();
	ctl_connect();
}

/* slurmctld sends each message once. If it could not be stored, slurmctld must
 * send its whole state again. */
START_TEST(test_lost_message)
{
	struct slu_job_nodes left = {7, (char *)"n[1-2]", NULL};
	struct slu_job j = job_of_ann(7, true);
	struct slu_plan plan;

	if (!have_root() || !sluiced_begin())
		return;
	ctl_meet();
	say_in_vain(NO("INSERT ON Buffer"), &slu_job_started_desc, &j);
	ctl_hello(&j, 1);
	plan = fetch_plan(7, "n1");
	slu_msg_clear(&slu_plan_desc, &plan);
	j.state = (char *)"COMPLETED";
	j.completing = true;
	j.completing_nodes = (char *)"n[1-2]";
	say_in_vain(NO("UPDATE OF Ended ON Buffer"), &slu_job_ended_desc, &j);
	ctl_hello(&j, 1);
	expect_state("TEARDOWN");
	say_in_vain(NO("UPDATE OF Orders ON BufferNode"), &slu_job_nodes_desc,
		    &left);
	ctl_hello(NULL, 0);
	ctl_expect_any(&slu_drain_desc);
	ctl_close();
	sluiced_end();
}
END_TEST

/* The message of a node to a sluiced that does not know its job. */
static void offer(const struct slu_plan *plan, const char *node)
{
	char *text = slu_encode_text(&slu_plan_desc, plan), *body;
	struct slu_node_ask ask = {.job_id = plan->job_id,
				   .buffer = plan->buffer,
				   .node = (char *)(uintptr_t)node,
				   .seen = (char *)"",
				   .ready = true,
				   .plan = text};

	body = slu_encode_text(&slu_node_ask_desc, &ask);
	ck_assert_uint_gt(strlen(body), 1 << 20);
	expect(post("/v1/poll", body, NULL) == 0, "%s", err.text);
	free(body);
	free(text);
}

/* A plan of ten thousand nodes, of which each is asked for the whole; each may
 * tell it, too. */
START_TEST(test_large_plan)
{
	struct slu_job j = job_of_ann(8, true);
	struct slu_plan plan;
	double start;

	if (!have_root() || !sluiced_begin())
		return;
	ctl_meet();
	j.nodes = (char *)"n[1-10000]";
	j.node_cnt = 10000;
	ctl_send(&slu_job_started_desc, &j);
	plan = fetch_plan(8, "n1");
	slu_msg_clear(&slu_plan_desc, &plan);
	start = slu_now_mono();
	plan = fetch_plan(8, "n2");
	printf("sluiced_daemon: a plan of %zu nodes takes %.0f ms\n",
	       plan.n_node, 1e3 * (slu_now_mono() - start));
	ck_assert_uint_eq(plan.n_node, 10000);
	ck_assert_str_eq(plan.node[9999].name, "n10000");
	ck_assert_uint_eq(strlen(plan.secret), 32);
	offer(&plan, "n2");
	slu_msg_clear(&slu_plan_desc, &plan);
	ctl_close();
	sluiced_end();
}
END_TEST

/* A job's buffer from its plan to its end, sluiced being killed on the way. */
START_TEST(test_buffer)
{
	struct slu_job j = job_of_ann(7, true);
	struct slu_plan plan, again;
	struct slu_buf nodes = {0};
	struct slu_history_row *row;
	struct slu_extend *extend;

	if (!have_root() || !sluiced_begin())
		return;
	ctl_meet();
	ctl_send(&slu_job_started_desc, &j);
	plan = fetch_plan(7, "n1");
	ck_assert_uint_eq(plan.n_node, 2);
	ck_assert_uint_eq(plan.uid, 1000);
	again = fetch_plan(7, "n2");
	ck_assert_str_eq(plan.secret, again.secret);
	slu_msg_clear(&slu_plan_desc, &again);
	barrier(plan.buffer, "servers");
	/* what sluice-tbfd asks for */
	expect_ok(slu_tbfd_publish_nodes(tmpfile_path("sluice.conf"), &nodes,
					 &err),
		  err);
	ck_assert_str_eq(nodes.data, "7 2\n");
	slu_buf_free(&nodes);

	/* All reported states survive a crash; the secret, too. */
	sluiced_stop(SIGKILL, -SIGKILL);
	ctl_close();
	sluiced_start();
	ctl_connect();
	ctl_hello(&j, 1);
	again = fetch_plan(7, "n2");
	ck_assert_uint_eq(plan.buffer, again.buffer);
	ck_assert_str_eq(plan.secret, again.secret);
	slu_msg_clear(&slu_plan_desc, &again);

	ck_assert_str_eq(report(7, plan.buffer, "n1", "ready"), "go");
	ck_assert_str_eq(report(7, plan.buffer, "n2", "ready"), "go");
	do {
		extend = ctl_expect(&slu_extend_desc);
		ctl_done(true);
	} while (!extend->final && (slu_msg_free(&slu_extend_desc, extend), 1));
	ck_assert_uint_eq(extend->job_id, 7);
	slu_msg_free(&slu_extend_desc, extend);

	job_ended(7, true, &slu_job_ended_desc);
	report(7, plan.buffer, "n1", "down");
	report(7, plan.buffer, "n2", "down");
	report(7, plan.buffer, "n1", "stopped");
	report(7, plan.buffer, "n2", "stopped");
	report(7, plan.buffer, "n1", "clean");
	report(7, plan.buffer, "n2", "clean");
	expect_state("DONE");

	/* The servers' counters are in the job's history, which slurmctld
	 * gets once all nodes have spoken. */
	job_ended(7, true, &slu_history_desc);
	ctl_expect_any(&slu_stored_desc);
	row = ctl_expect(&slu_history_row_desc);
	ck_assert_uint_eq(row->job.job_id, 7);
	ck_assert_double_eq(row->read_bytes, 2e6);
	ck_assert_double_eq(row->written_bytes, 4e6);
	slu_msg_free(&slu_history_row_desc, row);
	slu_msg_clear(&slu_plan_desc, &plan);
	ctl_close();
	sluiced_end();
}
END_TEST

/* slurmctld did a resume, was killed before it saved that, and connects anew:
 * it hears of it again, whether we were restarted or not. */
START_TEST(test_resume_again)
{
	const struct slu_job_nodes left = {7, (char *)"n1", NULL};
	struct slu_job j = job_of_ann(7, true);
	struct slu_plan plan;

	if (!have_root() || !sluiced_begin())
		return;
	ctl_meet();
	ctl_send(&slu_job_started_desc, &j);
	plan = fetch_plan(7, "n1");
	job_ended(7, true, &slu_job_ended_desc);
	ctl_send(&slu_job_nodes_desc, &left);
	ctl_expect_any(&slu_drain_desc);
	ctl_done(true);
	report(7, plan.buffer, "n1", "clean");
	for (int i = 0; i < 3; i++) {
		ctl_expect_any(&slu_resume_desc);
		ctl_done(true);
		ctl_close();
		if (i == 1) {
			sluiced_stop(SIGTERM, 0);
			sluiced_start();
		}
		ctl_connect();
		ctl_hello(NULL, 0);
	}
	slu_msg_clear(&slu_plan_desc, &plan);
	ctl_close();
	sluiced_end();
}
END_TEST

/* A node asks before slurmctld has reported the job: it waits. */
START_TEST(test_plan_waits)
{
	struct slu_job j = job_of_ann(9, true);
	struct slu_buf reply = {0};
	struct slu_plan plan;
	pid_t late;

	j.user = NULL;
	j.uid = 0;

	if (!have_root() || !sluiced_begin())
		return;
	ctl_meet();
	late = fork();
	if (!late) {
		usleep(500000);
		ctl_send(&slu_job_started_desc, &j);
		_exit(0);
	}
	plan = fetch_plan(9, "n1");
	ck_assert_uint_eq(plan.job_id, 9);
	slu_msg_clear(&slu_plan_desc, &plan);
	ck_assert_int_eq(sluiced_status(late), 0);
	/* The user's name was not told, but is known here. */
	ck_assert_int_eq(post("/v1/query",
			      "{\"question\":\"buffers\",\"job_id\":9}",
			      &reply),
			 0);
	ck_assert_ptr_nonnull(strstr(reply.data, "\"user\":\"root\""));
	expect(strstr(reply.data, "\"progress\":\"sluice: setup, 0 of "), "%s",
	       reply.data);
	ck_assert_int_eq(post("/v1/query",
			      "{\"question\":\"page\",\"since\":9}", &reply),
			 0);
	expect(strstr(reply.data, "\"schema\":\"sluice.page\"") &&
		       strstr(reply.data, "\"own\":false") &&
		       strstr(reply.data, "\"pools\":[") &&
		       strstr(reply.data, "\"state\":\"SETUP\"") &&
		       strstr(reply.data,
			      "\"progress\":\"sluice: setup, 0 of "),
	       "%s", reply.data);
	slu_buf_free(&reply);
	ck_assert_int_eq(post("/v1/query",
			      "{\"question\":\"buffers\",\"job_id\":99}", NULL),
			 SLU_NOTFOUND);
	ctl_close();
	sluiced_end();
}
END_TEST

TEST_MAIN("sluiced buffers", test_buffer, test_resume_again, test_lost_turn,
	  test_full_disk_loads_buffers_once, test_slow_names, test_lost_message,
	  test_large_plan, test_plan_waits)
