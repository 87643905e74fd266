/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Persistent buffers as sluiced keeps them: asked for by jobs that wait, made
 * and ended by their own nodes, used by other jobs. sluiced is started anew
 * between any two steps.
 */
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

#include <json-c/json.h>
#include <string.h>
#include <unistd.h>
#include "burst_buffer/live.h"

#define OWNER	 5000
#define STRANGER 5001

static struct slu_db *db;
static struct slu_conf *conf;
static struct slu_buffers *b;
static struct slu_err err;
static double now;
static struct slu_buffer_state last; /* of a persistent one, as told */
static char held[512];		     /* what a job was held with last */
static uint32_t held_job;
static enum slu_on_failure verdict;
static char not_yet[512], logged[512];
static size_t n_logged;
static bool damaged;

static void on_mirror(void *arg, const struct slu_buffer_state *s)
{
	char *text;

	(void)arg;
	if (!s->persistent)
		return;
	slu_msg_clear(&slu_buffer_desc, &last);
	text = slu_encode_text(&slu_buffer_desc, s);
	expect_ok(slu_decode_text(&slu_buffer_desc, text, strlen(text), &last,
				  &err),
		  err);
	free(text);
}

static void on_verdict(void *arg, enum slu_on_failure what,
		       const struct slu_verdict *v)
{
	(void)arg;
	verdict = what;
	held_job = v->job_id;
	slu_copy(held, sizeof(held), v->reason);
}

static void on_extend(void *arg, const struct slu_extend *e)
{
	(void)arg, (void)e;
}

/* Its nodes are nobody's to drain for it. */
static void on_order(void *arg, const struct slu_node_order *o)
{
	(void)arg, (void)o;
	ck_abort_msg("%s: %s", o->node, o->reason);
}

static void on_annotate(void *arg, const struct slu_annotate *a)
{
	(void)arg;
	ck_assert_uint_lt(a->job_id, SLU_PERSIST_FIRST);
	if (a->waits)
		slu_copy(not_yet, sizeof(not_yet), a->text);
}

static const char *on_addr(void *arg, const char *node)
{
	(void)arg, (void)node;
	return NULL;
}

static void on_wake(void *arg, uint32_t job_id)
{
	(void)arg, (void)job_id;
}

static void on_log(void *arg, enum slu_level level, const char *line)
{
	(void)arg;
	expect(level > SLU_ERROR || damaged, "%s", line);
	slu_copy(logged, sizeof(logged), line);
	n_logged++;
}

static const struct slu_buffers_ops ops = {
	.mirror = on_mirror,
	.extend = on_extend,
	.verdict = on_verdict,
	.drain = on_order,
	.resume = on_order,
	.annotate = on_annotate,
	.addr = on_addr,
	.wake = on_wake,
	.log = on_log,
};

static void load(void)
{
	static const unsigned char key[SLU_BUFFERS_KEY] = {7};

	b = slu_buffers_load(db, conf, key, &ops, NULL, now, &err);
	expect(b, "%s", err.text);
}

static void again(void)
{
	slu_buffers_free(b);
	load();
}

static void setup(void)
{
	static const char text[] =
		"FileSystem=glu Driver=glusterfs\n"
		"FileSystem=dir Driver=lustre root=/pfs\n"
		"FileSystem=tmp Driver=scratch\n"
		"NodeStorage=/local\nPersistentNodes=s[1-2]\n"
		"PersistentLifetime=10d\nOnStageOutFailure=hold\n"
		"StagingNodes=t[1-2]\n"
		"SetupTimeout=60\nTeardownTimeout=50\n";

	now = 1e9;
	held[0] = '\0';
	held_job = 0;
	unlink(tmpfile_path("persist.db"));
	db = slu_db_open(tmpfile_path("persist.db"), SLU_DB_WRITE, &err);
	expect(db, "%s", err.text);
	expect_ok(slu_db_script(db, "PRAGMA synchronous = OFF", &err), err);
	conf = slu_conf_parse(text, "test", &err);
	expect(conf, "%s", err.text);
	load();
}

static void teardown(void)
{
	slu_buffers_free(b);
	slu_msg_clear(&slu_buffer_desc, &last);
	slu_conf_free(conf);
	slu_db_close(db);
}

