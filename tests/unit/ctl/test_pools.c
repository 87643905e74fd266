/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests storage pools in libsluice: usage, which jobs have to wait, and until
 * when. */
#include "config.h"
#include "tests/unit/harness.h"

#include "ctl/pools/reservation.h"
#include "ctl/jobs/pending/persistent_state.h"
#include "ctl/private.h"

#define GIB (UINT64_C(1) << 30)

static struct slu_mirror m;

static void supply(uint64_t total, uint64_t available, bool complete)
{
	struct slu_capacity s = {.pools = calloc(1, sizeof(*s.pools)),
				 .n_pools = 1};

	s.pools[0] = (struct slu_pool_capacity){.name = strdup("p"),
						.total = total,
						.available = available,
						.largest = total / 2,
						.nodes = 2,
						.complete = complete};
	slu_pools_set(&m, &s);
	ck_assert_ptr_null(s.pools);
}

static void buffer(uint32_t job, uint32_t uid, const char *pool, uint64_t size,
		   const char *state)
{
	struct slu_buffer_state s = {.buffer = job,
				     .job_id = job,
				     .uid = uid,
				     .size = size,
				     .pool = pool ? strdup(pool) : NULL,
				     .state = strdup(state)};

	ck_assert_int_eq(slu_mirror_set(&m, &s), 0);
}

static struct slu_pool_need need(uint32_t uid, uint64_t size, uint64_t most)
{
	return (struct slu_pool_need){"p", uid, size, most, 0};
}

static uint64_t used(void)
{
	struct slu_pool_use use;

	slu_pools_use(&m, "p", &use);
	return use.used;
}

static bool room(uint32_t uid, uint64_t size, uint64_t most, const char *words)
{
	struct slu_pool_need n = need(uid, size, most);
	char why[SLU_POOL_WHY] = "";
	bool is = slu_pools_room(&m, &n, why);

	expect(strstr(why, words), "%s", why);
	return is;
}

START_TEST(test_room)
{
	struct slu_pool_need n = need(1, 4 * GIB, 0);
	struct slu_pool_use use;

	slu_mirror_init(&m);
	ck_assert(room(1, 99 * GIB, 0, "")); /* nothing is known */
	supply(10 * GIB, 10 * GIB, false);
	ck_assert(room(1, 99 * GIB, 0, "")); /* nor everything */
	supply(10 * GIB, 3 * GIB, true);
	ck_assert(!room(1, 99 * GIB, 0,
			"waits for 99GiB of pool p, which has 10GiB in all: "
			"it cannot start before nodes are added"));
	buffer(7, 1, "p", 5 * GIB, "RUNNING");
	buffer(8, 1, NULL, 90 * GIB, "RUNNING");
	ck_assert(room(2, 5 * GIB, 0, ""));
	ck_assert(!room(2, 5 * GIB + 1, 0, "jobs have 5GiB"));
	slu_pools_use(&m, "p", &use);
	ck_assert_uint_eq(use.used, 5 * GIB);
	ck_assert_uint_eq(use.unfree, 7 * GIB); /* others have files there */
	ck_assert_uint_eq(use.total, 10 * GIB);
	ck_assert(use.largest == 5 * GIB && use.nodes == 2);

	/* Two jobs of one cycle do not both get the rest. */
	slu_pools_claim(&m, 9, &n, 0);
	slu_pools_claim(&m, 9, &n, 0);
	ck_assert_uint_eq(used(), 9 * GIB);
	ck_assert(!room(1, 4 * GIB, 0, "jobs have 9GiB"));
	buffer(9, 1, "p", 4 * GIB, "SETUP"); /* now it is there */
	ck_assert_uint_eq(used(), 9 * GIB);
	buffer(9, 1, "p", 4 * GIB, "DONE");
	ck_assert_uint_eq(used(), 5 * GIB);
	slu_pools_claim(&m, 10, &n, 0);
	slu_pools_unclaim(&m, 10);
	slu_pools_unclaim(&m, 10);
	ck_assert_uint_eq(used(), 5 * GIB);

	/* One user's share of it */
	ck_assert(!room(1, 2 * GIB, 6 * GIB,
			"its user has 5GiB of the 6GiB that one may have "
			"(MaxPerUser)"));
	ck_assert(room(1, GIB, 6 * GIB, ""));
	ck_assert(room(2, 5 * GIB, 6 * GIB, ""));
	slu_pools_claim(&m, 11, &n, 0); /* what is left is freed */
	slu_pools_fini(&m);
	slu_mirror_fini(&m);
}
END_TEST

static int64_t end_of(uint32_t job_id)
{
	return job_id == 9 ? 0 : 1000 + 10 * job_id;
}

/* Data of failed stage-outs takes room as buffers do, until sluiced says that
 * it does not. */
