/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests sluice-stage-out on two nodes against a whole sluiced: files that a job
 * declares ready are copied while it runs, and not again at its end. */
#include "config.h"
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include "common/proc.h"
#include "burst_buffer/node/stage/early.h"
#include "tests/unit/burst_buffer/node/node_life.h"

static char program[PATH_MAX]; /* sluice-stage-out */

/* As ann: the exit code of the program with "DIRECTORY-OF-THE-JOB/NAME". */
static int declare(const char *name)
{
	char path[PATH_MAX];

	job_path(path, name);
	setenv("SLURM_JOB_ID", "7", 1);
	if (become_ann())
		return 12;
	execl(program, "sluice-stage-out", path, NULL);
	return 13;
}

static int declare_as_bob(const char *name)
{
	char path[PATH_MAX];

	job_path(path, name);
	setenv("SLURM_JOB_ID", "7", 1);
	if (setgid(NODE_UID + 1) || setuid(NODE_UID + 1))
		return 12;
	execl(program, "sluice-stage-out", path, NULL);
	return 13;
}

/* Whatever is not a path of this job, or not one of a stage_out. */
static int declare_odd(const char *arg)
{
	static const char *const odd[] = {"mnt/data", "mnt/data/other", "log"};
	int status;

	(void)arg;
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		if (!fork())
			_exit(declare(odd[i]));
		if (wait(&status) < 0 || !WIFEXITED(status) ||
		    WEXITSTATUS(status) != 1)
			return 50 + (int)i;
	}
	return 0;
}

/* A task changes what it had declared. */
static int change(const char *name)
{
	char path[PATH_MAX];
	FILE *f;

	job_path(path, name);
	if (become_ann())
		return 12;
	f = fopen(path, "w");
	return f && fputs("changed\n", f) >= 0 && !fclose(f) ? 0 : 17;
}

/* One byte, and gives it the time of before. */
static int change_unseen(const char *name)
{
	struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}};
	char path[PATH_MAX];
	struct stat st;
	int fd;

	job_path(path, name);
	if (become_ann())
		return 12;
	fd = open(path, O_WRONLY);
	if (fd < 0 || fstat(fd, &st))
		return 18;
	times[1] = st.st_mtim;
	return pwrite(fd, "Z", 1, 0) != 1 || fsync(fd) || futimens(fd, times) ||
			       close(fd)
		       ? 19
		       : 0;
}

static void wait_for_file(const char *name)
{
	struct stat want, is;

	ck_assert(!stat(pfs("in/sub/f18"), &want));
	for (int i = 0; i < 2400; i++) {
		if (!stat(pfs(name), &is) && is.st_size == want.st_size &&
		    is.st_mtim.tv_sec == want.st_mtim.tv_sec)
			return;
		usleep(50000);
	}
	ck_abort_msg("%s has not arrived", name);
}

/* Another content under the same size and time. */
static void disguise(const char *name, const char *like)
{
	struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}};
	struct stat st;

	ck_assert(!stat(pfs(like), &st));
	make_file(pfs(name), (uint64_t)st.st_size, 99);
	times[1] = st.st_mtim;
	ck_assert(!utimensat(AT_FDCWD, pfs(name), times, 0));
}

static void same_as(const char *name, unsigned seed, uint64_t size)
{
	make_dir(pfs("want"), 0755);
	make_dir(pfs("is"), 0755);
	make_file(pfs("want/f"), size, seed);
	ck_assert(!rename(pfs(name), pfs("is/f")));
	ck_assert_msg(!tree_differs(pfs("want"), pfs("is"), 0), "%s", name);
	ck_assert(!slu_rmtree(AT_FDCWD, pfs("want"), NULL));
	ck_assert(!slu_rmtree(AT_FDCWD, pfs("is"), NULL));
}

static void write_first(const char *path)
{
	int fd = open(path, O_WRONLY);

	ck_assert_int_eq(pwrite(fd, "Z", 1, 0), 1);
	close(fd);
}

static int make_way(const char *name)
{
	char path[PATH_MAX];

	job_path(path, name);
	return become_ann() || symlink(".", path) ? 60 : 0;
}

/* What is staged out has a link in its path, as RunDir may have. */
static void lead_astray(void)
{
	static const char from[] = "source=$BB_JOBFS/in", to[] = "/way/in";
	char *at = strstr(request, from), *rest;

	ck_assert_ptr_nonnull(at);
	at += strlen(from) - strlen("/in");
	rest = strdup(at + strlen("/in"));
	sprintf(at, "%s%s", to, rest);
	free(rest);
}

