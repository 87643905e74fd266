/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STORE_COLUMN_TEXTS_H
#define SLU_STORE_COLUMN_TEXTS_H

/*
 * Reads the texts of one column by row number, piece by piece, without a copy
 * of the whole in memory. Use it within a transaction, and free it before that
 * ends.
 */

#include "store/db.h"

struct slu_texts;

/* table and column are borrowed. */
struct slu_texts *slu_texts_new(struct slu_db *db, const char *table,
				const char *column, struct slu_err *err);
void slu_texts_free(struct slu_texts *texts);

/* Go to a row: 1, and *len is the length of its text in bytes; 0: there is no
 * such row, or no text in it; -1. */
int slu_texts_at(struct slu_texts *texts, int64_t row, size_t *len,
		 struct slu_err *err);
/* Read bytes [from, from + len) of that text, which are there. */
int slu_texts_read(struct slu_texts *texts, size_t from, void *to, size_t len,
		   struct slu_err *err);

#endif