static struct slu_job job(uint32_t id, uint32_t uid, const char *request)
{
	return (struct slu_job){
		.job_id = id,
		.array_task_id = SLU_NO_ID,
		.uid = uid,
		.gid = uid,
		.user = uid == OWNER ? (char *)"ann" : (char *)"ben",
		.name = (char *)"x",
		.start = (int64_t)now,
		.nodes = (char *)"n[1-2]",
		.state = (char *)"RUNNING",
		.request = (char *)request,
	};
}

static void waits(uint32_t id, uint32_t uid, const char *request)
{
	const struct slu_job j = job(id, uid, request);

	expect_ok(slu_buffers_waits(b, &j, now, &err), err);
}

/* A node reports a step of a buffer; returns the answer's word, static. */
static const char *report(uint32_t id, const char *node, const char *step,
			  bool ok)
{
	static char word[32];
	struct slu_buf text = {0};
	struct slu_node_ask ask = {.job_id = id, .node = (char *)node};
	struct slu_answer a;
	char *secret;
	struct slu_report r = {.job_id = id,
			       .buffer = last.buffer,
			       .node = (char *)node,
			       .step = (char *)step,
			       .ok = ok,
			       .text = ok ? NULL : (char *)"no luck",
			       .phase = (char *)"setup"};

	if (slu_buffers_plan(b, &ask, now, &text, &secret, &err) == 0)
		free(secret);
	slu_buf_free(&text);
	if (id < SLU_PERSIST_FIRST) {
		struct slu_rows *rows = slu_db_query(
			db, &err, "SELECT MAX(BID) FROM Buffer WHERE JobID = ?",
			"I", (int64_t)id);

		ck_assert_int_eq(slu_db_step(rows, &err), 1);
		r.buffer = (uint64_t)slu_db_int(rows, 0);
		slu_db_done(rows);
	}
	if (slu_buffers_report(b, &r, now, &a, &err))
		return err.kind == SLU_BUSY ? "busy" : err.text;
	slu_copy(word, sizeof(word), a.word);
	slu_msg_clear(&slu_answer_desc, &a);
	return word;
}

/* Both nodes come to a barrier. */
static void meet(uint32_t id, uint64_t buffer, const char *first,
		 const char *second, const char *name)
{
	const char *const node[] = {first, second, first};
	const char *const attr[] = {"port1", "port2", "port1"};

	for (int i = 0; i < 3; i++) {
		struct slu_barrier come = {.job_id = id,
					   .buffer = buffer,
					   .node = (char *)node[i],
					   .name = (char *)name,
					   .attr = (char *)attr[i]};
		struct slu_barrier_answer a;

		if (slu_buffers_barrier(b, &come, now, &a, &err) == 0)
			slu_msg_clear(&slu_barrier_answer_desc, &a);
	}
}

static void make(uint32_t id, const char *request)
{
	waits(id, OWNER, request);
	ck_assert_str_eq(last.state, "SETUP");
	again();
	report(last.job_id, "s1", "storage", true);
	report(last.job_id, "s2", "storage", true);
	meet(last.job_id, last.buffer, "s1", "s2", "servers");
	again();
	report(last.job_id, "s1", "ready", true);
	again();
	report(last.job_id, "s2", "ready", true);
	ck_assert_str_eq(last.state, "RUNNING");
	again();
	waits(id, OWNER, request); /* changes nothing */
	ck_assert_str_eq(last.state, "RUNNING");
	ck_assert_uint_eq(last.creator, id);
}

/* Its nodes clean up. */
static void unmake(void)
{
	const uint32_t id = last.job_id;

	ck_assert_str_eq(last.state, "TEARDOWN");
	again();
	ck_assert_str_eq(report(id, "s1", "down", true), "skip");
	report(id, "s1", "clean", true);
	again();
	report(id, "s2", "clean", true);
	ck_assert_str_eq(last.state, "DONE");
}

static void begin_job(uint32_t id, uint32_t uid, const char *request)
{
	const struct slu_job j = job(id, uid, request);

	expect_ok(slu_buffers_job(b, &j, false, now, &err), err);
}

