/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests every table of messages: a message filled with different values is
 * encoded, decoded and encoded again to the same text; a missing required key
 * and every prefix of the text are refused.
 */
#include "common/str.h"
#include "wire/ion_assignment.h"
#include "wire/control.h"
#include "tests/unit/harness.h"
#include "wire/node.h"

static const struct slu_desc *const all[] = {
	&slu_hello_ctl_desc,  &slu_job_started_desc,   &slu_job_ended_desc,
	&slu_job_nodes_desc,  &slu_job_cancelled_desc, &slu_assignment_desc,
	&slu_history_desc,    &slu_done_desc,	       &slu_hello_daemon_desc,
	&slu_capacity_desc,   &slu_buffer_desc,	       &slu_extend_desc,
	&slu_hold_desc,	      &slu_requeue_desc,       &slu_fail_desc,
	&slu_cancel_job_desc, &slu_complete_desc,      &slu_drain_desc,
	&slu_resume_desc,     &slu_annotate_desc,      &slu_published_desc,
	&slu_stored_desc,     &slu_history_row_desc,   &slu_history_end_desc,
	&slu_node_ask_desc,   &slu_plan_desc,	       &slu_report_desc,
	&slu_answer_desc,     &slu_barrier_desc,       &slu_barrier_answer_desc,
	&slu_io_report_desc,  &slu_cancel_desc,	       &slu_import_jobs_desc,
	&slu_server_io_desc,  &slu_server_answer_desc, &slu_history_rows_desc,
	&slu_jobs_moved_desc, &slu_io_use_desc,	       &slu_io_capacity_desc,
	&slu_starts_desc,
};

static void fill(const struct slu_desc *desc, char *msg, unsigned *seed)
{
	for (const struct slu_field *f = desc->field; f->name; f++) {
		void *p = msg + f->offset;

		++*seed;
		switch (f->type) {
		case SLU_T_STR:
			*(char **)p = slu_asprintf("t\"\n\\%u", *seed);
			break;
		case SLU_T_U32:
			*(uint32_t *)p = UINT32_MAX - *seed;
			break;
		case SLU_T_U64:
			*(uint64_t *)p = UINT64_MAX - *seed;
			break;
		case SLU_T_I64:
			*(int64_t *)p = INT64_MIN + *seed;
			break;
		case SLU_T_BOOL:
			*(bool *)p = true;
			break;
		case SLU_T_DOUBLE:
			*(double *)p = *seed + 0.1;
			break;
		case SLU_T_STRUCT:
			fill(f->sub, p, seed);
			break;
		case SLU_T_LIST:
			*(char **)p = calloc(2, f->sub->size);
			*(size_t *)(msg + f->count) = 2;
			fill(f->sub, *(char **)p, seed);
			fill(f->sub, *(char **)p + f->sub->size, seed);
			break;
		}
	}
}

static char *filled_text(const struct slu_desc *desc)
{
	char *msg = calloc(1, desc->size), *text;
	unsigned seed = 0;

	fill(desc, msg, &seed);
	text = slu_encode_text(desc, msg);
	slu_msg_free(desc, msg);
	return text;
}

static void round_trip_of(const struct slu_desc *desc)
{
	char *text = filled_text(desc), *again;
	void *msg = calloc(1, desc->size);
	struct slu_err err = {0};

	ck_assert_msg(!slu_decode_text(desc, text, strlen(text), msg, &err),
		      "%s: %s", desc->name, err.text);
	again = slu_encode_text(desc, msg);
	ck_assert_str_eq(text, again);
	slu_msg_free(desc, msg);
	free(again);
	free(text);
}

START_TEST(round_trip)
{
	each(desc, all) round_trip_of(*desc);
}
END_TEST

static void required_of(const struct slu_desc *desc)
{
	char *text = filled_text(desc);
	void *msg = calloc(1, desc->size);

	for (const struct slu_field *f = desc->field; f->name; f++) {
		struct json_object *obj = json_tokener_parse(text);
		struct slu_err err = {0};
		int rc;

		json_object_object_del(obj, f->name);
		rc = slu_decode(desc, obj, msg, &err);
		ck_assert_int_eq(rc, f->required ? -1 : 0);
		if (f->required)
			ck_assert_ptr_nonnull(strstr(err.text, f->name));
		slu_msg_clear(desc, msg);
		json_object_put(obj);
	}
	free(msg);
	free(text);
}

