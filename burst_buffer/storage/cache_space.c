/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts the space that the stage cache uses, and removes entries in the order
 * of eviction. There is no index: every count walks the cache's directories
 * (layout: stage_cache.h), and on the way removes fills whose process has died.
 */
#include "config.h"
#include <sys/stat.h>
#include "burst_buffer/storage/cache_space.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>
#include "common/file.h"

uint64_t slu_cache_takes(const struct stat *st)
{
	return (uint64_t)st->st_blocks * 512;
}

static DIR *open_list(int dir, const char *name)
{
	int fd = openat(dir, name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d && fd >= 0)
		close(fd);
	return d;
}

/* Bytes of the files in a fill; adds their number to *files. */
static uint64_t add_up(DIR *d, size_t *files)
{
	struct dirent *e;
	struct stat st;
	uint64_t sum = 0;

	while ((e = readdir(d)))
		if (!fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
		    S_ISREG(st.st_mode)) {
			sum += slu_cache_takes(&st);
			++*files;
		}
	return sum;
}

uint64_t slu_cache_number(int dir, const char *name)
{
	struct slu_buf text = {0};
	uint64_t n = 0;

	if (!slu_file_read(dir, name, 32, &text, NULL) && text.data)
		n = strtoull(text.data, NULL, 10);
	slu_buf_free(&text);
	return n;
}

int slu_cache_put_number(int dir, const char *name, uint64_t n,
			 struct slu_err *err)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
			0600);
	char text[24];
	int len = snprintf(text, sizeof(text), "%020" PRIu64 "\n", n);
	bool done = fd >= 0 && pwrite(fd, text, (size_t)len, 0) == len;

	if (!done)
		slu_errno(err, SLU_IO, "cannot write %s", name);
	if (fd >= 0)
		close(fd);
	return done ? 0 : -1;
}

uint32_t slu_cache_prefetch_job(const char *name)
{
	const size_t len = strlen(SLU_CACHE_PREFETCH);
	char *end;
	unsigned long job;

	if (strncmp(name, SLU_CACHE_PREFETCH, len) != 0)
		return 0;
	job = strtoul(name + len, &end, 10);
	return *end || job > UINT32_MAX ? 0 : (uint32_t)job;
}

static void add_fill(struct slu_cache_space *s, DIR *d, bool prefetch)
{
	uint64_t taken = add_up(d, &s->files);
	uint64_t may = slu_cache_number(dirfd(d), "reserve");
	uint64_t most = taken > may ? taken : may;

	s->fills += most;
	s->unused += most - taken;
	if (prefetch && faccessat(dirfd(d), SLU_CACHE_TAKEN, F_OK, 0))
		s->early += taken;
}

static int look_at(struct slu_cache_space *s, uid_t uid,
		   uint32_t prefetched_for, int dir, const char *name,
		   struct slu_err *err);

static int add_prefetch(struct slu_cache_space *s, uid_t uid, uint32_t job,
			DIR *d, struct slu_err *err)
{
	struct dirent *e;
	int rc = 0;

	while (!rc && (e = readdir(d)))
		rc = look_at(s, uid, job, dirfd(d), e->d_name, err);
	return rc;
}

/*
 * Counts a fill: fill.JOB.BUFFER, or ahead.JOB of a prefetch. The process that
 * fills it holds a lock on its directory, which ends with the process. Without
 * the lock:
 *	- an unfinished fill is removed: its process has died;
 *	- a finished prefetch is counted file by file, as entries that may be
 *	  evicted, except if `keep`: for another prefetch it counts as a fill.
 */
static int count_fill(struct slu_cache_space *s, uid_t uid, int user,
		      const char *name, bool keep, struct slu_err *err)
{
	const uint32_t job = slu_cache_prefetch_job(name);
	DIR *d = open_list(user, name);
	bool idle;
	int rc = 0;

	if (!d)
		return errno == ENOENT ? 0 : slu_errno(err, SLU_IO, "%s", name);
	idle = !flock(dirfd(d), LOCK_EX | LOCK_NB);
	if (idle && (!job || faccessat(dirfd(d), SLU_CACHE_DONE, F_OK, 0)))
		rc = slu_rmtree(user, name, err);
	else if (idle && !keep)
		rc = add_prefetch(s, uid, job, d, err);
	else
		add_fill(s, d, job != 0);
	closedir(d);
	return rc;
}

static int add_entry(struct slu_cache_space *s, const struct slu_cache_entry *e,
		     struct slu_err *err)
{
	struct slu_cache_entry *grown = s->entry;

	if ((s->n & (s->n - 1)) == 0)
		grown = realloc(s->entry,
				(s->n ? 2 * s->n : 1) * sizeof(*s->entry));
	if (!grown)
		return slu_err(err, SLU_NOMEM, "out of memory");
	s->entry = grown;
	s->entry[s->n++] = *e;
	s->bytes += e->bytes;
	return 0;
}

