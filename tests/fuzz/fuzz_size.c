/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzzes the parsers of sizes and times: a parsed value is within its range;
 * after an error the output is unchanged. */
#include "config.h"
#include "tests/fuzz/fuzz.h"
#include <string.h>
#include "common/size.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	char size_text[SLU_SIZE_TEXT], time_text[SLU_TIME_TEXT];
	struct slu_err err = {0};
	uint64_t bytes = 0;
	int64_t seconds = -1;

	must(text != NULL);
	if (slu_size_parse(text, &bytes, &err) == 0) {
		must(bytes > 0 && bytes <= INT64_MAX);
		must(slu_size_text(bytes, size_text)[0] != '\0');
	} else {
		must(bytes == 0 && err.kind == SLU_INVALID);
	}
	if (slu_seconds_parse(text, &seconds, &err) == 0) {
		must(seconds >= 0);
		slu_seconds_text((double)seconds, time_text);
	} else {
		must(seconds == -1 && err.kind == SLU_INVALID);
	}
	free(text);
	return 0;
}
