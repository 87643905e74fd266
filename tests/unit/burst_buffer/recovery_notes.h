/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_RECOVERY_NOTES_H
#define SLU_TESTS_RECOVERY_NOTES_H

/* Provides nodes' notes of a plan, and a sluiced whose restored database does
 * not have it, for tests of recovery. */

#include "tests/unit/burst_buffer/burst_world.h"

/* The plan, as node i (the first) has it in its notes. Caller frees. */
char *noted_by(struct world *w, int i);
char *noted(struct world *w);
/* The same with a change. Caller frees. */
char *with(const char *text, void (*change)(struct slu_plan *plan));

/* Restores a database without the buffer; it numbers buffers from the
 * beginning, or continues the numbers. */
void restore(struct world *w, bool same_numbers);

/* Node i is ready and polls, with its plan if sluiced asks for it: sluiced must
 * answer `want`. */
void told(struct world *w, int i, const char *plan, const char *want);

#endif
