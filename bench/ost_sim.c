/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulates targets on servers, with files that arrive, are written, read, kept
 * and deleted, to measure the balance of space and load, and the bandwidth of
 * files, under each allocator. Time steps of a second.
 *
 * A target's bandwidth is shared by the files that use it at the moment, and so
 * is that of a server's network; a file is as fast as its slowest stripe, and
 * as its client. At first the targets hold old files, unevenly, which are
 * purged over PURGED hours. As much is read as is written: whole files, chosen
 * at random, so a full target is read more, which no strategy can influence.
 */
#include "config.h"
#include "bench/ost_sim.h"
#include "bench/ost_windows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "tests/unit/random.h"

#define CLIENT 6000.0 /* MB/s of a client */
#define STALE  5      /* s, age of the statistics */
#define FILES  (1 << 18)
#define OLD    64   /* mean number of files on a target at the start, */
#define LARGE  10   /* each so many times as large as a new stripe */
#define PURGED 14.0 /* hours */
#define HOUR   3600
#define BATCH  2048

static uint64_t seed;

static uint64_t below(uint64_t n)
{
	return slu_random(&seed, n);
}

static double uniform(void)
{
	return (double)below(UINT64_C(1) << 53) * 0x1p-53;
}

struct file {
	uint32_t n, on[MOST];
	double left; /* MB to be written or read on each target */
	double size, begin, life, dies;
	bool reads, old;
};

struct traffic {
	struct file *moving, *kept; /* in transfer; written */
	uint32_t n_moving, n_kept;
	uint32_t stripes; /* that moved in the last second */
	double due[2];	  /* stripes of the trace: written, read */
	double bandwidth, finished;
	double *streams;   /* by server, now */
	double *old_moved; /* by server, MB of old files in this hour */
	double *old;	   /* by target, MB */
	struct ost_windows *windows;
};

static double processor(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Reading the processor-time clock is a system call. */
static double clock_takes(void)
{
	double least = INFINITY;

	for (int i = 0; i < 1000; i++) {
		double start = processor();

		least = fmin(least, processor() - start);
	}
	return least;
}

static double *zeros(size_t n)
{
	double *v = calloc(n, sizeof(*v));

	if (!v)
		ost_die("no memory");
	return v;
}

static void init(struct world *w, struct traffic *f, uint32_t m,
		 uint32_t per_server)
{
	uint32_t s = m / per_server;

	*w = (struct world){
		.m = m,
		.per_server = per_server,
		.servers = s,
		.used = zeros(m),
		.load = zeros(m),
		.rate = zeros(m),
		.server_rate = zeros(s),
		.seen_used = zeros(m),
		.seen_rate = zeros(m),
		.seen_server_rate = zeros(s),
		.server_moved = zeros(s),
		.hour_moved = zeros(s),
		.coming = zeros(m),
		.growing = zeros(m),
		.seen_moved = calloc(s, sizeof(*w->seen_moved)),
		.count = zeros(m),
		.when = zeros(m),
		.queue = zeros(m),
		.placed = calloc(OST_PLACED, sizeof(*w->placed)),
		.penalty = calloc(m, sizeof(*w->penalty)),
		.server_penalty = calloc(s, sizeof(*w->server_penalty)),
		.qos_seen = -1,
		.clock = clock_takes(),
	};
	*f = (struct traffic){
		.moving = calloc(FILES, sizeof(*f->moving)),
		.kept = calloc(2 * FILES, sizeof(*f->kept)),
		.streams = zeros(s),
		.old_moved = zeros(s),
		.old = zeros(m),
	};
	if (!w->placed || !w->seen_moved || !w->penalty || !w->server_penalty ||
	    !f->moving || !f->kept)
		ost_die("no memory");
}

static void done(struct world *w, struct traffic *f)
{
	double *v[] = {w->used,	     w->load,	      w->rate,
		       w->seen_used, w->seen_rate,    w->count,
		       w->when,	     w->server_rate,  w->seen_server_rate,
		       f->streams,   w->server_moved, w->hour_moved,
		       f->old_moved, f->old,	      w->coming,
		       w->growing,   w->queue};

	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++)
		free(v[i]);
	free(w->placed);
	free(w->penalty);
	free(w->server_penalty);
	free(w->seen_moved);
	free(f->moving);
	free(f->kept);
}

static struct file *next_file(struct file *list, uint32_t *n, uint32_t cap)
{
	if (*n == cap)
		ost_die("too many files");
	return &list[(*n)++];
}

static void fill_old(struct world *w, struct traffic *f)
{
	for (uint32_t j = 0; j < w->m; j++) {
		double part = uniform() * uniform() * 4;
		uint32_t n = (uint32_t)(OLD * (0.1 + part));

		for (uint32_t i = 0; i < n; i++) {
			struct file *k =
				next_file(f->kept, &f->n_kept, 2 * FILES);

			*k = (struct file){
				.n = 1,
				.on = {j},
				.size = LARGE * 200 * exp(uniform() * log(20)),
				.old = true,
				.dies = PURGED * HOUR * uniform(),
			};
			w->used[j] += k->size;
			f->old[j] += k->size;
		}
	}
}

