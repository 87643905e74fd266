/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests starting, finding and stopping daemons on a node, their cgroups and
 * capabilities. */
#include "config.h"
#define TEST_HAS_CGROUPS
#include "tests/unit/burst_buffer/node/root.h"
#include "burst_buffer/host/cgroup.h"
#include "burst_buffer/host/root_daemon.h"
#include "common/file.h"
#include "tests/unit/burst_buffer/node/tree.h"
#include <arpa/inet.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

/* Groups are the machine's: of other tests' names. */
static char group[64], slurmd[64];

static struct slu_err err;
static char *top;

/*
 * Something that runs for a minute with our path among its arguments. Like a
 * daemon it has a session of its own before what started it returns.
 */
static void start(const char *mark)
{
	char script[5000];
	char *argv[] = {"sh", "-c", script, NULL};

	snprintf(script, sizeof(script),
		 "rm -f %s.up; setsid perl -e 'open F, qq(>$ARGV[0].up); "
		 "sleep 60' %s >/dev/null 2>&1 & "
		 "until [ -e %s.up ]; do sleep 0.01; done",
		 mark, mark, mark);
	expect_ok(slu_server_start(argv, NULL, group, 20, &err), err);
}

static void wait_for(const char *mark, struct slu_pid *pid)
{
	for (int i = 0; i < 2000 && slu_server_find("perl", mark, pid, NULL);
	     i++)
		usleep(10000);
	expect_ok(slu_server_find("perl", mark, pid, &err), err);
}

START_TEST(test_transitions)
{
	struct slu_pid pid;
	const char *mark;

	top = tree_new();
	mark = in(top, "mark");
	expect_fail(slu_server_find("perl", mark, &pid, &err), err,
		    SLU_NOTFOUND, mark);
	expect_ok(slu_server_stop("perl", mark, 1, &err), err);
	start(mark);
	start(mark);
	wait_for(mark, &pid);
	expect_ok(slu_server_stop("perl", mark, 5, &err), err);
	ck_assert_int_eq(slu_server_find("perl", mark, &pid, NULL), -1);
	expect_ok(slu_cgroup_end(group, &err), err);
	tree_remove(top);
}
END_TEST

/* Another process with the same argument is not mistaken for our server, even
 * if it has root's rights (0), as those of setuid programs. */
START_TEST(test_impostor)
{
	static const uid_t uids[] = {65534, 0};
	struct slu_pid pid;
	pid_t child;

	top = tree_new();
	each(uid, uids)
	{
		child = fork();
		if (!child) {
			if (setgid(65534) || setresuid(65534, *uid, *uid))
				_exit(1);
			execl("/bin/sleep", in(top, "mark"), "30", NULL);
			_exit(1);
		}
		usleep(200000);
		ck_assert_int_eq(
			slu_server_find("sleep", in(top, "mark"), &pid, NULL),
			-1);
		kill(child, SIGKILL);
	}
	tree_remove(top);
}
END_TEST

/* A process that reads the pid file is not the server. */
START_TEST(test_reader)
{
	struct slu_pid pid;
	pid_t child;

	top = tree_new();
	make_text(in(top, "mark"), "");
	child = fork();
	if (!child) {
		execl("/usr/bin/tail", "tail", "-f", in(top, "mark"), NULL);
		_exit(1);
	}
	for (int i = 0;
	     i < 2000 && slu_server_find("tail", in(top, "mark"), &pid, NULL);
	     i++)
		usleep(10000);
	ck_assert_int_eq(pid.pid, child);
	expect_ok(slu_server_stop("perl", in(top, "mark"), 0, &err), err);
	ck_assert_int_eq(waitpid(child, NULL, WNOHANG), 0);
	kill(child, SIGKILL);
	tree_remove(top);
}
END_TEST

static int connect_to(const struct sockaddr_in *a)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	ck_assert(!connect(fd, (const struct sockaddr *)a, sizeof(*a)));
	return fd;
}

/* A new connection to the same place is another one; what listens is none, nor
 * is what others have. */
