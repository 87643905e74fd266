/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests a job whose start slurmctld has lost: no epilog runs for it, and its
 * nodes are cleaned without a new job. */
#include "config.h"
#include "tests/unit/burst_buffer/node/node_life.h"
#include <fcntl.h>
#include <sys/stat.h>

/* Once: the prolog is killed with it. */
static int dies_on_n1(const char *arg)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%.200s/died", world);
	return is_n1() && !mkdir(path, 0755) ? run_verb(arg) : 0;
}

static int has_notes(const char *arg)
{
	char path[PATH_MAX];

	job_path(path, arg);
	return is_n1() ? access(path, F_OK) : 0;
}

/* Nobody has noted anything for longer than setting up may take. */
static int is_old(const char *arg)
{
	const struct timespec old[] = {{1000, 0}, {1000, 0}};
	char path[PATH_MAX];

	job_path(path, arg);
	return is_n1() ? utimensat(AT_FDCWD, path, old, 0) : 0;
}

/* `up` dies on n1 after that many requests, the last of which sluiced hears;
 * before n2 has asked for anything slurmctld is killed. */
static void forget_job(int requests)
{
	job_starts(request);
	node_shared[0].kill_at = node_shared[0].requests + requests;
	node_shared[0].after = true;
	nodes_all(dies_on_n1, "up --job 7", 0);
	nodes_all(has_notes, "up.pid", 0);
	ctl_hello(NULL, 0);
	ctl_until_drained("is not cleaned up");
}

/* A node that has reported clean removes the notes then. */
static int forgets_notes(const char *arg)
{
	char path[PATH_MAX];

	job_path(path, arg);
	for (int i = 0; !access(path, F_OK) && i < 1200; i++)
		usleep(50000);
	return 0;
}

static void expect_resumed(void)
{
	ctl_until_drained("");
	ctl_until("DONE");
	nodes_all(forgets_notes, "", 0);
	expect_nothing_left();
}

/* The prolog goes on and is refused: the plan was sent, but never came. */
START_TEST(test_refused)
{
	if (!begin("scratch", ""))
		return;
	forget_job(1);
	up();
	expect_resumed();
	down(); /* if an epilog comes all the same */
	expect_nothing_left();
	nodes_end();
}
END_TEST

/* The same when its plan is noted: the watcher begins `down`. */
START_TEST(test_refused_noted)
{
	if (!begin("scratch", ""))
		return;
	forget_job(2);
	up();
	nodes_all(has_notes, "watch.pid", 0);
	nodes_all(on_n1, "watch --job 7 --period 0.1", 0);
	expect_resumed();
	nodes_end();
}
END_TEST

/* The prolog does not go on: the health check does. */
START_TEST(test_killed)
{
	if (!begin("scratch", ""))
		return;
	forget_job(1);
	nodes_all(run_verb, "recover", 0);
	nodes_all(has_notes, "up.pid", 0); /* it may go on */
	nodes_all(is_old, "", 0);
	nodes_all(run_verb, "recover", 0);
	expect_resumed();
	nodes_end();
}
END_TEST

/* Another run, or another job, has its number, on the same nodes. */
START_TEST(test_number_reused)
{
	if (!begin("scratch", ""))
		return;
	forget_job(1);
	job_run++;
	whole_life(false, false);
	nodes_all(run_verb, "recover", 0);
	expect_resumed();
	nodes_end();
}
END_TEST

static int run(void)
{
	Suite *suite = suite_create("node_forgotten");

	add(suite, "refused", test_refused, 1);
	add(suite, "refused_noted", test_refused_noted, 1);
	add(suite, "killed", test_killed, 1);
	add(suite, "number_reused", test_number_reused, 1);
	return run_suite(suite);
}

int main(void)
{
	int rc = enter_own_host("node_forgotten");

	return rc ? rc : run();
}
