/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests random requests from the pieces of the grammar: the canonical text must
 * parse to the same request. */
#include "config.h"
#include "tests/unit/harness.h"
#include "burst_buffer/request/request.h"
#include "common/str.h"

/* Requests made at random from the pieces of the grammar: the canonical text
 * parses to the same. */
static void add_random(struct slu_buf *buf, unsigned *seed)
{
	static const char chars[] = "ab/.%;\"\\ '&|#=\t\xc3\xa9$";
	static const char *const heads[] = {"source", "destination"};
	size_t h;
	int n;

	each(head, heads)
	{
		slu_buf_printf(buf, " %s=\"x", *head);
		for (n = rand_r(seed) % 12; n > 0; n--) {
			h = (size_t)rand_r(seed) % (sizeof(chars) - 1);
			if (chars[h] == '"' || chars[h] == '\\')
				slu_buf_puts(buf, "\\");
			slu_buf_add(buf, &chars[h], 1);
			if (chars[h] == '$')
				slu_buf_puts(buf, "{SLURM_JOB_ID}");
		}
		slu_buf_puts(buf, "\"");
	}
}

static void random_request(struct slu_buf *buf, unsigned *seed)
{
	static const char *const tells[] = {"", " tell=no", " tell=yes"};
	int n;

	if (rand_r(seed) % 2)
		slu_buf_printf(buf, "capacity=%d%s%s%s;", 1 + rand_r(seed) % 99,
			       rand_r(seed) % 2 ? "GB" : "",
			       rand_r(seed) % 2 ? " name=w type=t" : "",
			       tells[rand_r(seed) % 3]);
	for (n = rand_r(seed) % 3; n > 0; n--) {
		bool out = rand_r(seed) % 2;

		slu_buf_puts(buf, out ? "stage_out" : "stage_in");
		add_random(buf, seed);
		slu_buf_printf(buf, "%s%s;",
			       rand_r(seed) % 2 ? " type=file" : "",
			       out && rand_r(seed) % 2 ? " on=failure" : "");
	}
	if (rand_r(seed) % 2)
		slu_buf_printf(buf, "forward max=%d;", 1 + rand_r(seed) % 9);
	if (rand_r(seed) % 2)
		slu_buf_puts(buf, "limit tighten=no;");
	if (rand_r(seed) % 2)
		slu_buf_puts(buf, "bandwidth wait=no");
}

static void expect_same(const struct slu_request *a,
			const struct slu_request *b)
{
	size_t i;

	ck_assert_int_eq(a->has_fs, b->has_fs);
	ck_assert(slu_eq(a->fs, b->fs));
	ck_assert(slu_eq(a->name, b->name));
	ck_assert_uint_eq(a->capacity, b->capacity);
	ck_assert_int_eq(a->tell, b->tell);
	ck_assert_int_eq(a->has_forward, b->has_forward);
	ck_assert_uint_eq(a->forward_max, b->forward_max);
	ck_assert(a->keep_limit == b->keep_limit);
	ck_assert(a->no_io_wait == b->no_io_wait);
	ck_assert_pstr_eq(a->forward_pattern, b->forward_pattern);
	ck_assert_uint_eq(a->n_stage, b->n_stage);
	for (i = 0; i < a->n_stage; i++) {
		ck_assert_str_eq(a->stage[i].source, b->stage[i].source);
		ck_assert_str_eq(a->stage[i].destination,
				 b->stage[i].destination);
		ck_assert_int_eq(a->stage[i].out, b->stage[i].out);
		ck_assert_int_eq(a->stage[i].type, b->stage[i].type);
		ck_assert_int_eq(a->stage[i].on, b->stage[i].on);
	}
}

START_TEST(test_round_trip)
{
	struct slu_request first, second;
	struct slu_err err;
	unsigned seed;

	for (seed = 1; seed <= 2000; seed++) {
		struct slu_buf buf = {0};
		unsigned state = seed;
		char *text;

		random_request(&buf, &state);
		expect_ok(slu_request_parse(buf.data, NULL, &first, &err), err);
		text = slu_request_text(&first);
		expect_ok(slu_request_parse(text, NULL, &second, &err), err);
		expect_same(&first, &second);
		ck_assert_ptr_null(strchr(text, '\n'));
		slu_request_free(&first);
		slu_request_free(&second);
		free(text);
		slu_buf_free(&buf);
	}
}
END_TEST

TEST_MAIN("request round", test_round_trip)
