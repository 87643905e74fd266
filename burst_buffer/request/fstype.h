/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_FSTYPE_H
#define SLU_BURST_FSTYPE_H

/*
 * What is to be known of the drivers where none of them runs: in slurmctld,
 * which refuses at submission what cannot work, and in sluiced, which plans.
 * The drivers themselves are in burst_buffer/drivers.
 */

#include <stdbool.h>
#include "burst_buffer/request/request.h"
#include "common/conf.h"
#include "common/err.h"

struct slu_plan;

struct slu_fstype {
	const char *name;
	enum slu_coherence coherence; /* the strictest that it can give */
	bool shared;	 /* one name space over all nodes, not one per node */
	bool all_nodes;	 /* every node gives storage */
	bool remote;	 /* its data does not lie in the nodes' storage */
	bool persistent; /* it can outlive jobs, on nodes of its own */
	bool binds;	 /* every node starts a server of its own */
	bool uneven;	 /* its files go where there is room, so that nodes
			  * need not give the same */
	bool pieces;	 /* a node has pieces of files, as with `striped` */
	bool joined;	 /* which each node can put in their places */
	const char *striped;  /* but not with this option; may be NULL */
	const char *required; /* an option that must be given; may be NULL */
	/* Why it is only offered where the FileSystem line says
	 * Unauthenticated=accept; NULL: it proves who asks. */
	const char *unauthenticated;
	const char *library; /* its option's default; NULL: none is needed */
	const char *const *options; /* keys of a FileSystem line, NULL-ended */
	/* One that is known elsewhere, and cannot be had here, and why. */
	const char *missing, *missing_why;
};

/* NULL: there is no such driver. Names are compared without case. */
const struct slu_fstype *slu_fstype_find(const char *name);
extern const struct slu_fstype slu_fstypes[]; /* name NULL ends them */

/* Has it an option of this name? */
bool slu_fstype_has(const struct slu_fstype *type, const char *option);

/* Are a node's files of this plan only pieces, of use to the file system's own
 * servers alone? */
bool slu_fstype_in_pieces(const struct slu_plan *plan);

/* The library by which programs reach a file system of this line; NULL: none
 * is needed. */
const char *slu_fstype_library(const struct slu_fs_conf *fs);

/* The coherence that a file system of this driver gives whose option of that
 * name is `said` (NULL: it has none); of this line if none is asked for; and
 * of this plan, also of one that is older than coherence. UNSAID: the driver
 * is not known. */
enum slu_coherence slu_coherence_of(const char *driver, const char *said);
enum slu_coherence slu_fstype_coherence(const struct slu_fs_conf *fs);
enum slu_coherence slu_plan_coherence(const struct slu_plan *plan);
/* The file system for who says no type: the default one if it can give `least`
 * and fits (may be NULL), else the strictest that does, of several the first.
 * NULL: none does. */
typedef bool slu_fits_f(const struct slu_fstype *type);
const struct slu_fs_conf *slu_coherence_fs(const struct slu_conf *conf,
					   enum slu_coherence least,
					   slu_fits_f *fits);

/* Are the FileSystem and Profile lines of a site ones that the drivers and the
 * grammar understand? Errors name the file (as `name` says), the line, its NAME
 * and the nearest right word. */
int slu_site_check(const struct slu_conf *conf, const char *name,
		   struct slu_err *err);
/* slu_conf_load_text() of a file that also passes that check; text may be
 * NULL. Where no FileSystem
 * line says Default=yes, the strictest becomes the default, of several the
 * first. */
struct slu_conf *slu_site_load(const char *path, struct slu_buf *text,
			       struct slu_err *err);

#endif
