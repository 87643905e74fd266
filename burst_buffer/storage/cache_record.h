/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STORAGE_CACHE_RECORD_H
#define SLU_STORAGE_CACHE_RECORD_H

/*
 * What a copy in a node's stage cache is a copy of: a range of a source file,
 * as that was when it was read. The record stands behind the data of its entry
 * and names it, by its SHA-256: the same file system, path, inode, size, owner
 * and times make the same name, anything else another.
 *
 *	sluice-cache 1\n
 *	INODE SIZE OFFSET LENGTH OWNER SEC.NSEC SEC.NSEC FSLEN PATHLEN\n
 *	FS\nPATH\n
 *	LEN\n			(of all of it, 8 digits)
 *
 * The times are those of the last change of the content and of the inode. Names
 * are counted, not quoted.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include "common/err.h"
#include "common/str.h"

#define SLU_CACHE_RECORD_MAX 16384 /* bytes */
#define SLU_CACHE_RECORD_END 9	   /* of them LEN and the end of its line */
#define SLU_CACHE_NAME	     65	   /* 64 hexadecimal digits */

struct slu_cache_record {
	char *fs;   /* its kind, what is mounted, which part of that */
	char *path; /* absolute */
	uint64_t inode, size, offset, length;
	uint32_t owner;
	struct timespec mtime, ctime;
};

/* Add its text; *out must be empty. -1: SLU_INVALID: names too long;
 * SLU_NOMEM. */
int slu_cache_record_put(const struct slu_cache_record *r, struct slu_buf *out,
			 struct slu_err *err);

/* Back again, from somebody who need not be believed: what slu_cache_record_put
 * would not write is SLU_INVALID. Its strings are the caller's. */
int slu_cache_record_parse(const char *text, size_t len,
			   struct slu_cache_record *out, struct slu_err *err);
void slu_cache_record_free(struct slu_cache_record *r);

/* How long the record is that these last SLU_CACHE_RECORD_END bytes end; 0:
 * they end none. */
size_t slu_cache_record_len(const char *end);

/* What finds an entry. */
struct slu_cache_key {
	struct slu_buf text;	   /* of its record */
	char name[SLU_CACHE_NAME]; /* that it is called by */
	uint64_t length, end;	   /* of its data, in its file */
};
int slu_cache_key_make(struct slu_cache_key *key,
		       const struct slu_cache_record *r, struct slu_err *err);
void slu_cache_key_free(struct slu_cache_key *key);
/* Can an entry be called so? */
bool slu_cache_is_name(const char *name);

#endif
