/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the HTTP client against small servers, whose behaviour is selected by
 * the last word of the path. */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/common/http_listen.h"
#include "tests/unit/common/munged.h"
#include "common/cred.h"
#include "common/http.h"
#include "common/str.h"
#include <math.h>

/* One request, as a server reads it. */
struct seen {
	struct slu_buf head;
	char path[128];
	char cred[4096];
	const char *body;
	size_t len;
	struct slu_caller caller;
	int count; /* requests since this server began */
};

static const char *header(const struct seen *seen, const char *name)
{
	const char *p = strstr(seen->head.data, name);

	return p ? p + strlen(name) : "";
}

/* Read a request from fd; false at the end of the connection. */
static bool read_request(int fd, struct seen *seen)
{
	char chunk[4096], *end = NULL;
	ssize_t n;

	slu_buf_free(&seen->head);
	do {
		n = read(fd, chunk, sizeof(chunk));
		if (n <= 0)
			return false;
		slu_buf_add(&seen->head, chunk, (size_t)n);
		end = strstr(seen->head.data, "\r\n\r\n");
		seen->len = strtoul(header(seen, "Content-Length: "), NULL, 10);
	} while (!end || seen->head.len < (size_t)(end - seen->head.data) + 4 +
						  seen->len);
	seen->body = end + 4;
	seen->count++;
	sscanf(seen->head.data, "POST %127s", seen->path);
	sscanf(header(seen, "Authorization: Sluice "), "%4095s", seen->cred);
	return true;
}

/* An answer with its proof, as sluiced gives it, and a Date that anybody on the
 * way may have put there. */
static void answer_proven_at(int fd, const struct seen *seen, int status,
			     const char *body, const char *secret,
			     const char *date)
{
	char headers[2048];
	char *cred = slu_cred_reply(&seen->caller, status, body, strlen(body),
				    secret, NULL);

	if (!cred)
		_exit(1);
	snprintf(headers, sizeof(headers), "sluice-credential:  %s \r\n%s",
		 cred, date);
	answer(fd, status, headers, body, strlen(body));
	free(cred);
}

static void answer_proven(int fd, const struct seen *seen, int status,
			  const char *body, const char *secret)
{
	answer_proven_at(fd, seen, status, body, secret, "");
}

static void answer_big(int fd)
{
	char chunk[65536] = "";

	dprintf(fd, "HTTP/1.1 200 X\r\nContent-Length: 100000000\r\n\r\n");
	for (int i = 0; i < 1526; i++)
		if (slu_write_all(fd, chunk, sizeof(chunk)) < 0)
			return;
}

/* Packed, if the client reads that; the proof is that of what comes out. */
static void answer_packed(int fd, const struct seen *seen)
{
	static const char gzip[] =
		"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x2b\x48\x4c\xce\x4e\x4d"
		"\xe1\x02\x00\x43\xe0\x41\x2f\x07\x00\x00\x00";
	char headers[2048];
	char *cred;

	if (!strstr(header(seen, "Accept-Encoding: "), "gzip")) {
		answer_proven(fd, seen, 200, "packed\n", NULL);
		return;
	}
	cred = slu_cred_reply(&seen->caller, 200, "packed\n", 7, NULL, NULL);
	snprintf(headers, sizeof(headers),
		 "Content-Encoding: gzip\r\nSluice-Credential: %s\r\n", cred);
	answer(fd, 200, headers, gzip, sizeof(gzip) - 1);
	free(cred);
}

/* A seal with that nonce, of an answer that says whether the request was only
 * for who reads it. */
static void answer_sealed(int fd, const struct seen *seen, const char *nonce)
{
	struct slu_caller to = {.sealed = true};
	const char *body = seen->caller.sealed ? "for one" : "for all";
	char headers[256], hash[65], seal[SLU_SEAL_TEXT];

	slu_copy(to.nonce, sizeof(to.nonce), nonce);
	slu_sha256(body, 7, hash);
	if (slu_cred_seal(&to, 200, hash, 1700000000, seal, NULL))
		_exit(1);
	snprintf(headers, sizeof(headers), "Sluice-Seal: %s\r\n", seal);
	answer(fd, 200, headers, body, 7);
}

