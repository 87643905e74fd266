/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures barriers with very many nodes: the time until all nodes have their
 * answers, and sluiced's processor time. A real sluiced with a real munged, and
 * simulated nodes that send HTTP requests, each on a connection of its own. All
 * send at the same time, which is the worst case, or one after the other: then
 * times are measured from the last request. Credentials are made in advance, as
 * real nodes would make their own.
 */
#include "config.h"
#include <getopt.h>
#include <munge.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include "bench/measure.h"
#include "tests/unit/sluiced/sluiced.h"

#define ANSWER_MAX 120.0 /* s */

struct node {
	int fd;
	char *ask;
	size_t len, sent;
	size_t got, want; /* bytes; want 0: the length is not known yet */
	char head[8192];
	char *body; /* only of the first node */
	double answered;
};

static struct node *nodes;
static size_t n_nodes;
static int poller;
static bool csv;
static double over; /* s over which requests are spread; 0: all at once */
static bool older;  /* they are of a release without gzip and seals */

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "barrier: %s: %s (%s/log)\n", what, strerror(errno),
		tmpdir());
	sleep(getenv("BARRIER_STAY") ? 600 : 0);
	exit(1);
}

static void connect_all(size_t n)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_port = htons((uint16_t)sluiced_port),
		.sin_addr = {htonl(INADDR_LOOPBACK)},
	};

	nodes = calloc(n, sizeof(*nodes));
	must(nodes != NULL, "memory");
	for (n_nodes = 0; n_nodes < n; n_nodes++) {
		struct node *node = &nodes[n_nodes];
		struct epoll_event ev = {EPOLLIN, {.ptr = node}};

		node->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		must(node->fd >= 0, "socket");
		must(connect(node->fd, (void *)&to, sizeof(to)) == 0,
		     "connect");
		must(fcntl(node->fd, F_SETFL, O_NONBLOCK) == 0, "fcntl");
		epoll_ctl(poller, EPOLL_CTL_ADD, node->fd, &ev);
	}
}

static void close_all(void)
{
	for (size_t i = 0; i < n_nodes; i++) {
		close(nodes[i].fd);
		free(nodes[i].ask);
		free(nodes[i].body);
	}
	free(nodes);
	nodes = NULL;
}

static void prepare(struct node *node, const char *path, const char *body)
{
	char nonce[SLU_NONCE_TEXT];
	/* when a node asks for the plan it does not know sluiced's user yet */
	const bool open = older || !strcmp(path, "/v1/plan");
	const uid_t reader = open ? (uid_t)MUNGE_UID_ANY : getuid();
	char *cred = slu_cred_request_for(reader, "POST", path, body,
					  strlen(body), nonce, &err);

	must(cred != NULL, err.text);
	free(node->ask);
	free(node->body);
	node->ask = slu_asprintf(
		"POST %s HTTP/1.1\r\nHost: x\r\n"
		"Authorization: Sluice %s\r\n%s"
		"Content-Length: %zu\r\n\r\n%s",
		path, cred,
		older || node == nodes ? "" : "Accept-Encoding: gzip\r\n",
		strlen(body), body);
	must(node->ask != NULL, "memory");
	node->len = strlen(node->ask);
	node->sent = node->got = node->want = 0;
	node->answered = 0;
	node->body = NULL;
	free(cred);
}

static void send_some(struct node *node)
{
	ssize_t n = send(node->fd, node->ask + node->sent,
			 node->len - node->sent, MSG_NOSIGNAL);

	must(n > 0, "send");
	node->sent += (size_t)n;
}

/* Parses the head of an answer, and its length. */
static void read_head(struct node *node)
{
	const char *end, *length;

	node->head[node->got] = '\0';
	end = strstr(node->head, "\r\n\r\n");
	must(end || node->got < sizeof(node->head) - 1, "a long head");
	if (!end)
		return;
	if (strncmp(node->head, "HTTP/1.1 200", 12) != 0)
		fprintf(stderr, "%s\n", node->head);
	must(!strncmp(node->head, "HTTP/1.1 200", 12), "refused");
	length = strstr(node->head, "Content-Length: ");
	must(length != NULL, "no length");
	node->want = (size_t)(end + 4 - node->head) + (size_t)atol(length + 16);
	if (node == nodes && (node->body = calloc(1, node->want + 1)))
		memcpy(node->body, node->head, node->got);
}

