/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The whole daemon, driven from outside: slurmctld on its socket, nodes and
 * users over HTTP, and the rough hands of an operator. */
#include <sched.h>
#include <sys/mount.h>
#include "common/file.h"
#include "common/jsonx.h"
#include "select_io/ost/server.h"
#include "select_io/tbf/publish.h"
#include "tests/unit/sluiced.h"

#define GB 1000000000ull

/* The same job whenever it is spoken of: its start is a part of its name. */
static struct slu_job job(uint32_t id, bool buffer)
{
	static int64_t start;

	if (!start)
		start = time(NULL);
	return (struct slu_job){
		.job_id = id,
		.uid = 1000,
		.gid = 1000,
		.user = (char *)"ann",
		.name = (char *)"sim",
		.nodes = (char *)"n[1-2]",
		.node_cnt = 2,
		.submit = 1000,
		.start = start,
		.limit = 10,
		.state = (char *)"RUNNING",
		.request = buffer ? (char *)"jobfs capacity=1GiB name=JOBFS"
				  : NULL,
	};
}

static void ended(uint32_t id, bool buffer, const struct slu_desc *desc)
{
	struct slu_job j = job(id, buffer);

	j.state = (char *)"COMPLETED";
	j.end = j.start + 60;
	ctl_send(desc, &j);
}

