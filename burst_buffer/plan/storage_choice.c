/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses the directory or device in which each node of a plan stores its
 * share, or the devices over which it is spread, and has the capacity divided
 * by the space that the nodes have there.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/plan/places.h"
#include "burst_buffer/request/site/fstype.h"
#include "common/str.h"

static int nomem(struct slu_err *err)
{
	return slu_err(err, SLU_NOMEM, "out of memory");
}

/* May a node's share lie on several devices? */
static bool may_spread(const struct slu_plan *plan, const struct slu_conf *conf)
{
	const struct slu_fstype *type = slu_fstype_find(plan->driver);

	return conf->node_devices == SLU_DEVICES_ALL && type && type->spreads;
}

/* Of each node of the plan: where its share may lie; once that is chosen, where
 * it lies. */
struct stores {
	struct slu_places *places;
	uint64_t *room; /* for the largest share */
	size_t n;
};

static int stores_init(struct stores *s, const struct slu_plan *plan,
		       struct slu_err *err)
{
	*s = (struct stores){
		.places = calloc(plan->n_node + 1, sizeof(*s->places)),
		.room = calloc(plan->n_node + 1, sizeof(*s->room)),
		.n = plan->n_node,
	};
	return s->places && s->room ? 0 : nomem(err);
}

static void stores_free(struct stores *s)
{
	for (size_t i = 0; s->places && i < s->n; i++)
		slu_places_free(&s->places[i]);
	free(s->places);
	free(s->room);
}

/* A node that gives nothing, but could, need not be known; nor need each have
 * the tier, where others can give what it lacks. */
static int find_stores(struct stores *s, const struct slu_plan *plan,
		       const struct slu_plan_site *site, struct slu_err *err)
{
	const bool spare = site->ask_room && slu_plan_is_uneven(plan);
	const bool tier = spare && slu_places_tier(plan, site->conf);

	for (size_t i = 0; i < plan->n_node; i++) {
		const struct slu_plan_node *node = &plan->node[i];

		if ((node->client && !spare) ||
		    !slu_places_of(plan, node->name,
				   slu_conf_has_devices(site->conf), site,
				   &s->places[i], err))
			continue;
		if ((!node->client && !tier) || err->kind != SLU_NOTFOUND)
			return -1;
		slu_places_free(&s->places[i]);
	}
	return 0;
}

/* How good a device is for a share. fits: 2 beside what is promised there, 1 if
 * nothing were promised, 0 not at all; of equal ones the room decides. Where
 * shares may be uneven only the room counts. */
struct merit {
	unsigned fits;
	uint64_t room;
};

static struct merit merit_of(const struct slu_plan *plan, uint64_t capacity,
			     const struct slu_place *p)
{
	const uint64_t takes = slu_plan_takes(plan, capacity);
	const uint64_t left = slu_place_room(p, false);

	if (slu_plan_is_uneven(plan))
		return (struct merit){0, slu_place_room(p, true)};
	if (takes > left)
		return (struct merit){takes <= p->size, left};
	return (struct merit){2, slu_place_room(p, true)};
}

static bool is_better(struct merit a, struct merit b)
{
	return a.fits != b.fits ? a.fits > b.fits : a.room > b.room;
}

/* Of several like devices the one with the most room, of equal ones the
 * first, comes first. */
static void best_first(const struct slu_plan *plan, uint64_t capacity,
		       struct slu_places *p)
{
	struct merit best = merit_of(plan, capacity, &p->at[0]), merit;
	struct slu_place first;
	size_t at = 0;

	for (size_t k = 1; k < p->n; k++) {
		merit = merit_of(plan, capacity, &p->at[k]);
		if (!is_better(merit, best))
			continue;
		best = merit;
		at = k;
	}
	first = p->at[at];
	p->at[at] = p->at[0];
	p->at[0] = first;
}

/* Keeps the first of them. */
static void keep_some(struct slu_places *p, size_t n)
{
	while (p->n > n)
		free(p->at[--p->n].storage);
}

static int more_room_first(const void *a, const void *b)
{
	const struct slu_place *x = a, *y = b;
	const uint64_t p = slu_place_room(x, true), q = slu_place_room(y, true);

	return p != q ? (p < q ? 1 : -1) : strcmp(x->storage, y->storage);
}

/* Of a node's devices, keeps those that its share is to lie on. even: how many,
 * where they get equal parts. */
static void choose(const struct slu_plan *plan,
		   const struct slu_plan_node *node, bool spread, size_t even,
		   struct slu_places *p)
{
	if (spread && slu_plan_is_uneven(plan))
		return;
	if (even == 1) {
		best_first(plan, node->capacity, p);
	} else {
		qsort(p->at, p->n, sizeof(*p->at), more_room_first);
	}
	keep_some(p, even);
}

