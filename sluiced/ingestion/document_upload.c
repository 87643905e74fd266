/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stores documents that nodes push to the resource map. Pushes are stored in
 * batches, so that a thousand at the same moment cost a few transactions, and
 * each is answered when it is on disk.
 */
#include <stdlib.h>

#include "sluiced/control/distance_watch.h"
#include "sluiced/control/pool_commands.h"
#include "sluiced/http/api/handlers.h"
#include "sluiced/http/api/reply.h"
#include "sysmap/database/receive.h"

struct push {
	struct slu_item item;
	struct slu_daemon *d;
	struct slu_req *req;
	struct slu_buf reply;
};

static int store_hashes(struct slu_item *item, struct slu_db *db,
			struct slu_err *err)
{
	struct push *push = (struct push *)item;
	const struct slu_req *req = push->req;

	(void)db;
	return slu_receive_hashes_body(
		push->d->receiver, req->host, req->body.data, req->body.len,
		(int64_t)slu_now_wall(), &push->reply, err);
}

static int store_documents(struct slu_item *item, struct slu_db *db,
			   struct slu_err *err)
{
	struct push *push = (struct push *)item;
	const struct slu_req *req = push->req;

	(void)db;
	return slu_receive_documents_body(
		push->d->receiver, req->body.data, req->body.len,
		(int64_t)slu_now_wall(), &push->reply, err);
}

static void push_done(struct slu_item *item, const struct slu_err *err)
{
	struct push *push = (struct push *)item;
	struct slu_daemon *d = push->d;

	if (err)
		slu_log(d->log, SLU_WARN, "resource map of %s: %s",
			push->req->host, err->text);
	if (!err) {
		slu_distance_pushed(d);
		slu_capacity_pushed(d);
	}
	slu_routes_reply(d, push->req, &push->reply, err);
	free(push);
}

static int add(struct slu_daemon *d, struct slu_req *req,
	       int (*store)(struct slu_item *, struct slu_db *,
			    struct slu_err *),
	       struct slu_err *err)
{
	struct push *push = calloc(1, sizeof(*push));

	if (!push)
		return slu_err(err, SLU_NOMEM, "out of memory");
	push->item = (struct slu_item){.store = store, .done = push_done};
	push->d = d;
	push->req = req;
	slu_write_batch_add(&d->batch, &push->item);
	return SLU_KEPT;
}

int slu_handle_hashes(struct slu_daemon *d, struct slu_req *req,
		      struct slu_buf *out, struct slu_err *err)
{
	(void)out;
	return add(d, req, store_hashes, err);
}

int slu_handle_documents(struct slu_daemon *d, struct slu_req *req,
			 struct slu_buf *out, struct slu_err *err)
{
	(void)out;
	return add(d, req, store_documents, err);
}
