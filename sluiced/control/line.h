/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_LINE_H
#define SLU_SLUICED_LINE_H

/* Splits a stream of bytes into lines of bounded length. */

#include "common/err.h"
#include "common/str.h"

/* {.max = N}: no line is longer than N bytes, its newline included. */
struct slu_lines {
	struct slu_buf buf;
	size_t scanned; /* no newline before here */
	size_t taken;	/* bytes of lines already handed out */
	size_t max;
};

/* Add what was read. Call slu_lines_next() until it returns NULL before adding
 * again. */
int slu_lines_add(struct slu_lines *lines, const void *data, size_t len,
		  struct slu_err *err);
/* The next complete line without its newline, *len bytes and a NUL; it may
 * contain NULs. Borrowed until the next call. NULL: there is none yet. */
const char *slu_lines_next(struct slu_lines *lines, size_t *len);
void slu_lines_free(struct slu_lines *lines);

#endif
