/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks over the prefetches in a node's stage cache (directories ahead.JOB, see
 * stage_cache.h): reports each to the caller, which may have it removed, and
 * removes unfinished ones when a job that stages in needs the space. Holds the
 * cache's lock for the whole walk.
 */
#include "config.h"
#include "burst_buffer/storage/cache_prefetch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include "burst_buffer/storage/cache_lock.h"
#include "burst_buffer/storage/cache_space.h"
#include "common/file.h"

struct walk {
	int dir;
	bool (*fn)(void *arg, const struct slu_cache_prefetch *is);
	void *arg;
};

static bool has(int dir, const char *name)
{
	return !faccessat(dir, name, F_OK, AT_SYMLINK_NOFOLLOW);
}

static int tell(const struct walk *w, uid_t uid, int user, const char *name,
		struct slu_err *err)
{
	struct slu_cache_prefetch is = {.uid = uid,
					.job_id = slu_cache_prefetch_job(name)};
	int fd = is.job_id ? openat(user, name,
				    O_RDONLY | O_DIRECTORY | O_NOFOLLOW |
					    O_CLOEXEC)
			   : -1;
	bool drop;

	if (fd < 0)
		return 0;
	is.prefetched = slu_cache_number(fd, "brought");
	is.used = slu_cache_number(fd, "used");
	is.done = has(fd, SLU_CACHE_DONE);
	is.taken = has(fd, SLU_CACHE_TAKEN);
	close(fd);
	drop = w->fn(w->arg, &is);
	return drop ? slu_rmtree(user, name, err) : 0;
}

static int of_user(void *arg, uid_t uid, const char *name, struct slu_err *err)
{
	const struct walk *w = arg;
	int fd = openat(w->dir, name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	int rc = 0;

	if (!d && fd >= 0)
		close(fd);
	if (!d)
		return slu_errno(err, SLU_IO, "cannot read %s", name);
	while (!rc && (e = readdir(d)))
		rc = tell(w, uid, dirfd(d), e->d_name, err);
	closedir(d);
	return rc;
}

int slu_stage_cache_walk_prefetches(
	const char *storage,
	bool (*fn)(void *arg, const struct slu_cache_prefetch *is), void *arg,
	struct slu_err *err)
{
	struct walk w = {.fn = fn, .arg = arg};
	struct slu_err why;
	int lock, rc;

	if (slu_cache_open_top(storage, false, &w.dir, &lock, &why))
		return why.kind == SLU_NOTFOUND
			       ? 0
			       : slu_err(err, why.kind, "%s", why.text);
	rc = slu_cache_lock(lock, err);
	if (!rc)
		rc = slu_cache_each_user(w.dir, of_user, &w, err);
	close(lock); /* its lock goes with it */
	close(w.dir);
	return rc;
}

static bool is_early(void *arg, const struct slu_cache_prefetch *is)
{
	(void)arg;
	return !is->done && !is->taken;
}

int slu_cache_remove_early(int dir, struct slu_err *err)
{
	struct walk w = {.dir = dir, .fn = is_early};

	return slu_cache_each_user(dir, of_user, &w, err);
}