static void start(struct world *w, struct traffic *f, const struct file *file)
{
	*next_file(f->moving, &f->n_moving, FILES) = *file;
	for (uint32_t k = 0; k < file->n; k++) {
		w->load[file->on[k]]++;
		w->coming[file->on[k]] += file->left;
		w->growing[file->on[k]] += file->reads ? 0 : file->left;
	}
}

static const double *recorded; /* bytes */
static size_t n_recorded, next_recorded;

void ost_take_sizes(const double *bytes, size_t n)
{
	recorded = bytes;
	n_recorded = n;
}

/* The file of the next recorded run: at most 4 GB on each of up to MOST
 * targets.
 */
static void take_recorded(struct request *r)
{
	double mb = recorded[next_recorded++ % n_recorded] / 1e6, stripes = 1;

	while (stripes < MOST && mb / stripes > 4000)
		stripes *= 2;
	r->stripes = (uint32_t)stripes;
	r->size = fmin(mb, 4000 * stripes);
}

/* Files of 0.2 to 4 GB on each of their 1 to 16 targets, with lifetimes of two
 * to eight hours. The mean stripe has 1.27 GB. */
static uint32_t draw(const struct world *w, struct traffic *f, double busy,
		     struct request *r)
{
	uint32_t n = 0;

	f->due[0] += 2 * uniform() * busy / 2 * w->m * SPEED / 1268;
	for (; f->due[0] > 0 && n < BATCH; n++) {
		r[n].stripes = 1u << below(5);
		r[n].size = 200 * exp(uniform() * log(20)) * r[n].stripes;
		if (n_recorded > 0)
			take_recorded(&r[n]);
		r[n].life = 2 * HOUR * (1 + 3 * uniform());
		f->due[0] -= r[n].stripes;
	}
	return n;
}

static void start_writes(struct world *w, struct traffic *f,
			 enum ost_allocator by, double busy)
{
	static struct request r[BATCH];
	static uint32_t chosen[BATCH * MOST];
	uint32_t n = draw(w, f, busy, r);

	if (n == 0)
		return;
	w->decide -= processor() + w->clock;
	ost_allocate(w, by, r, n, chosen);
	w->decide += processor();
	w->decided += n;
	for (uint32_t i = 0; i < n; i++) {
		struct file file = {
			.n = r[i].stripes,
			.left = r[i].size / r[i].stripes,
			.size = r[i].size,
			.begin = w->now,
			.life = r[i].life,
		};

		memcpy(file.on, chosen + (size_t)i * MOST, sizeof(file.on));
		start(w, f, &file);
	}
}

static void start_reads(struct world *w, struct traffic *f, double busy)
{
	f->due[1] += 2 * uniform() * busy / 2 * w->m * SPEED / 1268;
	while (f->due[1] > 0 && f->n_kept > 0) {
		struct file file = f->kept[below(f->n_kept)];

		if (!file.old && below(LARGE) > 0)
			continue;
		file.reads = true;
		file.size /= file.old ? LARGE : 1;
		file.left = file.size / file.n;
		file.begin = w->now;
		f->due[1] -= file.n;
		start(w, f, &file);
	}
}

static double speed_of(const struct world *w, const struct traffic *f,
		       const struct file *file)
{
	double speed = fmin(CLIENT / file->n, file->left);
	double link = LINK * SPEED * w->per_server;

	for (uint32_t k = 0; k < file->n; k++) {
		uint32_t j = file->on[k];

		speed = fmin(speed, SPEED / w->load[j]);
		speed = fmin(speed, link / f->streams[j / w->per_server]);
	}
	return speed;
}

static void end(struct world *w, struct traffic *f, struct file *file)
{
	for (uint32_t k = 0; k < file->n; k++)
		w->load[file->on[k]]--;
	f->bandwidth += file->size / (w->now + 1 - file->begin);
	f->finished++;
	if (!file->reads && f->windows)
		ost_series_add(&f->windows->written, w->now + 1 - file->begin);
	if (!file->reads) {
		file->dies = w->now + file->life;
		*next_file(f->kept, &f->n_kept, 2 * FILES) = *file;
	}
}

