/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests sluice-web: its token, where it listens, and that clients without the
 * token cannot block others. Its answers are tested with curl and a browser:
 * tests/browser/test_web.sh.
 */
#include "config.h"
#include "sysquery/web/page_server.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>

static struct slu_err err;
static char token[SLU_TOKEN_TEXT];

static const char *file_with(const char *text, mode_t mode)
{
	static char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/token", tmpdir());
	unlink(path);
	f = fopen(path, "w");
	fputs(text, f);
	fclose(f);
	chmod(path, mode);
	return path;
}

START_TEST(test_made)
{
	char other[SLU_TOKEN_TEXT];

	expect_ok(slu_token_make(token, &err), err);
	expect_ok(slu_token_make(other, &err), err);
	ck_assert_uint_eq(strlen(token), 64);
	ck_assert_uint_eq(strspn(token, "0123456789abcdef"), 64);
	ck_assert_str_ne(token, other);
}
END_TEST

START_TEST(test_same)
{
	static const char right[] = "0123456789abcdef0123456789abcdef";

	ck_assert(slu_token_is(right, right));
	ck_assert(!slu_token_is(right, NULL));
	ck_assert(!slu_token_is(right, ""));
	ck_assert(!slu_token_is(right, "0123456789abcdef0123456789abcde"));
	ck_assert(!slu_token_is(right, "0123456789abcdef0123456789abcdef0"));
	ck_assert(!slu_token_is(right, "1123456789abcdef0123456789abcdef"));
}
END_TEST

START_TEST(test_file)
{
	static const char good[] = "abcdefghijklmnopqrstuvwxyz-_0123456789\n";
	char path[128], again[SLU_TOKEN_TEXT];
	struct stat st;
	static const struct {
		const char *text;
		mode_t mode;
		enum slu_kind kind;
	} bad[] = {
		{good, 0640, SLU_DENIED},
		{good, 0604, SLU_DENIED},
		{"", 0600, SLU_INVALID},
		{"short", 0600, SLU_INVALID},
		{"abcdefghijklmnopqrstuvwxyz 0123456789", 0600, SLU_INVALID},
		{"abcdefghijklmnopqrstuvwxyz;0123456789", 0600, SLU_INVALID},
	};

	expect_ok(slu_token_of_file(file_with(good, 0600), token, &err), err);
	ck_assert_str_eq(token, "abcdefghijklmnopqrstuvwxyz-_0123456789");
	each(b, bad) expect(slu_token_of_file(file_with(b->text, b->mode),
					      token, &err) < 0 &&
				    err.kind == b->kind,
			    "%s %o: %s", b->text, (unsigned)b->mode, err.text);
	snprintf(path, sizeof(path), "%s/new", tmpdir());
	expect_ok(slu_token_of_file(path, token, &err), err);
	expect_ok(slu_token_of_file(path, again, &err), err);
	ck_assert_str_eq(token, again);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
}
END_TEST

START_TEST(test_listen)
{
	static const struct {
		const char *addr;
		bool ok, loopback;
	} cases[] = {
		{"0", true, true},
		{"127.0.0.1:0", true, true},
		{"0.0.0.0:0", true, false},
		{"", false, false},
		{"x", false, false},
		{"127.0.0.1:", false, false},
		{"127.0.0.1:99999", false, false},
		{"-1", false, false},
		{"no.such.host.invalid:80", false, false},
	};
	bool loopback = false;
	unsigned port = 0;
	int fd;

	each(c, cases)
	{
		fd = slu_web_listen(c->addr, &port, &loopback, &err);
		expect((fd >= 0) == c->ok, "%s: %s", c->addr, err.text);
		if (fd < 0)
			continue;
		expect(loopback == c->loopback && port > 0, "%s", c->addr);
		close(fd);
	}
}
END_TEST

/* The server */

static int make_page(void *arg, struct slu_buf *out, struct slu_err *why)
{
	(void)arg, (void)why;
	slu_buf_puts(out, "<!doctype html>the page");
	return 0;
}

