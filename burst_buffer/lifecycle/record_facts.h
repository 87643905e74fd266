/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_RECORD_FACTS_H
#define SLU_LIFECYCLE_RECORD_FACTS_H

/* Questions about a buffer's record, private to burst_buffer/lifecycle. */

#include "burst_buffer/lifecycle/record.h"

/* Is it this user's (SLU_NO_ID: anybody's), and this job's (0: any's), or was
 * it filled ahead of that? */
bool slu_bb_is_asked(const struct slu_bb *bb, uint32_t job_id, uint32_t uid);
/* The bits of the stage requests of one direction that are to be done: all
 * that go in, or those out that on= allows, or may. */
uint64_t slu_bb_stages(const struct slu_bb *bb, bool out);
/* Has it a plan that can be carried out? */
bool slu_bb_has_plan(const struct slu_bb *bb);
/* Was the file system in use, with data in it that is to be staged out? */
bool slu_bb_has_data(const struct slu_bb *bb);
/* Does it depend on how the job ended, which is not known, what is to be staged
 * out? */
bool slu_bb_in_doubt(const struct slu_bb *bb);
/* Do its nodes keep what could not be staged out? */
bool slu_bb_keeps(const struct slu_bb *bb, double now);
/* Bytes that it takes of node i's storage: until that is clean what it was
 * given, and then what it keeps. */
uint64_t slu_bb_takes(const struct slu_bb *bb, size_t i);
/* Of that, the bytes of files, as far as the node has told. */
uint64_t slu_bb_data(const struct slu_bb *bb, size_t i);
/* A failure whose verdict is done, or has been waited for long enough. */
bool slu_bb_released(const struct slu_bb *bb, double now);
/* Its end was not seen here (sluiced was away, or the database is older than
 * it): what its nodes say of it is waited for before anything is concluded. */
bool slu_bb_is_unheard(const struct slu_buffers *b, const struct slu_bb *bb,
		       double now);
/* Nodes in one of these states: SLU_IN(a) | SLU_IN(b). */
#define SLU_IN(state) (1u << (state))
size_t slu_bb_count(const struct slu_bb *bb, unsigned states);
/* Names of the nodes that `pick` says, as a host list. Caller frees; NULL
 * without memory. */
typedef bool slu_bb_pick_f(const struct slu_bb *bb, size_t i);
char *slu_bb_hosts(const struct slu_bb *bb, slu_bb_pick_f *pick);
bool slu_bb_is_lost(const struct slu_bb *bb, size_t i);
/* Does a part of the data lie on node i? It may lie on others, or on none. */
bool slu_bb_holds(const struct slu_bb *bb, size_t i);
/* Do all nodes stage out the same together? Then the others do the part of one
 * that was lost, which may still be at work, cut off. */
bool slu_bb_together(const struct slu_bb *bb);
bool slu_bb_is_replaced(const struct slu_bb *bb, size_t i);
bool slu_bb_all_ready(const struct slu_bb *bb);
/* Done for long enough, nothing of it is kept, and nothing is owed to or by any
 * node; or what is owed has been for SLU_BB_FORGET: the node is no longer
 * there. */
bool slu_bb_over(const struct slu_bb *bb, double now);

#endif
