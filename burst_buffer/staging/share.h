/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STAGING_SHARE_H
#define SLU_STAGING_SHARE_H

/*
 * Divides the work of copying between nodes. The files of a manifest form a
 * line of cost. A file costs its bytes plus a constant for opening it; a large
 * file is cut into ranges, each with its own place on the line. The line is cut
 * into chunks of equal cost, the same number for each node: a node's chunks are
 * consecutive, and a node that has finished its own takes the last ones of
 * others. Every node computes the same without communication.
 */

#include <stdint.h>

#define SLU_STAGE_RANGE	    (64ull << 20)
#define SLU_STAGE_FILE_COST (256ull << 10)
#define SLU_STAGE_CHUNKS    32 /* most chunks of one node */

uint64_t slu_share_cost(uint64_t size);
/* How many ranges a file of `size` bytes has: at least one. */
uint64_t slu_share_ranges(uint64_t size);
/* Offset and length of range i. */
uint64_t slu_share_range(uint64_t size, uint64_t i, uint64_t *offset);
/* The place on the line where range i begins, in a file of `size` bytes that
 * begins at `at`, and where it ends, which is where the next one begins. */
uint64_t slu_share_begin(uint64_t at, uint64_t i);
uint64_t slu_share_end(uint64_t at, uint64_t size, uint64_t i);
/* How many chunks each of n nodes has on a line of `total`: 1 if the total is
 * too small for more. */
unsigned slu_share_chunks(uint64_t total, unsigned n);
/* The part (0..n-1) of n equal parts of a line of `total` that contains this.
 */
unsigned slu_share_owner(uint64_t begin, uint64_t total, unsigned n);
#endif
