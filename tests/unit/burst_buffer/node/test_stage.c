/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests staging between two directories by several simulated nodes. */
#include "config.h"
#include "tests/unit/burst_buffer/node/stage_trees.h"
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/staging/share.h"

static void check_all_kinds(unsigned n)
{
	int big = open(in(src, "big"), O_RDWR | O_CREAT, 0400);

	if (geteuid())
		ck_assert(big >= 0);
	grow(src, 3, 1);
	/* A sparse file of several ranges with data at both ends of some, a
	 * hole at its end, and no right to write it. */
	for (int i = 0; i < 4; i++)
		ck_assert(pwrite(big, "data", 4,
				 (off_t)(SLU_STAGE_RANGE * (i + 1)) - 2) == 4);
	ck_assert(!ftruncate(big, SLU_STAGE_RANGE * 5 + 12345));
	close(big);
	ck_assert_msg(!stage(src, dst, n), "%s", err.text);
	same(src, in(dst, "src"));
	/* And once more over what is there: directories keep their times. */
	ck_assert_msg(!stage(src, dst, n), "%s", err.text);
	ck_assert_ptr_null(tree_differs(src, in(dst, "src"), 0));
}

START_TEST(test_all_kinds)
{
	static const unsigned nodes[] = {1, 2, 4, 7};

	each(n, nodes)
	{
		setup();
		check_all_kinds(*n);
		teardown();
	}
}
END_TEST

START_TEST(test_large_files)
{
	setup();
	make_file(in(src, "a"), 150u << 20, 1);
	make_file(in(src, "b"), 3, 2);
	make_file(in(src, "c"), SLU_STAGE_RANGE, 3);
	make_file(in(src, "d"), SLU_STAGE_RANGE + 1, 3);
	ck_assert_msg(!stage(src, dst, 4), "%s", err.text);
	same(src, in(dst, "src"));
	teardown();
}
END_TEST

START_TEST(test_empty)
{
	setup();
	ck_assert_msg(!stage(src, dst, 4), "%s", err.text);
	same(src, in(dst, "src"));
	teardown();
}
END_TEST

START_TEST(test_deep_directories)
{
	char name[61];
	int at, fd;
	struct rlimit few;
	struct slu_stage_result r;
	struct slu_stage_part part = {
		.source = src, .destination = dst, .n = 2};

	setup();
	at = open(src, O_RDONLY);
	memset(name, 'd', 60);
	name[60] = '\0';
	for (int i = 0; i < 200; i++) { /* 12,200 bytes of path */
		ck_assert(!mkdirat(at, name, 0755));
		fd = openat(at, name, O_RDONLY);
		close(at);
		at = fd;
	}
	fd = openat(at, "leaf", O_WRONLY | O_CREAT, 0644);
	ck_assert(write(fd, "leaf", 4) == 4);
	close(fd);
	close(at);
	getrlimit(RLIMIT_NOFILE, &few);
	few.rlim_cur = 256; /* as a site may have it */
	setrlimit(RLIMIT_NOFILE, &few);
	ck_assert_msg(!stage_part(part, &r), "%s", err.text);
	ck_assert_uint_eq(r.total_files, 1);
	same(src, in(dst, "src"));
	teardown();
}
END_TEST

/* The sums of the nodes' results equal those of the manifest. */
START_TEST(test_sums)
{
	struct slu_stage_part part = {
		.source = src, .destination = dst, .n = 3};
	struct slu_stage_result r, all;

	setup();
	grow(src, 2, 1);
	make_file(in(src, "big"), SLU_STAGE_RANGE + 5, 2);
	part.manifest = manifest();
	ck_assert(!slu_stage(SLU_PREPARE, &part, &all, &err));
	ck_assert_uint_eq(all.files, 6); /* the links */
	for (; part.self < part.n; part.self++) {
		ck_assert(!slu_stage(SLU_COPY, &part, &r, &err));
		ck_assert_uint_eq(r.total_bytes, all.total_bytes);
		all.files += r.files;
		all.bytes += r.bytes;
	}
	ck_assert_uint_eq(all.files, all.total_files);
	ck_assert_uint_eq(all.bytes, all.total_bytes);
	close(part.manifest);
	teardown();
}
END_TEST