static void early_life(const char *type, bool shared, const char *more,
		       bool linked)
{
	char dir[NODES][40] = {"out/in", "out/in"}, name[100];

	if (!begin(type, ""))
		return;
	strcat(request, more);
	if (linked)
		lead_astray();
	job_starts(request);
	up();
	ctl_until("RUNNING");
	if (linked)
		nodes_all(make_way, "mnt/data/way", 0);
	run_tasks(shared);
	nodes_all(declare_odd, "", 0);
	nodes_all(declare_as_bob, "mnt/data/in/sub", 1);
	nodes_all(declare, "mnt/data/in/sub", 0);
	for (int i = 0; i < NODES; i++) {
		if (!shared)
			snprintf(dir[i], sizeof(dir[i]), "out/n%d/in", i + 1);
		snprintf(name, sizeof(name), "%s/sub/f18", dir[i]);
		wait_for_file(name);
		snprintf(name, sizeof(name), "%s/f1", dir[i]);
		ck_assert(access(pfs(name), F_OK)); /* it was not declared */
	}
	sleep(2); /* the process has come to its end */
	for (int i = 0; i < (shared ? 1 : NODES); i++) {
		snprintf(name, sizeof(name), "%s/sub/f15", dir[i]);
		disguise(name, "in/sub/f15");
	}
	nodes_all(change, "mnt/data/in/sub/f12", 0);
	nodes_all(change_unseen, "mnt/data/in/sub/f9", 0);
	job_ends(request, "COMPLETED");
	down();
	ctl_until("DONE");
	ck_assert_str_eq(ctl_text, "");
	for (int i = 0; i < (shared ? 1 : NODES); i++) {
		snprintf(name, sizeof(name), "%s/sub/f15", dir[i]);
		same_as(name, 99, 15 * 5000);
		make_file(pfs(name), 15 * 5000, 15);
		snprintf(name, sizeof(name), "%s/sub/f12", dir[i]);
		make_text(pfs(name), "changed\n");
	}
	make_text(pfs("in/sub/f12"), "changed\n");
	write_first(pfs("in/sub/f9"));
	expect_output(shared);
	expect_nothing_left();
	nodes_end();
}

START_TEST(test_scratch)
{
	early_life("scratch", false, "", false);
}
END_TEST

START_TEST(test_linked)
{
	early_life("scratch", false, "", true);
}
END_TEST

START_TEST(test_glusterfs)
{
	if (!no_glusterfs())
		early_life("glusterfs", true, "", false);
}
END_TEST

/* n2 hands on to n1, which does it for both. */
START_TEST(test_one_node)
{
	if (!no_glusterfs())
		early_life("glusterfs", true, " nodes=staging", false);
}
END_TEST

/* What depends on the job's end is not staged out before. */
START_TEST(test_on_success)
{
	if (!begin("scratch", ""))
		return;
	strcat(request, " on=success");
	job_starts(request);
	up();
	ctl_until("RUNNING");
	nodes_all(declare, "mnt/data/in/sub", 1);
	job_ends(request, "COMPLETED");
	down();
	ctl_until("DONE");
	nodes_end();
}
END_TEST

/* One waits for a helper that may come yet, and not for each path. */
static int declare_five(const char *name)
{
	char path[PATH_MAX];
	double start = slu_now_mono();
	int status;

	job_path(path, name);
	setenv("SLURM_JOB_ID", "7", 1);
	if (!fork())
		_exit(become_ann() || execl(program, "sluice-stage-out", path,
					    path, path, path, path, NULL));
	if (wait(&status) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 1)
		return 80;
	return slu_now_mono() - start < 6 ? 0 : 81;
}

static int deafen(const char *name)
{
	char path[PATH_MAX];

	job_path(path, name);
	for (int i = 0; unlink(path); i++, usleep(50000))
		if (errno != ENOENT || i == 200) /* its watcher begins */
			return 82;
	return 0;
}

START_TEST(test_no_watcher)
{
	if (!begin_up("scratch", ""))
		return;
	ctl_until("RUNNING");
	nodes_all(reads, "exactly", 0);
	nodes_all(deafen, SLU_EARLY_SOCKET, 0);
	nodes_all(declare_five, "mnt/data/in/sub", 0);
	job_ends(request, "COMPLETED");
	down();
	ctl_until("DONE");
	nodes_end();
}
END_TEST

static int small_run(const char *arg)
{
	char path[PATH_MAX];

	(void)arg;
	snprintf(path, sizeof(path), "%s/run", world);
	return mount("run", path, "tmpfs", 0, "size=1m") ? 70 : 0;
}

/* 2 MB of paths. */
static int make_deep(const char *name)
{
	char path[PATH_MAX];
	size_t len;

	job_path(path, name);
	if (become_ann())
		return 12;
	for (int i = 0; i < 10; i++) {
		len = strlen(path);
		snprintf(path + len, sizeof(path) - len, "/%0200d", i);
		if (mkdir(path, 0755))
			return 71;
	}
	len = strlen(path);
	for (int i = 0; i < 1000; i++) {
		snprintf(path + len, sizeof(path) - len, "/f%d", i);
		make_text(path, "x");
	}
	return 0;
}

/* The list of a job's files is charged to the job. */
START_TEST(test_long_list)
{
	char name[100];

	if (!begin("scratch", ""))
		return;
	nodes_all(small_run, "", 0);
	job_starts(request);
	up();
	ctl_until("RUNNING");
	nodes_all(make_deep, "mnt/data/in/sub", 0);
	nodes_all(declare, "mnt/data/in/sub", 0);
	for (int i = 0; i < NODES; i++) {
		snprintf(name, sizeof(name), "out/n%d/in/sub/f18", i + 1);
		wait_for_file(name);
	}
	job_ends(request, "COMPLETED");
	down();
	ctl_until("DONE");
	ck_assert_str_eq(ctl_text, "");
	nodes_end();
}
END_TEST

static int run(void)
{
	Suite *suite = suite_create("early");

	add(suite, "scratch", test_scratch, 1);
	add(suite, "linked", test_linked, 1);
	add(suite, "glusterfs", test_glusterfs, 1);
	add(suite, "one_node", test_one_node, 1);
	add(suite, "nobody", test_no_watcher, 1);
	add(suite, "long_list", test_long_list, 1);
	add(suite, "on_success", test_on_success, 1);
	return run_suite(suite);
}

int main(void)
{
	int rc = enter_own_host("early");

	if (!getcwd(program, sizeof(program) - 20))
		return 1;
	strcat(program, "/sluice-stage-out");
	return rc ? rc : run();
}
