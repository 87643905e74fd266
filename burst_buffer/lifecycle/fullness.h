/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_FULLNESS_H
#define SLU_LIFECYCLE_FULLNESS_H

/*
 * How full a buffer is, as its nodes report with their other requests. The
 * highest level of each node is stored. The present one is only in memory:
 * after a restart of sluiced it is unknown until the node's next request.
 */

#include "burst_buffer/lifecycle/record.h"

/* Node i reports this level; not `known`: it reports none, and the last one
 * stays. */
void slu_bb_note_used(struct slu_bb *bb, size_t i, bool known, uint64_t now);
/* Stores the highest level, in the caller's transaction; slu_bb_used_stored
 * notes after the commit that it is stored. */
int slu_bb_store_used(struct slu_db *db, const struct slu_bb *bb, size_t i,
		      const struct slu_report *r, struct slu_err *err);
void slu_bb_used_stored(struct slu_bb *bb, size_t i,
			const struct slu_report *r);
/* Loaded from the database: the highest level; the present one is not known
 * yet. */
void slu_bb_used_known(struct slu_bb *bb, size_t i, int64_t most);

#endif
