/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Part of bench/iostart: gives the jobs of a log the I/O of recorded runs,
 * since a log has no I/O, and the recorded runs have no other jobs. An
 * application (jobs of one user with the same requested time and processors)
 * gets the runs of a recorded one, in their order: how much more or less than
 * usual each moves, and at which rate per process.
 *
 * The share of I/O is an assumption: every third application spends 10 to 50 %
 * of its time with I/O, the others 0.2 to 2 %, in bursts at least half an hour
 * apart.
 */
#include "bench/iostart.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "tests/unit/random.h"

#define HEAVY  3    /* one application in so many */
#define PERIOD 1800 /* s */
#define BURSTS 48
#define MOST   0.8	     /* bound for the share of I/O in a job's time */
#define SLOTS  (1 << 20)     /* hash table of applications */
#define APART  7919000003ull /* of two numbers' keys */
#define FEWEST 20	     /* runs of a recorded application for its means */

struct recorded {
	size_t first, n;
	double bytes; /* mean over its runs */
	double peak;  /* mean bytes/s of a process */
};

struct pool {
	struct io_run *run; /* sorted by application, then time */
	struct recorded *app;
	size_t n;
};

static double uniform(uint64_t *seed, double least, double most)
{
	return least +
	       (most - least) * (double)slu_random(seed, 1 << 30) / (1 << 30);
}

static int by_app(const void *a, const void *b)
{
	const struct io_run *x = a, *y = b;
	int d = strcmp(x->app, y->app);

	return d ? d : (x->start > y->start) - (x->start < y->start);
}

static double bytes_of(const struct io_run *run)
{
	return run->read + run->written;
}

static double peak_of(const struct io_run *run)
{
	return run->bandwidth * 1e6 / run->procs;
}

static void group(struct pool *pool, size_t n)
{
	for (size_t i = 0, next; i < n; i = next) {
		struct recorded app = {.first = i};

		for (next = i; next < n && strcmp(pool->run[next].app,
						  pool->run[i].app) == 0;
		     next++) {
			app.bytes += bytes_of(&pool->run[next]);
			app.peak += peak_of(&pool->run[next]);
		}
		app.n = next - i;
		app.bytes /= (double)app.n;
		app.peak /= (double)app.n;
		if (app.n >= FEWEST)
			pool->app[pool->n++] = app;
	}
}

static int pool_init(struct pool *pool, const struct io_run *run, size_t n)
{
	size_t kept = 0;

	*pool = (struct pool){.run = calloc(n + 1, sizeof(*run)),
			      .app = calloc(n + 1, sizeof(*pool->app))};
	if (!pool->run || !pool->app)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (bytes_of(&run[i]) > 0 && run[i].bandwidth > 0 &&
		    run[i].procs > 0)
			pool->run[kept++] = run[i];
	qsort(pool->run, kept, sizeof(*run), by_app);
	group(pool, kept);
	return pool->n ? 0 : -1;
}

/* The key of jobs with the same kind of I/O. */
static uint64_t key_of(const struct swf_job *job, size_t i, enum likeness like)
{
	uint64_t key = (uint64_t)(job->user + 1);

	if (like == BY_NOTHING)
		return i + 1;
	if (like == BY_USER)
		return key;
	key = key * 1000003 + (uint64_t)job->procs;
	return key * 1000003 + (uint64_t)job->request;
}

