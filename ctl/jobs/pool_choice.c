/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"
#include "ctl/jobs/pool_choice.h"

#include <stdlib.h>
#include <string.h>
#include "burst_buffer/request/pool.h"
#include "common/str.h"

/* Nodes of it that are to have storage. */
static uint32_t needed(const struct slu_ctl_ask *ask,
		       const struct slu_request *req)
{
	uint32_t n = ask->min_nodes ? ask->min_nodes : 1;

	return req->nodes && req->nodes < n ? req->nodes : n;
}

static bool lies_on_all(const struct slu_request *req)
{
	return !req->nodes || req->nodes == SLU_ALL_NODES;
}

struct found {
	uint32_t may, named; /* nodes of a pool; the former has the latter */
};

static struct found count(const struct slu_ctl_ask *ask,
			  const struct slu_pool_conf *pool)
{
	struct found found = {0};

	for (size_t i = 0; i < pool->nodes.n; i++) {
		enum slu_ctl_may_get may =
			ask->may_get(ask->arg, pool->nodes.name[i]);

		found.may += may != SLU_GET_NO;
		found.named += may == SLU_GET_MUST;
	}
	return found;
}

static bool fits(const struct slu_ctl_ask *ask, const struct slu_request *req,
		 const struct slu_pool_conf *pool, struct found found)
{
	return pool->nodes.n == 0 ||
	       (found.may >= needed(ask, req) &&
		(found.named == ask->named || !lies_on_all(req)));
}

/* "0 of a (n[1-2]), " */
static void put(struct slu_buf *text, const struct slu_pool_conf *pool,
		struct found found)
{
	char *nodes = slu_hosts_text(&pool->nodes);

	slu_buf_printf(text, "%s%u of %s (%.60s%s)", text->len ? ", " : "",
		       (unsigned)found.may, pool->name, nodes ? nodes : "",
		       nodes && strlen(nodes) > 60 ? "..." : "");
	free(nodes);
}

static int refuse(const struct slu_ctl_ask *ask, const struct slu_request *req,
		  struct slu_buf *seen, struct slu_err *err)
{
	slu_err(err, SLU_INVALID,
		"jobfs: the job needs %u %s of one pool%s; where it may run "
		"are %.200s",
		(unsigned)needed(ask, req),
		needed(ask, req) == 1 ? "node" : "nodes",
		ask->named ? ", all that it names among them" : "",
		seen->data ? seen->data : "none");
	slu_buf_free(seen);
	return -1;
}

static int choose(const struct slu_ctl_ask *ask, struct slu_request *req,
		  const struct slu_pool_conf *pool, struct slu_err *err)
{
	if (!req->pool && !(req->pool = strdup(pool->name)))
		return slu_err(err, SLU_NOMEM, "out of memory");
	req->capacity = slu_pool_round(pool, req->capacity);
	if (pool->nodes.n && lies_on_all(req) && ask->keep_to)
		ask->keep_to(ask->arg, &pool->nodes);
	return 0;
}

int slu_ctl_choose_pool(const struct slu_ctl_ask *ask,
			const struct slu_conf *conf, struct slu_request *req,
			struct slu_err *err)
{
	const struct slu_fs_conf *fs = slu_conf_fs(conf, req->fs);
	const struct slu_pool_conf *pool;
	struct slu_buf seen = {0};
	struct found found;

	if (!ask->may_get || !req->has_fs || req->persistent ||
	    !slu_pool_of(conf, fs))
		return 0;
	for (size_t i = 0; (pool = slu_pool_nth(conf, fs, i)); i++) {
		if (req->pool && strcmp(req->pool, pool->name) != 0)
			continue;
		found = count(ask, pool);
		if (fits(ask, req, pool, found)) {
			slu_buf_free(&seen);
			return choose(ask, req, pool, err);
		}
		put(&seen, pool, found);
	}
	return refuse(ask, req, &seen, err);
}
