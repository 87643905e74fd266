/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements the nodes of nodes.h, and the relay between them and sluiced. */
#include "config.h"
#include "tests/unit/burst_buffer/node/nodes.h"
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/mount.h>

char world[300]; /* tmpdir() of the test; nodes have other pids */

const char *at(const char *name)
{
	return in(world, name);
}

struct node_shared *node_shared;

struct node_order {
	node_f *fn;
	char arg[512];
};

int node_order_fd[NODES];

static pid_t node_pid[NODES], relay_pid;

static unsigned relay_port;

static int relay_connect(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)sluiced_port)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (!connect(fd, (void *)&to, sizeof(to)))
		return fd;
	close(fd);
	return -1;
}

/* A whole request: headers and as many bytes as they say. */
static ssize_t relay_read(int fd, char *buf, size_t size)
{
	size_t len = 0, body;
	char *end = NULL, *p;

	while (len < size - 1) {
		ssize_t n = read(fd, buf + len, size - 1 - len);

		if (n <= 0)
			return -1;
		len += (size_t)n;
		buf[len] = '\0';
		end = strstr(buf, "\r\n\r\n");
		if (!end)
			continue;
		p = strcasestr(buf, "\r\nContent-Length:");
		body = p && p < end ? strtoul(p + 17, NULL, 10) : 0;
		if (len >= (size_t)(end + 4 - buf) + body)
			return (ssize_t)len;
	}
	return -1;
}

static int relay_node(const char *request)
{
	const char *p = strstr(request, "\"node\":\"n");

	return p && p[9] >= '1' && p[9] < '1' + NODES ? p[9] - '1' : -1;
}

static void relay_kill(int node)
{
	node_shared[node].kill = 1;
	for (int i = 0; node_shared[node].kill != 2 && i < 5000; i++)
		usleep(1000);
	node_shared[node].kill = 0;
}

static void relay_talk(int client)
{
	static char buf[1 << 20];
	int server = relay_connect();

	for (;;) {
		ssize_t len = relay_read(client, buf, sizeof(buf));
		int node = len > 0 ? relay_node(buf) : -1;
		bool kills =
			node >= 0 &&
			__sync_add_and_fetch(&node_shared[node].requests, 1) ==
				node_shared[node].kill_at;

		if (len <= 0 || server < 0)
			_exit(0);
		if (kills && !node_shared[node].after) {
			relay_kill(node);
			_exit(0);
		}
		if (write(server, buf, (size_t)len) != len)
			_exit(0);
		len = relay_read(server, buf, sizeof(buf));
		if (kills)
			relay_kill(node);
		if (len <= 0 || write(client, buf, (size_t)len) != len)
			_exit(0);
	}
}

static void relay_run(int fd)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGCHLD, SIG_IGN);
	for (;;) {
		int client = accept(fd, NULL, NULL);

		if (client < 0)
			continue;
		if (!fork()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			relay_talk(client);
		}
		close(client);
	}
}

static void relay_start(void)
{
	struct sockaddr_in addr = {.sin_family = AF_INET};
	socklen_t len = sizeof(addr);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ck_assert(!bind(fd, (void *)&addr, sizeof(addr)) && !listen(fd, 64));
	getsockname(fd, (void *)&addr, &len);
	relay_port = ntohs(addr.sin_port);
	relay_pid = fork();
	if (!relay_pid)
		relay_run(fd);
	close(fd);
}

/* What sluice-node is on this node: all of our program but this process. */
static bool is_other(const char *path)
{
	int proc = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	uid_t real = 0, effective;

	if (proc >= 0) {
		slu_proc_uids(proc, &real, &effective);
		close(proc);
	}
	return real == OTHER_UID;
}

static void node_kill_all(void)
{
	char mine[PATH_MAX], exe[PATH_MAX], path[40];

	ssize_t n = readlink("/proc/self/exe", mine, sizeof(mine) - 1);

	mine[n > 0 ? n : 0] = '\0';
	for (pid_t pid = 2; pid < 40000; pid++) {
		snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
		n = readlink(path, exe, sizeof(exe) - 1);
		exe[n > 0 ? n : 0] = '\0';
		path[strlen(path) - strlen("/exe")] = '\0';
		if (n > 0 && !strcmp(exe, mine) && !is_other(path))
			kill(pid, SIGKILL);
	}
}

/* Like SPANK: again when it was killed. */
static int node_call(const struct node_order *order, int node)
{
	int status;
	pid_t pid;

	for (int i = 0; i < 4; i++) {
		pid = fork();
		if (!pid)
			_exit(order->fn(order->arg));
		for (;;) {
			pid_t got = waitpid(-1, &status, WNOHANG);

			if (got == pid)
				break;
			if (node_shared[node].kill == 1) {
				node_kill_all();
				while (waitpid(pid, &status, 0) != pid)
					;
				node_shared[node].kill = 2;
				break;
			}
			if (got == 0)
				usleep(1000);
		}
		if (WIFEXITED(status))
			return WEXITSTATUS(status);
	}
	return 99;
}