static void date_ahead(char header[64], int ahead)
{
	time_t t = time(NULL) + ahead;

	strftime(header, 64, "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", gmtime(&t));
}

static void answer_dated(int fd, int ahead)
{
	char header[64];

	date_ahead(header, ahead);
	answer(fd, 400, header, "", 0);
}

static void answer_forged(int fd, const struct seen *seen)
{
	char header[64];

	date_ahead(header, 400 * 86400);
	answer_proven_at(fd, seen, 200, "body", NULL, header);
}

/* Behave; false to close the connection. */
static bool behave(int fd, struct seen *seen)
{
	const char *what = strrchr(seen->path, '/') + 1;
	char text[64];

	snprintf(text, sizeof(text), "%zu bytes, request %d\n", seen->len,
		 seen->count);
	if (!strcmp(what, "ok"))
		answer_proven(fd, seen, 200, text, NULL);
	else if (!strcmp(what, "forged"))
		answer_forged(fd, seen);
	else if (!strcmp(what, "secret"))
		answer_proven(fd, seen, 200, "body", "hush");
	else if (!strcmp(what, "empty"))
		answer_proven(fd, seen, 200, "", NULL);
	else if (!strcmp(what, "seal"))
		answer_sealed(fd, seen, seen->caller.nonce);
	else if (!strcmp(what, "badseal"))
		answer_sealed(fd, seen, "0123456789abcdef0123456789abcdef");
	else if (!strcmp(what, "packed"))
		answer_packed(fd, seen);
	else if (!strcmp(what, "unproven"))
		answer(fd, 200, "", "lies", 4);
	else if (!strcmp(what, "unproven404"))
		answer(fd, 404, "", "no such thing", 13);
	else if (!strcmp(what, "unproven401"))
		answer(fd, 401, "", "who are you?\n", 13);
	else if (!strcmp(what, "stranger404") && seen->count < 3)
		answer(fd, 404, "", "no such thing", 13);
	else if (!strcmp(what, "stranger410") && seen->count < 3)
		answer(fd, 410, "", "", 0);
	else if (!strcmp(what, "stranger403") && seen->count < 3)
		answer(fd, 403, "", "not you", 7);
	else if (!strcmp(what, "stranger500") && seen->count < 3)
		answer(fd, 500, "", "", 0);
	else if (!strcmp(what, "strangerbig") && seen->count < 3)
		answer_big(fd);
	else if (!strncmp(what, "stranger", 8))
		answer_proven(fd, seen, 200, "ours", NULL);
	else if (!strcmp(what, "nonce"))
		answer_proven(fd, &(struct seen){.caller.uid = getuid()}, 200,
			      "lies", NULL);
	else if (!strcmp(what, "busy") && seen->count < 3)
		answer(fd, 503, "", "too much to do", 14);
	else if (!strcmp(what, "busy"))
		answer_proven(fd, seen, 200, "at last", NULL);
	else if (!strcmp(what, "redirect"))
		answer(fd, 302, "Location: /ok\r\n", "", 0);
	else if (!strcmp(what, "big"))
		answer_big(fd);
	else if (!strcmp(what, "slow"))
		sleep(20);
	else if (!strncmp(what, "ahead", 5))
		answer_dated(fd, atoi(what + 5));
	else if (!strcmp(what, "drop"))
		return false;
	else
		answer_proven(fd, seen, atoi(what), "a sentence\n", NULL);
	return true;
}

static void serve(int listener)
{
	struct seen seen = {0};

	for (;;) {
		int fd = accept(listener, NULL, NULL);

		while (read_request(fd, &seen)) {
			if (slu_cred_check_request(seen.cred, "POST", seen.path,
						   seen.body, seen.len,
						   &seen.caller, NULL) < 0)
				answer(fd, 401, "", "a bad credential", 16);
			else if (!behave(fd, &seen))
				break;
		}
		close(fd);
	}
}