static void meet(void)
{
	ctl_connect();
	ctl_hello(NULL, 0);
	ctl_expect_any(&slu_history_end_desc);
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

/* What cannot be stored was not said, and what is remembered of it is
 * forgotten: nodes are told to try again, and slurmctld hears it all anew. */
START_TEST(test_lost_turn)
{
	struct slu_job j = job(7, true);
	struct slu_plan plan;
	char text[160];

	if (!sluiced_begin() || getuid() != 0)
		return;
	meet();
	ctl_send(&slu_job_started_desc, &j);
	plan = fetch_plan(7, "n1");
	change_db("CREATE TRIGGER no BEFORE INSERT ON BufferPhase BEGIN"
		  " SELECT RAISE(ROLLBACK, 'no'); END");
	snprintf(text, sizeof(text),
		 "{\"job_id\":7,\"buffer\":%llu,\"node\":\"n1\","
		 "\"step\":\"ready\",\"ok\":true}",
		 (unsigned long long)plan.buffer);
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

/* slurmctld says a thing once. When that could not be stored, it is made to say
 * everything again. */
START_TEST(test_lost_message)
{
	struct slu_job_nodes left = {7, (char *)"n[1-2]", NULL};
	struct slu_job j = job(7, true);
	struct slu_plan plan;

	if (!sluiced_begin() || getuid() != 0)
		return;
	meet();
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

/* A plan of ten thousand nodes, of which each is asked for the whole. */
START_TEST(test_large_plan)
{
	struct slu_job j = job(8, true);
	struct slu_plan plan;
	double start;

	if (!sluiced_begin() || getuid() != 0)
		return;
	meet();
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
	slu_msg_clear(&slu_plan_desc, &plan);
	ctl_close();
	sluiced_end();
}
END_TEST

/* A job's buffer from its plan to its end, sluiced being killed on the way. */
START_TEST(test_buffer)
{
	struct slu_job j = job(7, true);
	struct slu_plan plan, again;
	struct slu_buf nodes = {0};
	struct slu_history_row *row;
	struct slu_extend *extend;

	if (!sluiced_begin() || getuid() != 0)
		return;
	meet();
	ctl_send(&slu_job_started_desc, &j);
	plan = fetch_plan(7, "n1");
	ck_assert_uint_eq(plan.n_node, 2);
	ck_assert_uint_eq(plan.uid, 1000);
	again = fetch_plan(7, "n2");
	ck_assert_str_eq(plan.secret, again.secret);
	slu_msg_clear(&slu_plan_desc, &again);
	barrier(plan.buffer, "servers");
	/* what sluice-tbfd asks for */
	expect_ok(slu_publish_nodes(tmpfile_path("sluice.conf"), &nodes, &err),
		  err);
	ck_assert_str_eq(nodes.data, "7 2\n");
	slu_buf_free(&nodes);

	/* Everything that was said holds after a crash; the secret too. */
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

	ended(7, true, &slu_job_ended_desc);
	report(7, plan.buffer, "n1", "down");
	report(7, plan.buffer, "n2", "down");
	report(7, plan.buffer, "n1", "stopped");
	report(7, plan.buffer, "n2", "stopped");
	report(7, plan.buffer, "n1", "clean");
	report(7, plan.buffer, "n2", "clean");
	expect_state("DONE");

	/* The servers' counters are in the job's history, which slurmctld
	 * gets once all nodes have spoken. */
	ended(7, true, &slu_history_desc);
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
	struct slu_job j = job(7, true);
	struct slu_plan plan;

	if (!sluiced_begin() || getuid() != 0)
		return;
	meet();
	ctl_send(&slu_job_started_desc, &j);
	plan = fetch_plan(7, "n1");
	ended(7, true, &slu_job_ended_desc);
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

/* A node asks before slurmctld has told of the job: it waits. */
START_TEST(test_plan_waits)
{
	struct slu_job j = job(9, true);
	struct slu_buf reply = {0};
	struct slu_plan plan;
	pid_t late;

	j.user = NULL;
	j.uid = 0;

	if (!sluiced_begin() || getuid() != 0)
		return;
	meet();
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
	slu_buf_free(&reply);
	ctl_close();
	sluiced_end();
}
END_TEST

static const char ask_n1[] = "{\"job_id\":7,\"buffer\":1,\"node\":\"n1\"}";

/* Run fn as another user; its return value. */
static int as_nobody(int (*fn)(void))
{
	pid_t pid = fork();

	if (!pid) {
		char addr[32];
		char *addrs[] = {addr, NULL};

		snprintf(addr, sizeof(addr), "127.0.0.1:%u", sluiced_port);
		if (setgid(65534) < 0 || setuid(65534) < 0)
			_exit(99);
		http = slu_http_new(addrs, 0, NULL);
		_exit(fn());
	}
	return sluiced_status(pid);
}

static int nobody_polls(void)
{
	return post("/v1/poll", ask_n1, NULL);
}

static int nobody_queries(void)
{
	return post("/v1/query", "{\"question\":\"jobs\"}", NULL);
}

static const char two_jobs[] =
	"{\"jobs\":[{\"job_id\":5,\"uid\":3,\"name\":\"old\",\"start\":100,"
	"\"end\":200,\"state\":\"COMPLETED\"},{\"job_id\":6,\"uid\":3,"
	"\"name\":\"old\",\"start\":300,\"end\":500}]}";

static int nobody_imports(void)
{
	return post("/v1/import", two_jobs, NULL);
}

/* History of others: stored once, by the administrator only. */
START_TEST(test_import)
{
	static const char *const want[] = {"{\"added\":2}", "{\"added\":0}"};
	struct slu_buf reply = {0};

	if (!sluiced_begin() || getuid() != 0)
		return;
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(post("/v1/import", two_jobs, &reply), 0);
		ck_assert_str_eq(reply.data, want[i]);
	}
	ck_assert_int_ne(as_nobody(nobody_imports), 0);
	ck_assert_int_eq(post("/v1/query", "{\"question\":\"jobs\"}", &reply),
			 0);
	ck_assert_ptr_nonnull(strstr(reply.data, "\"job_id\":6"));
	slu_buf_free(&reply);
	sluiced_end();
}
END_TEST

static const char of_7[] = "{\"question\":\"predict\",\"job_id\":7}";

static int nobody_predicts(void)
{
	return post("/v1/query", of_7, NULL);
}

/* Ask of job 7 until this is the status, slurmctld's word being on its way. */
static void ask_of_7(int status, struct slu_buf *reply)
{
	for (int i = 0; post("/v1/query", of_7, reply) != status; i++) {
		ck_assert_int_lt(i, 1000);
		usleep(20000);
	}
}

/* What is left of a running job, for whom it concerns. */
START_TEST(test_predict_running)
{
	struct slu_buf reply = {0};
	struct slu_job j;

	if (!sluiced_begin() || getuid() != 0)
		return;
	meet();
	ck_assert_int_eq(nobody_predicts(), SLU_NOTFOUND);
	j = job(7, false);
	j.start -= 250;
	j.limit_asked = 20;
	ctl_send(&slu_job_started_desc, &j);
	ck_assert_int_eq(/* its history: longer than it has run */
			 post("/v1/import",
			      "{\"jobs\":[{\"job_id\":5,\"uid\":1000,\"name\":\"sim\","
			      "\"node_cnt\":2,\"limit_asked\":20,\"start\":1000,"
			      "\"end\":1600,\"state\":\"COMPLETED\"}]}",
			      NULL),
			 0);
	ask_of_7(0, &reply);
	ck_assert_ptr_nonnull(strstr(reply.data, "\"elapsed\":2"));
	ck_assert_ptr_nonnull(strstr(reply.data,
				     "{\"name\":\"sim\",\"nodes\":2,"
				     "\"limit_asked\":20,\"predicted\":600,"));
	ck_assert_ptr_nonnull(strstr(reply.data, "\"remaining\":3"));
	ck_assert_int_eq(as_nobody(nobody_predicts), SLU_NOTFOUND);
	ck_assert_int_eq(post("/v1/query",
			      "{\"question\":\"predict\",\"job_id\":7,"
			      "\"name\":\"new\",\"elapsed\":0}",
			      &reply),
			 0);
	ck_assert_ptr_nonnull(strstr(reply.data, "\"name\":\"new\""));
	ck_assert_ptr_null(strstr(reply.data, "elapsed"));
	ended(7, false, &slu_job_ended_desc);
	ask_of_7(SLU_NOTFOUND, NULL);
	ck_assert_int_eq(post("/v1/query",
			      "{\"question\":\"predict\",\"job_id\":0}", NULL),
			 SLU_NOTFOUND);
	slu_buf_free(&reply);
	ctl_close();
	sluiced_end();
}
END_TEST

static int nobody_pries(void)
{
	return post("/v1/query", "{\"question\":\"jobs\",\"uid\":0}", NULL);
}

static char *request(const char *cred, const char *body)
{
	return slu_asprintf("POST /v1/query HTTP/1.1\r\nHost: x\r\n%s%s%s"
			    "Content-Length: %zu\r\n\r\n%s",
			    cred ? "Authorization: Sluice " : "",
			    cred ? cred : "", cred ? "\r\n" : "", strlen(body),
			    body);
}

/* Status of a question with this credential; takes it. */
static int raw_status(char *cred, const char *body)
{
	char *text = request(cred, body);
	const char *reply = raw(text);
	int status = strlen(reply) > 12 ? atoi(reply + 9) : 0;

	free(text);
	return status;
}

static const char jobs[] = "{\"question\":\"jobs\"}";

static char *cred_for(const char *method, const char *path, const char *body)
{
	char nonce[SLU_NONCE_TEXT];

	return slu_cred_request(method, path, body, strlen(body), nonce, &err);
}

START_TEST(test_who_may)
{
	char *cred;

	if (!sluiced_begin())
		return;
	meet();
	/* Not proven. */
	ck_assert_int_eq(raw_status(NULL, jobs), 403);
	ck_assert_int_eq(raw_status("MUNGE:AwQDAADrubbish:", jobs), 403);
	/* For something else. */
	cred = cred_for("POST", "/v1/query", "{}");
	ck_assert_int_eq(raw_status(cred, jobs), 403);
	free(cred);
	cred = cred_for("POST", "/v1/plan", jobs);
	ck_assert_int_eq(raw_status(cred, jobs), 403);
	free(cred);
	/* Once, and not again. */
	cred = cred_for("POST", "/v1/query", jobs);
	ck_assert_int_eq(raw_status(cred, jobs), 200);
	ck_assert_int_eq(raw_status(cred, jobs), 403);
	free(cred);
	if (getuid() != 0)
		goto out;
	/* From another host than it names; of a job that is not there. */
	ck_assert_int_eq(post("/v1/poll",
			      "{\"job_id\":7,\"buffer\":1,\"node\":\"far\"}",
			      NULL),
			 SLU_DENIED);
	ck_assert_int_eq(post("/v1/sysmap/hashes?host=far", "", NULL),
			 SLU_DENIED);
	ck_assert_int_eq(post("/v1/poll", ask_n1, NULL), SLU_NOTFOUND);
	ck_assert_int_eq(post("/v1/io",
			      "{\"job_id\":7,\"node\":\"n1\","
			      "\"read_bytes\":1}",
			      NULL),
			 SLU_NOTFOUND);
	/* Another user. */
	ck_assert_int_eq(as_nobody(nobody_polls), SLU_DENIED);
	ck_assert_int_eq(as_nobody(nobody_queries), 0);
	ck_assert_int_eq(as_nobody(nobody_pries), SLU_DENIED);
out:
	ctl_close();
	sluiced_end();
}
END_TEST

static const struct {
	const char *path, *body;
	enum slu_kind kind;
	const char *words;
} bad[] = {
	{"/v1/nothing", "{}", SLU_IO, "nothing"},
	{"/v1/query", "", SLU_INVALID, ""},
	{"/v1/query", "[]", SLU_INVALID, ""},
	{"/v1/query", "{}", SLU_INVALID, "question"},
	{"/v1/query", "{\"question\":\"why\"}", SLU_INVALID, "why"},
	{"/v1/query", "{\"question\":7}", SLU_INVALID, "question"},
	{"/v1/query", "{\"question\":\"jobs\",\"last\":\"x\"}", SLU_INVALID,
	 "last"},
	{"/v1/plan", "{\"job_id\":1}", SLU_INVALID, "node"},
	{"/v1/plan", "{\"job_id\":-1,\"node\":\"n1\"}", SLU_INVALID, "job_id"},
	{"/v1/plan", "rubbish", SLU_INVALID, "ask"},
	{"/v1/sysmap/hashes", "", SLU_INVALID, "host"},
	{"/v1/sysmap/hashes?host=n1", "seven..", SLU_INVALID, "hashes"},
	{"/v1/sysmap/documents", "{}", SLU_INVALID, "host"},
};

START_TEST(test_refused)
{
	static char large[(1 << 20) + 2];

	if (!sluiced_begin() || getuid() != 0)
		return;
	meet();
	each(b, bad)
	{
		int kind = post(b->path, b->body, NULL);

		expect(kind == (int)b->kind, "%s %s: %d %s", b->path, b->body,
		       kind, err.text);
		expect(strstr(err.text, b->words), "%s %s: %s", b->path,
		       b->body, err.text);
	}
	memset(large, ' ', sizeof(large) - 1);
	ck_assert_int_ne(post("/v1/query", large, NULL), 0);
	ck_assert_int_eq(post("/v1/query", jobs, NULL), 0);
	ctl_close();
	sluiced_end();
}
END_TEST

START_TEST(test_sysmap)
{
	static const char docs[] =
		"{\"host\":\"n1\",\"documents\":{\"disks\":\"[{\\\"name\\\":"
		"\\\"sda\\\"}]\"}}";
	struct slu_buf reply = {0};

	if (!sluiced_begin() || getuid() != 0)
		return;
	meet();
	ck_assert_int_eq(post("/v1/sysmap/hashes?host=n1", "12345678", &reply),
			 0);
	ck_assert_str_eq(reply.data, "{\"missing\":[0]}");
	ck_assert_int_eq(post("/v1/sysmap/documents", docs, &reply), 0);
	ck_assert_str_eq(reply.data, "{}");
	slu_buf_free(&reply);
	ctl_close();
	sluiced_end();
}
END_TEST

/* A target that is nearly full, of a server below "oss". */
static void put_target(const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/sys/fs/lustre/obdfilter/%s",
		 tmpfile_path("oss"), name);
	expect_ok(slu_mkdirs(path, 0755, &err), err);
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path),
			 "%s/sys/fs/lustre/obdfilter/%s/kbytes%s",
			 tmpfile_path("oss"), name, i ? "avail" : "total");
		expect_ok(slu_file_write(AT_FDCWD, path, i ? "100\n" : "1000\n",
					 i ? 4 : 5, 0644, false, &err),
			  err);
	}
}

