/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STAGING_SHARE_H
#define SLU_STAGING_SHARE_H

/*
 * Who copies what. The files of a manifest lie one behind the other on a line
 * of cost. A file costs its bytes and what opening one costs; a large one is
 * cut into ranges, each of which lies where it begins. The line is cut into
 * chunks of equal cost, the same number for each node: those of a node lie
 * side by side, and who has done its own takes the others' last ones. Every
 * node computes the same without a word to the others.
 */

#include <stdint.h>

#define SLU_STAGE_RANGE	    (64ull << 20)
#define SLU_STAGE_FILE_COST (256ull << 10)
#define SLU_STAGE_CHUNKS    32 /* of one node, at most */

uint64_t slu_share_cost(uint64_t size);
/* How many ranges a file of `size` bytes has: at least one. */
uint64_t slu_share_ranges(uint64_t size);
/* Offset and length of range i. */
uint64_t slu_share_range(uint64_t size, uint64_t i, uint64_t *offset);
/* Where range i of a file of `size` bytes that begins at `at` lies on the
 * line, and where it ends; the next one begins there. */
uint64_t slu_share_begin(uint64_t at, uint64_t i);
uint64_t slu_share_end(uint64_t at, uint64_t size, uint64_t i);
/* How many chunks each of n nodes has of a line of `total`: 1 where there is
 * too little to share it out more finely. */
unsigned slu_share_chunks(uint64_t total, unsigned n);
/* Which of n equal parts (0..n-1) of a line of `total` this lies in. */
unsigned slu_share_owner(uint64_t begin, uint64_t total, unsigned n);
#endif
