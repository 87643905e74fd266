/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes the parser of a PerformanceTable; the input before the first empty
 * line is the profile that is looked up in it. Curves of a table that parses
 * have values from 0 to SLU_CURVE_MAX.
 */
#include "config.h"
#include "tests/fuzz/fuzz.h"
#include <string.h>
#include "select_io/curves/performance_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *profile = strndup((const char *)data, size);
	char *text = profile ? strstr(profile, "\n\n") : NULL;
	struct slu_patterns *t;
	struct slu_err err = {0};
	struct slu_ion_manner manner = {
		.nodes = 8,
		.processes = 64,
		.read_bytes = (double)size,
		.written_bytes = 1e30,
		.request = 4096,
		.layout = SLU_LAYOUT_SHARED,
		.access = SLU_STRIDED,
	};
	struct slu_curve c;
	char *near;

	must(profile != NULL);
	if (text) {
		*text = '\0';
		t = slu_patterns_parse(text + 2, "f", &err);
		must(t ||
		     (err.kind == SLU_INVALID && !strncmp(err.text, "f:", 2)));
		if (t && slu_patterns_curve(t, profile, &c, &err) == 0)
			for (uint32_t k = 0; k < 20; k++)
				must(slu_curve_at(&c, k) >= 0 &&
				     slu_curve_at(&c, k) <= SLU_CURVE_MAX);
		near = t ? slu_patterns_nearest(t, &manner, &err) : NULL;
		must(!near || slu_patterns_curve(t, near, &c, &err) == 0);
		free(near);
		slu_patterns_free(t);
	}
	free(profile);
	return 0;
}
