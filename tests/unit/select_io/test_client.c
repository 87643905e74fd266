/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests libsluice_place, the library for applications, and the command
 * sluice-place against a whole sluiced. */
#include "config.h"
#include "tests/unit/sluiced/sluiced.h"
#include "common/file.h"
#include "common/proc.h"
#include "common/clock.h"
#include "sluiced/placement/placement_rate.h"
#include "sluiced/questions/question_queue.h"
#include <grp.h>
#include <sys/wait.h>
#undef EXIT_USAGE
#define main	place_main
#define help	place_help
#define options place_options
#define usage	place_usage
#define take	place_take
#define print	place_print
#include "select_io/client/main.c"
#undef main

static char why[SLUICE_PLACE_ERROR];

static void meet(void)
{
	ctl_connect();
	ctl_hello(NULL, 0);
	ctl_expect_any(&slu_history_end_desc);
}

static void tell(void)
{
	struct slu_buf text = {0}, reply = {0};

	slu_buf_puts(&text, "{\"osts\":[");
	for (int i = 0; i < 4; i++)
		slu_buf_printf(&text,
			       "%s{\"name\":\"s-OST000%d\",\"index\":%d,"
			       "\"total\":1000000000,\"available\":%d}",
			       i ? "," : "", i, i, 900000000 + i * 10000);
	slu_buf_puts(&text, "]}");
	expect_ok(slu_http_post(http, "/v1/osts?host=n1", text.data, text.len,
				0, &reply, &err),
		  err);
	slu_buf_free(&text);
	slu_buf_free(&reply);
}

/* An lfs that makes the file and notes how; with a target that is in the file
 * "closed" it says what that of 2.17 does, and leaves a file without objects:
 * one with an odd number is inactive, the others are drained. */
static void make_lfs(void)
{
	char text[900], *path;

	snprintf(
		text, sizeof(text),
		"#!/bin/sh\necho \"$@\" >>%s/lfs.log\n"
		"for n in $(cat %s/closed 2>/dev/null); do case ,$5, in\n"
		"*,$n,*) for f; do :; done; : >>\"$f\"; [ $((n %% 2)) = 0 ] && "
		"echo No buffer space available && exit 105\n"
		"echo inactive OST among your specified OSTs; exit 121;; esac; "
		"done\n"
		"for f; do :; done\n[ ! -s \"$f\" ] || "
		"{ echo stripe already set; exit 17; }\necho >\"$f\"\n",
		tmpdir(), tmpdir());
	expect_ok(slu_file_write(AT_FDCWD, tmpfile_path("lfs"), text,
				 strlen(text), 0755, false, &err),
		  err);
	path = slu_asprintf("%s:%s", tmpdir(), getenv("PATH"));
	setenv("PATH", path, 1);
	free(path);
}

static void expect_log(const char *want)
{
	struct slu_buf text = {0};

	expect_ok(slu_file_read(AT_FDCWD, tmpfile_path("lfs.log"), 10000, &text,
				&err),
		  err);
	ck_assert_str_eq(text.data, want);
	slu_buf_free(&text);
}

START_TEST(test_library)
{
	struct sluice_place ask = {.stripes = 2, .size = 1 << 20};
	uint32_t target[9] = {0};
	char path[200], want[500];

	if (!have_root() || !sluiced_begin())
		return;
	meet();
	make_lfs();
	setenv("SLUICE_CONF", tmpfile_path("sluice.conf"), 1);
	ck_assert_int_eq(sluice_place(&ask, target, why), -1);
	expect(strstr(why, "no Lustre server has reported"), "%s", why);
	tell();
	ck_assert_int_eq(sluice_place(&ask, target, why), 2);
	ck_assert(target[0] == 3 && target[1] == 2);
	/* that was remembered */
	ck_assert_int_eq(sluice_place(&ask, target, why), 2);
	ck_assert(target[0] == 1 && target[1] == 0);
	ask = (struct sluice_place){.stripes = 9, .application = "x"};
	ck_assert_int_eq(sluice_place(&ask, target, why), 4);
	ask.stripes = 0;
	ck_assert_int_eq(sluice_place(&ask, target, why), -1);
	expect(strstr(why, "1 to 2000"), "%s", why);
	ask.stripes = 4;
	snprintf(path, sizeof(path), "%s/new", tmpdir());
	expect(!sluice_place_create(path, &ask, why), "%s", why);
	snprintf(want, sizeof(want), "setstripe -c 4 -o 3,2,1,0 %s\n", path);
	expect_log(want);
	ck_assert_int_eq(sluice_place_create(path, &ask, why), -1);
	expect(strstr(why, "already set"), "%s", why);
	ck_assert_int_eq(sluice_place_create("-x", &ask, why), -1);
	setenv("SLUICE_CONF", tmpfile_path("none"), 1);
	ck_assert_int_eq(sluice_place(&ask, target, why), -1);
	ctl_close();
	sluiced_end();
}
END_TEST