static void put_mdt(const char *name)
{
	static const char text[] = "open 3 samples [reqs]\n";
	char path[300];

	snprintf(path, sizeof(path), "%s/proc/fs/lustre/mdt/%s",
		 tmpfile_path("oss"), name);
	expect_ok(slu_mkdirs(path, 0755, &err), err);
	strcat(path, "/md_stats");
	expect_ok(slu_file_write(AT_FDCWD, path, text, strlen(text), 0644,
				 false, &err),
		  err);
}

/* root's "writer" has written 200 KiB each time. */
static const char three_writers[] =
	"{\"jobs\":[{\"job_id\":5,\"name\":\"writer\",\"start\":100,"
	"\"end\":200,\"state\":\"COMPLETED\"},{\"job_id\":6,"
	"\"name\":\"writer\",\"start\":300,\"end\":500,"
	"\"state\":\"COMPLETED\"}],\"io\":["
	"{\"job_id\":5,\"start\":100,\"written_bytes\":204800},"
	"{\"job_id\":6,\"start\":300,\"written_bytes\":204800}]}";

/* What a busy server weighs is the administrator's to say: 0.2 of its
 * processors, 0.4 of its memory, and a tenth of the target is full. */
START_TEST(test_osts_weights)
{
	static const struct {
		const char *conf, *cost;
	} cases[] = {
		{"", "\"cost\":0.4,"},
		{"PlacementAlpha=1\nPlacementBeta=0\n", "\"cost\":0.3,"},
		{"PlacementAlpha=0\nPlacementBeta=1\n", "\"cost\":0.5,"},
		{"PlacementAlpha=0\nPlacementBeta=0\n", "\"cost\":0.1,"},
	};
	static const char said[] =
		"{\"cpu\":20,\"memory\":40,\"osts\":[{\"name\":"
		"\"f-OST0002\",\"index\":2,\"total\":1000,"
		"\"available\":900}]}";
	struct slu_buf reply = {0};

	if (!sluiced_begin() || getuid() != 0)
		return;
	meet();
	ck_assert_int_eq(post("/v1/osts?host=n1", said, NULL), 0);
	each(c, cases)
	{
		snprintf(sluiced_extra_conf, sizeof(sluiced_extra_conf), "%s",
			 c->conf);
		sluiced_write_conf();
		kill(sluiced_pid, SIGHUP);
		for (int i = 0; i < 500; i++) {
			ck_assert_int_eq(post("/v1/query",
					      "{\"question\":\"osts\"}",
					      &reply),
					 0);
			if (strstr(reply.data, c->cost))
				break;
			usleep(20000); /* until the file is read */
		}
		expect(strstr(reply.data, c->cost), "%s: %s", c->conf,
		       reply.data);
	}
	sluiced_extra_conf[0] = '\0';
	slu_buf_free(&reply);
	sluiced_end();
}
END_TEST