/* Names: source, destination (below the destination directory), below, what
 * must exist afterwards. The source has in/x and file. */
static const struct {
	const char *source, *destination, *below;
	int file, fs_root;
	const char *arrives;
} names[] = {
	{"in", "", NULL, 0, 0, "in/x"},
	{"in", "/", NULL, 0, 0, "in/x"},
	{"in", "/new/deeper", NULL, 0, 0, "new/deeper/in/x"},
	{"in", "/new/", NULL, 0, 0, "new/in/x"},
	{"in/", "", NULL, 0, 0, "x"},
	{"in//", "/new", NULL, 0, 0, "new/x"},
	{"in/.", "/new", NULL, 0, 0, "new/x"},
	{"in", "", NULL, 0, 1, "x"},
	{"in/", "/new", NULL, 0, 1, "new/x"},
	{"in", "/o", "n1", 0, 0, "o/n1/in/x"},
	{"in/", "/o", "n1", 0, 0, "o/n1/x"},
	{"in", "/o", "n1", 0, 1, "o/n1/x"},
	{"file", "", NULL, 1, 0, "file"},
	{"file", "/", NULL, 1, 0, "file"},
	{"file", "/as", NULL, 1, 0, "as"},
	{"file", "/new/as", NULL, 1, 0, "new/as"},
	{"file", "/new/", NULL, 1, 0, "new/file"},
	{"link", "/as", NULL, 1, 0, "as"},
	{"link", "", NULL, 1, 0, "link"},
	{"file", "/o", "n1", 1, 0, "n1/o"},
	{"file", "/o/as", "n1", 1, 0, "o/n1/as"},
	{"file", "/o/", "n1", 1, 0, "o/n1/file"},
	{"file", "", "n1", 1, 0, "n1/file"},
	{"link", "/new/as", "n1", 1, 0, "new/n1/as"},
	/* those of NNF's table that are not above: where each node has files
	 * of its own ... */
	{"file", "/file", "n1", 1, 0, "n1/file"},
	{"file", "/new/", "n1", 1, 0, "new/n1/file"},
	{"file", "/new/b/", "n1", 1, 0, "new/b/n1/file"},
	{"file", "/new/b/as", "n1", 1, 0, "new/b/n1/as"},
	{"in", "", "n1", 0, 0, "n1/in/x"},
	{"in", "/", "n1", 0, 0, "n1/in/x"},
	{"in/", "", "n1", 0, 0, "n1/x"},
	{"in/", "/", "n1", 0, 0, "n1/x"},
	{"in", "/new/", "n1", 0, 0, "new/n1/in/x"},
	{"in/", "/new/", "n1", 0, 0, "new/n1/x"},
	{"in", "/new/b", "n1", 0, 0, "new/b/n1/in/x"},
	{"in", "/new/b/", "n1", 0, 0, "new/b/n1/in/x"},
	{"in/", "/new/b", "n1", 0, 0, "new/b/n1/x"},
	{"in/", "/new/b/", "n1", 0, 0, "new/b/n1/x"},
	{"in", "", "n1", 0, 1, "n1/x"},
	{"in/", "/", "n1", 0, 1, "n1/x"},
	{"in", "/new/", "n1", 0, 1, "new/n1/x"},
	{"in/", "/new", "n1", 0, 1, "new/n1/x"},
	/* ... and where they share them */
	{"file", "/file", NULL, 1, 0, "file"},
	{"file", "/new/b/", NULL, 1, 0, "new/b/file"},
	{"file", "/new/b/as", NULL, 1, 0, "new/b/as"},
	{"in/", "/", NULL, 0, 0, "x"},
	{"in/", "/new/", NULL, 0, 0, "new/x"},
	{"in", "/new/b/", NULL, 0, 0, "new/b/in/x"},
	{"in/", "/new/b", NULL, 0, 0, "new/b/x"},
	{"in", "/", NULL, 0, 1, "x"},
	{"in/", "", NULL, 0, 1, "x"},
	{"in", "/new/", NULL, 0, 1, "new/x"},
};

