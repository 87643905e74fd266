/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the publication of mappings in a child process: the newest first, and
 * given up when it is too slow. */
#include "tests/unit/sluiced/map_dir.h"
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/file.h"
#include "common/str.h"
#include "sluiced/child.h"
#include "sluiced/publication/mapping_publisher.h"

static struct slu_loop *loop;
static char said[256], why_not[sizeof(err.text)];
static const char *program;

static void published(void *arg, const struct slu_epoch *e,
		      const struct slu_err *why)
{
	size_t n = strlen(said);

	(void)arg;
	if (why)
		snprintf(why_not, sizeof(why_not), "%s", why->text);
	snprintf(said + n, sizeof(said) - n, "%d%s ", (int)e->a.epoch,
		 !why			    ? ":ok"
		 : why->kind == SLU_BUSY    ? ":newer"
		 : why->kind == SLU_TIMEOUT ? ":timeout"
					    : ":failed");
}

static void turn_until(const char *word)
{
	for (int i = 0; i < 500 && !strstr(said, word); i++)
		slu_loop_turn(loop, 0.01, NULL);
}

static void publish(struct slu_publisher *p, uint64_t number,
		    const char *const *ions, const char *where, double seconds)
{
	struct slu_epoch *e = epoch(number, j12, ions, 2);

	slu_publish(p, e, where, program, seconds);
	slu_epoch_unref(e);
}

START_TEST(test_newest_wins)
{
	struct slu_publisher *p;

	make_dir("newest");
	loop = slu_loop_new(&err);
	p = slu_publisher_new(loop, published, NULL);
	said[0] = '\0';
	publish(p, 1, i12, dir, 5);
	publish(p, 2, i34, dir, 5);
	publish(p, 3, i_direct, dir, 5);
	turn_until("3:ok");
	ck_assert_str_eq(said, "2:newer 1:ok 3:ok ");
	ck_assert_str_eq(text(1), "n1 0\n");
	ck_assert_str_eq(text(2), "n2 1\n");
	said[0] = '\0';
	publish(p, 4, i12, NULL, 5);
	ck_assert_str_eq(said, "4:ok ");
	slu_publisher_free(p);
	slu_loop_free(loop);
}
END_TEST

START_TEST(test_missing_dir)
{
	struct slu_publisher *p;

	loop = slu_loop_new(&err);
	p = slu_publisher_new(loop, published, NULL);
	said[0] = '\0';
	dir = tmpfile_path("nowhere");
	publish(p, 1, i12, dir, 5);
	turn_until("1:");
	ck_assert_str_eq(said, "1:failed ");
	ck_assert_int_eq(mkdir(dir, 0755), 0);
	publish(p, 2, i12, dir, 5);
	turn_until("2:");
	ck_assert_ptr_nonnull(strstr(said, "2:ok"));
	slu_publisher_free(p);
	slu_loop_free(loop);
}
END_TEST

/* Our one child, 0 when there is none. */
static pid_t child_of_mine(void)
{
	struct slu_buf buf = {0};
	char path[64], *rest = NULL;
	pid_t pid = 0;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	expect_ok(slu_file_read(AT_FDCWD, path, 4096, &buf, &err), err);
	if (buf.data)
		pid = (pid_t)strtol(buf.data, &rest, 10);
	ck_assert_msg(!rest || !strtol(rest, NULL, 10), "also %s", rest);
	slu_buf_free(&buf);
	return pid;
}

/* The child that stays: what changes is written, whatever lies between; one
 * that has died, another directory and more than a message take a new one. */
START_TEST(test_child_that_stays)
{
	struct slu_publisher *p;
	static char many[SLU_CHILD_SEND_MAX / 5 * 5 + 11];
	static const char *const i_many[] = {"ion3", many};
	char first[256];
	pid_t child = 0;

	make_dir("stays");
	loop = slu_loop_new(&err);
	p = slu_publisher_new(loop, published, NULL);
	for (uint64_t i = 1; i < 20; i++) {
		said[0] = '\0';
		publish(p, i, i % 2 ? i12 : i34, dir, 5);
		turn_until(":ok");
		ck_assert_str_eq(text(1), i % 2 ? "n1 0\n" : "n1 2\n");
		ck_assert_str_eq(text(2), i % 2 ? "n2 1\n" : "n2 3\n");
		if (i != 1 && i != 12) /* others were begun there */
			ck_assert_int_eq(child, child_of_mine());
		child = child_of_mine();
		if (i == 11)
			kill(child, SIGKILL);
	}
	snprintf(first, sizeof(first), "%s", dir);
	make_dir("elsewhere");
	publish(p, 20, i12, first, 5);
	publish(p, 21, i34, dir, 5);
	turn_until("21:ok");
	ck_assert_str_eq(text(1), "n1 2\n");
	ck_assert_str_eq(text(2), "n2 3\n");
	for (size_t i = 0; i + 5 < sizeof(many); i += 5)
		memcpy(many + i, "ion4,", 5);
	memcpy(many + sizeof(many) - 6, "ion4", 5);
	said[0] = '\0';
	publish(p, 22, i_many, dir, 5);
	turn_until("22:");
	ck_assert_str_eq(said, "22:ok ");
	ck_assert_str_eq(text(2), "n2 3\n");
	slu_publisher_free(p);
	slu_loop_free(loop);
}
END_TEST