static void start_server(int listener)
{
	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGPIPE, SIG_IGN);
		serve(listener);
	}
	close(listener);
}

/* A server and a client of it; NULL when there is no munged. */
static struct slu_http *start(void)
{
	static pid_t munged; /* one, however many servers a test has */
	char addr[32], *addrs[] = {addr, NULL};
	struct slu_http *http;
	struct slu_err err;
	int fd;

	if (!munged)
		munged = munged_start();
	if (!munged)
		return NULL;
	fd = listen_on(AF_INET, addr);
	ck_assert_int_ge(fd, 0);
	start_server(fd);
	http = slu_http_new(addrs, getuid(), &err);
	ck_assert_ptr_nonnull(http);
	return http;
}

START_TEST(test_post)
{
	struct slu_http *http = start();
	struct slu_buf reply = {0};
	struct slu_err err;
	char *big = calloc(1, 3 << 20);

	if (http) {
		slu_buf_puts(&reply, "what was there");
		expect_ok(slu_http_post(http, "/v1/ok?a=b/ok", "a\0b", 3, 0,
					&reply, &err),
			  err);
		ck_assert_str_eq(reply.data, "3 bytes, request 1\n");
		/* a large body, and none */
		expect_ok(slu_http_post(http, "/ok", big, 3 << 20, 0, &reply,
					&err),
			  err);
		ck_assert_str_eq(reply.data, "3145728 bytes, request 2\n");
		expect_ok(slu_http_post(http, "/ok", NULL, 0, 0, &reply, &err),
			  err);
		ck_assert_str_eq(reply.data, "0 bytes, request 3\n");
		expect_ok(
			slu_http_post(http, "/secret", "", 0, 0, &reply, &err),
			err);
		ck_assert_str_eq(reply.data, "body");
		ck_assert_str_eq(slu_http_secret(http), "hush");
		expect_ok(
			slu_http_post(http, "/packed", "", 0, 0, &reply, &err),
			err);
		ck_assert_str_eq(reply.data, "packed\n");
		expect_ok(slu_http_post(http, "/empty", "", 0, 0, &reply, &err),
			  err);
		ck_assert_uint_eq(reply.len, 0);
		ck_assert_ptr_null(slu_http_secret(http));
	}
	slu_buf_free(&reply);
	slu_http_free(http);
	free(big);
}
END_TEST

/* Once it is known who answers, requests are for him alone, and he may answer
 * with a seal; not before, as others could make one. */
START_TEST(test_seal)
{
	struct slu_http *http = start();
	struct slu_buf reply = {0};
	struct slu_err err;

	if (!http)
		return;
	for (int i = 0; i < 2; i++) {
		expect_fail(
			slu_http_post(http, "/seal", "", 0, 0, &reply, &err),
			err, SLU_TIMEOUT, "the reply is not proven");
		expect_ok(slu_http_post(http, "/ok", "", 0, 0, &reply, &err),
			  err);
		expect_ok(slu_http_post(http, "/seal", "", 0, 0, &reply, &err),
			  err);
		ck_assert_str_eq(reply.data, "for one");
		ck_assert_ptr_null(slu_http_secret(http));
		ck_assert_double_lt(slu_http_verified_clock_offset(http), -1e7);
		expect_fail(
			slu_http_post(http, "/badseal", "", 0, 0, &reply, &err),
			err, SLU_TIMEOUT, "for another reply");
		/* who answers may be another one by now */
	}
	slu_buf_free(&reply);
	slu_http_free(http);
}
END_TEST