/* What a storage server says is kept and asked for. */
START_TEST(test_osts)
{
	static const char said[] =
		"{\"cpu\":20,\"osts\":[{\"name\":\"f-OST0002\",\"index\":2,"
		"\"total\":1000,\"available\":900}]}";
	struct slu_ost_meter meter = {0};
	struct slu_buf reply = {0};

	if (!sluiced_begin() || getuid() != 0)
		return;
	meet();
	ck_assert_int_eq(post("/v1/osts?host=far", said, NULL), SLU_DENIED);
	ck_assert_int_eq(post("/v1/osts?host=n1", "[]", NULL), SLU_INVALID);
	ck_assert_int_eq(post("/v1/query",
			      "{\"question\":\"osts\",\"stripes\":1}", &reply),
			 0);
	ck_assert(strstr(reply.data, "\"missing\":1") != NULL);
	ck_assert_int_eq(post("/v1/osts?host=n1", said, NULL), 0);
	put_target("f-OST0007");
	put_mdt("f-MDT0000");
	expect_ok(
		slu_publish_once(http, tmpfile_path("oss"), "n2", &meter, &err),
		err);
	ck_assert_int_eq(post("/v1/query",
			      "{\"question\":\"osts\",\"stripes\":1}", &reply),
			 0);
	ck_assert(strstr(reply.data, "\"server\":\"n1\"") != NULL);
	ck_assert(strstr(reply.data, "\"name\":\"f-OST0007\"") != NULL);
	ck_assert(strstr(reply.data, "lfs setstripe -c 1 -o 2\"") != NULL);
	ck_assert(strstr(reply.data, "\"cost\":0.2,") != NULL);
	ck_assert_int_eq(post("/v1/query", "{\"question\":\"osts\"}", &reply),
			 0);
	ck_assert(strstr(reply.data, "\"mdts\":[{\"name\":\"f-MDT0000\"}]") !=
		  NULL);
	ck_assert(strstr(reply.data, "\"servers\":{\"n1\":{\"cpu\":20,") !=
		  NULL);
	/* what was answered counts, and what the application will write */
	ck_assert_int_eq(post("/v1/import", three_writers, NULL), 0);
	ck_assert_int_eq(post("/v1/query",
			      "{\"question\":\"osts\",\"stripes\":1,"
			      "\"size\":102400,\"name\":\"writer\"}",
			      &reply),
			 0);
	ck_assert(strstr(reply.data, "\"cost\":0.2,") == NULL);
	ck_assert_msg(strstr(reply.data, "\"ahead\":1,\"bytes\":204800,"
					 "\"stripes\":2,\"fits\":true"),
		      "%s", reply.data);
	ck_assert_int_eq(post("/v1/query",
			      "{\"question\":\"stripe\",\"size\":1000}",
			      &reply),
			 0);
	ck_assert(strstr(reply.data, "lfs setstripe -c 1 -S 1M\"") != NULL);
	ck_assert_int_eq(post("/v1/query",
			      "{\"question\":\"stripe\",\"lustre\":\"2.5\","
			      "\"targets\":9,\"size\":99000000000}",
			      &reply),
			 0);
	ck_assert(strstr(reply.data, "lfs setstripe -c 9 -S 4M\"") != NULL);
	ck_assert_int_eq(post("/v1/query",
			      "{\"question\":\"stripe\",\"lustre\":\"x\"}",
			      NULL),
			 SLU_INVALID);
	ck_assert_int_eq(
		post("/v1/query", "{\"question\":\"running\"}", &reply), 0);
	ck_assert_str_eq(reply.data, "{}");
	ck_assert_int_eq(post("/v1/query",
			      "{\"question\":\"stripe\",\"access\":\"x\"}",
			      NULL),
			 SLU_INVALID);
	ck_assert_int_eq(
		post("/v1/query",
		     "{\"question\":\"stripe\",\"preset\":\"blast.18\"}",
		     &reply),
		0);
	ck_assert(strstr(reply.data, "-E 28G -c 16 -S 2M") != NULL);
	ck_assert_int_eq(post("/v1/query",
			      "{\"question\":\"osts\",\"stripes\":3000}", NULL),
			 SLU_INVALID);
	slu_buf_free(&reply);
	ctl_close();
	sluiced_end();
}
END_TEST

