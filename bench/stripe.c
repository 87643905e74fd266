/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares stripe layouts on simulated storage targets: the time of sequential
 * and random reads, with the paper's measurements ("dynamic striping").
 *
 *	bench/stripe [--csv]
 */

/*
 * The layouts are the published ones (IOR.1-6, netflow.1-6, blast.1-18, Fig.
 * 11), those of `stripe explain`, and Lustre's own; then files that many tasks
 * have a part of each.
 *
 * Requests are simulated: a target serves one at a time, of up to 1 MiB, at
 * DISK MB/s, and seeks when a request does not continue the one before (waiting
 * requests that do are preferred). A client has at most 8 requests at a target,
 * and WINDOW of a file ahead of its position. Data passes the server's network
 * and then the node's, which its clients share. A random read fetches a whole
 * stripe, at most 4 MiB: the paper's explanation of its measurements. Data that
 * any client has read is in the target's memory (Fig. 11: all read everything).
 * Opening a file queries the size of each of its stripes.
 *
 * From the paper: the numbers of tasks and nodes; 8 servers of 8 targets with
 * three drives each, on FDR (knot), and 7 targets a server and 2,880 MB/s of a
 * router (Titan); BLAST's database is 79 files of 1 GB, each in the directory
 * of one part, on targets of its own, while the others have a file for each
 * part.
 *
 * Files and watermarks are scaled down; results are ratios to the first layout
 * of each group.
 */
#include "config.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench/measure.h"
#include "select_io/stripe/layout_cost.h"
#include "tests/unit/random.h"

#define MIB	(UINT64_C(1) << 20)
#define GIB	(UINT64_C(1) << 30)
#define MEMORY	1500e6 /* bytes/s of data cached in a target */
#define WINDOW	40     /* requests ahead: max_read_ahead_per_file_mb */
#define AT_ONCE 8      /* of a client at a target */
/* What stripe check reckons with. */
#define DISK	SLU_STRIPE_DISK
#define SEEK	SLU_STRIPE_SEEK
#define FDR	SLU_STRIPE_PORT
#define ROUTER	SLU_STRIPE_NODE
#define GLIMPSE SLU_STRIPE_GLIMPSE
#define TARGETS 1008
#define SERVERS (TARGETS / 7)
#define CLIENTS 512
#define QUEUE	(AT_ONCE * CLIENTS)

struct work {
	const char *name;
	uint64_t size, part; /* bytes; scale: 1 / part of the paper's */
	uint32_t clients;
	bool shared;	 /* every client reads all, else its share */
	uint32_t random; /* random reads of each client afterwards */
	const struct site *site;
	uint32_t tasks; /* per node */
	uint64_t file;	/* bytes of a file; 0: one file for each part */
};

struct site {
	uint32_t targets, per_server;
	double node, server; /* bytes/s of the networks */
};

static const struct site knot = {64, 8, FDR, FDR};
static const struct site titan = {TARGETS, 7, ROUTER, FDR};

struct request {
	uint64_t at, len; /* in the file */
	uint64_t object;  /* offset in the target's object of all parts */
	uint32_t client, target;
};

struct client {
	uint64_t next, end; /* position, end of its part */
	uint32_t random;    /* random reads left */
	uint32_t out;	    /* outstanding requests */
	uint8_t at[TARGETS];
};

struct target {
	struct request *queue; /* QUEUE */
	uint32_t n;
	double busy; /* end of the present request */
	uint64_t end;
	struct request serves;
	bool works;
};

static struct client *client;
static double node_free[CLIENTS], server_free[SERVERS]; /* of networks */
static struct target *target;
static uint8_t *known; /* MiB of the file that are cached in targets */
static uint64_t seed;
static const struct work *job;
static struct slu_stripe_layout layout;

/* Event queue: a heap of targets by the end of their request. */
static uint32_t heap[TARGETS], n_heap;

