/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests the stage cache with random operations and crashes: it never exceeds
 * its budget after a call, has no entry with other data than its key says, and
 * evicts the entries that were used least recently.
 */
#include "config.h"
#include <sys/file.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include "tests/unit/burst_buffer/node/cache_world.h"

static bool has(const struct all *all, const char *path)
{
	for (size_t i = 0; i < all->n; i++)
		if (!strcmp(all->entry[i].path, path))
			return true;
	return false;
}

/* Of two looks: what went was used before what stayed, but for what was used
 * since `began`. */
static void check_order(const struct all *before, const struct all *after,
			int64_t began)
{
	int64_t last_gone = 0;

	for (size_t i = 0; i < before->n; i++)
		if (!has(after, before->entry[i].path) &&
		    before->entry[i].used > last_gone)
			last_gone = before->entry[i].used;
	for (size_t i = 0; i < after->n; i++)
		expect(after->entry[i].used >= began ||
			       after->entry[i].used > last_gone,
		       "%s was used at %lld, one that went at %lld",
		       after->entry[i].path, (long long)after->entry[i].used,
		       (long long)last_gone);
}

/* What is done */

static void open_cache(struct slu_stage_cache *c, unsigned user, uint32_t job)
{
	open_for(c, user, job, 1);
}

/* A stage-in of some sources, each call of which is looked at. */
static void random_job(uint64_t *seed, uint32_t job)
{
	struct slu_stage_cache c;
	int64_t began = clock_now + 1;

	open_cache(&c, (unsigned)slu_random(seed, USERS), job);
	for (uint64_t n = 1 + slu_random(seed, 10); n; n--) {
		const struct wanted w =
			wanted((unsigned)slu_random(seed, SOURCES),
			       (unsigned)slu_random(seed, 2));
		struct all *before = look_at_all(), *after;

		get_or_fill(&c, &w, slu_random(seed, 8));
		after = look_at_all();
		check_budget(after);
		check_order(before, after, began);
		free(before);
		free(after);
	}
	if (slu_random(seed, 5))
		commit(&c);
	else
		slu_stage_cache_close(&c);
}

/* All that a user's job gets was put there by the same user: the directories
 * show that, not the data. */
START_TEST(test_random)
{
	uint64_t seed = 1;
	struct all *all;
	size_t most = 0;

	if (!have_root())
		return;
	setup();
	for (uint32_t job = 1; job <= 60; job++) {
		random_job(&seed, job);
		all = look_at_all();
		check_budget(all);
		most = all->n > most ? all->n : most;
		free(all);
	}
	ck_assert_uint_ge(most, 8);
	tree_remove(top);
}
END_TEST

/* The scenario that is cut short: some is there, some is read, some goes. */
static void scenario(void)
{
	struct slu_stage_cache c;

	open_cache(&c, 0, 7);
	for (unsigned i = 1; i < SOURCES; i += 2) {
		struct wanted w = wanted(i, i == 9);

		w.length += 300 * KIB;
		get_or_fill(&c, &w, i != 5);
	}
	commit(&c);
}

static void prepare(void)
{
	struct slu_stage_cache c;

	open_cache(&c, 0, 1);
	for (unsigned i = 3; i < SOURCES; i += 2) {
		const struct wanted w = wanted(i, 1);

		get_or_fill(&c, &w, true);
	}
	commit(&c);
}

/* Whatever is there is right, there is no half of anything, and the next job
 * is served as if nothing had been. */
static void check_after(long n)
{
	struct slu_stage_cache c;
	struct all *all = look_at_all();

	check_budget(all);
	free(all);
	open_cache(&c, 0, 9);
	for (unsigned i = 1; i < SOURCES; i += 2)
		for (unsigned v = 0; v < 4; v++) {
			struct wanted w = wanted(i, v & 1);
			struct slu_cache_key key;
			const struct timespec t = now();
			int fd;

			w.length += v & 2 ? 300 * KIB : 0;
			make_key(&w, &key);
			fd = slu_stage_cache_get(&c, &key, &t, &err);
			if (fd >= 0)
				check_data(&w, fd);
			else
				expect(err.kind == SLU_NOTFOUND, "step %ld: %s",
				       n, err.text);
			if (fd >= 0)
				close(fd);
			slu_cache_key_free(&key);
		}
	slu_stage_cache_close(&c);
	steps_left = -1;
	scenario();
	all = look_at_all();
	check_budget(all);
	expect(all->fills == 0, "step %ld", n);
	free(all);
}

