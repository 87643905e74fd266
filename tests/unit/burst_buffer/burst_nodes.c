/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Simulates the job's nodes of burst_world.h: what they ask sluiced, and their
 * steps through up and down. */
#include "config.h"
#include "tests/unit/burst_buffer/burst_world.h"

#define PATIENCE 1000
#define DETACHED 6

/* Its tasks may have. */
static bool has_run(const struct actor *a)
{
	return a->where != AT_UP && a->buffer && !a->aborted;
}

static void hear_err(struct heard *h, const struct slu_err *err)
{
	slu_copy(h->word, sizeof(h->word), slu_kind_name(err->kind));
}

struct heard ask_plan(struct world *w, struct actor *a)
{
	const struct slu_node_ask ask = {.job_id = w->job.job_id,
					 .buffer = a->buffer,
					 .node = a->name,
					 .restarts = w->job.restarts};
	struct heard h = {.word = "go"};
	struct slu_text *text = NULL;
	struct slu_plan plan;
	struct slu_err err = {0};
	char *secret;

	if (slu_buffers_plan(w->b, &ask, w->now, &text, &secret, &err)) {
		hear_err(&h, &err);
		return h;
	}
	expect_ok(slu_decode_text(&slu_plan_desc, text->data, text->len, &plan,
				  &err),
		  err);
	ck_assert_ptr_null(plan.secret);
	a->buffer = plan.buffer;
	ck_assert_uint_eq(strlen(secret), 32);
	slu_copy(h.attrs, sizeof(h.attrs), secret);
	slu_msg_clear(&slu_plan_desc, &plan);
	slu_text_unref(text);
	free(secret);
	return h;
}

struct heard report(struct world *w, const struct actor *a, struct slu_report r)
{
	struct heard h = {.word = ""};
	struct slu_answer answer;
	struct slu_err err = {0};

	r.job_id = w->job.job_id;
	r.buffer = a->buffer;
	r.node = (char *)a->name;
	r.seconds = 0.5;
	r.ran = has_run(a);
	if (slu_buffers_report(w->b, &r, w->now, &answer, &err)) {
		hear_err(&h, &err);
		return h;
	}
	slu_copy(h.word, sizeof(h.word), answer.word);
	h.success = answer.success;
	h.ran = answer.ran;
	if (!strcmp(answer.word, "skip"))
		slu_copy(w->skipped, sizeof(w->skipped),
			 answer.text ? answer.text : "");
	slu_msg_clear(&slu_answer_desc, &answer);
	return h;
}

struct heard barrier(struct world *w, const struct actor *a, const char *name,
		     const char *attr)
{
	const struct slu_barrier come = {w->job.job_id,	  a->buffer,
					 (char *)a->name, (char *)name,
					 (char *)attr,	  has_run(a)};
	struct heard h = {.word = ""};
	struct slu_barrier_answer answer;
	struct slu_err err = {0};
	struct slu_text *text = NULL;
	size_t i, n = 0;

	if (slu_buffers_barrier(w->b, &come, w->now, &text, &err)) {
		hear_err(&h, &err);
		return h;
	}
	expect_ok(slu_decode_text(&slu_barrier_answer_desc, text->data,
				  text->len, &answer, &err),
		  err);
	slu_text_unref(text);
	slu_copy(h.word, sizeof(h.word), answer.word);
	slu_copy(h.away, sizeof(h.away), answer.away);
	for (i = 0; i < 2; i++)
		if (answer.text && !strcmp(name, i ? "out.done" : "ready"))
			slu_copy(w->told[i], sizeof(w->told[i]), answer.text);
	for (i = 0; i < answer.n_attr; i++)
		n += (size_t)snprintf(h.attrs + n, sizeof(h.attrs) - n,
				      "%s=%s ", answer.attr[i].key,
				      answer.attr[i].value);
	slu_msg_clear(&slu_barrier_answer_desc, &answer);
	return h;
}

