/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Completes a request from sluice.conf: what it leaves open comes from its
 * profile, and the file system, where none is named, is chosen by the coherence
 * or (#DW lines) the way of access that it wants. Also decides whether its data
 * can be staged in before the job starts.
 */
#include "config.h"
#include "burst_buffer/request/site/resolve.h"
#include <stdlib.h>
#include <string.h>
#include <string.h>
#include "burst_buffer/request/site/fstype.h"
#include "burst_buffer/request/site/persistent_check.h"
#include "burst_buffer/request/site/pool.h"
#include "burst_buffer/request/verbs/grammar.h"
#include "common/str.h"

static int unknown_profile(const char *name, const struct slu_conf *conf,
			   struct slu_err *err)
{
	struct slu_buf names = {.max = 200};
	size_t i;

	for (i = 0; i < conf->n_profile; i++)
		slu_buf_printf(&names, "%s%s", i ? ", " : "",
			       conf->profile[i].name);
	slu_err(err, SLU_INVALID, "there is no profile %s; %s%s", name,
		names.len ? "there are " : "none is configured",
		names.len ? names.data : "");
	slu_buf_free(&names);
	return -1;
}

int slu_apply_profile(struct slu_request *req, const struct slu_conf *conf,
		      struct slu_err *err)
{
	const struct slu_profile_conf *p = slu_conf_profile(conf, req->profile);
	size_t i;

	if (!p)
		return unknown_profile(req->profile, conf, err);
	for (i = 0; i < p->n_option; i++)
		if (slu_request_preset(req, p->option[i].key,
				       p->option[i].value, err) &&
		    err->kind != SLU_NOTFOUND)
			return slu_err_prefix(err, "profile %s", p->name);
	return 0;
}

static bool is_shared(const struct slu_fstype *type)
{
	return type->shared;
}

static bool is_both(const struct slu_fstype *type)
{
	return type->shared && !type->library;
}

static bool is_private(const struct slu_fstype *type)
{
	return !type->shared;
}

static int choose_fs(struct slu_request *req, const struct slu_conf *conf,
		     struct slu_err *err)
{
	const struct slu_fs_conf *fs =
		slu_coherence_fs(conf, req->coherence,
				 req->dw_both		     ? is_both
				 : req->dw == SLU_DW_STRIPED ? is_shared
				 : req->dw == SLU_DW_PRIVATE ? is_private
							     : NULL);

	if (!fs && req->dw && !req->coherence)
		return slu_err(err, SLU_INVALID,
			       "jobdw: access_mode=%s: this site has no file "
			       "system that is %s",
			       slu_dw_names[req->dw],
			       req->dw == SLU_DW_STRIPED
				       ? "shared by the nodes of a job"
				       : "private to each node");
	if (!fs)
		return slu_err(err, SLU_INVALID,
			       "jobfs: coherence=%s: this site has no such "
			       "file system",
			       slu_coherence_names[req->coherence]);
	req->fs = strdup(fs->name);
	return req->fs ? 0 : slu_err(err, SLU_NOMEM, "out of memory");
}

/* The file system of its profile, and what that is to promise; the profile
 * takes part in its plan, too. */
static int preset_persist(struct slu_request_persist *one,
			  const struct slu_conf *conf, struct slu_err *err)
{
	struct slu_request as = {.profile = one->profile,
				 .fs = one->fs,
				 .coherence = one->coherence,
				 .tier = one->tier,
				 .tolerate = UINT32_MAX};
	int rc = slu_apply_profile(&as, conf, err);

	one->fs = as.fs;
	one->coherence = as.coherence;
	one->tier = as.tier;
	free(as.pool);
	if (rc)
		return -1;
	return as.split == SLU_SPLIT_SWITCH
		       ? slu_err(err, SLU_INVALID,
				 "profile %s has split=switch, which a "
				 "persistent buffer cannot be",
				 one->profile)
		       : 0;
}

static const struct slu_fs_conf *
persistent_fs(const struct slu_request_persist *one,
	      const struct slu_conf *conf)
{
	const struct slu_fs_conf *fs =
		one->fs ? NULL
			: slu_coherence_fs(conf, one->coherence,
					   slu_can_persist);

	if (!fs && !one->fs) /* the check will say why it is too little */
		fs = slu_coherence_fs(conf, SLU_COHERENCE_UNSAID,
				      slu_can_persist);
	return fs ? fs : slu_conf_fs(conf, one->fs);
}

/* Chooses the file system of a persistent buffer, where none is named, among
 * those that can outlive jobs and give the wanted coherence: the default one,
 * else the strictest. */
static int resolve_persist(struct slu_request_persist *one,
			   const struct slu_conf *conf, struct slu_err *err)
{
	const struct slu_fs_conf *fs;
	const struct slu_pool_conf *pool;
	struct slu_request as;

	if (one->profile && preset_persist(one, conf, err))
		return slu_err_prefix(err, "persistent_create");
	fs = persistent_fs(one, conf);
	if (!one->fs && fs && !(one->fs = strdup(fs->name)))
		return slu_err(err, SLU_NOMEM, "out of memory");
	as = slu_persist_as_fs(one);
	pool = slu_request_pool(&as, conf);
	if (pool)
		one->capacity = slu_pool_round(pool, one->capacity);
	return 0;
}

/* In DWS it is the type of a file system that says how nodes reach it. */
static int follow_type(struct slu_request *req, const struct slu_conf *conf,
		       struct slu_err *err)
{
	const struct slu_fs_conf *fs = slu_conf_fs(conf, req->fs);
	const struct slu_fstype *type = fs ? slu_fstype_find(fs->driver) : NULL;

	if (req->dw_said || !type || type->shared)
		return 0;
	if (req->striped_named)
		return slu_err(err, SLU_INVALID,
			       "jobdw: %s is private to each node, so this job "
			       "has no $DW_JOB_STRIPED; write $DW_JOB_PRIVATE "
			       "and access_mode=private",
			       fs->name);
	req->dw = SLU_DW_PRIVATE;
	return 0;
}

/* DataWarp's type=scratch beside access=, in --bb, is no file system's name
 * unless there is one. */
static void forget_type(struct slu_request *req, const struct slu_conf *conf)
{
	if (!req->dw_said || !req->fs || strcmp(req->fs, "scratch") != 0 ||
	    slu_conf_fs(conf, req->fs))
		return;
	free(req->fs);
	req->fs = NULL;
}

static int resolve_fs(struct slu_request *req, const struct slu_conf *conf,
		      struct slu_err *err)
{
	const struct slu_pool_conf *pool;

	forget_type(req, conf);
	if (req->profile && slu_apply_profile(req, conf, err))
		return slu_err_prefix(err, "jobfs");
	if (!req->capacity)
		return slu_err(err, SLU_INVALID,
			       "jobfs: capacity= is missing, and profile %s "
			       "has none",
			       req->profile ? req->profile : "");
	if (req->fs ? req->dw && follow_type(req, conf, err)
		    : (req->dw || req->coherence) && choose_fs(req, conf, err))
		return -1;
	pool = slu_request_pool(req, conf);
	if (pool)
		req->capacity = slu_pool_round(pool, req->capacity);
	return 0;
}

int slu_request_resolve(struct slu_request *req, const struct slu_conf *conf,
			struct slu_err *err)
{
	for (size_t i = 0; i < req->n_persist; i++)
		if (!req->persist[i].destroy &&
		    resolve_persist(&req->persist[i], conf, err))
			return slu_request_at(req->persist[i].line, err);
	if (!req->has_fs || req->persistent)
		return 0;
	return resolve_fs(req, conf, err) ? slu_request_at(req->line, err) : 0;
}

static bool stages_in(const struct slu_request *req)
{
	for (size_t i = 0; i < req->n_stage; i++)
		if (!req->stage[i].out)
			return true;
	return false;
}

bool slu_request_predicted(const struct slu_request *req,
			   const struct slu_conf *conf)
{
	const struct slu_fs_conf *fs =
		req->persistent ? NULL : slu_conf_fs(conf, req->fs);

	return conf->prestage && req->has_fs && !req->n_persist && fs &&
	       !slu_fstype_library(fs) && stages_in(req) &&
	       !slu_request_early_stage_in(req, conf);
}

bool slu_request_early_stage_in(const struct slu_request *req,
				const struct slu_conf *conf)
{
	const struct slu_fs_conf *fs =
		req->persistent ? NULL : slu_conf_fs(conf, req->fs);
	const struct slu_fstype *type = fs ? slu_fstype_find(fs->driver) : NULL;
	size_t i = 0;

	while (i < req->n_stage && req->stage[i].out)
		i++;
	if (!req->has_fs || i == req->n_stage || !conf->staging_nodes.n)
		return false;
	return req->persistent ||
	       (type && type->remote && req->split != SLU_SPLIT_SWITCH &&
		(!req->nodes || req->nodes == SLU_ALL_NODES));
}
