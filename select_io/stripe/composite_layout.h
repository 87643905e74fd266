/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_STRIPE_COMPOSITE_LAYOUT_H
#define SLU_SELECT_IO_STRIPE_COMPOSITE_LAYOUT_H

/*
 * Striping by watermark ("dynamic striping"): a file is laid out in components
 * that get wider as it grows, so that small files cost little and large ones
 * are read by many targets. What decides (the paper's measurements):
 *
 *	sequential: wider with size, in count and in width (Table I);
 *	random: few and narrow stripes, since wide ones move what nobody asked
 *		for and more of them do not help;
 *	several readers: sixteen targets and narrow (Table V: blast.2);
 *	many readers: wide from the start (Fig. 11: 16, 64, 128 targets);
 *	tasks that each have a part of their own of a file whose size is known:
 *		as many targets as they keep busy, from the start, but no more
 *		than pay for the time it takes to open them (bench/stripe);
 *	little space: so many targets that the file's parts fit.
 *
 * The result keeps Lustre's rules for composite layouts (2.10 and later):
 * ends are multiples of 64 KiB and of the stripe width, the last component
 * goes to the end of the file, a file has at most 2,000 stripes (160 before
 * 2.4, and where metadata targets have no ea_inode) and a layout at most 64 KiB
 * (there 4 KB). Before 2.10 there are none: the one that
 * most of the file is in stands for all.
 */

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include "common/err.h"
#include "common/str.h"

#define SLU_STRIPE_COMPONENTS 8
#define SLU_STRIPE_COUNT_MAX  2000
#define SLU_STRIPE_COMPOSITE  2010 /* the first version that has them */

enum slu_stripe_access { SLU_STRIPE_SEQUENTIAL = 1, SLU_STRIPE_RANDOM };

struct slu_stripe_request {
	uint64_t size; /* bytes the file will have; 0: unknown */
	enum slu_stripe_access access;
	uint32_t readers; /* processes that read it at once; 0: unknown */
	uint32_t targets; /* of the file system; 0: unknown */
	/* Bytes free on each of them, the most first; NULL: unknown. */
	const uint64_t *room;
	uint32_t lustre; /* version, 2015 for 2.15; 0: unknown, not old */
	/* MDTs of ldiskfs without ea_inode: a layout has 4 KB */
	bool narrow;
	/* processes that each read or write a part of their own; 0: unknown.
	 * Of readers, each reads all of it. */
	uint32_t tasks;
};

/* What bench/stripe and layout_cost.h reckon with, too. */
#define SLU_STRIPE_DISK	   400e6  /* bytes/s of a target */
#define SLU_STRIPE_GLIMPSE 0.4e-3 /* s for a stripe, when a file is opened */
#define SLU_STRIPE_WINDOW  40	  /* MiB of a file that a task has under way */

struct slu_stripe_component {
	uint64_t end;	       /* bytes; 0: the end of the file */
	uint32_t count, width; /* stripes, bytes of each */
	const char *why;
};

struct slu_stripe_layout {
	struct slu_stripe_component part[SLU_STRIPE_COMPONENTS];
	size_t n;
};

/* SLU_INVALID: it fits on no layout: more than all targets have room for. */
int slu_stripe_plan(const struct slu_stripe_request *request,
		    struct slu_stripe_layout *out, struct slu_err *err);

/* A layout of the paper, word by word: "IOR.1" .. "IOR.6", "netflow.1" .. "6",
 * "blast.1" .. "18" (Tables III to V), "fig11", "tableI"; GB are GiB, so that
 * ends are multiples of the widths. SLU_NOTFOUND: there is none. */
int slu_stripe_preset(const char *name, struct slu_stripe_layout *out,
		      struct slu_err *err);

/* Does it keep Lustre's rules? */
int slu_stripe_check(const struct slu_stripe_layout *layout,
		     struct slu_err *err);

/* "lfs setstripe -E 1G -c 4 -S 1M -E -1 -c 8 -S 2M", without the path. */
void slu_stripe_command(const struct slu_stripe_layout *layout,
			struct slu_buf *out);
/* "lfs VERB ..." likewise, each component in the pool (NULL, "": in none). */
void slu_stripe_command_in(const char *verb,
			   const struct slu_stripe_layout *layout,
			   const char *pool, struct slu_buf *out);

/* {"components":[{"begin","end","count","width","why"}],"command"}; end is left
 * out where it is the file's. Caller puts. */
struct json_object *slu_stripe_json(const struct slu_stripe_layout *layout);

/* The same for a JSON request: {"size","access":"random","readers",
 * "tasks","targets","lustre":"2.15"} or {"preset","lustre"}, each of
 * which may be missing; `known` describes the file system, all 0 if unknown.
 * With `targets` another file system is meant, whose free space is unknown.
 * Caller puts *out.
 */
int slu_stripe_explain(struct json_object *args,
		       const struct slu_stripe_request *known,
		       struct json_object **out, struct slu_err *err);

/* The request that such arguments make of what is known. */
int slu_stripe_take(struct json_object *args,
		    const struct slu_stripe_request *known,
		    struct slu_stripe_request *out, struct slu_err *err);

#endif
