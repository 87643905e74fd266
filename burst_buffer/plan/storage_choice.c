/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses the storage of the nodes of a plan, and checks the space: a node
 * needs more than the share, as it makes an image, and a manifest for each
 * stage-out.
 */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "burst_buffer/storage/image.h"
#include "burst_buffer/plan/plan.h"
#include "burst_buffer/request/fstype.h"
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

/* Below the mount point of what a choice takes, in sluice/. */
static int find_storage(struct slu_plan_node *node, const char *choice,
			struct slu_db *map, struct space *space,
			struct slu_err *err)
{
	struct slu_node_storage place;

	if (slu_storage_find(map, node->name, choice, &place, err))
		return -1;
	node->storage = slu_asprintf(
		"%s/sluice", strcmp(place.path, "/") == 0 ? "" : place.path);
	*space = (struct space){place.size, place.available};
	return node->storage ? 0 : nomem(err);
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

/* A path given by the site. */
static int fixed_storage(struct slu_plan_node *node, const char *path,
			 struct slu_db *map, struct space *space,
			 struct slu_err *err)
{
	*space = space_at(map, node->name, path);
	node->storage = strdup(path);
	return node->storage ? 0 : nomem(err);
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

static int set_storage(const struct slu_plan *plan, struct slu_plan_node *node,
		       const struct slu_plan_site *site, struct space *space,
		       struct slu_err *err)
{
	const char *choice = storage_of(plan, site->conf);

	free(node->storage);
	node->storage = NULL;
	return slu_choice_is_path(choice)
		       ? fixed_storage(node, choice, site->map, space, err)
		       : find_storage(node, choice, site->map, space, err);
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
 * it; what counts is what we have promised. The node measures the truth. */
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
	struct space *space;
	uint64_t *promised, *own, *room;
};

static int stores_init(struct stores *s, const struct slu_plan *plan,
		       struct slu_err *err)
{
	*s = (struct stores){
		.space = calloc(plan->n_node + 1, sizeof(*s->space)),
		.promised = calloc(3 * plan->n_node + 1, sizeof(*s->promised)),
	};
	s->own = s->promised + plan->n_node;
	s->room = s->own + plan->n_node;
	return s->space && s->promised ? 0 : nomem(err);
}

static void stores_free(struct stores *s)
{
	free(s->space);
	free(s->promised);
}

/* A node that gives nothing, but could, need not be known; nor need each have
 * the tier, where others can give what it lacks. */
static int find_stores(struct stores *s, struct slu_plan *plan,
		       const struct slu_plan_site *site, struct slu_err *err)
{
	const bool spare = site->ask_room && is_uneven(plan);
	const bool tier = spare && tier_of(plan, site->conf);

	for (size_t i = 0; i < plan->n_node; i++) {
		struct slu_plan_node *node = &plan->node[i];

		if ((node->client && !spare) ||
		    !set_storage(plan, node, site, &s->space[i], err))
			continue;
		if ((!node->client && !tier) || err->kind != SLU_NOTFOUND)
			return -1;
		node->storage = strdup("");
		if (!node->storage)
			return nomem(err);
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

/* Free space may have changed since: where it is too little, what nobody else
 * was promised counts. */
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

static int find_promised(const struct stores *s, const struct slu_plan *plan,
			 const struct slu_plan_site *site, struct slu_err *err)
{
	return site->promised ? site->promised(site->promised_arg, plan,
					       s->promised, s->own, err)
			      : 0;
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
		     find_promised(&s, plan, site, err) ||
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
		rc = find_promised(&s, plan, site, err) ||
		     share(plan, &s, plan->givers, changed, err);
	stores_free(&s);
	return rc ? -1 : 0;
}