START_TEST(test_crash)
{
	int status = -1;
	long n;

	if (!have_root())
		return;
	for (n = 0; n < 1000 && status != 0; n++) {
		setup();
		prepare();
		if (!fork()) {
			steps_left = n;
			scenario();
			_exit(0);
		}
		ck_assert(wait(&status) > 0);
		ck_assert(WIFEXITED(status));
		expect(WEXITSTATUS(status) == CRASHED || !status,
		       "step %ld: %d", n, status);
		check_after(n);
		tree_remove(top);
	}
	ck_assert_int_gt(n, 20); /* there were so many steps */
	ck_assert_int_eq(status, 0);
}
END_TEST

/* An input larger than the budget keeps what there is of it: the next run finds
 * that, where plain LRU would have thrown it away just before it is asked for.
 */
START_TEST(test_larger)
{
	struct slu_stage_cache c;
	unsigned hits[2] = {0, 0};
	int rc;

	if (!have_root())
		return;
	setup();
	for (unsigned run = 0; run < 2; run++) {
		open_cache(&c, 0, run + 1);
		for (unsigned i = 0; i < 40; i++) {
			struct wanted w = wanted(i % SOURCES, i / SOURCES);

			w.length = 150 * KIB;
			rc = get_or_fill(&c, &w, true);
			hits[run] += rc == 1;
		}
		commit(&c);
	}
	ck_assert_uint_eq(hits[0], 0);
	ck_assert_uint_ge(hits[1], 8);
	tree_remove(top);
}
END_TEST

/* Two jobs at once share the budget, and neither takes what the other has. */
START_TEST(test_two)
{
	struct slu_stage_cache a, b;
	struct all *all;

	if (!have_root())
		return;
	setup();
	open_cache(&a, 0, 1);
	open_cache(&b, 1, 2);
	for (unsigned i = 0; i < SOURCES; i++) {
		const struct wanted w = wanted(i, 0);

		get_or_fill(&a, &w, true);
		get_or_fill(&b, &w, true);
		all = look_at_all();
		check_budget(all);
		free(all);
	}
	commit(&a);
	commit(&b);
	all = look_at_all();
	check_budget(all);
	ck_assert_uint_ge(all->n, 8);
	for (size_t i = 0; i < all->n; i++)
		ck_assert(all->entry[i].uid == 1000 ||
			  all->entry[i].uid == 1001);
	free(all);
	tree_remove(top);
}
END_TEST

/* What one user's job has read, another's does not get. */
START_TEST(test_other_user)
{
	const struct wanted w = wanted(3, 0);
	const struct timespec t = now();
	struct slu_stage_cache c;
	struct slu_cache_key key;
	struct stat st;

	if (!have_root())
		return;
	setup();
	open_cache(&c, 0, 1);
	ck_assert_int_eq(get_or_fill(&c, &w, true), 0);
	commit(&c);
	make_key(&w, &key);
	open_cache(&c, 1, 2);
	expect_fail(slu_stage_cache_get(&c, &key, &t, &err), err, SLU_NOTFOUND,
		    "");
	slu_stage_cache_close(&c);
	slu_cache_key_free(&key);
	ck_assert(!stat(in(top, "cache"), &st));
	ck_assert_int_eq(st.st_mode & 07777, 0700);
	ck_assert(!stat(in(top, "cache/1000"), &st));
	ck_assert_int_eq(st.st_mode & 07777, 0700);
	ck_assert_int_eq(st.st_uid, 0);
	tree_remove(top);
}
END_TEST

