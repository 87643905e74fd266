/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests stage-in through the node's stage cache, as users: the second time the
 * data comes from the cache, unless anything about the source has changed; and
 * never for a user who may not read the source now.
 */
#include "config.h"
#include "tests/unit/burst_buffer/node/root.h"
#include <stddef.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include "burst_buffer/node/cache/cache_proxy.h"
#include "burst_buffer/staging/share.h"
#include "tests/unit/burst_buffer/node/tree.h"

#define ALICE 2000
#define BOB   2001

static char *top;
static char src[256], dst[256], storage[256];
static struct slu_err err;
static int64_t later = 60; /* seconds that have passed since all was made */
static uint32_t job;

/* Instead of the library's. */
int clock_gettime(clockid_t clock, struct timespec *t)
{
	int rc = (int)syscall(SYS_clock_gettime, clock, t);

	t->tv_sec += clock == CLOCK_REALTIME ? later : 0;
	return rc;
}

static struct shared {
	struct slu_stage_result result;
	struct slu_err err;
	int rc;
	char told[300];
	uint64_t paced, pace_to; /* bytes */
} * shared;

static void told(void *arg, const char *text)
{
	(void)arg;
	snprintf(shared->told, sizeof(shared->told), "%s", text);
}

static struct slu_cache_of of_user(uid_t uid)
{
	struct slu_cache_of of = {.storage = storage,
				  .budget = {.bytes = 400 << 20},
				  .uid = uid,
				  .job_id = job,
				  .buffer = 1,
				  .wrong = told};

	clock_gettime(CLOCK_REALTIME, &of.began);
	return of;
}

static void begin(void)
{
	top = tree_new();
	ck_assert(!chmod(top, 0755));
	snprintf(src, sizeof(src), "%s", in(top, "src"));
	snprintf(dst, sizeof(dst), "%s", in(top, "dst"));
	snprintf(storage, sizeof(storage), "%s", in(top, "storage"));
	make_dir(src, 0755);
	make_dir(dst, 0777);
	ck_assert(!chmod(dst, 0777));
	make_dir(storage, 0711);
	ck_assert(!mount("none", storage, "tmpfs", 0, "mode=0711"));
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert(shared != MAP_FAILED);
	shared->pace_to = UINT64_MAX;
}

static void end(void)
{
	ck_assert(!umount2(storage, MNT_DETACH)); /* a proxy may end yet */
	munmap(shared, sizeof(*shared));
	tree_remove(top);
}

static int play(struct slu_stage_part *part, struct slu_cache_proxy *p)
{
	struct slu_stage_result sum = {0};
	int rc = 0;

	for (int act = SLU_PREPARE; !rc && act <= SLU_FINISH; act++) {
		part->cache = act == SLU_COPY ? &p->use : NULL;
		rc = slu_stage((enum slu_act_name)act, part, &shared->result,
			       &shared->err);
		if (act == SLU_COPY)
			sum = shared->result;
	}
	shared->result = sum;
	return rc;
}

static void copy_as(uid_t uid, const char *to)
{
	struct slu_cache_of of = of_user(uid);
	struct slu_cache_proxy p;
	struct slu_stage_part part = {
		.source = in(top, "src/"), .destination = to, .n = 1};
	FILE *file = tmpfile();

	if (slu_cache_proxy_start(&p, &of, &shared->err) || !file ||
	    setgid(uid) || setuid(uid))
		_exit(3);
	part.manifest = fileno(file);
	shared->rc = play(&part, &p);
	_exit(0);
}

/* A job of this user stages in, and what it has read is kept. */
static struct slu_stage_cached stage_as(uid_t uid, const char *to)
{
	struct slu_cache_of of;
	struct slu_stage_cache c;
	uint64_t bytes;
	int status;
	pid_t pid;

	job++;
	of = of_user(uid);
	shared->told[0] = '\0';
	expect_ok(slu_stage_cache_open(&c, storage, &of.budget, uid, job, 1,
				       &of.began, &err),
		  err);
	pid = fork();
	if (pid == 0)
		copy_as(uid, to);
	ck_assert(waitpid(pid, &status, 0) == pid && status == 0);
	expect_ok(slu_stage_cache_commit(&c, &bytes, &err), err);
	slu_stage_cache_close(&c);
	return shared->result.cached;
}

/* The same where it goes well, to a place of its own. */
static struct slu_stage_cached stage_ok(uid_t uid)
{
	static char to[300];
	struct slu_stage_cached cached;
	const char *differs;

