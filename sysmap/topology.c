/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds the graph of network switches and computes distances in it: leaf
 * switch, hops between two hosts, groups of hosts by leaf switch.
 *
 * Distances come from a breadth-first search at each call; nothing is cached. A
 * host is looked up by binary search in t->host, a sorted array of pairs (host,
 * switch); a host with several rails has one pair for each.
 */
#include "config.h"
#include "sysmap/topology.h"

#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"

#define UNKNOWN SLU_TOPOLOGY_UNKNOWN

void slu_topology_free(struct slu_topology *t)
{
	for (uint32_t i = 0; i < t->n; i++) {
		free(t->sw[i].name);
		slu_hosts_free(&t->sw[i].hosts);
		free(t->sw[i].link);
	}
	free(t->sw);
	free(t->host);
	*t = (struct slu_topology){0};
}

static int compare(const void *a, const void *b)
{
	const struct slu_topology_host *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (order)
		return order;
	return x->sw < y->sw ? -1 : x->sw > y->sw;
}

static int make_index(struct slu_topology *t, struct slu_err *err)
{
	size_t n = 0;

	for (uint32_t i = 0; i < t->n; i++)
		n += t->sw[i].hosts.n;
	t->host = calloc(n + 1, sizeof(*t->host));
	if (!t->host)
		return slu_err(err, SLU_NOMEM, "topology");
	for (uint32_t i = 0; i < t->n; i++)
		for (size_t k = 0; k < t->sw[i].hosts.n; k++)
			t->host[t->n_hosts++] = (struct slu_topology_host){
				.name = t->sw[i].hosts.name[k], .sw = i};
	qsort(t->host, t->n_hosts, sizeof(*t->host), compare);
	return 0;
}

/* Breadth-first search from several switches at once: from[i] is 0 for these
 * and UNKNOWN for the others, which get their distance to the nearest of them.
 * queue: room for t->n. */
static void spread(const struct slu_topology *t, uint32_t *from,
		   uint32_t *queue)
{
	uint32_t head = 0, tail = 0, at, next;

	for (uint32_t i = 0; i < t->n; i++)
		if (from[i] == 0)
			queue[tail++] = i;
	while (head < tail) {
		at = queue[head++];
		for (uint32_t k = 0; k < t->sw[at].n_links; k++) {
			next = t->sw[at].link[k];
			if (from[next] != UNKNOWN)
				continue;
			from[next] = from[at] + 1;
			queue[tail++] = next;
		}
	}
}

/* The two arrays that spread() takes, in one allocation: t->n distances, all
 * UNKNOWN, then the queue. */
static uint32_t *distances_new(const struct slu_topology *t)
{
	uint32_t *d = calloc(t->n + 1, 2 * sizeof(*d));

	for (uint32_t i = 0; d && i < t->n; i++)
		d[i] = UNKNOWN;
	return d;
}

