/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests the look-up of the users in sluice.conf with a user database that
 * fails: ann exists, long's entry is a large one, nobody1 does not exist, and
 * bob and eve cannot be looked up while the database is away, or not before it
 * answers.
 */
#include "config.h"
#include <errno.h>
#include <pwd.h>
#include "tests/unit/ctl/ctl_fake.h"
#include "tests/unit/tmpdir.h"

static atomic_bool away, hangs;
static atomic_uint asked; /* how often for bob */

int getpwnam_r(const char *name, struct passwd *pw, char *buf, size_t cap,
	       struct passwd **found)
{
	bool remote = !strcmp(name, "bob") || !strcmp(name, "eve");

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
	asked += !strcmp(name, "bob");
	while (remote && hangs)
		usleep(1000);
	if (remote && away)
		return EIO;
	*pw = (struct passwd){.pw_uid = !strcmp(name, "ann")   ? 1001
					: !strcmp(name, "bob") ? 1002
					: !strcmp(name, "eve") ? 1004
							       : 1003};
	*found = pw;
	return 0;
}

static unsigned times_logged(const char *words)
{
	unsigned n = 0;

	for (const char *at = host.log; (at = strstr(at, words)); at++)
		n++;
	return n;
}

/* One name that cannot be looked up does not delay the others. */
START_TEST(test_looked_up)
{
	struct slu_ctl *ctl;

	away = true;
	ctl = ctl_by_hand("AllowUsers=endless,bob,ann,bob,nobody1,long\n"
			  "DenyUsers=nobody2\nPool=p AllowUsers=eve,ann");
	ck_assert_uint_eq(ctl->site->users.n, 7); /* each once */
	ck_assert_ptr_null(slu_site_user(ctl->site, 1001));
	users_asked(ctl, 1);
	ck_assert_str_eq(slu_site_user(ctl->site, 1001), "ann");
	ck_assert_str_eq(slu_site_user(ctl->site, 1003), "long");
	ck_assert_ptr_null(slu_site_user(ctl->site, 1002));
	ck_assert_uint_eq(times_logged("unknown users: nobody1, nobody2"), 1);
	ck_assert_uint_eq(times_logged("every minute: endless: "), 1);
	away = false;
	users_asked(ctl, ctl->users_at);
	ck_assert_str_eq(slu_site_user(ctl->site, 1002), "bob");
	ck_assert_str_eq(slu_site_user(ctl->site, 1004), "eve");
	ck_assert_double_ge(ctl->users_at, 100); /* for endless */
	ck_assert_uint_eq(times_logged("sluice.conf: "), 2);
	slu_ctl_release(ctl);
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

#define TWO_IONS "IONodes=io[1-2]\nMappingDir=/nowhere/map\nMappingTimeout=10"

/* Users that are refused for it are not for ever, and nothing else is touched:
 * neither a launch that is held, nor what has been edited since and must not be
 * used before a reconfigure. */
START_TEST(test_failed_lookup_is_repeated)
{
	const struct slu_site *site;
	struct slu_ctl *ctl;
	struct slu_err err;
	bool held;

	away = true;
	ctl = ctl_by_hand("AllowUsers=ann,nobody1,bob\n" TWO_IONS);
	users_asked(ctl, 1);
	expect_ok(ask(ctl, 1001, &err), err);
	expect_fail(ask(ctl, 1002, &err), err, SLU_DENIED,
		    "could not be looked up yet: user uid 1002 may not ask");
	link_up(ctl, 3);
	ck_assert_uint_eq(asked, 1);

	site = ctl->site;
	write_conf("AllowUsers=eve");
	host_add(plain_job);
	say_started(ctl, 7, &held);
	ck_assert(held);
	users_asked(ctl, 60);
	ck_assert_uint_eq(asked, 1);
	users_asked(ctl, 61);
	ck_assert_uint_eq(asked, 2);
	ck_assert_double_eq(ctl->users_at, 121);
	away = false;
	users_asked(ctl, 121);
	ck_assert_uint_eq(asked, 3);
	expect_ok(ask(ctl, 1002, &err), err);
	expect_ok(ask(ctl, 1001, &err), err);
	expect_fail(ask(ctl, 1004, &err), err, SLU_DENIED, "user uid 1004");
	ck_assert_ptr_null(strstr(err.text, "could not be looked up"));
	ck_assert(ctl->site == site && ctl->linked && !ctl->ions_stale);
	users_asked(ctl, 300);
	ck_assert_uint_eq(asked, 3);
	ck_assert_uint_eq(times_logged("cannot be looked up"), 1);
	ck_assert_uint_eq(times_logged("unknown users"), 1);
	slu_ctl_release(ctl);
}
END_TEST

/* A name service that hangs: the loop goes on, launches are held and released,
 * and the configuration is read again, after which users that were known still
 * are. */
START_TEST(test_hanging_name_service)
{
	struct slu_ctl *ctl;
	struct slu_err err;
	bool held;

	ctl = ctl_by_hand("AllowUsers=bob,ann\n" TWO_IONS);
	users_asked(ctl, 1);
	hangs = true;
	write_conf("AllowUsers=bob,ann,eve\n" TWO_IONS);
	slu_ctl_reload(ctl);
	slu_ctl_step(ctl, 2);
	slu_ctl_step(ctl, 3);
	link_up(ctl, 4);
	ck_assert_uint_eq(ctl->site->users.n, 3);
	host_add(plain_job);
	say_started(ctl, 7, &held);
	ck_assert(held);
	slu_ctl_step(ctl, 5);
	slu_ctl_step(ctl, 200);
	ck_assert(ctl->asking && ctl->linked);
	expect_ok(ask(ctl, 1002, &err), err);
	expect_ok(ask(ctl, 1001, &err), err);
	expect_fail(ask(ctl, 1004, &err), err, SLU_DENIED, "looked up yet");

	write_conf("AllowUsers=eve"); /* while a look-up runs */
	slu_ctl_reload(ctl);
	slu_ctl_step(ctl, 201);
	slu_ctl_step(ctl, 202);
	expect_fail(ask(ctl, 1002, &err), err, SLU_DENIED, "may not ask");
	ck_assert(ctl->asking);
	hangs = false;
	users_asked(ctl, 203);
	expect_ok(ask(ctl, 1004, &err), err);
	ck_assert_uint_eq(ctl->site->users.n, 1);
	slu_ctl_release(ctl);
}
END_TEST

/* It never keeps a hook from the site: it has no need that none is there. */
START_TEST(test_beside_hooks)
{
	struct slu_ctl *ctl = ctl_by_hand("AllowUsers=ann,bob");

	away = false;
	pthread_rwlock_rdlock(&ctl->site_lock); /* a hook */
	slu_ctl_step(ctl, 1);
	for (int i = 0; i < 500 && ctl->asking; i++)
		usleep(10000);
	ck_assert(!ctl->asking);
	ck_assert_str_eq(slu_site_user(ctl->site, 1002), "bob");
	pthread_rwlock_unlock(&ctl->site_lock);
	slu_ctl_release(ctl);
}
END_TEST

/* Whoever lets the object go does not wait for it. */
START_TEST(test_released)
{
	struct slu_ctl *ctl = ctl_by_hand("AllowUsers=bob,ann");

	hangs = true;
	slu_ctl_step(ctl, 1);
	slu_ctl_release(ctl);
	hangs = false;
}
END_TEST

TEST_MAIN("ctl users", test_looked_up, test_failed_lookup_is_repeated,
	  test_hanging_name_service, test_beside_hooks, test_released)
