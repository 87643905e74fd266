/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_FSTYPE_H
#define SLU_BURST_FSTYPE_H

/*
 * Says what each file system driver can do, for programs that do not run
 * drivers: slurmctld, which refuses impossible requests at submission, and
 * sluiced, which plans. Also checks the lines of sluice.conf that depend on
 * that. The drivers themselves are in burst_buffer/drivers.
 */

#include <stdbool.h>
#include "burst_buffer/request/request.h"
#include "common/conf.h"
#include "common/err.h"

struct slu_plan;

struct slu_fstype {
	const char *name;
	enum slu_coherence coherence; /* the strictest that it supports */
	bool shared;	 /* one name space over all nodes, not one per node */
	bool all_nodes;	 /* every node gives storage */
	bool remote;	 /* its data is not in the nodes' storage */
	bool persistent; /* it can outlive jobs, on nodes of its own */
	bool binds;	 /* every node starts a server of its own */
	bool uneven;  /* it places files where there is space, so that nodes may
			 give different amounts */
	bool spreads; /* a node's share may lie on several devices */
	bool pieces;  /* a node's data is pieces of files, as with `striped` */
	bool joined;  /* pieces that each node can put into their places
			 (sluice-node fetch) */
	const char *striped;  /* but not with this option; may be NULL */
	const char *required; /* an option that must be given; may be NULL */
	/* Why it is only offered where the FileSystem line says
	 * Unauthenticated=accept; NULL: it authenticates its clients. */
	const char *unauthenticated;
	const char *library; /* its option's default; NULL: none is needed */
	const char *const *options; /* keys of a FileSystem line, NULL-ended */
	/* A type that others offer and we do not, and why not. */
	const char *missing, *missing_why;
};

/* NULL: there is no such driver. Names are compared without case. */
const struct slu_fstype *slu_fstype_find(const char *name);
extern const struct slu_fstype slu_fstypes[]; /* name NULL ends them */

/* Has it an option of this name? */
bool slu_fstype_has(const struct slu_fstype *type, const char *option);

/* Are a node's files of this plan only pieces of files, which only the file
 * system's own servers can use? */
bool slu_fstype_in_pieces(const struct slu_plan *plan);

/* Does this plan have the option `striped`? Then each node sees times of its
 * own: the client of glusterfs adds to what the file's first piece says the
 * times of the pieces that this client has written. */
bool slu_fstype_striped(const struct slu_plan *plan);

/* The library by which programs reach a file system of this line; NULL: none
 * is needed. */
const char *slu_fstype_library(const struct slu_fs_conf *fs);

/* The coherence of a file system of this driver with that option set to `said`
 * (NULL: not set); of this line if the request names none; of this plan, also
 * of one from before coherence was added. UNSAID: unknown driver. */
enum slu_coherence slu_coherence_of(const char *driver, const char *said);
enum slu_coherence slu_fstype_coherence(const struct slu_fs_conf *fs);
enum slu_coherence slu_plan_coherence(const struct slu_plan *plan);
/* The file system for a request without type=: the default one if it supports
 * `least` and fits (may be NULL), else the strictest that does, the first of
 * several. NULL: none does. */
typedef bool slu_fits_f(const struct slu_fstype *type);
const struct slu_fs_conf *slu_coherence_fs(const struct slu_conf *conf,
					   enum slu_coherence least,
					   slu_fits_f *fits);

/* site_lines.c: do the drivers and the grammar understand a site's FileSystem
 * and Profile lines? Errors name */
int slu_site_check(const struct slu_conf *conf, const char *name,
		   struct slu_err *err);
/* slu_conf_load_text() of a file that also passes that check; text may be NULL.
 * Where no FileSystem line says Default=yes, the file system with the strictest
 * coherence becomes the default, the first of several. */
struct slu_conf *slu_site_load(const char *path, struct slu_buf *text,
			       struct slu_err *err);

#endif
