/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests staging to file systems that report write errors only when data goes to
 * disk. */
#include "config.h"
#include "tests/unit/burst_buffer/node/stage_trees.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#define LOST_AT 1000000
#define LOST	4096

static int sync_error;	   /* of syncfs(), for any writer */
static const char *broken; /* path whose pages are dropped then, and */
static int file_error;	   /* its own, which fsync() returns */
static long type = EXT4_SUPER_MAGIC; /* of the destination */
static const char *told_by_close; /* what could not be written of this path, */
static atomic_bool written;	  /* when all has been */

/* Size and time stay. */
static void lose(const char *path)
{
	static const char hole[LOST];
	int fd = open(path, O_WRONLY);
	struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}};
	struct stat st;

	ck_assert_int_ge(fd, 0);
	ck_assert(!fstat(fd, &st));
	times[1] = st.st_mtim;
	ck_assert_int_eq(pwrite(fd, hole, LOST, LOST_AT), LOST);
	ck_assert(!futimens(fd, times));
	close(fd);
}

/* Instead of the library's. */
int syncfs(int fd)
{
	(void)fd;
	if (broken)
		lose(broken);
	errno = sync_error;
	return sync_error ? -1 : 0;
}

static bool is(int fd, const char *want)
{
	char link[64], path[PATH_MAX] = "";

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	(void)!readlink(link, path, sizeof(path) - 1);
	return want && !strcmp(path, want);
}

int fsync(int fd)
{
	errno = file_error;
	return file_error && is(fd, broken) ? -1 : 0;
}

int sync_file_range(int fd, off_t from, off_t n, unsigned flags)
{
	int (*real)(int, off_t, off_t, unsigned) =
		(int (*)(int, off_t, off_t, unsigned))(uintptr_t)dlsym(
			RTLD_NEXT, "sync_file_range");

	written |= flags & SYNC_FILE_RANGE_WAIT_AFTER && is(fd, told_by_close);
	return real(fd, from, n, flags);
}

int close(int fd)
{
	int (*real)(int) = (int (*)(int))(uintptr_t)dlsym(RTLD_NEXT, "close");
	bool tells = written && is(fd, told_by_close);
	int rc = real(fd);

	if (rc || !tells)
		return rc;
	errno = EIO;
	return -1;
}

int fstatfs(int fd, struct statfs *out)
{
	(void)fd;
	*out = (struct statfs){.f_type = type};
	return 0;
}

static void faults(int sync, const char *path, int file)
{
	sync_error = sync;
	broken = path;
	file_error = file;
}

static void late_setup(struct slu_stage_part *part)
{
	static char path[PATH_MAX];

	setup();
	make_file(in(src, "a"), 3 * LOST_AT, 1);
	make_file(in(src, "b"), 3 * LOST_AT, 2);
	snprintf(path, sizeof(path), "%s", in(dst, "src/b"));
	*part = (struct slu_stage_part){
		.source = src, .destination = dst, .n = 1, .durable = true};
	faults(0, path, 0);
}

static void late_teardown(void)
{
	faults(0, NULL, 0);
	type = EXT4_SUPER_MAGIC;
	told_by_close = NULL;
	teardown();
}

/* Data that an early copy could not write is copied by the last one. */
START_TEST(test_failed_early_copy_is_repeated)
{
	struct slu_stage_part part;

	late_setup(&part);
	part.quick = part.early = true;
	faults(EIO, broken, EIO);
	failed_with(stage_part(part, NULL), "Input/output error");
	faults(0, NULL, 0);
	part.early = false;
	expect_ok(stage_part(part, NULL), err);
	same(src, in(dst, "src"));
	late_teardown();
}
END_TEST

/* What it could is not copied again, with its mode and time. */
START_TEST(test_early_kept)
{
	struct slu_stage_part part;
	struct slu_stage_result r;

	late_setup(&part);
	part.quick = part.early = true;
	faults(0, NULL, 0);
	ck_assert(!chmod(in(src, "a"), 0440));
	expect_ok(stage_part(part, NULL), err);
	part.early = false;
	part.manifest = manifest();
	expect_ok(slu_stage(SLU_PREPARE, &part, &r, &err), err);
	expect_ok(slu_stage(SLU_COPY, &part, &r, &err), err);
	ck_assert_int_eq(r.kept, 2);
	expect_ok(slu_stage(SLU_VERIFY, &part, &r, &err), err);
	expect_ok(slu_stage(SLU_FINISH, &part, &r, &err), err);
	close(part.manifest);
	same(src, in(dst, "src"));
	late_teardown();
}
END_TEST

/* A process that outlives the job has mapped a file, and goes on writing to
 * pages that are dirty already. */
START_TEST(test_mapped_still)
{
	struct slu_stage_part part = {.n = 1, .ended = true, .mapped = true};
	struct slu_stage_result r;
	struct statfs fs;
	char *at;
	int fd;

	setup();
	if (statfs(src, &fs) || fs.f_type == TMPFS_MAGIC) {
		skip("what is mapped there never changes its time");
		teardown();
		return;
	}
	part.source = src;
	part.destination = dst;
	fd = open(in(src, "a"), O_RDWR | O_CREAT, 0644);
	ck_assert(!ftruncate(fd, 65536));
	at = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ck_assert_ptr_ne(at, MAP_FAILED);
	memset(at, 1, 65536);
	part.manifest = manifest();
	expect_ok(slu_stage(SLU_PREPARE, &part, &r, &err), err);
	expect_ok(all_nodes(SLU_COPY, part), err);
	usleep(20000); /* a tick of the clock that files have their times by */
	at[5] = 2;
	failed_with(all_nodes(SLU_VERIFY, part), "was changed while it was");
	close(part.manifest);
	munmap(at, 65536);
	close(fd);
	teardown();
}
END_TEST

