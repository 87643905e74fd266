/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_IMAGE_H
#define SLU_BURST_IMAGE_H

/* How much of a node's storage a share takes: planned with, and made so. */

#include <stdint.h>

/* Inodes: one for every 16 KiB, more in small ones, where small files count. */
static inline uint64_t slu_image_inodes(uint64_t capacity)
{
	uint64_t n = capacity / 4096;

	if (n > 131072)
		n = 131072;
	if (n < capacity / 16384)
		n = capacity / 16384;
	if (n < 1024)
		n = 1024;
	return n < 4000000000u ? n : 4000000000u;
}

/* Bytes of the image that leaves `capacity` to the user, as measured: root's
 * 2 %, the tables of inodes and of blocks, which weigh more in small ones. */
static inline uint64_t slu_image_size(uint64_t capacity)
{
	uint64_t size = capacity + slu_image_inodes(capacity) * 512;
	uint64_t small = size / 32 < (16u << 20) ? size / 32 : 16u << 20;

	return (size + size / 36 + small) | 0xffff;
}

#endif
