/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The token of sluice-web, and where it listens. What it answers is asked by
 * curl and a browser: tests/browser/test_web.sh. */
#include "config.h"
#include "sysquery/web/page_server.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

#include <sys/stat.h>

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

TEST_MAIN("web", test_made, test_same, test_file, test_listen)
