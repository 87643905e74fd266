/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzzes the parser of records at the end of a stage cache entry: a record that
 * parses must be written again as the same bytes. */
#include "config.h"
#include "tests/fuzz/fuzz.h"
#include <string.h>
#include "burst_buffer/storage/cache_record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t end = SLU_CACHE_RECORD_END;
	const char *text = (const char *)data;
	struct slu_cache_record r;
	struct slu_buf again = {0};

	if (size >= end)
		must(slu_cache_record_len(text + size - end) <=
		     SLU_CACHE_RECORD_MAX);
	if (slu_cache_record_parse(text, size, &r, NULL))
		return 0;
	must(!slu_cache_record_put(&r, &again, NULL));
	must(again.len == size && !memcmp(again.data, data, size));
	slu_buf_free(&again);
	slu_cache_record_free(&r);
	return 0;
}
