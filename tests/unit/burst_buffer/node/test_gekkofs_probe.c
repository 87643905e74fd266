/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the probe of the gekkofs driver, which starts the programs that it
 * finds. */
#include "config.h"
#include "tests/unit/harness.h"
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/drivers/gekkofs.h"
#include "burst_buffer/request/site/fsoption.h"
#include "tests/unit/burst_buffer/node/tree.h"

static char server[PATH_MAX], library[PATH_MAX];

/* The client that stands in was built for 20,000. */
static bool begin(void)
{
	char *fakes = realpath("tests/fakes", NULL);
	struct rlimit files;

	expect(fakes, "no fakes");
	snprintf(server, sizeof(server), "%s/fake_gkfs_daemon", fakes);
	snprintf(library, sizeof(library), "%s/.libs/fake_gkfs_intercept.so",
		 fakes);
	free(fakes);
#ifdef __SANITIZE_ADDRESS__ /* no library of that kind goes into true(1) */
	return false;
#endif
	return !getrlimit(RLIMIT_NOFILE, &files) &&
	       (files.rlim_max >= 20000 || geteuid() == 0);
}

static int probe(const char *s, const char *l, const char *files,
		 struct slu_buf *why)
{
	struct slu_option option[] = {{"server", (char *)s},
				      {"library", (char *)l},
				      {"files", (char *)files}};
	const struct slu_fs_conf conf = {.option = option, .n_option = 3};

	return slu_gkfs_probe(&conf, why);
}

static void expect_bad(const char *s, const char *l, const char *files,
		       const char *words)
{
	struct slu_buf why = {0};

	ck_assert_int_eq(probe(s, l, files, &why), 1);
	ck_assert_msg(why.data && strstr(why.data, words), "%s: %s", words,
		      why.data);
	slu_buf_free(&why);
}

START_TEST(test_working_programs)
{
	struct slu_option option[] = {{"server", server}, {"library", library}};
	const struct slu_fs_conf conf = {.option = option, .n_option = 2};
	struct slu_buf why = {0};
	char text[64];

	if (!begin())
		return;
	ck_assert_msg(!probe(server, library, "20000", &why), "%s", why.data);
	slu_gkfs_release(&conf, text);
	ck_assert_str_eq(text, "0.9.3");
	option[1].value = server; /* something that has not its hook */
	slu_gkfs_release(&conf, text);
	ck_assert_str_eq(text, "0.9.3, forked processes unguarded");
}
END_TEST

START_TEST(test_broken_programs)
{
	const char *script;
	char *dir;

	if (!begin())
		return;
	dir = tree_new();
	script = in(dir, "daemon");
	expect_bad("/nowhere/gkfs_daemon", library, "20000", "is missing");
	expect_bad(server, "/nowhere/lib.so", "20000", "is missing");
	make_text(script, "#!/bin/sh\necho libx.so: not there; exit 127\n");
	ck_assert(!chmod(script, 0755));
	expect_bad(script, library, "20000", "libx.so: not there");
	expect_bad(server, "/lib64/ld-linux-x86-64.so.2", "20000",
		   "does nothing");
	expect_bad(server, library, "300", "its client fails (files=300?)");
	tree_remove(dir);
}
END_TEST

/* Words that go to daemons and clients. */
static const struct {
	const char *key, *value;
	bool good;
} words[] = {
	{"args", "--auto-sm", true},
	{"args", "--auto-sm,--parallaxsize=8", true},
	{"args", "--auto-sm,-c", false},
	{"args", "", false},
	{"args", "--auto-sm,,-c", false},
	{"args", "-c;reboot", false},
	{"args", "$(reboot)", false},
	{"args", "-r,/", false},
	{"args", "-r/", false},
	{"args", "--rootdir=/", false},
	{"args", "-H,/x", false},
	{"args", "--enable-forwarding", false},
	{"args", "--enable-collection", true},
	{"env", "FI_UNIVERSE_SIZE=1024,FI_TCP_IFACE=ib0", true},
	{"env", "FI_UNIVERSE_SIZE", false},
	{"env", "=x", false},
	{"env", "1X=x", false},
	{"env", "X=a b", false},
	{"env", "GKFS_DAEMON_LOG_PATH=/x", false},
	{"client_env", "LIBGKFS_DENTRY_CACHE=ON", true},
	{"client_env", "LD_PRELOAD=/x", false},
	{"client_env", "LIBGKFS_HOSTS_FILE=/x", false},
	{"client_env", "LIBGKFS_FORWARDING_MAP_FILE=/x", false},
	{"client_env", "X=`id`", false},
	{"files", "255", false},
	{"files", "1024", true},
	{"guard", "x.so", false},
};

START_TEST(test_option_words)
{
	each(c, words)
	{
		const struct slu_option option = {(char *)c->key,
						  (char *)c->value};
		struct slu_err err;

		expect((slu_fsoption_check(&option, &err) == 0) == c->good,
		       "%s=%s", c->key, c->value);
	}
}
END_TEST

TEST_MAIN("gekkofs_probe", test_working_programs, test_broken_programs,
	  test_option_words)
