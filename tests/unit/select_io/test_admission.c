/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests which jobs may start next to others that use the bandwidth of a shared
 * file system: cases worked out by hand, and random days, in which the promised
 * starts must be kept.
 */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include <math.h>
#include "select_io/bandwidth/admission.h"

static const struct slu_admission_site site = {
	.capacity = 100,
	.nodes = 10,
	.max_wait = 3600,
	.wait_factor = 2,
	.small = 0.05,
	.over = 1.2,
};

static const struct slu_demand running[] = {
	{.nodes = 2, .rate = 40, .seconds = 500, .id = 1},
	{.nodes = 2, .rate = 30, .seconds = 100, .id = 2},
};

static struct slu_admission_ask ask(double rate, double seconds, int64_t held,
				    double idle)
{
	return (struct slu_admission_ask){
		.is = {.nodes = 3, .rate = rate, .seconds = seconds},
		.held = held,
		.idle = idle,
	};
}

START_TEST(test_answers)
{
	static const struct {
		double rate, seconds;
		int64_t held;
		double idle;
		enum slu_admission_answer want;
		int64_t when;
	} cases[] = {
		{30, 9e9, 0, 0, SLU_ADMISSION_FITS, 0},
		{31, 9e9, 0, 0, SLU_ADMISSION_HELD, 100}, /* the second ends */
		{70, 9e9, 0, 0, SLU_ADMISSION_HELD, 500},
		{9e9, 9e9, 0, 0, SLU_ADMISSION_HELD, 500},   /* alone */
		{70, 9e9, 3500, 0, SLU_ADMISSION_HELD, 100}, /* the bound */
		{70, 9e9, 3600, 0, SLU_ADMISSION_PROMISED, 0},
		{70, 60, 0, 0, SLU_ADMISSION_HELD, 120}, /* twice a minute */
		{70, 60, 120, 0, SLU_ADMISSION_PROMISED, 0},
		{5, 9e9, 0, 0, SLU_ADMISSION_SMALL, 0},
		{0, 9e9, 0, 0, SLU_ADMISSION_SMALL, 0},
		{NAN, 9e9, 0, 0, SLU_ADMISSION_SMALL, 0},
		{50, 9e9, 0, 3, SLU_ADMISSION_IDLE, 0},
		{50, 9e9, 0, 2, SLU_ADMISSION_HELD, 100},
		{51, 9e9, 0, 3, SLU_ADMISSION_HELD, 100},
	};
	struct slu_admission a = {0};

	ck_assert_int_eq(slu_admission_look(&a, &site, running, 2, NULL, 0), 0);
	each(c, cases)
	{
		struct slu_admission_ask job =
			ask(c->rate, c->seconds, c->held, c->idle);

		expect(slu_admission_ask(&a, &job) == c->want, "%g: %d",
		       c->rate, slu_admission_ask(&a, &job));
		expect(slu_admission_when(&a, &job) == c->when, "%g: %ld",
		       c->rate, (long)slu_admission_when(&a, &job));
	}
	slu_admission_free(&a);
}
END_TEST

/* Who needs all waits for those that need much, not for noise, which there
 * always is. */
START_TEST(test_needs_all)
{
	static const struct slu_demand with[] = {
		{.nodes = 2, .rate = 40, .seconds = 500, .id = 1},
		{.nodes = 1, .rate = 5, .seconds = 1000000},
	};
	struct slu_admission_ask job = ask(9e9, 500, 0, 0);
	struct slu_admission a = {0};

	ck_assert_int_eq(slu_admission_look(&a, &site, with, 2, NULL, 0), 0);
	ck_assert_int_eq(slu_admission_ask(&a, &job), SLU_ADMISSION_HELD);
	ck_assert_int_eq(slu_admission_when(&a, &job), 500);
	slu_admission_ended(&a, 1);
	ck_assert_int_eq(slu_admission_ask(&a, &job), SLU_ADMISSION_FITS);
	slu_admission_free(&a);
}
END_TEST

/* Whatever waits is let go at once where it is off. */
START_TEST(test_everything_starts_when_off)
{
	struct slu_admission_ask job = ask(9e9, 9e9, 0, 0);
	struct slu_admission_site off[] = {site, site, site};
	struct slu_admission a = {0};

	off[0].capacity = 0;
	off[1].max_wait = 0;
	off[2].capacity = NAN;
	each(o, off)
	{
		ck_assert_int_eq(
			slu_admission_look(&a, &site, running, 2, NULL, 0), 0);
		ck_assert_int_eq(slu_admission_ask(&a, &job),
				 SLU_ADMISSION_HELD);
		ck_assert_int_eq(slu_admission_look(&a, o, running, 2, NULL, 0),
				 0);
		ck_assert_int_ne(slu_admission_ask(&a, &job),
				 SLU_ADMISSION_HELD);
	}
	slu_admission_free(&a);
	ck_assert_int_ne(slu_admission_ask(&a, &job), SLU_ADMISSION_HELD);
}
END_TEST