static void check_name_rules(size_t _i)
{
	char from[5000], to[5000];
	struct slu_stage_part part = {
		.source = from,
		.destination = to,
		.what = names[_i].file ? SLU_WHAT_FILE : SLU_WHAT_DIRECTORY,
		.below = names[_i].below,
		.n = 2,
	};
	struct stat st;

	make_dir(in(src, "in"), 0750);
	make_text(in(src, "in/x"), "x");
	make_text(in(src, "file"), "f");
	make_link(in(src, "link"), "file");
	snprintf(from, sizeof(from), "%s/%s", src, names[_i].source);
	snprintf(to, sizeof(to), "%s%s", dst, names[_i].destination);
	if (names[_i].fs_root)
		part.fs_root = in(src, "in");
	for (int again = 0; again < 2; again++) {
		ck_assert_msg(!stage_part(part, NULL), "%s", err.text);
		ck_assert_msg(!lstat(in(dst, names[_i].arrives), &st) &&
				      S_ISREG(st.st_mode),
			      "%s", names[_i].arrives);
		ck_assert_int_eq(st.st_size, 1);
	}
}

START_TEST(test_name_rules)
{
	each(c, names)
	{
		setup();
		check_name_rules((size_t)(c - names));
		teardown();
	}
}
END_TEST

/* What was there before and is not in the source stays, with its mode. */
START_TEST(test_existing)
{
	struct stat st;

	setup();
	make_dir(in(src, "d"), 0711);
	make_text(in(src, "d/f"), "new");
	make_dir(in(dst, "d"), 02775);
	make_text(in(dst, "d/f"), "old and longer");
	ck_assert(!chmod(in(dst, "d/f"), 0400));
	make_text(in(dst, "d/other"), "other");
	ck_assert_msg(!stage(in(top, "src/"), dst, 3), "%s", err.text);
	ck_assert(!stat(in(dst, "d"), &st));
	ck_assert_int_eq(st.st_mode & 07777, 02775);
	ck_assert(!stat(in(dst, "d/f"), &st));
	ck_assert_int_eq(st.st_size, 3);
	ck_assert(!access(in(dst, "d/other"), F_OK));
	teardown();
}
END_TEST

START_TEST(test_inherits_setgid)
{
	struct stat st;

	setup();
	ck_assert(!chmod(dst, 02755));
	make_dir(in(src, "d"), 0755);
	ck_assert_msg(!stage(in(top, "src/"), dst, 1), "%s", err.text);
	ck_assert(!stat(in(dst, "d"), &st));
	ck_assert_int_eq(st.st_mode & 07777, 02755);
	teardown();
}
END_TEST

START_TEST(test_directory_bits)
{
	static const mode_t modes[] = {03777, 01777, 02755};
	struct stat st;
	char name[20];

	setup();
	each(m, modes)
	{
		snprintf(name, sizeof(name), "%o", *m);
		make_dir(in(src, name), 0755);
		ck_assert(!chmod(in(src, name), *m));
	}
	expect_ok(stage(in(top, "src/"), dst, 2), err);
	each(m, modes)
	{
		snprintf(name, sizeof(name), "%o", *m);
		ck_assert(!stat(in(dst, name), &st));
		expect((st.st_mode & 07777) == *m, "%o: %o", *m, st.st_mode);
	}
	teardown();
}
END_TEST

/* They have no size by which to copy them, and would arrive empty. */
START_TEST(test_generated)
{
	setup();
	failed_with(stage("/proc/self/attr", in(dst, "a"), 1),
		    "the kernel makes it when it is read");
	failed_with(stage("/proc/sys/kernel/", in(dst, "b"), 1),
		    "the kernel makes it when it is read");
	teardown();
}
END_TEST