START_TEST(test_kept_data_takes_room)
{
	struct slu_pool_capacity *p = calloc(1, sizeof(*p));
	struct slu_capacity s = {.pools = p, .n_pools = 1};
	struct slu_pool_use use;
	struct slu_buf out = {0};

	slu_mirror_init(&m);
	*p = (struct slu_pool_capacity){.name = strdup("p"),
					.total = 10 * GIB,
					.available = 7 * GIB,
					.kept = 3 * GIB,
					.owners = calloc(2, sizeof(*p->owners)),
					.n_owners = 2,
					.complete = true};
	p->owners[0] = (struct slu_pool_kept){1, GIB};
	p->owners[1] = (struct slu_pool_kept){2, 2 * GIB};
	slu_pools_set(&m, &s);
	buffer(7, 1, "p", 5 * GIB, "RUNNING");
	ck_assert(room(2, 2 * GIB, 0, ""));
	ck_assert(!room(2, 3 * GIB, 0,
			"jobs have 8GiB of its 10GiB, data of failed "
			"stage-outs 3GiB"));
	/* and counts against its owner's MaxPerUser */
	ck_assert(room(2, 2 * GIB, 4 * GIB, ""));
	ck_assert(!room(2, 2 * GIB, 3 * GIB,
			"its user has 2GiB of the 3GiB that one may have "
			"(MaxPerUser), data of failed stage-outs 2GiB"));
	ck_assert(!room(1, 2 * GIB, 7 * GIB, "its user has 6GiB of the 7GiB"));
	ck_assert(room(3, 2 * GIB, 2 * GIB, ""));
	slu_pools_use(&m, "p", &use);
	ck_assert_uint_eq(use.used, 8 * GIB);
	ck_assert_uint_eq(use.unfree, 8 * GIB);
	ck_assert_uint_eq(slu_pools_held(&m, "p", 5000, end_of, 1000), 3 * GIB);
	slu_mirror_print(&m, 0, &out);
	expect(strstr(out.data, "\n(pool p: 3GiB of it is data that failed "
				"stage-outs have left: sysquery buffers)\n"),
	       "%s", out.data);
	slu_buf_free(&out);
	supply(10 * GIB, 7 * GIB, true);
	ck_assert(room(2, 5 * GIB, 0, ""));
	slu_pools_fini(&m);
	slu_mirror_fini(&m);
}
END_TEST

static bool leaving;

static void early(uint32_t of, uint64_t size, const char *state)
{
	struct slu_buffer_state s = {.buffer = 90,
				     .job_id = 4290000000u,
				     .creator = of,
				     .size = size,
				     .persistent = true,
				     .early = true,
				     .leaving = leaving,
				     .pool = strdup("p"),
				     .state = strdup(state)};

	ck_assert_int_eq(slu_mirror_set(&m, &s), 0);
}

/* An early stage-in counts from the moment when it is asked for, and once. */
START_TEST(test_early_stage_in)
{
	struct slu_pool_need n = need(1, 6 * GIB, 0);

	slu_mirror_init(&m);
	supply(10 * GIB, 10 * GIB, true);
	slu_pools_claim(&m, 20, &n, 1300);
	ck_assert(!room(1, 6 * GIB, 0, "jobs have 6GiB"));
	/* it may wait for ever */
	ck_assert_int_eq(slu_pools_when(&m, &n, end_of, 1000), INT64_MAX);
	early(20, 6 * GIB, "SETUP");
	ck_assert_uint_eq(used(), 6 * GIB);
	slu_pools_claim(&m, 20, &n, 0); /* the run begins */
	ck_assert_uint_eq(used(), 6 * GIB);
	/* its run does not get what is being taken away */
	leaving = true;
	early(20, 6 * GIB, "TEARDOWN");
	leaving = false;
	slu_pools_claim(&m, 20, &n, 0);
	ck_assert_uint_eq(used(), 12 * GIB);
	early(20, 6 * GIB, "DONE");
	ck_assert_uint_eq(used(), 6 * GIB);
	slu_pools_fini(&m);
	slu_mirror_fini(&m);
}
END_TEST

/* What cannot be served yet does not take its room away from others, and says
 * why. */