/* A job that has ended leaves its bandwidth, even if others have started since
 * the look. */
START_TEST(test_end_frees_bandwidth)
{
	struct slu_admission_ask job = ask(60, 9e9, 0, 0);
	struct slu_demand other = {
		.nodes = 1, .rate = 20, .seconds = 9, .id = 3};
	struct slu_admission a = {0};

	ck_assert_int_eq(slu_admission_look(&a, &site, running, 2, NULL, 0), 0);
	ck_assert_int_eq(slu_admission_begun(&a, &other), 0);
	slu_admission_ended(&a, 2);
	ck_assert_int_eq(slu_admission_ask(&a, &job), SLU_ADMISSION_HELD);
	ck_assert_int_eq(slu_admission_when(&a, &job), 9);
	a.now = 5;
	ck_assert_int_eq(slu_admission_when(&a, &job), 4);
	slu_admission_ended(&a, 3);
	ck_assert_int_eq(slu_admission_ask(&a, &job), SLU_ADMISSION_FITS);
	slu_admission_ended(&a, 3); /* not known any more */
	ck_assert_double_eq(a.demand, 40);
	slu_admission_ended(&a, 1);
	ck_assert_double_eq(a.demand, 0);
	slu_admission_free(&a);
}
END_TEST

START_TEST(test_demand_from_measurement)
{
	const struct slu_demand d = {.nodes = 1, .rate = 10, .seconds = 7200};
	const struct slu_demand brief = {.nodes = 1, .rate = 10, .seconds = 60};

	/* a twentieth of the run at twice the rate; nothing moved; the file
	 * system busy; not yet; five minutes of a job that was to be short */
	ck_assert_double_eq_tol(slu_admission_seen(&d, 360, 7200, false), 15,
				1e-9);
	ck_assert_double_eq_tol(slu_admission_seen(&d, 360, 0, false), 5, 1e-9);
	ck_assert_double_eq_tol(slu_admission_seen(&d, 360, 0, true), 10, 1e-9);
	ck_assert_double_eq_tol(slu_admission_seen(&d, 360, 7200, true), 15,
				1e-9);
	ck_assert_double_eq_tol(slu_admission_seen(&d, 0, 0, false), 10, 1e-9);
	/* a clock that was set back */
	ck_assert_double_eq(slu_admission_seen(&d, -360, 0, false), 10);
	ck_assert_double_eq(slu_admission_seen(&d, -3600, 9e9, false), 10);
	ck_assert_double_eq_tol(slu_admission_seen(&brief, 300, 0, false), 5,
				1e-9);
}
END_TEST

START_TEST(test_rate)
{
	/* of two nodes: small are 5 of 100 */
	const struct {
		struct slu_rate learnt;
		double is;
	} jobs[] = {
		{{5, 0, 0}, 10},      {{1e9, 0, 0}, 25},   {{40, 60, 1}, 80},
		{{40, 2.4, 2}, 80},   {{40, 2.4, 3}, 4.8}, {{40, 2.6, 3}, 80},
		{{0.1, 0.2, 9}, 0.4},
	};

	for (size_t i = 0; i < sizeof(jobs) / sizeof(*jobs); i++)
		ck_assert_double_eq_tol(
			slu_admission_rate(&site, &jobs[i].learnt, 2),
			jobs[i].is, 1e-9);
}
END_TEST

/* A site with random jobs, as the rule sees it and by brute force. */
enum { JOBS = 24, NODES = 12 };
struct day {
	struct slu_admission_site site;
	struct slu_admission_ask job[JOBS];
	int64_t run[JOBS], start[JOBS], held[JOBS]; /* -1: not yet */
	bool over[JOBS];			    /* started beyond */
};

static int64_t end_of(const struct day *d, int i)
{
	return d->start[i] + d->run[i];
}

static bool runs(const struct day *d, int i, int64_t now)
{
	return d->start[i] >= 0 && now < end_of(d, i);
}

static void draw(struct day *d, uint64_t *seed)
{
	*d = (struct day){.site = site};
	d->site.over = 1 + (double)slu_random(seed, 2) / 2;
	d->site.adapt = slu_random(seed, 3) == 0;
	d->site.max_wait = 1 + (int64_t)slu_random(seed, 500);
	d->site.wait_factor = 1 + (double)slu_random(seed, 5);
	for (int i = 0; i < JOBS; i++) {
		d->run[i] = 1 + (int64_t)slu_random(seed, 200);
		d->start[i] = d->held[i] = -1;
		d->job[i] = (struct slu_admission_ask){
			.is = {.nodes = 1 + (double)slu_random(seed, 4),
			       .rate = (double)slu_random(seed, 140),
			       .seconds = 1 + (double)slu_random(seed, 200)},
		};
	}
}