static void push(uint32_t t)
{
	uint32_t i = n_heap++;

	for (; i > 0 && target[heap[(i - 1) / 2]].busy > target[t].busy;
	     i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = t;
}

static uint32_t pop(void)
{
	uint32_t top = heap[0], last = heap[--n_heap], i = 0, k;

	while ((k = 2 * i + 1) < n_heap) {
		if (k + 1 < n_heap &&
		    target[heap[k + 1]].busy < target[heap[k]].busy)
			k++;
		if (target[last].busy <= target[heap[k]].busy)
			break;
		heap[i] = heap[k];
		i = k;
	}
	heap[i] = last;
	return top;
}

/* The part of the layout with byte `at`; a file is in one part as a whole. */
static size_t part_of(uint64_t at)
{
	size_t i = 0;

	if (job->file)
		at -= at % job->file;
	while (layout.part[i].end && at >= layout.part[i].end)
		i++;
	return i;
}

/* The stripes of all files before that of byte `at`; where that file begins. */
static uint64_t stripes_before(uint64_t at, uint64_t *begin)
{
	size_t last = part_of(at);
	uint64_t n = 0;

	*begin = last > 0 ? layout.part[last - 1].end : 0;
	for (size_t i = 0; !job->file && i < last; i++)
		n += layout.part[i].count;
	if (!job->file)
		return n;
	*begin = at - at % job->file;
	for (uint64_t f = 0; f < *begin; f += job->file)
		n += layout.part[part_of(f)].count;
	return n;
}

/* The target of byte `at`, and the longest request from there. */
static struct request locate(uint64_t at)
{
	const struct slu_stripe_component *c = &layout.part[part_of(at)];
	uint64_t begin, before = stripes_before(at, &begin);
	uint64_t stripe = (at - begin) / c->width;
	uint64_t room = c->width - (at - begin) % c->width;

	return (struct request){
		.at = at,
		.len = room < MIB ? room : MIB,
		.object = begin + stripe / c->count * c->width +
			  (at - begin) % c->width +
			  (stripe % c->count / job->site->targets << 50),
		.target = (uint32_t)((before + stripe % c->count) %
				     job->site->targets),
	};
}

static void start(uint32_t t, double now)
{
	struct target *s = &target[t];
	uint32_t pick = 0;
	double time;
	bool hot;

	if (s->works || s->n == 0)
		return;
	for (uint32_t i = 0; i < s->n; i++)
		if (s->queue[i].object == s->end) {
			pick = i;
			break;
		}
	s->serves = s->queue[pick];
	s->queue[pick] = s->queue[--s->n];
	hot = known[s->serves.at / MIB];
	time = (double)s->serves.len / (hot ? MEMORY : DISK);
	if (!hot && s->serves.object != s->end)
		time += SEEK;
	if (!hot)
		s->end = s->serves.object + s->serves.len;
	known[s->serves.at / MIB] = 1;
	s->works = true;
	s->busy = now + time;
	push(t);
}

/* Sends as many requests as its window and the targets allow. */
static void send_more(uint32_t c, double now)
{
	struct client *me = &client[c];

	while (me->out < WINDOW && me->next < me->end) {
		struct request r = locate(me->next);
		struct target *s = &target[r.target];

		if (me->at[r.target] == AT_ONCE)
			break; /* in order: the following have to wait */
		if (r.at + r.len > me->end)
			r.len = me->end - r.at;
		r.client = c;
		me->next += r.len;
		me->at[r.target]++;
		me->out++;
		s->queue[s->n++] = r;
		start(r.target, now);
	}
}

/* One random read at a time, of a whole stripe. */
static void read_random(uint32_t c, double now)
{
	struct client *me = &client[c];
	uint64_t at = slu_random(&seed, job->size), begin;
	uint64_t width = layout.part[part_of(at)].width;

	stripes_before(at, &begin);
	width = width > 4 * MIB ? 4 * MIB : width;
	me->next = begin + (at - begin) / width * width;
	me->end = me->next + width;
	me->end = me->end > job->size ? job->size : me->end;
	me->random--;
	send_more(c, now);
}

/* The time to open all files, one after the other. */
static double open_time(void)
{
	uint64_t begin, stripes;

	if (job->file)
		stripes = stripes_before(job->size, &begin);
	else
		stripes = stripes_before(UINT64_MAX, &begin) +
			  layout.part[layout.n - 1].count;
	return GLIMPSE * (double)stripes / (double)job->part;
}

static void begin(bool random)
{
	uint64_t share = job->size / job->clients;

	memset(client, 0, CLIENTS * sizeof(*client));
	memset(node_free, 0, sizeof(node_free));
	memset(server_free, 0, sizeof(server_free));
	n_heap = 0;
	seed = 7;
	for (uint32_t t = 0; t < TARGETS; t++)
		target[t] = (struct target){.queue = target[t].queue,
					    .end = UINT64_MAX};
	for (uint32_t c = 0; c < job->clients; c++) {
		client[c].next = job->shared ? 0 : c * share;
		client[c].end = job->shared ? job->size : (c + 1) * share;
		if (random) {
			client[c].next = client[c].end = 0;
			client[c].random = job->random;
		}
	}
}

/* When the data arrives at the client after the target has served it. */
static double arrives(const struct request *r, double now)
{
	double *server = &server_free[r->target / job->site->per_server];
	double *node = &node_free[r->client / job->tasks];

	*server = fmax(*server, now) + (double)r->len / job->site->server;
	*node = fmax(*node, *server) + (double)r->len / job->site->node;
	return *node;
}

/* Seconds until all clients have read all. */
static double simulate(bool random)
{
	double now = 0, last = 0, came;

	begin(random);
	memset(known, 0, job->size / MIB + 1);
	for (uint32_t c = 0; c < job->clients; c++)
		random ? read_random(c, 0) : send_more(c, 0);
	while (n_heap > 0) {
		uint32_t t = pop();
		struct target *s = &target[t];
		struct client *me = &client[s->serves.client];
		uint32_t c = s->serves.client;

		now = s->busy;
		s->works = false;
		me->out--;
		me->at[t]--;
		came = arrives(&s->serves, now);
		last = fmax(last, came);
		if (me->random > 0 && me->out == 0 && me->next >= me->end)
			read_random(c, came);
		else
			send_more(c, now);
		start(t, now);
	}
	return last + (random ? 0 : open_time());
}

struct group {
	const char *prefix, *says;
	uint32_t n;
	struct work work;
};

static const struct group groups[] = {
	{"IOR",
	 "4-6 (dynamic) read better than 1-3",
	 6,
	 {"4 TB, 64 tasks on 16 nodes", 4096 * GIB, 64, 64, false, 0, &knot, 4,
	  0}},
	{"netflow",
	 "phase 1: dynamic better than static; phase 2: alike, some worse",
	 6,
	 {"55 GB, 128 tasks on 16 nodes", 55 * GIB, 4, 128, false, 200, &knot,
	  8, 0}},
	{"blast",
	 "2-9 are 1.22-1.26 times as fast as 1 (but 6, 7); 10 to 12 from 1.26 "
	 "down to 1.22; 13-18 no clear trend",
	 18,
	 {"79 files, 8 nodes read all", 79 * GIB, 8, 8, true, 200, &titan, 1,
	  GIB}},
};

static void scale(uint64_t part)
{
	for (size_t i = 0; i < layout.n; i++)
		layout.part[i].end /= part;
}

static void load(const char *name, uint64_t part)
{
	if (slu_stripe_preset(name, &layout, NULL)) {
		fprintf(stderr, "bench/stripe: no layout %s\n", name);
		exit(1);
	}
	scale(part);
}

static void report(bool csv, const char *name, double seq, double rnd,
		   double first_seq, double first_rnd)
{
	double mb = (double)job->size / 1e6 * (job->shared ? job->clients : 1);

	if (csv) {
		printf("%s,sequential,MB/s,%.0f,first,%.0f,%.3f\n", name,
		       mb / seq, mb / first_seq, first_seq / seq);
		if (rnd > 0)
			printf("%s,random,s,%.2f,first,%.2f,%.3f\n", name, rnd,
			       first_rnd, rnd / first_rnd);
		return;
	}
	printf("%-12s %10.0f %8.2fx", name, mb / seq, first_seq / seq);
	if (rnd > 0)
		printf(" %10.2f %8.2fx %8.2fx", rnd, first_rnd / rnd,
		       (first_seq + first_rnd) / (seq + rnd));
	putchar('\n');
}

/* Lustre's own layout: until 2.15, and since 2.16. */
static void load_default(char name[40], uint32_t mib)
{
	snprintf(name, 40, "default %uM", mib);
	layout = (struct slu_stripe_layout){{{0, 1, mib * (uint32_t)MIB, ""}},
					    1};
}

/* Clients that share nothing have a part each. */
static void explain(char name[40], const struct work *w)
{
	const struct slu_stripe_request ask = {
		.size = w->size,
		.access = w->random && !w->shared ? SLU_STRIPE_RANDOM
						  : SLU_STRIPE_SEQUENTIAL,
		.readers = w->shared ? w->clients : 0,
		.tasks = w->shared ? 0 : w->clients,
		.targets = w->site->targets};

	snprintf(name, 40, "explain");
	slu_stripe_plan(&ask, &layout, NULL);
	scale(w->part);
}

static void run_group(bool csv, const struct group *g)
{
	double seq, rnd, first_seq = 0, first_rnd = 0;
	struct work scaled = g->work;
	char name[40];

	scaled.size /= scaled.part;
	scaled.file /= scaled.part;
	job = &scaled;
	if (!csv)
		printf("\n%s: %s, 1/%lu of it\npaper: %s\n\n%-12s %10s %9s "
		       "%10s %9s %9s\n",
		       g->prefix, scaled.name, scaled.part, g->says, "layout",
		       "MB/s", "to first", "random s", "to first", "both");
	for (uint32_t i = 1; i <= g->n + 3; i++) {
		snprintf(name, sizeof(name), "%s.%u", g->prefix, i);
		if (i <= g->n)
			load(name, scaled.part);
		else if (i <= g->n + 2)
			load_default(name, i == g->n + 1 ? 1 : 4);
		else
			explain(name, &g->work);
		seq = simulate(false);
		rnd = job->random ? simulate(true) : 0;
		first_seq = i == 1 ? seq : first_seq;
		first_rnd = i == 1 ? rnd : first_rnd;
		report(csv, name, seq, rnd, first_seq, first_rnd);
	}
}

static double pass(void)
{
	return simulate(false) + (job->random ? simulate(true) : 0);
}

/* The fastest of Lustre's and the published ones. */
static double best_rival(const struct work *w)
{
	char name[40];
	double best = INFINITY;

	for (uint32_t i = 1; i <= 14; i++) {
		if (i <= 12) {
			snprintf(name, sizeof(name), "%s.%u",
				 i <= 6 ? "IOR" : "netflow", (i - 1) % 6 + 1);
			load(name, w->part);
		} else {
			load_default(name, i == 13 ? 1 : 4);
		}
		best = fmin(best, pass());
	}
	return best;
}

/* A file of which each of so many tasks, four on a node, has a part: seconds
 * with the layout of explain, as a ratio to the best rival's, and with twice as
 * many stripes (setstripe -C). */
static void run_tasks(bool csv, bool random, const struct site *site)
{
	static const uint32_t tasks[] = {1, 2, 4, 8, 16, 64, 256};
	static const uint64_t gib[] = {1, 16, 256, 4096};
	double worst = 0, rival, ours, over;
	char name[40];

	if (!csv)
		printf("\nTasks: a part for each, %u targets%s; time to that of "
		       "the best preset or default, (-C twice)\n\n"
		       "%-8s %14s %14s %14s %14s\n",
		       site->targets,
		       random ? ", then 20 random reads each" : "", "tasks",
		       "1 GiB", "16 GiB", "256 GiB", "4 TiB");
	for (size_t t = 0; t < sizeof(tasks) / sizeof(*tasks); t++) {
		csv ? 0 : printf("%-8u", tasks[t]);
		for (size_t g = 0; g < sizeof(gib) / sizeof(*gib); g++) {
			struct work w = {"",
					 gib[g] * GIB,
					 gib[g] > 64 ? gib[g] / 64 : 1,
					 tasks[t],
					 false,
					 random ? 20 : 0,
					 site,
					 4,
					 0};
			struct work scaled = w;

			scaled.size /= w.part;
			job = &scaled;
			rival = best_rival(&w);
			explain(name, &w);
			ours = pass();
			for (size_t c = 0; c < layout.n; c++)
				layout.part[c].count *= 2;
			over = pass();
			worst = fmax(worst, ours / rival);
			if (csv)
				printf("%u tasks %lu GiB%s,time,s,%.3f,best,"
				       "%.3f,%.3f\n",
				       tasks[t], gib[g],
				       random ? " random" : "", ours, rival,
				       ours / rival);
			else
				printf("   %5.2f (%4.2f)", ours / rival,
				       over / rival);
		}
		csv ? 0 : putchar('\n');
	}
	if (!csv)
		printf("worst: %.2f\n", worst);
}

/* All of 79 GB by so many nodes, with the four layouts. */
static void run_fig11(bool csv)
{
	static const uint32_t count[] = {16, 64, 128, 0};
	static struct work w = {"", 79 * GIB, 128, 16, true,
				20, &titan,   1,   GIB};
	double seconds[4];

	w.size /= w.part; /* called once */
	w.file /= w.part;
	job = &w;
	if (!csv)
		printf("\nFig. 11: nodes that all read 79 GB (1/%lu of it), "
		       "and at random; s\npaper: more stripes, more time; "
		       "dynamic always before 128\n\n%-8s %9s %9s %9s %9s\n",
		       w.part, "nodes", "16", "64", "128", "dynamic");
	for (w.clients = 16; w.clients <= CLIENTS; w.clients *= 2) {
		for (int i = 0; i < 4; i++) {
			load("fig11", w.part);
			if (count[i])
				layout = (struct slu_stripe_layout){
					{{0, count[i], MIB, ""}}, 1};
			seconds[i] = simulate(false) + simulate(true);
			if (csv && i < 3)
				continue;
		}
		if (!csv)
			printf("%-8u %9.2f %9.2f %9.2f %9.2f\n", w.clients,
			       seconds[0], seconds[1], seconds[2], seconds[3]);
		for (int i = 0; csv && i < 3; i++)
			printf("fig11 %u nodes,time,s,%.2f,%u stripes,%.2f,"
			       "%.3f\n",
			       w.clients, seconds[3], count[i], seconds[i],
			       seconds[3] / seconds[i]);
	}
}

int main(int argc, char **argv)
{
	bool csv = argc == 2 && strcmp(argv[1], "--csv") == 0;

	if (argc > 1 && !csv) {
		fputs("usage: stripe [--csv]\n", stderr);
		return 2;
	}
	client = calloc(CLIENTS, sizeof(*client));
	target = calloc(TARGETS, sizeof(*target));
	known = calloc(64 * GIB / MIB + 2, 1);
	if (!client || !target || !known)
		return 1;
	for (uint32_t i = 0; i < TARGETS; i++) {
		target[i].queue = malloc(QUEUE * sizeof(*target->queue));
		if (!target[i].queue)
			return 1;
	}
	if (csv)
		puts("case,metric,unit,ours,rival,rival_value,ratio");
	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++)
		run_group(csv, &groups[i]);
	for (int random = 0; random < 2; random++) {
		run_tasks(csv, random, &knot);
		run_tasks(csv, random, &titan);
	}
	run_fig11(csv);
	for (uint32_t i = 0; i < TARGETS; i++)
		free(target[i].queue);
	free(client);
	free(target);
	free(known);
	return 0;
}