/* Transfers of a second, at the speeds of its beginning. */
static void move_all(struct world *w, struct traffic *f)
{
	uint32_t n = 0;

	f->stripes = 0;
	memset(f->streams, 0, w->servers * sizeof(double));
	memset(w->rate, 0, w->m * sizeof(double));
	memset(w->server_rate, 0, w->servers * sizeof(double));
	for (uint32_t j = 0; j < w->m; j++)
		f->streams[j / w->per_server] += w->load[j];
	for (uint32_t i = 0; i < f->n_moving; i++) {
		struct file *file = &f->moving[i];
		double speed = speed_of(w, f, file);

		f->stripes += file->n;
		for (uint32_t k = 0; k < file->n; k++) {
			uint32_t j = file->on[k];

			w->rate[j] += speed;
			w->server_rate[j / w->per_server] += speed;
			w->used[j] += file->reads ? 0 : speed;
			w->coming[j] -= speed;
			w->growing[j] -= file->reads ? 0 : speed;
			f->old_moved[j / w->per_server] +=
				file->old ? speed : 0;
		}
		file->left -= speed;
	}
	for (uint32_t i = 0; i < f->n_moving; i++)
		if (f->moving[i].left > 1e-9)
			f->moving[n++] = f->moving[i];
		else
			end(w, f, &f->moving[i]);
	f->n_moving = n;
	for (uint32_t s = 0; s < w->servers; s++) {
		w->hour_moved[s] += w->server_rate[s];
		w->server_moved[s] += w->server_rate[s];
	}
}

static void delete_old(struct world *w, struct traffic *f)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->n_kept; i++) {
		const struct file *file = &f->kept[i];

		if (w->now < file->dies) {
			f->kept[n++] = *file;
			continue;
		}
		for (uint32_t k = 0; k < file->n; k++) {
			w->used[file->on[k]] -= file->size / file->n;
			if (file->old)
				f->old[file->on[k]] -= file->size;
		}
	}
	f->n_kept = n;
}

static double max_over_mean(const double *v, uint32_t n)
{
	double sum = 0, most = 0;

	for (uint32_t i = 0; i < n; i++) {
		sum += v[i];
		most = fmax(most, v[i]);
	}
	return sum > 0 ? most * n / sum : 1;
}

static void look(struct world *w)
{
	w->seen_time = w->now;
	memcpy(w->seen_used, w->used, w->m * sizeof(double));
	memcpy(w->seen_rate, w->rate, w->m * sizeof(double));
	memcpy(w->seen_server_rate, w->server_rate,
	       w->servers * sizeof(double));
	for (uint32_t s = 0; w->now > 0 && s < w->servers; s++)
		slu_ost_moved_add(&w->seen_moved[s], w->server_moved[s] / STALE,
				  STALE);
	memset(w->server_moved, 0, w->servers * sizeof(double));
}

static void note_space(const struct world *w, const struct traffic *f,
		       double *all, double *old)
{
	double sum = 0;

	*all = max_over_mean(w->used, w->m);
	*old = 0;
	for (uint32_t j = 0; j < w->m; j++) {
		sum += w->used[j];
		*old = fmax(*old, f->old[j]);
	}
	*old *= w->m / sum;
}

/* Records the hour's load, and starts a new hour. */
static void note_load(const struct world *w, struct traffic *f, double *all,
		      double *old)
{
	double sum = 0;

	*all = max_over_mean(w->hour_moved, w->servers);
	*old = 0;
	for (uint32_t s = 0; s < w->servers; s++) {
		sum += w->hour_moved[s];
		*old = fmax(*old, f->old_moved[s]);
	}
	*old *= sum > 0 ? w->servers / sum : 0;
	memset(w->hour_moved, 0, w->servers * sizeof(double));
	memset(f->old_moved, 0, w->servers * sizeof(double));
}

void ost_simulate(enum ost_allocator by, uint32_t m, uint32_t per_server,
		  double hours, double busy, uint64_t trace,
		  struct ost_outcome *o)
{
	struct traffic f;
	struct world w;

	seed = trace;
	next_recorded = 0;
	init(&w, &f, m, per_server);
	w.dice = trace;
	f.windows = o->windows;
	fill_old(&w, &f);
	o->first = max_over_mean(w.used, m);
	for (int t = 0; t < hours * HOUR; t++) {
		w.now = t;
		if (t % STALE == 0)
			look(&w);
		start_writes(&w, &f, by, busy);
		start_reads(&w, &f, busy);
		move_all(&w, &f);
		if (f.windows)
			ost_windows_second(f.windows, w.server_rate, w.servers,
					   f.stripes, (uint32_t)t);
		if (t % 60 == 59)
			delete_old(&w, &f);
		if (t % 600 == 599)
			note_space(&w, &f, &o->space[t / 600],
				   &o->old_space[t / 600]);
		if (t % HOUR == HOUR - 1)
			note_load(&w, &f, &o->load[t / HOUR],
				  &o->old_load[t / HOUR]);
	}
	o->decide = w.decided > 0 ? w.decide / (double)w.decided : 0;
	o->bandwidth = f.finished > 0 ? f.bandwidth / f.finished : 0;
	done(&w, &f);
}
