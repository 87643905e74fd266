/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_BURST_WORLD_H
#define SLU_TESTS_BURST_WORLD_H

/*
 * A small world for tests of the buffers: a database, slurmctld (one job) and
 * the job's nodes, each of which walks through the steps of up and down as
 * sluice-node does. Everything that the buffers want done is recorded.
 */

#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"
#include "burst_buffer/buffers.h"
#include "common/str.h"

#define MAX_NODES 8
#define JOB	  17

enum where { AT_UP, AT_RUN, AT_DOWN, AT_END };

/* What a node does next. */
struct actor {
	char name[16];
	enum where where;
	int pos;	 /* the step in up or down */
	uint64_t buffer; /* from the plan; 0: it has none */
	bool aborted;	 /* up was told so */
	bool cut;	 /* it is off the network */
	bool gone;	 /* it was, once */
	bool keep;	 /* down was told abort: it keeps the data */
	bool skip;	 /* down was told skip */
	uint64_t staged; /* bit R: this node's share has arrived */
	bool wiped;
	uint64_t copied; /* it tells when it polls */
	int fail_at;	 /* report failure at this step of up (-1: never) */
	int fail_down;
	unsigned breath; /* times it was told busy in a row */
};

struct world {
	char db_path[256];
	struct slu_db *db;
	struct slu_conf *conf;
	struct slu_buffers *b;
	double now;
	struct actor node[MAX_NODES];
	int n_node;
	/* slurmctld */
	struct slu_job job;
	char nodes_text[80];
	bool started, ended;
	bool left; /* its nodes have left */
	bool deaf; /* it does not answer commands */
	int turn;
	/* recorded */
	int verdicts, drains, resumes, mirrors, annotates, errors;
	enum slu_on_failure what;
	char reason[512];
	char state[16], text[512];
	char drained[MAX_NODES + 1], resumed[MAX_NODES + 1];
	int64_t give_back;
	bool final;
	bool owes_verdict; /* told, not yet answered */
	bool trace;
	int crash_in; /* callbacks until the process dies; 0: it lives */
};

#define PATIENCE 1000

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
	slu_copy(w->reason, sizeof(w->reason), v->reason);
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

static const char *on_addr(void *arg, const char *node)
{
	(void)arg;
	return strcmp(node, "n1") == 0 ? "10.0.0.1" : NULL;
}

static const struct slu_buffers_ops world_ops = {
	.mirror = on_mirror,
	.extend = on_extend,
	.verdict = on_verdict,
	.drain = on_drain,
	.resume = on_resume,
	.annotate = on_annotate,
	.addr = on_addr,
	.wake = on_wake,
	.log = on_log,
};

static const unsigned char world_key[SLU_BUFFERS_KEY] = {1, 2, 3};

static inline void world_load(struct world *w)
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

static inline void world_unload(struct world *w)
{
	slu_buffers_free(w->b);
	slu_db_close(w->db);
}

static inline void world_restart(struct world *w)
{
	world_unload(w);
	world_load(w);
}

/* A database that was used before is as good as a new one, and quicker. */
static inline void forget_all(const char *path)
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

