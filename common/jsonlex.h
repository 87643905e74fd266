/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_JSONLEX_H
#define SLU_COMMON_JSONLEX_H

/*
 * Finds what json-c accepts although it is not JSON: comments, names in single
 * quotes, commas before a closing bracket, TRUE, NaN, 01 and 1e. Its own
 * strictness lets some of these pass, and that of 0.18 (Debian 13) refuses
 * every character beyond ASCII.
 */

#include <stddef.h>

/* The offset of the first of these in a text that json-c has accepted; len:
 * there is none. */
size_t slu_json_lax(const char *text, size_t len);

#endif
