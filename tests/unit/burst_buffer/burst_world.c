/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Simulates the rest of burst_world.h: the database, slurmctld, time, and the
 * record of what the buffers order. */
#include "config.h"
#include "tests/unit/burst_buffer/burst_world.h"
#include "burst_buffer/lifecycle/record.h"
#include "sysmap/database/receive.h"
#include "tests/unit/tmpdir.h"

/* Recording */

/* Between the transactions of a call its callbacks are called: places where a
 * crash must do no harm. */
static struct world *heard_by(void *arg)
{
	struct world *w = arg;

	if (w->crash_in > 0 && --w->crash_in == 0)
		_exit(9);
	return w;
}

static void on_mirror(void *arg, const struct slu_buffer_state *s)
{
	struct world *w = heard_by(arg);

	w->mirrors++;
	slu_copy(w->state, sizeof(w->state), s->state);
	slu_copy(w->text, sizeof(w->text), s->text);
	slu_copy(w->pending, sizeof(w->pending), s->pending);
	if (slu_eq(s->state, "TEARDOWN"))
		slu_copy(w->at_teardown, sizeof(w->at_teardown), s->text);
}

static void on_extend(void *arg, const struct slu_extend *e)
{
	struct world *w = heard_by(arg);

	w->give_back = e->give_back;
	w->final = e->final;
}

static void on_verdict(void *arg, enum slu_on_failure what,
		       const struct slu_verdict *v)
{
	struct world *w = heard_by(arg);

	w->verdicts++;
	w->what = what;
	w->owes_verdict = true;
	w->verdict_job = v->job_id;
	w->verdict_ended = v->ended;
	slu_copy(w->reason, sizeof(w->reason), v->reason);
	slu_copy(w->without, sizeof(w->without), v->without ? v->without : "");
}

static void mark(char *list, const struct world *w, const char *node)
{
	int i;

	for (i = 0; i < w->n_node; i++)
		if (strcmp(w->node[i].name, node) == 0)
			list[i] = 'x';
}

static void on_drain(void *arg, const struct slu_node_order *o)
{
	struct world *w = heard_by(arg);

	w->drains++;
	mark(w->drained, w, o->node);
}

static void on_resume(void *arg, const struct slu_node_order *o)
{
	struct world *w = heard_by(arg);

	w->resumes++;
	mark(w->resumed, w, o->node);
}

static void on_staged(void *arg, const struct slu_verdict *v)
{
	struct world *w = heard_by(arg);

	w->staged++;
	slu_copy(w->told[1], sizeof(w->told[1]), v->reason);
}

static void on_annotate(void *arg, const struct slu_annotate *a)
{
	(void)a;
	heard_by(arg)->annotates++;
}

static void on_wake(void *arg, uint32_t job_id)
{
	(void)job_id;
	heard_by(arg);
}

static void on_log(void *arg, enum slu_level level, const char *line)
{
	struct world *w = heard_by(arg);

	w->errors += level == SLU_ERROR;
	if (w->trace)
		fprintf(stderr, "%.1f %s\n", w->now, line);
}

const char *n2_addr;

static const char *on_addr(void *arg, const char *node)
{
	(void)arg;
	if (strcmp(node, "n2") == 0)
		return n2_addr;
	return strcmp(node, "n1") == 0 ? "10.0.0.1" : NULL;
}

static const struct slu_buffers_ops world_ops = {
	.mirror = on_mirror,
	.extend = on_extend,
	.staged = on_staged,
	.verdict = on_verdict,
	.drain = on_drain,
	.resume = on_resume,
	.annotate = on_annotate,
	.addr = on_addr,
	.wake = on_wake,
	.log = on_log,
};

static const unsigned char world_key[SLU_BUFFERS_KEY] = {1, 2, 3};

void world_load(struct world *w)
{
	struct slu_err err;

	w->db = slu_db_open(w->db_path, SLU_DB_WRITE, &err);
	expect(w->db, "%s", err.text);
	/* we restart, the machine does not */
	expect_ok(slu_db_script(w->db, "PRAGMA synchronous = OFF", &err), err);
	w->b = slu_buffers_load(w->db, w->conf, world_key, &world_ops, w,
				w->now, &err);
	expect(w->b, "%s", err.text);
}

