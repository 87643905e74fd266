/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The division of a manifest between nodes: pure arithmetic, see the header. */
#include "burst_buffer/staging/share.h"

uint64_t slu_share_cost(uint64_t size)
{
	return size + SLU_STAGE_FILE_COST;
}

uint64_t slu_share_ranges(uint64_t size)
{
	return size ? (size - 1) / SLU_STAGE_RANGE + 1 : 1;
}

uint64_t slu_share_range(uint64_t size, uint64_t i, uint64_t *offset)
{
	uint64_t left = size - i * SLU_STAGE_RANGE;

	*offset = i * SLU_STAGE_RANGE;
	return left < SLU_STAGE_RANGE ? left : SLU_STAGE_RANGE;
}

unsigned slu_share_owner(uint64_t at, uint64_t i, uint64_t total, unsigned n)
{
	unsigned __int128 pos = (unsigned __int128)at + i * SLU_STAGE_RANGE;

	if (i)
		pos += SLU_STAGE_FILE_COST;
	if (pos >= total)
		return n - 1;
	return (unsigned)(pos * n / total);
}