/* times: the number of earlier jobs of its application. */
static void draw(const struct pool *pool, const struct swf_job *job,
		 uint64_t seed, size_t times, struct fs_io *out)
{
	double run = (double)(job->end - job->start), part, bytes;
	double procs = (double)job->procs;
	const struct recorded *app;
	const struct io_run *run_like;
	bool heavy;

	slu_random(&seed, 2);
	app = &pool->app[slu_random(&seed, pool->n)];
	heavy = slu_random(&seed, HEAVY) == 0;
	part = heavy ? uniform(&seed, 0.1, 0.5) : uniform(&seed, 0.002, 0.02);
	run_like = &pool->run[app->first +
			      (slu_random(&seed, app->n) + times) % app->n];
	bytes = run * part * procs * app->peak * bytes_of(run_like) /
		app->bytes;
	out->bursts = (uint32_t)fmin(fmax(run / PERIOD, 1), BURSTS);
	out->peak = fmax(procs * peak_of(run_like), bytes / (MOST * run));
	out->bytes = bytes / out->bursts;
	out->compute = (run - bytes / out->peak) / out->bursts;
}

static double span_of(const struct swf_log *log)
{
	double end = 1;

	for (size_t i = 0; i < log->n; i++)
		end = fmax(end, (double)log->job[i].end);
	return end - (double)log->job[0].submit;
}

/* The share of the time for which a file system of this capacity is needed,
 * with each job's rate limited by it. */
static double intensity_at(const struct mix *mix, double capacity, double span)
{
	double sum = 0;

	for (size_t i = 0; i < mix->log->n; i++) {
		const struct fs_io *io = &mix->io[i];

		sum += io->bursts * io->bytes * fmin(1, capacity / io->peak);
	}
	return sum / capacity / span;
}

/* Recorded run times are those without contention, so a job with a higher rate
 * than the capacity moves fewer bytes in the same time. false: too few jobs do
 * I/O at the same time. */
static bool limit(struct mix *mix, double intensity)
{
	double span = span_of(mix->log), low = 1, high = 1e18;

	if (intensity_at(mix, low, span) < intensity)
		return false;
	for (int round = 0; round < 200; round++) {
		double mid = sqrt(low * high);

		if (intensity_at(mix, mid, span) > intensity)
			low = mid;
		else
			high = mid;
	}
	mix->capacity = low;
	for (size_t i = 0; i < mix->log->n; i++) {
		struct fs_io *io = &mix->io[i];

		io->bytes *= fmin(1, low / io->peak);
		io->peak = fmin(io->peak, low);
	}
	return true;
}

static int mix_init(const struct swf_log *log, struct mix *out)
{
	*out = (struct mix){
		.log = log,
		.io = calloc(log->n + 1, sizeof(*out->io)),
		.bytes = calloc(log->n + 1, sizeof(*out->bytes)),
		.alone = calloc(log->n + 1, sizeof(*out->alone)),
	};
	for (size_t i = 0; i < log->n; i++)
		if (log->job[i].procs > out->procs)
			out->procs = log->job[i].procs;
	return out->io && out->bytes && out->alone ? 0 : -1;
}

static void sum_up(struct mix *mix)
{
	for (size_t i = 0; i < mix->log->n; i++) {
		mix->bytes[i] = mix->io[i].bytes * mix->io[i].bursts;
		mix->alone[i] = fs_alone(&mix->io[i], mix->capacity);
	}
}

int mix_draw(const struct swf_log *log, const struct io_run *run, size_t n_run,
	     double intensity, enum likeness like, uint64_t number,
	     struct mix *out)
{
	struct pool pool;
	uint32_t *times = calloc(SLOTS, sizeof(*times));
	int rc = pool_init(&pool, run, n_run);

	if (mix_init(log, out) < 0 || !times)
		rc = -1;
	for (size_t i = 0; rc == 0 && i < log->n; i++) {
		uint64_t key = key_of(&log->job[i], i, like) + APART * number;
		uint64_t slot = key;

		draw(&pool, &log->job[i], key,
		     times[slu_random(&slot, SLOTS)]++, &out->io[i]);
	}
	if (rc == 0 && !limit(out, intensity))
		rc = 1;
	if (rc == 0)
		sum_up(out);
	free(times);
	free(pool.run);
	free(pool.app);
	return rc;
}

void mix_free(struct mix *mix)
{
	free(mix->io);
	free(mix->bytes);
	free(mix->alone);
}
