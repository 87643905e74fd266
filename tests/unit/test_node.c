/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sluice-node up and down on two nodes against a whole sluiced: well, under
 * every kind of mistake, and killed at every one of its requests. */
#include "config.h"
#include "tests/unit/nodes.h"
#include "burst_buffer/host/mtab.h"
#include "burst_buffer/host/server.h"
#include "burst_buffer/host/users.h"
#include "burst_buffer/storage.h"
#include "common/proc.h"

/* More than one life has requests. */
#define KILLS_SCRATCH	16
#define KILLS_GLUSTERFS 28

static char request[2000];

static const char *pfs(const char *name)
{
	static char path[4][PATH_MAX];
	static int turn;

	turn = (turn + 1) % 4;
	snprintf(path[turn], PATH_MAX, "%s/pfs/%s", world, name);
	return path[turn];
}

static void make_input(void)
{
	make_dir(pfs("in"), 0755);
	make_dir(pfs("in/sub"), 0755);
	for (int i = 0; i < 20; i++) {
		char name[40];

		snprintf(name, sizeof(name), "in/%sf%d", i % 3 ? "" : "sub/",
			 i);
		make_file(pfs(name), (uint64_t)i * 5000, (unsigned)i);
	}
	make_link(pfs("in/l"), "f1");
	ck_assert(!chmod(pfs("in/f1"), 0400));
	ck_assert(!chown(pfs("in/f1"), NODE_UID, NODE_UID));
	make_dir(pfs("out"), 0777);
	ck_assert(!chmod(pfs("out"), 0777));
}

/* "jobfs type=TYPE" with input and output. */
static void set_request(const char *type)
{
	snprintf(request, sizeof(request),
		 "jobfs type=%s capacity=40MiB name=JOBFS; stage_in "
		 "source=%s/pfs/in destination=$BB_JOBFS; stage_out "
		 "source=$BB_JOBFS/in destination=%s/pfs/out",
		 type, world, world);
}

static int become_ann(void)
{
	return setgid(NODE_UID) || setuid(NODE_UID) ? -1 : 0;
}

static void job_path(char *path, const char *name)
{
	snprintf(path, PATH_MAX, "%s/run/%d/%s", world, JOB, name);
}

/* What a task sees: its input, and nothing that is not its business. */
static int reads(const char *arg)
{
	char env[400] = "", want[400], path[PATH_MAX];
	FILE *f;

	job_path(path, "env");
	f = fopen(path, "r");
	if (!f || !fgets(env, sizeof(env), f))
		return 10;
	fclose(f);
	snprintf(want, sizeof(want), "BB_JOBFS=%s/run/%d/mnt/data\n", world,
		 JOB);
	if (strcmp(env, want))
		return 11;
	if (become_ann())
		return 12;
	job_path(path, "mnt/data/in");
	/* For a second a client may know the directories' old times. */
	if (tree_differs(pfs("in"), path, !strcmp(arg, "exactly")))
		return 13;
	job_path(path, "mnt/data/.sluice");
	if (!access(path, F_OK))
		return 14;
	job_path(path, "plan.json");
	if (fopen(path, "r"))
		return 15;
	job_path(path, "log");
	f = fopen(path, "r");
	return f && !fclose(f) ? 0 : 16;
}

/* What it does: it adds a file. */
static int writes(const char *arg)
{
	char path[PATH_MAX];
	FILE *f;

	job_path(path, arg);
	strcat(path, getenv("SLURMD_NODENAME"));
	if (become_ann())
		return 12;
	f = fopen(path, "w");
	return f && fputs("result", f) >= 0 && !fclose(f) ? 0 : 17;
}

static void run_tasks(bool shared)
{
	nodes_all(reads, shared ? "nearly" : "exactly", 0);
	nodes_all(writes, "mnt/data/in/from.", 0);
}

