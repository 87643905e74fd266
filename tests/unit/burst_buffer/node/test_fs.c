/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the beeond driver: a simulated BeeOND on two nodes against a whole
 * sluiced. */
#include "config.h"
#include "tests/unit/burst_buffer/node/fs_job.h"
#include <fcntl.h>
#include <signal.h>
#include "common/file.h"
#include "common/proc.h"

/* beeond: what it would do by ssh, each node does for it */

/* Whoever has come by "ssh" is carried out, until the test ends. */
static int agent(const char *arg)
{
	char dir[PATH_MAX - 8], cmd[PATH_MAX], rc[PATH_MAX];

	(void)arg;
	snprintf(dir, sizeof(dir), "%s/pfs/spool/%s", world,
		 getenv("SLURMD_NODENAME"));
	if (fork())
		return 0;
	snprintf(cmd, sizeof(cmd), "%s/cmd", dir);
	snprintf(rc, sizeof(rc), "%s/rc", dir);
	for (;; usleep(10000)) {
		char *argv[] = {"sh", cmd, NULL};

		if (access(cmd, F_OK))
			continue;
		make_text(rc, slu_run(argv, 20, NULL, NULL) ? "1" : "0");
		unlink(cmd);
	}
}

static void make_beeond(const char *told)
{
	char text[3 * PATH_MAX], fake[PATH_MAX], real[PATH_MAX];
	const char *top = getenv("srcdir");

	snprintf(fake, sizeof(fake), "%s/tests/fakes/fake_beeond",
		 top ? top : "..");
	snprintf(text, sizeof(text),
		 "#!/bin/sh\nexport FAKE_BEEOND_SPOOL=%s/pfs/spool "
		 "FAKE_BEEOND_SHARED=%s/pfs/shared %s\n. %s\n",
		 world, world, told, realpath(fake, real));
	make_text(pfs("beeond"), text);
	ck_assert(!chmod(pfs("beeond"), 0755));
}

static bool begin_beeond(const char *told, const char *options)
{
	char line[600];

	snprintf(line, sizeof(line),
		 "FileSystem=gkfs Driver=beeond server=%.150s/pfs/beeond "
		 "meta=1 remote=pdsh %s\nOnSetupFailure=fail\n",
		 tmpdir(), options);
	if (!nodes_begin(line))
		return false;
	make_beeond(told);
	make_dir(pfs("shared"), 0755);
	make_dir(pfs("spool"), 0755);
	make_dir(pfs("spool/n1"), 0755);
	make_dir(pfs("spool/n2"), 0755);
	make_input();
	set_request("gkfs");
	nodes_all(agent, "agent", 0);
	return true;
}

static bool has(const char *path, const char *want)
{
	struct slu_buf text = {0};
	bool ok = !slu_file_read(AT_FDCWD, path, 100, &text, NULL) &&
		  text.data && !strcmp(text.data, want);

	slu_buf_free(&text);
	return ok;
}

START_TEST(test_beeond_end_to_end)
{
	if (!begin_beeond("", ""))
		return;
	begin_job();
	up();
	expect(has(pfs("spool/n1/chunk"), "512k\n"), "not BeeGFS's own");
	nodes_all(uses_mount,
		  "cat $BB_JOBFS/in/f1 >$BB_JOBFS/in/from.$SLURMD_NODENAME", 0);
	expect(!access(pfs("shared/data/in/from.n1"), F_OK), "not there");
	end_job_well();
	nodes_end();
}
END_TEST

/* Each node's metadata server would make a root directory of these chunks; all
 * else is as the site says. */
START_TEST(test_beeond_chunk)
{
	char options[200];

	snprintf(options, sizeof(options), "chunk=auto config=%.150s/pfs/etc",
		 tmpdir());
	if (!begin_beeond("", options))
		return;
	make_dir(pfs("etc"), 0755);
	make_text(pfs("etc/beegfs-meta.conf"),
		  "tuneNumWorkers=4\ntuneDefaultChunkSize = 2m");
	make_text(pfs("etc/beegfs-client.conf"), "x");
	begin_job();
	up();
	nodes_all(uses_mount, "touch $BB_JOBFS/in/from.$SLURMD_NODENAME", 0);
	expect(has(pfs("spool/n1/chunk"), "524288\n"), "first node");
	expect(has(pfs("spool/n2/chunk"), "524288\n"), "second node");
	end_job_well();
	nodes_end();
}
END_TEST

/* A daemon that ends while the job runs is noticed then, and what is left is
 * kept: the job is ended. */
static int kills_server(const char *arg)
{
	struct slu_pid pid;
	char path[PATH_MAX];

	(void)arg;
	job_path(path, "wd/beegfs-storage.pid");
	return slu_pid_read(path, &pid, NULL) || slu_pid_kill(&pid, SIGKILL);
}

START_TEST(test_beeond_lost)
{
	if (!begin_beeond("", ""))
		return;
	begin_job();
	nodes_all(kills_server, "kill it", 0);
	ctl_until_told("beegfs-storage of gkfs (BeeOND) has ended");
	ck_assert_str_eq(ctl_verdict, "fail");
	end_job("FAILED");
	expect(strstr(ctl_text, "run failed: n"), "%s", ctl_text);
	expect(strstr(ctl_text, "the data is kept on n[1-2]"), "%s", ctl_text);
	nodes_end();
}
END_TEST

/* It fails on the second node, when the first one already has it. */
START_TEST(test_beeond_fails)
{
	if (!begin_beeond("FAKE_BEEOND_FAIL=n2", ""))
		return;
	job_starts(request);
	up();
	ctl_until_told("starting on n2 failed");
	ck_assert_str_eq(ctl_verdict, "fail");
	end_job("FAILED");
	nodes_all(nothing_left, "nothing left", 0);
	nodes_end();
}
END_TEST

static int run(void)
{
	Suite *suite = suite_create("fs");

	add(suite, "beeond", test_beeond_end_to_end, 1);
	add(suite, "beeond_chunk", test_beeond_chunk, 1);
	add(suite, "beeond_lost", test_beeond_lost, 1);
	add(suite, "beeond_fails", test_beeond_fails, 1);
	return run_suite(suite);
}

int main(void)
{
	int rc = enter_own_host("fs");

	return rc ? rc : run();
}