/* A task that has mapped a file writes to it before and after an early copy. */
START_TEST(test_mapped)
{
	struct slu_stage_part part;
	struct statfs fs;
	int fd;
	char *p;

	late_setup(&part);
	faults(0, NULL, 0);
	if (statfs(src, &fs) || fs.f_type == TMPFS_MAGIC) {
		skip("what is mapped there never changes its time");
		late_teardown();
		return;
	}
	fd = open(in(src, "a"), O_RDWR);
	p = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ck_assert_ptr_ne(p, MAP_FAILED);
	*p = 'x';
	part.quick = part.early = true;
	expect_ok(stage_part(part, NULL), err);
	usleep(20000); /* for the clock of times to go on */
	*p = 'y';
	ck_assert(!munmap(p, 1) && !close(fd));
	part.early = false;
	expect_ok(stage_part(part, NULL), err);
	same(src, in(dst, "src"));
	late_teardown();
}
END_TEST

/* Somebody else's data could not be written there. */
START_TEST(test_write_error_of_another_file)
{
	struct slu_stage_part part;

	late_setup(&part);
	faults(ENOSPC, NULL, 0);
	expect_ok(stage_part(part, NULL), err);
	same(src, in(dst, "src"));
	late_teardown();
}
END_TEST

/* Ours could not, and the file knows, or has been forgotten since. */
START_TEST(test_own_write_error_is_reported)
{
	struct slu_stage_part part;

	late_setup(&part);
	faults(ENOSPC, broken, ENOSPC);
	failed_with(stage_part(part, NULL), "src/b: No space left on device");
	faults(ENOSPC, broken, 0);
	failed_with(stage_part(part, NULL),
		    "src/b did not arrive whole: its content differs");
	late_teardown();
}
END_TEST

/* Another process may have got the error of what was copied before a crash. */
START_TEST(test_resumed)
{
	struct slu_stage_part part;
	struct slu_stage_result r;

	late_setup(&part);
	part.manifest = manifest();
	part.journal = open(in(top, "journal"), O_RDWR | O_CREAT, 0600);
	expect_ok(slu_stage(SLU_PREPARE, &part, &r, &err), err);
	for (int i = 0; i < 2; i++) {
		faults(i ? 0 : EIO, broken, EIO);
		failed_with(slu_stage(SLU_COPY, &part, &r, &err),
			    "src/b: Input/output error");
	}
	faults(0, NULL, 0);
	expect_ok(slu_stage(SLU_COPY, &part, &r, &err), err);
	ck_assert_int_eq(r.kept, 2);
	close(part.journal);
	close(part.manifest);
	late_teardown();
}
END_TEST

/* The kernel does not hand syncfs() on to a process, so each file is asked;
 * what somebody else has brought there, too. */
START_TEST(test_fuse)
{
	struct slu_stage_part part;
	const char *b;

	late_setup(&part);
	b = broken;
	type = FUSE_SUPER_MAGIC;
	faults(0, b, ENOSPC);
	failed_with(stage_part(part, NULL), "src/b: No space left on device");
	faults(0, NULL, 0);
	expect_ok(stage_part(part, NULL), err);
	part.quick = true;
	faults(0, b, ENOSPC);
	failed_with(stage_part(part, NULL), "src/b: No space left on device");
	late_teardown();
}
END_TEST

/* Lustre returns a write error to the process that closes the file after
 * that. */
START_TEST(test_lustre)
{
	struct slu_stage_part part;

	late_setup(&part);
	type = 0x0bd00bd0;
	told_by_close = broken;
	faults(0, NULL, 0);
	failed_with(stage_part(part, NULL), "src/b: Input/output error");
	late_teardown();
}
END_TEST

/* Nor does it reach what is mounted below the destination. */
START_TEST(test_mounted_below)
{
	struct slu_stage_part part;
	char dir[PATH_MAX], file[PATH_MAX];

	late_setup(&part);
	make_dir(in(dst, "src"), 0755);
	snprintf(dir, sizeof(dir), "%s", in(dst, "src/d"));
	snprintf(file, sizeof(file), "%s", in(dst, "src/d/f"));
	make_dir(dir, 0755);
	make_dir(in(src, "d"), 0755);
	make_file(in(src, "d/f"), 2 * LOST_AT, 3);
	if (unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("none", dir, "tmpfs", 0, NULL)) {
		skip("mounting needs root");
	} else {
		faults(0, NULL, 0);
		expect_ok(stage_part(part, NULL), err);
		faults(0, file, EDQUOT);
		failed_with(stage_part(part, NULL),
			    "src/d/f: Disk quota exceeded");
		ck_assert(!umount(dir));
	}
	late_teardown();
}
END_TEST

static int other_comes(void *arg, uint64_t bytes, uint64_t files)
{
	int *turn = arg;

	(void)files;
	if (bytes && !(*turn)++)
		make_file(in(dst, "f"), 20 << 20, 1);
	return 0;
}

/* Another job brings the same name while the file is copied: it then is of
 * both, which reading it tells. */
START_TEST(test_two_at_once)
{
	int turn = 0;
	struct slu_stage_part part = {
		.destination = dst,
		.n = 1,
		.content = true,
		.progress = other_comes,
		.arg = &turn,
	};

	setup();
	part.source = in(top, "src/");
	make_file(in(src, "f"), 20 << 20, 2);
	failed_with(stage_part(part, NULL), "its content differs");
	teardown();
}
END_TEST

TEST_MAIN("stage late", test_failed_early_copy_is_repeated, test_early_kept,
	  test_mapped, test_mapped_still, test_write_error_of_another_file,
	  test_own_write_error_is_reported, test_resumed, test_fuse,
	  test_lustre, test_mounted_below, test_two_at_once)
