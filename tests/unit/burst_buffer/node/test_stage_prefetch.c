/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests input that is copied into the stage cache before its job starts: only
 * that job takes it over; it is the first to be evicted; and after any
 * operations and crashes no wrong data is served, nothing stays for ever, and
 * the cache is within its budget.
 */
#include "tests/unit/burst_buffer/node/cache_world.h"

/* These are prefetched for `job`; false: something else is wanted more. */
static void bring(unsigned user, uint32_t job, unsigned from, unsigned to)
{
	struct slu_stage_cache c;

	open_for(&c, user, job, 0);
	for (unsigned i = from; i < to; i++) {
		const struct wanted w = wanted(i, 0);

		get_or_fill(&c, &w, true);
	}
	commit(&c);
}

static int find(struct slu_stage_cache *c, const struct wanted *w)
{
	const struct timespec t = now();
	struct slu_cache_key key;
	int fd;

	make_key(w, &key);
	fd = slu_stage_cache_get(c, &key, &t, &err);
	slu_cache_key_free(&key);
	if (fd < 0)
		return 0;
	check_data(w, fd);
	close(fd);
	return 1;
}

static int found(unsigned user, uint32_t job, unsigned from, unsigned to)
{
	struct slu_stage_cache c;
	int n = 0;

	open_for(&c, user, job, 1);
	for (unsigned i = from; i < to; i++) {
		const struct wanted w = wanted(i, 0);

		n += find(&c, &w);
	}
	commit(&c);
	return n;
}

struct seen {
	struct slu_cache_prefetch is[20];
	size_t n;
	uint32_t drop; /* this job's; UINT32_MAX: all */
};

static bool see(void *arg, const struct slu_cache_prefetch *is)
{
	struct seen *s = arg;

	ck_assert_uint_lt(s->n, 20);
	s->is[s->n++] = *is;
	return s->drop == UINT32_MAX || s->drop == is->job_id;
}

static struct seen look_at_prefetches(uint32_t drop)
{
	struct seen s = {.drop = drop};

	expect_ok(slu_stage_cache_walk_prefetches(top, see, &s, &err), err);
	return s;
}

/* Its job has it without filling, and other jobs, also of its user, do not;
 * once the job is verified it is like what any job has read. */
START_TEST(test_taken_over)
{
	struct seen s;

	if (!have_root())
		return;
	setup();
	bring(0, 5, 1, 5);
	s = look_at_prefetches(0);
	ck_assert_uint_eq(s.n, 1);
	ck_assert(s.is[0].done && !s.is[0].taken && s.is[0].uid == 1000);
	ck_assert_uint_gt(s.is[0].prefetched, 4 * 20 * KIB);
	ck_assert_uint_eq(s.is[0].used, 0);
	ck_assert_int_eq(found(1, 5, 1, 5), 0); /* a job of another user */
	ck_assert_int_eq(found(0, 6, 1, 5), 0);
	ck_assert_int_eq(found(0, 5, 1, 4), 3);
	s = look_at_prefetches(0);
	ck_assert(s.n == 1 && s.is[0].taken);
	ck_assert_uint_gt(s.is[0].used, 3 * 20 * KIB);
	ck_assert_uint_lt(s.is[0].used, s.is[0].prefetched);
	ck_assert_int_eq(found(0, 7, 1, 5), 3);
	look_at_prefetches(5);
	ck_assert_uint_eq(look_at_prefetches(0).n, 0);
	ck_assert_int_eq(found(0, 8, 1, 5), 3);
	tree_remove(top);
}
END_TEST

/* What is in the cache already is not brought again. */
START_TEST(test_is_there)
{
	struct slu_stage_cache c;
	struct seen s;

	if (!have_root())
		return;
	setup();
	open_for(&c, 0, 1, 1);
	for (unsigned i = 1; i < 5; i++) {
		const struct wanted w = wanted(i, 0);

		get_or_fill(&c, &w, true);
	}
	commit(&c);
	bring(0, 5, 1, 6);
	s = look_at_prefetches(0);
	ck_assert_uint_lt(s.is[0].prefetched, 2 * 120 * KIB);
	ck_assert_int_eq(found(0, 5, 1, 6), 5);
	tree_remove(top);
}
END_TEST

/* Once the job has begun nothing is added, and the process that reads is
 * stopped; a run that was not verified leaves nothing of what it took. */