START_TEST(required)
{
	each(desc, all) required_of(*desc);
}
END_TEST

static void truncated_of(const struct slu_desc *desc)
{
	char *text = filled_text(desc);
	void *msg = calloc(1, desc->size);

	for (size_t len = 0; len < strlen(text); len++)
		ck_assert_int_eq(slu_decode_text(desc, text, len, msg, NULL),
				 -1);
	free(msg);
	free(text);
}

START_TEST(truncated)
{
	each(desc, all) truncated_of(*desc);
}
END_TEST

START_TEST(envelope)
{
	struct slu_verdict verdict = {7, "because", true, 3, 0, "n1"}, *back;
	struct slu_job_cancelled job = {3, 0};
	const struct slu_desc *desc;
	struct slu_err err;
	uint64_t id;
	void *msg;
	char *line = slu_envelope(&slu_hold_desc, 42, &verdict);

	ck_assert_int_eq(line[strlen(line) - 1], '\n');
	ck_assert_int_eq(slu_envelope_parse(line, strlen(line), slu_to_ctl,
					    &desc, &id, &msg, &err),
			 0);
	back = msg;
	ck_assert_ptr_eq(desc, &slu_hold_desc);
	ck_assert_uint_eq(id, 42);
	ck_assert_uint_eq(back->job_id, 7);
	ck_assert_str_eq(back->reason, "because");
	slu_msg_free(desc, msg);
	free(line);

	/* What the other side says is unknown here. */
	line = slu_envelope(&slu_job_cancelled_desc, 1, &job);
	ck_assert_int_eq(slu_envelope_parse(line, strlen(line), slu_to_ctl,
					    &desc, &id, &msg, &err),
			 -1);
	ck_assert_int_eq(err.kind, SLU_NOTFOUND);
	free(line);
}
END_TEST

/* `text`: as it stands in JSON. */
static char *rows_line(int version, unsigned id, const char *text)
{
	return slu_asprintf("{\"v\":%d,\"id\":%u,\"type\":\"history_rows\","
			    "\"body\":{\"packed\":\"%s\"}}",
			    version, id, text);
}

static const struct {
	const char *packed, *text;
} texts[] = {
	{"1,2;", "1,2;"},
	{"", ""},
	{"/\x7f\xc3\xa4\xff;", "/\x7f\xc3\xa4\xff;"},
	{"a\nb\\\"}}", "a\\nb\\\\\\\"}}"},
};

/* Written as a whole where nothing is to be escaped: the same as JSON. */
START_TEST(long_text)
{
	each(c, texts)
	{
		struct slu_history_rows rows = {(char *)(uintptr_t)c->packed};
		char *is = slu_envelope(&slu_history_rows_desc, 0, &rows),
		     *line = rows_line(SLU_WIRE_VERSION, 0, c->text),
		     *want = slu_asprintf("%s\n", line);

		ck_assert_str_eq(is, want);
		free(want);
		free(line);
		free(is);
	}
}
END_TEST

static void check_rows(const char *line, size_t len, unsigned id,
		       const char *packed)
{
	const struct slu_desc *desc;
	struct slu_err err;
	uint64_t is;
	void *msg;
	int rc = slu_envelope_parse(line, len, slu_to_ctl, &desc, &is, &msg,
				    &err);

	expect((rc == 0) == (packed != NULL), "%.*s: %d", (int)len, line, rc);
	if (rc < 0)
		return;
	ck_assert_ptr_eq(desc, &slu_history_rows_desc);
	ck_assert_uint_eq(is, id);
	ck_assert_str_eq(((struct slu_history_rows *)msg)->packed, packed);
	slu_msg_free(desc, msg);
}

/* Known as a whole or not, it is the same; half of it, or more, is nothing. */
START_TEST(long_text_parsed)
{
	each(c, texts)
	{
		for (int version = 0; version < 5; version++) {
			unsigned id = version == 4 ? 9 : 0;
			char *line = rows_line(version, id, c->text),
			     *longer = slu_asprintf("%s\n", line),
			     *wrong = slu_asprintf("%s}", line);
			size_t len = strlen(line);

			check_rows(line, len, id, c->packed);
			check_rows(longer, len + 1, id, c->packed);
			check_rows(wrong, len + 1, id, NULL);
			for (size_t n = 0; n < len; n++)
				check_rows(line, n, id, NULL);
			free(wrong);
			free(longer);
			free(line);
		}
	}
}
END_TEST

