/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gives each node a share for which it has space. The plan is made from the
 * resource map, which may be out of date, as other programs write to the nodes'
 * disks too. So each node measures its free space before it makes anything, and
 * the shares follow from what it reports.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/lifecycle/effects/notifications.h"
#include "burst_buffer/lifecycle/persistence.h"
#include "burst_buffer/lifecycle/persistent_use.h"
#include "burst_buffer/lifecycle/reconcile/failure.h"
#include "burst_buffer/lifecycle/reconcile/node_usage.h"
#include "burst_buffer/lifecycle/reconcile/room_shares.h"
#include "burst_buffer/lifecycle/record_facts.h"
#include "burst_buffer/plan/plan.h"
#include "common/hostlist.h"
#include "common/str.h"

struct slu_plan_site slu_bb_waiting_site(struct slu_buffers *b)
{
	return (struct slu_plan_site){
		.conf = b->conf,
		.map = b->db,
		.addr = b->ops->addr,
		.layout = b->ops->layout,
		.persistent = slu_persistent_use,
		.arg = b->arg,
		.promised_arg = b,
	};
}

struct slu_plan_site slu_bb_run_site(struct slu_buffers *b)
{
	struct slu_plan_site site = slu_bb_waiting_site(b);

	site.promised = slu_bb_node_usage;
	site.ask_room = true;
	return site;
}

/* The attribute is "BYTES" or "BYTES SENTENCE": the latter where they are not
 * enough. Of a share that may lie on several devices it has the bytes of each:
 * "BYTES+BYTES". */
static const char *sentence_of(const char *attr)
{
	const char *blank = attr ? strchr(attr, ' ') : NULL;

	return blank ? blank + 1 : NULL;
}

static const struct slu_bb_barrier *room_of(const struct slu_bb *bb)
{
	return slu_bb_find_barrier(bb, SLU_BB_ROOM);
}

static bool lacks_room(const struct slu_bb *bb, size_t i)
{
	return !bb->plan.node[i].client && sentence_of(room_of(bb)->attr[i]);
}

static bool gives(const struct slu_bb *bb, size_t i)
{
	return !bb->plan.node[i].client;
}

/* Fails the buffer with "n1: /local/sluice: needs 5GiB, only 1GiB is free:
 * ...", and the names of the other nodes that lack space. */
static int fail(struct slu_buffers *b, struct slu_bb *bb,
		const struct slu_bb_barrier *barrier, double now,
		struct slu_err *err)
{
	char *hosts = slu_bb_hosts(bb, lacks_room), text[400];
	size_t first = 0;
	int rc;

	if (!hosts)
		return slu_err(err, SLU_NOMEM, "out of memory");
	while (first < bb->plan.n_node && !lacks_room(bb, first))
		first++;
	if (!*hosts) {
		free(hosts);
		return 0;
	}
	snprintf(text, sizeof(text), "%.60s: %.250s", bb->plan.node[first].name,
		 sentence_of(barrier->attr[first]));
	if (!slu_eq(hosts, bb->plan.node[first].name))
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "; too little room on %.60s", hosts);
	rc = slu_bb_no_room(b, bb, hosts, text, now, err);
	free(hosts);
	return rc;
}

/* The earlier shares, in case the new ones cannot be stored: a change gives
 * bytes to others and changes the order of a node's devices. */
struct before {
	uint64_t capacity;
	bool client;
	char *storage;
	struct slu_plan_device *more; /* n_more of them */
};

static void forget(struct before *was, size_t n)
{
	for (size_t i = 0; was && i < n; i++)
		free(was[i].more);
	free(was);
}

static struct before *remember(const struct slu_plan *plan)
{
	struct before *was = calloc(plan->n_node + 1, sizeof(*was));

	for (size_t i = 0; was && i < plan->n_node; i++) {
		const struct slu_plan_node *node = &plan->node[i];

		was[i] = (struct before){
			.capacity = node->capacity,
			.client = node->client,
			.storage = node->storage,
			.more = calloc(node->n_more + 1, sizeof(*node->more))};
		if (!was[i].more) {
			forget(was, i);
			return NULL;
		}
		if (node->n_more)
			memcpy(was[i].more, node->more,
			       node->n_more * sizeof(*node->more));
	}
	return was;
}

