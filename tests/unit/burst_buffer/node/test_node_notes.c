/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests a node that cannot write notes in its RunDir. */
#include "config.h"
#include <fcntl.h>
#include <sys/stat.h>
#include "tests/unit/burst_buffer/node/node_life.h"

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

/* The reason why the job cannot begin is reported at once. */
static void cannot_begin(const char *options)
{
	if (!begin("scratch", ""))
		return;
	nodes_all(limit, options, 0);
	job_starts(request);
	up();
	ctl_until_told("No space left on device");
	nodes_all(lift, "", 0);
	end_cancelled();
}

START_TEST(test_setup)
{
	cannot_begin("nr_inodes=1");
}
END_TEST

/* There is room for its notes, but not for what is to be noted at its end. */
START_TEST(test_reserve)
{
	cannot_begin("size=64k");
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

static int fill_all(const char *arg)
{
	return is_n1() && unlink(at("run/7/reserve")) ? 73 : fill(arg);
}

/* It is filled again as soon as something of it is free. */
static int fill_on(const char *arg)
{
	(void)arg;
	if (!is_n1() || fork())
		return 0;
	for (;;) {
		fill("x");
		usleep(200);
	}
}

/* What fills it, before a job ends or all the time, hinders nothing: it is
 * staged out, and nothing is left. */
static void down_full(node_f *filling)
{
	if (!begin("scratch", ""))
		return;
	nodes_all(limit, "size=256k", 0);
	job_starts(request);
	up();
	run_tasks(false);
	nodes_all(filling, "x", 0);
	job_ends(request, "COMPLETED");
	down();
	ctl_until("DONE");
	expect_output(false);
	nodes_end();
}

START_TEST(test_down)
{
	down_full(fill);
}
END_TEST

START_TEST(test_down_filled)
{
	down_full(fill_on);
}
END_TEST

START_TEST(test_down_unreserved)
{
	down_full(fill_all);
}
END_TEST

static int run(void)
{
	Suite *suite = suite_create("node_notes");

	add(suite, "setup", test_setup, 1);
	add(suite, "reserve", test_reserve, 1);
	add(suite, "down", test_down, 1);
	add(suite, "down_filled", test_down_filled, 1);
	add(suite, "down_unreserved", test_down_unreserved, 1);
	return run_suite(suite);
}

int main(void)
{
	int rc = enter_own_host("node_notes");

	return rc ? rc : run();
}