/* Not even where it looks alike at both ends. */
START_TEST(long_text_alike)
{
	static const struct {
		const char *text, *packed; /* NULL: refused */
	} cases[] = {
		{"1;\",\"more\":\"2", "1;"},
		{"1;\"x", NULL},
		{"1;\\", NULL},
		{"\\u0031;", "1;"},
	};

	each(c, cases)
	{
		char *line = rows_line(SLU_WIRE_VERSION, 0, c->text);

		check_rows(line, strlen(line), 0, c->packed);
		free(line);
	}
}
END_TEST

static const struct {
	const char *text;
	const char *complaint;
} refused[] = {
	{"{\"job_id\":-1}", "job_id"},
	{"{\"job_id\":4294967296}", "job_id"},
	{"{\"job_id\":\"x\"}", "job_id"},
	{"{\"job_id\":1,\"state\":5}", "state"},
	{"{\"job_id\":1,\"completing\":\"yes\"}", "completing"},
	{"{\"job_id\":1,\"submit\":1.5}", "submit"},
	{"[]", "object"},
	{"{\"job_id\":1} x", "job"},
};

START_TEST(wrong_types)
{
	struct slu_job job;
	struct slu_err err;

	each(c, refused)
		expect_fail(slu_decode_text(&slu_job_desc, c->text,
					    strlen(c->text), &job, &err),
			    err, SLU_INVALID, c->complaint);
}
END_TEST

START_TEST(unknown_field_is_ignored)
{
	const char *text = "{\"job_id\":1,\"tomorrow\":{\"a\":[1,2]}}";
	struct slu_job job;

	ck_assert_int_eq(
		slu_decode_text(&slu_job_desc, text, strlen(text), &job, NULL),
		0);
	ck_assert_uint_eq(job.job_id, 1);
	slu_msg_clear(&slu_job_desc, &job);
}
END_TEST

START_TEST(job_copy)
{
	struct slu_job job = {.job_id = 5, .name = "a", .nodes = "n[1-2]"};
	struct slu_job copy;

	ck_assert_int_eq(slu_job_copy(&copy, &job), 0);
	ck_assert_uint_eq(copy.job_id, 5);
	ck_assert_str_eq(copy.nodes, "n[1-2]");
	ck_assert_ptr_ne(copy.nodes, job.nodes);
	ck_assert_ptr_null(copy.user);
	slu_msg_clear(&slu_job_desc, &copy);
}
END_TEST

/* Members that were renamed have the keys that older releases know. */
START_TEST(keys_of_older_releases)
{
	struct slu_prefetch_report is = {
		.job_id = 1, .prefetched = 2, .used = 1};
	struct slu_plan early = {.early = true};
	const struct {
		const struct slu_desc *desc;
		const void *msg;
		const char *want;
	} cases[] = {
		{&slu_plan_desc, &early, "\"ahead\":true"},
		{&slu_buffer_desc, &(struct slu_buffer_state){.early = true},
		 "\"ahead\":true"},
		{&slu_node_ask_desc,
		 &(struct slu_node_ask){.prefetch = &is, .n_prefetch = 1},
		 "\"ahead\":[{\"job_id\":1,\"brought\":2,\"used\":1"},
		{&slu_node_inventory_desc,
		 &(struct slu_node_inventory){.prefetch = &early,
					      .n_prefetch = 1,
					      .prefetch_complete = true,
					      .prefetch_dropped =
						      (char *)(uintptr_t) "7 "},
		 "\"ahead_whole\":true,\"ahead_gone\":\"7 \""},
	};

	each(c, cases)
	{
		char *text = slu_encode_text(c->desc, c->msg);

		expect(text && strstr(text, c->want), "%s", text);
		free(text);
	}
}
END_TEST

TEST_MAIN("wire", round_trip, required, truncated, envelope, long_text,
	  long_text_parsed, long_text_alike, wrong_types,
	  unknown_field_is_ignored, job_copy, keys_of_older_releases)