static double idle_at(const struct day *d, int64_t now)
{
	double idle = NODES;

	for (int i = 0; i < JOBS; i++)
		idle -= runs(d, i, now) ? d->job[i].is.nodes : 0;
	return idle;
}

static double demand_at(const struct day *d, int64_t now)
{
	double sum = 0;

	for (int i = 0; i < JOBS; i++)
		sum += runs(d, i, now) ? d->job[i].is.rate : 0;
	return sum;
}

static void look(const struct day *d, int64_t now, struct slu_admission *a)
{
	struct slu_demand is[2][JOBS];
	size_t n[2] = {0, 0};

	for (int i = 0; i < JOBS; i++) {
		bool waits = d->start[i] < 0;

		if (!waits && !runs(d, i, now))
			continue;
		is[waits][n[waits]] = d->job[i].is;
		if (!waits)
			is[0][n[0]].seconds = (double)(end_of(d, i) - now);
		n[waits]++;
	}
	ck_assert_int_eq(
		slu_admission_look(a, &d->site, is[0], n[0], is[1], n[1]), 0);
	ck_assert_double_eq_tol(a->demand, demand_at(d, now), 1e-6);
}

/* So much a job may need, beside noise. */
static double most_of(const struct day *d)
{
	return d->site.capacity - d->site.small * d->site.capacity;
}

/* What the answer must be, without the two groups. */
static enum slu_admission_answer oracle(const struct day *d, int i, int64_t now,
					double idle)
{
	const struct slu_admission_ask *job = &d->job[i];
	double c = d->site.capacity, demand = demand_at(d, now);
	double need = fmin(job->is.rate, most_of(d));

	if (job->is.rate <= d->site.small * c)
		return SLU_ADMISSION_SMALL;
	if (job->held >= d->site.max_wait ||
	    (double)job->held >= d->site.wait_factor * job->is.seconds)
		return SLU_ADMISSION_PROMISED;
	if (demand + need <= c)
		return SLU_ADMISSION_FITS;
	if (job->is.nodes <= idle && demand + need <= c * d->site.over)
		return SLU_ADMISSION_IDLE;
	return SLU_ADMISSION_HELD;
}

/* The earliest time from now on at which those that run now leave room. */
static int64_t oracle_when(const struct day *d, int i, int64_t now)
{
	const struct slu_admission_ask *job = &d->job[i];
	double c = d->site.capacity, need = fmin(job->is.rate, most_of(d));
	int64_t bound = (int64_t)fmin((double)d->site.max_wait,
				      d->site.wait_factor * job->is.seconds);
	int64_t when = now;

	while (demand_at(d, when) + need > c && when - now < bound - job->held)
		when++;
	return when - now;
}

static void try_job(struct day *d, struct slu_admission *a, int i, int64_t now,
		    double idle)
{
	struct slu_admission_ask *job = &d->job[i];
	enum slu_admission_answer got;

	job->held = d->held[i] < 0 ? 0 : now - d->held[i];
	job->idle = idle;
	got = slu_admission_ask(a, job);
	expect(d->site.adapt || got == oracle(d, i, now, idle), "job %d: %d", i,
	       got);
	if (got == SLU_ADMISSION_HELD) {
		look(d, now, a); /* with what began a moment ago */
		ck_assert_int_ge(slu_admission_when(a, job), 1);
		expect(d->site.adapt || now % 9 ||
			       slu_admission_when(a, job) ==
				       oracle_when(d, i, now),
		       "job %d: %ld, %ld", i, (long)slu_admission_when(a, job),
		       (long)oracle_when(d, i, now));
		if (d->held[i] < 0)
			d->held[i] = now;
		/* nobody is held for longer than the bound */
		ck_assert_int_lt(job->held, d->site.max_wait);
		ck_assert_double_lt((double)job->held,
				    d->site.wait_factor * job->is.seconds);
		return;
	}
	/* above the target only what is noise, promised or idle */
	if (got == SLU_ADMISSION_FITS)
		ck_assert_double_le(demand_at(d, now) +
					    fmin(job->is.rate, most_of(d)),
				    100);
	if (got == SLU_ADMISSION_IDLE)
		ck_assert_double_le(demand_at(d, now) +
					    fmin(job->is.rate, most_of(d)),
				    100 * d->site.over);
	d->start[i] = now;
	ck_assert_int_eq(slu_admission_begun(a, &job->is), 0);
	ck_assert_double_eq_tol(a->demand, demand_at(d, now), 1e-6);
}