static void close_targets(const char *list)
{
	expect_ok(slu_file_write(AT_FDCWD, tmpfile_path("closed"), list,
				 strlen(list), 0644, false, &err),
		  err);
}

/* A target that Lustre refuses is detected, reported and left out; two of them
 * are too many. */
START_TEST(test_refused)
{
	static const struct {
		const char *closed, *last, *says;
	} cases[] = {
		{"2", "-c 3 -o", "target 2 was refused"},
		{"3", "-c 3 -o", "target 3 was refused"},
		{"0", "-c 3 -o", "target 0 was refused"},
		{"", "-c 4 -o", ""},
		{"0 1", NULL, "0 was refused, and then: "},
	};
	const struct sluice_place ask = {.stripes = 4, .size = 1 << 20};
	char path[200];

	if (!have_root() || !sluiced_begin())
		return;
	meet();
	make_lfs();
	setenv("SLUICE_CONF", tmpfile_path("sluice.conf"), 1);
	tell();
	each(c, cases)
	{
		struct slu_buf text = {0};
		int rc;

		unlink(tmpfile_path("lfs.log"));
		close_targets(c->closed);
		snprintf(path, sizeof(path), "%s/r%td", tmpdir(), c - cases);
		rc = sluice_place_create(path, &ask, why);
		ck_assert_int_eq(rc, c->last ? 0 : -1);
		expect(strstr(why, c->says) && !*c->says == !*why, "%s", why);
		ck_assert_int_eq(access(path, F_OK), rc);
		expect_ok(slu_file_read(AT_FDCWD, tmpfile_path("lfs.log"),
					10000, &text, &err),
			  err);
		if (c->last) {
			char *end = strrchr(slu_trim(text.data), '\n');

			expect(strstr(end ? end : text.data, c->last), "%s",
			       text.data);
		}
		slu_buf_free(&text);
	}
	ctl_close();
	sluiced_end();
}
END_TEST

/* As many at once as a job has processes: each gets its turn. */
START_TEST(test_many_processes_at_once)
{
	enum { MANY = 100 };
	struct sluice_place ask = {.stripes = 1, .size = 1 << 20};
	int status, bad = 0;
	pid_t pid[MANY];
	uint32_t target;

	if (!have_root() || !sluiced_begin())
		return;
	meet();
	setenv("SLUICE_CONF", tmpfile_path("sluice.conf"), 1);
	tell();
	for (int i = 0; i < MANY; i++)
		if ((pid[i] = fork()) == 0)
			_exit(setgroups(0, NULL) || setgid(65534) ||
			      setuid(65534) ||
			      sluice_place(&ask, &target, why) != 1);
	for (int i = 0; i < MANY; i++)
		bad += waitpid(pid[i], &status, 0) != pid[i] || status != 0;
	ck_assert_int_eq(bad, 0);
	ctl_close();
	sluiced_end();
}
END_TEST

/* Page faults of the processes that sluiced has ended: a few hundred each. */
static unsigned long faults_of_children(void)
{
	struct slu_buf text = {0};
	unsigned long n = 0;
	char path[64], *end;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)sluiced_pid);
	expect_ok(slu_file_read(AT_FDCWD, path, 4096, &text, &err), err);
	end = strrchr(text.data, ')');
	ck_assert(end && sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %lu",
				&n) == 1);
	slu_buf_free(&text);
	return n;
}

/* Many files by one question; of a name whose next runs are known no process
 * has to be started. Each stripe is where least is: 2,000 on four. */
START_TEST(test_many)
{
	static uint32_t target[4000], count[2000];
	const struct sluice_place ask = {
		.stripes = 2, .size = 1 << 20, .application = "x"};
	unsigned on[4] = {0};
	unsigned long faults;

	if (!have_root() || !sluiced_begin())
		return;
	meet();
	setenv("SLUICE_CONF", tmpfile_path("sluice.conf"), 1);
	tell();
	expect(!sluice_place_files(&ask, 1, target, count, why), "%s", why);
	for (int i = 0; i < 500 && faults_of_children() == 0; i++)
		usleep(20000); /* it has answered, and is to end */
	faults = faults_of_children();
	ck_assert_uint_gt(faults, 0);
	expect(!sluice_place_files(&ask, 2000, target, count, why), "%s", why);
	for (size_t i = 0; i < 2000; i++) {
		ck_assert_uint_eq(count[i], 2);
		ck_assert_uint_ne(target[2 * i], target[2 * i + 1]);
		on[target[2 * i]]++;
		on[target[2 * i + 1]]++;
	}
	for (int j = 0; j < 4; j++)
		expect(on[j] >= 999 && on[j] <= 1001, "%d: %u", j, on[j]);
	for (int i = 0; i < 20; i++)
		ck_assert_int_eq(sluice_place(&ask, target, why), 2);
	ck_assert_uint_eq(faults_of_children(), faults);
	ctl_close();
	sluiced_end();
}
END_TEST

