/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the loss of a node whose data is elsewhere: the other node stages out
 * everything. */
#include "config.h"
#include <fcntl.h>
#include <sys/stat.h>
#include "tests/unit/burst_buffer/node/node_life.h"

/* More work than is one chunk: a large file of several ranges, and many. */
static void make_more_input(void)
{
	char name[40];
	int fd;

	make_dir(pfs("in/much"), 0755);
	fd = open(pfs("in/much/large"), O_WRONLY | O_CREAT, 0444);
	for (off_t i = 0; i < 4; i++)
		ck_assert_int_eq(pwrite(fd, "data", 4, i << 26), 4);
	close(fd);
	for (int i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "in/much/f%d", i);
		make_text(pfs(name), "some text");
	}
}

static bool begin_lustre(void)
{
	char conf[400];

	snprintf(conf, sizeof(conf),
		 "FileSystem=lustre Driver=lustre root=%s/pfs\n", tmpdir());
	if (!begin("lustre", conf))
		return false;
	ck_assert(!chown(pfs(""), 0, 0));
	make_more_input();
	return true;
}

/* n1 does not come again when it was killed. */
static int down_or_dead(const char *arg)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/dead", world);
	return is_n1() && mkdir(path, 0755) ? 0 : run_verb(arg);
}

static void lose_n1(void)
{
	ctl_send(&slu_job_nodes_desc,
		 &(struct slu_job_nodes){.job_id = JOB, .lost = (char *)"n1"});
}

/* Before its stage-out, or at any moment of it: none of its work is missing,
 * and all is verified, which gives the large file its mode. n1 is the first
 * node, whose work it is to list the files. */
START_TEST(test_node_lost_at_any_moment)
{
	const char *how;
	int rc[NODES];

	if (!begin_lustre())
		return;
	job_starts(request);
	up();
	run_tasks(true);
	job_ends(request, "COMPLETED");
	node_shared[0].kill_at = node_shared[0].requests + 1 + _i;
	for (int i = 0; i < NODES; i++)
		node_send(i, down_or_dead, "down --job 7");
	nodes_wait_and(rc, 4000, NULL, lose_n1);
	ck_assert_int_eq(rc[1], 0);
	ctl_until("DONE");
	ck_assert_str_eq(ctl_text, "");
	how = tree_differs(pfs("in/much"), pfs("out/in/much"), true);
	ck_assert_msg(!how, "%s", how);
	expect_output(true);
	nodes_all(run_verb, "down --job 7", 0);
	expect_nothing_left();
	nodes_end();
}
END_TEST

static int run(void)
{
	Suite *suite = suite_create("node_lost");

	add(suite, "lost", test_node_lost_at_any_moment, 5);
	return run_suite(suite);
}

int main(void)
{
	int rc = enter_own_host("node_lost");

	return rc ? rc : run();
}