START_TEST(test_errors)
{
	static const struct {
		const char *path;
		enum slu_kind kind;
		const char *words;
	} cases[] = {
		{"/400", SLU_INVALID, "a sentence"},
		{"/401", SLU_DENIED, "a sentence"},
		{"/403", SLU_DENIED, "a sentence"},
		{"/404", SLU_NOTFOUND, "a sentence"},
		{"/409", SLU_BUSY, "a sentence"},
		{"/500", SLU_IO, "a sentence"},
		{"/503", SLU_TIMEOUT, "a sentence"},
		{"/redirect", SLU_TIMEOUT, "status 302"},
		{"/unproven", SLU_TIMEOUT, "the reply is not proven"},
		{"/unproven404", SLU_TIMEOUT, "not signed: no such thing"},
		{"/unproven401", SLU_TIMEOUT, "not signed: who are you?"},
		{"/nonce", SLU_TIMEOUT, "for another reply"},
		{"/drop", SLU_TIMEOUT, "no answer from sluiced at 127.0.0.1:"},
		{"/big", SLU_TIMEOUT, "a reply of more than 67108864 bytes"},
	};
	struct slu_http *http = start();
	struct slu_buf reply = {0};
	struct slu_err err;

	if (!http)
		return;
	slu_buf_puts(&reply, "kept");
	each(c, cases)
	{
		expect_fail(
			slu_http_post(http, c->path, "", 0, 0, &reply, &err),
			err, c->kind, c->words);
		ck_assert_str_eq(reply.data, "kept");
	}
	slu_buf_free(&reply);
	slu_http_free(http);
}
END_TEST

/* A 503 is tried again, with a fresh credential, until the deadline. */
START_TEST(test_busy_server_is_asked_again)
{
	struct slu_http *http = start();
	struct slu_buf reply = {0};
	struct slu_err err;

	if (!http)
		return;
	expect_fail(slu_http_post(http, "/busy", "", 0, 0, &reply, &err), err,
		    SLU_TIMEOUT, "too much to do");
	expect_ok(slu_http_post(http, "/busy", "", 0, 10, &reply, &err), err);
	ck_assert_str_eq(reply.data, "at last");
	slu_buf_free(&reply);
	slu_http_free(http);
}
END_TEST

/* An unsigned answer is ignored, whatever it contains: a third party on the way
 * cannot end a request with it. */
START_TEST(test_stranger)
{
	static const char *const paths[] = {"/stranger404", "/stranger410",
					    "/stranger403", "/stranger500",
					    "/strangerbig"};

	each(path, paths)
	{
		struct slu_http *http = start();
		struct slu_buf reply = {0};
		struct slu_err err;

		if (!http)
			return;
		expect_ok(slu_http_post(http, *path, "", 0, 10, &reply, &err),
			  err);
		ck_assert_str_eq(reply.data, "ours");
		slu_buf_free(&reply);
		slu_http_free(http);
	}
}
END_TEST

START_TEST(test_clock_offset)
{
	struct slu_http *http = start();
	struct slu_buf reply = {0};

	if (!http)
		return;
	ck_assert(isnan(slu_http_clock_offset(http)));
	slu_http_post(http, "/ok", "", 0, 0, &reply, NULL);
	ck_assert(isnan(slu_http_clock_offset(http))); /* it did not say */
	slu_http_post(http, "/ahead100", "", 0, 0, &reply, NULL);
	ck_assert_double_le(fabs(slu_http_clock_offset(http) - 100), 2);
	slu_http_post(http, "/ahead-7000", "", 0, 0, &reply, NULL);
	ck_assert_double_le(fabs(slu_http_clock_offset(http) + 7000), 2);
	slu_buf_free(&reply);
	slu_http_free(http);
}
END_TEST

/* A Date is nobody's word, with a proof beside it or without. */
START_TEST(test_verified_offset)
{
	struct slu_http *http = start();
	struct slu_buf reply = {0};
	struct slu_err err;

	if (!http)
		return;
	ck_assert(isnan(slu_http_verified_clock_offset(http)));
	slu_http_post(http, "/ahead100", "", 0, 0, &reply, NULL);
	ck_assert(isnan(slu_http_verified_clock_offset(http)));
	expect_ok(slu_http_post(http, "/forged", "", 0, 0, &reply, &err), err);
	ck_assert_double_ge(slu_http_clock_offset(http), 399 * 86400);
	ck_assert_double_le(fabs(slu_http_verified_clock_offset(http)), 2);
	slu_buf_free(&reply);
	slu_http_free(http);
}
END_TEST

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

