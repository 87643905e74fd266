/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STAGING_MANIFEST_H
#define SLU_STAGING_MANIFEST_H

/*
 * Lists all files, directories and links at the source of one staging request:
 * the manifest, written by the request's first node. All nodes divide the
 * copying by it, and a copy is complete when it has all of the manifest. The
 * entries are in an order in which they can be copied. Manifests are written
 * and read record by record, so no tree is too large for memory.
 */

/*
 * Format:
 *
 *	sluice-manifest 2\n
 *	KIND MODE SIZE SECONDS.NANOSECONDS PATHLEN LINKLEN SEC.NSEC\n
 *	PATH LINK \n
 *	...
 *	marks COUNT\n OFFSET COST\n ...              (at most 1,024)
 *	end FILES BYTES COST OFFSET-OF-MARKS\n       (numbers of 20 digits)
 *
 * Kinds: f a file; l a symbolic link; d a directory, before its content; D the
 * same directory again after its content, when its mode and time can be set.
 * The first time is the mtime, the second the ctime, which older writers leave
 * out and older readers ignore. Names have a length instead of quotes, so they
 * may contain any byte but NUL.
 *
 * A mark is the offset of a record, with the cost (share.h) of all records
 * before it: a node seeks to a mark near its share instead of reading the
 * manifest from the start.
 */

#include <stdbool.h>
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
	struct timespec ctime; /* 0: unknown */
	const char *path;      /* below the root; "" is the root itself */
	const char *link;      /* l: where it points to, else "" */
};

struct slu_totals {
	uint64_t files; /* of kinds f and l */
	uint64_t bytes; /* in files */
	uint64_t cost;	/* of all files, see share.h */
};

#define SLU_MANIFEST_MARKS 1024

struct slu_manifest_mark { /* of one record */
	uint64_t offset;   /* in the file */
	uint64_t at;	   /* cost of all records before it */
};

/* For writing: `file` may be a pipe; it stays the caller's. Zero the rest. */
struct slu_manifest_out {
	FILE *file;
	bool no_colons; /* refuse paths with a ':', see slu_check_colons() */
	struct slu_totals totals; /* of what was added */
	uint64_t offset;	  /* private */
	uint64_t records, step;	  /* there is a mark every `step` records */
	struct slu_manifest_mark mark[SLU_MANIFEST_MARKS];
	size_t n_mark;
};
int slu_manifest_begin(struct slu_manifest_out *out, struct slu_err *err);
int slu_manifest_add(struct slu_manifest_out *out,
		     const struct slu_entry *entry, struct slu_err *err);
/* In GekkoFS (`plain`) "a:b" and "a/b" share their content: paths with a ':'
 * are SLU_INVALID. */
int slu_check_colons(const char *path, struct slu_err *err);
int slu_manifest_end(struct slu_manifest_out *out, struct slu_err *err);

/* For reading; `file` is seekable. Its content is not trusted: a path that is
 * absolute, empty in a component or goes through ".." is refused, as is a
 * manifest without end. */
struct slu_manifest;
struct slu_manifest *slu_manifest_open(FILE *file, struct slu_totals *totals,
				       struct slu_err *err);
/* The next entry, borrowed until the next call: 1, 0 at the end, -1. */
int slu_manifest_next(struct slu_manifest *m, struct slu_entry *entry,
		      struct slu_err *err);
/* Seek to a record at or before cost `to`: all records with any cost after
 * `to`, or without cost at or after it, follow from here; *at is the cost of
 * all records before the next one. */
int slu_manifest_seek(struct slu_manifest *m, uint64_t to, uint64_t *at,
		      struct slu_err *err);
void slu_manifest_free(struct slu_manifest *m); /* the file stays open */

#endif
