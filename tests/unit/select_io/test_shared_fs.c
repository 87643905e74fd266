/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the simulated file system of bench/iostart: how jobs share its
 * bandwidth. */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include <math.h>
#include "bench/shared_fs.h"

#define NONE ((size_t)-1)

/* 10 bytes/s. Alone: 5 s of computation, 40 bytes at 8 bytes/s. */
START_TEST(test_job_alone)
{
	const struct fs_io io[] = {{2, 5, 40, 8}};
	struct fs *fs = fs_new(io, 1, 10);

	ck_assert_double_eq(fs_alone(io, 10), 20);
	ck_assert_double_eq(fs_alone(io, 4), 30);
	fs_start(fs, 0, 100);
	ck_assert_double_eq(fs_next_end(fs), 120);
	ck_assert_uint_eq(fs_ended(fs, 104), NONE);
	ck_assert_double_eq(fs_rate(fs), 0);
	ck_assert_uint_eq(fs_ended(fs, 107), NONE);
	ck_assert_double_eq(fs_rate(fs), 8);
	ck_assert_double_eq_tol(fs_moved(fs, 0), 16, 1e-9);
	ck_assert_double_eq_tol(fs_next_end(fs), 120, 1e-9);
	ck_assert_uint_eq(fs_ended(fs, 119.9), NONE);
	ck_assert_uint_eq(fs_ended(fs, 120), 0);
	ck_assert_uint_eq(fs_ended(fs, 120), NONE);
	ck_assert(isinf(fs_next_end(fs)));
	fs_free(fs);
}
END_TEST

/* Peaks of 2, 8 and 8 share 10: 2, 4 and 4. The first (20 bytes) and the others
 * (40) end together. */
START_TEST(test_fair_shares)
{
	const struct fs_io io[] = {{1, 0, 20, 2}, {1, 0, 40, 8}, {1, 0, 40, 8}};
	struct fs *fs = fs_new(io, 3, 10);
	bool ended[3] = {false};

	for (size_t i = 0; i < 3; i++)
		fs_start(fs, i, 0);
	ck_assert_uint_eq(fs_ended(fs, 9.99), NONE);
	ck_assert_double_eq_tol(fs_rate(fs), 10, 1e-9);
	ck_assert_double_eq_tol(fs_moved(fs, 0), 19.98, 1e-9);
	ck_assert_double_eq_tol(fs_moved(fs, 1), 39.96, 1e-9);
	for (int k = 0; k < 3; k++) {
		size_t i = fs_ended(fs, 10.001);

		ck_assert_uint_lt(i, 3);
		ck_assert(!ended[i]);
		ended[i] = true;
	}
	fs_free(fs);
}
END_TEST

/* Max-min by its definition: no rate can be raised without lowering one that is
 * not higher. By bisection for the level that all reach but the small peaks. */
static void level(const double *peak, const bool *moves, int n, double capacity,
		  double *rate)
{
	double low = 0, high = 1000, sum;

	for (int round = 0; round < 60; round++) {
		double mid = (low + high) / 2;

		sum = 0;
		for (int i = 0; i < n; i++)
			sum += moves[i] ? fmin(peak[i], mid) : 0;
		if (sum > capacity)
			high = mid;
		else
			low = mid;
	}
	for (int i = 0; i < n; i++)
		rate[i] = moves[i] ? fmin(peak[i], low) : 0;
}

/* The same in steps of a hundredth of a second. */
START_TEST(test_steps)
{
	enum { N = 8 };
	const double step = 0.01;
	uint64_t seed = 5;

	for (int round = 0; round < 6; round++) {
		struct fs_io io[N];
		double peak[N], left[N], until[N], rate[N], ends[N], found[N];
		uint32_t bursts[N];
		struct fs *fs;
		int over = 0;

		for (int i = 0; i < N; i++) {
			io[i] = (struct fs_io){
				1 + (uint32_t)slu_random(&seed, 3),
				(double)slu_random(&seed, 20),
				(double)slu_random(&seed, 100),
				1 + (double)slu_random(&seed, 12)};
			peak[i] = io[i].peak;
			bursts[i] = io[i].bursts;
			until[i] = io[i].compute;
			left[i] = io[i].bytes;
			ends[i] = found[i] = -1;
		}
		fs = fs_new(io, N, 15);
		for (size_t i = 0; i < N; i++)
			fs_start(fs, i, 0);
		for (int k = 1; over < N; k++) {
			double now = k * step;
			bool moves[N];

			ck_assert_int_lt(k, 1000000);
			for (int i = 0; i < N; i++)
				moves[i] = bursts[i] && now > until[i] + 1e-9;
			level(peak, moves, N, 15, rate);
			for (int i = 0; i < N; i++) {
				left[i] -= rate[i] * step;
				if (!moves[i] || left[i] > 1e-9)
					continue;
				left[i] = io[i].bytes;
				until[i] = now + io[i].compute;
				if (--bursts[i] == 0) {
					ends[i] = now;
					over++;
				}
			}
		}
		for (double now = 0; over > 0;) {
			double when = fs_next_end(fs);
			size_t i;

			ck_assert(!isinf(when)); /* nobody ends before */
			now = fmax(when, now);
			while ((i = fs_ended(fs, now)) != NONE) {
				found[i] = now;
				ck_assert_double_eq_tol(
					fs_moved(fs, i),
					io[i].bytes * io[i].bursts, 1e-3);
				over--;
			}
			now += 1e-6;
		}
		for (int i = 0; i < N; i++)
			expect(fabs(found[i] - ends[i]) < 0.3, "%d: %g %g", i,
			       found[i], ends[i]);
		fs_free(fs);
	}
}
END_TEST

TEST_MAIN("shared_fs", test_job_alone, test_fair_shares, test_steps)