/* A damaged entry is not served, is reported, and is removed. */
static void check_damage(void (*damage)(const char *path))
{
	const struct wanted w = wanted(2, 0);
	const struct timespec t = now();
	struct slu_stage_cache c;
	struct slu_cache_key key;
	struct all *all;

	setup();
	open_cache(&c, 0, 1);
	ck_assert_int_eq(get_or_fill(&c, &w, true), 0);
	commit(&c);
	all = look_at_all();
	ck_assert_uint_eq(all->n, 1);
	damage(all->entry[0].path);
	free(all);
	open_cache(&c, 0, 2);
	make_key(&w, &key);
	expect_fail(slu_stage_cache_get(&c, &key, &t, &err), err, SLU_IO,
		    "was damaged");
	expect_fail(slu_stage_cache_get(&c, &key, &t, &err), err, SLU_NOTFOUND,
		    "");
	slu_cache_key_free(&key);
	slu_stage_cache_close(&c);
	tree_remove(top);
}

static void cut(const char *path)
{
	ck_assert(!truncate(path, 5000));
}

static void lengthen(const char *path)
{
	struct stat st;

	ck_assert(!stat(path, &st));
	ck_assert(!truncate(path, st.st_size + 1));
}

static void empty(const char *path)
{
	ck_assert(!truncate(path, 0));
}

static void overwrite_record(const char *path)
{
	struct stat st;
	int fd = open(path, O_WRONLY);

	ck_assert(fd >= 0 && !fstat(fd, &st));
	ck_assert_int_eq(pwrite(fd, "x", 1, st.st_size - 20), 1);
	close(fd);
}

START_TEST(test_damaged)
{
	if (!have_root())
		return;
	check_damage(cut);
	check_damage(lengthen);
	check_damage(empty);
	check_damage(overwrite_record);
}
END_TEST

static int count(void *arg, const struct slu_cached *is)
{
	ck_assert_ptr_nonnull(is->record);
	ck_assert_str_eq(is->record->path, "/pfs/input 1");
	++*(int *)arg;
	return 0;
}

/* Room for a job is had from the cache at once, as far as that has any. */
START_TEST(test_yield)
{
	const struct wanted w = wanted(1, 0);
	struct slu_stage_cache c;
	uint64_t freed;
	int n = 0;

	if (!have_root())
		return;
	setup();
	expect_ok(slu_stage_cache_yield(top, 1, &freed, &err), err);
	ck_assert(access(in(top, "cache"), F_OK)); /* it makes none */
	open_cache(&c, 0, 1);
	ck_assert_int_eq(get_or_fill(&c, &w, true), 0);
	commit(&c);
	expect_ok(slu_stage_cache_list(top, count, &n, &err), err);
	ck_assert_int_eq(n, 1);
	expect_ok(slu_stage_cache_yield(top, 1, &freed, &err), err);
	ck_assert_uint_eq(freed, 0);
	ck_assert_uint_gt(slu_stage_cache_bytes(top), w.length);
	expect_ok(slu_stage_cache_yield(top, UINT64_MAX / 2, &freed, &err),
		  err);
	ck_assert_uint_gt(freed, w.length);
	ck_assert_uint_eq(slu_stage_cache_bytes(top), 0);
	tree_remove(top);
}
END_TEST

/* Somebody who has the lock and does not go on (a disk that hangs): seconds
 * pass in place of being waited for. */
static bool is_held, has_no_inodes;
static double waited;

int flock(int fd, int how)
{
	if (is_held && (how & LOCK_EX)) {
		ck_assert_int_eq(how & LOCK_NB, LOCK_NB);
		errno = EWOULDBLOCK;
		return -1;
	}
	return (int)syscall(SYS_flock, fd, how);
}

int usleep(useconds_t us)
{
	waited += us / 1e6;
	return 0;
}

int clock_gettime(clockid_t id, struct timespec *ts)
{
	int rc = (int)syscall(SYS_clock_gettime, id, ts);

	ts->tv_sec += (time_t)waited;
	return rc;
}

int fstatvfs(int fd, struct statvfs *st)
{
	struct statfs of;

	if (fstatfs(fd, &of))
		return -1;
	*st = (struct statvfs){
		.f_frsize = (unsigned long)of.f_frsize,
		.f_blocks = of.f_blocks,
		.f_bfree = of.f_bfree,
		.f_bavail = of.f_bavail,
		.f_files = 1000,
		.f_ffree = has_no_inodes ? 40 : 900,
		.f_favail = has_no_inodes ? 40 : 900,
	};
	return 0;
}

