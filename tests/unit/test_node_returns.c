/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes on which something of before is found: an older run, a worker that
 * still runs, storage, a mount that hangs; and nodes that were restarted. */
#include "config.h"
#include "tests/unit/node_life.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "burst_buffer/host/mtab.h"
#include "burst_buffer/host/server.h"
#include "burst_buffer/host/users.h"
#include "common/proc.h"

/* The job was requeued and its epilog never ran: the next `up` does it. */
START_TEST(test_older_instance)
{
	if (!begin("scratch", ""))
		return;
	job_starts(request);
	up();
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

	(void)arg;
	if (rc)
		return rc;
	snprintf(path, sizeof(path), "%s/run/7", world);
	if (slu_unmount_below(path, 0, 1, &why) ||
	    slu_rmtree(AT_FDCWD, path, &why))
		return 60;
	snprintf(path, sizeof(path), "%s/storage/7.1", world);
	return slu_unmount_below(path, 0, 1, &why) || access(path, F_OK) ? 61
									 : 0;
}

/* What was to be staged out is kept, whoever comes first. */
START_TEST(test_restarted)
{
	static const char *const verb[] = {"recover", "down --job 7"};

	if (!begin("scratch", ""))
		return;
	job_starts(request);
	up();
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

/* As if a worker had begun, and been killed, that no epilog waits for; one that
 * had told of a failure before, too. */
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

/* slurmctld has forgotten the run, and who would have noticed was killed. */
START_TEST(test_replaced)
{
	if (!begin("scratch", ""))
		return;
	job_starts(request);
	up();
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
	if (!begin("scratch", ""))
		return;
	job_starts(request);
	up();
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

static int on_n1(const char *arg)
{
	return strcmp(getenv("SLURMD_NODENAME"), "n1") ? 0 : run_verb(arg);
}

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

/* The node comes back while slurmctld still believes the job to run. */
START_TEST(test_restarted_early)
{
	if (!begin("scratch", ""))
		return;
	job_starts(request);
	up();
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

/* A client that hangs keeps the job's processes from dying, until watch ends
 * it, once the job has ended. */
static int hang(const char *arg)
{
	char path[PATH_MAX];
	struct slu_pid brick;
	pid_t child;
	int begun[2];

	job_path(path, "wd/brick.vol");
	if (slu_server_find("gluster", path, &brick, NULL) ||
	    slu_pid_kill(&brick, SIGSTOP) || pipe(begun))
		return 70;
	child = fork();
	if (!child) {
		job_path(path, arg);
		_exit(become_ann() || write(begun[1], "", 1) != 1 ||
		      mkdir(path, 0700));
	}
	if (read(begun[0], path, 1) != 1)
		return 72;
	usleep(1000000); /* a busy machine lets it wait for its turn */
	kill(child, SIGKILL);
	usleep(200000);
	return waitpid(child, NULL, WNOHANG) ? 71 : 0; /* it hangs */
}

/* What was waiting needs the processor once more to die. */
static int still_hangs(const char *arg)
{
	struct slu_pid pid;
	int i = 0;

	(void)arg;
	while (!slu_users_stuck(NODE_UID, JOB, &pid, NULL) && ++i < 200)
		usleep(100000);
	return i == 200;
}

/* So that it can end when it is told to. */
static int go_on(const char *arg)
{
	char path[PATH_MAX];
	struct slu_pid brick;

	job_path(path, arg);
	return slu_server_find("gluster", path, &brick, NULL) ||
	       slu_pid_kill(&brick, SIGCONT);
}

static void end_job(void)
{
	job_ends(request, "COMPLETED");
}

START_TEST(test_watch)
{
	int rc[NODES];

	if (no_glusterfs() || !begin("glusterfs", ""))
		return;
	snprintf(request, sizeof(request),
		 "jobfs type=glusterfs capacity=40MiB");
	job_starts(request);
	up();
	nodes_all(hang, "mnt/data/x", 0);
	for (int i = 0; i < NODES; i++)
		/* That of `up` asks too rarely for a test. */
		node_send(i, run_verb, "watch --job 7 --period 0.4");
	/* While the job lives, nothing is touched. */
	nodes_wait_and(rc, 2000, NULL, end_job);
	ck_assert_int_eq(rc[0] | rc[1], 0);
	nodes_all(still_hangs, "", 0);
	nodes_all(go_on, "wd/brick.vol", 0);
	down();
	ctl_until("DONE");
	expect_nothing_left();
	nodes_end();
}
END_TEST

/* A connection that is lost for a moment */

/* A process of this node waits for an answer of the file system, for long. */
static bool waits(void *arg, int proc, pid_t pid)
{
	struct stat own, ns;
	char text[64];
	int fd, n;

	(void)arg, (void)pid;
	if (stat("/proc/self/ns/mnt", &own) ||
	    fstatat(proc, "ns/mnt", &ns, 0) || own.st_ino != ns.st_ino)
		return false;
	for (int i = 0; i < 20; i++) {
		fd = openat(proc, "wchan", O_RDONLY);
		n = fd < 0 ? 0 : (int)read(fd, text, sizeof(text) - 1);
		close(fd);
		text[n < 0 ? 0 : n] = '\0';
		if (strcmp(text, "request_wait_answer") != 0)
			return false;
		usleep(50000);
	}
	return true;
}

/* The port of the last brick of a client. */
static unsigned last_port(const char *vol)
{
	static const char key[] = "remote-port ";
	FILE *f = fopen(vol, "r");
	char line[500], *at;
	unsigned port = 0;

	while (f && fgets(line, sizeof(line), f))
		if ((at = strstr(line, key)))
			port = (unsigned)atoi(at + strlen(key));
	if (f)
		fclose(f);
	return port;
}

static int cut(const struct slu_pid *client, unsigned port)
{
	int pidfd = (int)syscall(SYS_pidfd_open, client->pid, 0), found = 0;

	for (int i = 0; i < 1000; i++) {
		struct sockaddr_in to = {0};
		socklen_t len = sizeof(to);
		int fd = (int)syscall(SYS_pidfd_getfd, pidfd, i, 0);

		if (fd >= 0 && !getpeername(fd, (void *)&to, &len) &&
		    to.sin_family == AF_INET && ntohs(to.sin_port) == port)
			found += !shutdown(fd, SHUT_RDWR);
		if (fd >= 0)
			close(fd);
	}
	close(pidfd);
	return found == 1 ? 0 : -1;
}

/* Wait for its two connections, and for others than before. */
static int connected(const struct slu_pid *client, uint64_t before,
		     struct slu_connections *now)
{
	for (int i = 0; i < 2000; i++) {
		if (slu_server_connections(client, now, NULL))
			return -1;
		if (now->n == 2 && now->ends == 2 && now->sum != before)
			return 0;
		usleep(20000);
	}
	return -1;
}

/* While the walk waits for the first brick, the second is lost for a moment. */
static int flap_now(const struct slu_pid *client, unsigned port)
{
	struct slu_connections before, now;

	for (int i = 0; !slu_pid_find(waits, NULL); i++) {
		usleep(20000);
		if (i == 2000)
			return 75;
	}
	if (connected(client, 0, &before))
		return 76;
	if (cut(client, port))
		return 77;
	return connected(client, before.sum, &now) ? 78 : 0;
}

static int flap(const char *arg)
{
	char path[PATH_MAX];
	struct slu_pid brick, client;
	unsigned port;
	int rc;

	if (strcmp(getenv("SLURMD_NODENAME"), arg) != 0)
		return 0;
	job_path(path, "wd/client.vol");
	port = last_port(path);
	if (!port || slu_server_find("gluster", path, &client, NULL))
		return 73;
	job_path(path, "wd/brick.vol");
	if (slu_server_find("gluster", path, &brick, NULL) ||
	    slu_pid_kill(&brick, SIGSTOP))
		return 74;
	if (fork())
		return 0;
	rc = flap_now(&client, port);
	if (rc) /* the walk goes on, and nothing was lost */
		printf("flap: %d\n", rc);
	usleep(500000); /* what the client does with the connection it has */
	slu_pid_kill(&brick, SIGCONT);
	_exit(rc);
}

/* All bricks are there before and after, and a list lacks what one of them
 * has: nothing is taken for staged out. */
START_TEST(test_flap)
{
	if (no_glusterfs() || !begin("glusterfs", ""))
		return;
	job_starts(request);
	up();
	run_tasks(true);
	job_ends(request, "COMPLETED");
	nodes_all(flap, "n1", 0);
	down();
	ctl_until("DONE");
	ctl_until_told("was away while its files were listed");
	ck_assert_str_eq(ctl_verdict, "fail");
	nodes_all(expire, "", 0);
	expect_nothing_left();
	nodes_end();
}
END_TEST

static int run(void)
{
	Suite *suite = suite_create("node_returns");

	add(suite, "older_instance", test_older_instance, 1);
	add(suite, "leftover", test_leftover, 1);
	add(suite, "restarted", test_restarted, 2);
	add(suite, "restarted_unknown", test_restarted_unknown, 1);
	add(suite, "in_common", test_in_common, 2);
	add(suite, "in_common_late", test_in_common_late, 1);
	add(suite, "restarted_early", test_restarted_early, 5); /* a race */
	add(suite, "replaced", test_replaced, 1);
	add(suite, "watch", test_watch, 1);
	add(suite, "flap", test_flap, 1);
	return run_suite(suite);
}

int main(void)
{
	int rc = enter_own_host("node_returns");

	return rc ? rc : run();
}
