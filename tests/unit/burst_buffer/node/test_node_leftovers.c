/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests storage on a node for which there is no note: what is unmounted, what
 * is deleted, and what stays. */
#include "config.h"
#include "tests/unit/burst_buffer/node/node_life.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include "burst_buffer/host/mtab.h"
#include "common/proc.h"

#define PERSISTENT "4244635650.77"

static void path_to(char path[PATH_MAX], const char *name)
{
	snprintf(path, PATH_MAX, "%.200s/%s", world, name);
}

/* 0, if it is there on this node (not: if it is not). */
static int is_there(const char *name)
{
	char path[PATH_MAX];

	path_to(path, name);
	return access(path, F_OK) ? 42 : 0;
}

static int is_gone(const char *name)
{
	for (int i = 0; !is_there(name) && i < 1200; i++)
		usleep(50000);
	return is_there(name) ? 0 : 43;
}

/* "NAME": a directory with fs/ in it */
static int leave_storage(const char *name)
{
	char path[PATH_MAX];

	path_to(path, name);
	strcat(path, "/fs");
	return slu_mkdirs(path, 0755, NULL) ? 45 : 0;
}

/* Until 1970 */
static int leave_kept(const char *name)
{
	char path[PATH_MAX];
	int rc = leave_storage(name);

	path_to(path, name);
	strcat(path, "/until");
	make_text(path, "1000\n");
	/* and for a long time, before the node was restarted */
	path_to(path, name);
	strcat(path, "/age");
	make_text(path, "another-boot 5 999999999\n");
	return rc;
}

static int sleep_on(void *arg)
{
	(void)arg;
	return (int)sleep(600);
}

/* A user whom this file names. */
static int begin_sleeper(const char *name)
{
	char path[PATH_MAX];

	path_to(path, name);
	return slu_detach(sleep_on, NULL, path, NULL, NULL) ? 46 : 0;
}

/* Begins an instance of the job. */
static int hold(void *arg)
{
	struct slu_conf conf = {.run_dir = arg};
	const struct slu_node n = {.conf = &conf, .job_id = JOB};
	struct slu_err err;
	char path[PATH_MAX];

	path_to(path, "run/held");
	if (slu_note_begin(&n, 0, &err) >= 0)
		slu_file_write(AT_FDCWD, path, "", 0, 0644, false, &err);
	return sleep_on(NULL);
}

static int begin_holder(const char *name)
{
	char path[PATH_MAX], run[PATH_MAX];
	int rc;

	path_to(path, name);
	path_to(run, "run");
	rc = slu_detach(hold, run, path, NULL, NULL) ? 47 : 0;
	for (int i = 0; !rc && is_there("run/held") && i < 1200; i++)
		usleep(50000);
	return rc ? rc : is_there("run/held");
}

static int end_sleeper(const char *name)
{
	char path[PATH_MAX];
	struct slu_pid pid;

	path_to(path, name);
	return slu_pid_read(path, &pid, NULL) || slu_pid_kill(&pid, SIGKILL) ||
			       slu_pid_wait(&pid, 60, NULL)
		       ? 48
		       : unlink(path);
}

/* As after a reboot: no notes, no mounts, but the storage; and no process. */
static int forget_all(void)
{
	char path[PATH_MAX];

	path_to(path, "run/7");
	if (slu_unmount_below(path, 0, 1, NULL) ||
	    slu_rmtree(AT_FDCWD, path, NULL))
		return 49;
	path_to(path, "storage/7.1");
	return slu_unmount_below(path, 0, 1, NULL) ? 50 : 0;
}

static int reboot_node(const char *arg)
{
	(void)arg;
	return end_sleeper("run/7/watch.pid") ? 49 : forget_all();
}

/* The job was at work here, its nodes were restarted, and it has ended. */
static void reboot_job(void)
{
	job_starts(request);
	up();
	run_tasks(false);
	nodes_all(reboot_node, "", 0);
	job_ends(request, "COMPLETED");
}

static void end_rebooted(void)
{
	ctl_until("DONE");
	nodes_all(data_kept, "", 0);
	nodes_all(expire, "", 0);
	expect_nothing_left();
}

/* n1 does not go on with it when it was killed, but starts again. */
static int reboots_in(const char *arg)
{
	char path[PATH_MAX];
	int rc;

	path_to(path, "rebooted");
	if (!is_n1() || !mkdir(path, 0755))
		return run_verb(arg);
	rc = forget_all();
	return rc ? rc : run_verb("recover");
}