/* Whatever is mounted where; what this kernel lacks is left out. */
START_TEST(test_generated_kinds)
{
	static const char *const kinds[] = {
		"proc",	   "sysfs",   "debugfs",    "tracefs",
		"bpf",	   "cgroup2", "securityfs", "selinuxfs",
		"smackfs", "devpts",  "binfmt_misc"};
	int tried = 0;

	if (unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)) {
		skip("mounting needs root");
		return;
	}
	setup();
	each(kind, kinds)
	{
		make_dir(in(src, *kind), 0755);
		if (mount("none", in(src, *kind), *kind, 0, NULL))
			continue;
		expect(stage(in(src, *kind), in(dst, *kind), 1) &&
			       strstr(err.text, "the kernel makes it"),
		       "%s: %s", *kind, err.text);
		ck_assert(!umount2(in(src, *kind), MNT_DETACH));
		tried++;
	}
	ck_assert_int_gt(tried, 5);
	teardown();
}
END_TEST

/* What sluice(7) says does not arrive. */
START_TEST(test_does_not_arrive)
{
	static const mode_t modes[] = {04755, 02755, 01644, 06711};
	struct stat st, other;
	char name[20];

	setup();
	make_text(in(src, "first"), "both names");
	ck_assert(!link(in(src, "first"), in(src, "second")));
	each(m, modes)
	{
		snprintf(name, sizeof(name), "%o", *m);
		make_text(in(src, name), "x");
		ck_assert(!chmod(in(src, name), *m));
	}
	make_dir(in(src, "dir"), 0755);
	ck_assert(!chmod(in(src, "dir"), 01755));
	ck_assert_msg(!stage(src, dst, 2), "%s", err.text);
	ck_assert(!stat(in(dst, "src/first"), &st));
	ck_assert(!stat(in(dst, "src/second"), &other));
	ck_assert(st.st_ino != other.st_ino && other.st_nlink == 1);
	ck_assert_int_eq(other.st_size, st.st_size);
	each(m, modes)
	{
		snprintf(name, sizeof(name), "src/%o", *m);
		ck_assert(!stat(in(dst, name), &st));
		expect((st.st_mode & 07777) == (*m & 0777), "%o: %o", *m,
		       st.st_mode);
	}
	teardown();
}
END_TEST

/* Nor do they where both names were one file before, which stays as it is under
 * its others. Size and time tell nothing here. */
static void expect_names_apart(uint64_t size)
{
	static const char *const names[] = {"first", "second"};
	const struct timespec when[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};

	setup();
	make_dir(in(top, "was"), 0755);
	make_dir(in(top, "snapshot"), 0755);
	make_file(in(top, "was/first"), size, 3);
	make_file(in(top, "snapshot/first"), size, 3);
	for (int i = 0; i < 2; i++) {
		make_file(in(src, names[i]), size, (unsigned)i + 1);
		ck_assert(!utimensat(AT_FDCWD, in(src, names[i]), when, 0));
		ck_assert(!link(in(top, "snapshot/first"), in(dst, names[i])));
	}
	expect_ok(stage(in(top, "src/"), dst, 2), err);
	same(in(top, "src/"), dst);
	ck_assert_ptr_null(
		tree_differs(in(top, "was"), in(top, "snapshot"), 0));
	teardown();
}

START_TEST(test_names_apart)
{
	expect_names_apart(100000);
	expect_names_apart(SLU_STAGE_RANGE + 1000);
}
END_TEST

/* Pipes and sockets hold nothing to copy: named, not an error. */
START_TEST(test_special)
{
	struct slu_stage_result r;
	struct slu_stage_part part = {
		.source = src, .destination = dst, .n = 2};

	setup();
	ck_assert(!mkfifo(in(src, "pipe"), 0600));
	make_text(in(src, "file"), "x");
	ck_assert_msg(!stage_part(part, &r), "%s", err.text);
	ck_assert_uint_eq(r.skipped, 1);
	ck_assert_str_eq(r.first_skipped, "pipe");
	ck_assert_uint_eq(r.total_files, 1);
	ck_assert_int_eq(access(in(dst, "src/pipe"), F_OK), -1);
	/* The same asked for as a file is one. */
	part.source = in(src, "pipe");
	part.what = SLU_WHAT_FILE;
	ck_assert_int_eq(stage_part(part, &r), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "not a regular file"));
	teardown();
}
END_TEST