static void forget_more(struct slu_plan_node *node)
{
	while (node->n_more)
		free(node->more[--node->n_more].storage);
	free(node->more);
	node->more = NULL;
}

/* The node's share lies there, with equal parts on those after the first. */
static int take_places(struct slu_plan_node *node, const struct slu_places *p,
		       uint64_t part, struct slu_err *err)
{
	char *storage = strdup(p->at[0].storage);

	if (!storage)
		return nomem(err);
	free(node->storage);
	node->storage = storage;
	forget_more(node);
	node->more = p->n > 1 ? calloc(p->n - 1, sizeof(*node->more)) : NULL;
	if (p->n > 1 && !node->more)
		return nomem(err);
	for (size_t k = 1; k < p->n; k++) {
		storage = strdup(p->at[k].storage);
		if (!storage)
			return nomem(err);
		node->more[node->n_more++] =
			(struct slu_plan_device){storage, part};
	}
	return 0;
}

/* Finds what is promised on each device, by a plan that lists a node once for
 * each of its devices. */
static int find_promised(const struct stores *s, const struct slu_plan *plan,
			 const struct slu_plan_site *site, struct slu_err *err)
{
	struct slu_plan each = *plan;
	uint64_t *bytes;
	size_t n = 0, at = 0;
	int rc;

	for (size_t i = 0; i < s->n; i++)
		n += s->places[i].n;
	each.node = calloc(n + 1, sizeof(*each.node));
	each.n_node = n;
	bytes = calloc(2 * n + 1, sizeof(*bytes));
	for (size_t i = 0; each.node && i < s->n; i++)
		for (size_t k = 0; k < s->places[i].n; k++) {
			each.node[at] = plan->node[i];
			each.node[at].n_more = 0;
			each.node[at++].storage = s->places[i].at[k].storage;
		}
	rc = each.node && bytes ? site->promised(site->promised_arg, &each,
						 bytes, bytes + n, err)
				: nomem(err);
	at = 0;
	for (size_t i = 0; !rc && i < s->n; i++)
		for (size_t k = 0; k < s->places[i].n; k++, at++) {
			s->places[i].at[k].promised = bytes[at];
			s->places[i].at[k].own = bytes[n + at];
		}
	free(each.node);
	free(bytes);
	return rc;
}

static int choose_places(struct stores *s, struct slu_plan *plan,
			 const struct slu_plan_site *site, struct slu_err *err)
{
	const bool spread = may_spread(plan, site->conf);
	struct slu_plan_node *node;
	size_t even = 1;

	if (site->promised && find_promised(s, plan, site, err))
		return -1;
	if (spread && !slu_plan_is_uneven(plan))
		even = slu_places_even(plan, s->places);
	even = even ? even : 1;
	for (size_t i = 0; i < s->n; i++) {
		node = &plan->node[i];
		if (!s->places[i].n)
			continue;
		choose(plan, node, spread, even, &s->places[i]);
		if (take_places(node, &s->places[i],
				even > 1 ? node->capacity / even : 0, err))
			return -1;
	}
	return 0;
}

/* Does the node's share fit there? Where it may be uneven it is spread over its
 * devices: by what is free, or if that is too little, by what is not
 * promised. */
static int settle(const struct slu_plan *plan, struct slu_plan_node *node,
		  const struct slu_places *p, bool *fits, struct slu_err *err)
{
	const struct slu_place sum = slu_places_sum(p);
	bool changed = false; /* not asked for */

	if (node->n_more && slu_plan_is_uneven(plan)) {
		if (slu_places_spread(plan, node, p, true, fits, &changed, err))
			return -1;
		return *fits ? 0
			     : slu_places_spread(plan, node, p, false, fits,
						 &changed, err);
	}
	*fits = node->client ||
		(sum.promised <= sum.size &&
		 slu_plan_node_takes(plan, node) <= sum.size - sum.promised);
	return 0;
}

/* Reports each node without enough space for its share beside what is
 * promised. */
static int settle_all(struct slu_plan *plan, const struct stores *s,
		      const struct slu_plan_site *site, struct slu_err *err)
{
	struct slu_err more;
	bool fits;
	int rc = 0;

	for (size_t i = 0; i < plan->n_node; i++) {
		if (settle(plan, &plan->node[i], &s->places[i], &fits, err))
			return -1;
		if (fits)
			continue;
		slu_places_no_room(plan, &plan->node[i], &s->places[i],
				   slu_places_fit(plan, &s->places[i], false),
				   rc ? &more : err);
		rc = -1;
		if (site->too_small)
			slu_buf_printf(site->too_small, "%s%s",
				       site->too_small->len ? "," : "",
				       plan->node[i].name);
	}
	return rc;
}