static void node_over(const char *dir, const char *name, int node)
{
	char from[PATH_MAX], to[PATH_MAX];

	snprintf(to, sizeof(to), "%s/%s", dir, name);
	snprintf(from, sizeof(from), "%s/%s.n%d", dir, name, node + 1);
	mkdir(from, 0755);
	if (mount(from, to, NULL, MS_BIND, NULL))
		_exit(98);
}

bool nodes_have_two(void)
{
	return strchr(sluiced_storage, '*');
}

static int node_run(void *arg)
{
	int node = (int)(intptr_t)arg, fd = node_order_fd[node];
	struct node_order order;
	char name[16];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("proc", "/proc", "proc", 0, NULL))
		_exit(98);
	node_over(world, "run", node);
	node_over(world, "storage", node);
	if (nodes_have_two())
		node_over(world, "storage2", node);
	snprintf(name, sizeof(name), "n%d", node + 1);
	setenv("SLURMD_NODENAME", name, 1);
	setenv("SLUICE_CONF", at("node.conf"), 1);
	while (read(fd, &order, sizeof(order)) == sizeof(order) && order.fn) {
		int rc = node_call(&order, node);

		if (write(fd, &rc, sizeof(rc)) != sizeof(rc))
			break;
	}
	_exit(0);
}

static void node_start(int node)
{
	static char stack[NODES][1 << 18] __attribute__((aligned(16)));
	int fd[2];

	ck_assert(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd));
	node_order_fd[node] = fd[1];
	node_pid[node] = clone(node_run, stack[node] + sizeof(stack[node]),
			       CLONE_NEWPID | CLONE_NEWNS | SIGCHLD,
			       (void *)(intptr_t)node);
	ck_assert_int_gt(node_pid[node], 0);
	close(fd[1]);
	node_order_fd[node] = fd[0];
}

int run_verb(const char *arg)
{
	char words[512];
	char *argv[16] = {"sluice-node"};
	int argc = 1;

	slu_copy(words, sizeof(words), arg);
	for (char *p = strtok(words, " "); p; p = strtok(NULL, " "))
		argv[argc++] = p;
	optind = 1;
	return sluice_node_main(argc, argv);
}

void node_send(int node, node_f *fn, const char *fmt, ...)
{
	struct node_order order = {.fn = fn};
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(order.arg, sizeof(order.arg), fmt, ap);
	va_end(ap);
	ck_assert(write(node_order_fd[node], &order, sizeof(order)) ==
		  sizeof(order));
}

char ctl_state[24], ctl_text[512], ctl_verdict[16], ctl_drained[512];

/* One message; commands are carried out. */
static void ctl_serve(void)
{
	const struct slu_node_order *node;
	struct slu_buffer_state *state;
	char *line = NULL;
	size_t size = 0;
	void *msg;
	ssize_t len = getline(&line, &size, ctl_in);

	ck_assert_int_gt(len, 0);
	expect_ok(slu_envelope_parse(line, (size_t)len, slu_to_ctl, &ctl_desc,
				     &ctl_id, &msg, &err),
		  err);
	free(line);
	if (ctl_desc == &slu_buffer_desc) {
		state = msg;
		slu_copy(ctl_state, sizeof(ctl_state), state->state);
		slu_copy(ctl_text, sizeof(ctl_text),
			 state->text ? state->text : "");
	} else if (ctl_desc == &slu_hold_desc || ctl_desc == &slu_fail_desc ||
		   ctl_desc == &slu_requeue_desc) {
		slu_copy(ctl_verdict, sizeof(ctl_verdict), ctl_desc->name);
	}
	if (ctl_desc == &slu_drain_desc || ctl_desc == &slu_resume_desc) {
		node = msg;
		slu_copy(ctl_drained, sizeof(ctl_drained),
			 ctl_desc == &slu_drain_desc ? node->reason : "");
	}
	if (ctl_id)
		ctl_done(true);
	slu_msg_free(ctl_desc, msg);
}

void nodes_wait_and(int rc[NODES], int ms, const char *state, void (*fn)(void))
{
	int left = NODES;
	struct pollfd p[NODES + 1];
	double when = slu_now_mono() + ms / 1e3;

	for (int i = 0; i < NODES; i++)
		p[i] = (struct pollfd){node_order_fd[i], POLLIN, 0};
	p[NODES] = (struct pollfd){ctl_fd, POLLIN, 0};
	while (left) {
		int n = poll(p, NODES + 1, fn ? 20 : 50000);

		if (fn && (slu_now_mono() > when ||
			   (state && !strcmp(ctl_state, state)))) {
			fn();
			fn = NULL;
			continue;
		}
		expect(n > 0 || fn, "no answer");
		for (int i = 0; i < NODES; i++) {
			if (!p[i].revents)
				continue;
			ck_assert(read(p[i].fd, &rc[i], sizeof(rc[i])) ==
				  sizeof(rc[i]));
			p[i].fd = -1;
			left--;
		}
		if (p[NODES].revents)
			ctl_serve();
	}
}