/* What a brick keeps for itself does not come along. */
START_TEST(test_brick)
{
	struct slu_stage_part part = {
		.destination = dst, .bricks = true, .n = 1};

	setup();
	part.source = in(top, "src/");
	make_text(in(src, "elsewhere"), "");
	ck_assert(!chmod(in(src, "elsewhere"), 01000));
	make_text(in(src, "here"), "x");
	ck_assert(!chmod(in(src, "here"), 01644));
	ck_assert_msg(!stage_part(part, NULL), "%s", err.text);
	ck_assert_int_eq(access(in(dst, "elsewhere"), F_OK), -1);
	ck_assert(!access(in(dst, "here"), F_OK));
	teardown();
}
END_TEST

/* Times that only one of the two file systems can hold. */
START_TEST(test_odd_times)
{
	static const time_t when[] = {-11644473600, -1, 16725225600};
	char *from = strdup("/dev/shm/sluice-test.XXXXXX");

	setup();
	ck_assert_ptr_nonnull(mkdtemp(from));
	make_text(in(from, "f"), "x");
	each(t, when)
	{
		const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT},
						  {.tv_sec = *t}};

		ck_assert(!utimensat(AT_FDCWD, in(from, "f"), times, 0));
		expect_ok(stage(from, dst, 1), err);
	}
	tree_remove(from);
	teardown();
}
END_TEST

/* The walk keeps two directories open for each level, and some stack. */
START_TEST(test_too_deep)
{
	struct rlimit files;
	int dir, sub;

	ck_assert(!getrlimit(RLIMIT_NOFILE, &files));
	if (files.rlim_max < 10000) {
		skip("too few files may be open");
		return;
	}
	setup();
	dir = open(src, O_RDONLY | O_DIRECTORY);
	for (int i = 0; i < 5000; i++) {
		ck_assert(!mkdirat(dir, "d", 0755));
		sub = openat(dir, "d", O_RDONLY | O_DIRECTORY);
		close(dir);
		dir = sub;
	}
	close(dir);
	failed_with(stage(src, dst, 1), "more than 4096 levels");
	teardown();
}
END_TEST

/* That no inode is left is another thing than that no byte is. */
START_TEST(test_no_inodes)
{
	static const char *const options[] = {"nr_inodes=4", "nr_inodes=2"};

	if (unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)) {
		skip("mounting needs root");
		return;
	}
	setup();
	make_dir(in(src, "d"), 0755);
	make_text(in(src, "a"), "x");
	make_text(in(src, "b"), "x");
	each(option, options)
	{
		ck_assert(!mount("none", dst, "tmpfs", 0, *option));
		failed_with(stage(src, dst, 1),
			    "No space left on device for more files (inodes)");
		failed_with(stage(src, in(dst, "x/y/z"), 1),
			    "No space left on device for more files (inodes)");
		ck_assert(!umount(dst));
	}
	teardown();
}
END_TEST

/* The error names the side that is full. */
START_TEST(test_no_bytes)
{
	char said[PATH_MAX + 64] = "";
	int fd;

	if (unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)) {
		skip("mounting needs root");
		return;
	}
	setup();
	ck_assert(!mount("none", dst, "tmpfs", 0, "size=64k"));
	fd = open(in(src, "a"), O_WRONLY | O_CREAT, 0644);
	for (int i = 0; i < 64; i++)
		ck_assert_int_eq(write(fd, said, sizeof(said)), sizeof(said));
	ck_assert(!posix_fallocate(fd, 0, 1 << 20) && !close(fd));
	snprintf(said, sizeof(said), "%s/src/a write: No space left", dst);
	failed_with(stage(src, dst, 1), said);
	ck_assert(!umount(dst));
	teardown();
}
END_TEST

TEST_MAIN("stage", test_too_deep, test_odd_times, test_all_kinds,
	  test_large_files, test_empty, test_deep_directories, test_name_rules,
	  test_existing, test_inherits_setgid, test_directory_bits,
	  test_generated, test_generated_kinds, test_special,
	  test_does_not_arrive, test_names_apart, test_sums, test_brick,
	  test_no_inodes, test_no_bytes)