/* Six questions, each of which alone is less than a second's: all are answered,
 * but no sooner than the rate has it, of which the last may be overdrawn. */
static int ask_much(void)
{
	static uint32_t target[4096], count[4096];
	const struct sluice_place ask = {.stripes = 1};
	double began = slu_now_mono();

	for (int i = 0; i < 6; i++)
		if (sluice_place_files(&ask, 4096, target, count, why))
			return 2;
	return slu_now_mono() - began < 5 * 4096. / SLUICE_PLACE_RATE - 1;
}

START_TEST(test_turn)
{
	int status;
	pid_t pid;

	if (!have_root() || !sluiced_begin())
		return;
	meet();
	setenv("SLUICE_CONF", tmpfile_path("sluice.conf"), 1);
	tell();
	ck_assert_int_eq(SLUICE_PLACE_RATE, SLU_PLACEMENTS);
	pid = fork();
	if (pid == 0)
		_exit(setgroups(0, NULL) || setgid(65534) || setuid(65534)
			      ? 3
			      : ask_much());
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
	ctl_close();
	sluiced_end();
}
END_TEST

/* The command with these words; its exit code. */
static int command(const char *line)
{
	char words[500], out[300];
	char *argv[12];
	int status, argc;
	pid_t pid;

	snprintf(words, sizeof(words), "sluice-place|%s", line);
	argc = (int)slu_split(words, "|", argv, 11);
	argv[argc] = NULL;
	fflush(stdout);
	snprintf(out, sizeof(out), "%s", tmpfile_path("said"));
	pid = fork();
	if (pid == 0) {
		if (!freopen(out, "w", stdout) ||
		    !freopen("/dev/null", "w", stderr))
			_exit(99);
		optind = 1;
		status = place_main(argc, argv);
		fflush(stdout);
		_exit(status);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

START_TEST(test_command)
{
	char file[200], line[300], want[500];
	struct slu_buf out = {0};

	if (!have_root() || !sluiced_begin())
		return;
	meet();
	make_lfs();
	setenv("SLUICE_CONF", tmpfile_path("sluice.conf"), 1);
	tell();
	snprintf(file, sizeof(file), "%s/f", tmpdir());
	snprintf(line, sizeof(line), "--dry-run|-c|3|-f|s|%s", file);
	ck_assert_int_eq(command(line), 0);
	expect_ok(
		slu_file_read(AT_FDCWD, tmpfile_path("said"), 1000, &out, &err),
		err);
	snprintf(want, sizeof(want), "lfs setstripe -c 3 -o 3,2,1 %s\n", file);
	ck_assert_str_eq(out.data, want);
	ck_assert(access(file, F_OK));
	snprintf(line, sizeof(line), "-s|1KiB|%s", file);
	ck_assert_int_eq(command(line), 0);
	ck_assert(!access(file, F_OK));
	ck_assert_int_eq(command(line), 1);
	snprintf(want, sizeof(want), "%s/a\n\n%s/b\n", tmpdir(), tmpdir());
	expect_ok(slu_file_write(AT_FDCWD, tmpfile_path("list"), want,
				 strlen(want), 0644, false, &err),
		  err);
	snprintf(line, sizeof(line), "-T|%s", tmpfile_path("list"));
	ck_assert_int_eq(command(line), 0);
	ck_assert(!access(tmpfile_path("a"), F_OK));
	ck_assert(!access(tmpfile_path("b"), F_OK));
	ck_assert_int_eq(command(line), 1);
	ck_assert_int_eq(command("-T|/none"), 1);
	ck_assert_int_eq(command("--targets|2|-T|/none"), 2);
	ck_assert_int_eq(command("-c|3x|f"), 2);
	ck_assert_int_eq(command("-c|2001|f"), 2);
	ck_assert_int_eq(command("-s|many|f"), 2);
	ck_assert_int_eq(command("--dry-run"), 2);
	slu_buf_free(&out);
	ctl_close();
	sluiced_end();
}
END_TEST

TEST_MAIN("client", test_library, test_refused, test_many_processes_at_once,
	  test_many, test_turn, test_command)
