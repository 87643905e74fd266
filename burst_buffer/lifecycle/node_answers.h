/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_NODE_ANSWERS_H
#define SLU_LIFECYCLE_NODE_ANSWERS_H

/* What a node is told to do, from the buffer as it is. */

#include "burst_buffer/lifecycle/record.h"

/* A node that sets up: "go" or "abort"; -1, SLU_BUSY: nothing yet. */
int slu_bb_up_word(const struct slu_bb *bb, double now, const char **word,
		   struct slu_err *err);
/* A node that takes down, or wants to know whether to: "go", "skip", "abort".
 */
const char *slu_bb_down_word(const struct slu_bb *bb);
/* Node i, which asks now and then, see slu_buffers_poll(); -1, SLU_BUSY:
 * nothing yet. */
int slu_bb_poll_word(const struct slu_bb *bb, size_t i, double now,
		     const char **word, struct slu_err *err);
/* Of a node that was lost, and asks again after its run is over: "left" when
 * the job's next run is elsewhere, "again" when it has come to this node and
 * slurmd, which has seen no end of the run before, runs no prolog; until that
 * is known "lost"; "left" also where there will be none. Else `word`, which is
 * the one above. */
const char *slu_bb_returned_word(const struct slu_buffers *b,
				 const struct slu_bb *bb, size_t i, double now,
				 const char *word);
bool slu_bb_stage_out_failed(const struct slu_bb *bb);
/* Would a poll of this member get "ended" or "abort"? */
bool slu_bb_is_over(const struct slu_bb *bb, size_t member, double now);
/* The answer with this word; the caller clears it with slu_msg_clear(). -1: no
 * memory. */
int slu_bb_answer(const struct slu_bb *bb, const char *word,
		  struct slu_answer *out, struct slu_err *err);

#endif