static void end_job(uint32_t id, uint32_t uid, const char *request)
{
	struct slu_job j = job(id, uid, request);

	j.state = (char *)"COMPLETED";
	expect_ok(slu_buffers_job(b, &j, true, now, &err), err);
}

#define CREATE "persistent_create name=camp type=glu capacity=2GiB"

START_TEST(test_life)
{
	struct slu_hello_daemon hello;

	setup();
	make(7, CREATE " lifetime=5d");
	ck_assert_uint_ge(last.job_id, SLU_PERSIST_FIRST);
	ck_assert_str_eq(last.name, "camp");
	ck_assert_uint_eq(last.size, 2ull << 30);
	ck_assert_int_eq(last.expires, (int64_t)1e9 + 5 * 86400);
	ck_assert(!last.leaving);
	expect(strstr(last.text, "expires 2001-09-1"), "%s", last.text);
	/* no job of slurmctld's is its, and it lives on */
	expect_ok(slu_buffers_sync(b, NULL, 0, now, &err), err);
	ck_assert_str_eq(last.state, "RUNNING");
	expect_ok(slu_buffers_hello(b, &hello, &err), err);
	ck_assert_uint_eq(hello.n_buffers, 1);
	slu_msg_clear(&slu_hello_daemon_desc, &hello);
	waits(8, OWNER, "persistent_destroy name=camp");
	unmake();
	waits(8, OWNER, "persistent_destroy name=camp"); /* nothing is there */
	ck_assert_str_eq(held, "");
	teardown();
}
END_TEST

START_TEST(test_expires)
{
	setup();
	make(7, CREATE " lifetime=5d");
	now += 5 * 86400 - 1;
	slu_buffers_tick(b, now);
	ck_assert_str_eq(last.state, "RUNNING");
	now += 2;
	slu_buffers_tick(b, now);
	unmake();
	teardown();
}
END_TEST

START_TEST(test_used)
{
	static const char use[] = "persistent name=camp; stage_in source=/a "
				  "destination=$BB_camp/a";
	struct slu_node_ask ask = {.job_id = 20, .node = (char *)"n1"};
	struct slu_buf text = {0};
	struct slu_plan plan;
	char *secret, *own;

	setup();
	make(7, CREATE);
	begin_job(20, OWNER, use);
	ck_assert_str_eq(held, "");
	again();
	expect_ok(slu_buffers_plan(b, &ask, now, &text, &secret, &err), err);
	expect_ok(slu_decode_text(&slu_plan_desc, text.data, text.len, &plan,
				  &err),
		  err);
	ck_assert_uint_eq(plan.use, last.buffer);
	ck_assert_str_eq(plan.driver, "glusterfs");
	ck_assert_uint_eq(plan.n_node, 2);
	ck_assert(plan.node[0].client && plan.node[1].client);
	ck_assert_uint_eq(plan.capacity, 0);
	ck_assert_uint_eq(plan.n_server, 2);
	ck_assert_str_eq(plan.server[1].name, "s2");
	ck_assert_uint_eq(plan.n_attr, 2);
	ck_assert_str_eq(plan.attr[1].value, "port2");
	slu_msg_clear(&slu_plan_desc, &plan);
	slu_buf_free(&text);
	report(20, "n2", "storage", true);
	/* its servers know one secret */
	ask = (struct slu_node_ask){.job_id = last.job_id,
				    .node = (char *)"s1"};
	expect_ok(slu_buffers_plan(b, &ask, now, &text, &own, &err), err);
	ck_assert_str_eq(own, secret);
	free(own);
	free(secret);
	slu_buf_free(&text);

	waits(8, OWNER, "persistent_destroy name=camp");
	again();
	ck_assert_str_eq(last.state, "RUNNING");
	ck_assert(last.leaving);
	expect(strstr(last.text, "1 job uses it, is to be destroyed"), "%s",
	       last.text);
	begin_job(21, OWNER, use); /* nobody comes any more */
	expect(strstr(held, "camp is being destroyed"), "%s", held);
	ck_assert_int_eq(verdict, SLU_REQUEUE);
	end_job(21, OWNER, use);
	end_job(20, OWNER, use);
	report(20, "n1", "clean", true);
	ck_assert_str_eq(last.state, "RUNNING");
	report(20, "n2", "clean", true);
	unmake();
	teardown();
}
END_TEST