START_TEST(test_not_yet)
{
	struct slu_pool_need n = need(1, 6 * GIB, 0);
	char why[SLU_CTL_WHY] = "as before";

	slu_mirror_init(&m);
	supply(10 * GIB, 10 * GIB, true);
	slu_persistent_wait_answer(&m, 20, "nobody has asked");
	ck_assert(slu_persistent_wait_due(&m, 20, 10));
	ck_assert(!slu_persistent_wait_due(&m, 20, 10));
	slu_persistent_wait_why(&m, 20, why);
	ck_assert_str_eq(why, "as before");
	slu_pools_claim(&m, 20, &n, 1300);
	slu_pools_claim(&m, 20, &n, 1400);
	slu_pools_expire(&m, 1300);
	ck_assert(slu_pools_claimed(&m, 20));
	slu_persistent_wait_answer(&m, 20, "the disk is full");
	slu_persistent_wait_why(&m, 20, why);
	ck_assert_str_eq(why, "the disk is full");
	slu_pools_claim(&m, 20, &n, 1500);
	slu_pools_expire(&m, 1400);
	slu_pools_claim(&m, 20, &n, 1600);
	ck_assert(!slu_pools_claimed(&m, 20));
	slu_pools_claim(&m, 20, &n, 0); /* it begins all the same */
	ck_assert(slu_pools_claimed(&m, 20));
	slu_pools_unclaim(&m, 20);
	slu_pools_claim(&m, 20, &n, 1700);
	ck_assert(slu_pools_claimed(&m, 20));
	/* what is left is freed */
	ck_assert(slu_persistent_wait_due(&m, 21, 10));
	slu_pools_fini(&m);
	slu_mirror_fini(&m);
}
END_TEST

/* One that is held meanwhile does not ask again. */
START_TEST(test_expire)
{
	struct slu_pool_need n = need(1, GIB, 0);

	slu_mirror_init(&m);
	supply(100 * GIB, 100 * GIB, true);
	for (uint32_t job = 1; job <= 50; job++)
		slu_pools_claim(&m, job, &n, job % 2 ? 1300 : 0);
	slu_pools_claim(&m, 1, &n, 1400); /* asked again */
	slu_pools_expire(&m, 1299);
	ck_assert_uint_eq(used(), 50 * GIB);
	slu_pools_expire(&m, 1300);
	ck_assert_uint_eq(used(), 26 * GIB);
	slu_pools_expire(&m, 1400);
	ck_assert_uint_eq(used(), 25 * GIB);
	ck_assert(!slu_pools_claimed(&m, 1) && slu_pools_claimed(&m, 2));
	slu_pools_fini(&m);
	slu_mirror_fini(&m);
}
END_TEST

/* A persistent buffer gives its space back when its time is over; for one that
 * lives on then it is not known when. */
START_TEST(test_when_expired)
{
	struct slu_buffer_state s = {.buffer = 5,
				     .job_id = 4000000000u,
				     .size = 8 * GIB,
				     .persistent = true,
				     .expires = 1100};
	struct slu_pool_need n = need(1, 4 * GIB, 0);

	slu_mirror_init(&m);
	supply(10 * GIB, 10 * GIB, true);
	s.pool = strdup("p");
	s.state = strdup("RUNNING");
	ck_assert_int_eq(slu_mirror_set(&m, &s), 0);
	ck_assert_int_eq(slu_pools_when(&m, &n, end_of, 1000), 1100);
	ck_assert_int_eq(slu_pools_when(&m, &n, end_of, 1100), INT64_MAX);
	ck_assert_uint_eq(slu_pools_held(&m, "p", 1100, end_of, 1000), 0);
	ck_assert_uint_eq(slu_pools_held(&m, "p", 5000, end_of, 1200), 8 * GIB);
	slu_pools_fini(&m);
	slu_mirror_fini(&m);
}
END_TEST

START_TEST(test_start_by_ends_of_others)
{
	struct slu_pool_need n = need(1, 4 * GIB, 0);

	slu_mirror_init(&m);
	supply(10 * GIB, 10 * GIB, true);
	ck_assert_int_eq(slu_pools_when(&m, &n, end_of, 1000), 1000);
	buffer(7, 1, "p", 3 * GIB, "RUNNING");
	buffer(3, 2, "p", 3 * GIB, "RUNNING");
	buffer(5, 2, "p", 3 * GIB, "RUNNING");
	ck_assert_int_eq(slu_pools_when(&m, &n, end_of, 1000), 1030);
	n.size = 5 * GIB; /* the first two */
	ck_assert_int_eq(slu_pools_when(&m, &n, end_of, 1000), 1050);
	n.size = 10 * GIB;
	ck_assert_int_eq(slu_pools_when(&m, &n, end_of, 1000), 1070);
	/* its own have to end */
	n = need(1, GIB, 3 * GIB);
	ck_assert_int_eq(slu_pools_when(&m, &n, end_of, 1000), 1070);
	/* one that should have ended, and one that has */
	n = need(1, 4 * GIB, 0);
	ck_assert_int_eq(slu_pools_when(&m, &n, end_of, 1040), 1041);
	buffer(9, 2, "p", GIB, "TEARDOWN");
	ck_assert_int_eq(slu_pools_when(&m, &n, end_of, 1000), 1030);
	n.size = 11 * GIB; /* never */
	ck_assert_int_eq(slu_pools_when(&m, &n, end_of, 1000), 0);
	n.pool = NULL;
	ck_assert_int_eq(slu_pools_when(&m, &n, end_of, 1000), 1000);
	slu_pools_fini(&m);
	slu_mirror_fini(&m);
}
END_TEST

