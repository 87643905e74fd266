/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses the directory or device in which each node of a plan stores its
 * share, and checks that there is space. A share takes more than its capacity,
 * as an image is made for it, and a manifest for each stage-out. What other
 * buffers were promised there counts, however much they use.
 */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "burst_buffer/storage/image.h"
#include "burst_buffer/plan/plan.h"
#include "burst_buffer/request/site/fstype.h"
#include "burst_buffer/request/request.h"
#include "common/size.h"
#include "common/str.h"
#include "sysmap/database/planner_storage.h"

static int nomem(struct slu_err *err)
{
	return slu_err(err, SLU_NOMEM, "out of memory");
}

struct space {		     /* bytes of a node's storage */
	uint64_t size, free; /* free: as last reported */
};

/* Our directory on a file system: in sluice/ below its mount point. */
static char *directory_on(const struct slu_node_storage *device)
{
	return slu_asprintf("%s/sluice",
			    strcmp(device->path, "/") == 0 ? "" : device->path);
}

/* The map's numbers for a path. */
static struct space space_at(struct slu_db *map, const char *node,
			     const char *path)
{
	struct slu_node_storage place;

	return slu_storage_at(map, node, path, &place, NULL)
		       ? (struct space){UINT64_MAX, UINT64_MAX}
		       : (struct space){place.size, place.available};
}

/* An option of the profile or the file system; NULL: neither has it. */
static const char *own_option(const struct slu_plan *plan, const char *key)
{
	for (size_t i = 0; i < plan->n_option; i++)
		if (strcasecmp(plan->option[i].key, key) == 0)
			return plan->option[i].value;
	return NULL;
}

/* That of its pool, if it has one and no directory of its own. */
static enum slu_tier tier_of(const struct slu_plan *plan,
			     const struct slu_conf *conf)
{
	const struct slu_pool_conf *pool =
		plan->pool ? slu_conf_pool(conf, plan->pool) : NULL;

	return pool && !own_option(plan, "storage") ? pool->tier
						    : SLU_TIER_UNKNOWN;
}

/* The directory that its profile or file system says, the tier of its pool, or
 * what NodeStorage chooses. */
static const char *storage_of(const struct slu_plan *plan,
			      const struct slu_conf *conf)
{
	const enum slu_tier tier = tier_of(plan, conf);
	const char *own = own_option(plan, "storage");

	return own ? own : tier ? slu_tier_names[tier] : conf->node_storage;
}

/* A node's file systems that its share may lie on, best first. */
struct devices {
	struct device {
		char *storage; /* our directory there */
		struct space space;
		uint64_t promised, own; /* of it */
	} * at;
	size_t n;
};

static void devices_free(struct devices *d)
{
	for (size_t i = 0; i < d->n; i++)
		free(d->at[i].storage);
	free(d->at);
	*d = (struct devices){0};
}

static int devices_init(struct devices *d, size_t n, struct slu_err *err)
{
	*d = (struct devices){.at = calloc(n, sizeof(*d->at))};
	if (!d->at)
		return nomem(err);
	d->n = n;
	return 0;
}

/* A path given by the site. */
static int fixed_device(const char *node, const char *path, struct slu_db *map,
			struct devices *out, struct slu_err *err)
{
	if (devices_init(out, 1, err))
		return -1;
	out->at->space = space_at(map, node, path);
	out->at->storage = strdup(path);
	return out->at->storage ? 0 : nomem(err);
}

static int find_devices(const char *node, const char *choice, bool each,
			struct slu_db *map, struct devices *out,
			struct slu_err *err)
{
	struct slu_node_storage *found;
	size_t n;
	int rc;

	if (slu_storage_devices(map, node, choice, each, &found, &n, err))
		return -1;
	rc = devices_init(out, n, err);
	for (size_t i = 0; !rc && i < n; i++) {
		out->at[i].space =
			(struct space){found[i].size, found[i].available};
		out->at[i].storage = directory_on(&found[i]);
		rc = out->at[i].storage ? 0 : nomem(err);
	}
	free(found);
	return rc;
}

/* What `out` gets is freed by the caller, also on failure. */
static int devices_of(const struct slu_plan *plan, const char *node, bool each,
		      const struct slu_plan_site *site, struct devices *out,
		      struct slu_err *err)
{
	const char *choice = storage_of(plan, site->conf);

	return slu_choice_is_path(choice)
		       ? fixed_device(node, choice, site->map, out, err)
		       : find_devices(node, choice, each, site->map, out, err);
}

bool slu_plan_may_lie_in(const struct slu_plan *plan, size_t i,
			 const char *storage, const struct slu_plan_site *site)
{
	struct devices d = {0};
	bool may = false;

	devices_of(plan, plan->node[i].name, true, site, &d, NULL);
	for (size_t k = 0; k < d.n; k++)
		may |= slu_eq(d.at[k].storage, storage);
	devices_free(&d);
	return may;
}