START_TEST(test_connections)
{
	struct sockaddr_in a = {.sin_family = AF_INET,
				.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct slu_connections none, one, two, again;
	socklen_t len = sizeof(a);
	struct slu_pid self, parent;
	int fd = socket(AF_INET, SOCK_STREAM, 0), first, second, many[100][2];

	expect_ok(slu_pid_get(getpid(), &self, &err), err);
	expect_ok(slu_pid_get(getppid(), &parent, &err), err);
	ck_assert(!bind(fd, (struct sockaddr *)&a, sizeof(a)));
	ck_assert(!getsockname(fd, (struct sockaddr *)&a, &len));
	ck_assert(!listen(fd, 4)); /* nobody accepts: only our ends count */
	expect_ok(slu_server_connections(&self, &none, &err), err);
	ck_assert_uint_eq(none.n, 0);
	first = connect_to(&a);
	expect_ok(slu_server_connections(&self, &one, &err), err);
	second = connect_to(&a);
	expect_ok(slu_server_connections(&self, &two, &err), err);
	ck_assert(one.n == 1 && one.ends == 1);
	ck_assert(two.n == 2 && two.ends == 1); /* the same end twice */
	expect_ok(slu_server_connections(&self, &again, &err), err);
	ck_assert(again.n == 2 && again.sum == two.sum);
	close(second);
	second = connect_to(&a);
	expect_ok(slu_server_connections(&self, &again, &err), err);
	ck_assert(again.n == 2 && again.sum != two.sum);
	expect_ok(slu_server_connections(&parent, &again, &err), err);
	ck_assert_uint_eq(again.n, 0);
	/* found among many of other kinds, in any order */
	ck_assert(!listen(fd, 200));
	for (int i = 0; i < 100; i++) {
		many[i][0] = connect_to(&a);
		many[i][1] = socket(AF_INET, SOCK_DGRAM, 0);
	}
	for (int i = 0; i < 100; i += 3)
		close(many[i][0]);
	expect_ok(slu_server_connections(&self, &again, &err), err);
	ck_assert_uint_eq(again.n, 2 + 66);
	for (int i = 0; i < 100; i++) {
		close(many[i][1]);
		if (i % 3)
			close(many[i][0]);
	}
	close(first);
	close(second);
	close(fd);
}
END_TEST

START_TEST(test_listens)
{
	struct sockaddr_in a = {.sin_family = AF_INET,
				.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(a);
	struct slu_pid self, parent;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	expect_ok(slu_pid_get(getpid(), &self, &err), err);
	expect_ok(slu_pid_get(getppid(), &parent, &err), err);
	ck_assert(!bind(fd, (struct sockaddr *)&a, sizeof(a)));
	ck_assert(!getsockname(fd, (struct sockaddr *)&a, &len));
	ck_assert(!slu_server_listens(&self, ntohs(a.sin_port)));
	ck_assert(!listen(fd, 1));
	ck_assert(slu_server_listens(&self, ntohs(a.sin_port)));
	ck_assert(!slu_server_listens(&parent, ntohs(a.sin_port)));
	close(fd);
	ck_assert(!slu_server_listens(&self, ntohs(a.sin_port)));
}
END_TEST

/* In a group that is not the root, what is started leaves it. */
START_TEST(test_cgroup)
{
	static const char *const roots[] = {"/sys/fs/cgroup/freezer",
					    "/sys/fs/cgroup/unified",
					    "/sys/fs/cgroup"};
	char dir[100], procs[120], mine[40];
	struct slu_pid pid;
	struct slu_buf text = {0};
	const char *root = NULL, *mark;

	each(r, roots)
	{
		snprintf(procs, sizeof(procs), "%s/cgroup.procs", *r);
		if (!root && !access(procs, W_OK))
			root = *r;
	}
	if (!root) {
		skip("no cgroups here");
		return;
	}
	top = tree_new();
	mark = in(top, "mark");
	snprintf(dir, sizeof(dir), "%s/%s", root, slurmd);
	snprintf(procs, sizeof(procs), "%s/cgroup.procs", dir);
	make_dir(dir, 0755);
	snprintf(mine, sizeof(mine), "%d", getpid());
	make_text(procs, mine);
	start(mark);
	wait_for(mark, &pid);
	snprintf(mine, sizeof(mine), "/proc/%d/cgroup", pid.pid);
	expect_ok(slu_file_read(AT_FDCWD, mine, 1 << 16, &text, &err), err);
	ck_assert_ptr_nonnull(strstr(text.data, group));
	ck_assert_ptr_null(strstr(text.data, slurmd));
	slu_buf_free(&text);
	expect_ok(slu_server_stop("perl", mark, 5, &err), err);
	snprintf(procs, sizeof(procs), "%s/cgroup.procs", root);
	snprintf(mine, sizeof(mine), "%d", getpid());
	make_text(procs, mine);
	expect_ok(slu_cgroup_end(slurmd, &err), err);
	expect_ok(slu_cgroup_end(group, &err), err);
	tree_remove(top);
}
END_TEST

/* If the mounts cannot be read, it is unknown whether anything remains. */
START_TEST(test_groups_unknown)
{
	struct rlimit files;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &files), 0);
	files.rlim_cur = 0;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &files), 0);
	ck_assert_int_eq(slu_cgroup_end(group, &err), -1);
	files.rlim_cur = files.rlim_max;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &files), 0);
}
END_TEST

/* What is left of a test that failed. */
static void end_all(void)
{
	kill(-1, SIGKILL); /* in our namespace; not the first process, nor us */
	slu_cgroup_end(slurmd, NULL);
	slu_cgroup_end(group, NULL);
}

static void name_groups(void)
{
	const char *ours = strrchr(scratch_path, '.') + 1;

	snprintf(group, sizeof(group), "sluice-test-%s", ours);
	snprintf(slurmd, sizeof(slurmd), "sluice-test-slurmd-%s", ours);
}

int main(void)
{
	const TTest *const tests[] = {test_transitions,	  test_impostor,
				      test_reader,	  test_connections,
				      test_listens,	  test_cgroup,
				      test_groups_unknown};
	int rc = enter_own_host("server");

	if (rc)
		return rc;
	name_groups();
	rc = run_tests("server", tests, sizeof(tests) / sizeof(*tests));
	end_all();
	return rc;
}