START_TEST(test_begun)
{
	const struct wanted w = wanted(3, 0);
	struct slu_stage_cache early, c;
	const struct timespec t = now();

	if (!have_root())
		return;
	setup();
	open_for(&early, 0, 5, 0);
	ck_assert_int_eq(get_or_fill(&early, &w, true), 0);
	ck_assert(!slu_stage_cache_is_over(&early));
	open_for(&c, 0, 5, 1);
	ck_assert(slu_stage_cache_is_over(&early));
	expect_fail(slu_stage_cache_open(&early, top, &budget, 1000, 5, 0, &t,
					 &err),
		    err, SLU_BUSY, "has begun");
	ck_assert_int_eq(find(&c, &w), 1); /* though it is not on disk yet */
	slu_stage_cache_close(&c);
	ck_assert_int_eq(found(0, 6, 3, 4), 0);
	tree_remove(top);
}
END_TEST

/* It goes before what was used longest ago, for a job's file system also while
 * it is being brought; what is of a job that has begun stays until it has it.
 */
START_TEST(test_first_to_go)
{
	const struct wanted w = wanted(9, 0);
	struct slu_stage_cache early, c;
	uint64_t freed, had;

	if (!have_root())
		return;
	setup();
	ck_assert_int_eq(found(0, 1, 0, 0), 0);
	open_for(&c, 0, 1, 1);
	get_or_fill(&c, &w, true);
	commit(&c);
	bring(0, 5, 1, 4);
	open_for(&early, 0, 6, 0);
	for (unsigned i = 4; i < 8; i++) {
		const struct wanted more = wanted(i, 0);

		get_or_fill(&early, &more, true);
	}
	had = slu_stage_cache_bytes(top);
	ck_assert_uint_gt(had, 7 * 20 * KIB);
	expect_ok(slu_stage_cache_yield(top, 0, &freed, &err), err);
	ck_assert_uint_eq(freed, 0);
	expect_ok(slu_stage_cache_yield(top, UINT64_MAX / 2, &freed, &err),
		  err);
	ck_assert_uint_eq(freed, had);
	ck_assert(slu_stage_cache_is_over(&early));
	slu_stage_cache_close(&early);
	ck_assert_uint_eq(slu_stage_cache_bytes(top), 0);
	tree_remove(top);
}
END_TEST

/* A job's own reading makes room from what others wait for, not from what was
 * used. */
START_TEST(test_makes_room)
{
	struct slu_stage_cache c;
	struct all *all;

	if (!have_root())
		return;
	setup();
	open_for(&c, 0, 1, 1);
	for (unsigned i = 0; i < 4; i++) {
		const struct wanted w = wanted(i, 1);

		get_or_fill(&c, &w, true);
	}
	commit(&c);
	bring(0, 5, 4, 12);
	open_for(&c, 1, 6, 1);
	for (unsigned i = 4; i < 12; i++) {
		const struct wanted w = wanted(i, 0);

		get_or_fill(&c, &w, true);
		all = look_at_all();
		check_budget(all);
		free(all);
	}
	commit(&c);
	open_for(&c, 0, 7, 1);
	for (unsigned i = 0; i < 4; i++) {
		const struct wanted w = wanted(i, 1);

		ck_assert_int_eq(find(&c, &w), 1);
	}
	slu_stage_cache_close(&c);
	ck_assert_int_lt(found(0, 5, 4, 12), 8);
	tree_remove(top);
}
END_TEST

/* So it does while that is being brought, but for what its own job takes over;
 * what is brought for one job ends nothing that is brought for another. */
START_TEST(test_makes_room_at_once)
{
	const struct wanted first = wanted(3, 0);
	struct slu_stage_cache early[2], c;
	const struct timespec t = now();
	struct all *all;

	if (!have_root())
		return;
	setup();
	for (unsigned k = 0; k < 2; k++) {
		open_for(&early[k], 0, 5 + k, 0);
		for (unsigned i = 3; i < 12; i++) {
			const struct wanted w = wanted(i, k);

			get_or_fill(&early[k], &w, true);
		}
	}
	ck_assert(!slu_stage_cache_is_over(&early[0]));
	expect_ok(slu_stage_cache_open(&c, top, &budget, 1000, 5, 1, &t, &err),
		  err);
	for (unsigned i = 4; i < 8; i++) {
		const struct wanted w = wanted(i, 2);

		get_or_fill(&c, &w, true);
		all = look_at_all();
		check_budget(all);
		free(all);
	}
	ck_assert(!c.full);
	ck_assert_int_eq(find(&c, &first), 1);
	ck_assert(slu_stage_cache_is_over(&early[1]));
	commit(&c);
	slu_stage_cache_close(&early[0]);
	slu_stage_cache_close(&early[1]);
	tree_remove(top);
}
END_TEST

