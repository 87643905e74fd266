/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests credentials between hosts (munge): a request or reply is accepted only
 * with its own bytes and in its own direction; sealed bodies can be read only
 * by the recipient.
 */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/common/munged.h"
#include "common/cred.h"
#include <arpa/inet.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>

#define NOBODY 65534

START_TEST(test_sha256)
{
	static const struct {
		const char *text, *hash;
	} cases[] = {
		{"", "e3b0c44298fc1c149afbf4c8996fb924"
		     "27ae41e4649b934ca495991b7852b855"},
		{"abc", "ba7816bf8f01cfea414140de5dae2223"
			"b00361a396177a9cb410ff61f20015ad"},
	};
	char hash[65];

	each(c, cases)
	{
		slu_sha256(c->text, strlen(c->text), hash);
		ck_assert_str_eq(hash, c->hash);
	}
	slu_sha256(NULL, 0, hash);
	ck_assert_str_eq(hash, cases[0].hash);
}
END_TEST

static char *request(const char *method, const char *path, const char *body,
		     char nonce[SLU_NONCE_TEXT])
{
	struct slu_err err;
	char *cred =
		slu_cred_request(method, path, body, strlen(body), nonce, &err);

	ck_assert_msg(cred != NULL, "%s", cred ? "" : err.text);
	return cred;
}

START_TEST(test_request)
{
	char nonce[SLU_NONCE_TEXT], other[SLU_NONCE_TEXT];
	struct slu_caller caller;
	struct slu_err err;
	char *cred;

	if (!munged_start())
		return;
	cred = request("POST", "/v1/plan?x=a b", "{}", nonce);
	expect_ok(slu_cred_check_request(cred, "POST", "/v1/plan?x=a b", "{}",
					 2, &caller, &err),
		  err);
	ck_assert_uint_eq(caller.uid, getuid());
	ck_assert_uint_eq(caller.gid, getgid());
	ck_assert_str_eq(caller.nonce, nonce);
	ck_assert_uint_ne(caller.addr.s_addr, 0);
	expect_fail(slu_cred_check_request(cred, "POST", "/v1/plan?x=a b", "{}",
					   2, &caller, &err),
		    err, SLU_DENIED, "Replayed");
	free(cred);
	free(request("POST", "/v1/plan", "{}", other));
	ck_assert_str_ne(nonce, other);
}
END_TEST

START_TEST(test_other_request)
{
	static const struct {
		const char *method, *path, *body;
	} cases[] = {
		{"GET", "/p", "{}"},	  {"POST", "/q", "{}"},
		{"POST", "/p", "{ }"},	  {"POST", "/p", ""},
		{"POST", "/p?h=1", "{}"}, {"POST /p", "", "{}"},
		{"", "POST /p", "{}"},
	};
	struct slu_caller caller = {.uid = 42};
	struct slu_err err;

	if (!munged_start())
		return;
	each(c, cases)
	{
		char nonce[SLU_NONCE_TEXT];
		char *cred = request("POST", "/p", "{}", nonce);

		expect_fail(slu_cred_check_request(cred, c->method, c->path,
						   c->body, strlen(c->body),
						   &caller, &err),
			    err, SLU_DENIED, "for another request");
		ck_assert_uint_eq(caller.uid, 42);
		free(cred);
	}
	expect_fail(slu_cred_check_request("MUNGE:x:", "POST", "/p", "{}", 2,
					   &caller, &err),
		    err, SLU_DENIED, "");
	expect_fail(slu_cred_check_request("", "POST", "/p", "{}", 2, &caller,
					   &err),
		    err, SLU_DENIED, "");
}
END_TEST

/* A reply's credential is no request's, and the other way round. */
START_TEST(test_not_interchangeable)
{
	struct slu_caller me = {.uid = getuid()}, caller;
	struct slu_err err;
	char *cred, *secret;

	if (!munged_start())
		return;
	cred = request("POST", "/p", "{}", me.nonce);
	expect_fail(slu_cred_check_reply(cred, getuid(), me.nonce, 200, "{}", 2,
					 &secret, NULL, NULL, &err),
		    err, SLU_DENIED, "for another reply");
	free(cred);
	cred = slu_cred_reply(&me, 200, "{}", 2, NULL, &err);
	expect_fail(slu_cred_check_request(cred, "POST", "/p", "{}", 2, &caller,
					   &err),
		    err, SLU_DENIED, "for another request");
	free(cred);
	cred = slu_cred_reply(&me, 200, "{}", 2, "s", &err);
	expect_fail(slu_cred_check_request(cred, "POST", "/p", "{}", 2, &caller,
					   &err),
		    err, SLU_DENIED, "for another request");
	free(cred);
}
END_TEST

