/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_NODE_LIFE_H
#define SLU_TESTS_NODE_LIFE_H

/* The life of a job on two nodes (see nodes.h): its input, what its tasks do,
 * what must be there after it, and what must not. */

#include "tests/unit/nodes.h"

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

/* CK_RUN_CASE=name runs one alone. */
static void add(Suite *suite, const char *name, const TTest *test, int n)
{
	TCase *tcase = tcase_create(name);

	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, test, 0, n);
	suite_add_tcase(suite, tcase);
}

static int run_suite(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	int failed;

	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
