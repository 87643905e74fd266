/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looks up the default account of a user. Slurm walks all users of slurmdbd to
 * find one, which takes a third of a millisecond where there are ten thousand,
 * so the accounts of users who have just submitted are cached for ten minutes.
 */
#include "config.h"
#include "plugins/account.h"

#include <pthread.h>
#include <time.h>

#include "common/str.h"

#define REMEMBERED 1024
#define REMEMBER   600 /* s */

static struct {
	uint32_t uid;
	time_t until;
	char account[SLU_CTL_ACCOUNT];
} remembered[REMEMBERED]; /* guarded by remembered_lock */
static pthread_mutex_t remembered_lock = PTHREAD_MUTEX_INITIALIZER;

static bool recall_account(uint32_t uid, time_t now, char out[SLU_CTL_ACCOUNT])
{
	size_t i = uid % REMEMBERED;
	bool known;

	pthread_mutex_lock(&remembered_lock);
	known = remembered[i].uid == uid && now < remembered[i].until;
	if (known)
		slu_copy(out, SLU_CTL_ACCOUNT, remembered[i].account);
	pthread_mutex_unlock(&remembered_lock);
	return known;
}

static void remember_account(uint32_t uid, time_t now, const char *account)
{
	size_t i = uid % REMEMBERED;

	pthread_mutex_lock(&remembered_lock);
	remembered[i].uid = uid;
	remembered[i].until = now + REMEMBER;
	slu_copy(remembered[i].account, SLU_CTL_ACCOUNT, account);
	pthread_mutex_unlock(&remembered_lock);
}

static void ask_for_account(uint32_t uid, char out[SLU_CTL_ACCOUNT])
{
	assoc_mgr_lock_t lock = {.user = READ_LOCK};
	slurmdb_user_rec_t user = {.uid = uid};
	bool has;

	assoc_mgr_lock(&lock);
	has = assoc_mgr_fill_in_user(acct_db_conn, &user, 0, NULL, true) ==
		      SLURM_SUCCESS &&
	      user.default_acct;
	slu_copy(out, SLU_CTL_ACCOUNT, has ? user.default_acct : "");
	assoc_mgr_unlock(&lock);
}

bool slu_account_default(uint32_t uid, char out[SLU_CTL_ACCOUNT])
{
	time_t now = time(NULL);

	if (recall_account(uid, now, out))
		return true;
	ask_for_account(uid, out);
	if (*out)
		remember_account(uid, now, out);
	return *out;
}