static size_t count_givers(const struct slu_plan *plan)
{
	size_t n = 0;

	for (size_t i = 0; i < plan->n_node; i++)
		n += !plan->node[i].client;
	return n;
}

/* told: by the free space that was last reported, else by what is not promised
 * to other buffers. */
static int share(struct slu_plan *plan, const struct stores *s, size_t givers,
		 bool told, bool *changed, struct slu_err *err)
{
	*changed = false;
	for (size_t i = 0; i < plan->n_node; i++) {
		const struct slu_places *p = &s->places[i];
		const struct slu_place sum = slu_places_sum(p);

		s->room[i] =
			p->n > 1 ? slu_places_fit(plan, p, told)
				 : slu_plan_fits(plan,
						 slu_place_room(&sum, told));
	}
	return slu_plan_is_uneven(plan)
		       ? slu_plan_share(plan, givers, s->room, changed, err)
		       : 0;
}

/* If what is free is too little, divides by what is not promised: files may
 * have been removed since. */
static int share_by_map(struct slu_plan *plan, struct stores *s, size_t givers,
			struct slu_err *err)
{
	bool changed;

	if (share(plan, s, givers, true, &changed, err) || changed)
		return changed ? 0 : -1;
	return share(plan, s, givers, false, &changed, err);
}

int slu_plan_storages(struct slu_plan *plan, const struct slu_plan_site *site,
		      struct slu_err *err)
{
	const size_t givers = count_givers(plan);
	struct stores s;
	int rc = stores_init(&s, plan, err);

	if (site->ask_room && plan->n_node > 1)
		plan->givers = (uint32_t)givers;
	if (rc == 0)
		rc = find_stores(&s, plan, site, err) ||
		     choose_places(&s, plan, site, err) ||
		     share_by_map(plan, &s, givers, err) ||
		     settle_all(plan, &s, site, err);
	stores_free(&s);
	return rc ? -1 : 0;
}

/* The node's devices, with what it has told of each. */
static int told_places(const struct slu_plan_node *node, struct slu_db *map,
		       const uint64_t *told, struct slu_places *p,
		       struct slu_err *err)
{
	if (!*node->storage)
		return 0;
	if (slu_places_init(p, 1 + node->n_more, err))
		return -1;
	for (size_t k = 0; k < p->n; k++) {
		p->at[k].storage = strdup(slu_plan_device(node, k).storage);
		if (!p->at[k].storage)
			return nomem(err);
		slu_place_look_up(&p->at[k], map, node->name);
		p->at[k].free = told[k];
	}
	return 0;
}

/* Changes nothing where one node lacks room, as the job cannot start then. */
static int respread(struct slu_plan *plan, const struct stores *s,
		    bool *changed, struct slu_err *err)
{
	bool fits = true;

	for (size_t i = 0; fits && i < plan->n_node; i++)
		fits = !plan->node[i].n_more ||
		       slu_places_fit(plan, &s->places[i], true) >=
			       plan->node[i].capacity;
	for (size_t i = 0; fits && i < plan->n_node; i++)
		if (plan->node[i].n_more &&
		    slu_places_spread(plan, &plan->node[i], &s->places[i], true,
				      &fits, changed, err))
			return -1;
	return 0;
}

/* Of files in pieces each device has a part of the same size: one that lacks
 * room for it is left out on each node, where others have room for more. */
static int respread_even(struct slu_plan *plan, const struct stores *s,
			 bool *changed, struct slu_err *err)
{
	const size_t devices = slu_places_even(plan, s->places);

	for (size_t i = 0; devices && i < plan->n_node; i++)
		if (plan->node[i].n_more &&
		    slu_places_spread_even(plan, &plan->node[i], &s->places[i],
					   devices, changed, err))
			return -1;
	return 0;
}

int slu_plan_reshare(struct slu_plan *plan, const struct slu_plan_site *site,
		     const uint64_t *told, bool *changed, struct slu_err *err)
{
	struct stores s;
	int rc = stores_init(&s, plan, err);

	*changed = false;
	for (size_t i = 0; rc == 0 && i < plan->n_node; i++) {
		rc = told_places(&plan->node[i], site->map, told, &s.places[i],
				 err);
		told += 1 + plan->node[i].n_more;
	}
	if (rc == 0 && site->promised)
		rc = find_promised(&s, plan, site, err);
	if (rc == 0 && slu_plan_is_uneven(plan))
		rc = share(plan, &s, plan->givers, true, changed, err) ||
		     respread(plan, &s, changed, err);
	else if (rc == 0)
		rc = respread_even(plan, &s, changed, err);
	stores_free(&s);
	return rc ? -1 : 0;
}
