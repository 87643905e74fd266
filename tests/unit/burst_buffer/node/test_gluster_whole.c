/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests how the glusterfs driver decides that a client is connected to all
 * bricks; the client is a shell with the connections of one. */
#include "config.h"
#include "tests/unit/burst_buffer/node/root.h"
#include "burst_buffer/drivers/driver.h"
#include "common/proc.h"
#include "tests/unit/burst_buffer/node/tree.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define NODES 3

static char *top;
static struct slu_err err;

static int listen_at(unsigned *port)
{
	struct sockaddr_in a = {.sin_family = AF_INET,
				.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ck_assert(!bind(fd, (struct sockaddr *)&a, sizeof(a)) &&
		  !listen(fd, 9) &&
		  !getsockname(fd, (struct sockaddr *)&a, &len));
	*port = ntohs(a.sin_port);
	return fd;
}

/* A client with these connections (a shell of that name), that stays. */
static pid_t connected(const unsigned *port, size_t n)
{
	const char *client = in(top, "glusterfs"), *up = in(top, "up");
	char script[8192];
	char *copy[] = {"cp", "/bin/bash", (char *)client, NULL};
	size_t len = 0;
	pid_t pid;

	unlink(up);
	expect_ok(slu_run(copy, 20, NULL, &err), err);
	for (size_t i = 0; i < n; i++)
		len += (size_t)snprintf(script + len, sizeof(script) - len,
					"exec %zu<>/dev/tcp/127.0.0.1/%u; ",
					i + 10, port[i]);
	snprintf(script + len, sizeof(script) - len,
		 ">%s; while read -t 60 line; do :; done", up);
	pid = fork();
	if (pid == 0) {
		int hold[2];

		if (!pipe(hold))
			dup2(hold[0], 0);
		execl(client, client, "-c", script, in(top, "client.vol"),
		      (char *)NULL);
		_exit(127);
	}
	for (int i = 0; i < 3000 && access(up, F_OK); i++)
		usleep(10000);
	ck_assert_int_eq(access(up, F_OK), 0);
	return pid;
}

/* A connection that is there twice, while the client connects again, is no
 * further part; nor does it stand for one that is away. */
START_TEST(test_connected)
{
	static const struct {
		size_t n, at[4];
		const char *says; /* NULL: whole */
	} cases[] = {{3, {0, 1, 2}, NULL},
		     {4, {0, 1, 2, 1}, NULL},
		     {3, {0, 1, 1}, "connected to 2 of its 3 parts"}};
	unsigned port[NODES], to[4];
	int fd[NODES];
	const struct slu_driver *driver = slu_driver_find("glusterfs");
	struct slu_plan_node node[NODES] = {{0}};
	struct slu_plan plan = {.node = node, .n_node = NODES};
	struct slu_instance instance = {.plan = &plan};

	top = tree_new();
	instance.dir = instance.work = top;
	for (size_t i = 0; i < NODES; i++)
		fd[i] = listen_at(&port[i]);
	each(c, cases)
	{
		uint64_t since = 0, again = 0;
		pid_t pid;

		for (size_t i = 0; i < c->n; i++)
			to[i] = port[c->at[i]];
		pid = connected(to, c->n);
		if (c->says) {
			expect_fail(driver->whole(&instance, &since, &err), err,
				    SLU_IO, c->says);
		} else {
			expect_ok(driver->whole(&instance, &since, &err), err);
			ck_assert(c->n > NODES || /* which takes its time */
				  (!driver->whole(&instance, &again, &err) &&
				   since == again));
		}
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	for (size_t i = 0; i < NODES; i++)
		close(fd[i]);
	tree_remove(top);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {test_connected};
	int rc = enter_own_host("gluster_whole");

	return rc ? rc : run_tests("gluster_whole", tests, 1);
}
