/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which storage of its nodes a plan takes, and whether there is room for what
 * it will take there: more than users are given, as the node makes an image of
 * it, with a manifest for each stage-out.
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
#include "sysmap/storage.h"

static int nomem(struct slu_err *err)
{
	return slu_err(err, SLU_NOMEM, "out of memory");
}

/* NodeStorage=auto: in sluice/ on the largest local file system. */
static int find_storage(struct slu_plan_node *node, struct slu_db *map,
			uint64_t *size, struct slu_err *err)
{
	struct slu_node_storage place;

	if (slu_storage_find(map, node->name, &place, err))
		return -1;
	node->storage = slu_asprintf(
		"%s/sluice", strcmp(place.path, "/") == 0 ? "" : place.path);
	*size = place.size;
	return node->storage ? 0 : nomem(err);
}

/* A path that the site gives. */
static int fixed_storage(struct slu_plan_node *node, const char *path,
			 struct slu_db *map, uint64_t *size,
			 struct slu_err *err)
{
	struct slu_node_storage place;

	*size = UINT64_MAX;
	if (slu_storage_at(map, node->name, path, &place, NULL) == 0)
		*size = place.size;
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

static int set_storage(const struct slu_plan *plan, struct slu_plan_node *node,
		       const struct slu_plan_site *site, uint64_t *size,
		       struct slu_err *err)
{
	const char *own = own_option(plan, "storage");

	free(node->storage);
	node->storage = NULL;
	if (!own && strcmp(site->conf->node_storage, "auto") == 0)
		return find_storage(node, site->map, size, err);
	return fixed_storage(node, own ? own : site->conf->node_storage,
			     site->map, size, err);
}

uint64_t slu_plan_takes(const struct slu_plan *plan, uint64_t capacity)
{
	uint64_t manifests = 0;

	for (size_t i = 0; i < plan->n_stage; i++)
		manifests +=
			plan->stage[i].out ? slu_manifest_size(capacity) : 0;
	return slu_image_size(capacity + manifests);
}

#define OWN_TEXT (200 + SLU_SIZE_TEXT)

/* What the user can do something about: fetching it removes nothing. */
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

/* How much of it is free the map knows only as of a minute ago, when the job
 * before may still have held it: what counts is what we have promised. The node
 * finds out whether that is true. */
static int check_room(const struct slu_plan *plan,
		      const struct slu_plan_node *node, uint64_t size,
		      uint64_t promised, uint64_t own, struct slu_err *err)
{
	uint64_t takes = slu_plan_takes(plan, node->capacity);
	char needs[SLU_SIZE_TEXT], has[SLU_SIZE_TEXT], held[SLU_SIZE_TEXT];
	char must[80 + 2 * SLU_SIZE_TEXT], left[OWN_TEXT];

	if (node->client || (promised <= size && takes <= size - promised))
		return 0;
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

/* Where files go where there is room, nodes need not give the same. */
static int share_unevenly(struct slu_plan *plan, const uint64_t *size,
			  const uint64_t *promised, uint64_t *room,
			  struct slu_err *err)
{
	const struct slu_fstype *type = slu_fstype_find(plan->driver);
	bool some;

	for (size_t i = 0; i < plan->n_node; i++)
		room[i] = size[i] > promised[i] ? size[i] - promised[i] : 0;
	if (type && type->uneven &&
	    !(type->striped && own_option(plan, type->striped)))
		return slu_plan_share(plan, room, &some, err);
	return 0;
}

int slu_plan_storages(struct slu_plan *plan, const struct slu_plan_site *site,
		      struct slu_err *err)
{
	uint64_t *size = calloc(4 * plan->n_node, sizeof(*size));
	uint64_t *promised = size + plan->n_node;
	uint64_t *own = promised + 2 * plan->n_node;
	size_t i;
	int rc = size ? 0 : nomem(err);

	for (i = 0; rc == 0 && i < plan->n_node; i++)
		if (!plan->node[i].client)
			rc = set_storage(plan, &plan->node[i], site, &size[i],
					 err);
	if (rc == 0 && site->promised)
		rc = site->promised(site->promised_arg, plan, promised, own,
				    err);
	if (rc == 0)
		rc = share_unevenly(plan, size, promised,
				    promised + plan->n_node, err);
	for (i = 0; rc == 0 && i < plan->n_node; i++)
		rc = check_room(plan, &plan->node[i], size[i], promised[i],
				own[i], err);
	free(size);
	return rc;
}