/* Nothing of the job is on this node: 0. */
static int nothing_left(const char *arg)
{
	char path[PATH_MAX];
	struct slu_buf mounts = {0};

	(void)arg;
	job_path(path, "");
	if (!access(path, F_OK))
		return 20;
	if (slu_file_read(AT_FDCWD, "/proc/self/mountinfo", 1 << 22, &mounts,
			  NULL) ||
	    strstr(mounts.data, "/run/7") || strstr(mounts.data, "fuse."))
		return 21;
	slu_buf_free(&mounts);
	snprintf(path, sizeof(path), "%s/storage", world);
	return rmdir(strcat(path, "/kept")) && errno != ENOENT ? 22 : 0;
}

static int storage_empty(const char *arg)
{
	char path[PATH_MAX];

	(void)arg;
	snprintf(path, sizeof(path), "%s/storage", world);
	return tree_differs(path, at("empty"), 0) ? 1 : 0;
}

static void expect_nothing_left(void)
{
	mkdir(at("empty"), 0755);
	nodes_all(nothing_left, "nothing left", 0);
	nodes_all(storage_empty, "storage empty", 0);
}

/* What the two tasks put out is where it belongs. */
static void expect_output(bool shared)
{
	char dir[NODES][40] = {"out/in", "out/in"}, name[120];

	for (int i = 0; i < NODES; i++) {
		if (!shared)
			snprintf(dir[i], sizeof(dir[i]), "out/n%d/in", i + 1);
		snprintf(name, sizeof(name), "%s/from.n%d", dir[i], i + 1);
		expect(!access(pfs(name), F_OK), "%s", name);
		ck_assert(!unlink(pfs(name)));
	}
	for (int i = 0; i < NODES; i++) {
		const char *how = tree_differs(pfs("in"), pfs(dir[i]), 0);

		ck_assert_msg(!how, "%s", how);
	}
}

static void up(void)
{
	nodes_all(run_verb, "up --job 7", 0);
}

static void down(void)
{
	nodes_all(run_verb, "down --job 7", 0);
}

static void whole_life(bool shared, bool slowly)
{
	job_starts(request);
	up();
	ctl_until("RUNNING");
	if (slowly) {
		up(); /* again: nothing changes */
		sleep(1);
		nodes_all(reads, "exactly", 0);
	}
	run_tasks(shared);
	job_ends(request, "COMPLETED");
	down();
	ctl_until("DONE");
	ck_assert_str_eq(ctl_text, "");
	expect_output(shared);
	expect_nothing_left();
	down(); /* again: nothing to do */
}

static bool begin(const char *type, const char *more)
{
	if (!nodes_begin(more))
		return false;
	make_input();
	set_request(type);
	return true;
}

static bool no_glusterfs(void)
{
	if (!access("/usr/sbin/glusterfsd", X_OK) &&
	    !access("/dev/fuse", R_OK | W_OK))
		return false;
	puts("node: no glusterfs or no /dev/fuse: not tested with it");
	return true;
}

START_TEST(test_scratch)
{
	if (!begin("scratch", ""))
		return;
	whole_life(false, true);
	nodes_end();
}
END_TEST

START_TEST(test_glusterfs)
{
	if (no_glusterfs() || !begin("glusterfs", ""))
		return;
	whole_life(true, true);
	nodes_end();
}
END_TEST

/* Killed at the k-th request of n1, before sluiced hears it or after: run
 * again, it goes on, and nobody can tell the difference. */
static void killed_life(const char *type, int k, bool after, int last)
{
	struct node_shared *s;

	if (!begin(type, ""))
		return;
	s = &node_shared[0];
	s->kill_at = k;
	s->after = after;
	whole_life(!strcmp(type, "glusterfs"), false);
	/* Every request had its turn. */
	expect(k < last || s->requests < k, "%d requests", s->requests);
	nodes_end();
}

START_TEST(test_killed_scratch)
{
	killed_life("scratch", 1 + _i, _i % 2, KILLS_SCRATCH);
}
END_TEST

START_TEST(test_killed_glusterfs)
{
	if (!no_glusterfs())
		killed_life("glusterfs", 1 + _i, !(_i % 2), KILLS_GLUSTERFS);
}
END_TEST

