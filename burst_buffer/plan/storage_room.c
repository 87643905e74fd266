/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Adds up the space of the devices that a node's share may lie on, and says why
 * a share does not fit there. A share takes more than its capacity, as an image
 * is made for it, and a manifest for each stage-out. What other buffers were
 * promised there counts, however much they use.
 */
#include "config.h"
#include <stdio.h>
#include "burst_buffer/plan/places.h"
#include "common/size.h"

/* The map's free space is a minute old, when an earlier job may still have used
 * it, so only what is promised to buffers decides whether there is room at all.
 * The node measures its free space before it makes anything. */
uint64_t slu_place_room(const struct slu_place *place, bool told)
{
	const uint64_t left = place->size > place->promised
				      ? place->size - place->promised
				      : 0;

	return told && place->free < left ? place->free : left;
}

/* UINT64_MAX stands for what is not known. */
static uint64_t sum_of(uint64_t a, uint64_t b)
{
	return a < UINT64_MAX - b ? a + b : UINT64_MAX;
}

struct slu_place slu_places_sum(const struct slu_places *places)
{
	struct slu_place sum = {0};

	for (size_t k = 0; k < places->n; k++) {
		const struct slu_place *p = &places->at[k];

		sum.size = sum_of(sum.size, p->size);
		sum.free = sum_of(sum.free, p->free);
		sum.promised = sum_of(sum.promised, p->promised);
		sum.own = sum_of(sum.own, p->own);
	}
	return sum;
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

#define WHERE_TEXT 200

/* "/nvme0/sluice" or "/nvme0/sluice and 2 other devices". */
static const char *where(const struct slu_plan_node *node,
			 char text[WHERE_TEXT])
{
	if (node->n_more)
		snprintf(text, WHERE_TEXT, "%.150s and %zu other device%s",
			 node->storage, node->n_more,
			 node->n_more == 1 ? "" : "s");
	else
		snprintf(text, WHERE_TEXT, "%.190s", node->storage);
	return text;
}

#define MUST_TEXT (80 + 2 * SLU_SIZE_TEXT)

/* Each device of a share that is spread has an image of its own, so that what
 * the share would take as one says nothing about several. */
static const char *say_must(const struct slu_plan *plan,
			    const struct slu_plan_node *node, uint64_t fits,
			    char text[MUST_TEXT])
{
	const bool spread = node->n_more && slu_plan_is_uneven(plan);
	char must[SLU_SIZE_TEXT], size[SLU_SIZE_TEXT];

	snprintf(text, MUST_TEXT,
		 spread ? "each node must give %s, of which only %s fit there"
			: "each node must give %s, which takes up %s",
		 slu_size_text(node->capacity, must),
		 slu_size_text(spread ? fits : slu_plan_node_takes(plan, node),
			       size));
	return text;
}

int slu_places_no_room(const struct slu_plan *plan,
		       const struct slu_plan_node *node,
		       const struct slu_places *places, uint64_t fits,
		       struct slu_err *err)
{
	const struct slu_place sum = slu_places_sum(places);
	char needs[SLU_SIZE_TEXT], has[SLU_SIZE_TEXT], held[SLU_SIZE_TEXT];
	char must[MUST_TEXT], left[OWN_TEXT], at[WHERE_TEXT];

	if (!*node->storage)
		return slu_err(err, SLU_BUSY,
			       "%s has no storage of pool %s, and the other "
			       "nodes have no room for what it would have to "
			       "give, %s",
			       node->name, plan->pool ? plan->pool : "",
			       slu_size_text(node->capacity, needs));
	say_must(plan, node, fits, must);
	if (!sum.promised)
		return slu_err(err, SLU_BUSY, "%s has only %s for %s, %s",
			       node->name, slu_size_text(sum.size, has),
			       where(node, at), must);
	return slu_err(err, SLU_BUSY,
		       "other jobs, or data of failed stage-outs, hold %s of "
		       "the %s that %s has for %s, %s%s",
		       slu_size_text(sum.promised, held),
		       slu_size_text(sum.size, has), node->name,
		       where(node, at), must, say_own(sum.own, left));
}
