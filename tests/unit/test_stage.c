/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Staging between two directories by several simulated nodes. */
#include "config.h"
#include "tests/unit/harness.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>
#include "burst_buffer/staging/share.h"
#include "burst_buffer/staging/stage.h"
#include "tests/unit/tree.h"

static char *top;
static char src[4096], dst[4096];
static struct slu_err err;

static void setup(void)
{
	top = tree_new();
	snprintf(src, sizeof(src), "%s", in(top, "src"));
	snprintf(dst, sizeof(dst), "%s", in(top, "dst"));
	make_dir(src, 0755);
	make_dir(dst, 0755);
	memset(&err, 0, sizeof(err));
}

static void teardown(void)
{
	tree_remove(top);
}

static int manifest(void)
{
	int fd = open(in(top, "manifest"), O_RDWR | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_ge(fd, 0);
	return fd;
}

/* One act on all nodes at the same time, each in a process of its own; the
 * sentence of one that failed is left in err. */
static int all_nodes(enum slu_act_name act, struct slu_stage_part part)
{
	int pipefd[2], rc = 0;
	pid_t pid[8];

	ck_assert(!pipe(pipefd));
	for (part.self = 0; part.self < part.n; part.self++) {
		pid[part.self] = fork();
		if (!pid[part.self]) {
			struct slu_stage_result r;
			struct slu_err e = {0};

			part.manifest = open(in(top, "manifest"), O_RDONLY);
			if (!slu_stage(act, &part, &r, &e))
				_exit(0);
			_exit(write(pipefd[1], &e, sizeof(e)) > 0 ? 1 : 2);
		}
	}
	for (unsigned i = 0; i < part.n; i++) {
		int status;

		waitpid(pid[i], &status, 0);
		rc |= status;
	}
	if (rc)
		ck_assert_int_eq(read(pipefd[0], &err, sizeof(err)),
				 sizeof(err));
	close(pipefd[0]);
	close(pipefd[1]);
	return rc ? -1 : 0;
}

/* The whole request, as sluice-node does it on n nodes. */
static int stage_part(struct slu_stage_part part,
		      struct slu_stage_result *result)
{
	struct slu_stage_result r;
	int rc = -1;

	part.manifest = manifest();
	if (!slu_stage(SLU_PREPARE, &part, result ? result : &r, &err) &&
	    !all_nodes(SLU_COPY, part) && !all_nodes(SLU_VERIFY, part))
		rc = slu_stage(SLU_FINISH, &part, &r, &err);
	close(part.manifest);
	return rc;
}

static void same(const char *a, const char *b)
{
	const char *how = tree_differs(a, b, 1);

	ck_assert_msg(!how, "%s", how);
}

static int stage(const char *source, const char *destination, unsigned n)
{
	struct slu_stage_part part = {
		.source = source,
		.destination = destination,
		.n = n,
		.durable = true,
	};

	return stage_part(part, NULL);
}

static void grow(const char *dir, int depth, unsigned seed)
{
	static const char *const odd[] = {"plain",  "new\nline", "-rf",
					  "sp ace", "\xff\xfe",	 "$(x);&'\""};
	char name[300];

	for (unsigned i = 0; i < 6; i++) {
		snprintf(name, sizeof(name), "%s/%s", dir, odd[i]);
		make_file(name, (seed + i) * 977u % 70000, seed + i);
		if (i % 2)
			ck_assert(!chmod(name, 0444));
	}
	make_link(in(dir, "dangling"), "nowhere\n");
	make_link(in(dir, "absolute"), "/etc/passwd");
	make_file(in(dir, "zero"), 0, 0);
	ck_assert(!link(in(dir, "plain"), in(dir, "hard")));
	memset(name, 'L', 255);
	name[255] = '\0';
	make_text(in(dir, name), "long name");
	make_dir(in(dir, "nothing"), 0700);
	if (depth) {
		char sub[4096];

		snprintf(sub, sizeof(sub), "%s", in(dir, "sub"));
		make_dir(sub, 0755);
		grow(sub, depth - 1, seed + 10);
		ck_assert(!chmod(sub, depth % 2 ? 0555 : 0750));
	}
}

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

START_TEST(test_deep)
{
	char name[61];
	int at, fd;
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
	ck_assert_msg(!stage_part(part, &r), "%s", err.text);
	ck_assert_uint_eq(r.total_files, 1);
	same(src, in(dst, "src"));
	teardown();
}
END_TEST

/* What the nodes say they did adds up to what the manifest says. */
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
	{"file", "/o", "n1", 1, 0, "o/n1/file"},
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

static void failed_with(int rc, const char *words)
{
	ck_assert_int_eq(rc, -1);
	ck_assert_msg(strstr(err.text, words) != NULL, "%s", err.text);
	ck_assert_ptr_null(strchr(err.text, '\n'));
}

static void become_nobody(void)
{
	if (geteuid())
		return;
	ck_assert(!chown(top, 65534, 65534));
	ck_assert(!chown(src, 65534, 65534));
	ck_assert(!chown(dst, 65534, 65534));
	ck_assert(!setresgid(65534, 65534, 65534));
	ck_assert(!setresuid(65534, 65534, 65534));
}

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

/* What was staged early, or by one who was killed at the end, needs no right to
 * be written again. */
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
	failed_with(stage(src, dst, 1), "dir: Permission denied");
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
		.source = src, .destination = dst, .n = 3};
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

