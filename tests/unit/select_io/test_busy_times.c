/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests the record of when a file system was busy against a list of seconds;
 * and that the bandwidth of jobs that slowed each other down is not learned as
 * their need.
 */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include <math.h>
#include "bench/shared_fs.h"
#include "select_io/bandwidth/busy_times.h"
#include "select_io/bandwidth/rates.h"

#define SECONDS 4000
#define GAP	50

START_TEST(test_against_seconds)
{
	uint64_t seed = 5;

	for (int round = 0; round < 100; round++) {
		struct slu_busy_times b = {0};
		bool busy[SECONDS] = {false};
		int64_t last = 0, first = -1;

		for (int64_t t = 1; t < SECONDS;
		     t += 1 + (int64_t)slu_random(&seed, 60)) {
			bool is = slu_random(&seed, 2);

			slu_busy_times_add(&b, is, t, GAP);
			for (int64_t k = last;
			     first >= 0 && is && t - last <= GAP && k < t; k++)
				busy[k] = true;
			first = first < 0 ? t : first;
			last = t;
		}
		for (int k = 0; k < 200; k++) {
			int64_t start = (int64_t)slu_random(&seed, SECONDS);
			int64_t end =
				start + 1 + (int64_t)slu_random(&seed, 900);
			double want = 0;

			for (int64_t t = start; t < end && t < SECONDS; t++)
				want += busy[t];
			ck_assert_double_eq_tol(
				slu_busy_times_share(&b, start, end),
				want / (double)(end - start), 1e-9);
		}
		slu_busy_times_free(&b);
	}
}
END_TEST

/* More than there is room for, and a clock that was set back. */
START_TEST(test_ring)
{
	struct slu_busy_times b = {0};

	ck_assert_double_eq(slu_busy_times_share(&b, 1, 100), 0);
	for (int64_t t = 1; t <= 3 * SLU_BUSY_TIMES; t++)
		slu_busy_times_add(&b, t > 2 * SLU_BUSY_TIMES, t, GAP);
	ck_assert_double_eq(slu_busy_times_share(&b, 3 * SLU_BUSY_TIMES - 100,
						 3 * SLU_BUSY_TIMES),
			    1);
	ck_assert_double_eq(slu_busy_times_share(&b, 1, SLU_BUSY_TIMES), 0);
	ck_assert_double_eq(slu_busy_times_share(&b, 7, 7), 0);
	slu_busy_times_add(&b, true, 10, GAP);
	ck_assert_double_eq(slu_busy_times_share(&b, 1, 3 * SLU_BUSY_TIMES), 0);
	slu_busy_times_add(&b, true, 30, GAP);
	ck_assert_double_eq(slu_busy_times_share(&b, 10, 30), 1);
	slu_busy_times_free(&b);
}
END_TEST

/* The jobs of bench/iostart_campaign: 32 MiB thrice after 5 s, at 16 MiB/s, 21
 * s alone; ten times the file system. */
#define MIB   1048576.0
#define JOBS  4000
#define ALONE (96 * MIB / 21)
#define ALL   (160 * MIB)

/* As many run at once as are thought to fit, and what they reached is learnt.
 * Returns the rate that is foretold in the end. */
static double campaign(bool knows, size_t *together)
{
	struct slu_busy_times busy = {0};
	struct slu_rates *rates = slu_rates_new(10, NULL);
	struct fs_io io[JOBS];
	double begun[JOBS], rate = ALONE;
	size_t next = 0, running = 0, ended = 0, most = 0, i;
	struct fs *fs;

	for (i = 0; i < JOBS; i++)
		io[i] = (struct fs_io){3, 5, 32 * MIB, 16 * MIB};
	fs = fs_new(io, JOBS, ALL);
	slu_rates_learn(rates, 1, "a", 1, 21, 96 * MIB);
	for (int64_t now = 1; ended < JOBS; now++) {
		while ((i = fs_ended(fs, (double)now)) != (size_t)-1) {
			double ran = (double)now - begun[i];
			double calm =
				1 - slu_busy_times_share(
					    &busy, (int64_t)begun[i], now);

			slu_rates_learn_disturbed(rates, 1, "a", 1, ran,
						  96 * MIB, knows ? calm : 1);
			running--;
			ended++;
		}
		slu_busy_times_add(&busy, fs_rate(fs) > 0.9 * ALL, now, 60);
		rate = slu_rates_foretell(rates, 1, "a", 1, 21).node;
		while (next < JOBS && rate * (double)(running + 1) <= ALL) {
			begun[next] = (double)now;
			fs_start(fs, next++, (double)now);
			running++;
			most = running > most ? running : most;
		}
	}
	*together = most;
	fs_free(fs);
	slu_rates_free(rates);
	slu_busy_times_free(&busy);
	return rate;
}

START_TEST(test_no_spiral)
{
	size_t together[2];
	double with, without;

	without = campaign(false, &together[0]);
	with = campaign(true, &together[1]);
	printf("alone %.2f MiB/s; foretold %.2f (%zu together), with when it "
	       "was busy %.2f (%zu)\n",
	       ALONE / MIB, without / MIB, together[0], with / MIB,
	       together[1]);
	expect(without < 0.75 * ALONE, "%g", without / ALONE);
	expect(with > 0.95 * ALONE && with < 1.05 * ALONE, "%g", with / ALONE);
}
END_TEST

/* An application that needs less now is learnt to, by runs in calm time at
 * once, by others as far as they were calm. */
START_TEST(test_falls)
{
	struct slu_rates *rates = slu_rates_new(10, NULL);

	slu_rates_learn(rates, 1, "a", 1, 100, 1000);
	for (int i = 0; i < 30; i++)
		slu_rates_learn_disturbed(rates, 1, "a", 1, 100, 100, 0.5);
	ck_assert_double_eq_tol(slu_rates_foretell(rates, 1, "a", 1, 1).own, 2,
				0.1);
	for (int i = 0; i < 30; i++)
		slu_rates_learn_disturbed(rates, 1, "a", 1, 100, 100, 1);
	ck_assert_double_eq_tol(slu_rates_foretell(rates, 1, "a", 1, 1).own, 1,
				0.1);
	/* more is believed in any case */
	for (int i = 0; i < 30; i++)
		slu_rates_learn_disturbed(rates, 1, "a", 1, 100, 5000, 0);
	ck_assert_double_eq_tol(slu_rates_foretell(rates, 1, "a", 1, 1).own, 50,
				1);
	slu_rates_free(rates);
}
END_TEST

TEST_MAIN("busy_times", test_against_seconds, test_ring, test_no_spiral,
	  test_falls)
