/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_TEXT_H
#define SLU_COMMON_TEXT_H

/*
 * A long immutable text with a reference count, shared by many answers: the
 * plan of a job on 10,000 nodes is more than a megabyte, and each node gets it.
 * Not thread-safe.
 */

#include <stddef.h>

struct slu_text {
	unsigned refs;
	struct slu_text *packed; /* as gzip; NULL: not made yet */
	char hash[65];		 /* its slu_sha256(); "": likewise */
	size_t len;
	char data[]; /* with a NUL behind it */
};

/* A copy, with one reference; NULL: no memory. */
struct slu_text *slu_text_new(const char *data, size_t len);
/* Adds a reference; returns the text. */
struct slu_text *slu_text_ref(struct slu_text *text);
/* Drops a reference; the last one frees the text. NULL is fine. */
void slu_text_unref(struct slu_text *text);

#endif
