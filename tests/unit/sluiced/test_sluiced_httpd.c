/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests sluiced's HTTP server with handlers that answer at once, later, or with
 * a long body. The client uses plain sockets, so that it can violate the
 * protocol.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <malloc.h>
#include <microhttpd.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common/file.h"
#include "sluiced/http/httpd.h"
#include "sluiced/http/request.h"
#include "tests/unit/harness.h"

/*
 * A server that echoes: /echo at once, /later when the test says so; /long says
 * as much as fits the letter that it is asked for. The test is its own client,
 * on plain sockets, so that it can misbehave.
 */

#define EMPTY "POST /later HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"

static struct slu_loop *loop;
static struct slu_httpd *httpd;
static struct slu_req *later[4096];
static size_t n_later;
static int begun, ended;
static unsigned port;

static int begin_req(void *arg, struct slu_req *req, size_t *max,
		     struct slu_err *err)
{
	(void)arg;
	begun++;
	if (strcmp(req->path, "/echo") && strcmp(req->path, "/later") &&
	    strcmp(req->path, "/long"))
		return slu_err(err, SLU_NOTFOUND, "no %s", req->path);
	*max = 1000;
	req->trusted = !slu_httpd_argument(req, "uid");
	if (!req->trusted)
		req->payer = (uid_t)atoi(slu_httpd_argument(req, "uid"));
	req->drop = slu_httpd_argument(req, "drop") != NULL;
	return 0;
}

static void answer_with(struct slu_req *req, const struct slu_answer_head *head,
			struct slu_buf *body)
{
	struct slu_text *text = slu_httpd_share(req, body);

	slu_httpd_answer(req, head, text);
	slu_text_unref(text);
}

static void echo(struct slu_req *req)
{
	struct slu_answer_head head = {.status = 200, .type = "text/plain"};
	struct slu_buf body = {0};

	slu_buf_printf(&body, "%s %s [%.*s]", req->method, req->uri,
		       (int)req->body.len,
		       req->body.data ? req->body.data : "");
	answer_with(req, &head, &body);
}

#define MUCH ((size_t)4 << 20)

static void say_much(struct slu_req *req)
{
	struct slu_answer_head head = {.status = 200, .type = "text/plain"};
	struct slu_buf body = {0};
	char line[1024];

	memset(line, *slu_httpd_argument(req, "letter"), sizeof(line));
	for (size_t i = 0; i < MUCH / sizeof(line); i++)
		slu_buf_add(&body, line, sizeof(line));
	answer_with(req, &head, &body);
}

static void complete_req(void *arg, struct slu_req *req)
{
	(void)arg;
	if (!strcmp(req->path, "/long"))
		say_much(req);
	else if (!strcmp(req->path, "/later"))
		later[n_later++] = req;
	else
		echo(req);
}

static void end_req(void *arg, struct slu_req *req)
{
	(void)arg, (void)req;
	ended++;
}

static void begin(void)
{
	static const struct slu_log log;
	static const struct slu_httpd_ops ops = {
		.begin = begin_req, .complete = complete_req, .end = end_req};
	struct slu_err err;
	char addr[32];

	begun = ended = 0, n_later = 0;
	loop = slu_loop_new(&err);
	httpd = NULL;
	for (port = 20000 + (unsigned)getpid() % 20000; !httpd; port++) {
		snprintf(addr, sizeof(addr), "x:%u", port);
		httpd = slu_httpd_new(loop, addr, &ops, &log, &err);
	}
	port--;
}

static void end(void)
{
	slu_httpd_free(httpd);
	slu_loop_free(loop);
	ck_assert_int_eq(begun, ended);
}

static void turn(int times)
{
	for (int i = 0; i < times; i++)
		slu_loop_turn(loop, 0.005, NULL);
}