struct heard poll_word(struct world *w, const struct actor *a, const char *seen)
{
	const struct slu_node_ask ask = {
		.job_id = w->job.job_id,
		.buffer = a->buffer,
		.node = (char *)a->name,
		.seen = (char *)seen,
		.copied = a->copied,
		.to_copy = a->files || a->copied ? 4096 : 0,
		.copied_files = a->files,
		.files_to_copy = a->files ? 20 : 0,
		.ready = has_run(a),
	};
	struct heard h = {.word = ""};
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

const char *const up_steps[N_UP] = {"plan",
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

const char *const down_steps[N_DOWN] = {
	"report down",	      "barrier out.1.manifest", "barrier out.1.copied",
	"report out.1.share", "barrier out.1.verified", "barrier out.done",
	"barrier detached",   "report stopped",		"report clean"};

struct heard do_step(struct world *w, struct actor *a, const char *step,
		     bool ok)
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
	if (ok && strcmp(r.step, "clean") == 0)
		r.bytes = a->keeps;
	return report(w, a, r);
}

static bool is(const struct heard *h, const char *word)
{
	return strcmp(h->word, word) == 0;
}

/* As talk.c and receipts.c do. */
static void keep_receipt(struct actor *a, const char *step, bool ok)
{
	struct receipt *to = &a->receipt[a->n_receipt];

	if (a->n_receipt == N_DOWN_TOLD)
		return;
	a->n_receipt++;
	slu_copy(to->step, sizeof(to->step), step);
	to->ok = ok;
}

static void note_receipt(struct actor *a, const char *step, bool ok,
			 const struct heard *h)
{
	if (is(h, "abort") && !strcmp(step, "barrier out.done"))
		keep_receipt(a, "report aborted", false);
	if (!is(h, "go") && !is(h, "skip") && !is(h, "abort"))
		return;
	if (!strncmp(step, "report out.", 11) ||
	    (!strcmp(step, "report clean") && ok))
		keep_receipt(a, step, ok);
}

static bool is_owed(struct world *w, const struct actor *a)
{
	struct slu_buf text = {0};
	struct slu_node_inventory owed;
	struct slu_err err;
	bool has = false;

	expect_ok(
		slu_buffers_node_inventory(w->b, a->name, w->now, &text, &err),
		err);
	expect_ok(slu_decode_text(&slu_node_inventory_desc, text.data, text.len,
				  &owed, &err),
		  err);
	for (size_t i = 0; i < owed.n_plan; i++)
		has = has || owed.plan[i].buffer == a->buffer;
	slu_msg_clear(&slu_node_inventory_desc, &owed);
	slu_buf_free(&text);
	return has;
}

bool show_receipts(struct world *w, struct actor *a)
{
	if (a->where != AT_END || !a->n_receipt || !is_owed(w, a))
		return false;
	for (int i = 0; i < a->n_receipt; i++)
		do_step(w, a, a->receipt[i].step, a->receipt[i].ok);
	return true;
}

static void step_up(struct world *w, struct actor *a)
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
		if (is(&h, "invalid"))
			do_step(w, a, "report failed", false);
		a->where = AT_RUN; /* up exits 0; the job will not run here */
		a->aborted = true;
		return;
	}
	if (++a->pos == N_UP)
		a->where = AT_RUN;
}

/* What this node knows better it says; false: not yet. */
static bool told_doubt(struct world *w, struct actor *a)
{
	struct heard h = do_step(w, a, "report doubted", false);

	if (is(&h, "busy") && ++a->doubts < PATIENCE)
		return false;
	a->keep = true;
	return true;
}

static void step_down(struct world *w, struct actor *a)
{
	const char *step = down_steps[a->pos];
	bool ok = a->pos != a->fail_down;
	struct heard h = do_step(w, a, step, ok);

	if (is(&h, "busy") && ++a->breath)
		return;
	a->breath = 0;
	note_receipt(a, step, ok, &h);
	if (is(&h, "notfound")) { /* it is over; clean by ourselves */
		if (has_run(a) && a->pos <= OUT_DONE && !told_doubt(w, a))
			return;
		a->wiped = true;
		a->where = AT_END;
		return;
	}
	if (is(&h, "skip")) {
		if (has_run(a) && !h.ran && !told_doubt(w, a))
			return;
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

void step(struct world *w, struct actor *a)
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