START_TEST(test_timeout)
{
	struct slu_http *http = start();
	struct slu_buf reply = {0};
	struct slu_err err;
	double began = seconds();

	if (!http)
		return;
	slu_http_timeout(http, 0.2);
	expect_fail(slu_http_post(http, "/slow", "", 0, 0, &reply, &err), err,
		    SLU_TIMEOUT, "no answer");
	ck_assert_double_lt(seconds() - began, 5);
	slu_http_free(http);
}
END_TEST

/* Nobody listens: tried until the deadline and no longer. */
START_TEST(test_deadline)
{
	char addr[32], *addrs[] = {addr, NULL};
	struct slu_buf reply = {0};
	struct slu_http *http;
	struct slu_err err;
	double began;

	if (!munged_start())
		return;
	close(listen_on(AF_INET, addr));
	http = slu_http_new(addrs, 0, &err);
	began = seconds();
	expect_fail(slu_http_post(http, "/ok", "", 0, 0.5, &reply, &err), err,
		    SLU_TIMEOUT, addr);
	ck_assert_double_ge(seconds() - began, 0.5);
	ck_assert_double_lt(seconds() - began, 3);
	slu_http_free(http);
}
END_TEST

/* Addresses are tried in turn, and the one that answered is asked first. */
START_TEST(test_rotation)
{
	char dead[32], liar[32], good[32];
	char *addrs[] = {dead, liar, good, NULL};
	struct slu_buf reply = {0};
	struct slu_http *http;
	struct slu_err err;
	int fd[3], family = AF_INET6;

	if (!munged_start())
		return;
	fd[0] = listen_on(AF_INET, dead);
	fd[1] = listen_on(AF_INET, liar);
	fd[2] = listen_on(family, good);
	if (fd[2] < 0) {
		puts("no IPv6: tested with IPv4");
		fd[2] = listen_on(AF_INET, good);
	}
	close(fd[0]);
	close(fd[1]); /* and nobody will listen there, either */
	start_server(fd[2]);
	http = slu_http_new(addrs, getuid(), &err);
	for (int i = 1; i <= 2; i++) {
		char want[32];

		expect_ok(slu_http_post(http, "/ok", "", 0, 0, &reply, &err),
			  err);
		snprintf(want, sizeof(want), "0 bytes, request %d\n", i);
		ck_assert_str_eq(reply.data, want);
	}
	slu_buf_free(&reply);
	slu_http_free(http);
}
END_TEST

/* The environment's proxy is not ours. */
START_TEST(test_no_proxy)
{
	struct slu_http *http;
	struct slu_buf reply = {0};
	struct slu_err err;

	setenv("http_proxy", "http://127.0.0.1:1", 1);
	setenv("ALL_PROXY", "http://127.0.0.1:1", 1);
	http = start();
	if (!http)
		return;
	expect_ok(slu_http_post(http, "/ok", "", 0, 0, &reply, &err), err);
	slu_buf_free(&reply);
	slu_http_free(http);
}
END_TEST

/* Without munged there is nothing to ask with; it may come back. */
START_TEST(test_no_munged)
{
	char *addrs[] = {"127.0.0.1:1", NULL}, *none[] = {NULL};
	struct slu_buf reply = {0};
	struct slu_http *http;
	struct slu_err err;

	slu_cred_socket("/none/socket");
	http = slu_http_new(addrs, 0, &err);
	expect_fail(slu_http_post(http, "/ok", "", 0, 0, &reply, &err), err,
		    SLU_TIMEOUT, "munge: ");
	slu_http_free(http);
	slu_http_free(NULL);
	ck_assert_ptr_null(slu_http_new(none, 0, &err));
	expect_err(err, SLU_INVALID, "no address");
}
END_TEST

TEST_MAIN("http", test_post, test_seal, test_errors,
	  test_busy_server_is_asked_again, test_stranger, test_clock_offset,
	  test_verified_offset, test_timeout, test_deadline, test_rotation,
	  test_no_proxy, test_no_munged)