static void restore(struct slu_plan *plan, const struct before *was)
{
	for (size_t i = 0; i < plan->n_node; i++) {
		struct slu_plan_node *node = &plan->node[i];

		node->capacity = was[i].capacity;
		node->client = was[i].client;
		node->storage = was[i].storage;
		if (node->n_more)
			memcpy(node->more, was[i].more,
			       node->n_more * sizeof(*node->more));
	}
}

static int store(struct slu_buffers *b, struct slu_bb *bb, double now,
		 struct slu_err *err)
{
	const uint32_t givers = bb->plan.givers;
	char *hosts = slu_bb_hosts(bb, gives), text[300];
	int rc;

	if (!hosts)
		return slu_err(err, SLU_NOMEM, "out of memory");
	snprintf(text, sizeof(text),
		 "by the room that the nodes have, %.200s give it now", hosts);
	free(hosts);
	bb->plan.givers = 0;
	rc = slu_bb_set_plan(b->db, bb, bb->since, text, now, err);
	if (rc) {
		bb->plan.givers = givers;
		return -1;
	}
	slu_bb_forget_text(bb);
	slu_bb_log(b, bb, SLU_WARN, "%s", text);
	return 0;
}

static size_t count_devices(const struct slu_plan *plan)
{
	size_t n = 0;

	for (size_t i = 0; i < plan->n_node; i++)
		n += 1 + plan->node[i].n_more;
	return n;
}

/* Reads the bytes of a node's devices; 0 of those that the text does not
 * have. */
static void read_rooms(const char *text, uint64_t *room, size_t n)
{
	char *end = (char *)(uintptr_t)text;

	for (size_t k = 0; end && k < n; k++) {
		room[k] = strtoull(end, &end, 10);
		end = *end == '+' ? end + 1 : NULL;
	}
}

/* The free space that each node has reported of each of its devices, in bytes.
 * *all: each has; an older sluice-node does not report it. Caller frees; NULL:
 * no memory. */
static uint64_t *free_space(const struct slu_bb *bb,
			    const struct slu_bb_barrier *barrier, bool *all)
{
	uint64_t *room = calloc(count_devices(&bb->plan) + 1, sizeof(*room));
	uint64_t *at = room;

	*all = true;
	for (size_t i = 0; room && i < bb->plan.n_node; i++) {
		*all &= barrier->attr[i] && *barrier->attr[i];
		read_rooms(barrier->attr[i], at, 1 + bb->plan.node[i].n_more);
		at += 1 + bb->plan.node[i].n_more;
	}
	return room;
}

static int reshare(struct slu_buffers *b, struct slu_bb *bb,
		   const uint64_t *room, bool *changed, double now,
		   struct slu_err *err)
{
	const struct slu_plan_site site = slu_bb_run_site(b);
	struct before *was = remember(&bb->plan);
	int rc = was ? slu_plan_reshare(&bb->plan, &site, room, changed, err)
		     : slu_err(err, SLU_NOMEM, "out of memory");

	if (rc == 0 && *changed)
		rc = store(b, bb, now, err);
	if (rc && was)
		restore(&bb->plan, was);
	forget(was, bb->plan.n_node);
	return rc;
}

int slu_bb_reshare_room(struct slu_buffers *b, struct slu_bb *bb,
			const struct slu_bb_barrier *barrier, double now,
			struct slu_err *err)
{
	bool all, changed = false;
	uint64_t *room;
	int rc = 0;

	if (!bb->plan.givers || strcmp(barrier->name, SLU_BB_ROOM) != 0)
		return 0;
	room = free_space(bb, barrier, &all);
	if (!room)
		return slu_err(err, SLU_NOMEM, "out of memory");
	if (all)
		rc = reshare(b, bb, room, &changed, now, err);
	free(room);
	return rc || changed ? rc : fail(b, bb, barrier, now, err);
}

int slu_bb_too_small(struct slu_buffers *b, struct slu_bb *bb,
		     const char *nodes, const char *why, double now,
		     struct slu_err *err)
{
	struct slu_hosts hosts;
	char *list;
	int rc;

	if (!nodes)
		return slu_bb_fail(b, bb, now, err, "%s", why);
	if (slu_hosts_parse(nodes, &hosts, err))
		return -1;
	list = slu_hosts_text(&hosts);
	rc = list ? slu_bb_no_room(b, bb, list, why, now, err)
		  : slu_err(err, SLU_NOMEM, "out of memory");
	free(list);
	slu_hosts_free(&hosts);
	return rc;
}
