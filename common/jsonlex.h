/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_JSONLEX_H
#define SLU_COMMON_JSONLEX_H

/*
 * What json-c takes for JSON though it is none: comments, names in single
 * quotes, commas before a bracket that closes, TRUE, NaN, 01 and 1e. Its own
 * strictness lets some of these pass, and that of 0.18 (Debian 13) refuses
 * every character beyond ASCII.
 */

#include <stddef.h>

/* Where in a text that json-c has taken is the first of these; len: nowhere. */
size_t slu_json_lax(const char *text, size_t len);

#endif