START_TEST(test_reply)
{
	static const char nonce[] = "0123456789abcdef0123456789abcdef";
	static const struct {
		const char *nonce, *body;
		int status;
		bool good;
	} cases[] = {
		{nonce, "body", 200, true},
		{nonce, "other", 200, false},
		{nonce, "", 200, false},
		{nonce, "body", 404, false},
		{"0123456789abcdef0123456789abcdee", "body", 200, false},
	};
	struct slu_caller me = {.uid = getuid()};
	struct slu_err err;

	if (!munged_start())
		return;
	slu_copy(me.nonce, sizeof(me.nonce), nonce);
	for (int i = 0; i < 2; i++)
		each(c, cases)
		{
			const char *with = i ? "s3 cret" : NULL;
			char *got = (char *)"as it was";
			char *cred =
				slu_cred_reply(&me, 200, "body", 4, with, &err);
			time_t made = 0, now = time(NULL);
			int ret = slu_cred_check_reply(
				cred, getuid(), c->nonce, c->status, c->body,
				strlen(c->body), &got, &made, NULL, &err);

			/* known from its maker, and from no other */
			expect(c->good ? made >= now - 60 && made <= now + 60
				       : !made,
			       "%lld", (long long)made);

			expect((ret == 0) == c->good, "%s %d", c->body,
			       c->status);
			if (!c->good)
				with = "as it was";
			expect(with ? got && !strcmp(got, with) : !got, "%s",
			       got ? got : "nothing");
			if (c->good)
				free(got);
			free(cred);
		}
}
END_TEST

/* A request that one user can open is answered without MUNGE. */
START_TEST(test_seal)
{
	static const struct {
		const char *body;
		int status;
		bool other_nonce, later, good;
	} cases[] = {
		{.body = "body", .status = 200, .good = true},
		{.body = "other", .status = 200},
		{.body = "", .status = 200},
		{.body = "body", .status = 404},
		{.body = "body", .status = 200, .other_nonce = true},
		{.body = "body", .status = 200, .later = true},
	};
	char nonce[SLU_NONCE_TEXT], hash[65], seal[SLU_SEAL_TEXT];
	struct slu_caller me;
	struct slu_err err;
	char *cred;

	if (!munged_start())
		return;
	cred = slu_cred_request_for(getuid(), "POST", "/p", "{}", 2, nonce,
				    &err);
	expect_ok(
		slu_cred_check_request(cred, "POST", "/p", "{}", 2, &me, &err),
		err);
	free(cred);
	ck_assert(me.sealed);
	slu_sha256("body", 4, hash);
	expect_ok(slu_cred_seal(&me, 200, hash, 1700000000, seal, &err), err);
	each(c, cases)
	{
		time_t made = 0;
		int ret;

		nonce[0] = c->other_nonce ? 'x' : me.nonce[0];
		seal[9] = c->later ? '1' : '0';
		ret = slu_cred_check_seal(seal, nonce, c->status, c->body,
					  strlen(c->body), &made, &err);
		expect((ret == 0) == c->good, "%s %d", c->body, c->status);
		ck_assert_int_eq(made, c->good ? 1700000000 : 0);
		if (!c->good)
			expect_err(err, SLU_DENIED, "for another reply");
	}
}
END_TEST

/* A credential that every user can decode contains no secret. */
START_TEST(test_no_seal)
{
	char nonce[SLU_NONCE_TEXT], seal[SLU_SEAL_TEXT];
	struct slu_caller me;
	struct slu_err err;
	char *cred;

	if (!munged_start())
		return;
	cred = request("POST", "/p", "{}", nonce);
	expect_ok(
		slu_cred_check_request(cred, "POST", "/p", "{}", 2, &me, &err),
		err);
	ck_assert(!me.sealed);
	expect_fail(slu_cred_seal(&me, 200, "", 1, seal, &err), err,
		    SLU_INTERNAL, "everybody");
	free(cred);
	cred = slu_cred_request_for(getuid() + 1, "POST", "/p", "{}", 2, nonce,
				    &err);
	expect_fail(
		slu_cred_check_request(cred, "POST", "/p", "{}", 2, &me, &err),
		err, SLU_DENIED, "Unauthorized");
	free(cred);
}
END_TEST

