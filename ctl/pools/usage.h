/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_USAGE_H
#define SLU_CTL_USAGE_H

/*
 * Sums the usage of each pool. The caller holds the lock of the mirror
 * (link/mirror.h), and reports what it adds to and removes from it; pool NULL:
 * none.
 */

#include "ctl/link/mirror_state.h"

void slu_usage_more(struct slu_mirror *m, const char *pool, uint32_t uid,
		    uint64_t size);
void slu_usage_less(struct slu_mirror *m, const char *pool, uint32_t uid,
		    uint64_t size);
/* Bytes of it that the user (SLU_NO_ID: all users) uses. False: memory was
 * short once, and only a walk gives the sum. */
bool slu_usage_sum(struct slu_mirror *m, const char *pool, uint32_t uid,
		   uint64_t *size);
void slu_usage_fini(struct slu_mirror *m);

#endif
