/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_INGESTION_WRITE_BATCH_H
#define SLU_SLUICED_INGESTION_WRITE_BATCH_H

/*
 * Batches small writes that arrive at the same time (documents of a thousand
 * nodes, ends of a hundred jobs): everything at the end of a turn goes into one
 * transaction with one fsync. Each item gets its result after the commit. If
 * the transaction fails, each item is tried in one of its own.
 */

#include <stdbool.h>

#include "common/err.h"
#include "sluiced/event_loop.h"
#include "store/db.h"

/* Embedded in what is to be stored. */
struct slu_item {
	/* Inside a transaction; may be called twice. */
	int (*store)(struct slu_item *item, struct slu_db *db,
		     struct slu_err *err);
	/* It is on disk (err NULL), or is not. May free the item. */
	void (*done)(struct slu_item *item, const struct slu_err *err);
	void *arg; /* the owner's */
	/* Nobody waits for it or sends it again: it is kept while another
	 * process writes the database. Otherwise it fails with SLU_IO. */
	bool retry_busy;
	struct slu_item *next;
};

struct slu_write_batch {
	struct slu_loop *loop;
	struct slu_db *db;
	struct slu_timer timer;
	struct slu_item *head, **tail;
	bool last; /* nothing is kept any more */
};

void slu_write_batch_init(struct slu_write_batch *batch, struct slu_loop *loop,
			  struct slu_db *db);
void slu_write_batch_add(struct slu_write_batch *batch, struct slu_item *item);
/* Store everything now, at the end of the program. */
void slu_write_batch_flush(struct slu_write_batch *batch);

#endif
