/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_POOL_CHOICE_H
#define SLU_CTL_POOL_CHOICE_H

/* Of which pool a job's storage is, decided at its submission by where it may
 * run: Pool= has nodes, and partitions have nodes. */

#include "burst_buffer/request/request.h"
#include "ctl/ctl.h"
#include "ctl/link/mirror.h"

/* Of the pools of its file system (or those of its tier, or the one that it
 * names) the first that has
 * as many nodes as the job needs of those that it may get, and all that it
 * names: req->pool, where there are several. The job is kept to its nodes;
 * which ones a pool of a tier has sluiced has told (mirror). SLU_INVALID: there
 * is none, and which nodes or tiers there are. */
int slu_ctl_choose_pool(const struct slu_ctl_ask *ask,
			struct slu_mirror *mirror, const struct slu_conf *conf,
			struct slu_request *req, struct slu_err *err);

#endif