/* Many nodes push at the same moment: none is refused. */
START_TEST(test_crowd)
{
	enum { PROCESSES = 20, EACH = 10 };
	pid_t pid[PROCESSES];

	if (!sluiced_begin() || getuid() != 0)
		return;
	meet();
	for (int i = 0; i < PROCESSES; i++) {
		char addr[32];
		char *addrs[] = {addr, NULL};

		pid[i] = fork();
		if (pid[i])
			continue;
		snprintf(addr, sizeof(addr), "127.0.0.1:%u", sluiced_port);
		http = slu_http_new(addrs, getuid(), NULL);
		for (int k = 0; k < EACH; k++) {
			char docs[256];

			snprintf(docs, sizeof(docs),
				 "{\"host\":\"n1\",\"documents\":{\"disks\":"
				 "\"[%d]\"}}",
				 i * EACH + k);
			if (post("/v1/sysmap/documents", docs, NULL))
				_exit(1);
		}
		_exit(0);
	}
	for (int i = 0; i < PROCESSES; i++)
		expect(sluiced_status(pid[i]) == 0, "process %d", i);
	ctl_close();
	sluiced_end();
}
END_TEST

START_TEST(test_history)
{
	struct slu_history_end *end;

	if (!sluiced_begin())
		return;
	meet();
	for (uint32_t i = 1; i <= 1000; i++)
		ended(i, false, &slu_history_desc);
	for (uint32_t i = 1; i <= 1000; i++) {
		struct slu_stored *stored = ctl_expect(&slu_stored_desc);

		ck_assert_uint_eq(stored->job_id, i);
		slu_msg_free(&slu_stored_desc, stored);
	}
	/* What was acknowledged survives; what comes twice is one row. */
	sluiced_stop(SIGKILL, -SIGKILL);
	ctl_close();
	sluiced_start();
	ctl_connect();
	ended(1000, false, &slu_history_desc);
	ctl_expect_any(&slu_stored_desc);
	ctl_hello(NULL, 0);
	end = ctl_expect(&slu_history_end_desc);
	ck_assert_uint_eq(end->rows, 1000);
	slu_msg_free(&slu_history_end_desc, end);
	ctl_close();
	sluiced_end();
}
END_TEST

