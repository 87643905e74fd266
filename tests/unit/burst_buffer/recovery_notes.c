/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements the helpers of recovery_notes.h. */
#include "config.h"
#include "tests/unit/burst_buffer/recovery_notes.h"
#include <stdlib.h>
#include "burst_buffer/node/node.h"
#include "tests/unit/tmpdir.h"

/* Notes of one node about the plan. Caller frees. */
static char *note(const char *node, struct slu_plan *plan)
{
	struct slu_node n = {.job_id = plan->job_id};
	struct slu_err err;
	char *text;

	slu_copy(n.name, sizeof(n.name), node);
	slu_copy(n.dir, sizeof(n.dir), tmpdir());
	expect_ok(slu_node_take_plan(&n, plan, &err), err);
	expect_ok(slu_note_plan(&n, &err), err);
	text = slu_note_get(&n, "plan.json");
	ck_assert_ptr_nonnull(text);
	slu_node_close(&n);
	return text;
}

char *noted_by(struct world *w, int i)
{
	struct slu_err err;
	struct slu_rows *rows =
		slu_db_query(w->db, &err, "SELECT Plan FROM Buffer", "");
	struct slu_plan plan;
	const char *json;

	ck_assert_int_eq(slu_db_step(rows, &err), 1);
	json = slu_db_text(rows, 0);
	expect_ok(slu_decode_text(&slu_plan_desc, json, strlen(json), &plan,
				  &err),
		  err);
	slu_db_done(rows);
	plan.buffer = w->node[0].buffer;
	return note(w->node[i].name, &plan);
}

char *noted(struct world *w)
{
	return noted_by(w, 0);
}

void restore(struct world *w, bool same_numbers)
{
	struct slu_err err;
	struct slu_db *db;

	world_unload(w);
	db = slu_db_open(w->db_path, SLU_DB_WRITE, &err);
	expect(db, "%s", err.text);
	expect_ok(
		slu_db_script(db,
			      "DELETE FROM Buffer; DELETE FROM BufferNode;"
			      "DELETE FROM BufferPhase; DELETE FROM BufferGate;"
			      "DELETE FROM BufferHistory",
			      &err),
		err);
	if (same_numbers)
		expect_ok(
			slu_db_script(db, "DELETE FROM sqlite_sequence", &err),
			err);
	slu_db_close(db);
	world_load(w);
	w->give_back = 0;
}

/* What a node that is ready is told. */
static struct heard poll_ready(struct world *w, int i, const char *plan)
{
	const struct slu_node_ask ask = {.job_id = JOB,
					 .buffer = w->node[i].buffer,
					 .node = w->node[i].name,
					 .seen = (char *)"",
					 .ready = true,
					 .plan = (char *)plan};
	struct heard h = {.word = ""};
	struct slu_answer answer;
	struct slu_err err = {0};

	if (slu_buffers_poll(w->b, &ask, w->now, &answer, &err)) {
		slu_copy(h.word, sizeof(h.word), slu_kind_name(err.kind));
		return h;
	}
	slu_copy(h.word, sizeof(h.word), answer.word);
	slu_msg_clear(&slu_answer_desc, &answer);
	return h;
}

void told(struct world *w, int i, const char *plan, const char *want)
{
	const struct heard h = poll_ready(w, i, plan);

	ck_assert_str_eq(h.word, want);
}

char *with(const char *text, void (*change)(struct slu_plan *plan))
{
	struct slu_plan plan;
	struct slu_err err;
	char *out;

	expect_ok(slu_decode_text(&slu_plan_desc, text, strlen(text), &plan,
				  &err),
		  err);
	change(&plan);
	out = slu_encode_text(&slu_plan_desc, &plan);
	slu_msg_clear(&slu_plan_desc, &plan);
	return out;
}
