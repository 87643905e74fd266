/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulates clients that read files from storage targets of Lustre, request by
 * request.
 */

/*
 * Requests are simulated: a target serves one at a time, of up to 1 MiB, at
 * DISK MB/s, and seeks when a request does not continue the one before (waiting
 * requests that do are preferred). A client has at most 8 requests at a target,
 * and WINDOW of a file ahead of its position. Data passes the server's network
 * and then the node's, which its clients share. A random read fetches a whole
 * stripe, at most 4 MiB: the paper's explanation of its measurements. Data that
 * any client has read is in the target's memory (Fig. 11: all read everything).
 * Opening a file queries the size of each of its stripes.
 */
#include "config.h"
#include "bench/stripe_sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "select_io/stripe/layout_cost.h"
#include "tests/unit/random.h"

#define MEMORY	1500e6 /* bytes/s of data cached in a target */
#define WINDOW	40     /* requests ahead: max_read_ahead_per_file_mb */
#define AT_ONCE 8      /* of a client at a target */
/* As in stripe check. */
#define DISK	SLU_STRIPE_DISK
#define SEEK	SLU_STRIPE_SEEK
#define GLIMPSE SLU_STRIPE_GLIMPSE
#define SERVERS (TARGETS / 7)
#define QUEUE	(AT_ONCE * CLIENTS)

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

double stripe_sim(const struct work *work,
		  const struct slu_stripe_layout *planned, bool random)
{
	double now = 0, last = 0, came;

	job = work;
	layout = *planned;
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

bool stripe_sim_begin(void)
{
	client = calloc(CLIENTS, sizeof(*client));
	target = calloc(TARGETS, sizeof(*target));
	known = calloc(64 * GIB / MIB + 2, 1);
	if (!client || !target || !known)
		return false;
	for (uint32_t i = 0; i < TARGETS; i++) {
		target[i].queue = malloc(QUEUE * sizeof(*target->queue));
		if (!target[i].queue)
			return false;
	}
	return true;
}

void stripe_sim_end(void)
{
	for (uint32_t i = 0; i < TARGETS; i++)
		free(target[i].queue);
	free(client);
	free(target);
	free(known);
}