static int connect_to(unsigned port)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
				 .sin_port = htons((uint16_t)port),
				 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	const struct timeval patience = {.tv_sec = 20};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	ck_assert_int_eq(connect(fd, (struct sockaddr *)&to, sizeof(to)), 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	return fd;
}

/* The status of the answer to that; 0: there was none. */
static int ask(int fd, const char *text)
{
	char answer[4096] = "";
	int status = 0;

	if (send(fd, text, strlen(text), MSG_NOSIGNAL) < 0 ||
	    recv(fd, answer, sizeof(answer) - 1, 0) <= 0)
		return 0;
	ck_assert_int_eq(sscanf(answer, "HTTP/1.1 %d", &status), 1);
	return status;
}

static int ask_anew(unsigned port, const char *text)
{
	int fd = connect_to(port), status = ask(fd, text);

	close(fd);
	return status;
}

static const char *request(const char *url, bool known)
{
	static char text[32768];

	snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: x\r\n%s%s%s\r\n",
		 url, known ? "Authorization: Bearer " : "", known ? token : "",
		 known ? "\r\n" : "");
	return text;
}

static struct MHD_Daemon *start(struct slu_web *web, unsigned *port)
{
	struct MHD_Daemon *server;
	bool loopback;
	int fd = slu_web_listen("0", port, &loopback, &err);

	*web = (struct slu_web){.keep = 60, .page = make_page};
	expect_ok(slu_token_make(token, &err), err);
	slu_copy(web->token, sizeof(web->token), token);
	server = slu_web_start(web, fd, *port, &err);
	expect(server, "%s", err.text);
	return server;
}

/* An address that is too long, also one of many arguments. */
START_TEST(test_url)
{
	struct slu_buf url = {0};
	struct MHD_Daemon *server;
	struct slu_web web;
	unsigned port;

	server = start(&web, &port);
	ck_assert_int_eq(ask_anew(port, request("/", true)), 200);
	ck_assert_int_eq(ask_anew(port, request("/", false)), 403);
	ck_assert_int_eq(ask_anew(port, request("/x?a=b&a&&", true)), 404);
	slu_buf_printf(&url, "/?token=%s", token);
	ck_assert_int_eq(ask_anew(port, request(url.data, false)), 303);
	slu_buf_reset(&url);
	slu_buf_puts(&url, "/?a");
	for (int i = 0; i < 3000; i++) {
		slu_buf_puts(&url, i % 2 ? "&a" : "&");
		if (i == 600 || i == 2999)
			ck_assert_int_eq(
				ask_anew(port, request(url.data, true)),
				i == 600 ? 200 : 414);
	}
	slu_buf_reset(&url);
	slu_buf_puts(&url, "/");
	while (url.len < 20000)
		slu_buf_puts(&url, "a");
	ck_assert_int_eq(ask_anew(port, request(url.data, true)), 414);
	ck_assert_int_eq(ask_anew(port, request("/", true)), 200);
	slu_web_stop(&web, server);
	slu_buf_free(&url);
}
END_TEST

/* Clients without the token cannot block those with it, however many
 * connections they hold. */
START_TEST(test_crowd)
{
	int held[3 * SLU_WEB_CLIENTS];
	struct MHD_Daemon *server;
	struct slu_web web;
	unsigned port;

	server = start(&web, &port);
	for (size_t i = 0; i < sizeof(held) / sizeof(held[0]); i++) {
		held[i] = connect_to(port);
		send(held[i], "GET / HT", i % 9, MSG_NOSIGNAL);
	}
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(ask_anew(port, request("/", true)), 200);
	for (size_t i = 0; i < sizeof(held) / sizeof(held[0]); i++)
		close(held[i]);
	slu_web_stop(&web, server);
}
END_TEST

TEST_MAIN("web", test_made, test_same, test_file, test_listen, test_url,
	  test_crowd)