/* Mistakes, and what becomes of them. */

static void read_file(const char *path, char *text, size_t size)
{
	FILE *f = fopen(path, "r");

	ck_assert_msg(f != NULL, "%s", path);
	text[fread(text, 1, size - 1, f)] = '\0';
	fclose(f);
}

/* 0: tasks are refused with a sentence that has these words. */
static int refused(const char *words)
{
	char path[PATH_MAX], text[1000];

	job_path(path, "env");
	if (!access(path, F_OK))
		return 30;
	job_path(path, "refused");
	read_file(path, text, sizeof(text));
	return strstr(text, words) && strchr(text, '\n') ? 0 : 31;
}

static void expect_refused(const char *words)
{
	nodes_all(refused, words, 0);
}

START_TEST(test_no_source)
{
	if (!begin("scratch", ""))
		return;
	snprintf(request, sizeof(request),
		 "jobfs capacity=40MiB; stage_in source=%s/pfs/none "
		 "destination=$BB_JOBFS/in",
		 world);
	job_starts(request);
	up();
	ctl_until_told("pfs/none: No such file");
	ck_assert_str_eq(ctl_verdict, "hold");
	expect_refused("pfs/none: No such file");
	job_ends(request, "CANCELLED");
	down();
	ctl_until("DONE");
	expect_nothing_left();
	nodes_end();
}
END_TEST

START_TEST(test_too_large)
{
	if (!begin("scratch", ""))
		return;
	snprintf(request, sizeof(request), "jobfs capacity=900TiB");
	job_starts(request);
	up();
	expect_refused("is free");
	job_ends(request, "CANCELLED");
	down();
	ctl_until("DONE");
	expect_nothing_left();
	nodes_end();
}
END_TEST

/* 0: what could not be staged out is kept, where the user can read it. */
static int data_kept(const char *arg)
{
	char path[PATH_MAX];

	(void)arg;
	if (become_ann())
		return 12;
	snprintf(path, sizeof(path), "%s/storage/kept/7.1/fs/data/in/from.%s",
		 world, getenv("SLURMD_NODENAME"));
	return access(path, R_OK) ? 40 : 0;
}

static int expire(const char *arg)
{
	char storage[PATH_MAX];

	(void)arg;
	snprintf(storage, sizeof(storage), "%s/storage", world);
	return slu_storage_expire(storage, INT64_MAX - 1, NULL) ? 41 : 0;
}

START_TEST(test_no_destination)
{
	if (!begin("scratch", ""))
		return;
	ck_assert(!chmod(pfs("out"), 0555));
	job_starts(request);
	up();
	run_tasks(false);
	job_ends(request, "COMPLETED");
	down();
	ctl_until("DONE");
	ctl_until_told("Permission denied");
	ck_assert_str_eq(ctl_verdict, "fail");
	nodes_all(data_kept, "", 0);
	nodes_all(expire, "", 0);
	expect_nothing_left();
	nodes_end();
}
END_TEST

/* Without sluiced: a refusal, no harm, and nothing to clean. */
START_TEST(test_no_sluiced)
{
	if (!begin("scratch", "SetupTimeout=1\n"))
		return;
	sluiced_stop(SIGTERM, 0);
	ctl_fd = -1; /* poll leaves it out */
	up();
	expect_refused("sluiced");
	down();
	expect_nothing_left();
	sluiced_start();
	ctl_connect();
	nodes_end();
}
END_TEST

static void cancel_job(void)
{
	job_ends(request, "CANCELLED");
}

