/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests requests that wait for an answer (long polls): answered on a change, or
 * when their time is over. */
#include "sluiced/http/longpoll.h"
#include "tests/unit/harness.h"

struct client {
	struct slu_parked parked; /* first */
	bool ready;		  /* there is an answer */
	int asked, answered, expired;
};

static size_t asked;

static bool ask(void *arg, struct slu_parked *parked, bool expired)
{
	struct client *c = (struct client *)parked;

	(void)arg;
	asked++;
	c->asked++;
	c->expired += expired;
	if (!c->ready && !expired)
		return false;
	c->answered++;
	return true;
}

START_TEST(test_answer_when_changed)
{
	struct slu_longpoll *lp = slu_longpoll_new(ask, NULL);
	struct client a = {0}, b = {0};

	slu_longpoll_park(lp, &a.parked, 7, "barrier x", 30);
	slu_longpoll_park(lp, &b.parked, 8, "barrier x", 30);
	ck_assert_double_eq(slu_longpoll_run(lp, 1, 100), 30);
	ck_assert_int_eq(a.asked + b.asked, 0);
	a.ready = b.ready = true;
	slu_longpoll_changed(lp, 7);
	ck_assert_double_eq(slu_longpoll_run(lp, 2, 100), 30);
	ck_assert_int_eq(a.answered, 1);
	ck_assert_int_eq(b.asked, 0);
	slu_longpoll_changed(lp, 0);
	ck_assert_double_eq(slu_longpoll_run(lp, 3, 100), 0);
	ck_assert_int_eq(b.answered, 1);
	ck_assert_uint_eq(slu_longpoll_count(lp), 0);
	slu_longpoll_free(lp);
}
END_TEST

START_TEST(test_expire_in_order)
{
	struct slu_longpoll *lp = slu_longpoll_new(ask, NULL);
	struct client c[3] = {0};

	for (int i = 0; i < 3; i++)
		slu_longpoll_park(lp, &c[i].parked, 1, "poll go", 10 + i);
	ck_assert_double_eq(slu_longpoll_run(lp, 11, 100), 12);
	ck_assert_int_eq(c[0].expired, 1);
	ck_assert_int_eq(c[1].expired, 1);
	ck_assert_int_eq(c[2].asked, 0);
	slu_longpoll_free(lp);
	ck_assert_int_eq(c[2].expired, 1);
}
END_TEST

/* A barrier of n nodes: while it is closed an arrival costs one question,
 * and when it opens everybody is answered. */
START_TEST(test_barrier_cost)
{
	enum { N = 1000 };
	struct slu_longpoll *lp = slu_longpoll_new(ask, NULL);
	struct client *c = calloc(N, sizeof(*c));

	asked = 0;
	for (int i = 0; i < N; i++) {
		slu_longpoll_park(lp, &c[i].parked, 1, "barrier ready", 30);
		slu_longpoll_changed(lp, 1);
		slu_longpoll_run(lp, 1, N);
	}
	ck_assert_uint_eq(asked, N);
	for (int i = 0; i < N; i++)
		c[i].ready = true;
	slu_longpoll_changed(lp, 1);
	/* The budget is kept, and work that is left is asked for. */
	ck_assert_double_eq(slu_longpoll_run(lp, 2, N / 2), 2);
	ck_assert_uint_eq(slu_longpoll_count(lp), N / 2);
	ck_assert_double_eq(slu_longpoll_run(lp, 2, N), 0);
	for (int i = 0; i < N; i++)
		expect(c[i].answered == 1, "client %d", i);
	free(c);
	slu_longpoll_free(lp);
}
END_TEST

/* Who waits for something else in the same job is another group. */
START_TEST(test_groups)
{
	struct slu_longpoll *lp = slu_longpoll_new(ask, NULL);
	struct client closed = {0}, open = {.ready = true};

	slu_longpoll_park(lp, &closed.parked, 1, "barrier a", 30);
	slu_longpoll_park(lp, &open.parked, 1, "barrier b", 30);
	slu_longpoll_changed(lp, 1);
	slu_longpoll_run(lp, 1, 100);
	ck_assert_int_eq(open.answered, 1);
	ck_assert_int_eq(closed.answered, 0);
	slu_longpoll_free(lp);
}
END_TEST

TEST_MAIN("sluiced_longpoll", test_answer_when_changed, test_expire_in_order,
	  test_barrier_cost, test_groups)
