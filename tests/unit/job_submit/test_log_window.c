/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests which hours of a job log bench/replay submits again, and which jobs it
 * does it with, against a search by brute force on random logs. */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include "bench/log_window.h"

#define LOGS 300
#define MOST 60	   /* jobs of a log */
#define DAYS 86400 /* s of a log, about */
#define HOUR LOG_WINDOW_HOUR

/* Many jobs share their submission, size and run time, so that windows are
 * equally busy. */
static struct swf_log random_log(struct swf_job jobs[MOST], uint64_t *seed)
{
	struct swf_log log = {jobs, slu_random(seed, MOST + 1)};
	int64_t at = 0;

	for (size_t i = 0; i < log.n; i++) {
		int64_t wait = (int64_t)slu_random(seed, 3) * 1800;
		int64_t run = (int64_t)slu_random(seed, 4) * HOUR + 60;

		at += (int64_t)slu_random(seed, 3) * (DAYS / MOST);
		jobs[i] = (struct swf_job){
			.number = (int64_t)i + 1,
			.submit = at,
			.start = at + wait,
			.end = at + wait + run,
			.request = run + 1801 - (int64_t)slu_random(seed, 3600),
			.procs = (int64_t)slu_random(seed, 3) + 1,
		};
		if (jobs[i].request < 1)
			jobs[i].request = 1;
	}
	return log;
}

struct span {
	int64_t begin;
	double work;
};

static int by_work(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	if (x->work != y->work)
		return x->work > y->work ? -1 : 1;
	return (x->begin > y->begin) - (x->begin < y->begin);
}

static double work(const struct swf_log *log, int64_t from, int64_t to)
{
	double sum = 0;

	for (size_t i = 0; i < log->n; i++) {
		const struct swf_job *j = &log->job[i];
		int64_t run = j->end - j->start;

		run = run > j->request ? j->request : run;
		if (j->submit >= from && j->submit < to)
			sum += (double)(run * j->procs);
	}
	return sum;
}

/* Sorts all spans by their work, and crosses out what overlaps one before. */
static int64_t choose(const struct swf_log *log, int64_t length, int rank)
{
	static struct span span[4 * DAYS / HOUR];
	int64_t last = log->n ? log->job[log->n - 1].submit : 0;
	size_t n = 0, taken = 0;

	for (int64_t at = 0; at + length <= last; at += HOUR)
		if (4 * at >= last)
			span[n++] =
				(struct span){at, work(log, at, at + length)};
	qsort(span, n, sizeof(*span), by_work);
	for (size_t i = 0; i < n && span[i].work > 0; i++) {
		bool is_free = true;

		for (size_t k = 0; k < taken; k++)
			is_free &= span[i].begin >= span[k].begin + length ||
				   span[k].begin >= span[i].begin + length;
		if (!is_free)
			continue;
		span[taken++] = span[i];
		if (taken == (size_t)rank)
			return span[i].begin;
	}
	return -1;
}

START_TEST(test_choice)
{
	struct swf_job jobs[MOST];
	uint64_t seed = 1;
	int found = 0, missing = 0;

	for (int k = 0; k < LOGS; k++) {
		struct swf_log log = random_log(jobs, &seed);
		int64_t length = (int64_t)(1 + slu_random(&seed, 8)) * HOUR;

		for (int rank = 1; rank <= 6; rank++) {
			int64_t want = choose(&log, length, rank);
			int64_t got = log_window_choose(&log, length, rank);

			expect(got == want, "log %d, %ld s, rank %d: %ld, %ld",
			       k, (long)length, rank, (long)got, (long)want);
			found += want >= 0;
			missing += want < 0;
		}
	}
	ck_assert_int_gt(found, LOGS);
	ck_assert_int_gt(missing, LOGS / 4);
}
END_TEST

/* The place of the log's job i in the window; w->n: it is not in it. */
static size_t place(const struct log_window *w, size_t i)
{
	size_t at = 0, places = 0;

	for (size_t k = 0; k < w->n; k++)
		places += w->of[k] == i;
	expect(places < 2, "job %zu is there %zu times", i, places);
	while (at < w->n && w->of[at] != i)
		at++;
	return at;
}

/* Is the log's job i in the window as it should be? Counts what it is. */
static void check_job(const struct log_window *w, size_t i, int seen[4])
{
	const struct swf_job *job = &w->log->job[i];
	const int64_t end = w->begin + w->length;
	size_t at = place(w, i);
	int64_t run = job->end - job->start, gone = 0;
	const struct slu_easy_job *out = &w->job[at];

	run = run > job->request ? job->request : run;
	if (job->submit < w->begin && job->start <= w->begin)
		gone = w->begin - job->start;
	if (job->end <= w->begin || job->submit >= end || run <= gone) {
		expect(at == w->n, "job %zu", i);
		seen[3]++;
		return;
	}
	expect(at < w->n, "job %zu", i);
	expect(w->kind[at] == (job->submit >= w->begin ? WINDOW
			       : job->start > w->begin ? WAITING
						       : RUNNING),
	       "job %zu: %d", i, (int)w->kind[at]);
	expect(out->submit ==
		       (job->submit > w->begin ? job->submit - w->begin : 0),
	       "job %zu: %ld", i, (long)out->submit);
	expect(out->run == run - gone, "job %zu: %ld", i, (long)out->run);
	expect(out->request >= job->request - gone &&
		       out->request < job->request - gone + 60 &&
		       out->request % 60 == 0,
	       "job %zu: %ld", i, (long)out->request);
	expect(out->procs == job->procs, "job %zu", i);
	seen[w->kind[at]]++;
}

START_TEST(test_jobs)
{
	struct swf_job jobs[MOST];
	uint64_t seed = 2;
	int seen[4] = {0};

	for (int k = 0; k < LOGS; k++) {
		struct swf_log log = random_log(jobs, &seed);
		struct log_window w = {
			.log = &log,
			.begin = (int64_t)slu_random(&seed, DAYS),
			.length = (int64_t)(1 + slu_random(&seed, 8)) * HOUR,
		};

		ck_assert_int_eq(log_window_cut(&w), 0);
		for (size_t i = 0; i < log.n; i++)
			check_job(&w, i, seen);
		for (size_t i = 1; i < w.n; i++)
			expect(w.kind[i - 1] < w.kind[i] ||
				       (w.kind[i - 1] == w.kind[i] &&
					w.of[i - 1] < w.of[i]),
			       "log %d, place %zu", k, i);
		log_window_free(&w);
	}
	for (int i = 0; i < 4; i++)
		expect(seen[i] > LOGS / 2, "kind %d: %d", i, seen[i]);
}
END_TEST

TEST_MAIN("log_window", test_choice, test_jobs)
