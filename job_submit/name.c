/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Removes the numbers that users append to job names, so that runs of the same
 * program have the same name.
 */
#include "job_submit/name.h"

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

size_t slu_plain_name(const char *name, char *out, size_t size)
{
	size_t n = 0;

	for (const char *c = name ? name : ""; *c && n + 1 < size; c++) {
		if (!is_digit(*c))
			out[n++] = *c;
		else if (!is_digit(c[1]))
			out[n++] = '#';
	}
	out[n] = '\0';
	return n;
}
