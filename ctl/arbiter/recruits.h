/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_ARBITER_RECRUITS_H
#define SLU_ARBITER_RECRUITS_H

/*
 * Finds the I/O nodes that cannot be used now; those of RecruitIdle can be used
 * only while a job recruits them.
 */

#include "ctl/private.h"

/* Does this job recruit idle nodes? It gets no I/O nodes itself. */
bool slu_recruits(const struct slu_job *job);
/* Add the nodes of RecruitIdle that no such job holds, and sort all. -1 without
 * memory. */
int slu_recruits_missing(const struct slu_ctl *ctl, struct slu_hosts *out);
/* Host list of these, and of the I/O nodes that are down, drained or draining;
 * NULL without memory. */
char *slu_ions_unusable(const struct slu_ctl *ctl);

#endif