/* True: the answer is complete. */
static bool receive(struct node *node)
{
	static char bulk[1 << 18];
	char *to = node->want ? node->body ? node->body + node->got : bulk
			      : node->head + node->got;
	size_t most = node->want ? node->want - node->got
				 : sizeof(node->head) - 1 - node->got;
	ssize_t n = recv(
		node->fd, to,
		to == bulk && most > sizeof(bulk) ? sizeof(bulk) : most, 0);

	must(n > 0, "recv");
	node->got += (size_t)n;
	if (!node->want)
		read_head(node);
	if (!node->want || node->got < node->want)
		return false;
	node->answered = bench_now();
	return true;
}

static void row(const char *what, const char *metric, const char *unit,
		double value)
{
	if (csv)
		printf("%s-%zu,%s,%s,%.4g,,,\n", what, n_nodes, metric, unit,
		       value);
	else
		printf("%-10s %6zu nodes  %-24s %10.4g %s\n", what, n_nodes,
		       metric, value, unit);
	fflush(stdout);
}

/* User and system time of sluiced, s. */
static double cpu_of_sluiced(void)
{
	unsigned long user, kernel;
	char path[64];
	FILE *f;
	int n;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)sluiced_pid);
	f = fopen(path, "r");
	n = f ? fscanf(f,
		       "%*d %*s %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u "
		       "%lu %lu",
		       &user, &kernel)
	      : 0;
	must(n == 2, path);
	fclose(f);
	return (double)(user + kernel) / (double)sysconf(_SC_CLK_TCK);
}

/* Sends the requests from node i on that are due; returns the next node. */
static size_t send_due(size_t i, double since)
{
	while (i < n_nodes && since >= over * (double)i / (double)n_nodes) {
		while (nodes[i].sent < nodes[i].len)
			send_some(&nodes[i]);
		i++;
	}
	return i;
}

/* Sends all prepared requests and waits for the answers. Returns when the last
 * was sent, or, if all are sent at once, the first. */
static double send_and_receive(void)
{
	const double began = bench_now();
	struct epoll_event ev[256];
	size_t left = n_nodes, next = 0;
	double last = 0;

	while (left) {
		int n;

		next = send_due(next, bench_now() - began);
		if (next == n_nodes && !last)
			last = bench_now();
		n = epoll_wait(poller, ev, 256, last ? 1000 : 1);
		for (int i = 0; i < n; i++)
			left -= receive(ev[i].data.ptr);
		must(bench_now() < began + over + ANSWER_MAX, "no answer");
	}
	return over > 0 ? last : began;
}

static void exchange(const char *what)
{
	double *took = calloc(n_nodes, sizeof(*took));
	double cpu = cpu_of_sluiced(), from = send_and_receive();
	size_t bytes = 0;

	must(took != NULL, "memory");
	for (size_t i = 0; i < n_nodes; i++) {
		took[i] = nodes[i].answered - from;
		bytes += nodes[i].want;
	}
	qsort(took, n_nodes, sizeof(*took), bench_by_value);
	row(what, "p50", "s", took[n_nodes / 2]);
	row(what, "p99", "s", took[n_nodes * 99 / 100]);
	row(what, "last", "s", took[n_nodes - 1]);
	row(what, "processor time", "s", cpu_of_sluiced() - cpu);
	row(what, "an answer", "bytes", (double)bytes / (double)n_nodes);
	free(took);
}

static void hello(size_t n)
{
	struct slu_node_addr *addrs = calloc(n, sizeof(*addrs));
	struct slu_hello_ctl msg = {
		.version = SLU_WIRE_VERSION, .nodes = addrs, .n_nodes = n};

	must(addrs != NULL, "memory");
	for (size_t i = 0; i < n; i++)
		addrs[i] = (struct slu_node_addr){slu_asprintf("n%zu", i + 1),
						  sluiced_addr};
	ctl_send(&slu_hello_ctl_desc, &msg);
	ctl_expect_any(&slu_history_end_desc);
}

