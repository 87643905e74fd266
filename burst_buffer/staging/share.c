/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Divides a manifest's line of cost into chunks for the nodes; arithmetic only,
 * without state (share.h). */
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

uint64_t slu_share_begin(uint64_t at, uint64_t i)
{
	return i ? at + SLU_STAGE_FILE_COST + i * SLU_STAGE_RANGE : at;
}

uint64_t slu_share_end(uint64_t at, uint64_t size, uint64_t i)
{
	return i + 1 < slu_share_ranges(size) ? slu_share_begin(at, i + 1)
					      : at + slu_share_cost(size);
}

unsigned slu_share_chunks(uint64_t total, unsigned n)
{
	uint64_t ranges = total / n / SLU_STAGE_RANGE;

	return ranges < 2		   ? 1
	       : ranges > SLU_STAGE_CHUNKS ? SLU_STAGE_CHUNKS
					   : (unsigned)ranges;
}

unsigned slu_share_owner(uint64_t begin, uint64_t total, unsigned n)
{
	if (begin >= total)
		return n - 1;
	return (unsigned)((unsigned __int128)begin * n / total);
}
