/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements the helpers of persistent_world.h. */
#include "config.h"
#include "tests/unit/burst_buffer/persistent_world.h"
#include "tests/unit/tmpdir.h"
#include <unistd.h>

struct slu_db *db;
struct slu_conf *conf;
struct slu_buffers *b;
struct slu_err err;
double now;
struct slu_uptime up;
struct slu_buffer_state last;
char held[512];
uint32_t held_job;
enum slu_on_failure verdict;
char not_yet[512], logged[512];
size_t n_logged;
bool damaged;

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
	(void)arg;
	expect(damaged, "%s: %s", o->node, o->reason);
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

static void on_staged(void *arg, const struct slu_verdict *verdict)
{
	(void)arg, (void)verdict;
}

static const struct slu_buffers_ops ops = {
	.mirror = on_mirror,
	.extend = on_extend,
	.verdict = on_verdict,
	.staged = on_staged,
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

void look(void)
{
	slu_buffers_uptime(b, &up);
	slu_buffers_tick(b, now);
}

void pass(double seconds)
{
	now += seconds;
	up.seconds += (int64_t)seconds;
	look();
}

void again(void)
{
	slu_buffers_free(b);
	load();
}

void setup(void)
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
	up = (struct slu_uptime){.boot = "first", .seconds = 5000};
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

void teardown(void)
{
	slu_buffers_free(b);
	slu_msg_clear(&slu_buffer_desc, &last);
	slu_conf_free(conf);
	slu_db_close(db);
}

struct slu_job job(uint32_t id, uint32_t uid, const char *request)
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

void waits(uint32_t id, uint32_t uid, const char *request)
{
	const struct slu_job j = job(id, uid, request);

	expect_ok(slu_buffers_waits(b, &j, now, &err), err);
}

const char *report(uint32_t id, const char *node, const char *step, bool ok)
{
	static char word[32];
	struct slu_text *text = NULL;
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
	slu_text_unref(text);
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
		struct slu_text *text = NULL;

		slu_buffers_barrier(b, &come, now, &text, &err);
		slu_text_unref(text);
	}
}

void make(uint32_t id, const char *request)
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

void unmake(void)
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

void begin_job(uint32_t id, uint32_t uid, const char *request)
{
	const struct slu_job j = job(id, uid, request);

	expect_ok(slu_buffers_job(b, &j, false, now, &err), err);
}

void end_job(uint32_t id, uint32_t uid, const char *request)
{
	struct slu_job j = job(id, uid, request);

	j.state = (char *)"COMPLETED";
	expect_ok(slu_buffers_job(b, &j, true, now, &err), err);
}

void get_plan(uint32_t id, const char *node, struct slu_plan *plan)
{
	struct slu_node_ask ask = {.job_id = id, .node = (char *)node};
	struct slu_text *text = NULL;
	char *secret;

	expect_ok(slu_buffers_plan(b, &ask, now, &text, &secret, &err), err);
	expect_ok(slu_decode_text(&slu_plan_desc, text->data, text->len, plan,
				  &err),
		  err);
	free(secret);
	slu_text_unref(text);
}

void meet_alone(const char *node, const char *name)
{
	meet(last.job_id, last.buffer, node, node, name);
}
