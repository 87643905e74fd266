/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests IOBandwidth=auto in simulations with a known capacity: a file system of
 * 1 GB/s with jobs of several intensities. Checks what is learned from the
 * jobs' runs, and from the reports of a server every five seconds.
 */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include <math.h>
#include "bench/shared_fs.h"
#include "select_io/bandwidth/ran_well.h"
#include "select_io/bandwidth/reached.h"

#define CAPACITY 1e9
#define JOBS	 3000
#define KINDS	 40
#define WRONG	 40  /* runs of whose bytes a wrong number is known */
#define EVERY	 5.0 /* s */

static double uniform(uint64_t *seed)
{
	return (double)slu_random(seed, 1 << 30) / (1 << 30);
}

/* About normal, 0 and 1. */
static double normal(uint64_t *seed)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += uniform(seed);
	return sum;
}

struct told {
	struct slu_ran_well well;
	double reached, busy; /* busy: part of the time at full rate */
};

struct sim {
	struct fs *fs;
	struct fs_io io[JOBS];
	double start[JOBS], begins[JOBS];
	struct slu_ended_run run[JOBS + WRONG];
	struct slu_reached server;
	size_t next, ended, running, samples, full;
};

/* Kinds of jobs: a third of their time is I/O at up to 0.4 of the capacity; two
 * runs of a kind differ by a fifth. */
static void draw(struct sim *s, double intensity, uint64_t *seed)
{
	double at = 0;

	for (size_t i = 0; i < JOBS; i++) {
		uint64_t of_kind = 99 + slu_random(seed, KINDS);
		double peak = CAPACITY * (0.05 + 0.35 * uniform(&of_kind));
		double alone = 1200 * (1 + uniform(&of_kind)) *
			       exp(0.2 * normal(seed));

		s->run[i].kind = of_kind;
		s->io[i] = (struct fs_io){
			.bursts = 6,
			.compute = alone * 2 / 3 / 6,
			.bytes = alone / 3 / 6 * peak,
			.peak = peak,
		};
		s->begins[i] = at;
		at += 2 * uniform(seed) * 1800 / 3 * 0.225 / intensity;
	}
}

static void report(struct sim *s, double now)
{
	double rate = fs_rate(s->fs);

	s->samples++;
	s->full += rate > 0.999 * CAPACITY;
	slu_reached_add(&s->server, rate, (uint32_t)s->running, now);
}

static void step(struct sim *s, double now)
{
	size_t i;

	for (; s->next < JOBS && s->begins[s->next] <= now; s->next++) {
		s->start[s->next] = now;
		s->running++;
		fs_start(s->fs, s->next, now);
	}
	while ((i = fs_ended(s->fs, now)) != (size_t)-1) {
		struct slu_ended_run *run = &s->run[i];

		run->start = s->start[i];
		run->end = fmax(now, run->start + 1);
		run->nodes = 1;
		run->rate = s->io[i].bytes * s->io[i].bursts /
			    (run->end - run->start);
		s->ended++;
		s->running--;
	}
	report(s, now);
}

/* Runs of two seconds, of all kinds, at up to a million times the capacity. */
static void add_wrong(struct sim *s, size_t wrong, uint64_t *seed)
{
	for (size_t i = JOBS; i < JOBS + wrong; i++) {
		s->run[i] = s->run[slu_random(seed, JOBS)];
		s->run[i].start += 300;
		s->run[i].end = s->run[i].start + 2;
		s->run[i].rate = CAPACITY * pow(10, 6 * uniform(seed));
	}
}

static struct told simulate(double intensity, size_t wrong, uint64_t seed)
{
	struct sim *s = calloc(1, sizeof(*s));
	struct told told;

	draw(s, intensity, &seed);
	s->fs = fs_new(s->io, JOBS, CAPACITY);
	for (double now = EVERY; s->ended < JOBS; now += EVERY)
		step(s, now);
	add_wrong(s, wrong, &seed);
	ck_assert_int_eq(slu_ran_well(s->run, JOBS + wrong, &told.well), 0);
	told.reached = slu_reached_capacity(&s->server) / CAPACITY;
	told.busy = (double)s->full / (double)s->samples;
	told.well.capacity /= CAPACITY;
	fs_free(s->fs);
	free(s);
	return told;
}

