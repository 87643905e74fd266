/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests staging of files that change meanwhile, cannot be read, or are replaced
 * by links. */
#include "config.h"
#include "tests/unit/burst_buffer/node/stage_trees.h"
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
#include "burst_buffer/staging/share.h"

/* A copy killed at its end left read-only directories; the next one does it
 * all the same. */
START_TEST(test_read_only_left)
{
	setup();
	become_nobody();
	make_dir(in(src, "d"), 0755);
	make_text(in(src, "d/f"), "x");
	ck_assert(!chmod(in(src, "d"), 0555));
	for (int i = 0; i < 2; i++) {
		ck_assert_msg(!stage(src, dst, 2), "%s", err.text);
		same(src, in(dst, "src"));
	}
	chmod(in(src, "d"), 0755);
	chmod(in(dst, "src/d"), 0755);
	teardown();
}
END_TEST

/* What was staged early, or by a node that was killed at the end, needs no
 * permission to be written again. */
START_TEST(test_read_only_arrived)
{
	struct slu_stage_part part = {.n = 2, .durable = true, .quick = true};

	setup();
	become_nobody();
	part.source = src;
	part.destination = dst;
	make_text(in(src, "f"), "x");
	ck_assert(!truncate(in(src, "f"), SLU_STAGE_RANGE + 1));
	ck_assert(!chmod(in(src, "f"), 0444));
	for (int i = 0; i < 2; i++) {
		ck_assert_msg(!stage_part(part, NULL), "%s", err.text);
		same(src, in(dst, "src"));
	}
	teardown();
}
END_TEST

/* A large file that a mover, or a verifier that was killed, has made read-only
 * needs no right to be written either to be brought to its end. */