START_TEST(test_refused)
{
	static const struct {
		uint32_t uid;
		const char *request, *words;
	} cases[] = {
		{STRANGER, "persistent_destroy name=camp", "belongs to ann"},
		{OWNER,
		 "persistent_create name=y type=dir capacity=1G "
		 "group=nosuchgroup",
		 "there is no group nosuchgroup"},
		{OWNER,
		 "persistent_create name=y type=dir capacity=1G group=tty",
		 "you are not of group tty"},
		{OWNER, "persistent_create name=y type=tmp capacity=1G",
		 "lives and ends with a job"},
		{OWNER,
		 "persistent_create name=y type=dir capacity=1G lifetime=11d",
		 "PersistentLifetime"},
	};

	setup();
	make(7, CREATE);
	each(c, cases)
	{
		held[0] = '\0';
		waits(30, c->uid, c->request);
		expect(strstr(held, c->words), "%s: %s", c->request, held);
		ck_assert_uint_eq(held_job, 30);
		ck_assert_int_eq(verdict, SLU_HOLD);
	}
	held[0] = '\0';
	waits(31, STRANGER, CREATE); /* the name is taken: it waits */
	ck_assert_uint_eq(last.creator, 7);
	ck_assert_str_eq(held, "");
	begin_job(32, STRANGER, "persistent name=camp");
	expect(strstr(held, "belongs to ann"), "%s", held);
	teardown();
}
END_TEST

START_TEST(test_cannot_be_made)
{
	uint32_t id;

	setup();
	waits(7, OWNER, CREATE);
	id = last.job_id;
	report(id, "s1", "storage", false);
	expect(strstr(held, "s1: no luck"), "%s", held);
	ck_assert_uint_eq(held_job, 7);
	expect_ok(slu_buffers_verdict_done(b, 7, true, NULL, now, &err), err);
	again();
	ck_assert_str_eq(last.state, "TEARDOWN");
	report(id, "s1", "clean", true);
	/* nobody serves on s2 */
	now += 60;
	slu_buffers_tick(b, now);
	ck_assert_str_eq(last.state, "DONE");
	waits(7, OWNER, CREATE); /* released, it tries again */
	ck_assert_str_eq(last.state, "SETUP");
	ck_assert_uint_ne(last.job_id, id);
	teardown();
}
END_TEST

START_TEST(test_unsaved)
{
	static const char out[] = "persistent name=camp; stage_out "
				  "source=$BB_camp/a destination=/a";
	static const char *const nodes[] = {"n1", "n2"};

	setup();
	make(7, CREATE " lifetime=1h");
	begin_job(20, OWNER, out);
	each(n, nodes) report(20, *n, "ready", true);
	end_job(20, OWNER, out);
	ck_assert_str_eq(report(20, "n1", "down", true), "go");
	report(20, "n1", "out.0.share", false);
	expect(strstr(held, "the data stays in the persistent buffer camp"),
	       "%s", held);
	again();
	each(n, nodes) report(20, *n, "clean", true);
	expect(strstr(last.text, "not staged out (stage-out of job 20: n1: no"),
	       "%s", last.text);
	waits(8, OWNER, "persistent_destroy name=camp");
	expect(strstr(held, "force=yes destroys it"), "%s", held);
	ck_assert_uint_eq(held_job, 8);
	now += 7200; /* its time is over, and it stays */
	slu_buffers_tick(b, now);
	again();
	ck_assert_str_eq(last.state, "RUNNING");
	waits(9, OWNER, "persistent_destroy name=camp force=yes");
	if (strcmp(last.state, "RUNNING") == 0) {
		/* until its user has gone for good */
		expect_ok(
			slu_buffers_verdict_done(b, 20, true, NULL, now, &err),
			err);
		slu_buffers_tick(b, now);
	}
	unmake();
	teardown();
}
END_TEST

/* What its last user could not stage out is not lost by a destroy that was
 * asked for before, nor by what another job stages out. */
