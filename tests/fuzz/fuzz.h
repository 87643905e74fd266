/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_FUZZ_H
#define SLU_TESTS_FUZZ_H

/* Declares the entry point of a fuzz target, and must(), the assertion that it
 * uses. */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An assertion that no compiler flag turns off. */
#define must(ok) ((ok) ? (void)0 : slu_fuzz_failed(__FILE__, __LINE__, #ok))

static inline void slu_fuzz_failed(const char *file, int line, const char *text)
{
	fprintf(stderr, "%s:%d: not so: %s\n", file, line, text);
	abort();
}

#endif