void world_unload(struct world *w)
{
	slu_buffers_free(w->b);
	slu_db_close(w->db);
}

void world_restart(struct world *w)
{
	world_unload(w);
	world_load(w);
}

/* A database that was used before is as good as a new one, and quicker. */
static void forget_all(const char *path)
{
	struct slu_err err;
	struct slu_db *db = slu_db_open(path, SLU_DB_WRITE, &err);

	expect(db, "%s", err.text);
	expect_ok(
		slu_db_script(db,
			      "PRAGMA synchronous = OFF;"
			      "DELETE FROM Buffer; DELETE FROM BufferNode;"
			      "DELETE FROM BufferPhase; DELETE FROM BufferGate;"
			      "DELETE FROM BufferHistory",
			      &err),
		err);
	slu_db_close(db);
}

void world_new(struct world *w, int n_node, const char *request,
	       const char *more_conf)
{
	static const char *const lines[] = {"FileSystem=fs Driver=glusterfs",
					    "NodeStorage=/local",
					    "SetupTimeout=60",
					    "StageInTimeout=100",
					    "StageOutTimeout=200",
					    "TeardownTimeout=50"};
	struct slu_buf text = {0};
	struct slu_err err;
	int i;

	*w = (struct world){.n_node = n_node, .now = 1000000};
	slu_copy(w->db_path, sizeof(w->db_path), tmpfile_path("burst.db"));
	forget_all(w->db_path);
	each(line, lines) /* unless the test says otherwise */
		if (!more_conf ||
		    strncmp(*line, more_conf, strcspn(*line, "=")) != 0)
			slu_buf_printf(&text, "%s\n", *line);
	slu_buf_puts(&text, more_conf ? more_conf : "");
	w->conf = slu_conf_parse(text.data, "world", &err);
	expect(w->conf, "%s", err.text);
	slu_buf_free(&text);
	for (i = 0; i < n_node; i++) {
		snprintf(w->node[i].name, sizeof(w->node[i].name), "n%d",
			 i + 1);
		w->node[i].fail_at = w->node[i].fail_down = -1;
	}
	snprintf(w->nodes_text, sizeof(w->nodes_text), "n[1-%d]", n_node);
	w->job = (struct slu_job){
		.job_id = JOB,
		.array_task_id = SLU_NO_ID,
		.uid = 1000,
		.user = (char *)"ann",
		.gid = 1000,
		.name = (char *)"work",
		.nodes = w->nodes_text,
		.node_cnt = (uint32_t)n_node,
		.start = 1000000,
		.state = (char *)"RUNNING",
		.request = (char *)request,
	};
	memset(w->drained, '-', (size_t)n_node);
	memset(w->resumed, '-', (size_t)n_node);
	world_load(w);
}

void world_topology(struct world *w, const char *text)
{
	struct slu_document doc = {.extractor = "topology",
				   .text = (char *)(uintptr_t)text,
				   .len = strlen(text)};
	struct slu_map map = {.document = &doc, .n = 1};
	struct slu_receiver *r;
	struct slu_err err;

	doc.hash = slu_document_hash(doc.extractor, text, doc.len);
	r = slu_receiver_new(w->db, &err);
	expect(r, "%s", err.text);
	expect_ok(slu_receive_map(r, "ctl", &map, 1, &err), err);
	slu_receiver_free(r);
}

void world_free(struct world *w)
{
	world_unload(w);
	slu_conf_free(w->conf);
}

void job_start(struct world *w)
{
	struct slu_err err;

	w->started = true;
	expect_ok(slu_buffers_job(w->b, &w->job, false, w->now, &err), err);
}

void job_end(struct world *w, const char *state)
{
	struct slu_err err;

	w->ended = true;
	w->job.state = (char *)state;
	w->job.completing = true;
	expect_ok(slu_buffers_job(w->b, &w->job, true, w->now, &err), err);
}

