/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses the pool of a submission: counts, for each pool, the nodes that the
 * job may get and those that it names.
 */
#include "config.h"
#include "ctl/jobs/pending/pool_choice.h"

#include <stdlib.h>
#include <string.h>
#include "burst_buffer/request/site/pool.h"
#include "ctl/pools/pools.h"
#include "common/size.h"
#include "common/str.h"

/* How many nodes of the job need storage. */
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
	uint32_t may, named; /* nodes of a pool that the job may get; those that
				it names */
};

static struct found count(const struct slu_ctl_ask *ask,
			  const struct slu_hosts *nodes)
{
	struct found found = {0};

	for (size_t i = 0; i < nodes->n; i++) {
		enum slu_ctl_may_get may =
			ask->may_get(ask->arg, nodes->name[i]);

		found.may += may != SLU_GET_NO;
		found.named += may == SLU_GET_MUST;
	}
	return found;
}

static bool fits(const struct slu_ctl_ask *ask, const struct slu_request *req,
		 struct found found)
{
	return found.may >= needed(ask, req) &&
	       (found.named == ask->named || !lies_on_all(req));
}

/* "0 of a (n[1-2]), " */
static void put(struct slu_buf *text, const struct slu_pool_conf *pool,
		const struct slu_hosts *of, struct found found)
{
	char *nodes = slu_hosts_text(of);

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

/* The nodes of a pool. */
struct known {
	struct slu_hosts reported;
	const struct slu_hosts *conf; /* sluice.conf's; n = 0: any */
	bool all;		      /* `told` has all nodes of the pool */
	bool more; /* there may be others, whose maps are not known */
};

/* Nodes that sluice.conf names, or that have the tier, as sluiced has
 * reported. */
static struct known nodes_of(const struct slu_pool_conf *pool,
			     struct slu_mirror *mirror)
{
	struct known known = {.conf = &pool->nodes};
	enum slu_pool_known_nodes are_known = SLU_POOL_NODES_UNKNOWN;

	if (pool->tier && mirror)
		are_known =
			slu_pools_hosts(mirror, pool->name, &known.reported);
	known.all = are_known == SLU_POOL_NODES_ALL;
	known.more = are_known == SLU_POOL_NODES_SOME;
	return known;
}

static const struct slu_hosts *nodes(const struct known *known)
{
	return known->all || known->reported.n ? &known->reported : known->conf;
}

/* May the pool have a node? Not if all of its nodes are known, and there is
 * none. */
static bool has_nodes(void *mirror, const struct slu_pool_conf *pool)
{
	struct slu_hosts reported;
	const bool all = slu_pools_hosts(mirror, pool->name, &reported) ==
			 SLU_POOL_NODES_ALL;
	const bool none = all && reported.n == 0;

	slu_hosts_free(&reported);
	return !none;
}

static int choose(const struct slu_ctl_ask *ask, struct slu_request *req,
		  const struct slu_pool_conf *pool,
		  const struct slu_hosts *nodes, struct slu_err *err)
{
	if (!req->pool && !(req->pool = strdup(pool->name)))
		return slu_err(err, SLU_NOMEM, "out of memory");
	req->capacity = slu_pool_round(pool, req->capacity);
	if (nodes->n && lies_on_all(req) && ask->keep_to)
		ask->keep_to(ask->arg, nodes);
	return 0;
}

/* 1: this pool is chosen. */
static int try_pool(const struct slu_ctl_ask *ask, struct slu_request *req,
		    const struct slu_pool_conf *pool, struct slu_mirror *mirror,
		    struct slu_buf *seen, struct slu_err *err)
{
	struct known known = nodes_of(pool, mirror);
	const struct slu_hosts *of = nodes(&known), *conf = known.conf;
	struct found found = count(ask, of);
	int rc = 0;

	if ((!of->n && !known.all) || fits(ask, req, found))
		rc = choose(ask, req, pool, of, err) ? -1 : 1;
	else if (known.more && (!conf->n || fits(ask, req, count(ask, conf))))
		rc = choose(ask, req, pool, conf, err) ? -1 : 1;
	else
		put(seen, pool, of, found);
	slu_hosts_free(&known.reported);
	return rc;
}

/* The i-th pool that can be chosen, from 0. */
static const struct slu_pool_conf *nth(const struct slu_conf *conf,
				       const struct slu_fs_conf *fs,
				       const struct slu_request *req, size_t i)
{
	if (req->pool || slu_profile_places(req, conf))
		return i ? NULL : slu_request_pool(req, conf);
	return req->tier ? slu_pool_of_tier(conf, fs, req->tier, i)
			 : slu_pool_nth(conf, fs, i);
}

/* Refuses a request for a tier that no node has, if all nodes are known. */
static int check_tier(const struct slu_request *req,
		      const struct slu_conf *conf, const struct slu_fs_conf *fs,
		      struct slu_mirror *mirror, struct slu_err *err)
{
	const struct slu_pool_conf *pool;
	char tiers[SLU_TIERS];

	for (size_t i = 0; (pool = nth(conf, fs, req, i)); i++)
		if (has_nodes(mirror, pool))
			return 0;
	slu_tiers_text(conf, fs, has_nodes, mirror, tiers);
	slu_no_tier(req, tiers, err);
	return slu_err_prefix(err, "jobfs");
}

int slu_ctl_choose_pool(const struct slu_ctl_ask *ask,
			struct slu_mirror *mirror, const struct slu_conf *conf,
			struct slu_request *req, struct slu_err *err)
{
	const struct slu_fs_conf *fs = slu_conf_fs(conf, req->fs);
	const struct slu_pool_conf *pool;
	struct slu_buf seen = {0};
	int rc = 0;

	if (!req->has_fs || req->persistent || !slu_pool_of(conf, fs) ||
	    (slu_profile_places(req, conf) && !slu_request_pool(req, conf)))
		return 0;
	if (req->tier && mirror && check_tier(req, conf, fs, mirror, err))
		return -1;
	if (!ask->may_get)
		return 0;
	for (size_t i = 0; !rc && (pool = nth(conf, fs, req, i)); i++)
		rc = try_pool(ask, req, pool, mirror, &seen, err);
	if (rc == 0)
		return refuse(ask, req, &seen, err);
	slu_buf_free(&seen);
	return rc < 0 ? -1 : 0;
}

/* No file system fits into less. */
#define LEAST (1 << 20)

int slu_ctl_large_enough(uint64_t capacity, struct slu_err *err)
{
	char size[SLU_SIZE_TEXT];

	if (capacity >= LEAST)
		return 0;
	return slu_err(err, SLU_INVALID,
		       "capacity=%s is less than 1MiB; a number without a unit "
		       "is bytes",
		       slu_size_text(capacity, size));
}
