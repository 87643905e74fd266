/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A node that cannot note anything in its RunDir. */
#include "config.h"
#include <fcntl.h>
#include <sys/stat.h>
#include "tests/unit/node_life.h"

/* On n1 it is in memory, and only so large. */
static int limit(const char *options)
{
	return is_n1() && mount("none", at("run"), "tmpfs", 0, options) ? 70
									: 0;
}

static int lift(const char *arg)
{
	(void)arg;
	return is_n1() && umount(at("run")) ? 71 : 0;
}

/* Why the job cannot begin is told at once. */
START_TEST(test_setup)
{
	if (!begin("scratch", ""))
		return;
	nodes_all(limit, "nr_inodes=1", 0);
	job_starts(request);
	up();
	ctl_until_told("No space left on device");
	nodes_all(lift, "", 0);
	end_cancelled();
}
END_TEST

static int fill(const char *arg)
{
	int fd =
		is_n1() ? open(at("run/filled"), O_WRONLY | O_CREAT, 0600) : -1;

	(void)arg;
	while (fd >= 0 && write(fd, arg, 1) == 1)
		;
	return is_n1() && errno != ENOSPC ? 72 : 0;
}

static int empty(const char *arg)
{
	(void)arg;
	return is_n1() && unlink(at("run/filled")) ? 73 : 0;
}

static int down_fails(const char *arg)
{
	return is_n1() && run_verb(arg) != 1 ? 74 : 0;
}

/* What cannot be taken down now is when there is room again, with all data. */
START_TEST(test_down)
{
	if (!begin("scratch", ""))
		return;
	nodes_all(limit, "size=256k", 0);
	job_starts(request);
	up();
	run_tasks(false);
	nodes_all(fill, "x", 0);
	job_ends(request, "COMPLETED");
	nodes_all(down_fails, "down --job 7", 0);
	nodes_all(empty, "", 0);
	down();
	ctl_until("DONE");
	expect_output(false);
	expect_nothing_left();
	nodes_all(lift, "", 0);
	nodes_end();
}
END_TEST

static int run(void)
{
	Suite *suite = suite_create("node_notes");

	add(suite, "setup", test_setup, 1);
	add(suite, "down", test_down, 1);
	return run_suite(suite);
}

int main(void)
{
	int rc = enter_own_host("node_notes");

	return rc ? rc : run();
}