	snprintf(to, sizeof(to), "%s/%u", dst, job + 1);
	cached = stage_as(uid, to);
	expect(shared->rc == 0, "%s", shared->err.text);
	differs = tree_differs(src, to, 1);
	ck_assert_msg(!differs, "%s", differs);
	return cached;
}

static void pace(void *arg, uint64_t bytes)
{
	(void)arg;
	shared->paced += bytes;
	if (shared->paced > shared->pace_to)
		_exit(0); /* its room is wanted */
}

static void prefetch_as(uid_t uid, struct slu_cache_of *of)
{
	struct slu_cache_proxy p;
	struct slu_stage_part part = {.source = in(top, "src/"),
				      .destination = dst,
				      .n = 1,
				      .threads = 1,
				      .only_cache = true,
				      .pace = pace,
				      .cache = &p.use};
	FILE *file = tmpfile();

	if (slu_cache_proxy_start(&p, of, &shared->err) || !file ||
	    setgid(uid) || setuid(uid))
		_exit(3);
	part.manifest = fileno(file);
	shared->rc = -1;
	shared->rc =
		slu_stage(SLU_PREPARE, &part, &shared->result, &shared->err) ||
		slu_stage(SLU_COPY, &part, &shared->result, &shared->err);
	_exit(0);
}

/* What this user's next job will stage in is read into the cache ahead of it.
 */
static struct slu_stage_cached bring_as(uid_t uid)
{
	struct slu_cache_of of;
	struct slu_stage_cache c;
	uint64_t bytes;
	int status;
	pid_t pid;

	job++;
	of = of_user(uid);
	of.buffer = 0;
	job--;
	shared->paced = 0;
	expect_ok(slu_stage_cache_open(&c, storage, &of.budget, uid, of.job_id,
				       0, &of.began, &err),
		  err);
	pid = fork();
	if (pid == 0)
		prefetch_as(uid, &of);
	ck_assert(waitpid(pid, &status, 0) == pid && status == 0);
	if (!shared->rc)
		expect_ok(slu_stage_cache_commit(&c, &bytes, &err), err);
	slu_stage_cache_close(&c);
	return shared->result.cached;
}

static void make_input(void)
{
	make_dir(in(top, "src/d"), 0755);
	make_file(in(top, "src/a"), 1000, 1);
	make_file(in(top, "src/b"), 3 << 20, 2);
	make_file(in(top, "src/d/c"), 70000, 3);
	make_text(in(top, "src/empty"), "");
	make_link(in(top, "src/link"), "a");
}

static void expect_cached(struct slu_stage_cached is, uint64_t hits,
			  uint64_t misses)
{
	expect(is.hits == hits && is.misses == misses,
	       "%llu hits, %llu misses, not %llu and %llu",
	       (unsigned long long)is.hits, (unsigned long long)is.misses,
	       (unsigned long long)hits, (unsigned long long)misses);
}

/* What lies in the cache is overwritten; the record stays. */
static int spoil_one(void *arg, const struct slu_cached *is)
{
	struct slu_cache_key key;
	char path[600];
	int fd;

	(void)arg;
	expect_ok(slu_cache_key_make(&key, is->record, &err), err);
	snprintf(path, sizeof(path), "%s/cache/%u/%s", storage,
		 (unsigned)is->uid, key.name);
	slu_cache_key_free(&key);
	fd = open(path, O_WRONLY);
	ck_assert_int_eq(pwrite(fd, "spoiled", 7, 0), 7);
	close(fd);
	return 0;
}

START_TEST(test_again)
{
	struct slu_stage_cached is;
	char to[300];

	begin();
	make_input();
	expect_cached(stage_ok(ALICE), 0, 3);
	is = stage_ok(ALICE);
	expect_cached(is, 3, 0);
	ck_assert_uint_eq(is.bytes, 1000 + (3 << 20) + 70000);
	/* It is from there that it comes. */
	expect_ok(slu_stage_cache_list(storage, spoil_one, NULL, &err), err);
	snprintf(to, sizeof(to), "%s/spoiled", dst);
	expect_cached(stage_as(ALICE, to), 3, 0);
	ck_assert_ptr_nonnull(tree_differs(src, to, 0));
	ck_assert_str_eq(shared->told, "");
	end();
}
END_TEST

/* Another user's job has nothing of it, be the source his to read or not. */
START_TEST(test_other)
{
	begin();
	make_input();
	expect_cached(stage_ok(ALICE), 0, 3);
	expect_cached(stage_ok(BOB), 0, 3);
	expect_cached(stage_ok(ALICE), 3, 0);
	end();
}
END_TEST