/* Cancelled in the middle of a copy of very many files. */
START_TEST(test_cancel)
{
	double start;
	int rc[NODES];

	if (!begin("scratch", ""))
		return;
	for (int i = 0; i < 30000; i++) {
		char name[40];

		snprintf(name, sizeof(name), "in/many%d", i);
		close(open(pfs(name), O_WRONLY | O_CREAT, 0644));
	}
	job_starts(request);
	for (int i = 0; i < NODES; i++)
		node_send(i, run_verb, "up --job 7");
	start = slu_clock();
	nodes_wait_and(rc, 300, cancel_job);
	expect(slu_clock() - start < 20, "%g s", slu_clock() - start);
	ck_assert_int_eq(rc[0] | rc[1], 0);
	expect_refused("");
	down();
	ctl_until("DONE");
	expect_nothing_left();
	nodes_end();
}
END_TEST

/* The user fills it to the last byte; what is in it comes out all the same. */
static int fill(const char *arg)
{
	static char block[1 << 16];
	char path[PATH_MAX];
	size_t size = sizeof(block);
	ssize_t n;
	int fd;

	job_path(path, arg);
	strcat(path, getenv("SLURMD_NODENAME"));
	if (become_ann())
		return 12;
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	while ((n = write(fd, block, size)) > 0 || size > 1)
		size = n > 0 ? size : size / 2;
	if (errno != ENOSPC)
		return 50;
	/* Making more files fails or not, but it does not hang. */
	for (int i = 0; i < 200; i++) {
		snprintf(strrchr(path, '/'), 100, "/more%d", i);
		close(open(path, O_WRONLY | O_CREAT, 0600));
	}
	return 0;
}

static void full(const char *type)
{
	bool shared = !strcmp(type, "glusterfs");

	if (!begin(type, ""))
		return;
	job_starts(request);
	up();
	run_tasks(shared);
	nodes_all(fill, "mnt/data/filled.", 0);
	job_ends(request, "COMPLETED");
	down();
	ctl_until("DONE");
	ck_assert_str_eq(ctl_text, "");
	expect_output(shared);
	expect_nothing_left();
	nodes_end();
}

START_TEST(test_full_scratch)
{
	full("scratch");
}
END_TEST

START_TEST(test_full_glusterfs)
{
	if (!no_glusterfs())
		full("glusterfs");
}
END_TEST

/* The job was requeued and its epilog never ran: the next `up` does it. */
START_TEST(test_older_instance)
{
	if (!begin("scratch", ""))
		return;
	job_starts(request);
	up();
	run_tasks(false);
	job_ends(request, "COMPLETED");
	job_run++;
	setenv("SLURM_JOB_RESTART_COUNT", "1", 1);
	job_starts(request);
	up();
	expect_output(false); /* of the first run */
	nodes_all(reads, "exactly", 0);
	run_tasks(false);
	job_ends(request, "COMPLETED");
	down();
	expect_output(false);
	expect_nothing_left();
	nodes_end();
}
END_TEST

/* As after a reboot: no notes, no mounts, but the storage. */
static int reboot_node(const char *arg)
{
	char path[PATH_MAX];
	struct slu_err why;

	(void)arg;
	snprintf(path, sizeof(path), "%s/run/7", world);
	if (slu_unmount_below(path, 0, 1, &why) ||
	    slu_rmtree(AT_FDCWD, path, &why))
		return 60;
	snprintf(path, sizeof(path), "%s/storage/7.1", world);
	return slu_unmount_below(path, 0, 1, &why) || access(path, F_OK) ? 61
									 : 0;
}

START_TEST(test_leftover)
{
	if (!begin("scratch", ""))
		return;
	job_starts(request);
	up();
	nodes_all(reboot_node, "", 0);
	job_ends(request, "NODE_FAIL");
	job_run++;
	setenv("SLURM_JOB_RESTART_COUNT", "1", 1);
	job_starts(request);
	up();
	nodes_all(reads, "exactly", 0);
	job_ends(request, "CANCELLED");
	down();
	expect_nothing_left();
	nodes_end();
}
END_TEST

/* A client that hangs keeps the job's processes from dying, until watch ends
 * it, once the job has ended. */