/* A job that makes its storage does not wait for ever for the cache's lock. */
START_TEST(test_held_lock)
{
	const struct slu_cache_budget budget = {.bytes = BUDGET};
	struct slu_stage_cache c;
	struct timespec t = now();
	uint64_t freed;

	if (!have_root())
		return;
	setup();
	open_cache(&c, 0, 1);
	slu_stage_cache_close(&c);
	is_held = true;
	ck_assert_int_eq(slu_stage_cache_yield(top, 1, &freed, &err), -1);
	ck_assert_int_eq(err.kind, SLU_BUSY);
	ck_assert_ptr_nonnull(strstr(err.text, "for more than"));
	ck_assert_int_eq(
		slu_stage_cache_open(&c, top, &budget, 1000, 2, 1, &t, &err),
		-1);
	ck_assert_int_eq(err.kind, SLU_BUSY);
	is_held = false;
	ck_assert(waited >= 2 && waited < 120);
	expect_ok(slu_stage_cache_yield(top, 1, &freed, &err), err);
	tree_remove(top);
}
END_TEST

/* A twentieth of the disk's inodes stays free, too. */
START_TEST(test_no_inodes)
{
	struct slu_stage_cache c;
	struct slu_cache_key key;
	const struct wanted w = wanted(1, 1);
	const struct timespec t = now();

	if (!have_root())
		return;
	setup();
	open_cache(&c, 0, 1);
	make_key(&w, &key);
	has_no_inodes = true;
	ck_assert_int_eq(slu_stage_cache_begin(&c, &key, &t, &err), -1);
	ck_assert_int_eq(err.kind, SLU_BUSY);
	has_no_inodes = false;
	slu_stage_cache_close(&c);
	open_cache(&c, 0, 2);
	ck_assert_int_eq(get_or_fill(&c, &w, true), 0);
	slu_cache_key_free(&key);
	slu_stage_cache_close(&c);
	tree_remove(top);
}
END_TEST

/* What a stage-in that fails had from the cache goes, what it had not stays. */
START_TEST(test_doubt)
{
	struct wanted a = wanted(1, 1), b = wanted(2, 1);
	struct slu_stage_cache c;

	if (!have_root())
		return;
	setup();
	open_cache(&c, 0, 1);
	get_or_fill(&c, &a, true);
	get_or_fill(&c, &b, true);
	commit(&c);
	open_cache(&c, 0, 2);
	ck_assert_int_eq(get_or_fill(&c, &a, true), 1);
	expect_ok(slu_stage_cache_drop_used(&c, &err), err);
	ck_assert_int_eq(get_or_fill(&c, &a, true), 0);
	ck_assert_int_eq(get_or_fill(&c, &b, true), 1);
	slu_stage_cache_close(&c);
	tree_remove(top);
}
END_TEST

/* The next check keeps to a smaller budget, or to none. */
START_TEST(test_shrinks)
{
	const struct slu_cache_budget less = {.bytes = 300 * KIB};
	const struct timespec t = now();
	struct slu_stage_cache c;
	struct all *all;
	uint64_t freed;

	if (!have_root())
		return;
	setup();
	prepare();
	expect_ok(slu_stage_cache_open(&c, top, &less, 1000, 5, 1, &t, &err),
		  err);
	all = look_at_all();
	expect(all->bytes <= less.bytes && all->n > 0, "%llu",
	       (unsigned long long)all->bytes);
	free(all);
	slu_stage_cache_close(&c);
	expect_ok(slu_stage_cache_drop(top, &freed, &err), err);
	all = look_at_all();
	ck_assert_uint_eq(all->n + all->fills, 0);
	free(all);
	tree_remove(top);
}
END_TEST

TEST_MAIN("stage_cache", test_random, test_crash, test_larger, test_two,
	  test_other_user, test_damaged, test_yield, test_doubt, test_shrinks,
	  test_held_lock, test_no_inodes)
