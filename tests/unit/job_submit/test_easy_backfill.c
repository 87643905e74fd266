/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the simulators of bench/backfill (EASY backfill) with cases worked out
 * by hand. */
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

static double by_run(void *arg, size_t i, int64_t now)
{
	const struct swf_log *log = arg;

	(void)now;
	return (double)(log->job[i].end - log->job[i].start);
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

static const struct slu_easy_site seven = {.procs = 7}, ten = {.procs = 10},
				  shortest = {.procs = 10, .shortest = true};

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
	struct slu_easy_oracle oracle = {by_request, renew, learn, &log, 0};
	static const int64_t want[] = {0, 100, 2, 52, 552 - 352};
	struct slu_easy_result r;
	int64_t start[5];

	ck_assert_int_eq(easy_run(&log, &ten, &oracle, start, &r), 0);
	for (int i = 0; i < 5; i++)
		expect(start[i] == want[i], "job %d: %ld", i, start[i]);
	ck_assert_uint_eq(r.renewed, 0);
	ck_assert_int_eq(easy_run(&log, &seven, &oracle, start, &r), -1);
}
END_TEST

/* Two of 4 end at 100, when B (6) is to start: C (2, 500 s) does not delay it.
 */
START_TEST(test_end_together)
{
	struct swf_job jobs[] = {job(0, 100, 100, 4), job(0, 100, 100, 4),
				 job(1, 100, 100, 6), job(2, 500, 500, 2)};
	struct swf_log log = {jobs, 4};
	struct slu_easy_oracle oracle = {by_request, renew, learn, &log, 0};
	struct slu_easy_result r;
	int64_t start[4];

	ck_assert_int_eq(easy_run(&log, &ten, &oracle, start, &r), 0);
	ck_assert_int_eq(start[2], 100);
	ck_assert_int_eq(start[3], 2);
}
END_TEST

/* C would be first, but E is shorter. */
START_TEST(test_shortest)
{
	struct swf_job jobs[] = {job(0, 100, 100, 6), job(1, 100, 100, 10),
				 job(2, 60, 60, 4), job(2, 20, 20, 4)};
	struct swf_log log = {jobs, 4};
	struct slu_easy_oracle oracle = {by_request, renew, learn, &log, 0};
	struct slu_easy_result r;
	int64_t start[4];

	ck_assert_int_eq(easy_run(&log, &shortest, &oracle, start, &r), 0);
	ck_assert_int_eq(start[3], 2);
	ck_assert_int_eq(start[2], 22);
	ck_assert_int_eq(start[1], 100);
	ck_assert_int_eq(easy_run(&log, &ten, &oracle, start, &r), 0);
	ck_assert_int_eq(start[2], 2);
	ck_assert_int_eq(start[3], 62);
}
END_TEST

/*
 * 10 processors, reserved from 300 to 400. A (10, 100 s) runs; B (10, asks for
 * 250) cannot end in time: planned for 400, and so it starts, though it ends
 * after 150. C (10, 200 s) is started before, without delaying B.
 */
START_TEST(test_reservation)
{
	struct swf_job jobs[] = {job(0, 100, 100, 10), job(1, 150, 250, 10),
				 job(2, 200, 200, 10)};
	struct swf_log log = {jobs, 3};
	struct slu_easy_oracle oracle = {by_request, renew, learn, &log, 0};
	struct slu_easy_site site = {.procs = 10, .every = 400, .length = 100};
	static const int64_t want[] = {0, 400, 100};
	struct slu_easy_result r;
	int64_t start[3];

	ck_assert_int_eq(easy_run(&log, &site, &oracle, start, &r), 0);
	for (int i = 0; i < 3; i++)
		expect(start[i] == want[i], "job %d: %ld", i, start[i]);
	ck_assert_uint_eq(r.caught, 0);
}
END_TEST

static double fifty(void *arg, size_t i, int64_t now)
{
	(void)arg;
	(void)i;
	(void)now;
	return 50;
}

static double to_request(void *arg, size_t i, int64_t elapsed)
{
	(void)elapsed;
	return by_request(arg, i, 0);
}

/*
 * All are said to take 50 s, and asked about 10 s before. A (100 s) is extended
 * at 40 to its request (120), which moves B's planned start from 50 to 120; B
 * starts at 100, when A ends, and is extended at 140, too late for C in the
 * queue. With a reservation from 150 on, B runs into that.
 */
