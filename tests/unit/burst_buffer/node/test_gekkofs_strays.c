/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests that a process started by a GekkoFS daemon does not survive it. */
#include "config.h"
#define TEST_HAS_CGROUPS
#include "tests/unit/burst_buffer/node/root.h"
#include "burst_buffer/drivers/gekkofs.h"
#include "burst_buffer/host/cgroup.h"
#include "common/file.h"
#include "common/proc.h"
#include "tests/unit/burst_buffer/node/tree.h"
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

static struct slu_err err;

/* A program that starts the fake, which starts what hides. */
static void make_server(const char *top)
{
	char text[2 * PATH_MAX];
	char *fake = realpath("tests/fakes/fake_gkfs_daemon", NULL);

	expect(fake, "no fake daemon");
	snprintf(text, sizeof(text),
		 "#!/bin/sh\nexport FAKE_GKFS_STORE=%.1000s/fs/gekkofs/store "
		 "FAKE_GKFS_STRAY=1\nexec %s \"$@\"\n",
		 top, fake);
	make_text(in(top, "server"), text);
	ck_assert(!chmod(in(top, "server"), 0755));
	free(fake);
}

static bool is_stray(void *arg, int proc, pid_t pid)
{
	char cmd[32] = "";
	int fd = openat(proc, "cmdline", O_RDONLY);

	(void)arg, (void)pid;
	if (fd >= 0) {
		ck_assert(read(fd, cmd, sizeof(cmd) - 1) >= 0);
		close(fd);
	}
	return !strcmp(cmd, "fake_gkfs_stray");
}

static bool stray_lives(void)
{
	return slu_pid_find(is_stray, NULL);
}

/* Groups are the machine's: of other tests' names. */
static uint64_t own_number(void)
{
	uint64_t n = 0;

	for (const char *p = scratch_path; *p; p++)
		n = n * 131 + (unsigned char)*p;
	return n;
}

static bool has_cgroups(void)
{
	char group[64];
	pid_t pid = fork();
	int status;

	snprintf(group, sizeof(group), "sluice-test-%" PRIx64, own_number());

	if (!pid)
		_exit(!slu_cgroup_enter(group));
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	expect_ok(slu_cgroup_end(group, &err), err);
	return status == 0;
}

static void stray(bool notes_are_lost)
{
	char *top = tree_new(), server[PATH_MAX], work[PATH_MAX], fs[PATH_MAX],
	     mnt[PATH_MAX], attr[SLU_ATTR_MAX], group[64];
	struct slu_pair options[] = {{(char *)"server", server},
				     {(char *)"listen", (char *)"127.0.0.1"}};
	struct slu_plan_node node = {.name = (char *)"n1"};
	struct slu_plan plan = {.job_id = 7,
				.buffer = own_number(),
				.uid = 65534,
				.gid = 65534,
				.option = options,
				.n_option = 2,
				.node = &node,
				.n_node = 1};
	const struct slu_instance one = {
		.plan = &plan, .fs = fs, .work = work, .dir = top, .mnt = mnt};

	if (!has_cgroups()) {
		skip("no cgroups here");
		return;
	}
	ck_assert(!chmod(top, 0711));
	make_server(top);
	slu_copy(server, sizeof(server), in(top, "server"));
	slu_copy(fs, sizeof(fs), in(top, "fs"));
	slu_copy(work, sizeof(work), in(top, "work"));
	slu_copy(mnt, sizeof(mnt), in(top, "mnt"));
	make_dir(fs, 0711);
	make_dir(work, 0700);
	expect_ok(slu_gkfs_start(&one, attr, &err), err);
	for (int i = 0; !stray_lives() && i < 2000; i++)
		usleep(5000);
	ck_assert(stray_lives());
	if (notes_are_lost)
		expect_ok(slu_rmtree(AT_FDCWD, work, &err), err);
	expect_ok(slu_gkfs_stop(&one, &err), err);
	if (stray_lives()) {
		kill(-1, SIGKILL); /* in our namespace */
		slu_instance_group(&one, group, sizeof(group));
		slu_cgroup_end(group, NULL);
		ck_abort_msg("it has survived");
	}
	expect_ok(slu_gkfs_stop(&one, &err), err); /* again */
	tree_remove(top);
}

START_TEST(test_stray)
{
	stray(false);
}
END_TEST

/* Nobody knows any more which processes the daemons are. */
START_TEST(test_notes_lost)
{
	stray(true);
}
END_TEST

ROOT_TEST_MAIN("gekkofs_strays", test_stray, test_notes_lost)
