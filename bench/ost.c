/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench/ost [--csv] [--hours N]
 *
 * 1. Time of the exact placement, linear and convex, with the assignment of
 *    every request, and of a single request; beside LEMON's network simplex on
 *    the aggregated graph (bench/ost-lemon, when it was built), equal costs and
 *    flows checked.
 *
 * 2. The discrete-time simulation of "lustre-load-balancing": targets on
 *    servers (8 x 4, then up to 3,600 on 450), files that come at the rates of
 * a generated trace, are written for a while, stay and are deleted; who places
 *    them is round-robin, Lustre's QOS rule, weighted random (targets with more
 *    than 0.4 of their space free), the paper's flow with linear costs, or ours
 *    (convex). Statistics are 5 s old, as the publisher's are. Targets start
 *    unequally full. Reported: hours until the fullest target is at most 1.05
 *    times the mean (space in use), the same for the load of servers, and the
 *    mean bandwidth of files, where a target's is shared by those that write
 *    to it at the moment.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "select_io/ost/place.h"

static uint64_t seed_of_all = 1;

static uint64_t below(uint64_t n)
{
	uint64_t z = (seed_of_all += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return (z ^ (z >> 31)) % n;
}

static double uniform(void)
{
	return (double)below(UINT64_C(1) << 53) * 0x1p-53;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void die(const char *what)
{
	fprintf(stderr, "bench/ost: %s\n", what);
	exit(1);
}

/* --- 1. time --- */

#define CLASSES 7 /* 1, 2, 4, ... 64 stripes */

struct instance {
	struct slu_place_target *target;
	uint32_t *stripes;
	uint32_t m, r, of_class[CLASSES];
};

static struct instance invent(uint32_t m, uint32_t r, bool tight)
{
	struct instance t = {
		.target = calloc(m, sizeof(*t.target)),
		.stripes = calloc(r, sizeof(*t.stripes)),
		.m = m,
		.r = r,
	};
	uint64_t wanted = 0;

	for (uint32_t i = 0; i < r; i++) {
		uint64_t k = below(CLASSES);

		t.stripes[i] = 1u << k;
		t.of_class[k]++;
		wanted += t.stripes[i];
	}
	for (uint32_t j = 0; j < m; j++) {
		/* whole numbers, so that sums are exact everywhere */
		uint64_t load = (j / 8 * 2654435761u) % 1000;

		t.target[j].cost = (double)(load + below(100000));
		t.target[j].step = 1 + (double)below(500);
		t.target[j].room =
			tight ? 1 + (uint32_t)(wanted / m + below(3)) : r;
	}
	return t;
}

static void release(struct instance *t)
{
	free(t->target);
	free(t->stripes);
}

/* Best of so many runs; the solution of the last. */
static double time_of(const struct instance *t, bool convex, double *cost,
		      uint64_t *flow)
{
	struct slu_place_problem p = {t->target, t->m, t->stripes, t->r,
				      convex};
	struct slu_place *place = slu_place_setup(&p, NULL);
	struct slu_place_solution s;
	double best = 1e9, begin;

	if (!place)
		die("no memory");
	for (int run = 0; run < 30; run++) {
		begin = now();
		slu_place_solve(place, &s);
		best = fmin(best, now() - begin);
	}
	*cost = s.cost;
	*flow = s.placed;
	slu_place_free(place);
	return best;
}

static double time_of_one(const struct instance *t)
{
	uint32_t chosen[64];
	double best = 1e9, begin;

	for (int run = 0; run < 30; run++) {
		begin = now();
		slu_place_one(t->target, t->m, 64, true, chosen);
		best = fmin(best, now() - begin);
	}
	return best;
}

/* Seconds of LEMON, 0 when it is not there. */
static double time_of_lemon(const struct instance *t, const char *program,
			    double cost, uint64_t flow)
{
	char path[] = "/tmp/slu-ost.XXXXXX", command[4200];
	int fd = mkstemp(path);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	double seconds = 0;
	long long c = 0, placed = 0;

	if (!f || access(program, X_OK) != 0) {
		unlink(path);
		return 0;
	}
	fprintf(f, "%u %d\n", t->m, CLASSES);
	for (uint32_t j = 0; j < t->m; j++)
		fprintf(f, "%.0f %u\n", t->target[j].cost, t->target[j].room);
	for (int k = 0; k < CLASSES; k++)
		fprintf(f, "%u %u\n", 1u << k, t->of_class[k]);
	fclose(f);
	snprintf(command, sizeof(command), "%s <%s", program, path);
	f = popen(command, "r");
	if (!f || fscanf(f, "%lf %lld %lld", &seconds, &c, &placed) != 3)
		die("bench/ost-lemon fails");
	pclose(f);
	unlink(path);
	if ((double)c != cost || (uint64_t)placed != flow)
		die("LEMON finds another cost");
	return seconds;
}

static void run_times(bool csv, const char *lemon)
{
	static const uint32_t size[][2] = {
		{160, 16},   {160, 64},	  {480, 64},   {800, 64},
		{1024, 256}, {3600, 256}, {3600, 1024}};

	if (!csv)
		printf("targets x requests  room    linear    convex  one of 64"
		       "     LEMON  LEMON/linear\n");
	for (size_t i = 0; i < 14; i++) {
		bool tight = i & 1;
		struct instance t =
			invent(size[i / 2][0], size[i / 2][1], tight);
		double cost, other, linear, convex, one, rival;
		uint64_t flow, more;

		linear = time_of(&t, false, &cost, &flow) * 1e6;
		convex = time_of(&t, true, &other, &more) * 1e6;
		one = time_of_one(&t) * 1e6;
		rival = time_of_lemon(&t, lemon, cost, flow) * 1e6;
		if (flow != more)
			die("linear and convex place not equally much");
		if (csv)
			printf("%ux%u %s,linear,us,%.1f,LEMON,%.1f,%.4g\n"
			       "%ux%u %s,convex,us,%.1f,goal,200,%.4g\n",
			       t.m, t.r, tight ? "tight" : "loose", linear,
			       rival, rival > 0 ? linear / rival : 0, t.m, t.r,
			       tight ? "tight" : "loose", convex, convex / 200);
		else
			printf("%7u x %-8u %5s %6.1f us %6.1f us  %6.1f us "
			       "%8.0f us %9.0fx\n",
			       t.m, t.r, tight ? "tight" : "loose", linear,
			       convex, one, rival, rival / linear);
		release(&t);
	}
}

/* --- 2. simulation --- */

enum who { ROUND_ROBIN, QOS, RANDOM, FLOW, OURS, ALLOCATORS };

static const char *const who_name[] = {
	"round-robin", "Lustre QOS", "weighted random", "flow (paper)", "ours"};

#define PER_SERVER 4
#define MEGABYTES  (1 << 20) /* of a target: 1 TiB */
#define SPEED	   500.0     /* MB/s of a target */
#define STALE	   5	     /* seconds */
#define FILES	   (1 << 18)

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
		die("no memory");
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
			die("no memory");
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
 * knows besides what the statistics cannot: where it has put files that are
 * still being written. A second file on a target halves its bandwidth, which
 * weighs more than the space on it. */
static void fill_targets(const struct world *w, enum who who,
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
			.step = 1,
			.room = 1u << 20,
		};
		if (who == OURS)
			t[j].cost += w->load[j];
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
		die("too many files");
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

static void place_all(struct world *w, enum who who, const struct request *r,
		      uint32_t n, double t)
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
		die("no memory");
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
			die("too many files");
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

struct outcome {
	double space_at, load_at; /* hours; < 0 never */
	double space_end, bandwidth, first;
};

/* Requests of one second: one stripe for every ten targets, files of 0.2 to 4
 * GB on each of their 1 to 16 targets, which live for 12 to 48 minutes: a
 * quarter of the bandwidth and of the space is in use. */
static uint32_t draw(struct world *w, struct request *r)
{
	uint32_t n = 0;

	for (w->due += 0.2 * uniform() * w->m; w->due > 0 && n < 1024; n++) {
		r[n].stripes = 1u << below(5);
		r[n].size = 200 * exp(uniform() * log(20)) * r[n].stripes;
		r[n].life = 720 * (1 + 3 * uniform());
		w->due -= r[n].stripes;
	}
	return n;
}

static struct outcome simulate(enum who who, uint32_t m, uint32_t per_server,
			       double hours)
{
	struct outcome o = {-1, -1, 0, 0, 0};
	struct request r[1024];
	double *sum, *server;
	struct world w;
	uint32_t n;

	seed_of_all = 42; /* the same trace for all */
	world_init(&w, m, per_server);
	sum = calloc(w.servers, sizeof(*sum));
	server = calloc(w.servers, sizeof(*server));
	if (!sum || !server)
		die("no memory");
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

static const char *at(double hours, char text[16])
{
	if (hours < 0)
		return "never";
	snprintf(text, 16, "%.1f h", hours);
	return text;
}

static void run_balance(bool csv, double hours)
{
	struct outcome o[ALLOCATORS];
	char a[16], b[16];

	for (int who = 0; who < ALLOCATORS; who++)
		o[who] = simulate(who, 32, PER_SERVER, hours);
	if (!csv)
		printf("\n32 targets on 8 servers, %g hours; at first the "
		       "fullest has %.2f times the mean\n"
		       "paper: round-robin 12 h (space) and 20 h (load), flow 7 "
		       "h\n\n%-16s %12s %12s %10s %10s\n",
		       hours, o[0].first, "max/mean <= 1.05", "space after",
		       "load after", "space at end", "MB/s");
	for (int who = 0; who < ALLOCATORS; who++)
		if (!csv)
			printf("%-16s %12s %12s %10.3f %10.0f\n", who_name[who],
			       at(o[who].space_at, a), at(o[who].load_at, b),
			       o[who].space_end, o[who].bandwidth);
		else if (who != OURS)
			printf("32 targets,space balanced,h,%.2f,%s,%.2f,%.3g\n"
			       "32 targets,space at end,max/mean,%.4f,%s,%.4f,"
			       "%.3g\n",
			       o[OURS].space_at, who_name[who], o[who].space_at,
			       o[OURS].space_at / o[who].space_at,
			       o[OURS].space_end, who_name[who],
			       o[who].space_end,
			       o[OURS].space_end / o[who].space_end);
}

static void run_scale(bool csv)
{
	static const uint32_t size[] = {160, 480, 800, 1024, 3600};

	if (!csv)
		printf("\nmean MB/s of a file by number of targets (8 on a "
		       "server), 6 minutes\npaper: flow up to 54.5 %% above "
		       "round-robin (at 800)\n\n%-8s %12s %12s %16s %12s %12s "
		       "%10s\n",
		       "targets", who_name[0], who_name[1], who_name[2],
		       who_name[3], who_name[4], "ours/RR");
	for (size_t i = 0; i < 5; i++) {
		double mb[ALLOCATORS];

		for (int who = 0; who < ALLOCATORS; who++)
			mb[who] = simulate(who, size[i], 8, 0.1).bandwidth;
		if (!csv)
			printf("%-8u %12.0f %12.0f %16.0f %12.0f %12.0f %9.1f"
			       "%%\n",
			       size[i], mb[0], mb[1], mb[2], mb[3], mb[4],
			       100 * (mb[OURS] / mb[0] - 1));
		for (int who = 0; csv && who < OURS; who++)
			printf("%u targets,bandwidth,MB/s,%.1f,%s,%.1f,%.4g\n",
			       size[i], mb[OURS], who_name[who], mb[who],
			       mb[OURS] / mb[who]);
	}
}

int main(int argc, char **argv)
{
	char lemon[4096];
	double hours = 24;
	bool csv = false;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--csv") == 0) {
			csv = true;
		} else if (strcmp(argv[i], "--hours") == 0 && i + 1 < argc) {
			hours = atof(argv[++i]);
		} else {
			fputs("usage: ost [--csv] [--hours N]\n", stderr);
			return 2;
		}
	}
	if (csv)
		puts("case,metric,unit,ours,rival,rival_value,ratio");
	snprintf(lemon, sizeof(lemon), "%s-lemon", argv[0]);
	run_times(csv, lemon);
	run_balance(csv, hours);
	run_scale(csv);
	return 0;
}
