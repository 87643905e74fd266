/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Group commit. See batch.h. */
#include "sluiced/batch.h"

#include <stdbool.h>

#define BATCH_MAX 256 /* items, so that others get their turn */

/* All of the list in one transaction; nothing on failure. */
static int store_all(struct slu_db *db, struct slu_item *list,
		     struct slu_err *err)
{
	if (slu_db_begin(db, err) < 0)
		return -1;
	for (struct slu_item *i = list; i; i = i->next)
		if (i->store(i, db, err) < 0)
			goto fail;
	if (slu_db_commit(db, err) == 0)
		return 0;
fail:
	slu_db_rollback(db);
	return -1;
}

static void store_each(struct slu_db *db, struct slu_item *list)
{
	struct slu_item *next;

	for (struct slu_item *i = list; i; i = next) {
		struct slu_err err;

		next = i->next;
		i->next = NULL;
		i->done(i, store_all(db, i, &err) < 0 ? &err : NULL);
	}
}

static void run(void *arg)
{
	struct slu_batch *b = arg;
	struct slu_item *list = b->head, *last = list, *next;

	for (int n = 1; last && last->next && n < BATCH_MAX; n++)
		last = last->next;
	if (!last)
		return;
	b->head = last->next;
	last->next = NULL;
	if (!b->head)
		b->tail = &b->head;
	else
		slu_timer_set(b->loop, &b->timer, 0);
	if (store_all(b->db, list, NULL) < 0) {
		store_each(b->db, list);
		return;
	}
	for (struct slu_item *i = list; i; i = next) {
		next = i->next;
		i->done(i, NULL);
	}
}

void slu_batch_init(struct slu_batch *b, struct slu_loop *loop,
		    struct slu_db *db)
{
	*b = (struct slu_batch){.loop = loop, .db = db};
	b->timer = (struct slu_timer){.fn = run, .arg = b};
	b->tail = &b->head;
}

void slu_batch_add(struct slu_batch *b, struct slu_item *item)
{
	item->next = NULL;
	*b->tail = item;
	b->tail = &item->next;
	slu_timer_soon(b->loop, &b->timer, 0);
}

void slu_batch_flush(struct slu_batch *b)
{
	while (b->head)
		run(b);
	slu_timer_stop(b->loop, &b->timer);
}