#define OWN_TEXT (200 + SLU_SIZE_TEXT)

/* What the user can do something about: fetching kept data does not remove
 * it. */
static const char *say_own(uint64_t own, char text[OWN_TEXT])
{
	char size[SLU_SIZE_TEXT];

	*text = '\0';
	if (own)
		snprintf(text, OWN_TEXT,
			 "; %s of it is what failed stage-outs of your own "
			 "jobs have left: it goes after KeepFailed, or "
			 "when you give it up (sluice-node discard JOB; "
			 "sluice-node fetch copies it before)",
			 slu_size_text(own, size));
	return text;
}

/* The map's free space is a minute old, when an earlier job may still have used
 * it, so only what is promised to buffers counts here. The node measures its
 * free space before it makes anything. */
static int check_room(const struct slu_plan *plan,
		      const struct slu_plan_node *node, uint64_t size,
		      uint64_t promised, uint64_t own, struct slu_err *err)
{
	uint64_t takes = slu_plan_takes(plan, node->capacity);
	char needs[SLU_SIZE_TEXT], has[SLU_SIZE_TEXT], held[SLU_SIZE_TEXT];
	char must[80 + 2 * SLU_SIZE_TEXT], left[OWN_TEXT];

	if (node->client || (promised <= size && takes <= size - promised))
		return 0;
	if (!*node->storage)
		return slu_err(err, SLU_BUSY,
			       "%s has no storage of pool %s, and the other "
			       "nodes have no room for what it would have to "
			       "give, %s",
			       node->name, plan->pool ? plan->pool : "",
			       slu_size_text(node->capacity, needs));
	snprintf(must, sizeof(must),
		 "each node must give %s, which takes up %s",
		 slu_size_text(node->capacity, needs),
		 slu_size_text(takes, held));
	if (!promised)
		return slu_err(err, SLU_BUSY, "%s has only %s for %s, %s",
			       node->name, slu_size_text(size, has),
			       node->storage, must);
	return slu_err(err, SLU_BUSY,
		       "other jobs, or data of failed stage-outs, hold %s of "
		       "the %s that %s has for %s, %s%s",
		       slu_size_text(promised, held), slu_size_text(size, has),
		       node->name, node->storage, must, say_own(own, left));
}

/* Are files placed where there is space, so that nodes need not give equal
 * shares? */
