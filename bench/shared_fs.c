/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulates the shared file system by discrete events: rates are constant
 * between two events, the ends of bursts and of computations. Jobs in a burst
 * are sorted by peak, so that one pass computes the max-min fair shares: what
 * the first do not need is shared among the rest.
 */
#include "bench/shared_fs.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct state {
	uint32_t left; /* bursts that have not ended */
	double until;  /* end of the present computation */
	double bytes;  /* of this burst, still to be moved */
	double rate;   /* of a burst at the moment, bytes/s */
	double moved;  /* total bytes */
};

struct fs {
	const struct fs_io *io;
	double capacity, now, rate;
	struct state *job;
	size_t *computing, n_computing;
	size_t *moving, n_moving; /* sorted by peak */
	size_t *ended, n_ended;
};

double fs_alone(const struct fs_io *io, double capacity)
{
	return io->bursts *
	       (io->compute + io->bytes / fmin(io->peak, capacity));
}

struct fs *fs_new(const struct fs_io *io, size_t jobs, double capacity)
{
	struct fs *fs = calloc(1, sizeof(*fs));

	if (!fs)
		return NULL;
	fs->io = io;
	fs->capacity = capacity;
	fs->job = calloc(jobs + 1, sizeof(*fs->job));
	fs->computing = calloc(jobs + 1, sizeof(*fs->computing));
	fs->moving = calloc(jobs + 1, sizeof(*fs->moving));
	fs->ended = calloc(jobs + 1, sizeof(*fs->ended));
	if (fs->job && fs->computing && fs->moving && fs->ended)
		return fs;
	fs_free(fs);
	return NULL;
}

void fs_free(struct fs *fs)
{
	if (!fs)
		return;
	free(fs->job);
	free(fs->computing);
	free(fs->moving);
	free(fs->ended);
	free(fs);
}

static void share_out(struct fs *fs)
{
	double left = fs->capacity;

	for (size_t k = 0; k < fs->n_moving; k++) {
		size_t i = fs->moving[k];
		double fair = left / (double)(fs->n_moving - k);

		fs->job[i].rate = fmin(fs->io[i].peak, fair);
		left -= fs->job[i].rate;
	}
	fs->rate = fs->capacity - left;
}

static void add_moving(struct fs *fs, size_t i)
{
	size_t k = fs->n_moving++;

	fs->job[i].bytes = fs->io[i].bytes;
	for (; k > 0 && fs->io[fs->moving[k - 1]].peak > fs->io[i].peak; k--)
		fs->moving[k] = fs->moving[k - 1];
	fs->moving[k] = i;
}

static void compute(struct fs *fs, size_t i, double now)
{
	fs->job[i].until = now + fs->io[i].compute;
	fs->computing[fs->n_computing++] = i;
}

void fs_start(struct fs *fs, size_t job, double now)
{
	fs->job[job] = (struct state){.left = fs->io[job].bursts};
	compute(fs, job, now);
}

/* The time of the next end of a computation or burst. */
static double first_change(const struct fs *fs)
{
	double when = INFINITY;

	for (size_t k = 0; k < fs->n_computing; k++)
		when = fmin(when, fs->job[fs->computing[k]].until);
	for (size_t k = 0; k < fs->n_moving; k++) {
		const struct state *s = &fs->job[fs->moving[k]];

		when = fmin(when, fs->now + s->bytes / s->rate);
	}
	return fmax(when, fs->now);
}

static void move(struct fs *fs, double until)
{
	for (size_t k = 0; k < fs->n_moving; k++) {
		struct state *s = &fs->job[fs->moving[k]];
		double bytes = fmin(s->rate * (until - fs->now), s->bytes);

		s->bytes -= bytes;
		s->moved += bytes;
	}
	fs->now = until;
}

static bool has_moved_all(const struct fs *fs, size_t i)
{
	const struct state *s = &fs->job[i];

	return s->bytes <= s->rate * 1e-6; /* within a microsecond */
}

static void end_bursts(struct fs *fs)
{
	size_t n = 0;

	for (size_t k = 0; k < fs->n_moving; k++) {
		size_t i = fs->moving[k];

		if (!has_moved_all(fs, i))
			fs->moving[n++] = i;
		else if (--fs->job[i].left)
			compute(fs, i, fs->now);
		else
			fs->ended[fs->n_ended++] = i;
	}
	fs->n_moving = n;
}

static void end_computing(struct fs *fs)
{
	size_t n = fs->n_computing, kept = 0;

	for (size_t k = 0; k < n; k++) {
		size_t i = fs->computing[k];

		if (fs->job[i].until > fs->now)
			fs->computing[kept++] = i;
		else
			add_moving(fs, i);
	}
	fs->n_computing = kept;
}

size_t fs_ended(struct fs *fs, double now)
{
	for (;;) {
		double change = first_change(fs);

		move(fs, fmin(change, now));
		if (change > now)
			break;
		end_bursts(fs);
		end_computing(fs);
		share_out(fs);
	}
	return fs->n_ended ? fs->ended[--fs->n_ended] : (size_t)-1;
}

double fs_next_end(const struct fs *fs)
{
	double when = INFINITY;

	for (size_t k = 0; k < fs->n_computing; k++) {
		size_t i = fs->computing[k];
		double rest = fs->job[i].left * fs->io[i].bytes /
			      fmin(fs->io[i].peak, fs->capacity);

		rest += (fs->job[i].left - 1) * fs->io[i].compute;
		when = fmin(when, fs->job[i].until + rest);
	}
	for (size_t k = 0; k < fs->n_moving; k++) {
		size_t i = fs->moving[k];
		const struct state *s = &fs->job[i];
		double peak = fmin(fs->io[i].peak, fs->capacity);
		double rest = s->left - 1;

		rest *= fs->io[i].compute + fs->io[i].bytes / peak;
		when = fmin(when, fs->now + s->bytes / peak + rest);
	}
	return when;
}

double fs_moved(const struct fs *fs, size_t job)
{
	return fs->job[job].moved;
}

double fs_rate(const struct fs *fs)
{
	return fs->rate;
}