/* Publish in `dir` until it has been in time, on a busy machine too. */
static void begin(struct slu_publisher *p, double seconds)
{
	char word[16] = ":ok";

	said[0] = '\0';
	for (uint64_t i = 1; i < 100 && !strstr(said, word); i++) {
		said[0] = '\0';
		publish(p, i, i12, dir, seconds);
		snprintf(word, sizeof(word), "%d:", (int)i);
		turn_until(word);
		snprintf(word, sizeof(word), "%d:ok", (int)i);
		if (!strstr(said, word)) /* the child's end is to be seen */
			slu_loop_turn(loop, 0.1, NULL);
	}
	ck_assert_ptr_nonnull(strstr(said, word));
}

static void turn_until_alone(void)
{
	for (int i = 0; i < 500 && child_of_mine(); i++)
		slu_loop_turn(loop, 0.01, NULL);
	ck_assert_int_eq(child_of_mine(), 0);
}

/* One that does not answer in time is given up, and the next one written. */
START_TEST(test_too_slow)
{
	struct slu_publisher *p;

	make_dir("slow");
	loop = slu_loop_new(&err);
	p = slu_publisher_new(loop, published, NULL);
	begin(p, 1);
	said[0] = '\0';
	kill(child_of_mine(), SIGSTOP);
	publish(p, 100, i34, dir, 1);
	turn_until("100:");
	ck_assert_str_eq(said, "100:timeout ");
	publish(p, 101, i34, dir, 5);
	turn_until("101:ok");
	ck_assert_str_eq(text(1), "n1 2\n");
	slu_publisher_free(p);
	slu_loop_free(loop);
}
END_TEST

/* One that is to go, but does not run, keeps no other from its work. */
START_TEST(test_frozen)
{
	struct slu_publisher *p;

	make_dir("frozen");
	loop = slu_loop_new(&err);
	p = slu_publisher_new(loop, published, NULL);
	begin(p, 5);
	said[0] = '\0';
	kill(child_of_mine(), SIGSTOP);
	publish(p, 100, i34, dir, 60); /* takes another one */
	turn_until("100:");
	ck_assert_str_eq(said, "100:ok ");
	ck_assert_str_eq(text(1), "n1 2\n");
	slu_publisher_free(p);
	slu_loop_free(loop);
}
END_TEST

/* While a child hangs in a directory nothing else is written there, but
 * another directory is used at once. */
START_TEST(test_other_dir)
{
	struct slu_publisher *p;
	char first[256];
	pid_t hung;

	make_dir("hangs");
	snprintf(first, sizeof(first), "%s", dir);
	loop = slu_loop_new(&err);
	p = slu_publisher_new(loop, published, NULL);
	begin(p, 1);
	make_dir("beside");
	said[0] = '\0';
	hung = child_of_mine();
	kill(hung, SIGSTOP);
	publish(p, 100, i34, first, 1);
	turn_until("100:");
	ck_assert_str_eq(said, "100:timeout ");
	said[0] = '\0';
	publish(p, 101, i34, first, 60); /* its end is not seen yet */
	ck_assert_str_eq(said, "100:newer 101:timeout ");
	ck_assert_ptr_nonnull(strstr(why_not, first));
	publish(p, 102, i34, dir, 60);
	turn_until("102:");
	ck_assert_str_eq(said, "100:newer 101:timeout 101:newer 102:ok ");
	ck_assert_str_eq(text(1), "n1 2\n");
	for (int i = 0; i < 500 && kill(hung, 0) == 0; i++)
		slu_loop_turn(loop, 0.01, NULL);
	ck_assert_int_eq(kill(hung, 0), -1); /* no zombie either */
	slu_publisher_free(p);
	slu_loop_free(loop);
}
END_TEST

