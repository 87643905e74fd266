/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PLAN_PLACES_H
#define SLU_PLAN_PLACES_H

/*
 * Private to burst_buffer/plan: the directories that a node's share may lie in,
 * one per device, with their space, while storage_choice.c chooses among them,
 * storage_room.c checks their space and device_shares.c divides a share among
 * several of them.
 */

#include "burst_buffer/plan/plan.h"

struct slu_place {
	char *storage;		/* our directory on the device */
	uint64_t size, free;	/* bytes; free: as last reported */
	uint64_t promised, own; /* of these, to other buffers (slu_plan_site) */
};

struct slu_places { /* of a node, best first */
	struct slu_place *at;
	size_t n;
};

/* Bytes for a share beside what other buffers take, or will take; told: no more
 * than what is free as last reported. */
uint64_t slu_place_room(const struct slu_place *place, bool told);
/* The sums of a node's devices; storage: NULL. */
struct slu_place slu_places_sum(const struct slu_places *places);

/* node_places.c */

/* Are files placed where there is space, so that shares need not be equal? */
bool slu_plan_is_uneven(const struct slu_plan *plan);
/* The tier of the plan's pool, if it has one and the file system no directory
 * of its own. */
enum slu_tier slu_places_tier(const struct slu_plan *plan,
			      const struct slu_conf *conf);
/* Where the node's share may lie; each: with the devices that are like the
 * best. SLU_NOTFOUND: nowhere. slu_places_free() in any case. */
int slu_places_of(const struct slu_plan *plan, const char *node, bool each,
		  const struct slu_plan_site *site, struct slu_places *out,
		  struct slu_err *err);
/* So many, to be filled in. */
int slu_places_init(struct slu_places *p, size_t n, struct slu_err *err);
void slu_places_free(struct slu_places *p);
/* Sets the map's numbers for the directory of a place. */
void slu_place_look_up(struct slu_place *place, struct slu_db *map,
		       const char *node);

/* storage_room.c: SLU_BUSY, with the reason, for a node whose share does not
 * fit there. fits: how much of one that is spread does (slu_places_fit()). */
int slu_places_no_room(const struct slu_plan *plan,
		       const struct slu_plan_node *node,
		       const struct slu_places *places, uint64_t fits,
		       struct slu_err *err);

/* device_shares.c */

/* The largest share of a node that fits on these together. */
uint64_t slu_places_fit(const struct slu_plan *plan,
			const struct slu_places *places, bool told);
/* On how many devices of each giving node equal parts of its share fit, by what
 * is free as last reported; 0: not even on one. */
size_t slu_places_even(const struct slu_plan *plan,
		       const struct slu_places *places);
/* Puts equal parts of the node's share on those `devices` (slu_places_even())
 * of its storage and node->more, which are these places in any order, that have
 * the most room as last reported, and leaves out the others. *changed and the
 * result as slu_places_spread(). */
int slu_places_spread_even(const struct slu_plan *plan,
			   struct slu_plan_node *node,
			   const struct slu_places *places, size_t devices,
			   bool *changed, struct slu_err *err);
/* Divides the node's share among its storage and node->more, which are these
 * places in any order: as equally as their room allows; or, not `told`, all of
 * it on one where it just fits. *fits: there is enough; else nothing changes.
 * *changed is set where a device gets another part than before. -1: SLU_NOMEM.
 */
int slu_places_spread(const struct slu_plan *plan, struct slu_plan_node *node,
		      const struct slu_places *places, bool told, bool *fits,
		      bool *changed, struct slu_err *err);

/* shares.c: divides `share` among n vessels of so much room, all the same up to
 * a level; one with less than an eighth of an equal part gets nothing where the
 * others have room for it. *fits: whether there is room for all. -1:
 * SLU_NOMEM. */
int slu_share_divide(uint64_t share, const uint64_t *room, size_t n,
		     uint64_t *bytes, bool *fits, struct slu_err *err);
/* Of so much free space, what an image may take: a part is for the file
 * system's own use. */
uint64_t slu_share_usable(uint64_t room);

#endif
