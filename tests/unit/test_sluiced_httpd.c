/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <arpa/inet.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include "sluiced/httpd.h"
#include "tests/unit/harness.h"

/*
 * A server that echoes: /echo at once, /later when the test says so. The test
 * is its own client, on plain sockets, so that it can misbehave.
 */

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
	if (strcmp(req->path, "/echo") && strcmp(req->path, "/later"))
		return slu_err(err, SLU_NOTFOUND, "no %s", req->path);
	*max = 1000;
	req->drop = slu_httpd_argument(req, "drop") != NULL;
	return 0;
}

static void echo(struct slu_req *req)
{
	struct slu_answer_head head = {.status = 200, .type = "text/plain"};
	struct slu_buf body = {0};

	slu_buf_printf(&body, "%s %s [%.*s]", req->method, req->uri,
		       (int)req->body.len,
		       req->body.data ? req->body.data : "");
	slu_httpd_answer(req, &head, &body);
}

static void complete_req(void *arg, struct slu_req *req)
{
	(void)arg;
	if (!strcmp(req->path, "/later"))
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

	begun = ended = 0;
	n_later = 0;
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

static int meet(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)port)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ck_assert_int_eq(connect(fd, (void *)&to, sizeof(to)), 0);
	return fd;
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
	{"POST /echo HTTP/1.1\r\nHost: x\r\n"
	 "Content-Length: 99999999999999999999999\r\n\r\n",
	 "4", ""},
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
START_TEST(test_crowd)
{
	enum { N = 1000 };
	struct rlimit lim;
	int fd[N];

	getrlimit(RLIMIT_NOFILE, &lim);
	lim.rlim_cur = lim.rlim_max;
	setrlimit(RLIMIT_NOFILE, &lim);
	if (lim.rlim_max < 3 * N)
		return; /* this machine does not allow as many */
	begin();
	for (int i = 0; i < N; i++) {
		static const char text[] = "POST /later HTTP/1.1\r\nHost: x\r\n"
					   "Content-Length: 0\r\n\r\n";

		fd[i] = meet();
		ck_assert_int_gt(send(fd[i], text, strlen(text), 0), 0);
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
	say(a, "POST /later HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n");
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
	static const char text[] = "POST /later HTTP/1.1\r\nHost: x\r\n"
				   "Content-Length: 0\r\n\r\n";
	char reply[999] = "";
	int fd;

	begin();
	fd = meet();
	ck_assert_int_gt(send(fd, text, strlen(text), 0), 0);
	end();
	recv(fd, reply, sizeof(reply) - 1, MSG_DONTWAIT);
	expect(!*reply || strstr(reply, " 503 "), "%s", reply);
	ck_assert_uint_eq(n_later, 0);
	close(fd);
}
END_TEST

TEST_MAIN("sluiced_httpd", test_requests, test_chunked_too_long,
	  test_answered_later, test_crowd, test_stop, test_stop_meanwhile)
