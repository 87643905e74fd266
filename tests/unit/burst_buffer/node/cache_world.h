/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fills a stage cache with data that identifies its key, and crashes a process
 * at a chosen disk operation; for test_stage_cache and test_stage_prefetch. */
#include "config.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "burst_buffer/storage/stage_cache.h"
#include "common/file.h"
#include "tests/unit/random.h"
#include "tests/unit/burst_buffer/node/tree.h"
#include "tests/unit/harness.h"

#define KIB	1024ull
#define BUDGET	(2048 * KIB)
#define USERS	2
#define SOURCES 12
#define CRASHED 99

static char *top;
static struct slu_err err;
static int64_t clock_now = 1000000;

/* Steps on disk: at the last of them the process ends. */
static long steps_left = -1;

static void step(void)
{
	if (steps_left >= 0 && steps_left-- == 0)
		_exit(CRASHED);
}

/* Instead of the library's. */

int renameat(int from, const char *a, int to, const char *b)
{
	step();
	return (int)syscall(SYS_renameat2, from, a, to, b, 0);
}

int unlinkat(int dir, const char *name, int flags)
{
	step();
	return (int)syscall(SYS_unlinkat, dir, name, flags);
}

int mkdirat(int dir, const char *name, mode_t mode)
{
	step();
	return (int)syscall(SYS_mkdirat, dir, name, mode);
}

ssize_t pwrite(int fd, const void *data, size_t len, off_t at)
{
	step();
	return syscall(SYS_pwrite64, fd, data, len, at);
}

int openat(int dir, const char *name, int flags, ...)
{
	va_list list;
	mode_t mode;

	va_start(list, flags);
	mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;
	va_end(list);
	if (flags & O_CREAT)
		step();
	return (int)syscall(SYS_openat, dir, name, flags, mode);
}

/* What is written is there, as the machine goes on. */
int syncfs(int fd)
{
	(void)fd;
	step();
	return 0;
}

static struct timespec now(void)
{
	return (struct timespec){.tv_sec = ++clock_now};
}

/* What is asked for */

struct wanted {
	unsigned source, version;
	uint64_t offset, length;
};

static struct wanted wanted(unsigned source, unsigned version)
{
	return (struct wanted){source, version, source % 3 * 100 * KIB,
			       (20 + 15 * (uint64_t)source) * KIB + source};
}

static void make_key(const struct wanted *w, struct slu_cache_key *key)
{
	char path[40];
	const struct slu_cache_record r = {
		.fs = "nfs server:/pfs /",
		.path = path,
		.inode = 100 + w->source,
		.size = 1000 * KIB,
		.offset = w->offset,
		.length = w->length,
		.owner = 1000,
		.mtime = {.tv_sec = 77},
		.ctime = {.tv_sec = 77, .tv_nsec = (long)w->version},
	};

	snprintf(path, sizeof(path), "/pfs/input %u", w->source);
	expect_ok(slu_cache_key_make(key, &r, &err), err);
}

static void fill_data(const struct wanted *w, char *data)
{
	memset(data, (int)(1 + w->source * 31 + w->version * 7), w->length);
	data[w->length - 1] = 0;
}

static void put_data(const struct wanted *w, int fd)
{
	char *data = malloc(w->length);

	fill_data(w, data);
	ck_assert_int_eq(pwrite(fd, data, w->length, (off_t)w->offset),
			 (ssize_t)w->length);
	free(data);
}

static void check_data(const struct wanted *w, int fd)
{
	char *data = malloc(w->length), *want = malloc(w->length);

	fill_data(w, want);
	ck_assert_int_eq(pread(fd, data, w->length, (off_t)w->offset),
			 (ssize_t)w->length);
	expect(!memcmp(data, want, w->length), "source %u version %u",
	       w->source, w->version);
	free(data);
	free(want);
}

/* What is there */

struct there {
	uid_t uid;
	char path[256];
	int64_t used;
};
struct all {
	struct there entry[60];
	size_t n;
	uint64_t bytes; /* of everything */
	size_t fills, prefetch;
};

static bool is_fill(const char *name)
{
	return !strncmp(name, "fill.", 5) || !strncmp(name, "ahead.", 6);
}

static void look(const char *dir, uid_t uid, struct all *all)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	struct stat st;

	while (d && (e = readdir(d))) {
		const char *path = in(dir, e->d_name);
		struct there *t = &all->entry[all->n];

		if (e->d_name[0] == '.' || lstat(path, &st))
			continue;
		if (S_ISDIR(st.st_mode)) {
			char sub[4096];

			snprintf(sub, sizeof(sub), "%s", path);
			all->fills += !strncmp(e->d_name, "fill.", 5);
			all->prefetch += !strncmp(e->d_name, "ahead.", 6);
			look(sub,
			     is_fill(e->d_name) ? (uid_t)-1
						: (uid_t)atoi(e->d_name),
			     all);
			continue;
		}
		all->bytes += (uint64_t)st.st_blocks * 512;
		if (uid == (uid_t)-1 || !slu_cache_is_name(e->d_name))
			continue;
		t->uid = uid;
		t->used = st.st_mtim.tv_sec;
		snprintf(t->path, sizeof(t->path), "%s", path);
		all->n++;
	}
	if (d)
		closedir(d);
}

static struct all *look_at_all(void)
{
	struct all *all = calloc(1, sizeof(*all));
	char dir[4096];

	snprintf(dir, sizeof(dir), "%s", in(top, "cache"));
	look(dir, (uid_t)-1, all);
	return all;
}

static void check_budget(const struct all *all)
{
	expect(all->bytes <= BUDGET, "%llu bytes",
	       (unsigned long long)all->bytes);
}

/* What is done */

static const struct slu_cache_budget budget = {.bytes = BUDGET};

/* For a run of the job (buffer 1), or ahead of it (0). */
static void open_for(struct slu_stage_cache *c, unsigned user, uint32_t job,
		     uint64_t buffer)
{
	const struct timespec t = now();

	expect_ok(slu_stage_cache_open(c, top, &budget, 1000 + user, job,
				       buffer, &t, &err),
		  err);
}

/* It is there (checked), or is filled: 1, 0; -1: there is no room. */
static int get_or_fill(struct slu_stage_cache *c, const struct wanted *w,
		       bool whole)
{
	const struct timespec t = now();
	struct slu_cache_key key;
	int fd, rc = 1;

	make_key(w, &key);
	fd = slu_stage_cache_get(c, &key, &t, &err);
	if (fd < 0) {
		ck_assert_int_eq(err.kind, SLU_NOTFOUND);
		fd = slu_stage_cache_begin(c, &key, &t, &err);
		rc = fd < 0 ? -1 : 0;
		if (fd < 0)
			ck_assert_int_eq(err.kind, SLU_BUSY);
		else
			put_data(w, fd);
		if (fd >= 0)
			expect_ok(slu_stage_cache_end(c, &key, whole, &t, &err),
				  err);
	}
	if (rc == 1)
		check_data(w, fd);
	if (fd >= 0)
		close(fd);
	slu_cache_key_free(&key);
	return rc;
}

static void commit(struct slu_stage_cache *c)
{
	uint64_t bytes;

	expect_ok(slu_stage_cache_commit(c, &bytes, &err), err);
	slu_stage_cache_close(c);
}

static void setup(void)
{
	top = tree_new();
	chmod(top, 0711);
}
