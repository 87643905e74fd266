/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests a process that outlives its job (without cgroups, Slurm does not end
 * one that has left its session), writes into files that are staged out, and
 * resets their times. It is ended on every node before any node copies; other
 * processes are not.
 */
#include "config.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include "tests/unit/burst_buffer/node/node_life.h"

/* Rewrites a file with numbers of equal length, and appends to another; opens
 * each anew, and stands elsewhere. After a while it makes $1. */
static const char writer[] =
	"cd /; i=100000; while :; do"
	" exec 3<>\"$BB_JOBFS/in/late\"; printf %d $i >&3; exec 3>&-;"
	" touch -d @1000 \"$BB_JOBFS/in/late\";"
	" echo $i >>\"$BB_JOBFS/in/more\";"
	" touch -d @1000 \"$BB_JOBFS/in/more\";"
	" [ $i != 100009 ] || : >\"$1\"; i=$((i + 1)); done";

/* One that stands by, with the job's environment. */
static const char idler[] = ": >\"$1\"; sleep 1000 & wait";

/* One that is not known to be the job's: it holds a file, and rewrites it. */
static const char holder[] =
	"cd /; exec 3<>\"$BB_JOBFS/in/held\"; printf 100 >&3; i=101;"
	" while :; do printf %d $i 1<>\"$BB_JOBFS/in/held\";"
	" touch -d @1000 \"$BB_JOBFS/in/held\";"
	" [ $i != 109 ] || : >\"$1\";"
	" i=$((i == 999 ? 101 : i + 1)); done";

static void run_shell(const char *script, const char *job, const char *ready)
{
	char data[PATH_MAX], path[PATH_MAX + 20];
	char *env[] = {path, (char *)job, "PATH=/usr/bin:/bin", NULL};
	char *argv[] = {"sh", "-c", (char *)script, "sh", (char *)ready, NULL};

	job_path(data, "mnt/data");
	snprintf(path, sizeof(path), "BB_JOBFS=%s", data);
	if (!setsid() || become_ann())
		_exit(1);
	execve("/bin/sh", argv, env);
	_exit(1);
}

static pid_t start(const char *script, const char *job, const char *name)
{
	char ready[PATH_MAX];
	pid_t pid;

	snprintf(ready, sizeof(ready), "%s/pfs/out/%s", world, name);
	unlink(ready);
	pid = fork();
	if (!pid)
		run_shell(script, job, ready);
	for (int i = 0; i < 1000 && access(ready, F_OK); i++)
		usleep(10000);
	return unlink(ready) ? -1 : pid;
}

static int note(const char *name, pid_t pid)
{
	FILE *f = fopen(at(name), "w");

	return pid < 0 || !f || fprintf(f, "%d", (int)pid) < 0 || fclose(f);
}

/* The writer on n2 alone: n1 is ready to copy before. */
static int leave_behind(const char *arg)
{
	(void)arg;
	if (is_n1())
		return note("other.pid",
			    start(idler, "SLURM_JOB_ID=8", "other"));
	return note("late.pid", start(writer, "SLURM_JOB_ID=7", "late"));
}

static int leave_holder(const char *arg)
{
	(void)arg;
	return is_n1() &&
	       note("other.pid", start(holder, "SLURM_JOB_ID=8", "other"));
}

static int lives(const char *name)
{
	FILE *f = fopen(at(name), "r");
	struct slu_pid is;
	int pid = 0, rc;

	if (!f || fscanf(f, "%d", &pid) != 1)
		return -1;
	fclose(f);
	rc = !slu_pid_get(pid, &is, NULL);
	if (rc)
		kill(-pid, SIGKILL);
	return rc;
}

static int ends_other(const char *arg)
{
	(void)arg;
	return is_n1() && lives("other.pid") != 1;
}

static int who_lives(const char *arg)
{
	(void)arg;
	return is_n1() ? lives("other.pid") != 1 : lives("late.pid") != 0;
}

static void last_line(const char *name, char line[16])
{
	FILE *f = fopen(pfs(name), "r");

	*line = '\0';
	ck_assert_ptr_nonnull(f);
	while (fgets(line, 16, f))
		line[strcspn(line, "\n")] = '\0';
	fclose(f);
	ck_assert(!unlink(pfs(name)));
}