static void assign(uint64_t epoch, const char *ions)
{
	struct slu_ion_share share = {.job_id = 7,
				      .name = (char *)"sim",
				      .nodes = (char *)"n[1-2]",
				      .ions = (char *)(uintptr_t)ions,
				      .wanted = 2};
	struct slu_assignment a = {.epoch = epoch,
				   .time = 1000,
				   .event = (char *)"start 7",
				   .policy = (char *)"MCKP",
				   .ions = (char *)"ion[1-4]",
				   .total = 300,
				   .static_total = 100,
				   .jobs = &share,
				   .n_jobs = 1};

	ctl_send(&slu_assignment_desc, &a);
}

/* Job 7 has gone, or job `id` has come, since `base`. */
static void assign_since(uint64_t base, uint64_t epoch, uint32_t id, bool gone)
{
	struct slu_ion_share share = {
		.job_id = id, .nodes = (char *)"n3", .ions = (char *)"ion4"};
	struct slu_job_ref ref = {.job_id = id};
	struct slu_assignment a = {.epoch = epoch,
				   .base = base,
				   .gone = &ref,
				   .n_gone = gone,
				   .ions = (char *)"ion[1-4]",
				   .jobs = &share,
				   .n_jobs = !gone};

	ctl_send(&slu_assignment_desc, &a);
}

