/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PLUGINS_COMPAT_H
#define SLU_PLUGINS_COMPAT_H

/*
 * Makes Slurm's internal headers usable under the newest release's names: what
 * an older release lacks, or has under another name, is defined only here.
 * Slurm's headers define info(), error() and more as macros, so this file is
 * included last.
 */

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
#include "src/common/assoc_mgr.h"
#include "src/common/bitstring.h"
#include "src/common/env.h"
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
#include "src/slurmctld/reservation.h"
#include "src/slurmctld/slurmctld.h"
#include "src/slurmctld/slurmscriptd.h"
#include "src/slurmctld/state_save.h"

/* Headers that have moved. */
#if __has_include("src/interfaces/prep.h")
#include "src/interfaces/accounting_storage.h"
#include "src/interfaces/preempt.h"
#include "src/interfaces/prep.h"
#else /* before 23.02 */
#include "src/common/prep.h"
#include "src/common/slurm_accounting_storage.h"
#include "src/slurmctld/preempt.h"
#endif
#if __has_include("src/stepmgr/srun_comm.h")
#include "src/stepmgr/srun_comm.h"
#else /* before 24.05 */
#include "src/slurmctld/srun_comm.h"
#endif

/* Unused arguments that newer releases pass to hooks. No header declares the
 * hooks, so only here the release number decides. */
#define SLU_SLURM_SINCE(major, minor) \
	(SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(major, minor, 0))
#if SLU_SLURM_SINCE(23, 2)
#define SLU_SINCE_23_02(...) , __VA_ARGS__
#else
#define SLU_SINCE_23_02(...)
#endif
#if SLU_SLURM_SINCE(24, 5)
#define SLU_SINCE_24_05(...) , __VA_ARGS__
#else
#define SLU_SINCE_24_05(...)
#endif

/* What configure has found missing, or in an older form. */
#ifndef HAVE_LIST_T
typedef struct xlist list_t;
#endif
#ifndef HAVE_LIST_ITR_T
typedef struct listIterator list_itr_t;
#endif
#ifndef HAVE_JOB_DETAILS_T
typedef struct job_details job_details_t;
#endif

#ifndef SLU_NODE_NAME2BITMAP_INVALID
#define node_name2bitmap(names, best_effort, bitmap, invalid) \
	node_name2bitmap(names, best_effort, bitmap)
#endif
#ifndef SLU_COORD_IS_LOCKED
#define assoc_mgr_is_user_acct_coord(conn, uid, account, is_locked) \
	assoc_mgr_is_user_acct_coord(conn, uid, account)
#endif

#if !HAVE_DECL_JOB_STATE_SET
static inline void job_state_set(job_record_t *job, uint32_t state)
{
	job->job_state = state;
}
#endif

/* Seconds from a job's preemption to its end, 0: none. From 25.05 on only
 * slurmctld can ask the preempt plugin; this computes what it answers. */
static inline uint32_t slu_job_grace_time(job_record_t *job)
{
#if HAVE_DECL_SLURM_JOB_GET_GRACE_TIME
	return slurm_job_get_grace_time(job);
#else
	if (!xstrcmp(slurm_conf.preempt_type, "preempt/qos"))
		return job->qos_ptr ? job->qos_ptr->grace_time : 0;
	return job->part_ptr ? job->part_ptr->grace_time : 0;
#endif
}

/* Seconds, NO_VAL16: none; the shorter of the two timeouts that 25.05 has
 * instead. */
static inline uint16_t slu_prolog_epilog_timeout(const slurm_conf_t *conf)
{
#ifdef HAVE_SLURM_CONF_T_PROLOG_EPILOG_TIMEOUT
	return conf->prolog_epilog_timeout;
#else
	return MIN(conf->prolog_timeout, conf->epilog_timeout);
#endif
}

/* "job_container/tmpfs", from 25.11 on "namespace/tmpfs"; or NULL. */
static inline const char *slu_namespace_plugin(const slurm_conf_t *conf)
{
#ifdef HAVE_SLURM_CONF_T_JOB_CONTAINER_PLUGIN
	return conf->job_container_plugin;
#else
	return conf->namespace_plugin;
#endif
}

/* job_complete() without requeue; the node is healthy. */
static inline int slu_job_complete(job_record_t *job, uint32_t status)
{
#ifdef SLU_JOB_COMPLETE_STEP_ID
	slurm_step_id_t id = STEP_ID_FROM_JOB_RECORD(job);

	return job_complete(&id, slurm_conf.slurm_user_id, false, false,
			    status);
#else
	return job_complete(job->job_id, slurm_conf.slurm_user_id, false, false,
			    status);
#endif
}

/* For a heterogeneous job pass its first component. */
static inline int slu_job_requeue(job_record_t *job, uint32_t flags)
{
#if HAVE_DECL_JOB_REQUEUE
	return job_requeue(slurm_conf.slurm_user_id, job->job_id, NULL, false,
			   flags);
#else
	return job_requeue_internal(slurm_conf.slurm_user_id, job, false,
				    flags);
#endif
}

/* slurmctld's own symbols: some of our plugins are loaded by slurmd too, where
 * they do not exist and linker flags may require immediate binding. So all of
 * them are weak (plugins/check-symbols knows), and code that runs in slurmd
 * calls none. */
#pragma weak job_list
#pragma weak resv_list
#pragma weak default_part_loc
#pragma weak acct_db_conn
#pragma weak last_job_update
#pragma weak last_node_update
#pragma weak up_node_bitmap
#pragma weak idle_node_bitmap
#pragma weak avail_node_bitmap
#pragma weak slurmctld_config
#pragma weak acct_policy_alter_job
#pragma weak delete_step_record
#pragma weak fed_mgr_is_origin_job
#pragma weak find_job_record
#pragma weak find_part_record
#pragma weak find_step_record
#pragma weak get_next_job_id
#pragma weak het_job_signal
#pragma weak job_complete
#pragma weak job_completion_logger
#pragma weak job_requeue
#pragma weak job_requeue_internal
#pragma weak job_signal
#pragma weak job_test_bb_resv
#pragma weak launch_job
#pragma weak lock_slurmctld
#pragma weak schedule
#pragma weak schedule_job_save
#pragma weak schedule_node_save
#pragma weak slurm_job_get_grace_time
#pragma weak slurmscriptd_run_mail
#pragma weak srun_allocate_abort
#pragma weak srun_user_message
#pragma weak unlock_slurmctld
#pragma weak update_node
#pragma weak update_node_active_features
#pragma weak update_node_avail_features
#pragma weak validate_operator
#if HAVE_DECL_JOB_STATE_SET
#pragma weak job_state_set
#pragma weak slurm_job_state_set
#endif

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

/* `scontrol show burst` of 24.05 (protocol 41) and later expects one more
 * number. */
static inline bool slu_packs_poll_interval(uint16_t protocol_version)
{
	return protocol_version >= 41 << 8;
}

#endif