static int look_at(struct slu_cache_space *s, uid_t uid,
		   uint32_t prefetched_for, int dir, const char *name,
		   struct slu_err *err)
{
	struct slu_cache_entry e = {.uid = uid,
				    .prefetched_for = prefetched_for};
	struct stat st;

	if (!slu_cache_is_name(name))
		return 0;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : slu_errno(err, SLU_IO, "%s", name);
	e.bytes = slu_cache_takes(&st);
	e.used = st.st_mtim;
	slu_copy(e.name, sizeof(e.name), name);
	return add_entry(s, &e, err);
}

static int look_at_user(struct slu_cache_space *s, uid_t uid, const char *name,
			const char *own, struct slu_err *err)
{
	const bool keep = own && strstr(own, "/" SLU_CACHE_PREFETCH);
	DIR *d = open_list(s->dir, name);
	struct dirent *e;
	char path[320];
	int rc = 0;

	if (!d)
		return slu_errno(err, SLU_IO, "cannot read %s", name);
	while (!rc && (e = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", name, e->d_name);
		if (strncmp(e->d_name, SLU_CACHE_OF_JOB, 5) != 0 &&
		    !slu_cache_prefetch_job(e->d_name))
			rc = look_at(s, uid, 0, dirfd(d), e->d_name, err);
		else if (!slu_eq(path, own))
			rc = count_fill(s, uid, dirfd(d), e->d_name, keep, err);
	}
	closedir(d);
	return rc;
}

static int compare(const void *a, const void *b)
{
	const struct slu_cache_entry *x = a, *y = b;

	if (!x->prefetched_for != !y->prefetched_for)
		return x->prefetched_for ? -1 : 1;
	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	if (x->used.tv_nsec != y->used.tv_nsec)
		return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
	return strcmp(x->name, y->name);
}

static bool is_number(const char *name)
{
	return *name && strspn(name, "0123456789") == strlen(name);
}

int slu_cache_each_user(int dir, slu_cache_user_f *fn, void *arg,
			struct slu_err *err)
{
	DIR *d = open_list(dir, ".");
	struct dirent *e;
	int rc = 0;

	if (!d)
		return slu_errno(err, SLU_IO, "cannot read the stage cache");
	while (!rc && (e = readdir(d)))
		if (is_number(e->d_name))
			rc = fn(arg, (uid_t)strtoul(e->d_name, NULL, 10),
				e->d_name, err);
	closedir(d);
	return rc;
}

struct looking {
	struct slu_cache_space *s;
	const char *own;
};

static int look_on(void *arg, uid_t uid, const char *name, struct slu_err *err)
{
	const struct looking *l = arg;

	return look_at_user(l->s, uid, name, l->own, err);
}

int slu_cache_space_look(struct slu_cache_space *s, int dir, const char *own,
			 struct slu_err *err)
{
	struct looking l = {s, own};
	int rc;

	*s = (struct slu_cache_space){.dir = dir};
	rc = slu_cache_each_user(dir, look_on, &l, err);
	if (s->n)
		qsort(s->entry, s->n, sizeof(*s->entry), compare);
	return rc;
}

void slu_cache_space_free(struct slu_cache_space *s)
{
	free(s->entry);
	*s = (struct slu_cache_space){0};
}

static bool is_before(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec < b->tv_sec ||
	       (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

int slu_cache_space_remove(struct slu_cache_space *s,
			   const struct timespec *from,
			   const struct timespec *to, struct slu_err *err)
{
	const struct slu_cache_entry *e;
	char path[SLU_CACHE_PATH];

	if (s->next == s->n)
		return 0;
	e = &s->entry[s->next];
	if (from && !e->prefetched_for && !is_before(&e->used, from) &&
	    !is_before(to, &e->used))
		return 0; /* later entries were used later (by right clocks) */
	slu_cache_entry_path(e, path);
	if (unlinkat(s->dir, path, 0) && errno != ENOENT)
		return slu_errno(err, SLU_IO, "cannot remove %s", path);
	s->next++;
	s->bytes -= e->bytes;
	return 1;
}

void slu_cache_entry_path(const struct slu_cache_entry *e,
			  char path[SLU_CACHE_PATH])
{
	if (e->prefetched_for)
		snprintf(path, SLU_CACHE_PATH, "%u/" SLU_CACHE_PREFETCH "%u/%s",
			 (unsigned)e->uid, (unsigned)e->prefetched_for,
			 e->name);
	else
		snprintf(path, SLU_CACHE_PATH, "%u/%s", (unsigned)e->uid,
			 e->name);
}
