/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests that a file that is staged out has a temporary name until it is
 * verified. */
#include "config.h"
#include "tests/unit/burst_buffer/node/stage_trees.h"
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "burst_buffer/staging/files/temporary_file.h"
#include "burst_buffer/staging/share.h"

#define TAG   "sluice-7"
#define LARGE (SLU_STAGE_RANGE + 4096)

static struct slu_stage_part part;

static void begin(void)
{
	setup();
	part = (struct slu_stage_part){.source = src,
				       .destination = dst,
				       .n = 2,
				       .durable = true,
				       .beside = TAG};
	make_dir(in(dst, "src"), 0755);
}

static void end(void)
{
	teardown();
}

static void has(const char *path, const char *text)
{
	char is[100] = "";
	int fd = open(path, O_RDONLY);

	ck_assert_msg(fd >= 0, "%s", path);
	ck_assert_int_ge(read(fd, is, sizeof(is) - 1), 0);
	close(fd);
	ck_assert_msg(!strncmp(is, text, strlen(text)), "%s has %s", path, is);
}

/* Files below dst/src with "sluice-" in their names. */
static int left(void)
{
	DIR *d = opendir(in(dst, "src"));
	struct dirent *e;
	int n = 0;

	ck_assert_ptr_nonnull(d);
	while ((e = readdir(d)))
		n += strstr(e->d_name, ".sluice-") != NULL;
	closedir(d);
	return n;
}

static void act(enum slu_act_name name)
{
	struct slu_stage_result r;

	part.manifest = name == SLU_PREPARE
				? manifest()
				: open(in(top, "manifest"), O_RDONLY);
	expect_ok(slu_stage(name, &part, &r, &err), err);
	close(part.manifest);
}

/* One byte, which its size and time do not tell. */
static void corrupt(const char *path, off_t at)
{
	struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}};
	struct stat st;
	int fd = open(path, O_RDWR);
	char c;

	ck_assert_msg(fd >= 0, "%s", path);
	ck_assert(!fstat(fd, &st));
	ck_assert_int_eq(pread(fd, &c, 1, at), 1);
	c ^= 1;
	ck_assert_int_eq(pwrite(fd, &c, 1, at), 1);
	times[1] = st.st_mtim;
	ck_assert(!futimens(fd, times));
	close(fd);
}

/* Where its copy is before it has been verified, and later. */
static const char *copy_of(const char *name)
{
	char beside[NAME_MAX + 1], path[400];

	snprintf(path, sizeof(path), "src/%s",
		 slu_temporary_file_name(name, TAG, beside));
	if (access(in(dst, path), F_OK))
		snprintf(path, sizeof(path), "src/%s", name);
	return in(dst, path);
}

static void check_failure(uint64_t size, bool content, bool was, off_t at)
{
	begin();
	part.content = content;
	make_file(in(src, "f"), size, 1);
	if (was)
		make_text(in(dst, "src/f"), "of before");
	act(SLU_PREPARE);
	expect_ok(all_nodes(SLU_COPY, part), err);
	if (content)
		corrupt(copy_of("f"), at);
	else
		ck_assert(!truncate(copy_of("f"), at));
	failed_with(all_nodes(SLU_VERIFY, part), "did not arrive whole");
	if (was)
		has(in(dst, "src/f"), "of before");
	else
		ck_assert(access(in(dst, "src/f"), F_OK));
	expect_ok(all_nodes(SLU_DISCARD, part), err);
	ck_assert_int_eq(left(), 0);
	end();
}

START_TEST(test_failure_keeps)
{
	for (int was = 0; was < 2; was++) {
		check_failure(5000, false, was, 4096);
		check_failure(5000, true, was, 4999);
		check_failure(LARGE, false, was, 4096);
		check_failure(LARGE, true, was, 1);
		check_failure(LARGE, true, was, LARGE - 1);
	}
}
END_TEST