START_TEST(test_stops)
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
	ck_assert_int_eq(stage_part(part, NULL), -1);
	ck_assert_int_eq(err.kind, SLU_BUSY);
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

#define ACCESS	"system.posix_acl_access"
#define DEFAULT "system.posix_acl_default"

/* linux/posix_acl_xattr.h: rw-, user 7 rw-, r--, mask rw-, --- */
static const unsigned char acl[44] = {
	2,  0, 0, 0,			     /* version */
	1,  0, 6, 0, 0xff, 0xff, 0xff, 0xff, /* owner */
	2,  0, 6, 0, 7,	   0,	 0,    0,    /* user 7 */
	4,  0, 4, 0, 0xff, 0xff, 0xff, 0xff, /* group */
	16, 0, 6, 0, 0xff, 0xff, 0xff, 0xff, /* mask */
	32, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, /* others */
};

/* Large, and copied at once. */
static void make_hole(const char *path)
{
	make_text(path, "");
	ck_assert(!truncate(path, SLU_STAGE_RANGE + 1));
}

static bool can_have_list(const char *path, const char *name)
{
	if (!setxattr(path, name, acl, sizeof(acl), 0))
		return true;
	expect(errno == ENOTSUP || errno == EINVAL, "%s: %m", path);
	printf("no lists here: not tested\n");
	return false;
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	ck_assert(!stat(path, &st));
	return st.st_mode & 0777;
}

/* A list that the destination had, or gave what was made below it, goes. */
START_TEST(test_other_lists)
{
	static const char *const names[] = {"old", "dir/new", "dir/large"};

	setup();
	make_file(in(src, "old"), 10, 1);
	make_dir(in(src, "dir"), 0750);
	make_file(in(src, "dir/new"), 10, 2);
	make_hole(in(src, "dir/large"));
	each(n, names) ck_assert(!chmod(in(src, *n), 0660));
	make_file(in(dst, "old"), 20, 4);
	if (!can_have_list(in(dst, "old"), ACCESS) ||
	    !can_have_list(dst, DEFAULT)) {
		teardown();
		return;
	}
	ck_assert(!stage(in(src, ""), dst, 2));
	each(n, names)
	{
		const char *to = in(dst, *n);

		expect(getxattr(to, ACCESS, NULL, 0) < 0 && errno == ENODATA,
		       "%s", *n);
		ck_assert_int_eq(mode_of(to), 0660);
	}
	ck_assert_int_lt(getxattr(in(dst, "dir"), DEFAULT, NULL, 0), 0);
	ck_assert_int_lt(getxattr(in(dst, "dir"), ACCESS, NULL, 0), 0);
	ck_assert_int_gt(getxattr(dst, DEFAULT, NULL, 0), 0); /* not ours */
	teardown();
}
END_TEST

/* Nor has a directory of an early copy what its place would give it, before it
 * is complete. */
START_TEST(test_early_lists)
{
	struct slu_stage_part part = {
		.source = src, .destination = dst, .quick = true, .n = 1};
	struct slu_stage_result r;

	setup();
	make_dir(in(src, "dir"), 0750);
	if (!can_have_list(dst, DEFAULT)) {
		teardown();
		return;
	}
	part.manifest = manifest();
	expect_ok(slu_stage(SLU_PREPARE, &part, &r, &err), err);
	close(part.manifest);
	ck_assert_int_eq(mode_of(in(dst, "src/dir")), 0750);
	ck_assert_int_lt(getxattr(in(dst, "src/dir"), ACCESS, NULL, 0), 0);
	teardown();
}
END_TEST

