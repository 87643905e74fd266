/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Targets on servers, where files come, are written, stay and are deleted. */
#include "config.h"
#include "bench/ost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "select_io/ost/choose.h"
#include "select_io/ost/place.h"
#include "tests/unit/random.h"

#define MEGABYTES (1 << 20) /* of a target: 1 TiB */
#define SPEED	  500.0	    /* MB/s of a target */
#define STALE	  5	    /* seconds */
#define FILES	  (1 << 18)

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
	uint32_t first, n; /* its targets in `on` */
	double left;	   /* MB to be written, on each target */
	double size, begin, dies;
};

struct world {
	uint32_t m, servers, per_server;
	double *used, *seen_used; /* MB; as the allocator knows it */
	double *load, *seen_load; /* files that write to it */
	uint32_t *on;		  /* targets of files, a ring */
	uint64_t on_next;
	struct file *file, *kept; /* being written; written */
	uint32_t n_files, n_kept;
	uint32_t robin;
	double bandwidth, finished;
	double due; /* stripes of the trace */
};

static void world_init(struct world *w, uint32_t m, uint32_t per_server)
{
	*w = (struct world){
		.m = m,
		.per_server = per_server,
		.servers = m / per_server,
		.used = calloc(m, sizeof(double)),
		.seen_used = calloc(m, sizeof(double)),
		.load = calloc(m, sizeof(double)),
		.seen_load = calloc(m, sizeof(double)),
		.on = calloc((size_t)FILES * 16, sizeof(uint32_t)),
		.file = calloc(FILES, sizeof(struct file)),
		.kept = calloc(FILES, sizeof(struct file)),
	};
	if (!w->used || !w->seen_used || !w->load || !w->seen_load || !w->on ||
	    !w->file || !w->kept)
		ost_die("no memory");
	for (uint32_t j = 0; j < m; j++) /* unequal from the start */
		w->used[j] = MEGABYTES * (0.02 + 0.3 * uniform() * uniform());
}

static void world_free(struct world *w)
{
	free(w->used);
	free(w->seen_used);
	free(w->load);
	free(w->seen_load);
	free(w->on);
	free(w->file);
	free(w->kept);
}

static double server_load(const struct world *w, const double *load, uint32_t s)
{
	double sum = 0;

	for (uint32_t j = 0; j < w->per_server; j++)
		sum += load[s * w->per_server + j];
	return sum;
}

/* Lustre: round-robin while the targets differ by less than 17 %; else at
 * random, weighted by free space, with a penalty for what was just used. */
static void pick_qos(struct world *w, uint32_t n, uint32_t *out)
{
	static double *weight;
	static uint32_t size;
	double least = INFINITY, most = 0, sum = 0;

	if (size < w->m) {
		weight = realloc(weight, w->m * sizeof(*weight));
		size = w->m;
		if (!weight)
			ost_die("no memory");
	}
	for (uint32_t j = 0; j < w->m; j++) {
		weight[j] = MEGABYTES - w->seen_used[j];
		least = fmin(least, weight[j]);
		most = fmax(most, weight[j]);
		sum += weight[j];
	}
	for (uint32_t k = 0; k < n; k++) {
		uint32_t j = 0;

		if ((most - least) / most < 0.17) {
			out[k] = w->robin++ % w->m;
			continue;
		}
		for (double at = uniform() * sum; j + 1 < w->m; j++) {
			at -= weight[j];
			if (at < 0 && weight[j] > 0)
				break;
		}
		out[k] = j;
		sum -= weight[j];
		weight[j] = 0;
	}
}

static bool taken(const uint32_t *out, uint32_t k, uint32_t j)
{
	while (k-- > 0)
		if (out[k] == j)
			return true;
	return false;
}

static void pick_random(struct world *w, uint32_t n, uint32_t *out)
{
	for (uint32_t k = 0; k < n; k++) {
		uint32_t j, tries = 0;

		do
			j = (uint32_t)below(w->m);
		while ((taken(out, k, j) ||
			w->seen_used[j] > 0.6 * MEGABYTES) &&
		       tries++ < 1000);
		out[k] = j;
	}
}

/* The paper's costs (normalised) for all requests of a second at once. Ours
 * knows what the statistics cannot: where it has put files that are still being
 * written; each counts a step, as shipped. Nothing else loads these servers, so
 * that their load, 5 s old, would count the same files again. */
static void fill_targets(const struct world *w, enum ost_who who,
			 struct slu_place_target *t)
{
	double busiest = 1e-9;

	for (uint32_t s = 0; s < w->servers; s++)
		busiest = fmax(busiest, server_load(w, w->seen_load, s));
	for (uint32_t j = 0; j < w->m; j++) {
		double load = server_load(w, w->seen_load, j / w->per_server);

		t[j] = (struct slu_place_target){
			.cost = 0.5 * load / busiest +
				w->seen_used[j] / MEGABYTES,
			.step = slu_ost_choose_defaults.step,
			.room = 1u << 20,
		};
		if (who == OURS)
			t[j].cost = w->seen_used[j] / MEGABYTES +
				    t[j].step * w->load[j];
	}
}

struct request {
	uint32_t stripes;
	double size, life;
};

static void add_file(struct world *w, const struct request *r, double t,
		     const uint32_t *chosen)
{
	struct file *f;

	if (w->n_files == FILES)
		ost_die("too many files");
	f = &w->file[w->n_files++];
	*f = (struct file){
		.first = (uint32_t)(w->on_next % ((uint64_t)FILES * 16 - 16)),
		.n = r->stripes,
		.left = r->size / r->stripes,
		.size = r->size,
		.begin = t,
		.dies = t + r->life,
	};
	for (uint32_t k = 0; k < r->stripes; k++) {
		w->on[f->first + k] = chosen[k];
		w->load[chosen[k]]++;
	}
	w->on_next += r->stripes;
}