static void start_job(uint32_t id, size_t n)
{
	struct slu_job job = job_of_ann(id, true);
	char list[32], request[64];

	snprintf(list, sizeof(list), "n[1-%zu]", n);
	snprintf(request, sizeof(request),
		 "jobfs capacity=%zu name=JOBFS type=scratch", n << 30);
	job.nodes = list;
	job.node_cnt = (uint32_t)n;
	job.request = request;
	ctl_send(&slu_job_started_desc, &job);
}

static void ask_plan(uint32_t id)
{
	char body[128];

	for (size_t i = 0; i < n_nodes; i++) {
		snprintf(body, sizeof(body),
			 "{\"job_id\":%u,\"node\":\"n%zu\"}", id, i + 1);
		prepare(&nodes[i], "/v1/plan", body);
	}
	exchange("plan");
}

static unsigned long long buffer_of_plan(void)
{
	const char *at = strstr(nodes[0].body, "\"buffer\":");

	must(at != NULL, "a plan without its number");
	return strtoull(at + 9, NULL, 10);
}

/* A barrier at which some nodes bring attributes, as servers do. */
static void meet(const char *name, uint32_t id, unsigned long long buffer,
		 size_t servers)
{
	char body[256];

	for (size_t i = 0; i < n_nodes; i++) {
		snprintf(body, sizeof(body),
			 "{\"job_id\":%u,\"buffer\":%llu,\"node\":\"n%zu\","
			 "\"name\":\"%s\",\"attr\":\"%s\"}",
			 id, buffer, i + 1, name,
			 i < servers ? "10.0.0.1:24007" : "");
		prepare(&nodes[i], "/v1/barrier", body);
	}
	exchange(name);
	must(strstr(nodes[0].body, "\"go\"") != NULL, "not met");
}

static void measure(uint32_t id, size_t n)
{
	long before = sluiced_kib();
	unsigned long long buffer;

	connect_all(n);
	start_job(id, n);
	ask_plan(id);
	buffer = buffer_of_plan();
	meet("none", id, buffer, 0);
	meet("servers", id, buffer, 32);
	meet("all", id, buffer, n);
	row("sluiced", "memory", "KiB/node",
	    (double)(sluiced_kib() - before) / (double)n);
	close_all();
}

static void usage(void)
{
	puts("usage: barrier [--csv] [--older] [--over SECONDS] [NODES...]\n"
	     "  Nodes of a job ask for their plan and meet at barriers: with\n"
	     "  nothing, with what 32 servers bring, with what each brings.\n"
	     "  --over: they come evenly in so long, not all at once; times\n"
	     "  are then those after the last has come.\n"
	     "  --older: they are of a release that gets long answers as\n"
	     "  they are, and each with a credential.\n"
	     "  As root; needs munged. 512 4096 10000 nodes.");
}

static char **sizes = (char *[]){"512", "4096", "10000", NULL};

/* slurmctld is simulated by the tests' fake. */
START_TEST(measure_all)
{
	size_t last = 0;

	while (sizes[last + 1])
		last++;
	must(sluiced_begin(), "munged");
	ctl_connect();
	hello((size_t)atol(sizes[last]));
	if (csv)
		puts("case,metric,unit,ours,rival,rival_value,ratio");
	for (size_t i = 0; i <= last; i++)
		measure((uint32_t)(i + 1), (size_t)atol(sizes[i]));
	ctl_close();
	sluiced_end();
}
END_TEST

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"csv", no_argument, NULL, 'c'},
		{"older", no_argument, NULL, 'l'},
		{"over", required_argument, NULL, 'o'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	struct rlimit files;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == 'c') {
			csv = true;
		} else if (c == 'l') {
			older = true;
		} else if (c == 'o') {
			over = atof(optarg);
		} else {
			usage();
			return c == 'h' ? 0 : 2;
		}
	}
	if (optind < argc)
		sizes = argv + optind;
	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	poller = epoll_create1(EPOLL_CLOEXEC);
	must(poller >= 0, "epoll");
	setenv("CK_TIMEOUT_MULTIPLIER", "20", 1);
	return run_tests("barrier", (const TTest *[]){measure_all}, 1);
}
