/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the look-up of a user's default account in Slurm's association manager,
 * which is a fake here, as is the time: results are cached. */
#include "tests/unit/harness.h"

#include <time.h>
#include "plugins/account.h"

void *acct_db_conn;
static time_t now = 1000;
static int asked;  /* how often the users were walked */
static int locked; /* by how many */
static char *account;

time_t time(time_t *out)
{
	return out ? *out = now : now;
}

void assoc_mgr_lock(assoc_mgr_lock_t *locks)
{
	ck_assert_int_eq(locks->user, READ_LOCK);
	locked++;
}

void assoc_mgr_unlock(assoc_mgr_lock_t *locks)
{
	(void)locks;
	locked--;
}

int assoc_mgr_fill_in_user(void *conn, slurmdb_user_rec_t *user, int enforce,
			   slurmdb_user_rec_t **found, bool is_locked)
{
	(void)conn, (void)enforce, (void)found;
	ck_assert(is_locked && locked == 1);
	asked++;
	user->default_acct = account;
	return user->uid == 404 ? SLURM_ERROR : SLURM_SUCCESS;
}

/* What this user's account is said to be, and whether he was looked for. */
static void expect_account(uint32_t uid, const char *want, int looks)
{
	char got[SLU_CTL_ACCOUNT] = "?";
	int before = asked;

	ck_assert(slu_account_default(uid, got) == (*want != '\0'));
	ck_assert_str_eq(got, want);
	ck_assert_int_eq(asked - before, looks);
	ck_assert_int_eq(locked, 0);
}

START_TEST(test_remembered)
{
	account = "physics";
	expect_account(7, "physics", 1);
	account = "chemistry";
	expect_account(7, "physics", 0);
	expect_account(8, "chemistry", 1);
	now += 599;
	expect_account(7, "physics", 0);
	now += 1;
	expect_account(7, "chemistry", 1);
	expect_account(7, "chemistry", 0);
}
END_TEST

/*
 * Two users whose entries have the same place in the cache are never confused.
 */
START_TEST(test_one_place)
{
	account = "physics";
	expect_account(7, "physics", 1);
	account = "chemistry";
	expect_account(7 + 1024, "chemistry", 1);
	account = "physics";
	expect_account(7, "physics", 1);
	expect_account(0, "physics", 1); /* the table is full of zeros */
}
END_TEST

/* Who is not known yet may be in a moment. */
START_TEST(test_unknown_user_is_not_refused_yet)
{
	account = NULL;
	expect_account(9, "", 1);
	account = "physics";
	expect_account(404, "", 1);
	expect_account(9, "physics", 1);
	expect_account(9, "physics", 0);
}
END_TEST

TEST_MAIN("account", test_remembered, test_one_place,
	  test_unknown_user_is_not_refused_yet)
