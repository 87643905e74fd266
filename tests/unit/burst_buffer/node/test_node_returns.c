/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests nodes with remains of earlier runs (an older run, a running worker,
 * storage), and nodes that were restarted. */
#include "config.h"
#include "tests/unit/burst_buffer/node/node_life.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include "burst_buffer/host/mtab.h"
#include "common/proc.h"

/* The job was requeued and its epilog never ran: the next `up` does it. */
START_TEST(test_older_instance)
{
	if (!begin_up("scratch", ""))
		return;
	run_tasks(false);
	job_ends(request, "COMPLETED");
	job_run++;
	setenv("SLURM_JOB_RESTART_COUNT", "1", 1);
	job_starts(request);
	up();
	expect_output(false); /* of the first run */
	nodes_all(reads, "exactly", 0);
	run_tasks(false);
	job_ends(request, "COMPLETED");
	down();
	expect_output(false);
	expect_nothing_left();
	nodes_end();
}
END_TEST

static int kill_it(const char *pid_file)
{
	char path[PATH_MAX];
	struct slu_pid pid;

	job_path(path, pid_file);
	if (slu_pid_read(path, &pid, NULL))
		return 63;
	slu_pid_kill(&pid, SIGKILL);
	return slu_pid_wait(&pid, 10, NULL) ? 64 : 0;
}

/* As after a reboot: no process, no notes, no mounts, but the storage. */
static int reboot_node(const char *arg)
{
	char path[PATH_MAX];
	struct slu_err why;
	int rc = kill_it("watch.pid");

	if (rc)
		return rc;
	snprintf(path, sizeof(path), "%s/run/7", world);
	if (slu_unmount_below(path, 0, 1, &why) ||
	    slu_rmtree(AT_FDCWD, path, &why))
		return 60;
	snprintf(path, sizeof(path), "%s/storage/7.1", world);
	if (*arg) /* it has none */
		return 0;
	return slu_unmount_below(path, 0, 1, &why) || access(path, F_OK) ? 61
									 : 0;
}

/* What was to be staged out is kept, whichever comes first. */
START_TEST(test_restarted)
{
	static const char *const verb[] = {"recover", "down --job 7"};

	if (!begin_up("scratch", ""))
		return;
	run_tasks(false);
	nodes_all(reboot_node, "", 0);
	job_ends(request, "COMPLETED");
	nodes_all(run_verb, verb[_i], 0);
	ctl_until("DONE");
	ctl_until_told("the node was restarted before its data");
	ck_assert_str_eq(ctl_verdict, "fail");
	nodes_all(data_kept, "", 0);
	nodes_all(run_verb, "recover", 0);
	nodes_all(expire, "", 0);
	expect_nothing_left();
	nodes_end();
}
END_TEST

/* Of the watcher, or the worker, 0 when it lives. */
static int is_alive(const char *pid_file)
{
	char path[PATH_MAX];
	struct slu_pid pid;

	job_path(path, pid_file);
	return !slu_pid_read(path, &pid, NULL) && slu_pid_alive(&pid) ? 0 : 62;
}

/* As if a worker had begun, and been killed, for which no epilog waits; one
 * that had reported a failure before, too. */
static int leave_worker(const char *arg)
{
	char path[PATH_MAX];

	job_path(path, "result");
	if (*arg &&
	    slu_file_write(AT_FDCWD, path, arg, strlen(arg), 0644, false, NULL))
		return 67;
	job_path(path, "down.pid");
	return slu_pid_write(path, &(struct slu_pid){1 << 22, 1}, NULL);
}

/* Another one, started while the first lives, lets it work on alone. */
static int second_worker(const char *arg)
{
	char path[PATH_MAX];
	struct slu_pid first, now = {0};
	int rc;

	job_path(path, "down.pid");
	if (slu_pid_read(path, &first, NULL) || !slu_pid_alive(&first))
		return 65;
	rc = leave_worker(arg);
	rc = rc ? rc : run_verb("recover");
	for (int i = 0; !rc && now.pid != first.pid && i < 600; i++) {
		usleep(50000);
		slu_pid_read(path, &now, NULL);
	}
	if (rc)
		return rc;
	return now.pid == first.pid && slu_pid_alive(&now) ? 0 : 66;
}

/* slurmctld has forgotten the run, and the process that would have noticed was
 * killed. */
START_TEST(test_replaced)
{
	if (!begin_up("scratch", ""))
		return;
	nodes_all(is_alive, "watch.pid", 0);
	nodes_all(run_verb, "recover", 0); /* nothing to do */
	nodes_all(kill_it, "watch.pid", 0);
	nodes_all(run_verb, "recover", 0);
	nodes_all(is_alive, "watch.pid", 0);
	nodes_all(leave_worker, "still mounted\n", 0);
	nodes_all(run_verb, "recover", 0);
	nodes_all(second_worker, "", 0);
	job_ends(request, "COMPLETED");
	ctl_until("DONE");
	down();
	expect_nothing_left();
	nodes_end();
}
END_TEST

