/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the limits and the weight of a job: the groups (user, account) whose
 * limits apply to it, and the factor of its bandwidth in the sum that MCKP
 * maximises.
 */
#include <string.h>
#include <xxhash.h>
#include "select_io/ion/arbiter/arbiter_private.h"

int slu_ion_take_fairness(struct slu_arbiter *a, const struct slu_conf *conf)
{
	if (slu_weights_copy(&a->qos_weights, &conf->ion_qos_weights) < 0 ||
	    slu_weights_copy(&a->account_weights, &conf->ion_account_weights) <
		    0)
		return -1;
	a->min_per_job = conf->min_ions_per_job;
	a->limit[SLU_ION_USER] = conf->max_ions_per_user;
	a->limit[SLU_ION_ACCOUNT] = conf->max_ions_per_account;
	return 0;
}

void slu_ion_groups(uint32_t uid, const char *account,
		    uint64_t group[SLU_ION_GROUPS])
{
	uint64_t key = account ? XXH3_64bits(account, strlen(account)) : 0;

	group[SLU_ION_ACCOUNT] = key;
	group[SLU_ION_USER] = XXH3_64bits_withSeed(&uid, sizeof(uid), key);
}

void slu_ion_find_fairness(const struct slu_arbiter *a, struct running *r)
{
	slu_ion_groups(r->job.uid, r->job.account, r->group);
	r->counts = slu_weight_of(&a->qos_weights, r->job.qos) *
		    slu_weight_of(&a->account_weights, r->job.account);
}