START_TEST(test_unsaved_later)
{
	static const char out[] = "persistent name=camp; stage_out "
				  "source=$BB_camp/a destination=/a";
	static const char *const nodes[] = {"n1", "n2"};

	setup();
	make(7, CREATE);
	begin_job(20, OWNER, out);
	begin_job(21, OWNER, out);
	each(n, nodes) report(20, *n, "ready", true);
	each(n, nodes) report(21, *n, "ready", true);
	waits(8, OWNER, "persistent_destroy name=camp");
	ck_assert(last.leaving);
	end_job(20, OWNER, out);
	report(20, "n1", "down", true);
	report(20, "n1", "out.0.share", false);
	expect_ok(slu_buffers_verdict_done(b, 20, true, NULL, now, &err), err);
	each(n, nodes) report(20, *n, "clean", true);
	end_job(21, OWNER, out);
	each(n, nodes)
	{
		report(21, *n, "down", true);
		report(21, *n, "out.0.share", true);
	}
	each(n, nodes) report(21, *n, "clean", true);
	now += 3600;
	slu_buffers_tick(b, now);
	again();
	slu_buffers_tick(b, now);
	ck_assert_str_eq(last.state, "RUNNING");
	ck_assert(!last.leaving);
	expect(strstr(last.text, "not staged out (stage-out of job 20"), "%s",
	       last.text);
	waits(8, OWNER, "persistent_destroy name=camp");
	expect(strstr(held, "force=yes destroys it"), "%s", held);
	waits(9, OWNER, "persistent_destroy name=camp force=yes");
	unmake();
	teardown();
}
END_TEST

/* A job that waits to destroy one does not take the next of its name. */
START_TEST(test_destroy_older)
{
	static const char request[] = "persistent_destroy name=camp";
	struct slu_job j = job(8, OWNER, request);

	setup();
	j.eligible = (int64_t)now - 1;
	make(7, CREATE);
	expect_ok(slu_buffers_waits(b, &j, now, &err), err);
	ck_assert(!last.leaving);
	j.eligible = (int64_t)now;
	expect_ok(slu_buffers_waits(b, &j, now, &err), err);
	unmake();
	teardown();
}
END_TEST

/* Stage-in before a job has nodes */

#define AHEAD                                                       \
	"jobfs type=dir capacity=1GiB; stage_in source=/a/%j "      \
	"destination=$BB_JOBFS/in; stage_out source=$BB_JOBFS/out " \
	"destination=/b"

/* The plan of a job's newest buffer; the caller clears it. */
static void get_plan(uint32_t id, const char *node, struct slu_plan *plan)
{
	struct slu_node_ask ask = {.job_id = id, .node = (char *)node};
	struct slu_buf text = {0};
	char *secret;

	expect_ok(slu_buffers_plan(b, &ask, now, &text, &secret, &err), err);
	expect_ok(slu_decode_text(&slu_plan_desc, text.data, text.len, plan,
				  &err),
		  err);
	free(secret);
	slu_buf_free(&text);
}

static void meet_alone(const char *node, const char *name)
{
	meet(last.job_id, last.buffer, node, node, name);
}

/* It is staged in for job `id`, on `node`. */
static void stage_ahead(uint32_t id, const char *request, const char *node)
{
	struct slu_plan plan;

	waits(id, OWNER, request);
	ck_assert_str_eq(last.state, "SETUP");
	ck_assert(last.ahead && !last.leaving);
	ck_assert_uint_eq(last.creator, id);
	ck_assert_uint_ge(last.job_id, SLU_PERSIST_FIRST);
	get_plan(last.job_id, node, &plan);
	ck_assert_uint_eq(plan.n_node, 1);
	ck_assert_uint_eq(plan.n_stage, 1);
	ck_assert(!plan.stage[0].out);
	expect(strstr(plan.stage[0].destination, "/mnt/data") != NULL &&
		       strtoul(plan.stage[0].destination +
				       strlen(conf->run_dir) + 1,
			       NULL, 10) == last.job_id,
	       "%s", plan.stage[0].destination);
	slu_msg_clear(&slu_plan_desc, &plan);
	again();
	report(last.job_id, node, "attach", true);
	meet_alone(node, "mounted");
	ck_assert_str_eq(last.state, "STAGE_IN");
	again();
	waits(id, OWNER, request); /* changes nothing */
	ck_assert_str_eq(report(last.job_id, node, "in.0.share", true), "go");
	report(last.job_id, node, "ready", true);
	ck_assert_str_eq(last.state, "RUNNING");
	expect(strstr(last.text, "staged in, waits for job"), "%s", last.text);
	again();
	waits(id, OWNER, request);
	ck_assert_str_eq(last.state, "RUNNING");
}