/* What cannot be copied to its end. */
START_TEST(test_copy_fails)
{
	begin();
	make_file(in(src, "f"), 5000, 1);
	make_text(in(dst, "src/f"), "of before");
	act(SLU_PREPARE);
	ck_assert(!truncate(in(src, "f"), 100));
	failed_with(all_nodes(SLU_COPY, part), "changed while");
	has(in(dst, "src/f"), "of before");
	expect_ok(all_nodes(SLU_DISCARD, part), err);
	ck_assert_int_eq(left(), 0);
	end();
}
END_TEST

/* A replacement is a file of its own. */
START_TEST(test_replaces)
{
	static const uint64_t sizes[] = {0, 5000, LARGE};
	const char *other;

	each(size, sizes) for (int content = 0; content < 2; content++)
	{
		begin();
		part.content = content;
		make_file(in(src, "f"), *size, 1);
		make_file(in(src, "g"), *size, 2);
		make_file(in(src, "h"), *size, 3);
		make_text(in(dst, "src/f"), "of before");
		ck_assert(!chmod(in(dst, "src/f"), 0444));
		ck_assert(!link(in(dst, "src/f"), in(top, "other")));
		make_text(in(top, "target"), "not mine");
		make_link(in(dst, "src/g"), in(top, "target"));
		ck_assert(!mkfifo(in(dst, "src/h"), 0600));
		make_text(in(dst, "src/.f." TAG), "stale");
		expect_ok(stage_part(part, NULL), err);
		same(src, in(dst, "src"));
		other = in(top, "other");
		has(other, "of before");
		has(in(top, "target"), "not mine");
		end();
	}
}
END_TEST

START_TEST(test_directory_there)
{
	static const uint64_t sizes[] = {5000, LARGE};

	each(size, sizes)
	{
		begin();
		make_file(in(src, "f"), *size, 1);
		make_dir(in(dst, "src/f"), 0755);
		failed_with(stage_part(part, NULL), "Is a directory");
		ck_assert_int_eq(left(), 0);
		end();
	}
}
END_TEST

/* Ours of before go, others' never; what is called like ours at the source is
 * left out, and told. */
START_TEST(test_remains)
{
	struct slu_stage_result r;

	begin();
	make_dir(in(src, "sub"), 0755);
	make_dir(in(dst, "src/sub"), 0755);
	make_file(in(src, "f"), 5000, 1);
	make_text(in(src, ".f." TAG), "of an earlier run");
	make_text(in(dst, "src/.gone." TAG), "ours");
	make_text(in(dst, "src/sub/.gone." TAG), "ours");
	make_text(in(dst, "src/.gone.sluice-77"), "another job's");
	make_text(in(dst, "src/." TAG), "a name");
	expect_ok(stage_part(part, &r), err);
	ck_assert_int_eq(r.skipped, 1);
	ck_assert_int_eq(left(), 2);
	ck_assert(access(in(dst, "src/sub/.gone." TAG), F_OK));
	has(in(dst, "src/.gone.sluice-77"), "another job's");
	has(in(dst, "src/." TAG), "a name");
	end();
}
END_TEST

START_TEST(test_not_ours)
{
	if (geteuid())
		return;
	begin();
	make_file(in(src, "f"), 5000, 1);
	make_text(in(dst, "src/.f." TAG), "root's");
	ck_assert(!chown(in(dst, "src"), 65534, 65534));
	become_nobody();
	failed_with(stage_part(part, NULL),
		    "File exists: .f." TAG " beside it");
	has(in(dst, "src/.f." TAG), "root's");
	end();
}
END_TEST

/* In a process of its own, so that what is left can be removed. */
static void as_nobody(void (*f)(void))
{
	int status;

	if (!fork()) {
		become_nobody();
		f();
		_exit(0);
	}
	ck_assert(wait(&status) > 0 && status == 0);
}

/* A directory that is not to be changed, with a file that is; and one where
 * nobody may take another's name. */
