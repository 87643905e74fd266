/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements the helpers of node_files.h. */
#include "config.h"
#include "tests/unit/burst_buffer/node/node_files.h"

char request[2000];

const char *pfs(const char *name)
{
	static char path[4][PATH_MAX];
	static int turn;

	turn = (turn + 1) % 4;
	snprintf(path[turn], PATH_MAX, "%s/pfs/%s", world, name);
	return path[turn];
}

void make_input(void)
{
	make_dir(pfs("in"), 0755);
	make_dir(pfs("in/sub"), 0755);
	for (int i = 0; i < 20; i++) {
		char name[40];

		snprintf(name, sizeof(name), "in/%sf%d", i % 3 ? "" : "sub/",
			 i);
		make_file(pfs(name), (uint64_t)i * 5000, (unsigned)i);
	}
	make_dir(pfs("out"), 0777);
	ck_assert(!chmod(pfs("out"), 0777));
}

void set_request(const char *type)
{
	snprintf(request, sizeof(request),
		 "jobfs type=%s capacity=40MiB name=JOBFS; stage_in "
		 "source=%s/pfs/in destination=$BB_JOBFS; stage_out "
		 "source=$BB_JOBFS/in destination=%s/pfs/out",
		 type, world, world);
}

int become_ann(void)
{
	return setgid(NODE_UID) || setuid(NODE_UID) ? -1 : 0;
}

void job_path(char *path, const char *name)
{
	snprintf(path, PATH_MAX, "%s/run/%d/%s", world, JOB, name);
}

void expect_output(bool shared)
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

void up(void)
{
	nodes_all(run_verb, "up --job 7", 0);
}

void down(void)
{
	nodes_all(run_verb, "down --job 7", 0);
}
