/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_BARRIER_ANSWER_H
#define SLU_LIFECYCLE_BARRIER_ANSWER_H

/* Answers nodes that wait at a barrier. */

#include "burst_buffer/lifecycle/barriers.h"

/* Gives the answer to a node at this barrier: this word, and the attributes
 * of all nodes. It is cached, as all nodes get the same. The caller drops its
 * reference to *out. */
int slu_bb_barrier_answer(const struct slu_bb *bb,
			  struct slu_bb_barrier *barrier, const char *word,
			  struct slu_text **out, struct slu_err *err);

#endif
