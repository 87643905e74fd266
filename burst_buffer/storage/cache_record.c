/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes and parses the records of the stage cache, and makes the names of
 * entries from them. A record that was read is accepted only if writing it
 * again gives the same bytes, so each has one spelling.
 */
#include "config.h"
#include "burst_buffer/storage/cache_record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/cred.h"

#define MAGIC "sluice-cache 1\n"

static int too_long(struct slu_err *err)
{
	return slu_err(err, SLU_INVALID,
		       "a path is too long for the stage cache");
}

int slu_cache_record_put(const struct slu_cache_record *r, struct slu_buf *out,
			 struct slu_err *err)
{
	slu_buf_printf(out,
		       MAGIC "%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
			     " %" PRIu32 " %" PRId64 ".%09ld %" PRId64
			     ".%09ld %zu %zu\n%s\n%s\n",
		       r->inode, r->size, r->offset, r->length, r->owner,
		       (int64_t)r->mtime.tv_sec, r->mtime.tv_nsec,
		       (int64_t)r->ctime.tv_sec, r->ctime.tv_nsec,
		       strlen(r->fs), strlen(r->path), r->fs, r->path);
	if (out->len + SLU_CACHE_RECORD_END > SLU_CACHE_RECORD_MAX)
		return too_long(err);
	slu_buf_printf(out, "%08zu\n", out->len + SLU_CACHE_RECORD_END);
	return out->failed ? slu_err(err, SLU_NOMEM, "out of memory") : 0;
}

static int bad(struct slu_err *err)
{
	return slu_err(err, SLU_INVALID, "no record of the stage cache");
}

/* Reads FS and PATH, which follow the numbers, if they are there in full. */
static int read_names(const char *at, size_t left, size_t fs, size_t path,
		      struct slu_cache_record *out, struct slu_err *err)
{
	if (fs > left || path > left - fs || fs + path + 2 > left)
		return bad(err);
	out->fs = strndup(at, fs);
	out->path = strndup(at + fs + 1, path);
	return out->fs && out->path ? 0
				    : slu_err(err, SLU_NOMEM, "out of memory");
}

static int read_fields(const char *text, size_t len,
		       struct slu_cache_record *out, struct slu_err *err)
{
	int64_t mtime, ctime;
	size_t fs, path;
	int end = 0;

	if (sscanf(text,
		   MAGIC "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
			 " %" SCNu32 " %" SCNd64 ".%9ld %" SCNd64
			 ".%9ld %zu %zu%n",
		   &out->inode, &out->size, &out->offset, &out->length,
		   &out->owner, &mtime, &out->mtime.tv_nsec, &ctime,
		   &out->ctime.tv_nsec, &fs, &path, &end) != 11 ||
	    (size_t)end >= len || out->mtime.tv_nsec < 0 ||
	    out->ctime.tv_nsec < 0)
		return bad(err);
	out->mtime.tv_sec = (time_t)mtime;
	out->ctime.tv_sec = (time_t)ctime;
	return read_names(text + end + 1, len - (size_t)end - 1, fs, path, out,
			  err);
}

static int check_same(const struct slu_cache_record *r, const char *text,
		      size_t len, struct slu_err *err)
{
	struct slu_buf again = {0};
	int rc = slu_cache_record_put(r, &again, err);

	if (!rc && (again.len != len || memcmp(again.data, text, len)))
		rc = bad(err);
	slu_buf_free(&again);
	return rc;
}

int slu_cache_record_parse(const char *text, size_t len,
			   struct slu_cache_record *out, struct slu_err *err)
{
	struct slu_cache_record r = {0};
	char *copy;
	int rc;

	if (len > SLU_CACHE_RECORD_MAX)
		return bad(err);
	copy = strndup(text, len); /* sscanf() needs a terminating NUL */
	if (!copy)
		return slu_err(err, SLU_NOMEM, "out of memory");
	rc = read_fields(copy, strlen(copy), &r, err) ||
	     check_same(&r, text, len, err);
	free(copy);
	if (rc)
		slu_cache_record_free(&r);
	else
		*out = r;
	return rc ? -1 : 0;
}

void slu_cache_record_free(struct slu_cache_record *r)
{
	free(r->fs);
	free(r->path);
	*r = (struct slu_cache_record){0};
}

size_t slu_cache_record_len(const char *end)
{
	size_t len = 0;

	for (int i = 0; i < SLU_CACHE_RECORD_END - 1; i++) {
		if (end[i] < '0' || end[i] > '9')
			return 0;
		len = 10 * len + (size_t)(end[i] - '0');
	}
	return end[SLU_CACHE_RECORD_END - 1] == '\n' &&
			       len > SLU_CACHE_RECORD_END &&
			       len <= SLU_CACHE_RECORD_MAX
		       ? len
		       : 0;
}

int slu_cache_key_make(struct slu_cache_key *key,
		       const struct slu_cache_record *r, struct slu_err *err)
{
	*key = (struct slu_cache_key){.length = r->length,
				      .end = r->offset + r->length};
	if (slu_cache_record_put(r, &key->text, err)) {
		slu_cache_key_free(key);
		return -1;
	}
	slu_sha256(key->text.data, key->text.len, key->name);
	return 0;
}

void slu_cache_key_free(struct slu_cache_key *key)
{
	slu_buf_free(&key->text);
}

bool slu_cache_is_name(const char *name)
{
	return strlen(name) == SLU_CACHE_NAME - 1 &&
	       strspn(name, "0123456789abcdef") == SLU_CACHE_NAME - 1;
}
