/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests that equal long answers are kept in memory once, as long as a client is
 * receiving them; and their compression. */
#include "config.h"
#include "sluiced/http/shared_bodies.h"
#include "tests/unit/harness.h"

#include <microhttpd.h>
#include "common/cred.h"

#define LEN 100000

static struct slu_text *share(struct slu_shared_bodies *all, char c, size_t len)
{
	char *data = malloc(LEN);

	memset(data, c, LEN);
	return slu_shared_bodies_share(all, data, len);
}

/* Equal long ones are one text, as long as somebody is sent it. */
START_TEST(test_share)
{
	static const struct {
		char c;
		size_t len;
		bool same;
	} cases[] = {
		{'a', LEN, true}, {'b', LEN, false}, {'a', LEN - 1, false},
		{'a', 7, false},  {'a', 0, false},
	};
	struct slu_shared_bodies all = {0};
	struct slu_text *first = share(&all, 'a', LEN);

	each(c, cases)
	{
		struct slu_text *t = share(&all, c->c, c->len);
		char hash[65];

		expect((t == first) == c->same, "%c %zu", c->c, c->len);
		slu_sha256(t->data, t->len, hash);
		ck_assert_str_eq(slu_shared_hash(t), hash);
		ck_assert_str_eq(slu_shared_hash(t), hash);
		slu_text_unref(t);
	}
	slu_shared_bodies_sweep(&all);
	ck_assert_ptr_eq(share(&all, 'a', LEN), first);
	ck_assert_uint_eq(first->refs, 3);
	slu_text_unref(first);
	slu_text_unref(first);
	slu_shared_bodies_sweep(&all);
	each(slot, all.latest) ck_assert_ptr_null(*slot);
}
END_TEST

/* More than are compared. */
START_TEST(test_many)
{
	struct slu_shared_bodies all = {0};

	for (int i = 0; i < 3 * SLU_SHARED_LATEST; i++)
		slu_text_unref(share(&all, (char)i, LEN));
	slu_shared_bodies_sweep(&all);
	each(slot, all.latest) ck_assert_ptr_null(*slot);
}
END_TEST

static bool is_gzip(struct MHD_Response *r)
{
	const char *how = MHD_get_response_header(r, "Content-Encoding");

	return how && !strcmp(how, "gzip");
}

#ifdef HAVE_ZLIB
#define ZLIB true
#else
#define ZLIB false
#endif

/* From the second answer on, for those who read it, and no short text. */
START_TEST(test_gzip)
{
	static const struct {
		bool reads, gets;
	} cases[] = {
		{true, false},
		{true, ZLIB},
		{false, false},
		{true, ZLIB},
	};
	struct slu_shared_bodies all = {0};
	struct MHD_Response *r[8];
	struct slu_text *text;
	int n = 0;

	each(c, cases)
	{
		text = share(&all, 'a', LEN);
		r[n] = slu_shared_respond(text, c->reads);
		slu_text_unref(text);
		ck_assert_int_eq(is_gzip(r[n]), c->gets);
		n++;
	}
	if (ZLIB)
		ck_assert_uint_lt(text->packed->len, LEN / 100);
	text = slu_text_new("short", 5);
	for (int i = 0; i < 2; i++) {
		r[n] = slu_shared_respond(text, true);
		ck_assert(!is_gzip(r[n++]));
	}
	slu_text_unref(text);
	while (n)
		MHD_destroy_response(r[--n]);
	slu_shared_bodies_sweep(&all);
	each(slot, all.latest) ck_assert_ptr_null(*slot);
}
END_TEST

/* Who is sent it packed is sent it. */
START_TEST(test_sent_packed)
{
	struct slu_shared_bodies all = {0};
	struct slu_text *first = share(&all, 'a', LEN);
	struct slu_text *second = share(&all, 'a', LEN);
	struct MHD_Response *r = slu_shared_respond(second, true);

	ck_assert_int_eq(is_gzip(r), ZLIB);
	slu_text_unref(first);
	slu_text_unref(second);
	slu_shared_bodies_sweep(&all);
	ck_assert_ptr_eq(all.latest[0], first);
	MHD_destroy_response(r);
	slu_shared_bodies_sweep(&all);
	ck_assert_ptr_null(all.latest[0]);
}
END_TEST

/* To pack a very long one would keep all others waiting. */
START_TEST(test_too_long_to_pack)
{
	static const struct {
		size_t len;
		bool packed;
	} cases[] = {{8 << 20, ZLIB}, {(8 << 20) + 1, false}};

	each(c, cases)
	{
		char *data = calloc(1, c->len);
		struct slu_text *text = slu_text_new(data, c->len);
		struct MHD_Response *r[2] = {slu_shared_respond(text, true)};

		slu_text_ref(text);
		r[1] = slu_shared_respond(text, true);
		ck_assert_int_eq(is_gzip(r[1]), c->packed);
		each(response, r) MHD_destroy_response(*response);
		slu_text_unref(text);
		slu_text_unref(text);
		free(data);
	}
}
END_TEST

TEST_MAIN("shared bodies", test_share, test_many, test_gzip, test_sent_packed,
	  test_too_long_to_pack)
