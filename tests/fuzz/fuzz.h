/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_FUZZ_H
#define SLU_TESTS_FUZZ_H

/* What every fuzz target needs. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An assertion that no compiler flag turns off. */
static inline void must(bool ok)
{
	if (!ok)
		abort();
}

#endif