/* sluiced has lost what it knew before it could say what to do. */
START_TEST(test_restarted_unknown)
{
	if (!begin_up("scratch", ""))
		return;
	run_tasks(false);
	nodes_all(reboot_node, "", 0);
	nodes_all(run_verb, "recover", 0);
	nodes_all(kill_it, "down.pid", 0);
	lose_database();
	nodes_all(run_verb, "recover", 0);
	down();
	nodes_all(data_kept, "", 0);
	nodes_all(expire, "", 0);
	expect_nothing_left();
	nodes_end();
}
END_TEST

static bool begin_lustre(const char *out)
{
	char conf[400];

	snprintf(conf, sizeof(conf),
		 "FileSystem=lustre Driver=lustre root=%s/pfs\n", tmpdir());
	if (!begin("lustre", conf))
		return false;
	ck_assert(!chown(pfs(""), 0, 0));
	snprintf(request, sizeof(request),
		 "jobfs type=lustre capacity=40MiB name=JOBFS; stage_in "
		 "source=%s/pfs/in destination=$BB_JOBFS%s%s",
		 world, out, *out ? pfs("out") : "");
	return true;
}

/* What one node takes down lies on all of them, and the job still runs there,
 * for all that is known. */
START_TEST(test_in_common)
{
	static const char *const out[] = {
		"", "; stage_out source=$BB_JOBFS/in destination="};

	if (!begin_lustre(out[_i]))
		return;
	job_starts(request);
	up();
	run_tasks(true);
	lose_database();
	nodes_all(on_n1, "down --job 7", 0);
	ck_assert(!access(pfs("7.1/data/in/from.n1"), F_OK));
	nodes_end();
}
END_TEST

/* It goes when it is heard at last that the job has ended. */
START_TEST(test_in_common_late)
{
	if (!begin_lustre(""))
		return;
	job_starts(request);
	up();
	run_tasks(true);
	job_ends(request, "COMPLETED");
	down_denied();
	ck_assert(!access(pfs("7.1/data"), F_OK));
	heard_at_last();
	ck_assert(access(pfs("7.1"), F_OK));
	nodes_end();
}
END_TEST

static const char of_setup[] =
	"UPDATE Buffer SET State = 1, Ready = NULL, Ended = NULL;"
	"UPDATE BufferNode SET State = 2;"
	"DELETE FROM BufferGate; DELETE FROM BufferPhase";
static const char of_run[] =
	"UPDATE Buffer SET State = 3, Ended = NULL, Failure = NULL,"
	" FailedIn = NULL, FailedAt = NULL, What = NULL, Verdict = 0;"
	"UPDATE BufferNode SET State = 3, Orders = 0;"
	"DELETE FROM BufferGate; DELETE FROM BufferPhase";
static const char of_stage_out[] =
	"UPDATE Buffer SET State = 4; UPDATE BufferNode SET State = 4;"
	"DELETE FROM BufferGate; DELETE FROM BufferPhase";

/* As it was then; slurmctld has forgotten the job, or knows that it is over. */
static void older_database(const char *sql, struct slu_job *job)
{
	struct slu_err err;
	struct slu_db *db;

	sluiced_stop(SIGTERM, 0);
	db = slu_db_open(at("db"), SLU_DB_WRITE, &err);
	expect(db, "%s", err.text);
	expect_ok(slu_db_script(db, sql, &err), err);
	slu_db_close(db);
	sluiced_start();
	ctl_connect();
	ctl_hello(job, job ? 1 : 0);
}

/* RunDir is in memory: all in it goes. */
static int restart_node(const char *arg)
{
	char path[PATH_MAX];
	struct slu_err why;

	(void)arg;
	snprintf(path, sizeof(path), "%s/run", world);
	(void)slu_rmtree(AT_FDCWD, path, &why); /* something is mounted there */
	snprintf(path, sizeof(path), "%s/run/.done", world);
	return access(path, F_OK) ? 0 : 61;
}

/* It was all staged out, and the nodes are clean: they say so again, and the
 * job stays what it is. */
static void told_again(const char *sql, bool restarted)
{
	struct slu_job job;

	if (!begin_up("scratch", ""))
		return;
	run_tasks(false);
	job_ends(request, "COMPLETED");
	down();
	ctl_until("DONE");
	job = job_over(request, "COMPLETED");
	*ctl_state = '\0';
	older_database(sql, &job);
	if (restarted)
		nodes_all(restart_node, "", 0);
	nodes_all(run_verb, "recover", 0);
	ctl_until("DONE");
	ck_assert_str_eq(ctl_verdict, "");
	ck_assert_str_eq(ctl_drained, "");
	expect(!strstr(ctl_text, "failed"), "%s", ctl_text);
	expect_output(false);
	expect_nothing_left();
	nodes_end();
}

