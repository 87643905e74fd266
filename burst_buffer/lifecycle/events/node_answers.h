/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_NODE_ANSWERS_H
#define SLU_LIFECYCLE_NODE_ANSWERS_H

/* Answers to nodes that set up, take down or poll, made from the buffer's
 * record. */

#include "burst_buffer/lifecycle/record.h"

/* For a node that sets up: "go" or "abort"; -1, SLU_BUSY: it has to wait. */
int slu_bb_up_word(const struct slu_bb *bb, double now, const char **word,
		   struct slu_err *err);
/* For a node that takes down, or asks whether it has to: "go", "skip",
 * "abort". */
const char *slu_bb_down_word(const struct slu_bb *bb);
/* For node i, which polls (slu_buffers_poll()); -1, SLU_BUSY: it has to
 * wait. */
int slu_bb_poll_word(const struct slu_bb *bb, size_t i, double now,
		     const char **word, struct slu_err *err);
/* For a node that was given up and asks after its run is over: "left" if the
 * job's next run is elsewhere, or there will be none; "again" if the next run
 * is on this node and slurmd, which has not seen the end of the earlier run,
 * does not run the prolog; "lost" as long as neither is known. Else `word`, the
 * result of slu_bb_poll_word(). */
const char *slu_bb_returned_word(const struct slu_buffers *b,
				 const struct slu_bb *bb, size_t i, double now,
				 const char *word);
/* Would a poll of this member get "ended" or "abort"? */
bool slu_bb_is_over(const struct slu_bb *bb, size_t member, double now);
/* Fills in the answer with this word; the caller clears it with
 * slu_msg_clear(). -1: no memory. */
int slu_bb_answer(const struct slu_bb *bb, const char *word,
		  struct slu_answer *out, struct slu_err *err);

#endif
