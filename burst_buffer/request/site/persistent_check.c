/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks the persistent buffers that a request creates or destroys: the site
 * must have nodes for them (PersistentNodes) and a driver whose data can
 * outlive jobs, with the wanted coherence, tier and lifetime. A request that
 * names a buffer twice, or destroys the one that its job uses, is refused.
 */
#include "config.h"
#include "burst_buffer/request/site/persistent_check.h"
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/request/site/coherence.h"
#include "burst_buffer/request/site/fs_check.h"
#include "burst_buffer/request/site/fstype.h"
#include "burst_buffer/request/site/pool.h"
#include "common/size.h"
#include "common/str.h"

struct slu_request slu_persist_as_fs(const struct slu_request_persist *one)
{
	return (struct slu_request){
		.has_fs = !one->destroy,
		.fs = one->fs,
		.name = one->name,
		.profile = one->profile,
		.capacity = one->capacity,
		.coherence = one->coherence,
		.tier = one->tier,
		.tolerate = UINT32_MAX,
	};
}

bool slu_can_persist(const struct slu_fstype *type)
{
	return type && type->persistent;
}

/* "x lives and ends with a job; y, z can outlive it" */
static int not_persistent(const char *name, const struct slu_conf *conf,
			  struct slu_err *err)
{
	const struct slu_fstype *type;
	struct slu_buf others = {0};
	int rc;

	for (size_t i = 0; i < conf->n_fs; i++) {
		type = slu_fstype_find(conf->fs[i].driver);
		if (slu_can_persist(type))
			slu_buf_printf(&others, "%s%s", others.len ? ", " : "",
				       conf->fs[i].name);
	}
	rc = slu_err(err, SLU_INVALID,
		     "%s lives and ends with a job; %s can outlive it", name,
		     others.len ? others.data : "no file system here");
	slu_buf_free(&others);
	return rc;
}

static int check_create(const struct slu_request_persist *one,
			const struct slu_conf *conf, struct slu_err *err)
{
	const struct slu_request req = slu_persist_as_fs(one);
	const struct slu_fstype *type;
	char most[SLU_TIME_TEXT];

	if (slu_check_fs(&req, conf, err))
		return -1;
	type = slu_fstype_find(slu_conf_fs(conf, one->fs)->driver);
	if (!conf->persistent_nodes.n)
		return slu_err(err, SLU_INVALID,
			       "this site has no nodes for persistent buffers "
			       "(PersistentNodes)");
	if (!slu_can_persist(type))
		return not_persistent(slu_conf_fs(conf, one->fs)->name, conf,
				      err);
	if (slu_check_coherence(&req, conf, slu_can_persist, err) ||
	    slu_pool_check_tier(&req, conf, err))
		return -1;
	if (one->lifetime > conf->persistent_lifetime)
		return slu_err(
			err, SLU_INVALID,
			"lifetime is longer than %s, which is the "
			"longest here (PersistentLifetime)",
			slu_seconds_text((double)conf->persistent_lifetime,
					 most));
	return 0;
}

static bool is_same(const char *a, const char *b)
{
	return a && b && strcmp(a, b) == 0;
}

/* Both are done before the job begins. */
static int check_twice(const struct slu_request *req, size_t i,
		       struct slu_err *err)
{
	const struct slu_request_persist *one = &req->persist[i];

	if (one->destroy && req->persistent && is_same(one->name, req->name))
		return slu_err(err, SLU_INVALID,
			       "the same job uses %s: destroy it by a job of "
			       "its own (--dependency)",
			       one->name);
	for (size_t k = 0; k < i; k++)
		if (is_same(req->persist[k].name, one->name))
			return slu_err(err, SLU_INVALID, "%s is named twice",
				       one->name);
	return 0;
}

int slu_check_persist(const struct slu_request *req,
		      const struct slu_conf *conf, struct slu_err *err)
{
	for (size_t i = 0; i < req->n_persist; i++) {
		const struct slu_request_persist *one = &req->persist[i];

		if ((!one->destroy && check_create(one, conf, err)) ||
		    check_twice(req, i, err)) {
			slu_err_prefix(err, one->destroy ? "persistent_destroy"
							 : "persistent_create");
			return slu_request_at(one->line, err);
		}
	}
	return 0;
}
