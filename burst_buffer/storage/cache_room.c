/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds space for new entries of the stage cache, and evicts entries to free
 * it. Space is limited by the cache's budget, by the number of entries, by what
 * running jobs with a quota were promised of the disk, and by a twentieth of
 * the disk and its inodes that stays free. A fill reserves up to 1 GiB at once,
 * since each reservation counts all entries.
 */
#include "config.h"
#include "burst_buffer/storage/cache_room.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "burst_buffer/storage/cache_prefetch.h"
#include "burst_buffer/storage/cache_space.h"
#include "burst_buffer/storage/internal.h"
#include "common/file.h"
#include "common/size.h"

#define STEP	  (1u << 30) /* bytes that are reserved at once, */
#define STEP_PART 32	     /* or 1/32 of the budget if that is less */
#define LEFT_PART 20	     /* 1/20 of disk and inodes stays free */

int slu_cache_budget_of(int dir, const struct slu_cache_budget *budget,
			uint64_t *bytes, struct slu_err *err)
{
	struct statvfs st;

	*bytes = budget->bytes;
	if (budget->bytes)
		return 0;
	if (fstatvfs(dir, &st))
		return slu_errno(err, SLU_IO, "the stage cache's disk");
	*bytes = st.f_blocks * st.f_frsize / 100 * budget->percent;
	return 0;
}

/* Bytes that the storage `name` may still take by its quota; 0: it has none.
 * Below a project quota statfs() gives the project's numbers. */
static uint64_t promised_to(int dir, const char *name)
{
	char path[300];
	struct statvfs st;
	int fd;

	snprintf(path, sizeof(path), "%s/" SLU_QUOTA_MARK, name);
	if (faccessat(dir, path, F_OK, 0))
		return 0;
	snprintf(path, sizeof(path), "%s/fs", name);
	fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (fstatvfs(fd, &st))
		memset(&st, 0, sizeof(st));
	close(fd);
	return st.f_bfree * st.f_frsize;
}

uint64_t slu_storage_promised(const char *storage)
{
	DIR *d = opendir(storage);
	struct dirent *e;
	uint64_t sum = 0;

	while (d && (e = readdir(d)))
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9')
			sum += promised_to(dirfd(d), e->d_name);
	if (d)
		closedir(d);
	return sum;
}

/* Free bytes of the cache's disk beyond what storages with a quota may still
 * take; *size: the disk's size. */
static uint64_t unpromised(int dir, const char *storage, uint64_t *size)
{
	uint64_t promised = slu_storage_promised(storage), free;
	struct statvfs st;

	*size = 0;
	if (fstatvfs(dir, &st))
		return 0;
	free = st.f_bavail * st.f_frsize;
	*size = st.f_blocks * st.f_frsize;
	return free > promised ? free - promised : 0;
}

static bool is_over(const struct slu_stage_cache *c,
		    const struct slu_cache_space *s, uint64_t own)
{
	return s->bytes + s->fills + own > c->budget ||
	       s->n - s->next + s->files + c->begun >= SLU_CACHE_ENTRIES;
}

int slu_cache_trim(const struct slu_stage_cache *c, struct slu_err *err)
{
	struct slu_cache_space s;
	int rc = slu_cache_space_look(&s, c->dir, c->own, err) ? -1 : 1;

	while (rc == 1 && is_over(c, &s, c->taken))
		rc = slu_cache_space_remove(&s, NULL, NULL, err);
	slu_cache_space_free(&s);
	return rc < 0 ? -1 : 0;
}

/* File systems without a fixed number of inodes say that they have none. */
static bool has_inodes(int dir)
{
	struct statvfs st;

	return !fstatvfs(dir, &st) &&
	       (!st.f_files || st.f_favail >= st.f_files / LEFT_PART);
}

/* Does the disk have space for what this fill adds (up to `own` bytes in all)
 * and for what other fills have reserved and not written yet? */
static bool has_disk(const struct slu_stage_cache *c,
		     const struct slu_cache_space *s, uint64_t own)
{
	uint64_t size, free = unpromised(c->dir, c->storage, &size);

	return free >= own - c->taken + s->unused + size / LEFT_PART &&
	       has_inodes(c->dir);
}

