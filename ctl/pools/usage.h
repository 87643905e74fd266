/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_USAGE_H
#define SLU_CTL_USAGE_H

/*
 * Sums of what is taken of each pool. The caller has the mirror's lock, and
 * says what it adds to the mirror and takes from it; pool NULL: of none.
 */

#include "ctl/link/mirror.h"

void slu_usage_more(struct slu_mirror *m, const char *pool, uint32_t uid,
		    uint64_t size);
void slu_usage_less(struct slu_mirror *m, const char *pool, uint32_t uid,
		    uint64_t size);
/* What the user (SLU_NO_ID: all) has of it, bytes. False: there was no memory
 * once, and only a walk can tell. */
bool slu_usage_sum(struct slu_mirror *m, const char *pool, uint32_t uid,
		   uint64_t *size);
void slu_usage_fini(struct slu_mirror *m);

#endif
