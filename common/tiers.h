/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_TIERS_H
#define SLU_COMMON_TIERS_H

/*
 * Names of storage tiers (kinds of a node's storage: flash, disk, ...) and
 * lists that choose among a node's devices. NodeStorage of sluice.conf has such
 * a list, a Pool may be of one tier (Tier=), a request may ask for one (tier=).
 *
 * A choice is a list of words, the most wanted first: a tier, `largest`,
 * `fastest`, or a pattern (fnmatch(3), * does not match /) of mount points.
 * `auto` is `largest`. A single path without wildcards is not a pattern: it is
 * that directory on every node.
 */

#include <stdbool.h>
#include <stddef.h>
#include "common/err.h"

enum slu_tier {
	SLU_TIER_UNKNOWN,
	SLU_TIER_PMEM,	/* persistent memory */
	SLU_TIER_FLASH, /* what does not rotate */
	SLU_TIER_DISK,
	SLU_TIER_RAM, /* a tmpfs that the site provides */
};
/* Names in the order of enum slu_tier; the first is "unknown", NULL the end. */
extern const char *const slu_tier_names[];
/* UNKNOWN: it names none. Compared without case. */
enum slu_tier slu_tier_of(const char *word);

/* Is this choice one directory, the same on every node? */
bool slu_choice_is_path(const char *choice);
/* Is the tier a word of the choice? */
bool slu_choice_has_tier(const char *choice, enum slu_tier tier);
/* SLU_INVALID: one of its words is unknown. */
int slu_choice_check(const char *choice, struct slu_err *err);

#define SLU_CHOICE_WORD 1024 /* bytes of a word, at most */

#endif