/* What it wrote last, in both files. */
static void expect_last(const char *dir)
{
	char name[80], number[16], last[16];

	snprintf(name, sizeof(name), "%s/late", dir);
	last_line(name, number);
	snprintf(name, sizeof(name), "%s/more", dir);
	last_line(name, last);
	ck_assert_int_gt(atoi(last), 100000);
	expect(abs(atoi(number) - atoi(last)) <= 1, "%s and %s", number, last);
}

static void outlived(const char *type, bool shared)
{
	if (!begin_up(type, ""))
		return;
	run_tasks(shared);
	nodes_all(leave_behind, "", 0);
	job_ends(request, "COMPLETED");
	down();
	ctl_until("DONE");
	ck_assert_str_eq(ctl_text, "");
	nodes_all(who_lives, "", 0);
	expect_last(shared ? "out/in" : "out/n2/in");
	expect_output(shared);
	expect_nothing_left();
	nodes_end();
}

START_TEST(test_scratch)
{
	outlived("scratch", false);
}
END_TEST

START_TEST(test_glusterfs)
{
	if (!no_glusterfs())
		outlived("glusterfs", true);
}
END_TEST

/* A process that is not ended is noticed, and named. */
START_TEST(test_noticed)
{
	if (!begin_up("scratch", ""))
		return;
	run_tasks(false);
	nodes_all(leave_holder, "", 0);
	job_ends(request, "COMPLETED");
	down();
	ctl_until("DONE");
	expect(strstr(ctl_text, "in/held was changed while it was being "
				"copied; it is open in sh ("),
	       "%s", ctl_text);
	ck_assert(!unlink(at("other.pid")));
	nodes_end();
}
END_TEST

/* Another user's process that was given a descriptor, and writes by memory. */
static void write_mapped(const char *path, const char *ready)
{
	const size_t size = 8 << 20;
	int fd = open(path, O_RDWR | O_CREAT, 0666);
	char *at = MAP_FAILED;

	if (fd >= 0 && !ftruncate(fd, (off_t)size) && !setgid(OTHER_UID) &&
	    !setuid(OTHER_UID))
		at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			  0);
	if (at == MAP_FAILED)
		_exit(1);
	memset(at, 1, size);
	close(fd);
	close(open(ready, O_WRONLY | O_CREAT, 0600));
	for (unsigned char n = 0;; n++)
		for (size_t i = 0; i < size; i += 4096)
			at[i] = (char)n;
}

static int leave_mapped(const char *arg)
{
	char path[PATH_MAX], ready[PATH_MAX];
	pid_t pid;

	(void)arg;
	if (!is_n1())
		return 0;
	job_path(path, "mnt/data/in/held");
	snprintf(ready, sizeof(ready), "%s/pfs/out/mapped", world);
	ck_assert(!chmod(pfs("out"), 0777));
	pid = fork();
	if (!pid) {
		setsid();
		write_mapped(path, ready);
	}
	for (int i = 0; i < 1000 && access(ready, F_OK); i++)
		usleep(10000);
	return unlink(ready) || note("other.pid", pid);
}

START_TEST(test_mapped)
{
	if (!begin_up("scratch", ""))
		return;
	run_tasks(false);
	nodes_all(leave_mapped, "", 0);
	job_ends(request, "COMPLETED");
	down();
	ctl_until("DONE");
	expect(strstr(ctl_text, "in/held was changed while it was being"), "%s",
	       ctl_text);
	nodes_all(ends_other, "", 0);
	nodes_end();
}
END_TEST

static int run(void)
{
	Suite *suite = suite_create("node_outlived");

	add(suite, "scratch", test_scratch, 1);
	add(suite, "glusterfs", test_glusterfs, 1);
	add(suite, "noticed", test_noticed, 1);
	add(suite, "mapped", test_mapped, 1);
	return run_suite(suite);
}

int main(void)
{
	int rc = enter_own_host("node_outlived");

	return rc ? rc : run();
}