/* Where no list can be copied the group gets what its list gave it. */
START_TEST(test_plain_lists)
{
	static const char *const names[] = {"small", "large"};
	struct slu_stage_part part = {.source = src,
				      .destination = dst,
				      .plain_destination = true,
				      .n = 2};

	setup();
	make_file(in(src, "small"), 10, 1);
	make_hole(in(src, "large"));
	each(n, names) if (!can_have_list(in(src, *n), ACCESS))
	{
		teardown();
		return;
	}
	umask(0);
	expect_ok(stage_part(part, NULL), err);
	each(n, names)
	{
		char path[64];

		snprintf(path, sizeof(path), "src/%s", *n);
		ck_assert_int_eq(mode_of(in(src, *n)), 0660);
		ck_assert_int_eq(mode_of(in(dst, path)), 0640);
	}
	teardown();
}
END_TEST

/* What was changed after an early copy is not left as it was. */
START_TEST(test_mode_changed)
{
	static const char *const names[] = {"src/small", "src/large"};
	static const mode_t modes[] = {0640, 0660, 0600, 0444, 0644};
	struct slu_stage_part part = {
		.source = src, .destination = dst, .quick = true, .n = 2};

	setup();
	make_file(in(src, "small"), 10, 1);
	make_hole(in(src, "large"));
	each(m, modes)
	{
		each(n, names) ck_assert(!chmod(in(top, *n), *m));
		expect_ok(stage_part(part, NULL), err);
		each(n, names) ck_assert_int_eq(mode_of(in(dst, *n)), *m);
	}
	ck_assert(!chmod(in(src, "small"), 0640));
	ck_assert(!chmod(in(src, "large"), 0640));
	expect_ok(stage_part(part, NULL), err);
	each(n, names) if (!can_have_list(in(top, *n), ACCESS))
	{
		teardown();
		return;
	}
	expect_ok(stage_part(part, NULL), err);
	each(n, names)
		ck_assert_int_gt(getxattr(in(dst, *n), ACCESS, NULL, 0), 0);
	teardown();
}
END_TEST

/* Attributes of files, large files and directories arrive. */
START_TEST(test_xattrs)
{
	static const char *const names[] = {"dir", "dir/small", "dir/large"};
	char big[3000], got[4000];

	setup();
	make_dir(in(src, "dir"), 0755);
	make_file(in(src, "dir/small"), 10, 1);
	make_file(in(src, "dir/large"), SLU_STAGE_RANGE + 1, 2);
	memset(big, 'x', sizeof(big));
	each(n, names)
	{
		if (setxattr(in(src, *n), "user.one", "1", 1, 0)) {
			printf("no attributes here: not tested\n");
			teardown();
			return;
		}
		ck_assert(!setxattr(in(src, *n), "user.big", big, 1000, 0));
		if (!can_have_list(in(src, *n), ACCESS)) {
			teardown();
			return;
		}
	}
	ck_assert(!stage(in(src, "dir"), dst, 2));
	each(n, names)
	{
		const char *to = in(dst, *n);

		expect(getxattr(to, "user.one", got, 4000) == 1, "%s: %m", *n);
		ck_assert_int_eq(getxattr(to, "user.big", got, 4000), 1000);
		ck_assert(!memcmp(got, big, 1000));
		ck_assert_int_eq(getxattr(to, ACCESS, got, 4000), sizeof(acl));
		ck_assert(!memcmp(got, acl, sizeof(acl)));
	}
	same(in(src, "dir"), in(dst, "dir"));
	teardown();
}
END_TEST

TEST_MAIN("stage", test_all_kinds, test_large_files, test_empty, test_deep,
	  test_name_rules, test_existing, test_inherits_setgid, test_special,
	  test_read_only_left, test_read_only_arrived, test_refusals,
	  test_noticed, test_swap_destination, test_swap_source, test_stops,
	  test_sums, test_brick, test_content, test_xattrs, test_other_lists,
	  test_plain_lists, test_early_lists, test_mode_changed)
