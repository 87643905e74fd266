/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Serves one stage-in, or one prefetch, from the stage cache: looks up entries,
 * adds new ones, and publishes those once they are on disk
 * (slu_stage_cache_commit()). An entry that does not match its name is removed.
 * After an interruption the same call continues with what it had added, except
 * after a restart of the node, when that may not be on disk.
 */
#include "config.h"
#include "burst_buffer/storage/cache_room.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/storage/cache_space.h"
#include "common/file.h"
#include "common/uptime.h"

#define NEW ".new"

static uint64_t needs(const struct slu_cache_key *key)
{
	return key->length + SLU_CACHE_BESIDE;
}

static int make_dir(int dir, const char *name, struct slu_err *err)
{
	int fd;

	if (mkdirat(dir, name, 0700) && errno != EEXIST)
		return slu_errno(err, SLU_IO, "cannot make %s", name);
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? slu_errno(err, SLU_IO, "cannot open %s", name) : fd;
}

static bool has(int dir, const char *name)
{
	return !faccessat(dir, name, F_OK, AT_SYMLINK_NOFOLLOW);
}

static bool is_new(const char *name)
{
	size_t len = strlen(name);

	return len > strlen(NEW) && !strcmp(name + len - strlen(NEW), NEW);
}

/* Was the fill written since the node's last restart? What was added before
 * that may not be on disk. */
static bool is_of_this_boot(const struct slu_stage_cache *c)
{
	struct slu_uptime up = {.boot = ""};
	struct slu_buf was = {0};
	bool same;
	int fd;

	(void)slu_uptime_now(&up, NULL);
	same = *up.boot &&
	       !slu_file_read(c->fill, "boot", sizeof(up.boot), &was, NULL) &&
	       slu_eq(was.data, up.boot);
	slu_buf_free(&was);
	if (same)
		return true;
	fd = openat(c->fill, "boot",
		    O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
		    0600);
	if (fd >= 0) {
		(void)slu_write_all(fd, up.boot, strlen(up.boot));
		close(fd);
	}
	return false;
}

/* Counts complete files that an interrupted call has left in the fill, and
 * removes its incomplete ones. */
