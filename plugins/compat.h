/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PLUGINS_COMPAT_H
#define SLU_PLUGINS_COMPAT_H

/*
 * Slurm's internal headers under the newest release's names; what an older one
 * lacks, or calls otherwise, is made here and nowhere else. Slurm's headers
 * define info(), error() and more as macros: this file is included last.
 */

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include "src/common/assoc_mgr.h"
#include "src/common/bitstring.h"
#include "src/common/list.h"
#include "src/common/log.h"
#include "src/common/node_conf.h"
#include "src/common/pack.h"
#include "src/common/slurm_protocol_common.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"
#include "src/slurmctld/acct_policy.h"
#include "src/slurmctld/fed_mgr.h"
#include "src/slurmctld/job_scheduler.h"
#include "src/slurmctld/locks.h"
#include "src/slurmctld/slurmctld.h"
#include "src/slurmctld/state_save.h"

#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(24, 11, 0)

#include "src/interfaces/accounting_storage.h"
#include "src/interfaces/preempt.h"
#include "src/interfaces/prep.h"
#include "src/stepmgr/srun_comm.h"

/* Arguments that hooks have since 24.11, and do not use. */
#define SLU_SINCE_24_11(...) , __VA_ARGS__

#else /* 22.05 */

#include "src/common/prep.h"
#include "src/common/slurm_accounting_storage.h"
#include "src/slurmctld/preempt.h"
#include "src/slurmctld/srun_comm.h"

#define SLU_SINCE_24_11(...)

typedef struct xlist list_t;
typedef struct listIterator list_itr_t;
typedef struct job_details job_details_t;

#define node_name2bitmap(names, best_effort, bitmap, invalid) \
	node_name2bitmap(names, best_effort, bitmap)
#define assoc_mgr_is_user_acct_coord(conn, uid, account, is_locked) \
	assoc_mgr_is_user_acct_coord(conn, uid, account)

static inline void job_state_set(job_record_t *job, uint32_t state)
{
	job->job_state = state;
}

#endif

/* slurmctld's own symbols: some of our plugins are loaded by slurmd too, where
 * they do not exist. Functions are bound at their first call, data is weak. */
#pragma weak job_list
#pragma weak resv_list
#pragma weak default_part_loc
#pragma weak acct_db_conn
#pragma weak last_job_update
#pragma weak last_node_update
#pragma weak up_node_bitmap
#pragma weak slurmctld_config

/* "22.05.8" */
#define SLU_SLURM_VERSION_ARGS                                  \
	(int)SLURM_VERSION_MAJOR(SLURM_VERSION_NUMBER),         \
		(int)SLURM_VERSION_MINOR(SLURM_VERSION_NUMBER), \
		(int)SLURM_VERSION_MICRO(SLURM_VERSION_NUMBER)
#define SLU_SLURM_VERSION_FORMAT "%d.%02d.%d"

static inline bool slu_in_slurmctld(void)
{
	return &job_list != NULL;
}

/* `scontrol show burst` of 24.05 and later expects one number more. */
static inline bool slu_packs_poll_interval(uint16_t protocol_version)
{
#ifdef SLURM_24_05_PROTOCOL_VERSION
	return protocol_version >= SLURM_24_05_PROTOCOL_VERSION;
#else
	(void)protocol_version;
	return false;
#endif
}

#endif