static bool is_uneven(const struct slu_plan *plan)
{
	const struct slu_fstype *type = slu_fstype_find(plan->driver);

	return type && type->uneven &&
	       !(type->striped && own_option(plan, type->striped));
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* What is free without what other buffers take, or will take. */
static uint64_t room_in(struct space space, uint64_t promised)
{
	return least(space.free,
		     space.size > promised ? space.size - promised : 0);
}

/* What is known of each node's storage. */
struct stores {
	struct devices *devices;
	struct space *space; /* of the device that is chosen */
	uint64_t *promised, *own, *room;
	size_t n;
};

static int stores_init(struct stores *s, const struct slu_plan *plan,
		       struct slu_err *err)
{
	*s = (struct stores){
		.devices = calloc(plan->n_node + 1, sizeof(*s->devices)),
		.space = calloc(plan->n_node + 1, sizeof(*s->space)),
		.promised = calloc(3 * plan->n_node + 1, sizeof(*s->promised)),
		.n = plan->n_node,
	};
	s->own = s->promised + plan->n_node;
	s->room = s->own + plan->n_node;
	return s->devices && s->space && s->promised ? 0 : nomem(err);
}

static void stores_free(struct stores *s)
{
	for (size_t i = 0; s->devices && i < s->n; i++)
		devices_free(&s->devices[i]);
	free(s->devices);
	free(s->space);
	free(s->promised);
}

/* A node that gives nothing, but could, need not be known; nor need each have
 * the tier, where others can give what it lacks. */
static int find_stores(struct stores *s, const struct slu_plan *plan,
		       const struct slu_plan_site *site, struct slu_err *err)
{
	const bool spare = site->ask_room && is_uneven(plan);
	const bool tier = spare && tier_of(plan, site->conf);

	for (size_t i = 0; i < plan->n_node; i++) {
		const struct slu_plan_node *node = &plan->node[i];

		if ((node->client && !spare) ||
		    !devices_of(plan, node->name, site->conf->each_device, site,
				&s->devices[i], err))
			continue;
		if ((!node->client && !tier) || err->kind != SLU_NOTFOUND)
			return -1;
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
			     const struct device *d)
{
	const uint64_t takes = slu_plan_takes(plan, capacity);
	const uint64_t size = d->space.size;
	const uint64_t left = size > d->promised ? size - d->promised : 0;

	if (is_uneven(plan))
		return (struct merit){0, room_in(d->space, d->promised)};
	if (takes > left)
		return (struct merit){takes <= size, left};
	return (struct merit){2, room_in(d->space, d->promised)};
}

static bool is_better(struct merit a, struct merit b)
{
	return a.fits != b.fits ? a.fits > b.fits : a.room > b.room;
}

/* Of several like devices the one with the most room, of equal ones the
 * first. */
static const struct device *best_of(const struct slu_plan *plan,
				    uint64_t capacity, const struct devices *d)
{
	struct merit best = merit_of(plan, capacity, &d->at[0]), merit;
	size_t at = 0;

	for (size_t k = 1; k < d->n; k++) {
		merit = merit_of(plan, capacity, &d->at[k]);
		if (!is_better(merit, best))
			continue;
		best = merit;
		at = k;
	}
	return &d->at[at];
}

/* The share of node i goes there. */
static int take_device(struct stores *s, struct slu_plan_node *node, size_t i,
		       const struct device *d, struct slu_err *err)
{
	char *storage = strdup(d->storage);

	if (!storage)
		return nomem(err);
	free(node->storage);
	node->storage = storage;
	s->space[i] = d->space;
	s->promised[i] = d->promised;
	s->own[i] = d->own;
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
		n += s->devices[i].n;
	each.node = calloc(n + 1, sizeof(*each.node));
	each.n_node = n;
	bytes = calloc(2 * n + 1, sizeof(*bytes));
	for (size_t i = 0; each.node && i < s->n; i++)
		for (size_t k = 0; k < s->devices[i].n; k++) {
			each.node[at] = plan->node[i];
			each.node[at++].storage = s->devices[i].at[k].storage;
		}
	rc = each.node && bytes ? site->promised(site->promised_arg, &each,
						 bytes, bytes + n, err)
				: nomem(err);
	at = 0;
	for (size_t i = 0; !rc && i < s->n; i++)
		for (size_t k = 0; k < s->devices[i].n; k++, at++) {
			s->devices[i].at[k].promised = bytes[at];
			s->devices[i].at[k].own = bytes[n + at];
		}
	free(each.node);
	free(bytes);
	return rc;
}

static int choose_devices(struct stores *s, struct slu_plan *plan,
			  const struct slu_plan_site *site, struct slu_err *err)
{
	struct slu_plan_node *node;

	if (site->promised && find_promised(s, plan, site, err))
		return -1;
	for (size_t i = 0; i < s->n; i++) {
		node = &plan->node[i];
		if (s->devices[i].n &&
		    take_device(s, node, i,
				best_of(plan, node->capacity, &s->devices[i]),
				err))
			return -1;
	}
	return 0;
}

/* Reports each node without enough space for its share beside what is
 * promised. */
static int check_rooms(const struct slu_plan *plan, const struct stores *s,
		       const struct slu_plan_site *site, struct slu_err *err)
{
	struct slu_err more;
	int rc = 0;

	for (size_t i = 0; i < plan->n_node; i++) {
		if (!check_room(plan, &plan->node[i], s->space[i].size,
				s->promised[i], s->own[i], rc ? &more : err))
			continue;
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

static int share(struct slu_plan *plan, const struct stores *s, size_t givers,
		 bool *changed, struct slu_err *err)
{
	*changed = false;
	for (size_t i = 0; i < plan->n_node; i++)
		s->room[i] = room_in(s->space[i], s->promised[i]);
	return is_uneven(plan)
		       ? slu_plan_share(plan, givers, s->room, changed, err)
		       : 0;
}

/* Divides the capacity by the free space that was last reported. If that is too
 * little, divides by what is not promised to other buffers: files may have been
 * removed since. */
static int share_by_map(struct slu_plan *plan, struct stores *s, size_t givers,
			struct slu_err *err)
{
	bool changed;

	if (share(plan, s, givers, &changed, err) || changed)
		return changed ? 0 : -1;
	for (size_t i = 0; i < plan->n_node; i++)
		s->space[i].free = s->space[i].size;
	return share(plan, s, givers, &changed, err);
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
		     choose_devices(&s, plan, site, err) ||
		     share_by_map(plan, &s, givers, err) ||
		     check_rooms(plan, &s, site, err);
	stores_free(&s);
	return rc ? -1 : 0;
}

int slu_plan_reshare(struct slu_plan *plan, const struct slu_plan_site *site,
		     uint64_t *told, bool *changed, struct slu_err *err)
{
	struct stores s;
	int rc = stores_init(&s, plan, err);

	*changed = false;
	for (size_t i = 0; rc == 0 && is_uneven(plan) && i < plan->n_node;
	     i++) {
		s.space[i] = space_at(site->map, plan->node[i].name,
				      plan->node[i].storage);
		s.space[i].free = told[i];
	}
	if (rc == 0)
		rc = (site->promised &&
		      site->promised(site->promised_arg, plan, s.promised,
				     s.own, err)) ||
		     share(plan, &s, plan->givers, changed, err);
	stores_free(&s);
	return rc ? -1 : 0;
}