/* From 127.0.0.HOST. */
static int meet_from(unsigned host)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)port)};
	struct sockaddr_in from = {.sin_family = AF_INET};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	from.sin_addr.s_addr = htonl((INADDR_LOOPBACK & ~0xffu) | host);
	ck_assert_int_eq(bind(fd, (void *)&from, sizeof(from)), 0);
	ck_assert_int_eq(connect(fd, (void *)&to, sizeof(to)), 0);
	return fd;
}

static int meet(void)
{
	return meet_from(1);
}

static void say(int fd, const char *text)
{
	ck_assert_int_ge(send(fd, text, strlen(text), MSG_NOSIGNAL), 0);
	turn(4);
}

static const char *heard(int fd)
{
	static char text[8192];
	ssize_t n;

	turn(4);
	n = recv(fd, text, sizeof(text) - 1, MSG_DONTWAIT);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

static const struct {
	const char *request, *status, *body;
} cases[] = {
	{"GET /echo HTTP/1.1\r\nHost: x\r\n\r\n", "200", "GET /echo []"},
	{"POST /echo?a=b HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi",
	 "200", "POST /echo?a=b [hi]"},
	{"POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
	 "1\r\nh\r\n1\r\ni\r\n0\r\n\r\n",
	 "200", "POST /echo [hi]"},
	{"POST /echo?drop= HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi",
	 "200", "POST /echo?drop= []"},
	{"GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n", "404", "no /nothing"},
	{"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n",
	 "413", "too long"},
#if MHD_VERSION >= 0x00097300 /* older ones close the connection */
	{"POST /echo HTTP/1.1\r\nHost: x\r\n"
	 "Content-Length: 99999999999999999999999\r\n\r\n",
	 "4", ""},
#endif
};

START_TEST(test_requests)
{
	begin();
	each(c, cases)
	{
		int fd = meet();
		const char *reply;

		say(fd, c->request);
		reply = heard(fd);
		expect(!strncmp(reply, "HTTP/1.", 7) &&
			       !strncmp(reply + 9, c->status,
					strlen(c->status)),
		       "%s: %.300s", c->request, reply);
		expect(strstr(reply, c->body), "%s: %.300s", c->request, reply);
		close(fd);
	}
	turn(4);
	end();
}
END_TEST

/* A body that turns out too long while it comes is not kept. */
static void chunked_too_long(const char *head)
{
	int fd;

	begin();
	fd = meet();
	say(fd, head);
	say(fd, "Host: x\r\nTransfer-Encoding: chunked\r\n\r\n");
	for (int i = 0; i < 12; i++) {
		say(fd, "64\r\n");
		for (int j = 0; j < 10; j++)
			say(fd, "0123456789");
		say(fd, "\r\n");
	}
	say(fd, "0\r\n\r\n");
	ck_assert_ptr_nonnull(strstr(heard(fd), " 413 "));
	close(fd);
	turn(4);
	end();
}

START_TEST(test_chunked_too_long)
{
	chunked_too_long("POST /echo HTTP/1.1\r\n");
	chunked_too_long("POST /echo?drop= HTTP/1.1\r\n");
}
END_TEST

START_TEST(test_answered_later)
{
	int a, b;

	begin();
	a = meet();
	b = meet();
	say(a, "POST /later HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\na");
	say(b, "POST /later HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nb");
	ck_assert_uint_eq(n_later, 2);
	ck_assert_str_eq(heard(a), "");
	echo(later[1]);
	ck_assert_ptr_nonnull(strstr(heard(b), "[b]"));
	ck_assert_str_eq(heard(a), "");
	/* The client has gone meanwhile: nobody minds. */
	close(a);
	turn(2);
	echo(later[0]);
	turn(4);
	/* The connection is good for another request. */
	say(b, "GET /echo HTTP/1.1\r\nHost: x\r\n\r\n");
	ck_assert_ptr_nonnull(strstr(heard(b), "[]"));
	close(b);
	turn(4);
	end();
}
END_TEST

/* Many at once, all parked, all answered. */
START_TEST(test_thousand_parked_requests)
{
	enum { N = 1000 };
	int fd[N];

	if (slu_most_files() < 3 * N)
		return; /* this machine does not allow as many */
	begin();
	for (int i = 0; i < N; i++) {
		fd[i] = meet();
		ck_assert_int_gt(send(fd[i], EMPTY, strlen(EMPTY), 0), 0);
		if (i % 50 == 0)
			turn(1);
	}
	for (int i = 0; i < 1000 && n_later < N; i++)
		turn(1);
	ck_assert_uint_eq(n_later, N);
	ck_assert_uint_ge(slu_httpd_connections(httpd), N);
	for (size_t i = 0; i < N; i++)
		echo(later[i]);
	turn(100);
	for (int i = 0; i < N; i++) {
		char reply[512];

		expect(recv(fd[i], reply, sizeof(reply), MSG_DONTWAIT) > 0,
		       "client %d", i);
		close(fd[i]);
	}
	turn(20);
	end();
}
END_TEST

/* Stopping with connections open and answers under way. */
START_TEST(test_stop)
{
	int a, b;

	begin();
	a = meet();
	b = meet();
	say(a, EMPTY);
	say(b, "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nx");
	echo(later[0]);
	end();
	ck_assert_int_gt(recv(a, (char[999]){0}, 999, MSG_DONTWAIT), 0);
	close(a);
	close(b);
}
END_TEST

/* What comes while the server is being stopped is sent away. */
START_TEST(test_stop_meanwhile)
{
	char reply[999] = "";
	int fd;

	begin();
	fd = meet();
	ck_assert_int_gt(send(fd, EMPTY, strlen(EMPTY), 0), 0);
	end();
	recv(fd, reply, sizeof(reply) - 1, MSG_DONTWAIT);
	expect(!*reply || strstr(reply, " 503 "), "%s", reply);
	ck_assert_uint_eq(n_later, 0);
	close(fd);
}
END_TEST

static int ask_later(const char *query)
{
	int fd = meet();
	char text[128];

	snprintf(text, sizeof(text),
		 "POST /later%s HTTP/1.1\r\nHost: x\r\n"
		 "Content-Length: 1\r\n\r\na",
		 query);
	say(fd, text);
	return fd;
}

/* One user's requests do not take the place of others'. */
START_TEST(test_one_user)
{
	int fd[SLU_BOUNDS_REQUESTS], more, other, root;

	begin();
	for (unsigned i = 0; i < SLU_BOUNDS_REQUESTS; i++)
		fd[i] = ask_later("?uid=5");
	ck_assert_uint_eq(n_later, SLU_BOUNDS_REQUESTS);
	ck_assert_uint_eq(slu_bounds_requests(&later[0]->share),
			  SLU_BOUNDS_REQUESTS);
	more = ask_later("?uid=5");
	ck_assert_ptr_nonnull(strstr(heard(more), " 503 "));
	other = ask_later("?uid=6");
	root = ask_later("");
	ck_assert_uint_eq(n_later, SLU_BOUNDS_REQUESTS + 2);
	ck_assert_uint_eq(slu_bounds_requests(&later[n_later - 2]->share), 1);
	ck_assert_uint_eq(slu_bounds_requests(&later[n_later - 1]->share), 0);
	for (size_t i = 0; i < n_later; i++)
		echo(later[i]);
	ck_assert_ptr_nonnull(strstr(heard(fd[0]), " 200 "));
	close(more);
	n_later = 0;
	more = ask_later("?uid=5");
	ck_assert_uint_eq(n_later, 1);
	echo(later[0]);
	ck_assert_ptr_nonnull(strstr(heard(more), " 200 "));
	for (unsigned i = 0; i < SLU_BOUNDS_REQUESTS; i++)
		close(fd[i]);
	close(more);
	close(other);
	close(root);
	turn(4);
	end();
}
END_TEST

static bool closed(int fd)
{
	char c;

	turn(8);
	return recv(fd, &c, 1, MSG_DONTWAIT) == 0;
}

/* A client that sends very slowly is disconnected; one that waits for the
 * answer is not. */
START_TEST(test_trickle)
{
	int head, body, waiting;
	double now = slu_now_mono();

	begin();
	head = meet();
	body = meet();
	say(head, "POST /echo HTTP/1.1\r\nHo");
	say(body, "POST /echo HTTP/1.1\r\nHost: x\r\n"
		  "Content-Length: 10\r\n\r\nx");
	waiting = ask_later("");
	slu_httpd_sweep(httpd, now);
	ck_assert(!closed(head) && !closed(body));
	slu_httpd_sweep(httpd, now + 1e6);
	ck_assert(closed(head) && closed(body) && !closed(waiting));
	echo(later[0]);
	ck_assert_ptr_nonnull(strstr(heard(waiting), "[a]"));
	/* It has had its answer: now it is its turn again. */
	slu_httpd_sweep(httpd, now + 1e6);
	ck_assert(closed(waiting));
	close(head);
	close(body);
	close(waiting);
	end();
}
END_TEST

static pid_t occupy(unsigned hosts, unsigned each)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	for (unsigned i = 0; i < hosts * each; i++)
		meet_from(2 + i % hosts);
	for (;;)
		pause();
}

