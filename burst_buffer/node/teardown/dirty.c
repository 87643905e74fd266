/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drains and resumes this node because of data that belongs to no known run and
 * cannot be removed. A file in the storage records that the node is drained for
 * that. */
#include "config.h"
#include "burst_buffer/node/teardown/dirty.h"
#include "burst_buffer/node/talk.h"
#include "burst_buffer/node/verbs.h"

#include <stdlib.h>

/* A mark in the storage, where it survives a restart of the node, so that the
 * node is resumed even after one. */
#define MARK "dirty"
#define TIME 5.0 /* seconds for sluiced's answer */

bool slu_dirty(const char *storage)
{
	return slu_storage_has_mark(storage, MARK);
}

/* Reports to sluiced why the node is to be drained, or ("") that it can be
 * resumed. */
static int tell(struct slu_node *n, const char *what, struct slu_err *err)
{
	struct slu_node_ask ask = {.node = n->name,
				   .dirty = (char *)(uintptr_t)what};
	char *body = slu_encode_text(&slu_node_ask_desc, &ask);
	struct slu_buf reply = {0};
	int rc = body ? slu_talk_once(n, "/v1/owed", body, TIME, &reply, err)
		      : slu_err(err, SLU_NOMEM, "out of memory");

	slu_buf_free(&reply);
	free(body);
	return rc;
}

void slu_dirty_begin(struct slu_node *n, const char *storage, const char *why)
{
	struct slu_err err;

	if (slu_storage_mark(storage, MARK, why, &err))
		slu_node_log(n, SLU_ERROR, "%s", err.text);
	if (tell(n, why, &err))
		slu_node_log(n, SLU_ERROR, "to be drained: %s", err.text);
}

static bool other_is_dirty(const struct slu_node *n)
{
	char **storage = slu_storages(n->conf, &(struct slu_err){0});
	bool dirty = !storage;

	for (size_t i = 0; !dirty && storage[i]; i++)
		dirty = slu_dirty(storage[i]);
	slu_strv_free(storage);
	return dirty;
}

void slu_dirty_end(struct slu_node *n, const char *storage)
{
	struct slu_err err;

	if (slu_storage_unmark(storage, MARK) || other_is_dirty(n) ||
	    !tell(n, "", &err))
		return;
	slu_node_log(n, SLU_WARN, "to be resumed: %s", err.text);
	slu_storage_mark(storage, MARK, "", &err);
}
