/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The users that sluice.conf names, with a user database that fails: ann is
 * there, long's entry is a large one, there is no nobody1, and bob and eve
 * cannot be looked up while the database is away, which takes a while to
 * notice. */
#include "config.h"
#include <errno.h>
#include <pwd.h>
#include "tests/unit/ctl_fake.h"
#include "tests/unit/tmpdir.h"

static bool away;
static unsigned asked;		    /* how often for bob */
static unsigned failed;		    /* how often for anyone, in vain */
static struct slu_ctl *while_asked; /* NULL: not looked at */

#define PATIENCE 20 /* ms, until the database is known to be away */

int getpwnam_r(const char *name, struct passwd *pw, char *buf, size_t cap,
	       struct passwd **found)
{
	(void)buf;
	*found = NULL;
	if (!strcmp(name, "nobody1"))
		return 0;
	if (!strcmp(name, "nobody2"))
		return ENOENT;
	if (!strcmp(name, "long") && cap < 100000)
		return ERANGE;
	if (!strcmp(name, "endless"))
		return ERANGE;
	if (while_asked)
		ck_assert(while_asked->linked);
	asked += !strcmp(name, "bob");
	if ((!strcmp(name, "bob") || !strcmp(name, "eve")) && away) {
		failed++;
		usleep(PATIENCE * 1000);
		return EIO;
	}
	*pw = (struct passwd){.pw_uid = !strcmp(name, "ann")   ? 1001
					: !strcmp(name, "bob") ? 1002
					: !strcmp(name, "eve") ? 1004
							       : 1003};
	*found = pw;
	return 0;
}

START_TEST(test_looked_up)
{
	struct slu_site *site;
	char path[300];

	write_conf("AllowUsers=ann,nobody1,long,nobody2\n"
		   "DenyUsers=endless,bob");
	away = true;
	snprintf(path, sizeof(path), "%s/sluice.conf", tmpdir());
	site = slu_site_new(path);
	ck_assert_ptr_nonnull(site);
	ck_assert_str_eq(slu_site_user(site, 1001), "ann");
	ck_assert_str_eq(slu_site_user(site, 1003), "long");
	ck_assert_ptr_null(slu_site_user(site, 1002));
	ck_assert_uint_eq(failed, 0); /* bob comes after one that did */
	ck_assert_str_eq(site->users.unknown.data, "nobody1, nobody2");
	expect(!strncmp(site->users.why_not, "endless: ", 9), "%s",
	       site->users.why_not);
	slu_site_free(site);
}
END_TEST

static int ask(struct slu_ctl *ctl, uint32_t uid, struct slu_err *err)
{
	const struct slu_ctl_ask ask = {
		.option = "type=scratch capacity=1MiB",
		.uid = uid,
		.min_nodes = 1,
		.max_nodes = 1,
		.prolog_flags = true,
	};
	char *text = NULL;
	int rc = slu_ctl_validate(ctl, &ask, &text, err);

	free(text);
	return rc;
}

static unsigned times_logged(const char *words)
{
	unsigned n = 0;

	for (const char *at = host.log; (at = strstr(at, words)); at++)
		n++;
	return n;
}

/* One name that never can be looked up is in nobody's way, and costs one
 * failure each time. */
START_TEST(test_in_turn)
{
	struct slu_site_users users;
	struct slu_site *site;
	char path[300];

	write_conf("AllowUsers=endless,bob,ann,bob,nobody1\n"
		   "Pool=p AllowUsers=eve,ann");
	away = true;
	snprintf(path, sizeof(path), "%s/sluice.conf", tmpdir());
	site = slu_site_new(path);
	ck_assert_uint_eq(site->users.n, 5); /* each once */
	for (int i = 0; i < 6; i++) {
		failed = 0;
		away = i < 3;
		ck_assert_int_eq(slu_site_look_up(site, &users), 0);
		ck_assert_uint_le(failed, 1);
		ck_assert_ptr_nonnull(users.why_not);
		slu_site_users_free(&site->users);
		site->users = users;
	}
	ck_assert_str_eq(slu_site_user(site, 1001), "ann");
	ck_assert_str_eq(slu_site_user(site, 1002), "bob");
	ck_assert_str_eq(slu_site_user(site, 1004), "eve");
	ck_assert_uint_eq(site->users.unknown.len, 0); /* found out before */
	slu_site_free(site);
}
END_TEST

/* Those who are refused for it are not for ever. */
START_TEST(test_again)
{
	const struct slu_site *site;
	const struct slu_conf *conf;
	struct slu_ctl *ctl;
	struct slu_err err;
	double at;
	bool held;

	away = true;
	ctl = ctl_by_hand("AllowUsers=ann,nobody1,bob\nIONodes=io[1-2]\n"
			  "MappingDir=/nowhere/map\nMappingTimeout=10");
	slu_ctl_reload(ctl);
	slu_ctl_step(ctl, 1);
	slu_ctl_step(ctl, 2);
	ck_assert_uint_eq(times_logged("users that there are not: nobody1"), 1);
	ck_assert_uint_eq(times_logged("cannot be looked up"), 1);
	expect_ok(ask(ctl, 1001, &err), err);
	expect_fail(ask(ctl, 1002, &err), err, SLU_DENIED,
		    "user uid 1002 may not ask");
	link_up(ctl, 3);
	asked = 0;
	slu_ctl_step(ctl, 50);
	ck_assert_uint_eq(asked, 0);

	/* Nothing else is touched: neither a launch that is held, nor what has
	 * been edited since and is not to be used before a reconfigure. */
	site = ctl->site;
	conf = site->conf;
	write_conf("AllowUsers=eve");
	host_add(plain_job);
	say_started(ctl, 7, &held);
	ck_assert(held);
	at = ctl->users_at;
	slu_ctl_step(ctl, at - 1);
	while_asked = ctl;
	slu_ctl_step(ctl, at);
	ck_assert_uint_eq(asked, 1);
	ck_assert_double_ge(ctl->users_at, at + 60 + PATIENCE / 2 / 1e3);
	ck_assert(!has_done("go 7;"));
	ck_assert(ctl->linked && !ctl->ions_stale);
	away = false;
	slu_ctl_step(ctl, ctl->users_at);
	ck_assert_uint_eq(asked, 2);
	expect_ok(ask(ctl, 1002, &err), err);
	expect_ok(ask(ctl, 1001, &err), err);
	expect_fail(ask(ctl, 1004, &err), err, SLU_DENIED, "uid 1004");
	ck_assert(ctl->site == site && site->conf == conf);
	ck_assert(ctl->linked && !ctl->ions_stale);
	while_asked = NULL;
	slu_ctl_step(ctl, 300);
	ck_assert_uint_eq(asked, 2);
	ck_assert_uint_eq(times_logged("cannot be looked up"), 1);
	ck_assert_uint_eq(times_logged("users that there are not"), 1);
	slu_ctl_release(ctl);
}
END_TEST

TEST_MAIN("ctl users", test_looked_up, test_in_turn, test_again)
