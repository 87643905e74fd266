/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_POOL_CHOICE_H
#define SLU_CTL_POOL_CHOICE_H

/*
 * Chooses, at a job's submission, the pool from which its storage is taken, by
 * the nodes on which the job may run (Pool= has nodes, and partitions have
 * nodes), and checks that the storage is not too small.
 */

#include "burst_buffer/request/request.h"
#include "ctl/ctl.h"
#include "ctl/link/mirror.h"

/* Chooses req->pool among the pools of its file system (or those of its tier,
 * or the one that it names): the first that has as many nodes as the job needs
 * of those that it may get, and all that it names. The job is restricted to the
 * pool's nodes; which nodes a pool with a tier has is in the mirror.
 * SLU_INVALID: no pool fits, and which nodes or tiers there are. */
int slu_ctl_choose_pool(const struct slu_ctl_ask *ask,
			struct slu_mirror *mirror, const struct slu_conf *conf,
			struct slu_request *req, struct slu_err *err);

/* SLU_INVALID: less than 1 MiB, into which no file system fits. */
int slu_ctl_large_enough(uint64_t capacity, struct slu_err *err);

#endif