START_TEST(test_extended)
{
	struct swf_job jobs[] = {job(0, 100, 120, 10), job(1, 60, 200, 10),
				 job(2, 5, 200, 10)};
	struct swf_log log = {jobs, 3};
	struct slu_easy_oracle oracle = {fifty, to_request, learn, &log, 10};
	struct slu_easy_site site = {
		.procs = 10, .every = 400, .length = 250, .gaps = true};
	struct slu_easy_result r;
	int64_t start[3];

	ck_assert_int_eq(easy_run(&log, &ten, &oracle, start, &r), 0);
	ck_assert_int_eq(start[1], 100);
	ck_assert_int_eq(start[2], 160);
	ck_assert_uint_eq(r.renewed, 2);
	ck_assert_uint_eq(r.moved, 2);
	ck_assert_double_eq(r.delay, (70 + 150) / 2.0);
	ck_assert_int_eq(r.longest, 150);
	ck_assert_uint_eq(r.caught, 0);
	ck_assert_int_eq(easy_run(&log, &site, &oracle, start, &r), 0);
	ck_assert_int_eq(start[1], 100);
	ck_assert_int_eq(start[2], 400);
	ck_assert_uint_eq(r.caught, 1);
	site.gaps = false;
	ck_assert_int_eq(easy_run(&log, &site, &oracle, start, &r), 0);
	ck_assert_int_eq(start[1], 400);
	ck_assert_uint_eq(r.caught, 0);
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

/* Never more processors in use than there are, never a start before the
 * submission, none before a reservation that its request does not allow. */
START_TEST(test_capacity)
{
	enum { N = 400, PROCS = 16 };
	static struct swf_job jobs[N];
	struct swf_log log = {jobs, N};
	struct slu_easy_oracle oracle = {by_request, renew, learn, &log, 0};
	uint64_t seed = 3;

	for (int round = 0; round < 12; round++) {
		struct slu_easy_site site = {
			.procs = PROCS,
			.shortest = round % 2,
			.every = round < 6 ? 0 : 5000,
			.length = round < 6 ? 0 : 1000,
		};
		struct slu_easy_result r;
		int64_t start[N];

		random_log(jobs, N, &seed);
		ck_assert_int_eq(easy_run(&log, &site, &oracle, start, &r), 0);
		for (size_t i = 0; i < N; i++) {
			int64_t used = 0;

			ck_assert_int_ge(start[i], jobs[i].submit);
			expect(!site.every ||
				       start[i] % 5000 + jobs[i].request <=
					       4000,
			       "job %zu: %ld", i, start[i]);
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

/* A license that one job at a time can have, and jobs that take twice as long
 * as they say. */
struct one_at_a_time {
	const struct swf_log *log;
	size_t running; /* SLU_EASY_NONE: nobody */
	int64_t end[8];
	size_t asked;
};

static bool has_license(void *arg, size_t i, int64_t now)
{
	struct one_at_a_time *s = arg;

	(void)now;
	s->asked++;
	return i % 2 == 0 || s->running == SLU_EASY_NONE;
}

static void takes_license(void *arg, size_t i, int64_t now)
{
	struct one_at_a_time *s = arg;

	s->end[i] = now + 2 * (s->log->job[i].end - s->log->job[i].start);
	if (i % 2)
		s->running = i;
}

static size_t gives_back(void *arg, int64_t now)
{
	struct one_at_a_time *s = arg;

	for (size_t i = 0; i < s->log->n; i++) {
		if (!s->end[i] || s->end[i] > now)
			continue;
		s->end[i] = 0;
		if (s->running == i)
			s->running = SLU_EASY_NONE;
		return i;
	}
	return SLU_EASY_NONE;
}

static int64_t next_end(void *arg, int64_t now)
{
	const struct one_at_a_time *s = arg;
	int64_t when = INT64_MAX;

	(void)now;
	for (size_t i = 0; i < s->log->n; i++)
		if (s->end[i] && s->end[i] < when)
			when = s->end[i];
	return when;
}

/*
 * 10 processors. Jobs 1, 3 and 5 need the license: 3 is passed over by 4, and
 * starts when 1 ends, at 101. 5 comes when there are no processors for it: it
 * waits for them at its place until 404, when 4 ends; 6, which would delay that
 * by what is planned, starts after it.
 */
START_TEST(test_shared)
{
	struct swf_job jobs[] = {job(0, 10, 30, 2),    job(1, 50, 50, 2),
				 job(2, 500, 500, 1),  job(3, 50, 50, 3),
				 job(4, 200, 200, 4),  job(102, 50, 50, 9),
				 job(103, 500, 500, 2)};
	static const int64_t want[] = {0, 1, 2, 101, 4, 404, 504};
	struct swf_log log = {jobs, 7};
	struct slu_easy_oracle oracle = {by_request, renew, learn, &log, 0};
	struct one_at_a_time s = {.log = &log, .running = SLU_EASY_NONE};
	struct slu_easy_shared shared = {has_license, takes_license, gives_back,
					 next_end, &s};
	struct slu_easy_site site = {.procs = 10, .shared = &shared};
	struct slu_easy_result r;
	int64_t start[7];

	ck_assert_int_eq(easy_run(&log, &site, &oracle, start, &r), 0);
	for (int i = 0; i < 7; i++)
		expect(start[i] == want[i], "job %d: %ld", i, start[i]);
}
END_TEST

/* With perfect estimates no plan changes: whoever waits knows its nodes from
 * its submission on. */
START_TEST(test_nodes)
{
	enum { N = 400, PROCS = 16 };
	static struct swf_job jobs[N];
	struct swf_log log = {jobs, N};
	struct slu_easy_oracle oracle = {by_run, renew, learn, &log, 0};
	struct nodes_result r;
	uint64_t seed = 4;
	double sum = 0;

	random_log(jobs, N, &seed);
	ck_assert_int_eq(nodes_run(&log, PROCS, &oracle, &r), 0);
	for (int c = 0; c < NODES_CLASSES; c++)
		sum += r.share[c];
	ck_assert_double_eq_tol(sum, 1, 1e-9);
	ck_assert_double_gt(r.share[NODES_LONGER], 0.3);
	ck_assert_double_lt(r.share[NODES_1_S], 0.02);
	for (size_t i = 0; i < N; i++)
		jobs[i].request *= 4;
	oracle.predict = by_request;
	sum = r.share[NODES_LONGER];
	ck_assert_int_eq(nodes_run(&log, PROCS, &oracle, &r), 0);
	ck_assert_double_lt(r.share[NODES_LONGER], sum);
	ck_assert_int_eq(nodes_run(&log, 129, &oracle, &r), -1);
}
END_TEST

TEST_MAIN("easy_backfill", test_easy, test_end_together, test_shortest,
	  test_reservation, test_extended, test_capacity, test_nodes,
	  test_shared)
