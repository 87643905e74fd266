/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the limits on the connections and memory of one user, and which
 * connections are closed when all are in use. */
#include <arpa/inet.h>
#include "sluiced/http/bounds.h"
#include "tests/unit/harness.h"

START_TEST(test_users)
{
	const size_t half = SLU_BOUNDS_BODIES / 2, user = SLU_BOUNDS_USER;
	struct slu_bounds b = {0};
	struct slu_share root = {0}, ann = {0}, bob = {0}, many[8] = {0};

	ck_assert(slu_bounds_begin(&b, &root, 0, true));
	ck_assert(slu_bounds_begin(&b, &ann, 1000, false));
	ck_assert(slu_bounds_begin(&b, &bob, 1001, false));
	ck_assert(slu_bounds_body(&b, &ann, half));
	ck_assert(!slu_bounds_body(&b, &bob, 1));
	ck_assert(slu_bounds_body(&b, &root, half));
	ck_assert(!slu_bounds_body(&b, &root, 1));
	slu_bounds_end(&b, &ann);
	ck_assert(slu_bounds_body(&b, &bob, 1));
	/* Answers: one of any size, then no more than that. */
	ck_assert(slu_bounds_begin(&b, &ann, 1000, false));
	ck_assert(slu_bounds_answer(&b, &ann, user + 1));
	ck_assert(slu_bounds_begin(&b, &many[0], 1000, false));
	ck_assert(!slu_bounds_answer(&b, &many[0], 1));
	ck_assert(slu_bounds_answer(&b, &bob, 1));
	ck_assert(slu_bounds_answer(&b, &root, 1ul << 40));
	for (int i = 1; i < 8; i++)
		ck_assert(slu_bounds_begin(&b, &many[i], (uid_t)i, false) &&
			  slu_bounds_answer(&b, &many[i], user) == (i < 7));
	slu_bounds_end(&b, &ann);
	ck_assert(slu_bounds_answer(&b, &many[0], 1));
	for (int i = 0; i < 8; i++)
		slu_bounds_end(&b, &many[i]);
	slu_bounds_end(&b, &bob);
	slu_bounds_end(&b, &root);
	ck_assert_ptr_null(b.users);
	ck_assert(!b.bodies && !b.strange_bodies && !b.answers);
}
END_TEST

static uint64_t net_of(const char *addr)
{
	struct sockaddr_in four = {.sin_family = AF_INET};
	struct sockaddr_in6 six = {.sin6_family = AF_INET6};

	if (inet_pton(AF_INET, addr, &four.sin_addr) == 1)
		return slu_net((void *)&four);
	ck_assert_int_eq(inet_pton(AF_INET6, addr, &six.sin6_addr), 1);
	return slu_net((void *)&six);
}

START_TEST(test_net)
{
	static const struct {
		const char *a, *b;
		bool same;
	} hosts[] = {
		{"127.0.0.1", "127.9.8.7", true},
		{"10.0.0.1", "10.0.0.2", false},
		{"10.0.0.1", "::ffff:10.0.0.1", true},
		{"::ffff:127.0.0.2", "127.0.0.1", true},
		{"::ffff:10.0.0.1", "::ffff:10.0.0.2", false},
		{"2001:db8:0:1::1", "2001:db8:0:1:f::2", true},
		{"2001:db8:0:1::1", "2001:db8:0:2::1", false},
	};

	each(h, hosts) expect((net_of(h->a) == net_of(h->b)) == h->same,
			      "%s %s", h->a, h->b);
}
END_TEST

static size_t ended_of(const struct slu_conn *conn, size_t n)
{
	size_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += conn[i].ended;
	return sum;
}

START_TEST(test_connections_are_cut_fairly)
{
	struct slu_conn root[9] = {0}, many[7] = {0}, few[3] = {0};
	struct slu_conns all = {0};

	for (int i = 0; i < 9; i++) {
		root[i] =
			(struct slu_conn){.fd = -1, .net = 1, .trusted = true};
		slu_conn_add(&all, &root[i], 0);
	}
	for (int i = 0; i < 7; i++) {
		many[i] = (struct slu_conn){.fd = -1, .net = 2};
		slu_conn_add(&all, &many[i], 0);
	}
	for (int i = 0; i < 3; i++) {
		few[i] = (struct slu_conn){.fd = -1, .net = 1};
		slu_conn_add(&all, &few[i], 0);
	}
	slu_conns_cut(&all);
	ck_assert_uint_eq(ended_of(many, 3), 3); /* the older ones */
	ck_assert_uint_eq(ended_of(many, 7), 3);
	ck_assert_uint_eq(all.n, 16);
	slu_conn_remove(&all, &many[0]);
	slu_conn_remove(&all, &many[6]);
	ck_assert_uint_eq(all.n, 15);
	for (int i = 0; i < 9; i++)
		slu_conns_cut(&all);
	ck_assert_uint_eq(ended_of(root, 9), 0);
	ck_assert_uint_eq(ended_of(few, 3), 2);
	ck_assert(!few[2].ended && !many[5].ended);
	ck_assert_uint_eq(all.n, 11);
}
END_TEST

TEST_MAIN("sluiced_bounds", test_users, test_net,
	  test_connections_are_cut_fairly)