/* A large body and the longest secret; no secret is too short or too long. */
START_TEST(test_secret)
{
	struct slu_caller me = {.uid = getuid(), .nonce = "abc"};
	char *big = calloc(1, 8 << 20), *cred, *got;
	char secret[SLU_SECRET_MAX + 2] = "";
	struct slu_err err;

	if (!munged_start())
		goto out;
	ck_assert_ptr_null(slu_cred_reply(&me, 200, "", 0, secret, &err));
	expect_err(err, SLU_INVALID, "a secret of 0");
	memset(secret, 's', SLU_SECRET_MAX);
	cred = slu_cred_reply(&me, 200, big, 8 << 20, secret, &err);
	expect_ok(slu_cred_check_reply(cred, getuid(), "abc", 200, big, 8 << 20,
				       &got, NULL, NULL, &err),
		  err);
	ck_assert_str_eq(got, secret);
	free(got);
	free(cred);
	secret[SLU_SECRET_MAX] = 's';
	ck_assert_ptr_null(slu_cred_reply(&me, 200, "", 0, secret, &err));
	expect_err(err, SLU_INVALID, "a secret of 256");
out:
	free(big);
}
END_TEST

/* A reply without a maker: only root and the owner are accepted, and only the
 * caller can read it. */
START_TEST(test_strangers)
{
	struct slu_caller me = {.uid = getuid(), .nonce = "abc"};
	struct slu_caller nobody = {.uid = NOBODY, .nonce = "abc"};
	struct slu_err err;
	char *secret;
	char *cred = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char *fresh;
	pid_t pid;

	if (!have_root() || !munged_start())
		return;
	for (int i = 0; i < 2; i++) {
		uid_t owner = i ? NOBODY : 999;

		pid = fork();
		if (pid == 0) {
			if (setgid(NOBODY) || setuid(NOBODY))
				_exit(1);
			fresh = slu_cred_reply(&me, 200, "b", 1, NULL, NULL);
			slu_copy(cred, 4096, fresh ? fresh : "");
			free(fresh);
			_exit(0);
		}
		ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
		if (i)
			expect_ok(slu_cred_check_reply(cred, owner, "abc", 200,
						       "b", 1, &secret, NULL,
						       NULL, &err),
				  err);
		else
			expect_fail(slu_cred_check_reply(cred, owner, "abc",
							 200, "b", 1, &secret,
							 NULL, NULL, &err),
				    err, SLU_DENIED, "neither root nor");
	}
	fresh = slu_cred_reply(&nobody, 200, "b", 1, NULL, &err);
	expect_fail(slu_cred_check_reply(fresh, 0, "abc", 200, "b", 1, &secret,
					 NULL, NULL, &err),
		    err, SLU_DENIED, "Unauthorized");
	free(fresh);
}
END_TEST

static int hangs_up = -1;

/* libmunge's: a munged that stops before it has the request. */
ssize_t writev(int fd, const struct iovec *data, int n)
{
	if (hangs_up >= 0)
		close(accept(hangs_up, NULL, NULL));
	return syscall(SYS_writev, fd, data, n);
}

START_TEST(test_munged_hangs_up)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	char nonce[SLU_NONCE_TEXT];
	struct slu_err err;
	sigset_t pending;

	snprintf(at.sun_path, sizeof(at.sun_path), "%.80s/socket", tmpdir());
	hangs_up = socket(AF_UNIX, SOCK_STREAM, 0);
	ck_assert(!bind(hangs_up, (struct sockaddr *)&at, sizeof(at)) &&
		  !listen(hangs_up, 10));
	slu_cred_socket(at.sun_path);
	ck_assert_ptr_null(slu_cred_request("POST", "/p", "", 0, nonce, &err));
	expect_err(err, SLU_IO, "munge: ");
	ck_assert(!sigpending(&pending) && !sigismember(&pending, SIGPIPE));
	close(hangs_up);
}
END_TEST

START_TEST(test_no_munged)
{
	char nonce[SLU_NONCE_TEXT];
	struct slu_caller caller;
	struct slu_err err;

	slu_cred_socket("/none/socket");
	ck_assert_ptr_null(slu_cred_request("POST", "/p", "", 0, nonce, &err));
	expect_err(err, SLU_IO, "munge: ");
	expect_fail(slu_cred_check_request("MUNGE:AAAA:", "POST", "/p", "", 0,
					   &caller, &err),
		    err, SLU_IO, "munge: ");
}
END_TEST

TEST_MAIN("cred", test_sha256, test_request, test_other_request,
	  test_not_interchangeable, test_reply, test_seal, test_no_seal,
	  test_secret, test_strangers, test_munged_hangs_up, test_no_munged)