static void live(struct day *d)
{
	struct slu_admission a = {0};
	double idle = 0;
	int left = JOBS;

	for (int64_t now = 0; left > 0; now++) {
		ck_assert_int_lt(now, 1000000); /* all start some time */
		left = 0;
		look(d, now, &a);
		for (int i = 0; i < JOBS; i++) {
			if (d->start[i] < 0 &&
			    d->job[i].is.nodes <= idle_at(d, now))
				try_job(d, &a, i, now, idle);
			left += d->start[i] < 0;
		}
		idle = idle_at(d, now);
	}
	slu_admission_free(&a);
}

START_TEST(test_days)
{
	static struct day d;
	uint64_t seed = 33;

	for (int round = 0; round < 40; round++) {
		draw(&d, &seed);
		live(&d);
	}
}
END_TEST

/* Overdue jobs are expected to run on for a while. */
START_TEST(test_overdue)
{
	const struct slu_demand late[] = {
		{.nodes = 1, .rate = 60, .seconds = -7, .id = 1},
		{.nodes = 1, .rate = 30, .seconds = 50, .id = 2},
	};
	struct slu_admission_site with = site;
	struct slu_admission_ask job = ask(60, 9e9, 0, 0);
	struct slu_admission a = {0};

	with.left = 20;
	ck_assert_int_eq(slu_admission_look(&a, &with, late, 2, NULL, 0), 0);
	ck_assert_int_eq(slu_admission_when(&a, &job), 20);
	job.is.rate = 90;
	ck_assert_int_eq(slu_admission_when(&a, &job), 50);
	a.now = 40;
	ck_assert_int_eq(slu_admission_when(&a, &job), 20);
	slu_admission_free(&a);
}
END_TEST

/* Compares what starts and ends have made of the sums with a look from scratch:
 * whole numbers, so that they have to be equal. */
static void compare(const struct slu_admission *a,
		    const struct slu_demand *runs, size_t n)
{
	struct slu_admission anew = {0};
	struct slu_demand now[JOBS];

	for (size_t i = 0; i < n; i++) {
		now[i] = runs[i];
		now[i].seconds -= a->now;
	}
	ck_assert_int_eq(slu_admission_look(&anew, &a->site, now, n, NULL, 0),
			 0);
	ck_assert_double_eq(a->demand, anew.demand);
	ck_assert_uint_eq(a->n_end, n);
	for (double rate = 6; rate < 200; rate += 13) {
		struct slu_admission_ask job = ask(rate, 9e9, 0, 3);

		ck_assert_int_eq(slu_admission_ask(a, &job),
				 slu_admission_ask(&anew, &job));
		ck_assert_int_eq(slu_admission_when(a, &job),
				 slu_admission_when(&anew, &job));
	}
	slu_admission_free(&anew);
}

/* runs[].seconds is the time of the end. */
static void happen(struct slu_admission *a, struct slu_demand *runs, size_t *n,
		   uint64_t *seed)
{
	static uint32_t id;
	size_t k = slu_random(seed, JOBS);
	struct slu_demand job = {
		.id = ++id,
		.nodes = 1,
		.rate = (double)slu_random(seed, 40),
		.seconds = (double)slu_random(seed, 300),
	};

	a->now += (double)slu_random(seed, 40);
	if (slu_random(seed, 9) == 0) { /* a measurement */
		for (size_t i = 0; i < *n; i++) {
			runs[i].rate = (double)slu_random(seed, 40);
			for (size_t e = 0; e < a->n_end; e++)
				if (a->end[e].id == runs[i].id)
					a->end[e].rate = runs[i].rate;
		}
		slu_admission_sum(a);
	} else if (k >= *n) {
		ck_assert_int_eq(slu_admission_begun(a, &job), 0);
		job.seconds += a->now;
		runs[(*n)++] = job;
	} else {
		slu_admission_ended(a, runs[k].id);
		runs[k] = runs[--*n];
	}
}

START_TEST(test_sums)
{
	uint64_t seed = 4;

	for (int round = 0; round < 200; round++) {
		struct slu_admission_site with = site;
		struct slu_demand runs[JOBS + 1];
		struct slu_admission a = {0};
		size_t n = 0;

		with.left = (double)slu_random(&seed, 60);
		with.max_wait = 9000000;
		ck_assert_int_eq(
			slu_admission_look(&a, &with, NULL, 0, NULL, 0), 0);
		for (int i = 0; i < 200; i++) {
			happen(&a, runs, &n, &seed);
			compare(&a, runs, n);
		}
		slu_admission_free(&a);
	}
}
END_TEST

TEST_MAIN("admit", test_answers, test_needs_all,
	  test_everything_starts_when_off, test_end_frees_bandwidth,
	  test_demand_from_measurement, test_rate, test_days, test_overdue,
	  test_sums)
