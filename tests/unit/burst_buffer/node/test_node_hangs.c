/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests nodes whose file system hangs, or whose servers are away for a moment.
 */
#include "config.h"
#include "tests/unit/burst_buffer/node/node_life.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "burst_buffer/host/root_daemon.h"
#include "burst_buffer/host/kill_users.h"
#include "common/proc.h"

/* A client that hangs keeps the job's processes from dying, until watch ends
 * it, once the job has ended. Each node makes a directory of its own: a brick
 * that has not been stopped yet could say that another's is there. */
static int hang(const char *arg)
{
	char path[PATH_MAX], name[200];
	struct slu_pid brick;
	pid_t child;
	int begun[2];

	job_path(path, "wd/brick.vol");
	if (slu_server_find("gluster", path, &brick, NULL) ||
	    slu_pid_kill(&brick, SIGSTOP) || pipe(begun))
		return 70;
	child = fork();
	if (!child) {
		snprintf(name, sizeof(name), "%s.%s", arg,
			 getenv("SLURMD_NODENAME"));
		job_path(path, name);
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

/* So that it can end when it is asked to. */
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

static void flap_while_listed(const char *more, const char *told)
{
	if (no_glusterfs() || !begin("glusterfs", more))
		return;
	job_starts(request);
	up();
	run_tasks(true);
	job_ends(request, "COMPLETED");
	nodes_all(flap, "n1", 0);
	down();
	ctl_until("DONE");
	ctl_until_told(told);
	ck_assert_str_eq(ctl_verdict, "fail");
	nodes_all(expire, "", 0);
	expect_nothing_left();
	nodes_end();
}

/* All bricks are there before and after, and a list lacks what one of them
 * has: nothing is taken for staged out. */
START_TEST(test_brick_that_was_away_meanwhile)
{
	flap_while_listed("OnServerLoss=leave\n",
			  "was unreachable while its files were listed");
}
END_TEST

/* The client does not go on. */
START_TEST(test_brick_that_was_away)
{
	flap_while_listed("", "stage-out failed: n1: ");
}
END_TEST

static int run(void)
{
	Suite *suite = suite_create("node_hangs");

	add(suite, "watch", test_watch, 1);
	add(suite, "flap", test_brick_that_was_away_meanwhile, 1);
	add(suite, "lost", test_brick_that_was_away, 1);
	return run_suite(suite);
}

int main(void)
{
	int rc = enter_own_host("node_hangs");

	return rc ? rc : run();
}
