/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "sluiced/http/shared_bodies.h"
#include "tests/unit/harness.h"

#include <microhttpd.h>
#include "common/cred.h"

#define LEN 100000

static char *body(char c)
{
	char *data = malloc(LEN);

	memset(data, c, LEN);
	return data;
}

static void expect_hash(struct slu_shared_bodies *all, char c, size_t len)
{
	char *data = body(c), want[65], got[65];

	slu_sha256(data, len, want);
	slu_shared_bodies_hash(all, data, len, got);
	ck_assert_str_eq(got, want);
	free(data);
}

/* Whether it is known already or not, and long or not. */
START_TEST(test_hash)
{
	struct slu_shared_bodies all = {0};
	struct MHD_Response *a, *b, *again;

	expect_hash(&all, 'a', LEN);
	a = slu_shared_bodies_respond(&all, body('a'), LEN);
	b = slu_shared_bodies_respond(&all, body('b'), LEN);
	for (int i = 0; i < 2; i++) {
		expect_hash(&all, 'a', LEN);
		expect_hash(&all, 'b', LEN);
		expect_hash(&all, 'c', LEN);
		expect_hash(&all, 'a', LEN - 1);
		expect_hash(&all, 'a', 7);
		expect_hash(&all, 'a', 0);
	}
	again = slu_shared_bodies_respond(&all, body('a'), LEN);
	MHD_destroy_response(a);
	expect_hash(&all, 'a', LEN);
	MHD_destroy_response(again);
	MHD_destroy_response(b);
	ck_assert_ptr_null(all.first);
	expect_hash(&all, 'a', LEN);
}
END_TEST

TEST_MAIN("shared bodies", test_hash)
