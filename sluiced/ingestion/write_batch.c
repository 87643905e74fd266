/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stores items of many callers in one transaction (group commit,
 * write_batch.h).
 */
#include "sluiced/ingestion/write_batch.h"

#define AGAIN	  1.0 /* s */
#define BATCH_MAX 256 /* items, so that other work gets done */

static void tell_all(struct slu_item *list, const struct slu_err *why)
{
	struct slu_item *next;

	for (struct slu_item *i = list; i; i = next) {
		next = i->next;
		i->next = NULL;
		i->done(i, why);
	}
}

/* Stores all of the list in one transaction, or nothing. */
static int store_all(struct slu_db *db, struct slu_item *list, bool *begun,
		     struct slu_err *err)
{
	*begun = slu_db_begin(db, err) == 0;
	if (!*begun)
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

/* Another process writes, and each try waits for it as long as SQLite does. */
static void put_off(struct slu_write_batch *b, struct slu_item *list,
		    const struct slu_err *why)
{
	struct slu_item *kept = NULL, **end = &kept, *next;
	struct slu_err again;

	slu_err(&again, SLU_IO, "try again: %s", why->text);
	for (struct slu_item *i = list; i; i = next) {
		next = i->next;
		i->next = NULL;
		if (i->retry_busy && !b->last) {
			*end = i;
			end = &i->next;
		} else {
			i->done(i, &again);
		}
	}
	if (!kept)
		return;
	*end = b->head;
	if (!b->head)
		b->tail = end;
	b->head = kept;
	slu_timer_set(b->loop, &b->timer, AGAIN);
}

static void store_each(struct slu_write_batch *b, struct slu_item *list)
{
	struct slu_item *next;
	bool begun = true;
	int rc;

	for (struct slu_item *i = list; i; i = next) {
		struct slu_err err;

		next = i->next;
		i->next = NULL;
		rc = store_all(b->db, i, &begun, &err);
		if (!begun) {
			i->next = next;
			put_off(b, i, &err);
			return;
		}
		i->done(i, rc < 0 ? &err : NULL);
	}
}

static void run(void *arg)
{
	struct slu_write_batch *b = arg;
	struct slu_item *list = b->head, *last = list;
	struct slu_err err;
	bool begun;

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
	if (store_all(b->db, list, &begun, &err) == 0)
		tell_all(list, NULL);
	else if (begun)
		store_each(b, list);
	else
		put_off(b, list, &err);
}

void slu_write_batch_init(struct slu_write_batch *b, struct slu_loop *loop,
			  struct slu_db *db)
{
	*b = (struct slu_write_batch){.loop = loop, .db = db};
	b->timer = (struct slu_timer){.fn = run, .arg = b};
	b->tail = &b->head;
}

void slu_write_batch_add(struct slu_write_batch *b, struct slu_item *item)
{
	item->next = NULL;
	*b->tail = item;
	b->tail = &item->next;
	slu_timer_soon(b->loop, &b->timer, 0);
}

void slu_write_batch_flush(struct slu_write_batch *b)
{
	b->last = true;
	while (b->head)
		run(b);
	b->last = false;
	slu_timer_stop(b->loop, &b->timer);
}
