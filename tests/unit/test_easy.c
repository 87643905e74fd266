/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The simulators of bench/backfill, on cases worked out by hand. */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include "bench/easy.h"
#include "bench/nodes.h"

static double by_request(void *arg, size_t i, int64_t now)
{
	const struct swf_log *log = arg;

	(void)now;
	return (double)log->job[i].request;
}

static double renew(void *arg, size_t i, int64_t elapsed)
{
	(void)arg;
	(void)i;
	return (double)elapsed + 10;
}

static void learn(void *arg, size_t i, int64_t start, int64_t end)
{
	(void)arg;
	(void)i;
	(void)start;
	(void)end;
}

static struct swf_job job(int64_t submit, int64_t run, int64_t request,
			  int64_t procs)
{
	return (struct swf_job){.submit = submit,
				.start = submit,
				.end = submit + run,
				.request = request,
				.procs = procs};
}

/*
 * 10 processors. A holds 6 until 100; B wants 8: reserved for 100, 2 more are
 * idle then. C (4, 50 s) ends before 100: starts at 2. D (2, 500 s) fits in
 * those 2 more: starts when C ends. E (4, 200 s) must wait until after B.
 */
START_TEST(test_easy)
{
	struct swf_job jobs[] = {job(0, 100, 100, 6), job(1, 100, 100, 8),
				 job(2, 50, 50, 4), job(3, 500, 500, 2),
				 job(4, 200, 200, 4)};
	struct swf_log log = {jobs, 5};
	struct easy_oracle oracle = {by_request, renew, learn, &log};
	static const int64_t want[] = {0, 100, 2, 52, 552 - 352};
	struct easy_result r;
	int64_t start[5];

	ck_assert_int_eq(easy_run(&log, 10, false, &oracle, start, &r), 0);
	for (int i = 0; i < 5; i++)
		expect(start[i] == want[i], "job %d: %ld", i, start[i]);
	ck_assert_uint_eq(r.renewed, 0);
	ck_assert_int_eq(easy_run(&log, 7, false, &oracle, start, &r), -1);
}
END_TEST

/* C would be first, but E is shorter. */
START_TEST(test_shortest)
{
	struct swf_job jobs[] = {job(0, 100, 100, 6), job(1, 100, 100, 10),
				 job(2, 60, 60, 4), job(2, 20, 20, 4)};
	struct swf_log log = {jobs, 4};
	struct easy_oracle oracle = {by_request, renew, learn, &log};
	struct easy_result r;
	int64_t start[4];

	ck_assert_int_eq(easy_run(&log, 10, true, &oracle, start, &r), 0);
	ck_assert_int_eq(start[3], 2);
	ck_assert_int_eq(start[2], 22);
	ck_assert_int_eq(start[1], 100);
	ck_assert_int_eq(easy_run(&log, 10, false, &oracle, start, &r), 0);
	ck_assert_int_eq(start[2], 2);
	ck_assert_int_eq(start[3], 62);
}
END_TEST

static void random_log(struct swf_job *jobs, size_t n, uint64_t *seed)
{
	int64_t now = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t run = 1 + (int64_t)slu_random(seed, 900);

		now += (int64_t)slu_random(seed, 200);
		jobs[i] =
			job(now, run, run + (int64_t)slu_random(seed, 2) * 500,
			    1 + (int64_t)slu_random(seed, 10));
	}
}

/* Never more processors in use than there are, and never a start before the
 * submission; of a job that is alone, no wait. */
START_TEST(test_capacity)
{
	enum { N = 400, PROCS = 16 };
	static struct swf_job jobs[N];
	struct swf_log log = {jobs, N};
	struct easy_oracle oracle = {by_request, renew, learn, &log};
	uint64_t seed = 3;

	for (int round = 0; round < 6; round++) {
		struct easy_result r;
		int64_t start[N];

		random_log(jobs, N, &seed);
		ck_assert_int_eq(
			easy_run(&log, PROCS, round % 2, &oracle, start, &r),
			0);
		for (size_t i = 0; i < N; i++) {
			int64_t used = 0;

			ck_assert_int_ge(start[i], jobs[i].submit);
			for (size_t k = 0; k < N; k++)
				if (start[k] <= start[i] &&
				    start[i] < start[k] + jobs[k].end -
						       jobs[k].start)
					used += jobs[k].procs;
			ck_assert_int_le(used, PROCS);
		}
		ck_assert_double_ge(r.slowdown, 1);
	}
}
END_TEST

/* With perfect estimates no plan changes: whoever waits knows its nodes from
 * its submission on. */
START_TEST(test_nodes)
{
	enum { N = 400, PROCS = 16 };
	static struct swf_job jobs[N];
	static double estimate[N];
	struct swf_log log = {jobs, N};
	struct nodes_result r;
	uint64_t seed = 4;
	double sum = 0;

	random_log(jobs, N, &seed);
	for (size_t i = 0; i < N; i++)
		estimate[i] = (double)(jobs[i].end - jobs[i].start);
	ck_assert_int_eq(nodes_run(&log, PROCS, estimate, &r), 0);
	for (int c = 0; c < NODES_CLASSES; c++)
		sum += r.share[c];
	ck_assert_double_eq_tol(sum, 1, 1e-9);
	ck_assert_double_gt(r.share[NODES_LONGER], 0.3);
	ck_assert_double_lt(r.share[NODES_1_S], 0.02);
	for (size_t i = 0; i < N; i++)
		estimate[i] = (double)jobs[i].request * 4;
	sum = r.share[NODES_LONGER];
	ck_assert_int_eq(nodes_run(&log, PROCS, estimate, &r), 0);
	ck_assert_double_lt(r.share[NODES_LONGER], sum);
	ck_assert_int_eq(nodes_run(&log, 129, estimate, &r), -1);
}
END_TEST

TEST_MAIN("easy", test_easy, test_shortest, test_capacity, test_nodes)
