/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzzes the parser of the index of a file in segments: an index that parses
 * has a text that parses to the same index. */
#include "config.h"
#include <string.h>
#include "select_io/segments/index.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct slu_segments a, b;
	static char text[2 * SLU_SEGMENTS_TEXT];
	uint64_t at = 0;
	size_t n;

	if (!slu_segments_parse((const char *)data, size, &a))
		return 0;
	n = slu_segments_text(&a, text, sizeof(text));
	must(n > 0 && slu_segments_parse(text, n, &b));
	must(a.n == b.n && a.size == b.size);
	for (size_t i = 0; i < a.n; i++) {
		must(a.part[i].begin == at &&
		     !strcmp(a.part[i].name, b.part[i].name));
		must(slu_segments_find(&a, at) == i);
		at += a.part[i].size;
	}
	must(at == a.size && slu_segments_find(&a, at) == a.n);
	return 0;
}