void job_nodes(struct world *w, const char *left, const char *lost)
{
	const struct slu_job_nodes m = {w->job.job_id, (char *)left,
					(char *)lost};
	struct slu_err err;

	expect_ok(slu_buffers_job_nodes(w->b, &m, w->now, &err), err);
}

void verdict_done(struct world *w)
{
	struct slu_err err;

	w->owes_verdict = false;
	expect_ok(slu_buffers_verdict_done(w->b, w->job.job_id, true, NULL,
					   w->now, &err),
		  err);
}

void sync_all(struct world *w)
{
	struct slu_err err;

	expect_ok(slu_buffers_sync(w->b, &w->job, w->started, w->now, &err),
		  err);
}

bool all_at(const struct world *w, enum where where)
{
	int i;

	for (i = 0; i < w->n_node; i++)
		if (w->node[i].where != where && !w->node[i].cut)
			return false;
	return true;
}

bool world_step(struct world *w)
{
	w->now += 0.05;
	slu_buffers_tick(w->b, w->now);
	if (!w->started) {
		job_start(w);
	} else if (w->owes_verdict && !w->deaf) {
		if (!w->ended)
			job_end(w, w->what == SLU_FAIL ? "FAILED" : "PENDING");
		verdict_done(w);
	} else if (!w->ended && all_at(w, AT_RUN)) {
		job_end(w, "COMPLETED");
	} else if (!all_at(w, AT_END)) {
		step(w, &w->node[w->turn++ % w->n_node]);
	} else if (!w->left) {
		w->left = true;
		job_nodes(w, w->nodes_text, NULL);
	} else {
		return false;
	}
	return true;
}

void run_until(struct world *w, enum where where)
{
	int n;

	for (n = 0; n < 20000 && (!all_at(w, where) || !w->started); n++)
		ck_assert(world_step(w));
	expect(all_at(w, where), "%s %s", w->state, w->text);
}

void run_all(struct world *w)
{
	int n = 0;

	while (world_step(w))
		expect(n++ < 20000, "%s %s", w->state, w->text);
	w->now += 31; /* slurmctld has saved what it did */
	slu_buffers_tick(w->b, w->now);
}

void expect_outcome(struct world *w, const char *want)
{
	struct slu_buf out = {0};
	struct slu_err err;
	struct slu_rows *rows = slu_db_query(
		w->db, &err,
		"SELECT State, FailedIn, Verdict, What, Success,"
		" (SELECT group_concat(State, '') FROM BufferNode b"
		"  WHERE b.BID = Buffer.BID),"
		" (SELECT SUM(Bytes) FROM BufferPhase p"
		"  WHERE p.BID = Buffer.BID),"
		" (SELECT COUNT(*) FROM BufferGate g WHERE g.BID = Buffer.BID)"
		" FROM Buffer ORDER BY BID",
		"");
	const char *text;
	int c;

	while (slu_db_step(rows, &err) > 0)
		for (c = 0; c < slu_db_columns(rows); c++) {
			text = slu_db_text(rows, c);
			slu_buf_printf(&out, "%s ", text ? text : "-");
		}
	slu_db_done(rows);
	slu_buf_printf(&out, "%s %s", w->drained, w->resumed);
	expect(strcmp(out.data, want) == 0, "%s, not %s: %s", out.data, want,
	       w->text);
	slu_buf_free(&out);
	expect_ok(slu_db_check(w->db, &err), err);
	ck_assert_int_eq(w->errors, 0);
}

bool is_member(const struct world *w, uint32_t job_id, const char *node)
{
	struct slu_bb *bb = slu_bb_of(w->b, job_id);

	while (bb && slu_bb_index(bb, node) < 0)
		bb = slu_bb_older(bb);
	return bb;
}

int64_t history_has(struct world *w, const char *words)
{
	struct slu_err err;
	int64_t n;

	expect_ok(slu_db_value(w->db, &n, 0, &err,
			       "SELECT COUNT(*) FROM BufferHistory WHERE BID ="
			       " (SELECT MAX(BID) FROM Buffer)"
			       " AND instr(Text, ?) > 0",
			       "s", words),
		  err);
	return n;
}