START_TEST(test_large_read_only)
{
	struct slu_stage_part part = {
		.source = src, .destination = dst, .n = 2, .quick = true};
	const struct timespec past[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
	struct slu_stage_result r;
	const char *there = "src/f";

	setup();
	become_nobody();
	make_text(in(src, "f"), "x");
	ck_assert(!truncate(in(src, "f"), SLU_STAGE_RANGE + 1));
	(void)setxattr(in(src, "f"), "user.a", "b", 1, 0);
	ck_assert(!utimensat(AT_FDCWD, in(src, "f"), past, 0));
	ck_assert(!chmod(in(src, "f"), 0444));
	part.manifest = manifest();
	expect_ok(slu_stage(SLU_PREPARE, &part, &r, &err), err);
	ck_assert(!chmod(in(dst, there), 0444));
	expect_ok(all_nodes(SLU_COPY, part), err);
	ck_assert(!chmod(in(dst, there), 0444));
	expect_ok(all_nodes(SLU_VERIFY, part), err);
	close(part.manifest);
	same(in(src, ""), in(dst, "src/"));
	teardown();
}
END_TEST

/* A link, or a second name, can make the source its own destination: nothing
 * of it is changed. */
static void expect_same_file(const char *source, const char *destination,
			     enum slu_stage_what what, const char *words)
{
	static const uint64_t sizes[] = {1000, SLU_STAGE_RANGE + 1};
	static const mode_t modes[] = {0644, 0444};
	struct slu_stage_part part = {.what = what, .n = 2};

	each(size, sizes) each(mode, modes)
	{
		char copy[64];

		setup();
		become_nobody();
		make_link(in(src, "d"), dst);
		make_link(in(src, "r.dat"), in(dst, "r.dat"));
		make_file(in(dst, "r.dat"), *size, 1);
		make_file(in(top, "was"), *size, 1);
		make_text(in(dst, "list"), "r.dat\n");
		ck_assert(!chmod(in(dst, "r.dat"), *mode));
		ck_assert(!link(in(dst, "r.dat"), in(top, "other")));
		part.source = in(src, source);
		snprintf(copy, sizeof(copy), "%s", destination);
		part.destination = in(top, copy);
		failed_with(stage_part(part, NULL), words);
		make_dir(in(top, "a"), 0755);
		make_dir(in(top, "b"), 0755);
		ck_assert(!rename(in(top, "was"), in(top, "a/x")));
		ck_assert(!rename(in(dst, "r.dat"), in(top, "b/x")));
		ck_assert_ptr_null(tree_differs(in(top, "a"), in(top, "b"), 0));
		teardown();
	}
}

START_TEST(test_same_file)
{
	static const struct {
		const char *source, *destination;
		enum slu_stage_what what;
		const char *words;
	} cases[] = {
		{"r.dat", "dst/r.dat", SLU_WHAT_FILE,
		 "src/r.dat: source and destination are the same file"},
		{"r.dat", "dst/", SLU_WHAT_FILE,
		 "src/r.dat: source and destination are the same file"},
		{"r.dat", "dst/r.dat", SLU_WHAT_ANY,
		 "src/r.dat: source and destination are the same file"},
		{"r.dat", "other", SLU_WHAT_FILE,
		 "src/r.dat: source and destination are the same file"},
		{"d/*.dat", "dst", SLU_WHAT_FILE, "the same directory"},
		{"d/list", "dst", SLU_WHAT_LIST, "the same directory"},
	};

	each(c, cases)
		expect_same_file(c->source, c->destination, c->what, c->words);
}
END_TEST

/* So can a second name of the file below another directory. */
START_TEST(test_hard_link)
{
	static const uint64_t sizes[] = {1000, SLU_STAGE_RANGE + 1};
	static const mode_t modes[] = {0644, 0444};

	each(size, sizes) each(mode, modes)
	{
		setup();
		become_nobody();
		make_file(in(src, "f"), *size, 1);
		make_file(in(top, "was"), *size, 1);
		ck_assert(!chmod(in(src, "f"), *mode));
		ck_assert(!link(in(src, "f"), in(dst, "f")));
		failed_with(stage(in(top, "src/"), dst, 2), "src/f");
		ck_assert_ptr_nonnull(strstr(err.text, "the same file"));
		make_dir(in(top, "a"), 0755);
		ck_assert(!rename(in(top, "was"), in(top, "a/f")));
		ck_assert_ptr_null(tree_differs(in(top, "a"), src, 0));
		teardown();
	}
}
END_TEST

/* As a user without rights: every refusal names the path and the reason. */
START_TEST(test_refusals)
{
	setup();
	become_nobody();
	failed_with(stage(in(src, "none"), dst, 1), "src/none: No such file");
	make_text(in(src, "secret"), "x");
	ck_assert(!chmod(in(src, "secret"), 0));
	failed_with(stage(src, dst, 2), "src/secret: Permission denied");
	ck_assert(!unlink(in(src, "secret")));
	failed_with(stage(in(top, "src/"), "/proc/nowhere", 1),
		    "/proc/nowhere: No such file");
	make_dir(in(src, "dir"), 0755);
	make_text(in(src, "dir/f"), "x");
	ck_assert(!chmod(in(src, "dir"), 0));
	failed_with(stage(src, dst, 1), in(src, "dir: Permission denied"));
	ck_assert(!chmod(in(src, "dir"), 0700));
	make_text(in(top, "plain"), "x");
	failed_with(stage(in(top, "plain"), dst, 1), "type=file");
	failed_with(stage(src, in(src, "dir"), 1), "inside the source");
	failed_with(stage(src, in(top, "plain"), 1),
		    "plain/src: Not a directory");
	make_dir(in(top, "ro"), 0555);
	failed_with(stage(src, in(top, "ro"), 1), "ro/src: Permission denied");
	teardown();
}
END_TEST

/* After PREPARE something happens; COPY or VERIFY must notice. */
static void between(int when, void (*happens)(void), const char *words)
{
	struct slu_stage_part part = {
		.source = src, .destination = dst, .ended = true, .n = 3};
	struct slu_stage_result r;

	make_file(in(src, "a"), 100000, 1);
	make_file(in(src, "b"), SLU_STAGE_RANGE + 5, 2);
	make_link(in(src, "l"), "a");
	make_dir(in(src, "d"), 0755);
	part.manifest = manifest();
	ck_assert_msg(!slu_stage(SLU_PREPARE, &part, &r, &err), "%s", err.text);
	if (when == 0)
		happens();
	if (when == 0 && all_nodes(SLU_COPY, part)) {
		failed_with(-1, words);
		close(part.manifest);
		return;
	}
	if (when)
		ck_assert_msg(!all_nodes(SLU_COPY, part), "%s", err.text);
	if (when == 1)
		happens();
	failed_with(all_nodes(SLU_VERIFY, part), words);
	close(part.manifest);
}

static void longer(void)
{
	FILE *f = fopen(in(src, "a"), "a");

	fputs("x", f);
	fclose(f);
}

static void touched(void)
{
	ck_assert(!utimensat(AT_FDCWD, in(src, "b"), NULL, 0));
}

/* What a program does that has outlived its job: other bytes, the same length,
 * and the time put back. */
static void put_back(const char *name, int times)
{
	struct stat st;
	int fd = open(in(src, name), O_WRONLY);

	ck_assert(fd >= 0 && !fstat(fd, &st));
	for (int i = 0; i < times; i++) {
		const struct timespec then[2] = {st.st_atim, st.st_mtim};

		ck_assert_int_eq(pwrite(fd, "other", 5, 1000), 5);
		ck_assert(!futimens(fd, then));
	}
	close(fd);
}

static void put_back_small(void)
{
	put_back("a", 1);
}

static void put_back_large(void)
{
	put_back("b", 2);
}

static void shorter(void)
{
	ck_assert(!truncate(in(dst, "src/a"), 99999));
}

static void rewritten(void)
{
	make_file(in(dst, "src/a"), 100000, 3);
}

static void gone(void)
{
	ck_assert(!unlink(in(dst, "src/a")));
}

static void cut_big(void)
{
	ck_assert(!truncate(in(dst, "src/b"), SLU_STAGE_RANGE));
}

static void relinked(void)
{
	ck_assert(!unlink(in(dst, "src/l")));
	make_link(in(dst, "src/l"), "b");
}

static void no_dir(void)
{
	ck_assert(!rmdir(in(dst, "src/d")));
}

static void to_link(void)
{
	ck_assert(!unlink(in(src, "a")));
	make_link(in(src, "a"), "b");
}

static const struct {
	int when;
	void (*happens)(void);
	const char *words;
} accidents[] = {
	{0, longer, "src/a was changed while it was being copied"},
	{0, touched, "src/b was changed while it was being copied"},
	{0, put_back_small, "src/a was changed while it was being copied"},
	{0, put_back_large, "src/b was changed while it was being copied"},
	{1, put_back_small, "src/a was changed while it was being copied"},
	{1, put_back_large, "src/b was changed while it was being copied"},
	{1, longer, "src/a was changed while it was being copied"},
	{0, to_link, "src/a: Too many levels of symbolic links"},
	{1, shorter, "/a did not arrive whole: its size differs"},
	{1, rewritten, "/a did not arrive whole: its time differs"},
	{1, gone, "/a: No such file"},
	{1, cut_big, "/b did not arrive whole: its size differs"},
	{1, relinked, "/l points elsewhere"},
	{1, no_dir, "/d: No such file"},
};

static void check_noticed(size_t _i)
{
	between(accidents[_i].when, accidents[_i].happens, accidents[_i].words);
}

START_TEST(test_noticed)
{
	each(c, accidents)
	{
		setup();
		check_noticed((size_t)(c - accidents));
		teardown();
	}
}
END_TEST

/* One thread swaps a directory of the tree with a link to the outside, over
 * and over, while staging runs: nothing outside is read or written. */
struct swap {
	char dir[4096], aside[4096], link[4096];
	_Atomic bool stop;
};

static void *swapper(void *arg)
{
	struct swap *s = arg;

	while (!s->stop) {
		if (!rename(s->dir, s->aside)) {
			(void)!rename(s->link, s->dir);
			usleep(50);
			(void)!rename(s->dir, s->link);
			(void)!rename(s->aside, s->dir);
		}
		usleep(50);
	}
	return NULL;
}

static void swap_race(const char *side, const char *victim)
{
	struct swap s = {.stop = false};
	struct stat before, after;
	pthread_t thread;
	int succeeded = 0, failed = 0;

	make_dir(in(top, "outside"), 0755);
	make_text(in(top, "outside/f0"), "outside");
	ck_assert(!stat(in(top, "outside"), &before));
	make_dir(in(src, "d"), 0755);
	make_dir(in(dst, "d"), 0755);
	for (int i = 0; i < 50; i++) {
		char name[16];

		snprintf(name, sizeof(name), "d/f%d", i);
		make_text(in(src, name), "inside!");
	}
	snprintf(s.dir, sizeof(s.dir), "%s/d", side);
	snprintf(s.aside, sizeof(s.aside), "%s/aside", top);
	snprintf(s.link, sizeof(s.link), "%s/link", top);
	make_link(s.link, in(top, victim));
	ck_assert(!pthread_create(&thread, NULL, swapper, &s));
	for (int i = 0; i < 60; i++) {
		struct slu_stage_part part = {
			.source = in(top, "src/"), .destination = dst, .n = 1};
		struct slu_stage_result r;
		int rc;

		part.manifest = manifest();
		rc = slu_stage(SLU_PREPARE, &part, &r, &err) ||
		     slu_stage(SLU_COPY, &part, &r, &err) ||
		     slu_stage(SLU_VERIFY, &part, &r, &err) ||
		     slu_stage(SLU_FINISH, &part, &r, &err);
		close(part.manifest);
		rc ? failed++ : succeeded++;
	}
	s.stop = true;
	pthread_join(thread, NULL);
	ck_assert_int_gt(failed, 0); /* else nothing was tried */
	ck_assert(!stat(in(top, "outside"), &after));
	ck_assert(!memcmp(&before.st_mtim, &after.st_mtim,
			  sizeof(before.st_mtim)));
	ck_assert(!stat(in(top, "outside/f0"), &after));
	ck_assert_int_eq(after.st_size, 7);
}

START_TEST(test_swap_destination)
{
	FILE *f;
	char text[20] = "";

	setup();
	swap_race(dst, "outside");
	f = fopen(in(top, "outside/f0"), "r");
	ck_assert_ptr_nonnull(fgets(text, sizeof(text), f));
	fclose(f);
	ck_assert_str_eq(text, "outside");
	teardown();
}
END_TEST

START_TEST(test_swap_source)
{
	char text[20] = "";
	FILE *f;

	setup();
	swap_race(src, "outside");
	f = fopen(in(dst, "d/f0"), "r");
	if (f) {
		(void)!fgets(text, sizeof(text), f);
		fclose(f);
		ck_assert_str_ne(text, "outside");
	}
	teardown();
}
END_TEST

static int after_some(void *arg, uint64_t bytes, uint64_t files)
{
	(void)bytes;
	(void)files;
	return ++*(int *)arg > 3;
}

START_TEST(test_staging_stops_on_request)
{
	int told = 0;
	struct slu_stage_part part = {
		.source = src,
		.destination = dst,
		.n = 1,
		.progress = after_some,
		.arg = &told,
	};

	setup();
	grow(src, 2, 1);
	failed_with(stage_part(part, NULL), "stopped");
	ck_assert_int_eq(err.kind, SLU_BUSY);
	/* In the middle of a file, too. */
	told = 0;
	part.source = in(src, "large");
	part.what = SLU_WHAT_FILE;
	make_file(part.source, SLU_STAGE_RANGE, 1);
	failed_with(stage_part(part, NULL), "stopped");
	ck_assert_int_eq(err.kind, SLU_BUSY);
	teardown();
}
END_TEST

/* What keeps size and time and is not the same is only found by reading. */
START_TEST(test_content)
{
	static const uint64_t at[] = {3, SLU_STAGE_RANGE + 5};
	const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT},
					  {.tv_sec = 1000}};
	struct slu_stage_part part = {
		.source = src, .destination = dst, .n = 2};

	setup();
	make_file(in(src, "large"), SLU_STAGE_RANGE + 10, 1);
	make_file(in(src, "small"), 10, 2);
	ck_assert(!utimensat(AT_FDCWD, in(src, "large"), times, 0));
	for (int i = 0; i < 2; i++) {
		int fd;

		part.manifest = manifest();
		part.content = true;
		ck_assert_msg(!stage_part(part, NULL), "%s", err.text);
		fd = open(in(dst, "src/large"), O_WRONLY);
		ck_assert_int_eq(pwrite(fd, "?", 1, (off_t)at[i]), 1);
		ck_assert(!futimens(fd, times));
		close(fd);
		part.content = false;
		expect_ok(all_nodes(SLU_VERIFY, part), err);
		part.content = true;
		ck_assert_int_eq(all_nodes(SLU_VERIFY, part), -1);
		expect(strstr(err.text, "large did not arrive whole: its "
					"content differs"),
		       "%s", err.text);
	}
	teardown();
}
END_TEST

TEST_MAIN("stage faults", test_read_only_left, test_read_only_arrived,
	  test_large_read_only, test_same_file, test_hard_link, test_refusals,
	  test_noticed, test_swap_destination, test_swap_source,
	  test_staging_stops_on_request, test_content)