/* Where it is known it is right, where the file system is never full it is not
 * known. */
START_TEST(test_true_capacity)
{
	static const struct {
		double intensity;
		bool full;
	} cases[] = {{0.05, false}, {0.1, false}, {0.8, true}, {0.9, true}};

	each(c, cases) for (uint64_t seed = 1; seed <= 5; seed++)
	{
		struct told t = simulate(c->intensity, 0, 1000 * seed);

		printf("intensity %.2f, full %.3f of the time: runs %.2f, "
		       "server %.2f\n",
		       c->intensity, t.busy, t.well.capacity, t.reached);
		if (c->full) {
			expect(t.well.capacity > 0.7 && t.well.capacity < 1.15,
			       "%g", t.well.capacity);
			expect(fabs(t.reached - 1) < 0.1, "%g", t.reached);
			ck_assert(t.well.longer > 1.05 && t.well.slow > 20);
		} else {
			expect(t.well.capacity == 0, "%g", t.well.capacity);
			expect(t.reached == 0, "%g", t.reached);
		}
	}
}
END_TEST

/* Short runs with wrong numbers change it little. */
START_TEST(test_wrong_runs)
{
	static const size_t wrong[] = {1, WRONG};

	each(n, wrong) for (uint64_t seed = 1; seed <= 3; seed++)
	{
		struct told right = simulate(0.9, 0, 1000 * seed);
		struct told t = simulate(0.9, *n, 1000 * seed);
		struct told calm = simulate(0.05, *n, 1000 * seed);

		printf("%zu wrong: %.2f instead of %.2f, met %.3g instead of "
		       "%.3g\n",
		       *n, t.well.capacity, right.well.capacity, t.well.met,
		       right.well.met);
		expect(fabs(t.well.capacity - right.well.capacity) < 0.1, "%g",
		       t.well.capacity);
		expect(t.well.met < 1.1 * right.well.met, "%g", t.well.met);
		expect(calm.well.capacity == 0, "%g", calm.well.capacity);
		expect(calm.well.met < CAPACITY, "%g", calm.well.met);
	}
}
END_TEST

/* What was moved together, second by second. */
START_TEST(test_cuts)
{
	uint64_t seed = 3;

	for (int round = 0; round < 200; round++) {
		struct slu_ended_run run[20];
		struct slu_rate_step cut[40];
		size_t n = 1 + slu_random(&seed, 20);
		double rate[200] = {0};

		for (size_t i = 0; i < n; i++) {
			double start = (double)slu_random(&seed, 100);

			run[i] = (struct slu_ended_run){
				start,
				start + 1 + (double)slu_random(&seed, 90), 1,
				(double)slu_random(&seed, 50), 0};
			for (int t = (int)run[i].start; t < run[i].end; t++)
				rate[t] += run[i].rate;
		}
		slu_rate_steps_make(run, n, cut);
		for (size_t i = 0; i < n; i++) {
			double moved =
				slu_rate_step_at(cut, 2 * n, run[i].end)
					->moved -
				slu_rate_step_at(cut, 2 * n, run[i].start)
					->moved;

			for (int t = (int)run[i].start; t < run[i].end; t++)
				moved -= rate[t];
			ck_assert_double_eq_tol(moved, 0, 1e-6);
		}
	}
}
END_TEST

/* A rate that lasted for less than ten minutes in all is no rate. */
START_TEST(test_bound)
{
	struct slu_ended_run run[] = {{0, 3000, 1, 100, 0},
				      {100, 800, 1, 50, 0},
				      {200, 202, 1, 1e15, 0},
				      {3000, 3400, 1, 300, 0}};
	struct slu_rate_step cut[8];

	slu_rate_steps_make(run, 4, cut);
	ck_assert_int_eq(slu_rate_steps_limit(cut, 8), 0);
	/* of 400 s at 300 and 2 s at 1e15 the next lower is left */
	ck_assert_double_eq_tol(slu_rate_step_at(cut, 8, 9999)->moved,
				3000 * 100 + 700 * 50 + 400 * 150, 1e-3);
	slu_rate_steps_make(&run[3], 1,
			    cut); /* nothing that lasted: as it is */
	ck_assert_int_eq(slu_rate_steps_limit(cut, 2), 0);
	ck_assert_double_eq_tol(slu_rate_step_at(cut, 2, 9999)->moved,
				400 * 300, 1e-3);
}
END_TEST