static int compare_numbers(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Sorts a switch's links and removes duplicates. */
static void sort_links(struct slu_switch *sw)
{
	uint32_t n = 0;

	if (sw->n_links)
		qsort(sw->link, sw->n_links, sizeof(*sw->link),
		      compare_numbers);
	for (uint32_t i = 0; i < sw->n_links; i++)
		if (n == 0 || sw->link[n - 1] != sw->link[i])
			sw->link[n++] = sw->link[i];
	sw->n_links = n;
}

int slu_topology_finish(struct slu_topology *t, struct slu_err *err)
{
	uint32_t *level = distances_new(t);

	if (!level)
		return slu_err(err, SLU_NOMEM, "topology");
	for (uint32_t i = 0; i < t->n; i++)
		if (t->sw[i].hosts.n)
			level[i] = 0;
	spread(t, level, level + t->n);
	for (uint32_t i = 0; i < t->n; i++) {
		t->sw[i].level = level[i] == UNKNOWN ? 0 : level[i];
		sort_links(&t->sw[i]);
	}
	free(level);
	return make_index(t, err);
}

int slu_topology_link(struct slu_topology *t, uint32_t a, uint32_t b,
		      struct slu_err *err)
{
	struct slu_switch *sw = &t->sw[a];
	uint32_t n = sw->n_links, *more;

	if ((n & (n - 1)) == 0) { /* full: the size is always a power of 2 */
		more = reallocarray(sw->link, n ? 2 * (size_t)n : 1,
				    sizeof(*more));
		if (!more)
			return slu_err(err, SLU_NOMEM, "topology");
		sw->link = more;
	}
	sw->link[sw->n_links++] = b;
	return 0;
}

/* The first of a host's *n pairs in the index; *n is 0 if the host is unknown.
 */
static const struct slu_topology_host *find(const struct slu_topology *t,
					    const char *name, size_t *n)
{
	size_t low = 0, high = t->n_hosts, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (strcmp(t->host[mid].name, name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	*n = 0;
	while (low + *n < t->n_hosts &&
	       strcmp(t->host[low + *n].name, name) == 0)
		++*n;
	return &t->host[low];
}

uint32_t slu_topology_leaf(const struct slu_topology *t, const char *host)
{
	size_t n;
	const struct slu_topology_host *at = find(t, host, &n);

	return n ? at->sw : UNKNOWN;
}

int slu_topology_far(const struct slu_topology *t, const char *host,
		     uint32_t *far)
{
	const struct slu_topology_host *from;
	uint32_t *mine = distances_new(t);
	size_t n;

	if (!mine)
		return -1;
	from = find(t, host, &n);
	for (size_t i = 0; i < n; i++)
		mine[from[i].sw] = 0;
	spread(t, mine, mine + t->n);
	memcpy(far, mine, t->n * sizeof(*far));
	free(mine);
	return 0;
}

uint32_t slu_topology_hops(const struct slu_topology *t, const char *a,
			   const char *b)
{
	const struct slu_topology_host *from, *to;
	uint32_t *far, best = UNKNOWN;
	size_t n_from, n_to;

	from = find(t, a, &n_from);
	to = find(t, b, &n_to);
	if (n_from == 0 || n_to == 0)
		return UNKNOWN;
	if (strcmp(a, b) == 0)
		return 0;
	far = distances_new(t);
	if (!far)
		return UNKNOWN;
	for (size_t i = 0; i < n_from; i++)
		far[from[i].sw] = 0;
	spread(t, far, far + t->n);
	for (size_t i = 0; i < n_to; i++)
		if (far[to[i].sw] < best)
			best = far[to[i].sw];
	free(far);
	return best == UNKNOWN ? UNKNOWN : best + 1;
}

uint32_t slu_topology_groups(const struct slu_topology *t, char *const *host,
			     size_t n, uint32_t *group)
{
	/* group of each leaf switch, from 1; the last: of unknown hosts */
	uint32_t *number = calloc((size_t)t->n + 1, sizeof(*number));
	uint32_t leaf, groups = 0;

	if (!number)
		return UNKNOWN;
	for (size_t i = 0; i < n; i++) {
		leaf = slu_topology_leaf(t, host[i]);
		leaf = leaf == UNKNOWN ? t->n : leaf;
		if (!number[leaf])
			number[leaf] = ++groups;
		group[i] = number[leaf] - 1;
	}
	free(number);
	return groups;
}

struct json_object *slu_topology_json(const struct slu_topology *t)
{
	struct json_object *array = json_object_new_array(), *obj, *links;
	char *hosts;

	for (uint32_t i = 0; i < t->n; i++) {
		obj = json_object_new_object();
		links = json_object_new_array();
		hosts = slu_hosts_text(&t->sw[i].hosts);
		slu_json_set_str(obj, "switch", t->sw[i].name);
		slu_json_set_u64(obj, "level", t->sw[i].level);
		slu_json_set_str(obj, "hosts", hosts);
		for (uint32_t k = 0; k < t->sw[i].n_links; k++)
			json_object_array_add(
				links, json_object_new_string(
					       t->sw[t->sw[i].link[k]].name));
		json_object_object_add(obj, "switches", links);
		json_object_array_add(array, obj);
		if (!hosts) {
			json_object_put(array);
			return NULL;
		}
		free(hosts);
	}
	return array;
}
