/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_RECORD_FACTS_H
#define SLU_LIFECYCLE_RECORD_FACTS_H

/* Answers questions about a buffer's record. Private to
 * burst_buffer/lifecycle. */

#include "burst_buffer/lifecycle/record.h"

/* Is it this user's (SLU_NO_ID: any user's), and this job's (0: any job's) or
 * staged in early for that job? */
bool slu_bb_is_asked(const struct slu_bb *bb, uint32_t job_id, uint32_t uid);
/* Bits of the stage requests of one direction that are to be done: all
 * stage-ins, or the stage-outs that on= allows or may still allow. */
uint64_t slu_bb_stages(const struct slu_bb *bb, bool out);
/* Does it have a plan that can be carried out? */
bool slu_bb_has_plan(const struct slu_bb *bb);
/* Was the file system in use, with data in it that is to be staged out, or to
 * be kept as the run has failed? */
bool slu_bb_has_data(const struct slu_bb *bb);
/* Has it failed under the running job, or in stage-out? Then nothing more is
 * staged out, and its data is kept. */
bool slu_bb_failed_with_data(const struct slu_bb *bb);
/* Does what is to be staged out depend on how the job ended, which is not
 * known? */
bool slu_bb_in_doubt(const struct slu_bb *bb);
/* Do its nodes keep data after such a failure? */
bool slu_bb_keeps(const struct slu_bb *bb, double now);
/* Bytes that it uses on node i: until the node is clean its share in the plan,
 * then what is kept there. */
uint64_t slu_bb_takes(const struct slu_bb *bb, size_t i);
/* Of these, bytes on the k-th device of the node (slu_plan_devices()). */
uint64_t slu_bb_device_takes(const struct slu_bb *bb, size_t i, size_t k);
/* Of these, the bytes of files, as far as the node has reported. */
uint64_t slu_bb_data(const struct slu_bb *bb, size_t i);
/* It has failed, and the verdict was carried out, or the time limit for that
 * has passed. */
bool slu_bb_released(const struct slu_bb *bb, double now);
/* Its end was not seen here (sluiced was away, or the database is older):
 * reports of its nodes are waited for before anything is concluded. */
bool slu_bb_is_unheard(const struct slu_buffers *b, const struct slu_bb *bb,
		       double now);
/* Nodes in one of these states: SLU_IN(a) | SLU_IN(b). */
#define SLU_IN(state) (1u << (state))
size_t slu_bb_count(const struct slu_bb *bb, unsigned states);
/* The names of the nodes for which pick() is true, as a host list. Caller
 * frees; NULL without memory. */
typedef bool slu_bb_pick_f(const struct slu_bb *bb, size_t i);
char *slu_bb_hosts(const struct slu_bb *bb, slu_bb_pick_f *pick);
bool slu_bb_is_lost(const struct slu_bb *bb, size_t i);
/* Is a part of the data on node i? */
bool slu_bb_holds(const struct slu_bb *bb, size_t i);
/* Does tolerate= allow for what is lost with nodes, servers and devices? */
bool slu_bb_tolerates(const struct slu_bb *bb);
/* Do all nodes stage out one name space together? Then the others take over the
 * work of a node that was given up, which may still be at work without a
 * connection. */
bool slu_bb_together(const struct slu_bb *bb);
bool slu_bb_is_replaced(const struct slu_bb *bb, size_t i);
bool slu_bb_all_ready(const struct slu_bb *bb);
/* Done for long enough, with no kept data, nothing to clean on any node and no
 * order for slurmctld; or these have been due for SLU_BB_FORGET: the node does
 * not exist any more. */
bool slu_bb_over(const struct slu_bb *bb, double now);

#endif
