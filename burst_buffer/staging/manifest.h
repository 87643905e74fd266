/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STAGING_MANIFEST_H
#define SLU_STAGING_MANIFEST_H

/*
 * The manifest of one staging request: what its first node found at the
 * source, in the order in which a copy can be made. All nodes divide the work
 * by it, and completeness is measured against it.
 *
 *	sluice-manifest 1\n
 *	KIND MODE SIZE SECONDS.NANOSECONDS PATHLEN LINKLEN\n PATH LINK \n
 *	...
 *	end FILES BYTES COST\n                       (numbers of 20 digits)
 *
 * Names are counted, not quoted, so any byte but NUL may be in them. Kinds:
 * d a directory, before what it holds; D the same after what it holds (its
 * mode and time can be set now); f a file; l a symbolic link.
 * Both ends work record by record: no tree is too large for memory.
 */

#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include "common/err.h"

#define SLU_STAGE_PATH_MAX 65535 /* bytes of one path below the root */

struct slu_entry {
	char kind;
	uint32_t mode; /* permission bits */
	uint64_t size;
	struct timespec mtime;
	const char *path; /* below the root; "" is the root itself */
	const char *link; /* l: where it points to, else "" */
};

struct slu_totals {
	uint64_t files; /* of kinds f and l */
	uint64_t bytes; /* in files */
	uint64_t cost;	/* of all files, see share.h */
};

/* Writing: `file` may be a pipe; it stays the caller's. */
int slu_manifest_begin(FILE *file, struct slu_err *err);
int slu_manifest_add(FILE *file, const struct slu_entry *entry,
		     struct slu_err *err);
int slu_manifest_end(FILE *file, const struct slu_totals *totals,
		     struct slu_err *err);

/* Reading; `file` is seekable. The content is not trusted: a path that is
 * absolute, empty in a component or goes through ".." is refused, as is a
 * manifest without end. */
struct slu_manifest;
struct slu_manifest *slu_manifest_open(FILE *file, struct slu_totals *totals,
				       struct slu_err *err);
/* The next entry, borrowed until the next call: 1, 0 at the end, -1. */
int slu_manifest_next(struct slu_manifest *m, struct slu_entry *entry,
		      struct slu_err *err);
void slu_manifest_free(struct slu_manifest *m); /* the file stays open */

#endif
