/* SPDX-License-Identifier: GPL-2.0-or-later */
/* File systems of servers that each job starts, GekkoFS and BeeOND, on two
 * nodes against a whole sluiced. */
#include "config.h"
#include "tests/unit/fs_job.h"
#include <fcntl.h>
#include "common/file.h"
#include "common/proc.h"

/* A program that starts the fake with what it is told. */
static void make_server(const char *told)
{
	char text[3 * PATH_MAX], *daemon;

	daemon = realpath("tests/fakes/fake_gkfs_daemon", NULL);
	expect(daemon, "no fake daemon");
	snprintf(text, sizeof(text),
		 "#!/bin/sh\nexport FAKE_GKFS_STORE=%s/pfs/store %s\n"
		 "exec %s \"$@\"\n",
		 world, told, daemon);
	make_text(pfs("daemon"), text);
	ck_assert(!chmod(pfs("daemon"), 0755));
	free(daemon);
}

static bool begin(const char *told, const char *options)
{
	char *library =
		realpath("tests/fakes/.libs/fake_gkfs_intercept.so", NULL);
	struct slu_buf line = {0};
	bool can;

	expect(library, "no fake library");
	slu_buf_printf(&line,
		       "FileSystem=gkfs Driver=gekkofs Unauthenticated=accept "
		       "server=%s/pfs/daemon library=%s listen=127.0.0.1 %s\n"
		       "OnSetupFailure=fail\nOnStageInFailure=fail\n",
		       tmpdir(), library, options);
	free(library);
	can = nodes_begin(line.data);
	slu_buf_free(&line);
	if (!can)
		return false;
	make_server(told);
	make_input();
	set_request("gkfs");
	return true;
}

/* What a step's task does, with the variables that it is given: it reads its
 * input and writes beside it. */
static int task(const char *script)
{
	char path[PATH_MAX], line[PATH_MAX];
	static const char *const notes[] = {"env", "env.steps"};
	char *argv[] = {"sh", "-c", (char *)script, NULL};
	struct slu_err why;
	int rc;

	if (become_ann())
		return 12;
	for (int i = 0; i < 2; i++) {
		FILE *f;

		job_path(path, notes[i]);
		f = fopen(path, "r");
		if (!f)
			return 10 + i;
		while (fgets(line, sizeof(line), f)) {
			char *value = strchr(line, '=');

			line[strcspn(line, "\n")] = '\0';
			*value++ = '\0';
			setenv(line, value, 1);
		}
		fclose(f);
	}
	rc = slu_run(argv, 20, NULL, &why);
	if (rc)
		fprintf(stderr, "%s: %s\n", script, why.text);
	return rc ? 13 : 0;
}

/* Without the library there is an empty directory, where nobody can write. */
static int outside(const char *arg)
{
	char path[PATH_MAX];

	(void)arg;
	job_path(path, "mnt/data/x");
	if (become_ann())
		return 12;
	return open(path, O_WRONLY | O_CREAT, 0600) < 0 ? 0 : 14;
}

START_TEST(test_gekkofs)
{
	if (!begin("FAKE_GKFS_SLOW=0.3", _i ? "daemons=2 preload=all" : ""))
		return;
	begin_job();
	up(); /* again: nothing changes */
	nodes_all(outside, "outside", 0);
	nodes_all(task,
		  "cat $BB_JOBFS/in/f1 $BB_JOBFS/in/sub/f3 >/dev/null && "
		  "echo result >$BB_JOBFS/in/from.$SLURMD_NODENAME",
		  0);
	end_job_well();
	expect(access(pfs("store"), F_OK) || !rmdir(pfs("store")),
	       "the daemons have left something");
	nodes_end();
}
END_TEST

START_TEST(test_gekkofs_fails)
{
	if (!begin("FAKE_GKFS_FAIL=1", ""))
		return;
	job_starts(request);
	up();
	ctl_until_told("the GekkoFS daemon ended at once");
	ck_assert_str_eq(ctl_verdict, "fail");
	end_job("FAILED");
	nodes_all(nothing_left, "nothing left", 0);
	nodes_end();
}
END_TEST

/* The verdict says which program it is that cannot be run. */
START_TEST(test_gekkofs_missing)
{
	if (!begin("", ""))
		return;
	ck_assert(!unlink(pfs("daemon")));
	job_starts(request);
	up();
	ctl_until_told("pfs/daemon: No such file or directory");
	ck_assert_str_eq(ctl_verdict, "fail");
	end_job("FAILED");
	nodes_all(nothing_left, "nothing left", 0);
	nodes_end();
}
END_TEST

/* A daemon that dies takes data along: the stage-out says so. */
START_TEST(test_gekkofs_dies)
{
	if (!begin("FAKE_GKFS_DIE=2", "\nKeepFailed=0"))
		return;
	begin_job();
	sleep(2);
	end_job("COMPLETED");
	expect(strstr(ctl_text, "does not answer"), "%s", ctl_text);
	ck_assert_str_eq(ctl_verdict, "fail");
	nodes_all(nothing_left, "nothing left", 0);
	nodes_end();
}
END_TEST

/* A tree with a link in it cannot be staged in, and the user is told. */
START_TEST(test_gekkofs_link)
{
	if (!begin("FAKE_GKFS_SLOW=0", ""))
		return;
	make_link(pfs("in/link"), "f1");
	job_starts(request);
	up();
	ctl_until_told("cannot make the link");
	end_job("FAILED");
	nodes_all(nothing_left, "nothing left", 0);
	nodes_end();
}
END_TEST

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

START_TEST(test_beeond)
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

	add(suite, "gekkofs", test_gekkofs, 2);
	add(suite, "gekkofs_fails", test_gekkofs_fails, 1);
	add(suite, "gekkofs_missing", test_gekkofs_missing, 1);
	add(suite, "gekkofs_dies", test_gekkofs_dies, 1);
	add(suite, "gekkofs_link", test_gekkofs_link, 1);
	add(suite, "beeond", test_beeond, 1);
	add(suite, "beeond_chunk", test_beeond_chunk, 1);
	add(suite, "beeond_fails", test_beeond_fails, 1);
	return run_suite(suite);
}

int main(void)
{
	int rc = enter_own_host("fs");

	return rc ? rc : run();
}
