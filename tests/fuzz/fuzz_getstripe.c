/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes the parsers of `lfs getstripe -y` and `lfs df`: for a layout that
 * parses, a finite cost is computed, and its stripes hold all bytes of each
 * part of the file.
 */
#include "config.h"
#include <math.h>
#include <string.h>
#include "select_io/stripe/layout_cost.h"
#include "tests/fuzz/fuzz.h"

#define SIZE (UINT64_C(5) << 30)

static void check_part(const struct slu_file_part *p, size_t n_ost)
{
	uint64_t end = p->end < SIZE ? p->end : SIZE, sum = 0;

	must(p->begin < p->end);
	must(p->named == 0 || p->named == p->count);
	must(p->first + p->named <= n_ost);
	if (p->width == 0 || p->count == 0 || p->count > SLU_FILE_STRIPES)
		return;
	for (uint32_t i = 0; i < p->count; i++)
		sum += slu_stripe_bytes(p, SIZE, i);
	must(sum == (end > p->begin ? end - p->begin : 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct slu_file_layout l;
	const struct slu_cost_site site = {.access = SLU_STRIPE_SEQUENTIAL};
	char *copy = malloc(size + 1);
	const char *text = copy, *before = copy;
	struct slu_df_target target;

	if (!copy)
		return 0;
	memcpy(copy, data, size);
	copy[size] = '\0';
	if (slu_df_target_parse(copy, &target))
		must(target.available <= target.total);
	while (slu_file_layout_next(&text, &l)) {
		must(text > before);
		before = text;
		must(l.n > 0 || l.special);
		for (size_t i = 0; i < l.n && !l.special; i++)
			check_part(&l.part[i], l.n_ost);
		if (!l.special)
			must(isfinite(slu_stripe_seconds(&l, SIZE, &site)));
	}
	free(copy);
	return 0;
}