static int hang(const char *arg)
{
	char path[PATH_MAX];
	struct slu_pid brick;
	pid_t child;

	job_path(path, "work/brick.vol");
	if (slu_server_find(path, &brick, NULL) ||
	    slu_pid_kill(&brick, SIGSTOP))
		return 70;
	child = fork();
	if (!child) {
		job_path(path, arg);
		_exit(become_ann() || mkdir(path, 0700));
	}
	usleep(200000);
	kill(child, SIGKILL);
	usleep(200000);
	return waitpid(child, NULL, WNOHANG) ? 71 : 0; /* it hangs */
}

static int still_hangs(const char *arg)
{
	struct slu_pid pid;

	(void)arg;
	return slu_users_stuck(NODE_UID, &pid, NULL) ? 0 : 1;
}

static int watch_shortly(const char *arg)
{
	struct slu_err why;

	/* That of `up` asks too rarely for a test. */
	(void)why;
	return run_verb(arg);
}

static void end_job(void)
{
	job_ends(request, "COMPLETED");
}

START_TEST(test_watch)
{
	int rc[NODES];

	if (no_glusterfs() || !begin("glusterfs", ""))
		return;
	snprintf(request, sizeof(request),
		 "jobfs type=glusterfs capacity=40MiB");
	job_starts(request);
	up();
	nodes_all(hang, "mnt/data/x", 0);
	for (int i = 0; i < NODES; i++)
		node_send(i, watch_shortly, "watch --job 7 --period 0.4");
	/* While the job lives, nothing is touched. */
	nodes_wait_and(rc, 2000, end_job);
	ck_assert_int_eq(rc[0] | rc[1], 0);
	nodes_all(still_hangs, "", 0);
	down();
	ctl_until("DONE");
	expect_nothing_left();
	nodes_end();
}
END_TEST

static int dry_run(const char *arg)
{
	char path[PATH_MAX];
	FILE *out = freopen(at("printed"), "a", stdout);
	int rc = run_verb(arg);

	fclose(out);
	job_path(path, "");
	return rc ? rc : !access(path, F_OK) && !strncmp(arg, "up", 2) ? 80 : 0;
}

START_TEST(test_dry_run)
{
	char text[8000];

	if (!begin("scratch", ""))
		return;
	nodes_all(dry_run, "up --job 7 --dry-run", 0);
	nodes_all(dry_run, "down --job 7 --dry-run", 0);
	job_starts(request);
	up();
	nodes_all(dry_run, "down --job 7 --dry-run", 0);
	nodes_all(reads, "exactly", 0); /* it is still there */
	read_file(at("printed"), text, sizeof(text));
	ck_assert_ptr_nonnull(strstr(text, "would ask"));
	ck_assert_ptr_nonnull(strstr(text, "nothing to do"));
	ck_assert_ptr_nonnull(strstr(text, "would stage out"));
	ck_assert_ptr_nonnull(strstr(text, "storage/7.1"));
	job_ends(request, "CANCELLED");
	down();
	nodes_end();
}
END_TEST

static int run(void)
{
	Suite *suite = suite_create("node");
	TCase *tcase = tcase_create("node");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, test_scratch);
	tcase_add_test(tcase, test_glusterfs);
	tcase_add_test(tcase, test_no_source);
	tcase_add_test(tcase, test_too_large);
	tcase_add_test(tcase, test_no_destination);
	tcase_add_test(tcase, test_no_sluiced);
	tcase_add_test(tcase, test_cancel);
	tcase_add_test(tcase, test_full_scratch);
	tcase_add_test(tcase, test_full_glusterfs);
	tcase_add_test(tcase, test_older_instance);
	tcase_add_test(tcase, test_leftover);
	tcase_add_test(tcase, test_watch);
	tcase_add_test(tcase, test_dry_run);
	tcase_add_loop_test(tcase, test_killed_scratch, 0, KILLS_SCRATCH);
	tcase_add_loop_test(tcase, test_killed_glusterfs, 0, KILLS_GLUSTERFS);
	suite_add_tcase(suite, tcase);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(void)
{
	int rc = enter_own_host("node");

	return rc ? rc : run();
}
