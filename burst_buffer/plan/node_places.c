/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the directories in which a node's share may lie: the one that the
 * request's profile or its file system names, or one on each of the node's file
 * systems that NodeStorage, or the tier of a pool, selects in the resource map.
 */
#include "config.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "burst_buffer/plan/places.h"
#include "burst_buffer/request/site/fstype.h"
#include "common/str.h"
#include "sysmap/database/planner_storage.h"

static int nomem(struct slu_err *err)
{
	return slu_err(err, SLU_NOMEM, "out of memory");
}

/* Our directory on a file system: in sluice/ below its mount point. */
static char *directory_on(const struct slu_node_storage *device)
{
	return slu_asprintf("%s/sluice",
			    strcmp(device->path, "/") == 0 ? "" : device->path);
}

/* Sets the map's numbers for the path of the place. */
void slu_place_look_up(struct slu_place *place, struct slu_db *map,
		       const char *node)
{
	struct slu_node_storage found;

	place->size = place->free = UINT64_MAX;
	if (slu_storage_at(map, node, place->storage, &found, NULL))
		return;
	place->size = found.size;
	place->free = found.available;
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
enum slu_tier slu_places_tier(const struct slu_plan *plan,
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
	const enum slu_tier tier = slu_places_tier(plan, conf);
	const char *own = own_option(plan, "storage");

	return own ? own : tier ? slu_tier_names[tier] : conf->node_storage;
}

void slu_places_free(struct slu_places *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->at[i].storage);
	free(p->at);
	*p = (struct slu_places){0};
}

int slu_places_init(struct slu_places *p, size_t n, struct slu_err *err)
{
	*p = (struct slu_places){.at = calloc(n, sizeof(*p->at))};
	if (!p->at)
		return nomem(err);
	p->n = n;
	return 0;
}

/* A path given by the site. */
static int fixed_place(const char *node, const char *path, struct slu_db *map,
		       struct slu_places *out, struct slu_err *err)
{
	if (slu_places_init(out, 1, err))
		return -1;
	out->at->storage = strdup(path);
	if (!out->at->storage)
		return nomem(err);
	slu_place_look_up(out->at, map, node);
	return 0;
}

static int find_devices(const char *node, const char *choice, bool each,
			struct slu_db *map, struct slu_places *out,
			struct slu_err *err)
{
	struct slu_node_storage *found;
	size_t n;
	int rc;

	if (slu_storage_devices(map, node, choice, each, &found, &n, err))
		return -1;
	rc = slu_places_init(out, n, err);
	for (size_t i = 0; !rc && i < n; i++) {
		out->at[i].size = found[i].size;
		out->at[i].free = found[i].available;
		out->at[i].storage = directory_on(&found[i]);
		rc = out->at[i].storage ? 0 : nomem(err);
	}
	free(found);
	return rc;
}

/* What `out` gets is freed by the caller, also on failure. */
int slu_places_of(const struct slu_plan *plan, const char *node, bool each,
		  const struct slu_plan_site *site, struct slu_places *out,
		  struct slu_err *err)
{
	const char *choice = storage_of(plan, site->conf);

	return slu_choice_is_path(choice)
		       ? fixed_place(node, choice, site->map, out, err)
		       : find_devices(node, choice, each, site->map, out, err);
}

bool slu_plan_may_lie_in(const struct slu_plan *plan, size_t i,
			 const char *storage, const struct slu_plan_site *site)
{
	struct slu_places p = {0};
	bool may = false;

	slu_places_of(plan, plan->node[i].name, true, site, &p, NULL);
	for (size_t k = 0; k < p.n; k++)
		may |= slu_eq(p.at[k].storage, storage);
	slu_places_free(&p);
	return may;
}

bool slu_plan_is_uneven(const struct slu_plan *plan)
{
	const struct slu_fstype *type = slu_fstype_find(plan->driver);

	return type && type->uneven &&
	       !(type->striped && own_option(plan, type->striped));
}
