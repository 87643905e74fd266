/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_STRIPE_COMPOSITE_LAYOUT_H
#define SLU_SELECT_IO_STRIPE_COMPOSITE_LAYOUT_H

/*
 * Chooses the stripe layout of a Lustre file from what is known of the file and
 * the file system. The layout has components, ranges of the file with more and
 * wider stripes the further they are from its begin, so that small files cost
 * little and large ones are read from many targets. The paper "Evaluating
 * Dynamic File Striping for Lustre" calls the end of a component a watermark.
 */

/*
 * What decides, by the paper's measurements where it is named:
 *
 *	sequential access: more and wider stripes with size (Table I);
 *	random access: few and narrow stripes; wide ones transfer data that was
 *		not asked for, and more of them do not help;
 *	several readers: 16 narrow stripes (Table V: blast.2);
 *	many readers: many stripes from the start (Fig. 11: 16, 64, 128);
 *	tasks that each have a part of their own of a file of known size: as
 *		many targets as they keep busy, from the start, but no more than
 *		the time to open them is worth (bench/stripe);
 *	little free space: as many targets as the file needs to fit;
 *	a file that is small, or of which nothing is known: its first bytes on
 *		the metadata target, where the site wants that (Data-on-MDT);
 *	a file of unknown size where targets are unequally full: components
 *		that extend themselves, and go to other targets where one of
 *		theirs is full.
 *
 * The result keeps Lustre's rules for composite layouts: ends are multiples of
 * 64 KiB and of the stripe width; the last component goes to the end of the
 * file; a file has at most 2,000 stripes and a layout at most 64 KiB, or 160
 * and 4 KB if the metadata targets have no ea_inode; 160 also before Lustre
 * 2.4. Lustre before 2.10 has no composite layouts: then the component with the
 * most of the file is used for all of it.
 */

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include "common/err.h"
#include "common/str.h"

#define SLU_STRIPE_COMPONENTS 8
#define SLU_STRIPE_COUNT_MAX  2000
#define SLU_STRIPE_COMPOSITE  2010 /* the first version that has them */
#define SLU_STRIPE_MDT	      2011 /* and Data-on-MDT, */
/* Components that extend themselves are known since 2.13, but only the servers'
 * version is known here, and an older client cannot use such a file: so they
 * are left to servers beside which such clients are rare. */
#define SLU_STRIPE_EXTENDING 2016
#define SLU_STRIPE_MDT_UNIT  (UINT64_C(1) << 16) /* of its bytes */
#define SLU_STRIPE_MDT_MAX   (UINT64_C(1) << 30)
#define SLU_STRIPE_POOL	     15 /* the longest name of a pool */

enum slu_stripe_access { SLU_STRIPE_SEQUENTIAL = 1, SLU_STRIPE_RANDOM };

struct slu_stripe_request {
	uint64_t size; /* bytes the file will have; 0: unknown */
	enum slu_stripe_access access;
	uint32_t readers; /* processes that read it at once; 0: unknown */
	uint32_t targets; /* of the file system; 0: unknown */
	/* Bytes free on each of them, the most first; NULL: unknown. */
	const uint64_t *room;
	uint32_t lustre; /* version, 2015 for 2.15; 0: unknown, not old */
	/* MDTs of ldiskfs without ea_inode: a layout has at most 4 KB */
	bool narrow;
	/* processes that each read or write a part of their own (`readers` each
	 * read the whole file); 0: unknown */
	uint32_t tasks;
	double target_rate; /* bytes/s of a target; 0: SLU_STRIPE_DISK */
	/* Bytes of a file that are to be on its metadata target; 0: none. Where
	 * told, all of them take at most mdt_most (lod.*.dom_stripesize). */
	uint64_t mdt;
	bool mdt_told;
	uint64_t mdt_most;
	const char *pool; /* whose targets are used; NULL: all */
};

/* The model of costs, also of bench/stripe and layout_cost.h. */
#define SLU_STRIPE_DISK	   400e6  /* bytes/s of a target, if unknown */
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
	/* Bytes by which each of them extends itself; 0: it does not. */
	uint64_t extend[SLU_STRIPE_COMPONENTS];
	/* Bytes before the first of them that are on the metadata target. */
	uint64_t mdt;
	const char *pool; /* of all; NULL, "": none. Borrowed */
};

bool slu_stripe_pool_is_valid(const char *name);

/* Sorts the bytes free on each of r->targets targets as r->room must be, and
 * lends them to the request. */
void slu_stripe_set_room(struct slu_stripe_request *r, uint64_t *room);

/* SLU_INVALID: the file is larger than the free space of any layout. */
int slu_stripe_plan(const struct slu_stripe_request *request,
		    struct slu_stripe_layout *out, struct slu_err *err);

/* A layout exactly as in the paper: "IOR.1" .. "IOR.6", "netflow.1" .. "6",
 * "blast.1" .. "18" (Tables III to V), "fig11", "tableI"; its GB are taken as
 * GiB, so that ends are multiples of the widths. SLU_NOTFOUND: no such name. */
int slu_stripe_preset(const char *name, struct slu_stripe_layout *out,
		      struct slu_err *err);

/* Checks Lustre's rules for composite layouts; SLU_INVALID: which is broken. */
int slu_stripe_check(const struct slu_stripe_layout *layout,
		     struct slu_err *err);

/* "lfs VERB -E 64K -L mdt -E 1G -c 4 -S 1M -E -1 -c 8 -S 2M", without the path;
 * the verb is setstripe or migrate. */
void slu_stripe_command(const char *verb,
			const struct slu_stripe_layout *layout,
			struct slu_buf *out);

/* {"components":[{"begin","end","count","width","extend","why"}],"command"};
 * end is left out where it is the file's, extend where it is 0, and count is 0
 * on the metadata target. Caller puts. */
struct json_object *slu_stripe_json(const struct slu_stripe_layout *layout);

/* The same for a JSON request: {"size","access":"random","readers",
 * "tasks","targets","target_rate","lustre":"2.15","mdt","pool"} or
 * {"preset","lustre","pool"}, each of which may be missing; `known` describes
 * the file system, all 0 if unknown, and has the site's `mdt`. If it has
 * `targets`, another file system is meant: its free space, its targets' rate
 * and what its metadata targets take are unknown; of a pool's targets the free
 * space. Caller puts *out.
 */
int slu_stripe_explain(struct json_object *args,
		       const struct slu_stripe_request *known,
		       struct json_object **out, struct slu_err *err);

/* Bytes/s that a target of this answer of slu_ost_choose() has moved at least:
 * a server's peak by the number of its targets, the most of all servers. 0: not
 * known to be more than SLU_STRIPE_DISK. */
double slu_stripe_measured_rate(struct json_object *osts);

/* The request that results from these JSON arguments and `known`. */
int slu_stripe_take(struct json_object *args,
		    const struct slu_stripe_request *known,
		    struct slu_stripe_request *out, struct slu_err *err);

#endif