static void place_all(struct world *w, enum ost_who who,
		      const struct request *r, uint32_t n, double t)
{
	static struct slu_place_target target[3600];
	static uint32_t stripes[1024], chosen[16];
	struct slu_place_problem p = {target, w->m, stripes, n, who == OURS};
	struct slu_place_solution s;
	struct slu_place *place;

	if (who < FLOW) {
		for (uint32_t i = 0; i < n; i++) {
			for (uint32_t k = 0;
			     who == ROUND_ROBIN && k < r[i].stripes; k++)
				chosen[k] = w->robin++ % w->m;
			if (who == QOS)
				pick_qos(w, r[i].stripes, chosen);
			if (who == RANDOM)
				pick_random(w, r[i].stripes, chosen);
			add_file(w, &r[i], t, chosen);
		}
		return;
	}
	fill_targets(w, who, target);
	for (uint32_t i = 0; i < n; i++)
		stripes[i] = r[i].stripes;
	place = slu_place_setup(&p, NULL);
	if (!place)
		ost_die("no memory");
	slu_place_solve(place, &s);
	for (uint32_t i = 0; i < n; i++)
		add_file(w, &r[i], t, s.chosen + s.first[i]);
	slu_place_free(place);
}

/* A second of writing: each target's bandwidth is shared. A file goes as fast
 * as its slowest target lets it. */
static void write_all(struct world *w, double t)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->n_files; i++) {
		struct file *f = &w->file[i];
		const uint32_t *on = &w->on[f->first];
		double speed = SPEED;

		for (uint32_t k = 0; k < f->n; k++)
			speed = fmin(speed, SPEED / w->load[on[k]]);
		speed = fmin(speed, f->left);
		for (uint32_t k = 0; k < f->n; k++) {
			w->used[on[k]] += speed;
			w->load[on[k]] -= speed == f->left;
		}
		f->left -= speed;
		if (f->left > 0) {
			w->file[n++] = *f;
			continue;
		}
		w->bandwidth += f->size / (t + 1 - f->begin);
		w->finished++;
		if (w->n_kept == FILES)
			ost_die("too many files");
		w->kept[w->n_kept++] = *f;
	}
	w->n_files = n;
}

static void delete_old(struct world *w, double t)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->n_kept; i++) {
		const struct file *f = &w->kept[i];

		for (uint32_t k = 0; k < f->n && t >= f->dies; k++)
			w->used[w->on[f->first + k]] -= f->size / f->n;
		if (t < f->dies)
			w->kept[n++] = *f;
	}
	w->n_kept = n;
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

static const double *recorded; /* bytes */
static size_t n_recorded, next_recorded;

void ost_take_sizes(const double *bytes, size_t n)
{
	recorded = bytes;
	n_recorded = n;
}

/* The next recorded run's file: 4 GB at most on each of up to 16 targets. */
static void take_recorded(struct request *r)
{
	double mb = recorded[next_recorded++ % n_recorded] / 1e6, stripes = 1;

	while (stripes < 16 && mb / stripes > 4000)
		stripes *= 2;
	r->stripes = (uint32_t)stripes;
	r->size = fmin(mb, 4000 * stripes);
}

/* Requests of one second: one stripe for every ten targets, files of 0.2 to 4
 * GB on each of their 1 to 16 targets, which live for 12 to 48 minutes: a
 * quarter of the bandwidth and of the space is in use. */
static uint32_t draw(struct world *w, struct request *r)
{
	uint32_t n = 0;

	for (w->due += 0.2 * uniform() * w->m; w->due > 0 && n < 1024; n++) {
		r[n].stripes = 1u << below(5);
		r[n].size = 200 * exp(uniform() * log(20)) * r[n].stripes;
		if (n_recorded > 0)
			take_recorded(&r[n]);
		r[n].life = 720 * (1 + 3 * uniform());
		w->due -= r[n].stripes;
	}
	return n;
}

struct ost_outcome ost_simulate(enum ost_who who, uint32_t m,
				uint32_t per_server, double hours)
{
	struct ost_outcome o = {-1, -1, 0, 0, 0};
	struct request r[1024];
	double *sum, *server;
	struct world w;
	uint32_t n;

	seed = 42; /* the same trace for all */
	next_recorded = 0;
	world_init(&w, m, per_server);
	sum = calloc(w.servers, sizeof(*sum));
	server = calloc(w.servers, sizeof(*server));
	if (!sum || !server)
		ost_die("no memory");
	o.first = max_over_mean(w.used, m);
	for (int t = 0; t < hours * 3600; t++) {
		if (t % STALE == 0) {
			memcpy(w.seen_used, w.used, m * sizeof(double));
			memcpy(w.seen_load, w.load, m * sizeof(double));
		}
		n = draw(&w, r);
		place_all(&w, who, r, n, t);
		for (uint32_t s = 0; s < w.servers; s++)
			sum[s] += server_load(&w, w.load, s);
		write_all(&w, t);
		if (t % 60 == 59)
			delete_old(&w, t);
		if (t % 600 != 599)
			continue;
		if (o.space_at < 0 && max_over_mean(w.used, m) <= 1.05)
			o.space_at = (t + 1) / 3600.0;
		if (o.load_at < 0 && max_over_mean(sum, w.servers) <= 1.05)
			o.load_at = (t + 1) / 3600.0;
		memset(sum, 0, w.servers * sizeof(*sum));
	}
	o.space_end = max_over_mean(w.used, m);
	o.bandwidth = w.finished > 0 ? w.bandwidth / w.finished : 0;
	free(sum);
	free(server);
	world_free(&w);
	return o;
}