static bool there(const char *name)
{
	return access(tmpfile_path(name), F_OK) == 0;
}

static void expect_published(uint64_t epoch, bool ok)
{
	struct slu_published *p = ctl_expect(&slu_published_desc);

	ck_assert_uint_eq(p->epoch, epoch);
	ck_assert_int_eq(p->ok, ok);
	slu_msg_free(&slu_published_desc, p);
}

START_TEST(test_publish)
{
	struct slu_buf text = {0};

	if (!sluiced_begin())
		return;
	meet();
	assign(1, "ion[1-2]");
	expect_published(1, true);
	expect_ok(slu_file_read(AT_FDCWD, tmpfile_path("maps/7.map"), 100,
				&text, &err),
		  err);
	ck_assert_str_eq(text.data, "n1 0\nn2 1\n");
	ck_assert_int_eq(post("/v1/query", "{\"question\":\"ions\"}", &text),
			 0);
	ck_assert_ptr_nonnull(strstr(text.data, "\"count\":2"));
	ck_assert_ptr_nonnull(strstr(text.data, "\"static_total\":100"));
	slu_buf_free(&text);
	assign_since(1, 2, 8, false);
	expect_published(2, true);
	ck_assert(there("maps/7.map") && there("maps/8.map"));
	assign_since(2, 3, 7, true);
	expect_published(3, true);
	ck_assert(!there("maps/7.map") && there("maps/8.map"));
	/* On what is not there: it is to connect again and say it all. */
	assign_since(77, 78, 8, true);
	ctl_close();
	meet();
	ck_assert(there("maps/8.map"));
	assign(79, "ion3");
	expect_published(79, true);
	ck_assert(there("maps/7.map") && !there("maps/8.map"));
	ctl_close();
	sluiced_end();
}
END_TEST

/* MappingDir hangs: slurmctld hears of it in time, everybody else is served
 * as ever. Needs root, and FUSE to play the file system. */
START_TEST(test_publish_hangs)
{
	char options[64];
	int fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);

	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=40000,user_id=0,group_id=0", fuse);
	if (fuse < 0 || unshare(CLONE_NEWNS) < 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mkdir(tmpfile_path("hung"), 0755) < 0 ||
	    mount("fuse", tmpfile_path("hung"), "fuse", 0, options) < 0)
		return;
	snprintf(sluiced_extra_conf, sizeof(sluiced_extra_conf),
		 "MappingTimeout=1\n");
	if (!sluiced_begin())
		return;
	/* The directory is the last line's, so change it by a reload. */
	{
		FILE *f = fopen(tmpfile_path("sluice.conf"), "w");

		fprintf(f,
			"Database=%s/db\nControlSocket=%s/ctl\n"
			"MappingDir=%s/hung\nDaemonAddr=127.0.0.1:%u\n"
			"SlurmUser=root\nIONodes=ion[1-4]\nMappingTimeout=1\n",
			tmpdir(), tmpdir(), tmpdir(), sluiced_port);
		fclose(f);
	}
	kill(sluiced_pid, SIGHUP);
	meet();
	/* Who waited for the directory would wait for ever. */
	assign(1, "ion1");
	ck_assert_int_eq(post("/v1/query", jobs, NULL), 0);
	expect_published(1, false);
	ctl_close();
	sluiced_end();
	umount2(tmpfile_path("hung"), MNT_DETACH);
	close(fuse);
}
END_TEST

