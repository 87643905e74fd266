/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STAGING_SHARE_H
#define SLU_STAGING_SHARE_H

/*
 * Who copies what. The files of a manifest lie one behind the other on a line
 * of cost; the line is cut into n equal shares, one per node. A file costs its
 * bytes and what opening one costs; a large one is cut into ranges, each of
 * which belongs to the node in whose share it begins. Every node computes the
 * same without a word to the others.
 */

#include <stdint.h>

#define SLU_STAGE_RANGE	    (64ull << 20)
#define SLU_STAGE_FILE_COST (256ull << 10)

uint64_t slu_share_cost(uint64_t size);
/* How many ranges a file of `size` bytes has: at least one. */
uint64_t slu_share_ranges(uint64_t size);
/* Offset and length of range i. */
uint64_t slu_share_range(uint64_t size, uint64_t i, uint64_t *offset);
/* The node (0..n-1) that copies range i of a file that begins at `at` on a
 * line of `total`. */
unsigned slu_share_owner(uint64_t at, uint64_t i, uint64_t total, unsigned n);
#endif