START_TEST(test_reports_again)
{
	static const char *const then[] = {of_setup, of_run, of_stage_out};

	told_again(then[_i], false);
}
END_TEST

/* The node was restarted since, too. */
START_TEST(test_reports_again_restarted)
{
	told_again(of_run, true);
}
END_TEST

static int give_up(const char *arg)
{
	return is_n1() && become_ann() ? 12 : is_n1() ? run_verb(arg) : 0;
}

static int nothing_kept(const char *arg)
{
	char path[PATH_MAX];

	(void)arg;
	snprintf(path, sizeof(path), "%s/storage/kept/7.1", world);
	return access(path, F_OK) ? 0 : 44;
}

/* On one node the owner discards all kept data. */
START_TEST(test_given_up)
{
	if (!begin("scratch", ""))
		return;
	ck_assert(!chmod(pfs("out"), 0555));
	job_starts(request);
	up();
	run_tasks(false);
	job_ends(request, "COMPLETED");
	down();
	ctl_until("DONE");
	nodes_all(give_up, "discard --dry-run 7", 0);
	nodes_all(run_verb, "recover", 0);
	nodes_all(data_kept, "", 0);
	nodes_all(give_up, "discard 7", 0);
	nodes_all(run_verb, "recover", 0);
	nodes_all(nothing_kept, "", 0);
	expect_nothing_left();
	nodes_end();
}
END_TEST

/* Data that could not be staged out is kept: it is reported neither as staged
 * out nor as lost by a restart that never was. */
START_TEST(test_reports_again_kept)
{
	struct slu_job job;

	if (!begin("scratch", ""))
		return;
	ck_assert(!chmod(pfs("out"), 0555));
	job_starts(request);
	up();
	run_tasks(false);
	job_ends(request, "COMPLETED");
	down();
	ctl_until("DONE");
	job = job_over(request, "FAILED");
	*ctl_state = *ctl_text = '\0';
	older_database(of_run, &job);
	nodes_all(run_verb, "recover", 0);
	ctl_until("DONE");
	ctl_until_told("Permission denied");
	ck_assert_str_eq(ctl_drained, "");
	nodes_all(data_kept, "", 0);
	nodes_all(expire, "", 0);
	nodes_end();
}
END_TEST

/* All nodes were restarted, and have no storage that could have kept the note:
 * what all have in common has it. */
START_TEST(test_in_common_older)
{
	if (!begin_lustre("; stage_out source=$BB_JOBFS/in destination="))
		return;
	job_starts(request);
	up();
	run_tasks(true);
	nodes_all(reboot_node, "no storage", 0);
	older_database(of_setup, NULL);
	nodes_all(run_verb, "recover", 0);
	ctl_until("DONE");
	ctl_until_told("the node was restarted before its data");
	ck_assert(access(pfs("7.1"), F_OK));
	ck_assert(!access(pfs("kept/7.1/data/in/from.n1"), F_OK));
	nodes_end();
}
END_TEST

/* The node comes back while slurmctld still believes the job to run. */
START_TEST(test_restarted_early)
{
	if (!begin_up("scratch", ""))
		return;
	nodes_all(reboot_node, "", 0);
	nodes_all(run_verb, "recover", 0);
	job_ends(request, "NODE_FAIL");
	ctl_until("DONE");
	job_run++;
	setenv("SLURM_JOB_RESTART_COUNT", "1", 1);
	job_starts(request);
	up();
	nodes_all(reads, "exactly", 0);
	job_ends(request, "CANCELLED");
	down();
	nodes_all(expire, "", 0);
	expect_nothing_left();
	nodes_end();
}
END_TEST

/* What sluiced does not know either. */
static int leave_storage(const char *arg)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/storage", world);
	mkdir(path, 0755);
	strcat(path, arg);
	return mkdir(path, 0755) || mkdir(strcat(path, "/fs"), 0755);
}

/* Data that was kept, and that a power cut has moved back: "DIR/until" */
static int leave_kept(const char *arg)
{
	char path[PATH_MAX];
	int rc = leave_storage(arg);

	snprintf(path, sizeof(path), "%s/storage%s/fs/data", world, arg);
	make_text(path, "precious");
	snprintf(path, sizeof(path), "%s/storage%s/until", world, arg);
	make_text(path, "4000000000\n");
	return rc;
}

static int still_kept(const char *arg)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/storage/kept%s/fs/data", world, arg);
	return access(path, R_OK) ? 42 : 0;
}