/* For minutes at one rate and with so many jobs. */
static void minutes(struct slu_reached *r, double *now, int n, double rate,
		    uint32_t jobs)
{
	for (int i = 0; i < n * 12; i++)
		slu_reached_add(r, rate, jobs, *now += 5);
}

START_TEST(test_full_server)
{
	struct slu_reached r = {0};
	double now = 1000;

	ck_assert_double_eq(slu_reached_capacity(&r), 0);
	ck_assert_double_eq(slu_reached_held(&r), 0);
	minutes(&r, &now, 60, 5e8, 2); /* one steady set of jobs */
	ck_assert_double_eq(slu_reached_capacity(&r), 0);
	minutes(&r, &now, 9, 9e8, 3);
	minutes(&r, &now, 2, 2e9, 3); /* a cache */
	ck_assert_double_eq(slu_reached_capacity(&r), 0);
	ck_assert_double_eq_tol(slu_reached_held(&r), 5e8, 1e6);
	minutes(&r, &now, 9, 9.4e8, 9); /* with more jobs no more */
	ck_assert_double_eq_tol(slu_reached_capacity(&r), 9.2e8, 1e7);
	/* what is not a rate, or comes after a pause, changes nothing */
	slu_reached_add(&r, NAN, 1, now + 5);
	slu_reached_add(&r, 1e18, 1, now + 4000);
	slu_reached_add(&r, 1e18, 1, now + 3000);
	ck_assert_double_eq_tol(slu_reached_capacity(&r), 9.2e8, 1e7);
	/* it is often nearly as fast, seldom faster: that is no limit */
	minutes(&r, &now, 1, 1, 1);
	for (int i = 0; i < 40; i++)
		minutes(&r, &now, 1, 7.5e8 + (double)i * 1e6, 5);
	ck_assert_double_eq(slu_reached_capacity(&r), 0);
}
END_TEST

/* What has not been for months is forgotten. */
START_TEST(test_fades)
{
	struct slu_reached r = {0};
	double now = 1000;

	minutes(&r, &now, 10, 2e9, 3);
	minutes(&r, &now, 10, 2e9, 4);
	ck_assert_double_eq_tol(slu_reached_capacity(&r), 2e9, 1e3);
	for (int i = 0; i < 100 * 1440; i++)
		slu_reached_add(&r, 0, 0, now += 59.9),
			slu_reached_add(&r, 0, 0, now += 0.1);
	ck_assert_double_eq(slu_reached_capacity(&r), 0);
}
END_TEST

START_TEST(test_servers_together)
{
	struct slu_reached_server server[] = {{4e9, 8, 0, 4e9},
					      {0, 4, 1, 1e9},
					      {5e9, 8, 0, 5e9},
					      {0, 30, 0, 0}};
	struct slu_reached_sum sum = slu_reached_add_up(server, 3);

	ck_assert_double_eq(sum.capacity, 9e9 / 16 * 20);
	ck_assert_double_eq(sum.held, 1e10);
	ck_assert(sum.servers == 3 && sum.full == 2 && sum.targets == 20 &&
		  sum.degraded == 1);
	ck_assert_double_eq(slu_reached_left(20, 1), 0.95);
	ck_assert_double_eq(slu_reached_left(0, 0), 1);
	sum = slu_reached_add_up(server, 4); /* too many unknown ones */
	ck_assert_double_eq(sum.capacity, 0);
	ck_assert_uint_eq(slu_reached_add_up(server, 0).targets, 0);
}
END_TEST

TEST_MAIN("ran_well", test_true_capacity, test_wrong_runs, test_cuts,
	  test_bound, test_full_server, test_fades, test_servers_together)
