/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_FULLNESS_H
#define SLU_LIFECYCLE_FULLNESS_H

/*
 * How full a buffer is. Nodes say so with what they say anyway: the most of
 * each is stored with their reports, what lies there now is only remembered,
 * and known again after a restart of ours when they ask next.
 */

#include "burst_buffer/lifecycle/record.h"

/* What node i told; nothing, where it is not known. */
void slu_bb_note_used(struct slu_bb *bb, size_t i, bool known, uint64_t now);
/* Store the most that it told, in the caller's transaction; and once that is
 * committed, remember it. */
int slu_bb_store_used(struct slu_db *db, const struct slu_bb *bb, size_t i,
		      const struct slu_report *r, struct slu_err *err);
void slu_bb_used_stored(struct slu_bb *bb, size_t i,
			const struct slu_report *r);
/* The database has it, and what lies there now is not known yet. */
void slu_bb_used_known(struct slu_bb *bb, size_t i, int64_t most);

#endif