static bool turn(uint32_t job, uint32_t priority, uint64_t size, int64_t end,
		 int64_t now)
{
	const struct slu_pool_reservation t = {job, priority, 0, end};
	struct slu_pool_need n = need(job, size, 0);
	char why[SLU_POOL_WHY] = "";

	return slu_pools_reservation(&m, &t, &n, end_of, now, why);
}

/* What is kept for others counts as if it were in use: 10 GiB, 6 are in use. */
START_TEST(test_reserved)
{
	static const struct {
		uint64_t size, reserved;
		bool room;
	} cases[] = {{4 * GIB, 0, true},
		     {4 * GIB, 1, false},
		     {2 * GIB, 2 * GIB, true},
		     {1, 99 * GIB, false},
		     {4 * GIB, UINT64_MAX / 2, false}};
	const struct slu_pool_reservation t = {50, 200, 0, 2000};

	slu_mirror_init(&m);
	supply(10 * GIB, 10 * GIB, true);
	buffer(7, 7, "p", 6 * GIB, "RUNNING");
	each(c, cases)
	{
		struct slu_pool_need n = need(9, c->size, 0);
		char why[SLU_POOL_WHY] = "";

		n.reserved = c->reserved;
		expect(slu_pools_reservation(&m, &t, &n, end_of, 1000, why) ==
			       c->room,
		       "%s", why);
		expect(c->room || strstr(why, "jobs have 6GiB of its 10GiB, "
					      "reservations "),
		       "%s", why);
		slu_pools_forget_reservation(&m, 0);
	}
	slu_pools_fini(&m);
	slu_mirror_fini(&m);
}
END_TEST

/* 10 GiB, of which job 7 has 6 until 1070. Job 50 wants 8. */
START_TEST(test_turn)
{
	const struct slu_pool_reservation poor = {60, 300, 0, 0};
	struct slu_pool_need n = need(7, GIB, 6 * GIB);
	char why[SLU_POOL_WHY] = "";

	slu_mirror_init(&m);
	supply(10 * GIB, 10 * GIB, true);
	buffer(7, 7, "p", 6 * GIB, "RUNNING");
	ck_assert(turn(40, 100, GIB, 2000, 1000)); /* no job waits yet */
	ck_assert(!turn(50, 200, 8 * GIB, 5000, 1000));
	ck_assert(!turn(41, 100, 3 * GIB, 2000, 1001)); /* would put it off */
	ck_assert(turn(42, 100, 3 * GIB, 1070, 1001));	/* ends before */
	ck_assert(!turn(42, 100, 3 * GIB, 1071, 1001));
	ck_assert(!turn(42, 100, 3 * GIB, 0, 1001));	/* end unknown */
	ck_assert(turn(43, 100, 2 * GIB, 9999, 1001));	/* spare even then */
	ck_assert(turn(44, 201, 3 * GIB, 9999, 1001));	/* more important */
	ck_assert(!turn(51, 200, 3 * GIB, 9999, 1001)); /* later */
	ck_assert(turn(49, 200, 3 * GIB, 9999, 1001));	/* earlier */
	/* one with little hope does not keep the others out, but 50 does */
	ck_assert(!slu_pools_reservation(&m, &poor, &n, end_of, 1001, why));
	expect(strstr(why, "waits for"), "%s", why);
	/* its reservation is kept for it when there is space */
	buffer(7, 7, "p", 6 * GIB, "DONE");
	ck_assert(!turn(41, 100, 3 * GIB, 2000, 1080));
	ck_assert(turn(50, 200, 8 * GIB, 5000, 1080));
	n = need(50, 8 * GIB, 0);
	slu_pools_claim(&m, 50, &n, 0);
	ck_assert(turn(43, 100, 2 * GIB, 9999, 1081));
	ck_assert(!turn(41, 100, 3 * GIB, 2000, 1081)); /* now it waits */
	slu_pools_unclaim(&m, 50);
	ck_assert(turn(41, 100, 3 * GIB, 2000, 1082));
	/* a job that does not ask any more is forgotten */
	buffer(7, 7, "p", 6 * GIB, "RUNNING");
	ck_assert(!turn(55, 900, 8 * GIB, 5000, 1100));
	ck_assert(!turn(56, 100, 3 * GIB, 9999, 1400));
	ck_assert(turn(56, 100, 3 * GIB, 9999, 1401));
	slu_pools_fini(&m);
	slu_mirror_fini(&m);
}
END_TEST

TEST_MAIN("pools", test_early_stage_in, test_not_yet, test_expire, test_room,
	  test_kept_data_takes_room, test_start_by_ends_of_others,
	  test_when_expired, test_reserved, test_turn)
