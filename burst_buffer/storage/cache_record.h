/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STORAGE_CACHE_RECORD_H
#define SLU_STORAGE_CACHE_RECORD_H

/*
 * Identifies the data of an entry of a node's stage cache: which range of which
 * source file, in which version. This record is stored at the end of the
 * entry's file, after the data, and its SHA-256 is the file's name. So a lookup
 * with the source's present inode, size, owner and times finds only a copy of
 * this version: a source that has changed has another name.
 */

/*
 * Format; the times are the mtime and the ctime; FS and PATH have a length
 * instead of quotes:
 *
 *	sluice-cache 1\n
 *	INODE SIZE OFFSET LENGTH OWNER SEC.NSEC SEC.NSEC FSLEN PATHLEN\n
 *	FS\nPATH\n
 *	LEN\n			(of all of it, 8 digits)
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include "common/err.h"
#include "common/str.h"

#define SLU_CACHE_RECORD_MAX 16384 /* bytes */
#define SLU_CACHE_RECORD_END 9	   /* bytes of the last line, "LEN\n" */
#define SLU_CACHE_NAME	     65	   /* 64 hexadecimal digits */

struct slu_cache_record {
	char *fs;   /* type, source and root of the mount */
	char *path; /* absolute */
	uint64_t inode, size, offset, length;
	uint32_t owner;
	struct timespec mtime, ctime;
};

/* Add its text; *out must be empty. -1: SLU_INVALID: names too long;
 * SLU_NOMEM. */
int slu_cache_record_put(const struct slu_cache_record *r, struct slu_buf *out,
			 struct slu_err *err);

/* Parses untrusted text: whatever slu_cache_record_put() would not write is
 * SLU_INVALID. The caller frees *out. */
int slu_cache_record_parse(const char *text, size_t len,
			   struct slu_cache_record *out, struct slu_err *err);
void slu_cache_record_free(struct slu_cache_record *r);

/* The length of a whole record, from its last SLU_CACHE_RECORD_END bytes; 0:
 * these are not the end of a record. */
size_t slu_cache_record_len(const char *end);

/* The key by which an entry is looked up: its record and the name of its file.
 */
struct slu_cache_key {
	struct slu_buf text;	   /* of its record */
	char name[SLU_CACHE_NAME]; /* of its file: the record's SHA-256 */
	uint64_t length, end;	   /* of its data: bytes, end offset */
};
int slu_cache_key_make(struct slu_cache_key *key,
		       const struct slu_cache_record *r, struct slu_err *err);
void slu_cache_key_free(struct slu_cache_key *key);
/* Is this a valid file name of an entry: 64 hexadecimal digits? */
bool slu_cache_is_name(const char *name);

#endif