/* What was not known to be on disk when the node went down is not believed. */
START_TEST(test_reboot)
{
	struct slu_stage_cache c;
	const struct wanted w = wanted(3, 0);

	if (!have_root())
		return;
	for (uint64_t buffer = 0; buffer < 2; buffer++) {
		setup();
		open_for(&c, 0, 5, buffer);
		get_or_fill(&c, &w, true);
		slu_stage_cache_close(&c);
		make_text(in(top, buffer ? "cache/1000/fill.5.1/boot"
					 : "cache/1000/ahead.5/boot"),
			  "another");
		open_for(&c, 0, 5, buffer);
		ck_assert_int_eq(find(&c, &w), 0);
		slu_stage_cache_close(&c);
		tree_remove(top);
	}
}
END_TEST

/* Any history of bringing, running, giving way and throwing away. */
static void random_step(uint64_t *seed)
{
	const uint32_t job = 1 + (uint32_t)slu_random(seed, 6);
	const unsigned user = job % USERS;
	const uint64_t word = slu_random(seed, 10);
	struct slu_stage_cache c;
	const struct timespec t = now();
	uint64_t freed;

	if (word == 0) {
		expect_ok(slu_stage_cache_yield(
				  top, slu_random(seed, 2) ? 1 : UINT64_MAX / 2,
				  &freed, &err),
			  err);
		return;
	}
	if (word < 3) {
		look_at_prefetches(job);
		return;
	}
	if (slu_stage_cache_open(&c, top, &budget, 1000 + user, job, word & 1,
				 &t, &err)) {
		ck_assert_int_eq(err.kind, SLU_BUSY);
		return;
	}
	for (uint64_t n = slu_random(seed, 8); n; n--) {
		const struct wanted w =
			wanted((unsigned)slu_random(seed, SOURCES), 0);

		get_or_fill(&c, &w, slu_random(seed, 8));
	}
	if (slu_random(seed, 4))
		commit(&c);
	else
		slu_stage_cache_close(&c);
}

START_TEST(test_random)
{
	uint64_t seed = 7, taken = 0;
	struct all *all;

	if (!have_root())
		return;
	setup();
	for (unsigned i = 0; i < 400; i++) {
		struct seen s;

		random_step(&seed);
		all = look_at_all();
		check_budget(all);
		free(all);
		s = look_at_prefetches(0);
		for (size_t k = 0; k < s.n; k++) {
			expect(s.is[k].used <= s.is[k].prefetched,
			       "job %u: %llu of %llu", s.is[k].job_id,
			       (unsigned long long)s.is[k].used,
			       (unsigned long long)s.is[k].prefetched);
			taken += s.is[k].used > 0;
		}
	}
	ck_assert_uint_gt(taken, 10);
	look_at_prefetches(UINT32_MAX);
	all = look_at_all();
	ck_assert_uint_eq(all->prefetch, 0);
	free(all);
	tree_remove(top);
}
END_TEST

/* Brought, taken over and ended, cut short at each step. */
static void scenario(void)
{
	bring(0, 5, 1, 6);
	found(0, 5, 1, 4);
	look_at_prefetches(5);
}

START_TEST(test_crash)
{
	int status = -1;
	struct all *all;
	long n;

	if (!have_root())
		return;
	for (n = 0; n < 1000 && status != 0; n++) {
		setup();
		if (!fork()) {
			steps_left = n;
			scenario();
			_exit(0);
		}
		ck_assert(wait(&status) > 0);
		ck_assert(WIFEXITED(status));
		expect(WEXITSTATUS(status) == CRASHED || !status,
		       "step %ld: %d", n, status);
		found(0, 6, 1, 6); /* what is served is right */
		found(0, 5, 1, 6);
		look_at_prefetches(5);
		all = look_at_all();
		check_budget(all);
		expect(!all->prefetch && !all->fills, "step %ld", n);
		free(all);
		tree_remove(top);
	}
	ck_assert_int_gt(n, 20);
	ck_assert_int_eq(status, 0);
}
END_TEST

TEST_MAIN("stage_ahead", test_taken_over, test_is_there, test_begun,
	  test_first_to_go, test_makes_room, test_makes_room_at_once,
	  test_reboot, test_random, test_crash)