/* How many buffers `sysquery buffers JOB` shows. */
static size_t shown(uint32_t id)
{
	struct json_object *all =
		slu_buffers_json(db, id, SLU_NO_ID, now, &err);
	size_t n;

	expect(all, "%s", err.text);
	n = json_object_array_length(all);
	json_object_put(all);
	return n;
}

static void clean_ahead(const char *node)
{
	const uint32_t id = last.job_id;

	ck_assert_str_eq(last.state, "TEARDOWN");
	again();
	ck_assert_str_eq(report(id, node, "down", true), "skip");
	report(id, node, "clean", true);
	ck_assert_str_eq(last.state, "DONE");
}

/* The run has nothing to stage in, and what waits for it ends with its start.
 */
START_TEST(test_ahead)
{
	static const char *const nodes[] = {"n1", "n2"};
	struct slu_plan plan;
	uint64_t staged;

	setup();
	stage_ahead(20, AHEAD, "t1");
	staged = last.buffer;
	/* slurmctld knows nothing of jobs that wait: that is no reason */
	expect_ok(slu_buffers_sync(b, NULL, 0, now, &err), err);
	ck_assert_str_eq(last.state, "RUNNING");
	ck_assert_uint_eq(shown(20), 1);
	ck_assert_uint_eq(shown(21), 0);
	begin_job(20, OWNER, AHEAD);
	ck_assert_uint_eq(shown(20), 2);
	get_plan(20, "n1", &plan);
	ck_assert_uint_eq(plan.staged, staged);
	ck_assert_uint_eq(plan.staged_job, last.job_id);
	ck_assert_uint_eq(plan.n_stage, 1);
	ck_assert(plan.stage[0].out);
	slu_msg_clear(&slu_plan_desc, &plan);
	again();
	report(20, "n1", "ready", true);
	ck_assert_str_eq(last.state, "RUNNING");
	report(20, "n2", "ready", true);
	clean_ahead("t1");
	end_job(20, OWNER, AHEAD);
	each(n, nodes) report(20, *n, "down", true);
	ck_assert_str_eq(held, "");
	teardown();
}
END_TEST

START_TEST(test_ahead_balance)
{
	struct slu_plan plan;

	setup();
	waits(20, OWNER, AHEAD);
	waits(21, OWNER, AHEAD);
	get_plan(last.job_id, "t2", &plan); /* t1 has one already */
	slu_msg_clear(&slu_plan_desc, &plan);
	teardown();
}
END_TEST

/* Into a persistent buffer, which it keeps alive. */
START_TEST(test_ahead_persistent)
{
	static const char use[] = "persistent name=camp; stage_in source=/a "
				  "destination=$BB_camp/a";
	struct slu_plan plan;
	struct slu_rows *rows;

	setup();
	make(7, CREATE);
	waits(20, OWNER, use);
	ck_assert(last.ahead);
	get_plan(last.job_id, "t1", &plan);
	ck_assert_str_eq(plan.driver, "glusterfs");
	ck_assert_uint_eq(plan.n_server, 2);
	slu_msg_clear(&slu_plan_desc, &plan);
	report(last.job_id, "t1", "attach", true);
	meet_alone("t1", "mounted");
	report(last.job_id, "t1", "in.0.share", true);
	report(last.job_id, "t1", "ready", true);
	ck_assert_str_eq(last.state, "RUNNING");
	waits(8, OWNER, "persistent_destroy name=camp");
	rows = slu_db_query(db, &err,
			    "SELECT State FROM Buffer WHERE JobID = ?", "I",
			    (int64_t)SLU_PERSIST_FIRST);
	ck_assert_int_eq(slu_db_step(rows, &err), 1);
	ck_assert_int_eq(slu_db_int(rows, 0), 3); /* RUNNING */
	slu_db_done(rows);
	teardown();
}
END_TEST