/* Evicts entries until this fill can have `own` bytes in all. 1: done; 0: not
 * possible; -1: error. */
static int fit(const struct slu_stage_cache *c, struct slu_cache_space *s,
	       uint64_t own, const struct timespec *now, struct slu_err *err)
{
	int rc = 1;

	if (own > c->budget || s->fills > c->budget - own)
		return 0;
	while (rc == 1 && (is_over(c, s, own) || !has_disk(c, s, own)))
		rc = slu_cache_space_remove(s, &c->began, now, err);
	return rc;
}

static int note_reserve(struct slu_stage_cache *c, uint64_t own,
			struct slu_err *err)
{
	if (slu_cache_put_number(c->fill, "reserve", own, err))
		return slu_err_prefix(err, "%s", c->own);
	c->reserved = own;
	return 0;
}

/* If the fill does not fit: removes unfinished prefetches of other jobs, as a
 * stage-in has priority over a prefetch. */
static int leave_early(const struct slu_stage_cache *c,
		       struct slu_cache_space *s, uint64_t bytes,
		       struct slu_err *err)
{
	const uint64_t own = c->taken + bytes;

	if (!s->early || own > c->budget ||
	    (s->fills <= c->budget - own && has_disk(c, s, own)))
		return 0;
	slu_cache_space_free(s);
	return slu_cache_remove_early(c->dir, err) ||
			       slu_cache_space_look(s, c->dir, c->own, err)
		       ? -1
		       : 0;
}

/* Reserves a whole step, so that entries are counted rarely, or at least
 * `bytes`. */
static int reserve_most(struct slu_stage_cache *c, struct slu_cache_space *s,
			uint64_t bytes, const struct timespec *now,
			struct slu_err *err)
{
	uint64_t step =
		c->budget / STEP_PART < STEP ? c->budget / STEP_PART : STEP;
	int rc = step > bytes ? fit(c, s, c->taken + step, now, err) : 0;

	if (rc == 1)
		bytes = step;
	else if (rc == 0)
		rc = fit(c, s, c->taken + bytes, now, err);
	if (rc == 1)
		return note_reserve(c, c->taken + bytes, err);
	c->full = true;
	return rc < 0 ? -1
		      : slu_err(err, SLU_BUSY,
				"there is no room in the stage cache");
}

int slu_cache_reserve(struct slu_stage_cache *c, uint64_t bytes,
		      const struct timespec *now, struct slu_err *err)
{
	struct slu_cache_space s;
	int rc;

	if (c->taken + bytes <= c->reserved)
		return 0;
	if (c->full)
		return slu_err(err, SLU_BUSY,
			       "there is no more room in the stage cache");
	if (slu_cache_lock(c->lock, err))
		return -1;
	rc = slu_cache_space_look(&s, c->dir, c->own, err) ||
			     (!c->early && leave_early(c, &s, bytes, err)) ||
			     reserve_most(c, &s, bytes, now, err)
		     ? -1
		     : 0;
	slu_cache_space_free(&s);
	flock(c->lock, LOCK_UN);
	return rc;
}

/* What follows is about a storage's whole cache, of all users. */

struct whole {
	int dir, lock;
	struct slu_cache_space space;
};

static void end_whole(struct whole *w)
{
	slu_cache_space_free(&w->space);
	close(w->lock); /* its lock goes with it */
	close(w->dir);
}

/* Opens and locks the cache and counts its space. 0: done, the caller calls
 * end_whole(); 1: there is no cache; -1: error. */
static int begin_whole(struct whole *w, const char *storage,
		       struct slu_err *err)
{
	struct slu_err why = {0};

	*w = (struct whole){0};
	if (slu_cache_open_top(storage, false, &w->dir, &w->lock, &why))
		return why.kind == SLU_NOTFOUND
			       ? 1
			       : slu_err(err, why.kind, "%s", why.text);
	if (!slu_cache_lock(w->lock, err) &&
	    !slu_cache_space_look(&w->space, w->dir, NULL, err))
		return 0;
	end_whole(w);
	return -1;
}

