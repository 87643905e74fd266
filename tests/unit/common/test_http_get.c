/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests GET requests to other services. */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/common/http_listen.h"
#include "tests/unit/tmpdir.h"
#include "common/http.h"
#include <signal.h>
#include <sys/prctl.h>
#include <sys/un.h>

#define ERRORS                                                  \
	"{\n \"meta\": {}, \"errors\": [{\"error_number\": 1, " \
	"\"description\": \"no such time\"}]}\n"

static const struct {
	const char *path;
	int status;
	const char *headers, *body; /* NULL: what was asked */
} answers[] = {
	{"/refuse", 401, "", NULL},
	{"/missing", 404, "", NULL},
	{"/moved", 302, "Location: https://other/x\r\n", ""},
	{"/json", 500, "", ERRORS},
	{"/torn", 500, "", "{\"errors\": ["},
	{"/page", 502, "", "<html>\n<body>Bad</body></html>"},
	{"/", 200, "", NULL},
};

/* 1000 bytes. */
static const char gzip[] = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"
			   "\x4b\x4c\x1c\x05\xa3\x60\x14\x0c\x77\x00"
			   "\x00\x03\xda\x38\x9a\xe8\x03\x00\x00";

static void answer_as(int fd, const char *asked, size_t len)
{
	if (strstr(asked, "/packed")) {
		answer(fd, 200, "Content-Encoding: gzip\r\n", gzip,
		       sizeof(gzip) - 1);
		return;
	}
	each(a, answers)
	{
		if (!strstr(asked, a->path))
			continue;
		answer(fd, a->status, a->headers, a->body ? a->body : asked,
		       a->body ? strlen(a->body) : len);
		return;
	}
}

/* Answers one GET; the body is the request's head where the table has none. */
static void echo_once(int listener)
{
	char chunk[4096] = "";
	ssize_t n;
	int fd;

	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		fd = accept(listener, NULL, NULL);
		n = read(fd, chunk, sizeof(chunk) - 1);
		if (n > 0)
			answer_as(fd, chunk, (size_t)n);
		_exit(0);
	}
	close(listener);
}

static const struct {
	const char *path;
	size_t max;
	const char *why; /* NULL: success */
	enum slu_kind kind;
} gets[] = {
	{.path = "/slurmdb/v0.0.38/jobs?start_time=1"},
	{"/refuse", 0, "GET /refuse", SLU_DENIED},
	{"/missing", 0, "GET /missing", SLU_NOTFOUND},
	{"/", 10, "a reply of more than 10 bytes", SLU_NOMEM},
	/* what comes out counts */
	{"/packed", 999, "a reply of more than 999 bytes", SLU_NOMEM},
	{"/moved", 0, "it leads on to https://other/x: name that", SLU_IO},
	{"/json", 0, "no such time", SLU_IO},
	{"/torn", 0, "answered with status 500", SLU_IO},
	{"/page", 0, "answered with status 502", SLU_IO},
};

START_TEST(test_get)
{
	static const char *const headers[] = {"X-SLURM-USER-TOKEN: hush", NULL};

	each(c, gets)
	{
		struct slu_buf reply = {.max = c->max};
		char addr[32], url[128];
		int fd = listen_on(AF_INET, addr);
		struct slu_err err;

		echo_once(fd);
		snprintf(url, sizeof(url), "http://%s%s", addr, c->path);
		if (c->why) {
			expect_fail(
				slu_http_get(url, NULL, headers, &reply, &err),
				err, c->kind, c->why);
		} else {
			expect_ok(
				slu_http_get(url, NULL, headers, &reply, &err),
				err);
			ck_assert(strstr(reply.data, c->path));
			ck_assert(strstr(reply.data, "TOKEN: hush\r\n"));
			ck_assert(!strstr(reply.data, "Authorization"));
		}
		slu_buf_free(&reply);
	}
}
END_TEST

/* A Unix socket; and nobody there. */
START_TEST(test_get_socket)
{
	struct sockaddr_un addr = {.sun_family = AF_UNIX};
	const char *const none[] = {NULL};
	struct slu_buf reply = {0};
	struct slu_err err;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	slu_copy(addr.sun_path, sizeof(addr.sun_path), tmpfile_path("rest"));
	expect_fail(slu_http_get("http://localhost/x", addr.sun_path, none,
				 &reply, &err),
		    err, SLU_IO, "connect");
	ck_assert(bind(fd, (struct sockaddr *)&addr, sizeof(addr)) == 0);
	ck_assert(listen(fd, 1) == 0);
	echo_once(fd);
	expect_ok(slu_http_get("http://localhost/x", addr.sun_path, none,
			       &reply, &err),
		  err);
	ck_assert(strstr(reply.data, "GET /x HTTP/1.1"));
	slu_buf_free(&reply);
}
END_TEST

TEST_MAIN("http get", test_get, test_get_socket)