/* A failure holds the job that waits; released, it is tried anew. */
START_TEST(test_ahead_fails)
{
	uint32_t id;

	setup();
	waits(20, OWNER, AHEAD);
	id = last.job_id;
	report(id, "t1", "attach", true);
	meet_alone("t1", "mounted");
	report(id, "t1", "in.0.share", false);
	expect(strstr(held, "stage-in failed: t1: no luck"), "%s", held);
	ck_assert_uint_eq(held_job, 20);
	ck_assert_int_eq(verdict, SLU_HOLD);
	ck_assert(last.leaving);
	expect_ok(slu_buffers_verdict_done(b, 20, true, NULL, now, &err), err);
	clean_ahead("t1");
	waits(20, OWNER, AHEAD);
	ck_assert_str_eq(last.state, "SETUP");
	ck_assert_uint_ne(last.job_id, id);
	teardown();
}
END_TEST

/* The row of what was staged in for job `id` has failed and is damaged. */
static void damage(uint32_t id)
{
	char sql[200];

	waits(id, OWNER, AHEAD);
	snprintf(sql, sizeof(sql),
		 "UPDATE Buffer SET Plan = '{\"x\":', Verdict = %d, What = %d"
		 " WHERE JobID = %u",
		 SLU_VERDICT_TOLD, SLU_REQUEUE, (unsigned)last.job_id);
	expect_ok(slu_db_script(db, sql, &err), err);
	damaged = true;
	again();
}

/* OnStageInFailure and OnSetupFailure are followed without an allocation, too;
 * what goes back to waiting is tried again, but not for ever. */
START_TEST(test_ahead_policy)
{
	static const struct {
		enum slu_on_failure said, done;
	} cases[] = {{SLU_FAIL, SLU_FAIL},	 {SLU_CANCEL, SLU_CANCEL},
		     {SLU_HOLD, SLU_HOLD},	 {SLU_REQUEUE, SLU_REQUEUE},
		     {SLU_REQUEUE, SLU_REQUEUE}, {SLU_REQUEUE, SLU_HOLD}};

	setup();
	damage(19); /* is nothing that the others trip over */
	for (int in = 0; in < 2; in++)
		each(c, cases)
		{
			conf->on_stage_in = in ? c->said : SLU_HOLD;
			conf->on_setup = in ? SLU_HOLD : c->said;
			waits(20 + (uint32_t)in, OWNER, AHEAD);
			ck_assert_str_eq(last.state, "SETUP");
			if (in) {
				report(last.job_id, "t1", "attach", true);
				meet_alone("t1", "mounted");
			}
			report(last.job_id, "t1", "in.0.share", false);
			ck_assert_int_eq(verdict, c->done);
			expect_ok(slu_buffers_verdict_done(b, held_job, true,
							   NULL, now, &err),
				  err);
			clean_ahead("t1");
			now += 400;
			slu_buffers_tick(b, now);
		}
	teardown();
}
END_TEST

/* What the database cannot store now is no fault of the job's. */
START_TEST(test_ahead_no_database)
{
	setup();
	expect_ok(slu_db_script(db, "PRAGMA query_only = ON", &err), err);
	n_logged = 0;
	for (int i = 0; i < 3; i++) {
		waits(20, OWNER, AHEAD);
		waits(21, OWNER, CREATE);
	}
	ck_assert_str_eq(held, "");
	expect(strstr(not_yet, "readonly"), "%s", not_yet);
	expect(strstr(logged, "job 21: "), "%s", logged);
	ck_assert_uint_eq(n_logged, 2);
	ck_assert_ptr_null(last.state);
	expect_ok(slu_db_script(db, "PRAGMA query_only = OFF", &err), err);
	waits(20, OWNER, AHEAD);
	ck_assert_str_eq(last.state, "SETUP");
	teardown();
}
END_TEST