/* With the time put back. */
static void rewrite(const char *path, const char *text)
{
	struct stat st;
	struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}};
	int fd = open(path, O_WRONLY);

	ck_assert(fd >= 0 && !fstat(fd, &st));
	times[1] = st.st_mtim;
	ck_assert_int_eq(pwrite(fd, text, strlen(text), 10),
			 (ssize_t)strlen(text));
	ck_assert(!futimens(fd, times));
	close(fd);
}

static void replace(const char *path)
{
	struct stat st;
	struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}};
	const char *new = in(top, "new");

	ck_assert(!stat(path, &st));
	make_file(new, (uint64_t)st.st_size, 77);
	times[1] = st.st_mtim;
	ck_assert(!utimensat(AT_FDCWD, new, times, 0));
	ck_assert(!chmod(new, st.st_mode & 07777));
	ck_assert(!rename(new, path));
}

/* Same size, same time, other content: its inode or its time of change shows
 * that. */
START_TEST(test_changed)
{
	begin();
	make_input();
	stage_ok(ALICE);
	rewrite(in(top, "src/a"), "other");
	expect_cached(stage_ok(ALICE), 2, 1);
	expect_cached(stage_ok(ALICE), 3, 0);
	replace(in(top, "src/b"));
	expect_cached(stage_ok(ALICE), 2, 1);
	ck_assert(!link(in(top, "src/a"), in(top, "elsewhere")));
	rewrite(in(top, "elsewhere"), "by another name");
	expect_cached(stage_ok(ALICE), 2, 1);
	end();
}
END_TEST

/* Two names of one file are two sources; a link in a link's place is none. */
START_TEST(test_links)
{
	begin();
	make_input();
	ck_assert(!link(in(top, "src/a"), in(top, "src/d/a")));
	expect_cached(stage_ok(ALICE), 0, 4);
	expect_cached(stage_ok(ALICE), 4, 0);
	ck_assert(!unlink(in(top, "src/b")));
	make_link(in(top, "src/b"), "d/c");
	expect_cached(stage_ok(ALICE), 3, 0);
	end();
}
END_TEST

/* The source's directory is closed since; of the file nothing has changed. */
START_TEST(test_denied)
{
	char to[300];

	begin();
	make_input();
	stage_ok(ALICE);
	ck_assert(!chmod(in(top, "src/d"), 0700));
	snprintf(to, sizeof(to), "%s/denied", dst);
	stage_as(ALICE, to);
	ck_assert_int_eq(shared->rc, -1);
	ck_assert_ptr_nonnull(strstr(shared->err.text, "Permission denied"));
	ck_assert(access(in(to, "d/c"), F_OK));
	end();
}
END_TEST

/* Ranges of a large file, with holes, each by itself. */
START_TEST(test_large)
{
	const off_t size = 2 * (off_t)SLU_STAGE_RANGE + 5000;
	const char *path;
	int fd;

	begin();
	path = in(top, "src/large");
	make_file(path, 100000, 5);
	ck_assert(!truncate(path, size));
	fd = open(path, O_WRONLY);
	ck_assert_int_eq(pwrite(fd, "end", 3, size - 3), 3);
	close(fd);
	expect_cached(stage_ok(ALICE), 0, 3);
	expect_cached(stage_ok(ALICE), 3, 0);
	ck_assert_uint_lt(slu_stage_cache_bytes(storage), 1 << 20);
	end();
}
END_TEST

/* What was changed within the grain of the time of change is not kept. */
START_TEST(test_just_now)
{
	begin();
	make_input();
	later = 0;
	expect_cached(stage_ok(ALICE), 0, 3);
	ck_assert_uint_eq(slu_stage_cache_bytes(storage), 0);
	later = 60;
	expect_cached(stage_ok(ALICE), 0, 3);
	expect_cached(stage_ok(ALICE), 3, 0);
	end();
}
END_TEST

/* More than there is room for: the job has it all the same. */
START_TEST(test_full)
{
	struct slu_stage_cached is;

	begin();
	ck_assert(!mount("none", storage, "tmpfs", MS_REMOUNT,
			 "mode=0711,size=2m"));
	make_input();
	is = stage_ok(ALICE);
	expect_cached(is, 0, 3);
	ck_assert_ptr_nonnull(strstr(shared->told, "no room"));
	end();
}
END_TEST

/* Requests that none of our programs makes */

static struct slu_cache_proxy open_proxy(void)
{
	static struct slu_cache_of of;
	struct slu_cache_proxy p;