static void stage_in_place(void)
{
	struct slu_stage_result r, sum = {0};

	part.n = 1;
	part.manifest = manifest();
	for (int i = SLU_PREPARE; i <= SLU_FINISH; i++) {
		ck_assert(!lseek(part.manifest, 0, SEEK_SET));
		expect_ok(slu_stage((enum slu_act_name)i, &part, &r, &err),
			  err);
		sum.in_place += r.in_place;
		if (r.in_place)
			ck_assert_str_eq(r.first_in_place, "f");
	}
	ck_assert_int_eq(sum.in_place, 1);
}

static void check_in_place(mode_t dir, uid_t owner, uint64_t size)
{
	begin();
	make_file(in(src, "f"), size, 1);
	make_text(in(dst, "src/f"), "of before");
	ck_assert(!chmod(in(dst, "src/f"), 0666));
	ck_assert(!chown(in(dst, "src/f"), owner, 65534));
	ck_assert(!chmod(in(dst, "src"), dir));
	as_nobody(stage_in_place);
	part.manifest = 0;
	ck_assert(!unlink(in(top, "manifest")));
	ck_assert_ptr_null(tree_differs(src, in(dst, "src"), 0));
	end();
}

START_TEST(test_in_place)
{
	if (geteuid())
		return;
	check_in_place(0755, 65534, 5000);
	check_in_place(0755, 65534, LARGE);
}
END_TEST

/* In a directory with the sticky bit a user cannot take the name of another
 * user's file. */
static void look(void)
{
	int dir = open(in(dst, "src"), O_PATH | O_DIRECTORY);

	ck_assert(!slu_temporary_file_can(dir, "roots"));
	ck_assert(slu_temporary_file_can(dir, "own"));
	ck_assert(slu_temporary_file_can(dir, "new"));
	close(dir);
}

START_TEST(test_can)
{
	if (geteuid())
		return;
	begin();
	make_text(in(dst, "src/roots"), "x");
	make_text(in(dst, "src/own"), "x");
	ck_assert(!chown(in(dst, "src/own"), 65534, 65534));
	ck_assert(!chmod(in(dst, "src"), 01777));
	as_nobody(look);
	end();
}
END_TEST

static void named(const char *name, size_t most)
{
	char beside[NAME_MAX + 1];

	ck_assert_ptr_eq(slu_temporary_file_name(name, TAG, beside), beside);
	ck_assert_uint_le(strlen(beside), most);
	ck_assert(slu_temporary_file_is(beside, TAG));
	ck_assert(!slu_temporary_file_is(beside, "sluice-77"));
	ck_assert(!slu_temporary_file_is(beside, "7"));
}

START_TEST(test_names)
{
	char a[NAME_MAX + 1], b[NAME_MAX + 1], x[NAME_MAX + 1], y[NAME_MAX + 1];

	for (size_t n = 1; n <= NAME_MAX; n++) {
		memset(a, 'a', n);
		a[n] = '\0';
		named(a, 143);
		strcpy(b, a);
		b[n - 1] = 'b';
		ck_assert_str_ne(slu_temporary_file_name(a, TAG, x),
				 slu_temporary_file_name(b, TAG, y));
	}
	ck_assert_str_eq(slu_temporary_file_name("f", TAG, x), ".f." TAG);
	ck_assert(!slu_temporary_file_is("." TAG, TAG));
	ck_assert(!slu_temporary_file_is(".." TAG, TAG));
	ck_assert(!slu_temporary_file_is("f." TAG, TAG));
}
END_TEST

/* Every kind of entry, long names too; on any number of nodes. */
START_TEST(test_trees)
{
	for (part.n = 1; part.n <= 3; part.n++) {
		unsigned n = part.n;

		begin();
		part.n = n;
		part.content = n % 2;
		grow(src, 2, n);
		make_file(in(src, "large"), LARGE, n);
		expect_ok(stage_part(part, NULL), err);
		same(src, in(dst, "src"));
		expect_ok(stage_part(part, NULL), err); /* over itself */
		ck_assert_ptr_null(tree_differs(src, in(dst, "src"), 0));
		end();
	}
}
END_TEST