/* It reports that at once, so that no node waits for SetupTimeout. */
START_TEST(test_reboot_setup)
{
	int rc[NODES];

	if (!begin("scratch", ""))
		return;
	job_starts(request);
	node_shared[0].kill_at = node_shared[0].requests + 3;
	node_shared[0].after = true;
	for (int i = 0; i < NODES; i++)
		node_send(i, reboots_in, "up --job 7");
	nodes_wait_and(rc, 0, NULL, NULL);
	ck_assert_int_eq(rc[0] | rc[1], 0);
	ctl_until_told("setup failed: n1: the node was restarted");
	end_cancelled();
}
END_TEST

/* While an `up` ends what was there before it, no other process finds that
 * again. */
START_TEST(test_begin)
{
	if (!begin("scratch", ""))
		return;
	reboot_job();
	nodes_all(begin_holder, "run/holder.pid", 0);
	nodes_all(run_verb, "recover", 0);
	nodes_all(is_there, "run/7/plan.json", 42);
	nodes_all(is_there, "storage/7.1", 0);
	nodes_all(end_sleeper, "run/holder.pid", 0);
	nodes_all(run_verb, "recover", 0);
	end_rebooted();
	nodes_end();
}
END_TEST

static int unmount_kept(const char *name)
{
	char path[PATH_MAX];

	path_to(path, name);
	return slu_unmount_below(path, 0, 1, NULL) ? 52 : 0;
}

/* Its owner, a user, cannot mount anything, and finds it there after one
 * more. */
START_TEST(test_kept_data_after_second_restart)
{
	if (!begin("scratch", ""))
		return;
	reboot_job();
	nodes_all(run_verb, "recover", 0);
	ctl_until("DONE");
	nodes_all(unmount_kept, "storage/kept", 0);
	nodes_all(run_verb, "recover", 0);
	end_rebooted();
	nodes_end();
}
END_TEST

static int spoil(const char *name)
{
	char path[PATH_MAX];

	path_to(path, name);
	make_text(path, "no directory");
	return 0;
}

static int mend(const char *name)
{
	char path[PATH_MAX];

	path_to(path, name);
	return unlink(path) ? 51 : 0;
}

/* A storage that cannot be taken over stays as it is, and does not block the
 * others. */
START_TEST(test_trouble)
{
	if (!begin("scratch", ""))
		return;
	reboot_job();
	nodes_all(spoil, "run/7", 0);
	nodes_all(leave_storage, "storage/9.99", 0);
	nodes_all(run_verb, "recover", 1);
	nodes_all(is_there, "storage/9.99", 42);
	nodes_all(is_there, "storage/7.1", 0);
	nodes_all(mend, "run/7", 0);
	nodes_all(run_verb, "recover", 0);
	end_rebooted();
	nodes_end();
}
END_TEST

/* Somebody else's: root removes nothing where another may have put links. */
static int give_away(const char *name)
{
	char path[PATH_MAX];

	if (!is_n1())
		return 0;
	path_to(path, name);
	return leave_storage(name) || chown(path, 1, 1) ? 53 : 0;
}

static int take_back(const char *name)
{
	char path[PATH_MAX];

	path_to(path, name);
	return is_n1() && chown(path, 0, 0) ? 54 : 0;
}

/* The node is drained for what cannot be removed, until it could, also after
 * a restart; and the other one is not. */
START_TEST(test_dirty)
{
	if (!begin("scratch", ""))
		return;
	nodes_all(give_away, "storage/9.99", 0);
	nodes_all(run_verb, "recover", 0);
	ctl_until_drained("sluice: a leftover cannot be removed");
	ck_assert_ptr_nonnull(strstr(ctl_drained, "storage/9.99"));
	nodes_all(run_verb, "recover", 0);
	nodes_all(take_back, "storage/9.99", 0);
	nodes_all(run_verb, "recover", 0);
	ctl_until_drained("");
	expect_nothing_left();
	nodes_end();
}
END_TEST

/* A job does not wait for the removal of what others have left. */
START_TEST(test_expire)
{
	if (!begin("scratch", ""))
		return;
	nodes_all(leave_kept, "storage/kept/9.98", 0);
	nodes_all(leave_storage, "run", 0);
	nodes_all(begin_sleeper, "run/expire.pid", 0);
	job_starts(request);
	up();
	nodes_all(reads, "exactly", 0);
	nodes_all(is_there, "storage/kept/9.98", 0);
	job_ends(request, "CANCELLED");
	down();
	nodes_all(end_sleeper, "run/expire.pid", 0);
	nodes_all(run_verb, "recover", 0);
	nodes_all(is_gone, "storage/kept/9.98", 0);
	expect_nothing_left();
	nodes_end();
}
END_TEST

static int forget_long_ago(const char *name)
{
	char path[PATH_MAX];

	path_to(path, name);
	make_text(path, "1000\n");
	return 0;
}