	job++;
	of = of_user(ALICE);
	expect_ok(slu_cache_proxy_start(&p, &of, &err), err);
	p.use.arg = &p;
	return p;
}

START_TEST(test_hostile)
{
	struct slu_cache_proxy p;
	uint32_t ticket;
	int fd[2], file;

	begin();
	make_input();
	p = open_proxy();
	p.use.arg = &p;
	file = open(in(top, "src/a"), O_WRONLY);
	ck_assert_int_eq(p.use.open(&p, file, 0, 10, &ticket), -1);
	close(file);
	file = open(in(top, "src/a"), O_PATH);
	ck_assert_int_eq(p.use.open(&p, file, 0, 10, &ticket), -1);
	close(file);
	ck_assert(!pipe(fd));
	ck_assert_int_eq(p.use.open(&p, fd[0], 0, 10, &ticket), -1);
	file = open(in(top, "src/a"), O_RDONLY);
	ck_assert_int_eq(p.use.open(&p, file, 900, 200, &ticket), -1);
	ck_assert_int_eq(p.use.open(&p, file, UINT64_MAX, 2, &ticket), -1);
	ck_assert_int_eq(p.use.open(&p, file, 5, UINT64_MAX, &ticket), -1);
	ck_assert(!p.use.filled(&p, file, 12345, true)); /* it ends */
	ck_assert_int_eq(p.use.open(&p, file, 0, 10, &ticket), -1);
	ck_assert_uint_eq(slu_stage_cache_bytes(storage), 0);
	close(file);
	end();
}
END_TEST

/* The source changes while it is read, and another is shown as the same. */
START_TEST(test_while)
{
	struct slu_cache_proxy p;
	uint32_t ticket;
	int file, other, fd;

	begin();
	make_input();
	p = open_proxy();
	p.use.arg = &p;
	file = open(in(top, "src/a"), O_RDONLY);
	other = open(in(top, "src/b"), O_RDONLY);
	fd = p.use.open(&p, file, 0, 1000, &ticket);
	ck_assert(fd >= 0 && ticket);
	ck_assert_int_eq(pwrite(fd, "data", 4, 0), 4);
	rewrite(in(top, "src/a"), "other");
	ck_assert(!p.use.filled(&p, file, ticket, true));
	close(fd);
	fd = p.use.open(&p, file, 0, 1000, &ticket);
	ck_assert(fd >= 0 && ticket);
	ck_assert(!p.use.filled(&p, other, ticket, true));
	close(fd);
	fd = p.use.open(&p, file, 0, 1000, &ticket);
	ck_assert(fd >= 0 && ticket);
	ck_assert(p.use.filled(&p, file, ticket, true));
	close(fd);
	fd = p.use.open(&p, file, 0, 1000, &ticket);
	ck_assert(fd >= 0 && !ticket);
	ck_assert_int_eq(pwrite(fd, "x", 1, 0), -1); /* only to be read */
	close(fd);
	close(p.fd);
	end();
}
END_TEST

/* What was read ahead of a job it has without reading its sources: no other
 * job, and not what has changed since. Nothing is written elsewhere. */
START_TEST(test_prefetch)
{
	if (!have_root())
		return;
	begin();
	make_input();
	expect_cached(bring_as(ALICE), 0, 3);
	expect(shared->rc == 0, "%s", shared->err.text);
	expect(shared->paced == 1000 + (3 << 20) + 70000, "%llu",
	       (unsigned long long)shared->paced);
	ck_assert(access(in(dst, "a"), F_OK));
	make_file(in(top, "src/a"), 1000, 9);
	later += 60;
	expect_cached(stage_ok(ALICE), 2, 1);
	expect_cached(bring_as(ALICE), 3, 0);
	end();
}
END_TEST

/* It is stopped, and begins again with what it had. */
START_TEST(test_prefetch_stopped)
{
	if (!have_root())
		return;
	begin();
	make_input();
	shared->pace_to = 70000 + 1000;
	bring_as(ALICE);
	ck_assert_int_ne(shared->rc, 0);
	shared->pace_to = UINT64_MAX;
	bring_as(ALICE);
	expect(shared->rc == 0, "%s", shared->err.text);
	expect_cached(stage_ok(ALICE), 3, 0);
	end();
}
END_TEST

ROOT_TEST_MAIN("stage_cached", test_prefetch, test_prefetch_stopped, test_again,
	       test_other, test_changed, test_links, test_denied, test_large,
	       test_just_now, test_full, test_hostile, test_while)