static int take_over(struct slu_stage_cache *c, struct slu_err *err)
{
	const bool whole = has(c->fill, SLU_CACHE_DONE) || is_of_this_boot(c);
	int fd = openat(c->fill, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	struct stat st;

	if (!d && fd >= 0)
		close(fd);
	if (!d)
		return slu_errno(err, SLU_IO, "cannot read %s", c->own);
	while ((e = readdir(d)))
		if (is_new(e->d_name) ||
		    (!whole && slu_cache_is_name(e->d_name)))
			unlinkat(c->fill, e->d_name, 0);
		else if (slu_cache_is_name(e->d_name) &&
			 !fstatat(c->fill, e->d_name, &st, AT_SYMLINK_NOFOLLOW))
			c->taken += slu_cache_takes(&st);
	closedir(d);
	return 0;
}

/* Opens the prefetch of this job, if there is one, and marks it as taken: the
 * prefetching process adds no more to it. */
static void begin_taking(struct slu_stage_cache *c, uint32_t job_id)
{
	char name[40];
	int mark;

	snprintf(name, sizeof(name), SLU_CACHE_PREFETCH "%" PRIu32, job_id);
	c->prefetch = openat(c->user, name,
			     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (c->prefetch < 0)
		return;
	(void)flock(c->prefetch, LOCK_SH);
	mark = openat(c->prefetch, SLU_CACHE_TAKEN,
		      O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (mark >= 0)
		close(mark);
	c->used = slu_cache_number(c->prefetch, "used");
}

static int open_prefetch(struct slu_stage_cache *c, uint32_t job_id,
			 struct slu_err *err)
{
	if (!c->early) {
		begin_taking(c, job_id);
		return 0;
	}
	if (has(c->fill, SLU_CACHE_TAKEN))
		return slu_err(err, SLU_BUSY, "job %" PRIu32 " has begun",
			       job_id);
	c->prefetched = slu_cache_number(c->fill, "brought");
	return 0;
}

bool slu_stage_cache_is_over(const struct slu_stage_cache *c)
{
	struct stat st;

	return fstat(c->fill, &st) || !st.st_nlink ||
	       has(c->fill, SLU_CACHE_TAKEN);
}

/* Makes and opens the fill's directory. Locked at once: a process that counts
 * entries removes fills without a lock. */
static int open_fill(struct slu_stage_cache *c, uid_t uid, uint32_t job_id,
		     struct slu_err *err)
{
	char name[24];
	int rc = 0;

	snprintf(name, sizeof(name), "%u", (unsigned)uid);
	if (slu_cache_lock(c->lock, err))
		return -1;
	c->user = make_dir(c->dir, name, err);
	c->fill = c->user < 0 ? -1
			      : make_dir(c->user, strchr(c->own, '/') + 1, err);
	if (c->fill < 0)
		rc = -1;
	else if (flock(c->fill, LOCK_SH))
		rc = slu_errno(err, SLU_IO, "cannot lock %s", c->own);
	else
		rc = open_prefetch(c, job_id, err) || take_over(c, err) ||
				     slu_cache_trim(c, err)
			     ? -1
			     : 0;
	flock(c->lock, LOCK_UN);
	return rc;
}

int slu_stage_cache_open(struct slu_stage_cache *c, const char *storage,
			 const struct slu_cache_budget *budget, uid_t uid,
			 uint32_t job_id, uint64_t buffer,
			 const struct timespec *now, struct slu_err *err)
{
	*c = (struct slu_stage_cache){
		.dir = -1,
		.lock = -1,
		.user = -1,
		.fill = -1,
		.prefetch = -1,
		.early = !buffer,
		.began = *now,
	};
	slu_copy(c->storage, sizeof(c->storage), storage);
	if (c->early)
		snprintf(c->own, sizeof(c->own),
			 "%u/" SLU_CACHE_PREFETCH "%" PRIu32, (unsigned)uid,
			 job_id);
	else
		snprintf(c->own, sizeof(c->own),
			 "%u/" SLU_CACHE_OF_JOB "%" PRIu32 ".%" PRIu64,
			 (unsigned)uid, job_id, buffer);
	if (slu_cache_open_top(storage, true, &c->dir, &c->lock, err) ||
	    slu_cache_budget_of(c->dir, budget, &c->budget, err) ||
	    open_fill(c, uid, job_id, err)) {
		slu_stage_cache_close(c);
		return -1;
	}
	return 0;
}

void slu_stage_cache_close(struct slu_stage_cache *c)
{
	int *const fd[] = {&c->prefetch, &c->fill, &c->user, &c->lock, &c->dir};

	for (size_t i = 0; i < sizeof(fd) / sizeof(*fd); i++) {
		if (*fd[i] >= 0)
			close(*fd[i]);
		*fd[i] = -1;
	}
}

/* Does the file end with the record of this key, at the right offset? */
static bool is_right(int fd, const struct slu_cache_key *key)
{
	char text[SLU_CACHE_RECORD_MAX];
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	       (uint64_t)st.st_size == key->end + key->text.len &&
	       slu_read_up_to(fd, text, key->text.len, (off_t)key->end) ==
		       (ssize_t)key->text.len &&
	       !memcmp(text, key->text.data, key->text.len);
}

/* Opens the entry with this key in one directory. -1: SLU_NOTFOUND or SLU_IO,
 * as slu_stage_cache_get(). */
static int find_in(int dir, const struct slu_cache_key *key,
		   struct slu_err *err)
{
	int fd = openat(dir, key->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return slu_errno(err, errno == ENOENT ? SLU_NOTFOUND : SLU_IO,
				 "%s", key->name);
	if (is_right(fd, key))
		return fd;
	close(fd);
	unlinkat(dir, key->name, 0);
	return slu_err(err, SLU_IO,
		       "entry %s of the stage cache was damaged, and is "
		       "removed",
		       key->name);
}

/* Finds an entry in this job's prefetch and moves it into the fill, so that it
 * is kept if the stage-in is verified. */
static int take_prefetched(struct slu_stage_cache *c,
			   const struct slu_cache_key *key, struct slu_err *err)
{
	int fd = find_in(c->prefetch, key, err);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) ||
	    renameat(c->prefetch, key->name, c->fill, key->name))
		return fd;
	c->taken += slu_cache_takes(&st);
	c->used += slu_cache_takes(&st);
	(void)slu_cache_put_number(c->prefetch, "used", c->used, NULL);
	return fd;
}

int slu_stage_cache_get(struct slu_stage_cache *c,
			const struct slu_cache_key *key,
			const struct timespec *now, struct slu_err *err)
{
	const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, *now};
	struct slu_err why = {0};
	int fd = find_in(c->fill, key, &why);

	if (fd < 0 && why.kind == SLU_NOTFOUND)
		fd = find_in(c->user, key, &why);
	if (fd < 0 && why.kind == SLU_NOTFOUND && c->prefetch >= 0)
		fd = take_prefetched(c, key, &why);
	if (fd < 0)
		return slu_err(err, why.kind, "%s", why.text);
	(void)futimens(fd, times);
	return fd;
}

static void new_name(const struct slu_cache_key *key,
		     char name[SLU_CACHE_NAME + sizeof(NEW)])
{
	snprintf(name, SLU_CACHE_NAME + sizeof(NEW), "%s" NEW, key->name);
}

int slu_stage_cache_begin(struct slu_stage_cache *c,
			  const struct slu_cache_key *key,
			  const struct timespec *now, struct slu_err *err)
{
	char name[SLU_CACHE_NAME + sizeof(NEW)];
	int fd;

	if (c->begun >= SLU_CACHE_FILL)
		return slu_err(err, SLU_BUSY, "more than %d files at once",
			       SLU_CACHE_FILL);
	if (slu_cache_reserve(c, needs(key), now, err))
		return -1;
	new_name(key, name);
	fd = openat(c->fill, name,
		    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return slu_errno(err, errno == EEXIST ? SLU_BUSY : SLU_IO,
				 "%s/%s", c->own, name);
	c->taken += needs(key);
	c->begun++;
	return fd;
}

static int write_record(int fd, const struct slu_cache_key *key,
			const struct timespec *now, struct slu_err *err)
{
	const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, *now};
	const struct slu_buf *text = &key->text;
	struct stat st;

	if (fstat(fd, &st) || (uint64_t)st.st_size > key->end ||
	    pwrite(fd, text->data, text->len, (off_t)key->end) !=
		    (ssize_t)text->len ||
	    futimens(fd, times))
		return slu_errno(err, SLU_IO, "cannot write the stage cache");
	return 0;
}

/* Completes a new entry: appends its record and renames the file from NAME.new
 * to NAME. */
static int finish(struct slu_stage_cache *c, const struct slu_cache_key *key,
		  const char *name, const struct timespec *now, struct stat *st,
		  struct slu_err *err)
{
	int fd = openat(c->fill, name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC), rc;

	if (fd < 0)
		return slu_errno(err, SLU_IO, "%s/%s", c->own, name);
	rc = write_record(fd, key, now, err);
	if (!rc && fstat(fd, st))
		rc = slu_errno(err, SLU_IO, "%s/%s", c->own, name);
	close(fd);
	if (!rc && renameat(c->fill, name, c->fill, key->name))
		rc = slu_errno(err, SLU_IO, "%s/%s", c->own, name);
	return rc;
}

int slu_stage_cache_end(struct slu_stage_cache *c,
			const struct slu_cache_key *key, bool whole,
			const struct timespec *now, struct slu_err *err)
{
	char name[SLU_CACHE_NAME + sizeof(NEW)];
	struct stat st = {0};
	int rc;

	new_name(key, name);
	rc = whole ? finish(c, key, name, now, &st, err) : 0;
	if (rc || !whole)
		unlinkat(c->fill, name, 0);
	c->taken -= needs(key);
	if (rc || !whole)
		return rc;
	c->taken += slu_cache_takes(&st);
	c->prefetched += slu_cache_takes(&st);
	return c->early ? slu_cache_put_number(c->fill, "brought",
					       c->prefetched, err)
			: 0;
}

/* Was it used since this cache was opened? */
static bool is_recent(const struct slu_stage_cache *c, const char *name)
{
	struct stat st;

	return slu_cache_is_name(name) &&
	       !fstatat(c->user, name, &st, AT_SYMLINK_NOFOLLOW) &&
	       (st.st_mtim.tv_sec > c->began.tv_sec ||
		(st.st_mtim.tv_sec == c->began.tv_sec &&
		 st.st_mtim.tv_nsec >= c->began.tv_nsec));
}

int slu_stage_cache_drop_used(struct slu_stage_cache *c, struct slu_err *err)
{
	int fd = openat(c->user, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	int rc = 0;

	if (!d && fd >= 0)
		close(fd);
	if (!d)
		return slu_errno(err, SLU_IO, "cannot read %s/cache",
				 c->storage);
	while ((e = readdir(d)))
		if (is_recent(c, e->d_name) &&
		    unlinkat(c->user, e->d_name, 0) && errno != ENOENT)
			rc = slu_errno(err, SLU_IO,
				       "%s/cache: cannot remove %s", c->storage,
				       e->d_name);
	closedir(d);
	return rc;
}

static int move_all(struct slu_stage_cache *c, uint64_t *bytes,
		    struct slu_err *err)
{
	int fd = openat(c->fill, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	struct stat st;
	int rc = 0;

	if (!d && fd >= 0)
		close(fd);
	if (!d)
		return slu_errno(err, SLU_IO, "cannot read %s", c->own);
	while (!rc && (e = readdir(d))) {
		if (!slu_cache_is_name(e->d_name) ||
		    fstatat(c->fill, e->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		*bytes += slu_cache_takes(&st);
		if (renameat(c->fill, e->d_name, c->user, e->d_name))
			rc = slu_errno(err, SLU_IO, "cannot move %s/%s", c->own,
				       e->d_name);
	}
	closedir(d);
	return rc;
}

static int keep_apart(struct slu_stage_cache *c, uint64_t *bytes,
		      struct slu_err *err)
{
	*bytes = slu_cache_number(c->fill, "brought");
	return slu_cache_put_number(c->fill, SLU_CACHE_DONE, *bytes, err);
}

/* Files are synced before they are renamed, so that an entry that is seen after
 * a power cut has its data. */
int slu_stage_cache_commit(struct slu_stage_cache *c, uint64_t *bytes,
			   struct slu_err *err)
{
	int rc;

	*bytes = 0;
	if (syncfs(c->fill))
		return slu_errno(err, SLU_IO, "%s", c->storage);
	if (slu_cache_lock(c->lock, err))
		return -1;
	rc = c->early ? keep_apart(c, bytes, err) : move_all(c, bytes, err);
	if (!c->early && slu_rmtree(c->dir, c->own, rc ? NULL : err))
		rc = -1;
	flock(c->lock, LOCK_UN);
	return rc;
}