/* Without a directory what waited is given up, no child stays, and nothing is
 * assumed of the files later. */
START_TEST(test_switched_off)
{
	struct slu_publisher *p;

	loop = slu_loop_new(&err);
	p = slu_publisher_new(loop, published, NULL);
	said[0] = '\0';
	dir = tmpfile_path("off");
	publish(p, 1, i12, dir, 60); /* there is none: it would try again */
	turn_until("1:");
	publish(p, 2, i12, NULL, 60);
	ck_assert_str_eq(said, "1:failed 1:newer 2:ok ");
	make_dir("off");
	for (uint64_t i = 3; i < 7; i += 2) { /* idle, and at work */
		said[0] = '\0';
		publish(p, i, i12, dir, 60);
		if (i == 3)
			turn_until("3:");
		publish(p, i + 1, i12, NULL, 60);
		turn_until_alone();
		ck_assert_str_eq(said, i == 3 ? "3:ok 4:ok " : "6:ok 5:ok ");
		ck_assert_str_eq(text(1), "n1 0\n");
		ck_assert_int_eq(unlink(tmpfile_path("off/1.map")), 0);
	}
	said[0] = '\0';
	publish(p, 7, i12, dir, 60);
	turn_until("7:");
	ck_assert_str_eq(said, "7:ok ");
	ck_assert_str_eq(text(1), "n1 0\n");
	slu_publisher_free(p);
	slu_loop_free(loop);
}
END_TEST

/* The site's program sees the files in place; not as root; its failure is a
 * failure. */
START_TEST(test_program)
{
	static const char script[] = "#!/bin/sh\n"
				     "grep -q '\"epoch\":'$1, $2 || exit 1\n"
				     "[ -s ${2%/*}/1.map ] || exit 2\n"
				     "[ $1 != 3 ] && id -u >${2%/*}/ran\n";
	struct slu_publisher *p;
	char path[4096];

	make_dir("program");
	snprintf(path, sizeof(path), "%s/script", dir);
	expect_ok(slu_file_write(AT_FDCWD, path, script, sizeof(script) - 1,
				 0755, false, &err),
		  err);
	program = path;
	loop = slu_loop_new(&err);
	p = slu_publisher_new(loop, published, NULL);
	said[0] = '\0';
	if (have_root()) {
		publish(p, 1, i12, dir, 5);
		turn_until("1:");
		ck_assert_str_eq(said, "1:failed ");
		ck_assert_int_eq(chown(dir, 65534, 65534), 0);
		ck_assert_int_eq(chmod(tmpfile_path("."), 0755), 0);
		ck_assert_int_eq(seteuid(65534), 0);
		said[0] = '\0';
	}
	publish(p, 2, i12, dir, 5);
	turn_until("2:");
	publish(p, 3, i34, dir, 5);
	turn_until("3:");
	snprintf(path, sizeof(path), "%s/ran", dir);
	ck_assert_int_eq(access(path, F_OK), 0);
	ck_assert_ptr_nonnull(strstr(said, "2:ok"));
	ck_assert_ptr_nonnull(strstr(said, "3:failed"));
	ck_assert_int_eq(seteuid(getuid()), 0);
	slu_publisher_free(p);
	slu_loop_free(loop);
}
END_TEST

/* A file system that never answers, as a shared one may: FUSE without a
 * server. Needs root. */
START_TEST(test_hanging_dir)
{
	struct slu_publisher *p;
	char options[64];
	int fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	double start;

	make_dir("hung");
	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=40000,user_id=0,group_id=0", fuse);
	if (fuse < 0 || unshare(CLONE_NEWNS) < 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("fuse", dir, "fuse", MS_NOSUID | MS_NODEV, options) < 0)
		return;
	loop = slu_loop_new(&err);
	p = slu_publisher_new(loop, published, NULL);
	said[0] = '\0';
	start = slu_now_mono();
	publish(p, 1, i12, dir, 0.2);
	ck_assert_double_lt(slu_now_mono() - start, 0.2);
	turn_until("1:");
	ck_assert_str_eq(said, "1:timeout ");
	slu_publisher_free(p);
	slu_loop_free(loop);
	umount2(dir, MNT_DETACH);
	close(fuse);
}
END_TEST

TEST_MAIN("sluiced publish", test_newest_wins, test_missing_dir,
	  test_child_that_stays, test_too_slow, test_frozen, test_other_dir,
	  test_switched_off, test_program, test_hanging_dir)