/* After its time it is kept data, and goes as such. */
static void forgotten_expires(void)
{
	nodes_all(is_there, "storage/" PERSISTENT "/forgotten", 0);
	nodes_all(forget_long_ago, "storage/" PERSISTENT "/forgotten", 0);
	nodes_all(run_verb, "recover", 0);
	nodes_all(is_there, "storage/" PERSISTENT, 42);
	nodes_all(is_there, "storage/kept/" PERSISTENT "/fs", 0);
	nodes_all(expire, "", 0);
	expect_nothing_left();
	nodes_end();
}

/* A persistent buffer that sluiced has forgotten stays for a while, and then
 * for another as kept data; no job's `up` touches it. */
START_TEST(test_forgotten)
{
	if (!begin("scratch", ""))
		return;
	nodes_all(leave_storage, "storage/" PERSISTENT, 0);
	job_starts(request);
	up();
	nodes_all(is_there, "storage/" PERSISTENT "/forgotten", 42);
	job_ends(request, "CANCELLED");
	down();
	nodes_all(run_verb, "recover", 0);
	forgotten_expires();
}
END_TEST

/* 0, if what has been forgotten is logged by the first `recover` alone. */
static int recover_logged(const char *first)
{
	char path[PATH_MAX], verb[PATH_MAX + 40];
	struct slu_buf log = {0};
	bool told;
	int rc;

	path_to(path, "log.");
	strcat(path, getenv("SLURMD_NODENAME"));
	snprintf(verb, sizeof(verb), "recover --log=%s", path);
	unlink(path);
	rc = run_verb(verb);
	slu_file_read(AT_FDCWD, path, 1 << 20, &log, NULL);
	told = log.data && strstr(log.data, "does not know");
	slu_buf_free(&log);
	return rc ? rc : told == (*first == '1') ? 0 : 53;
}

/* Where nothing that failed is kept, it stays all the same, and is reported
 * once. */
START_TEST(test_forgotten_unkept)
{
	if (!begin("scratch", "KeepFailed=0\n"))
		return;
	nodes_all(leave_storage, "storage/" PERSISTENT, 0);
	nodes_all(recover_logged, "1", 0);
	nodes_all(recover_logged, "2", 0);
	nodes_all(recover_logged, "3", 0);
	forgotten_expires();
}
END_TEST

/* Neither the nodes nor sluiced know the job any more; but its storage records
 * that it had a stage-out. */
START_TEST(test_forgotten_job)
{
	if (!begin_up("scratch", ""))
		return;
	run_tasks(false);
	nodes_all(reboot_node, "", 0);
	lose_database();
	nodes_all(leave_storage, "storage/9.99", 0);
	nodes_all(recover_logged, "1", 0);
	nodes_all(is_there, "storage/9.99", 42);
	nodes_all(is_there, "storage/7.1/forgotten", 0);
	nodes_all(forget_long_ago, "storage/7.1/forgotten", 0);
	nodes_all(run_verb, "recover", 0);
	nodes_all(data_kept, "", 0);
	nodes_all(expire, "", 0);
	expect_nothing_left();
	nodes_end();
}
END_TEST

/* A part of a share, whose other part is kept on another device. */
static int leave_parts(const char *name)
{
	char path[PATH_MAX];
	int rc = leave_storage("storage/sluice/9.99");

	path_to(path, "storage/sluice/9.99/stage_out");
	make_text(path, "");
	rc = rc ? rc : leave_storage(name);
	path_to(path, name);
	strcat(path, "/until");
	make_text(path, "99999999999\n");
	return rc;
}

/* Its device was not mounted when the rest was kept: it is kept as soon as it
 * is found, so that fetch and discard take all. */
START_TEST(test_kept_beside)
{
	sluiced_storage = "storage*";
	if (!begin("scratch", "NodeDevices=all\n"))
		return;
	nodes_all(leave_parts, "storage2/sluice/kept/9.99", 0);
	nodes_all(run_verb, "recover", 0);
	nodes_all(is_there, "storage/sluice/9.99", 42);
	nodes_all(is_there, "storage/sluice/kept/9.99/fs", 0);
	nodes_end();
}
END_TEST

static int run(void)
{
	Suite *suite = suite_create("node_leftovers");

	add(suite, "begin", test_begin, 1);
	add(suite, "kept", test_kept_data_after_second_restart, 1);
	add(suite, "kept_beside", test_kept_beside, 1);
	add(suite, "reboot_setup", test_reboot_setup, 1);
	add(suite, "dirty", test_dirty, 1);
	add(suite, "trouble", test_trouble, 1);
	add(suite, "expire", test_expire, 1);
	add(suite, "forgotten", test_forgotten, 1);
	add(suite, "forgotten_unkept", test_forgotten_unkept, 1);
	add(suite, "forgotten_job", test_forgotten_job, 1);
	return run_suite(suite);
}

int main(void)
{
	int rc = enter_own_host("node_leftovers");

	return rc ? rc : run();
}