START_TEST(test_metrics)
{
	const char *reply;

	if (!sluiced_begin())
		return;
	meet();
	reply = raw("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
	ck_assert_ptr_nonnull(strstr(reply, " 200 OK"));
	ck_assert_ptr_nonnull(strstr(reply, "sluice_slurmctld_connected 1"));
	ck_assert_ptr_nonnull(strstr(raw("POST /metrics HTTP/1.1\r\n"
					 "Host: x\r\n\r\n"),
				     " 404 "));
	ctl_close();
	sluiced_end();
}
END_TEST

static long sluiced_kib(void)
{
	char path[64], line[256];
	long kib = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)sluiced_pid);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "VmRSS: %ld", &kib);
	fclose(f);
	return kib;
}

/* Who has not proven who it is cannot fill the memory with what it says. */
START_TEST(test_unproven_body)
{
	struct sockaddr_in to = {.sin_family = AF_INET};
	static const char head[] =
		"POST /v1/sysmap/documents HTTP/1.1\r\n"
		"Host: x\r\nContent-Length: 62914560\r\n\r\n";
	static char piece[1 << 20], reply[512];
	ssize_t n = 0, got;
	long before;
	int fd;

	if (!sluiced_begin())
		return;
	before = sluiced_kib();
	fd = socket(AF_INET, SOCK_STREAM, 0);
	to.sin_port = htons((uint16_t)sluiced_port);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ck_assert_int_eq(connect(fd, (void *)&to, sizeof(to)), 0);
	ck_assert_int_gt(send(fd, head, strlen(head), 0), 0);
	for (int i = 0; i < 60; i++) {
		if (i == 59) /* it has read all but what sockets hold */
			ck_assert_int_lt(sluiced_kib() - before, 20 << 10);
		for (size_t at = 0; at < sizeof(piece); at += (size_t)n) {
			n = send(fd, piece + at, sizeof(piece) - at, 0);
			ck_assert_int_gt(n, 0);
		}
	}
	got = recv(fd, reply, sizeof(reply) - 1, 0);
	ck_assert_int_gt(got, 0);
	expect(strstr(reply, " 403 "), "%s", reply);
	close(fd);
	sluiced_end();
}
END_TEST

/* A second one is kept out, and options do what they say. */
START_TEST(test_operator)
{
	char option[300];
	pid_t pid;
	FILE *f;

	if (!sluiced_begin())
		return;
	ck_assert_int_eq(sluiced_status(sluiced_fork("-D")), 3);
	f = fopen(tmpfile_path("pid"), "w"); /* that of the first */
	fputs("4711\n", f);
	fclose(f);
	snprintf(option, sizeof(option), "-P%s", tmpfile_path("pid"));
	ck_assert_int_eq(sluiced_status(sluiced_fork(option)), 3);
	f = fopen(tmpfile_path("pid"), "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(fgets(option, sizeof(option), f));
	ck_assert_str_eq(option, "4711\n");
	fclose(f);
	ck_assert_int_eq(sluiced_status(sluiced_fork("--check-conf")), 0);
	ck_assert_int_eq(sluiced_status(sluiced_fork("--no-such-option")), 2);
	/* In the background: the parent says whether it runs. */
	ck_assert_int_eq(sluiced_status(sluiced_fork("-v")), 3);
	/* A bad file is refused at a reload, and at a start. */
	f = fopen(tmpfile_path("sluice.conf"), "a");
	fputs("Nonsense=yes\n", f);
	fclose(f);
	kill(sluiced_pid, SIGHUP);
	usleep(100000);
	ck_assert_int_eq(post("/v1/query", jobs, NULL), 0);
	ck_assert_int_eq(sluiced_status(sluiced_fork("-D")), 2);
	/* Stopped while somebody waits: who waits is told at once. */
	if (getuid() == 0) {
		meet();
		pid = fork();
		if (!pid) {
			usleep(300000);
			kill(sluiced_pid, SIGTERM);
			_exit(0);
		}
		post("/v1/plan", ask_n1, NULL);
		ck_assert_int_eq(sluiced_status(pid), 0);
		ck_assert_int_eq(sluiced_status(sluiced_pid), 0);
		ctl_close();
		sluiced_write_conf();
		sluiced_start();
	}
	sluiced_end();
}
END_TEST

TEST_MAIN("sluiced_daemon", test_buffer, test_resume_again, test_lost_turn,
	  test_lost_message, test_unproven_body, test_large_plan, test_import,
	  test_predict_running, test_plan_waits, test_who_may, test_refused,
	  test_sysmap, test_osts, test_osts_weights, test_crowd, test_history,
	  test_publish, test_publish_hangs, test_metrics, test_operator)