START_TEST(test_leftover)
{
	if (!begin("scratch", ""))
		return;
	nodes_all(leave_storage, "/9.99", 0);
	nodes_all(leave_kept, "/9.98", 0);
	job_starts(request);
	up();
	nodes_all(reads, "exactly", 0);
	job_ends(request, "CANCELLED");
	down();
	nodes_all(still_kept, "/9.98", 0);
	nodes_all(expire, "", 0);
	expect_nothing_left();
	nodes_end();
}
END_TEST

/* What a prolog would have waited for. */
static int is_ready(const char *arg)
{
	char path[PATH_MAX];

	(void)arg;
	job_path(path, "env");
	for (int i = 0; access(path, F_OK) && i < 1200; i++)
		usleep(50000);
	return access(path, F_OK) ? 67 : 0;
}

/* A node was cut off, and Slurm has put the job back; it is there again when
 * the next run begins, which slurmd takes for the one before: no prolog. */
START_TEST(test_no_prolog)
{
	struct slu_job_nodes lost = {JOB, NULL, (char *)"n2"};
	int rc[NODES];

	if (!begin_up("scratch", ""))
		return;
	job_ends(request, "NODE_FAIL");
	ctl_send(&slu_job_nodes_desc, &lost);
	nodes_all(on_n1, "down --job 7", 0);
	ctl_until("DONE");
	job_run++;
	job_starts(request);
	node_send(1, run_verb, "watch --job 7 --period 0.5");
	node_send(0, run_verb, "up --job 7");
	nodes_wait_and(rc, 0, NULL, NULL);
	ck_assert_int_eq(rc[0], 0);
	ctl_until("RUNNING");
	nodes_all(is_ready, "", 0);
	nodes_all(reads, "exactly", 0);
	job_ends(request, "CANCELLED");
	down();
	ctl_until("DONE");
	nodes_all(expire, "", 0); /* of the first run */
	expect_nothing_left();
	nodes_end();
}
END_TEST

/* A process of the job's user in a namespace of his own, in which he goes on
 * writing to what is unmounted everywhere else. */
static void hold(int ready)
{
	char path[PATH_MAX], ok = 'n';
	int fd;

	job_path(path, "mnt/data/held");
	if (!become_ann() && !unshare(CLONE_NEWUSER | CLONE_NEWNS)) {
		fd = open(path, O_WRONLY | O_CREAT, 0600);
		ok = fd >= 0 && write(fd, "x", 1) == 1 ? 'y' : 'n';
	}
	(void)!write(ready, &ok, 1);
	for (;;)
		pause();
}

static int begin_holding(const char *arg)
{
	char ok = 'n';
	int ready[2];

	(void)arg;
	if (pipe(ready))
		return 65;
	if (!fork())
		hold(ready[1]);
	return read(ready[0], &ok, 1) == 1 && ok == 'y' ? 0 : 66;
}

/* The data is kept all the same, and no node is drained for that. */
START_TEST(test_failed_stage_out_drains_no_node)
{
	if (!begin("scratch", ""))
		return;
	ck_assert(!chmod(pfs("out"), 0555));
	job_starts(request);
	up();
	run_tasks(false);
	nodes_all(begin_holding, "", 0);
	job_ends(request, "COMPLETED");
	down();
	ctl_until("DONE");
	ctl_until_told("Permission denied");
	nodes_all(data_kept, "", 0);
	nodes_all(expire, "", 0);
	nodes_all(nothing_left, "nothing left", 0); /* but who holds it */
	nodes_end();
}
END_TEST

static int run(void)
{
	Suite *suite = suite_create("node_returns");

	add(suite, "older_instance", test_older_instance, 1);
	add(suite, "leftover", test_leftover, 1);
	add(suite, "restarted", test_restarted, 2);
	add(suite, "told_again", test_reports_again, 3);
	add(suite, "given_up", test_given_up, 1);
	add(suite, "told_again_restarted", test_reports_again_restarted, 1);
	add(suite, "told_again_kept", test_reports_again_kept, 1);
	add(suite, "restarted_unknown", test_restarted_unknown, 1);
	add(suite, "in_common", test_in_common, 2);
	add(suite, "in_common_late", test_in_common_late, 1);
	add(suite, "in_common_older", test_in_common_older, 1);
	add(suite, "restarted_early", test_restarted_early, 5); /* a race */
	add(suite, "replaced", test_replaced, 1);
	add(suite, "no_prolog", test_no_prolog, 1);
	add(suite, "held", test_failed_stage_out_drains_no_node, 1);
	return run_suite(suite);
}

int main(void)
{
	int rc = enter_own_host("node_returns");

	return rc ? rc : run();
}