static void nodes_wait(int rc[NODES])
{
	nodes_wait_and(rc, 0, NULL, NULL);
}

void nodes_all(node_f *fn, const char *arg, int want)
{
	int rc[NODES];

	for (int i = 0; i < NODES; i++)
		node_send(i, fn, "%s", arg);
	nodes_wait(rc);
	for (int i = 0; i < NODES; i++)
		expect(rc[i] == want, "%s on n%d: %d", arg, i + 1, rc[i]);
}

void ctl_until(const char *state)
{
	for (int i = 0; strcmp(ctl_state, state); i++) {
		expect(i < 100, "%s, not %s", ctl_state, state);
		ctl_serve();
	}
}

void ctl_until_drained(const char *words)
{
	for (int i = 0; *words ? !strstr(ctl_drained, words) : *ctl_drained;
	     i++) {
		expect(i < 100, "%s, not %s", ctl_drained, words);
		ctl_serve();
	}
}

void ctl_until_told(const char *words)
{
	for (int i = 0; !strstr(ctl_text, words); i++) {
		expect(i < 100, "%s, not %s", ctl_text, words);
		ctl_serve();
	}
}

static void nodes_write_conf(const char *more)
{
	FILE *f = fopen(at("node.conf"), "w");

	fprintf(f,
		"DaemonAddr=127.0.0.1:%u\nSlurmUser=root\nRunDir=%s/run\n"
		"NodeStorage=%s/%s\n%s",
		relay_port, world, world, sluiced_storage, more);
	fclose(f);
}

const char *nodes_client_library(void)
{
	static char path[PATH_MAX];

	ck_assert_ptr_nonnull(realpath(".libs/libsluice_glusterfs.so", path));
	return path;
}

bool nodes_begin_alone(const char *more)
{
	node_shared =
		mmap(NULL, NODES * sizeof(*node_shared), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	slu_copy(world, sizeof(world), tmpdir());
	ck_assert(!mkdir(at("run"), 0755));
	ck_assert(!mkdir(at("pfs"), 0755));
	ck_assert(!nodes_have_two() || !mkdir(at("storage2"), 0755));
	ck_assert(!chown(at("pfs"), NODE_UID, NODE_UID));
	chmod(world, 0755);
	snprintf(sluiced_extra_conf, sizeof(sluiced_extra_conf),
		 "RunDir=%s/run\n"
		 "FileSystem=glusterfs Driver=glusterfs client_library=%s\n%s",
		 world, nodes_client_library(), more);
	if (!sluiced_begin())
		return false;
	relay_start();
	nodes_write_conf(more);
	for (int i = 0; i < NODES; i++)
		node_start(i);
	return true;
}

bool nodes_begin(const char *more)
{
	if (!nodes_begin_alone(more))
		return false;
	ctl_connect();
	/* poll() must see every message that has not been read. */
	setvbuf(ctl_in, NULL, _IONBF, 0);
	ctl_hello(NULL, 0);
	ctl_expect_any(&slu_history_end_desc);
	return true;
}

void nodes_end(void)
{
	for (int i = 0; i < NODES; i++) {
		node_send(i, NULL, "%s", "end");
		ck_assert_int_eq(sluiced_status(node_pid[i]), 0);
	}
	kill(relay_pid, SIGKILL);
	if (ctl_fd >= 0)
		ctl_close();
	sluiced_end();
}

uint32_t job_run; /* how often it was requeued */

static struct slu_job nodes_job(const char *request)
{
	static int64_t start;

	if (!start)
		start = time(NULL);
	return (struct slu_job){
		.job_id = JOB,
		.uid = NODE_UID,
		.gid = NODE_UID,
		.user = (char *)"ann",
		.name = (char *)"sim",
		.nodes = (char *)"n[1-2]",
		.node_cnt = NODES,
		.submit = 1000,
		.start = start + job_run,
		.restarts = job_run,
		.limit = 10,
		.state = (char *)"RUNNING",
		.request = (char *)(uintptr_t)request,
	};
}

void job_starts(const char *request)
{
	struct slu_job j = nodes_job(request);

	ctl_send(&slu_job_started_desc, &j);
}

void job_ends(const char *request, const char *state)
{
	struct slu_job j = nodes_job(request);

	j.state = (char *)(uintptr_t)state;
	j.end = j.start + 60;
	j.completing = true; /* its epilogs are still to come */
	j.completing_nodes = j.nodes;
	ctl_send(&slu_job_ended_desc, &j);
}

struct slu_job job_over(const char *request, const char *state)
{
	struct slu_job j = nodes_job(request);

	j.state = (char *)(uintptr_t)state;
	j.end = j.start + 60;
	return j;
}

void add(Suite *suite, const char *name, const TTest *test, int n)
{
	TCase *tcase = tcase_create(name);

	tcase_set_timeout(tcase, 180);
	tcase_add_loop_test(tcase, test, 0, n);
	suite_add_tcase(suite, tcase);
}

int run_suite(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	int failed;

	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