/* Removes unfinished prefetches: these are evicted before any entry. */
static int end_early(struct whole *w, uint64_t *freed, struct slu_err *err)
{
	uint64_t was = w->space.early, had = w->space.bytes;

	if (slu_cache_remove_early(w->dir, err))
		return -1;
	slu_cache_space_free(&w->space);
	if (slu_cache_space_look(&w->space, w->dir, NULL, err))
		return -1;
	*freed += was + had - w->space.bytes;
	return 0;
}

int slu_stage_cache_yield(const char *storage, uint64_t bytes, uint64_t *freed,
			  struct slu_err *err)
{
	struct whole w;
	uint64_t size, had;
	int rc = begin_whole(&w, storage, err);

	*freed = 0;
	if (rc)
		return rc < 0 ? -1 : 0;
	had = w.space.bytes;
	if (w.space.early &&
	    unpromised(w.dir, storage, &size) < bytes + w.space.unused)
		rc = end_early(&w, freed, err);
	for (rc = rc ? rc : 1; rc == 1 && unpromised(w.dir, storage, &size) <
						  bytes + w.space.unused;)
		rc = slu_cache_space_remove(&w.space, NULL, NULL, err);
	*freed += had - w.space.bytes;
	end_whole(&w);
	return rc < 0 ? -1 : 0;
}

int slu_stage_cache_drop(const char *storage, uint64_t *freed,
			 struct slu_err *err)
{
	struct whole w;
	uint64_t had;
	int rc = begin_whole(&w, storage, err);

	*freed = 0;
	if (rc)
		return rc < 0 ? -1 : 0;
	had = w.space.bytes;
	do
		rc = slu_cache_space_remove(&w.space, NULL, NULL, err);
	while (rc == 1);
	*freed = had - w.space.bytes;
	end_whole(&w);
	return rc;
}

uint64_t slu_stage_cache_bytes(const char *storage)
{
	struct whole w;
	uint64_t bytes;

	if (begin_whole(&w, storage, NULL))
		return 0;
	bytes = w.space.bytes + w.space.early;
	end_whole(&w);
	return bytes;
}

/* Reads the record at the end of an entry's file; false: it is missing or
 * wrong. */
static bool read_record(int fd, struct slu_cache_record *out)
{
	char text[SLU_CACHE_RECORD_MAX];
	const size_t end = SLU_CACHE_RECORD_END;
	struct stat st;
	size_t len;

	if (fstat(fd, &st) || st.st_size < (off_t)end ||
	    slu_read_up_to(fd, text, end, st.st_size - (off_t)end) !=
		    (ssize_t)end)
		return false;
	len = slu_cache_record_len(text);
	if (!len || st.st_size < (off_t)len ||
	    slu_read_up_to(fd, text, len, st.st_size - (off_t)len) !=
		    (ssize_t)len)
		return false;
	return !slu_cache_record_parse(text, len, out, NULL);
}

static int tell(const struct whole *w, const struct slu_cache_entry *e,
		int (*fn)(void *arg, const struct slu_cached *is), void *arg)
{
	struct slu_cache_record record = {0};
	struct slu_cached is = {
		.uid = e->uid,
		.bytes = e->bytes,
		.used = e->used,
		.prefetched_for = e->prefetched_for,
	};
	char path[SLU_CACHE_PATH];
	int fd, rc;

	slu_cache_entry_path(e, path);
	fd = openat(w->dir, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && read_record(fd, &record))
		is.record = &record;
	if (fd >= 0)
		close(fd);
	rc = fn(arg, &is);
	slu_cache_record_free(&record);
	return rc;
}

int slu_stage_cache_list(const char *storage,
			 int (*fn)(void *arg, const struct slu_cached *is),
			 void *arg, struct slu_err *err)
{
	struct whole w;
	int rc = begin_whole(&w, storage, err);

	if (rc)
		return rc < 0 ? -1 : 0;
	for (size_t i = 0; !rc && i < w.space.n; i++)
		rc = tell(&w, &w.space.entry[i], fn, arg);
	end_whole(&w);
	return rc;
}