/* Nor that it cannot be read. */
START_TEST(test_ahead_damaged)
{
	setup();
	not_yet[0] = '\0';
	expect_ok(slu_db_script(db,
				"PRAGMA writable_schema = ON;"
				"UPDATE sqlite_master SET sql = 'CREATE x'"
				" WHERE name = 'Buffer';"
				"PRAGMA writable_schema = RESET",
				&err),
		  err);
	waits(20, OWNER, AHEAD);
	waits(21, OWNER, CREATE);
	ck_assert_str_eq(held, "");
	expect(strstr(not_yet, "malformed"), "%s", not_yet);
	teardown();
}
END_TEST

/* A job that is cancelled leaves nothing, however far it was; a run that cannot
 * have what was staged in does it itself. */
START_TEST(test_ahead_gone)
{
	struct slu_plan plan;

	setup();
	waits(20, OWNER, AHEAD);
	get_plan(last.job_id, "t1", &plan);
	slu_msg_clear(&slu_plan_desc, &plan);
	expect_ok(slu_buffers_gone(b, 20, now, &err), err);
	expect_ok(slu_buffers_gone(b, 20, now, &err), err);
	clean_ahead("t1");
	now += 400; /* the first one is forgotten */
	slu_buffers_tick(b, now);
	stage_ahead(21, AHEAD, "t1");
	expect_ok(slu_buffers_gone(b, 21, now, &err), err);
	begin_job(21, OWNER, AHEAD);
	get_plan(21, "n1", &plan);
	ck_assert_uint_eq(plan.staged, 0);
	ck_assert_uint_eq(plan.n_stage, 2);
	slu_msg_clear(&slu_plan_desc, &plan);
	clean_ahead("t1");
	teardown();
}
END_TEST

/* Of a job that is never heard of again. */
START_TEST(test_ahead_unasked)
{
	setup();
	stage_ahead(20, AHEAD, "t1");
	now += 11 * 3600;
	waits(20, OWNER, AHEAD);
	now += 11 * 3600;
	slu_buffers_tick(b, now);
	ck_assert_str_eq(last.state, "RUNNING");
	now += 2 * 3600;
	slu_buffers_tick(b, now);
	clean_ahead("t1");
	teardown();
}
END_TEST

/* What its nodes or each of its tasks has to do is not done before. */
START_TEST(test_ahead_not)
{
	static const char *const requests[] = {
		"jobfs type=glu capacity=1GiB; stage_in source=/a "
		"destination=$BB_JOBFS/in",
		"jobfs type=dir capacity=1GiB; stage_out source=$BB_JOBFS/o "
		"destination=/b",
	};
	struct slu_job j = job(22, OWNER, AHEAD);

	setup();
	each(r, requests) waits(20, OWNER, *r);
	j.array_job_id = 22;
	expect_ok(slu_buffers_waits(b, &j, now, &err), err);
	ck_assert_ptr_null(last.state);
	teardown();
}
END_TEST

/* What a node of a destroyed one still holds is not given away again. */
START_TEST(test_still_held)
{
	uint64_t promised[2] = {0};

	setup();
	make(7, CREATE);
	waits(8, OWNER, "persistent_destroy name=camp");
	report(last.job_id, "s1", "clean", true);
	now += 100;
	slu_buffers_tick(b, now);
	ck_assert_str_eq(last.state, "DONE");
	again();
	expect_ok(slu_bb_promised(b, &b->first->plan, promised, &err), err);
	ck_assert_uint_eq(promised[0], 0);
	ck_assert_uint_gt(promised[1], 0);
	report(last.job_id, "s2", "clean", true);
	promised[1] = 0;
	expect_ok(slu_bb_promised(b, &b->first->plan, promised, &err), err);
	ck_assert_uint_eq(promised[1], 0);
	teardown();
}
END_TEST

TEST_MAIN("persist", test_still_held, test_ahead, test_ahead_balance,
	  test_ahead_persistent, test_ahead_fails, test_ahead_policy,
	  test_ahead_no_database, test_ahead_damaged, test_ahead_gone,
	  test_ahead_unasked, test_ahead_not, test_life, test_expires,
	  test_used, test_refused, test_cannot_be_made, test_unsaved,
	  test_unsaved_later, test_destroy_older)