/* An act that was cut short is done again, on what it had done. */
START_TEST(test_again)
{
	for (int content = 0; content < 2; content++) {
		begin();
		part.content = content;
		grow(src, 1, 1);
		make_file(in(src, "large"), LARGE, 1);
		act(SLU_PREPARE);
		for (int i = 0; i < 2; i++)
			expect_ok(all_nodes(SLU_COPY, part), err);
		for (int i = 0; i < 2; i++)
			expect_ok(all_nodes(SLU_VERIFY, part), err);
		for (int i = 0; i < 2; i++)
			act(SLU_FINISH);
		same(src, in(dst, "src"));
		end();
	}
}
END_TEST

/* A file that is being written is removed: the older file is not. */
START_TEST(test_removed_meanwhile)
{
	begin();
	make_file(in(src, "f"), LARGE, 1);
	make_text(in(dst, "src/f"), "of before");
	act(SLU_PREPARE);
	ck_assert(!unlink(in(dst, "src/.f." TAG)));
	failed_with(all_nodes(SLU_COPY, part), "No such file");
	has(in(dst, "src/f"), "of before");
	end();
}
END_TEST

/* Two jobs that write to one place at once: each file is one of one of them. */
START_TEST(test_two_jobs)
{
	char others[4096];
	struct slu_stage_part other;

	begin();
	snprintf(others, sizeof(others), "%s/", in(top, "others"));
	make_dir(others, 0755);
	make_file(in(src, "f"), LARGE, 1);
	make_file(in(others, "f"), LARGE, 2);
	other = part;
	other.source = others;
	other.destination = in(dst, "src");
	other.beside = "sluice-8";
	act(SLU_PREPARE);
	expect_ok(all_nodes(SLU_COPY, part), err);
	expect_ok(stage_part(other, NULL), err);
	expect_ok(all_nodes(SLU_DISCARD, part), err);
	same(others, in(dst, "src"));
	end();
}
END_TEST

/* The old and the new one do not fit together. */
START_TEST(test_no_room)
{
	if (unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL)) {
		skip("mounting needs root");
		return;
	}
	begin();
	ck_assert(!mount("none", in(dst, "src"), "tmpfs", 0, "size=8m"));
	make_file(in(src, "f"), 6 << 20, 1);
	make_file(in(dst, "src/f"), 6 << 20, 2);
	failed_with(stage_part(part, NULL), "there must be space for both");
	expect_ok(all_nodes(SLU_DISCARD, part), err);
	make_file(in(src, "f"), 6 << 20, 2);
	ck_assert_ptr_null(tree_differs(src, in(dst, "src"), 0));
	ck_assert(!umount(in(dst, "src")));
	end();
}
END_TEST

/* One single file, under a name of its own. */
START_TEST(test_file)
{
	static const uint64_t sizes[] = {5000, LARGE};

	each(size, sizes)
	{
		char file[4096], as[4096];

		begin();
		snprintf(file, sizeof(file), "%s", in(src, "f"));
		snprintf(as, sizeof(as), "%s", in(dst, "src/as"));
		make_file(file, *size, 1);
		make_text(as, "of before");
		part.source = file;
		part.destination = as;
		part.what = SLU_WHAT_FILE;
		act(SLU_PREPARE);
		expect_ok(all_nodes(SLU_COPY, part), err);
		has(as, "of before");
		expect_ok(all_nodes(SLU_VERIFY, part), err);
		ck_assert(!rename(as, in(dst, "src/f")));
		same(src, in(dst, "src"));
		end();
	}
}
END_TEST

TEST_MAIN("temporary_file", test_failure_keeps, test_copy_fails, test_replaces,
	  test_directory_there, test_remains, test_not_ours, test_in_place,
	  test_can, test_names, test_trees, test_again, test_removed_meanwhile,
	  test_two_jobs, test_file, test_no_room)