/* Clients that keep connections open from several addresses keep no other out,
 * and end nothing of root's. */
START_TEST(test_all_connections_in_use)
{
	static const struct rlimit few = {512, 512};
	int waiting, node, status;
	pid_t pid;

	setrlimit(RLIMIT_NOFILE, &few);
	begin();
	waiting = ask_later("");
	pid = occupy(8, 60);
	turn(200);
	node = ask_later("");
	turn(100);
	ck_assert_uint_eq(n_later, 2);
	echo(later[0]);
	echo(later[1]);
	ck_assert_ptr_nonnull(strstr(heard(waiting), "[a]"));
	ck_assert_ptr_nonnull(strstr(heard(node), "[a]"));
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFSIGNALED(status));
	end();
}
END_TEST

static size_t memory(void)
{
	const struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

static size_t hear_all(int fd, char letter)
{
	static char text[1 << 16];
	size_t much = 0;
	ssize_t n;

	while (much < MUCH) {
		turn(1);
		while ((n = recv(fd, text, sizeof(text), MSG_DONTWAIT)) > 0)
			for (ssize_t i = 0; i < n; i++)
				much += text[i] == letter;
		ck_assert(much == MUCH || (n < 0 && errno == EAGAIN));
	}
	return much;
}

/* Nodes of two jobs ask for what is long, and hear it slowly: it is there once
 * for each job. */
START_TEST(test_long_answer_is_in_memory_once)
{
	enum { NODES = 40 };
	int fd[NODES];
	size_t before;

	begin();
	before = memory();
	for (int i = 0; i < NODES; i++) {
		fd[i] = meet();
		say(fd[i],
		    i % 2 ? "GET /long?letter=~ HTTP/1.1\r\nHost: x\r\n\r\n"
			  : "GET /long?letter=_ HTTP/1.1\r\nHost: x\r\n\r\n");
	}
	ck_assert_uint_lt(memory(), before + 8 * MUCH);
	for (int i = 0; i < NODES; i++) {
		ck_assert_uint_eq(hear_all(fd[i], i % 2 ? '~' : '_'), MUCH);
		close(fd[i]);
	}
	turn(4);
	ck_assert_uint_lt(memory(), before + MUCH);
	end();
}
END_TEST

TEST_MAIN("sluiced_httpd", test_long_answer_is_in_memory_once, test_one_user,
	  test_trickle, test_all_connections_in_use, test_requests,
	  test_chunked_too_long, test_answered_later,
	  test_thousand_parked_requests, test_stop, test_stop_meanwhile)