static inline void world_new(struct world *w, int n_node, const char *request,
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

static inline void world_free(struct world *w)
{
	world_unload(w);
	slu_conf_free(w->conf);
}

/* slurmctld */

static inline void job_start(struct world *w)
{
	struct slu_err err;

	w->started = true;
	expect_ok(slu_buffers_job(w->b, &w->job, false, w->now, &err), err);
}

static inline void job_end(struct world *w, const char *state)
{
	struct slu_err err;

	w->ended = true;
	w->job.state = (char *)state;
	w->job.completing = true;
	expect_ok(slu_buffers_job(w->b, &w->job, true, w->now, &err), err);
}

static inline void job_nodes(struct world *w, const char *left,
			     const char *lost)
{
	const struct slu_job_nodes m = {JOB, (char *)left, (char *)lost};
	struct slu_err err;

	expect_ok(slu_buffers_job_nodes(w->b, &m, w->now, &err), err);
}

static inline void verdict_done(struct world *w)
{
	struct slu_err err;

	w->owes_verdict = false;
	expect_ok(slu_buffers_verdict_done(w->b, JOB, true, NULL, w->now, &err),
		  err);
}

static inline void sync_all(struct world *w)
{
	struct slu_err err;

	expect_ok(slu_buffers_sync(w->b, &w->job, w->started, w->now, &err),
		  err);
}

/* Nodes */

/* The word of an answer is copied here; "busy", "notfound", "denied",
 * "invalid" for errors. */
struct heard {
	char word[16];
	bool success;
	char attrs[256];
};

static inline void hear_err(struct heard *h, const struct slu_err *err)
{
	slu_copy(h->word, sizeof(h->word), slu_kind_name(err->kind));
}

static inline struct heard ask_plan(struct world *w, struct actor *a)
{
	const struct slu_node_ask ask = {.job_id = JOB,
					 .buffer = a->buffer,
					 .node = a->name,
					 .restarts = w->job.restarts};
	struct heard h = {"go", false, ""};
	struct slu_buf text = {0};
	struct slu_plan plan;
	struct slu_err err = {0};
	char *secret;

	if (slu_buffers_plan(w->b, &ask, w->now, &text, &secret, &err)) {
		hear_err(&h, &err);
		return h;
	}
	expect_ok(slu_decode_text(&slu_plan_desc, text.data, text.len, &plan,
				  &err),
		  err);
	ck_assert_ptr_null(plan.secret);
	a->buffer = plan.buffer;
	ck_assert_uint_eq(strlen(secret), 32);
	slu_copy(h.attrs, sizeof(h.attrs), secret);
	slu_msg_clear(&slu_plan_desc, &plan);
	slu_buf_free(&text);
	free(secret);
	return h;
}

static inline struct heard report(struct world *w, const struct actor *a,
				  struct slu_report r)
{
	struct heard h = {"", false, ""};
	struct slu_answer answer;
	struct slu_err err = {0};

	r.job_id = JOB;
	r.buffer = a->buffer;
	r.node = (char *)a->name;
	r.seconds = 0.5;
	if (slu_buffers_report(w->b, &r, w->now, &answer, &err)) {
		hear_err(&h, &err);
		return h;
	}
	slu_copy(h.word, sizeof(h.word), answer.word);
	h.success = answer.success;
	slu_msg_clear(&slu_answer_desc, &answer);
	return h;
}

static inline struct heard barrier(struct world *w, const struct actor *a,
				   const char *name, const char *attr)
{
	const struct slu_barrier come = {JOB, a->buffer, (char *)a->name,
					 (char *)name, (char *)attr};
	struct heard h = {"", false, ""};
	struct slu_barrier_answer answer;
	struct slu_err err = {0};
	size_t i, n = 0;

	if (slu_buffers_barrier(w->b, &come, w->now, &answer, &err)) {
		hear_err(&h, &err);
		return h;
	}
	slu_copy(h.word, sizeof(h.word), answer.word);
	for (i = 0; i < answer.n_attr; i++)
		n += (size_t)snprintf(h.attrs + n, sizeof(h.attrs) - n,
				      "%s=%s ", answer.attr[i].key,
				      answer.attr[i].value);
	slu_msg_clear(&slu_barrier_answer_desc, &answer);
	return h;
}

static inline struct heard poll_word(struct world *w, const struct actor *a,
				     const char *seen)
{
	const struct slu_node_ask ask = {
		.job_id = JOB,
		.buffer = a->buffer,
		.node = (char *)a->name,
		.seen = (char *)seen,
		.copied = a->copied,
		.to_copy = a->copied ? 4096 : 0,
	};
	struct heard h = {"", false, ""};
	struct slu_answer answer;
	struct slu_err err = {0};

	if (slu_buffers_poll(w->b, &ask, w->now, &answer, &err)) {
		hear_err(&h, &err);
		return h;
	}
	slu_copy(h.word, sizeof(h.word), answer.word);
	slu_msg_clear(&slu_answer_desc, &answer);
	return h;
}

/* The walk: two stage requests, 0 goes in and 1 goes out; 10 files of 100
 * bytes per node each. */
static const char *const up_steps[] = {"plan",
				       "report storage",
				       "report server",
				       "barrier servers",
				       "report attach",
				       "barrier mounted",
				       "barrier in.0.manifest",
				       "barrier in.0.copied",
				       "report in.0.share",
				       "barrier in.0.verified",
				       "report ready",
				       "barrier ready"};
static const char *const down_steps[] = {
	"report down",	      "barrier out.1.manifest", "barrier out.1.copied",
	"report out.1.share", "barrier out.1.verified", "barrier out.done",
	"barrier detached",   "report stopped",		"report clean"};
#define N_UP   (int)(sizeof(up_steps) / sizeof(up_steps[0]))
#define N_DOWN (int)(sizeof(down_steps) / sizeof(down_steps[0]))
#define WALK                                         \
	"jobfs capacity=4GiB; stage_in source=/src " \
	"destination=$BB_JOBFS/in; stage_out "       \
	"source=$BB_JOBFS/out destination=/dst"
#define OUT_DONE 5
#define DETACHED 6

static inline struct heard do_step(struct world *w, struct actor *a,
				   const char *step, bool ok)
{
	uint64_t n = (uint64_t)w->n_node;
	struct slu_report r = {.ok = ok,
			       .text = ok ? NULL : (char *)"it broke"};
	bool share = strstr(step, "share") != NULL;

	if (strcmp(step, "plan") == 0)
		return ask_plan(w, a);
	if (strncmp(step, "barrier ", 8) == 0)
		return barrier(w, a, step + 8, a->name);
	r.step = (char *)step + 7;
	r.phase = (char *)(a->where == AT_UP ? "setup" : "teardown");
	if (share) {
		r.phase =
			(char *)(a->where == AT_UP ? "stage_in" : "stage_out");
		r.bytes = 1000;
		r.files = 10;
		r.total_bytes = 1000 * n;
		r.total_files = 10 * n;
	}
	return report(w, a, r);
}

static inline bool is(const struct heard *h, const char *word)
{
	return strcmp(h->word, word) == 0;
}

static inline void step_up(struct world *w, struct actor *a)
{
	const char *step = up_steps[a->pos];
	bool ok = a->pos != a->fail_at;
	struct heard h;

	if (!ok && strncmp(step, "report", 6) != 0)
		step = "report failed";
	h = do_step(w, a, step, ok);
	/* its patience for the plan has an end */
	if (is(&h, "busy") && (++a->breath < PATIENCE || a->buffer))
		return;
	a->breath = 0;
	if (is(&h, "go") && !ok)
		ck_abort_msg("%s: a failure was told go", step);
	if (!is(&h, "go")) {
		a->where = AT_RUN; /* up exits 0; the job will not run here */
		a->aborted = true;
		return;
	}
	if (++a->pos == N_UP)
		a->where = AT_RUN;
}

static inline void step_down(struct world *w, struct actor *a)
{
	const char *step = down_steps[a->pos];
	bool ok = a->pos != a->fail_down;
	struct heard h = do_step(w, a, step, ok);

	if (is(&h, "busy") && ++a->breath)
		return;
	a->breath = 0;
	if (is(&h, "notfound")) { /* it is over; clean by ourselves */
		a->wiped = true;
		a->where = AT_END;
		return;
	}
	if (is(&h, "skip")) {
		a->skip = true;
		a->pos = DETACHED;
		return;
	}
	if (is(&h, "abort") && a->pos != OUT_DONE) {
		a->keep = true;
		a->pos = OUT_DONE;
		return;
	}
	a->keep = a->keep || is(&h, "abort");
	if (strstr(step, "share") && ok)
		a->staged = 1;
	if (!ok) { /* the next try is well */
		a->fail_down = -1;
		return;
	}
	a->pos++;
	if (a->pos == N_DOWN) {
		a->wiped = true;
		a->where = AT_END;
	}
}

/* One step of this node, if it can do any. */
static inline void step(struct world *w, struct actor *a)
{
	if (a->cut)
		return;
	if (a->where == AT_UP && w->started)
		step_up(w, a);
	else if (a->where == AT_RUN && w->ended) {
		a->where = a->buffer ? AT_DOWN : AT_END;
		a->pos = 0;
	} else if (a->where == AT_DOWN)
		step_down(w, a);
}

static inline bool all_at(const struct world *w, enum where where)
{
	int i;

	for (i = 0; i < w->n_node; i++)
		if (w->node[i].where != where && !w->node[i].cut)
			return false;
	return true;
}

/* The next thing that happens: slurmctld starts the job, ends it when every
 * node has been set up, answers a verdict with the job's end, and says which
 * nodes left; between, the nodes step in turn. False at the end. */
static inline bool world_step(struct world *w)
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

/* The same until all nodes are there. */
static inline void run_until(struct world *w, enum where where)
{
	int n;

	for (n = 0; n < 20000 && (!all_at(w, where) || !w->started); n++)
		ck_assert(world_step(w));
	expect(all_at(w, where), "%s %s", w->state, w->text);
}

static inline void run_all(struct world *w)
{
	int n = 0;

	while (world_step(w))
		expect(n++ < 20000, "%s %s", w->state, w->text);
	w->now += 31; /* slurmctld has saved what it did */
	slu_buffers_tick(w->b, w->now);
}

#endif
