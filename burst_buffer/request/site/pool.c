/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the pool of storage (Pool= in sluice.conf) in which a request is
 * counted, rounds its capacity to granules, and checks what that pool allows.
 * How much of a pool is in use is not known here.
 */
#include "config.h"
#include "burst_buffer/request/site/pool.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "burst_buffer/request/site/fstype.h"
#include "common/size.h"
#include "common/str.h"

/* The pool of a file system whose line names none: the first one. placed: its
 * data is in the one directory storage=, so only a pool without a tier fits. */
static const struct slu_pool_conf *default_pool(const struct slu_conf *conf,
						bool placed)
{
	for (size_t i = 0; i < conf->n_pool; i++)
		if (!placed || !conf->pool[i].tier)
			return &conf->pool[i];
	return NULL;
}

const struct slu_pool_conf *slu_pool_nth(const struct slu_conf *conf,
					 const struct slu_fs_conf *fs, size_t i)
{
	const struct slu_fstype *type = fs ? slu_fstype_find(fs->driver) : NULL;
	char name[256];

	if (!fs || !type || !conf->n_pool)
		return NULL;
	if (fs->pool)
		return slu_list_word(fs->pool, i, name, sizeof(name))
			       ? slu_conf_pool(conf, name)
			       : NULL;
	return type->remote || i
		       ? NULL
		       : default_pool(conf, slu_fs_option(fs, "storage", NULL));
}

const struct slu_pool_conf *slu_pool_of(const struct slu_conf *conf,
					const struct slu_fs_conf *fs)
{
	return slu_pool_nth(conf, fs, 0);
}

/* Is its data in the nodes' storage, wherever its pool decides? */
static bool has_tiers(const struct slu_fs_conf *fs)
{
	const struct slu_fstype *type = fs ? slu_fstype_find(fs->driver) : NULL;

	return type && !type->remote && !slu_fs_option(fs, "storage", NULL);
}

const struct slu_pool_conf *slu_pool_of_tier(const struct slu_conf *conf,
					     const struct slu_fs_conf *fs,
					     enum slu_tier tier, size_t i)
{
	const struct slu_pool_conf *pool;

	for (size_t k = 0; has_tiers(fs); k++) {
		if (fs->pool)
			pool = slu_pool_nth(conf, fs, k);
		else
			pool = k < conf->n_pool ? &conf->pool[k] : NULL;
		if (!pool)
			return NULL;
		if (pool->tier == tier && !i--)
			return pool;
	}
	return NULL;
}

bool slu_profile_places(const struct slu_request *req,
			const struct slu_conf *conf)
{
	const struct slu_profile_conf *profile =
		req->profile ? slu_conf_profile(conf, req->profile) : NULL;

	for (size_t i = 0; profile && i < profile->n_option; i++)
		if (!strcasecmp(profile->option[i].key, "storage"))
			return true;
	return false;
}

const struct slu_pool_conf *slu_request_pool(const struct slu_request *req,
					     const struct slu_conf *conf)
{
	const struct slu_fs_conf *fs = slu_conf_fs(conf, req->fs);
	const struct slu_pool_conf *own = NULL;

	if (!req->has_fs || req->persistent)
		return NULL;
	if (req->pool)
		own = slu_conf_pool(conf, req->pool);
	else if (req->tier)
		own = slu_pool_of_tier(conf, fs, req->tier, 0);
	if (!own && fs && !fs->pool && slu_profile_places(req, conf))
		return slu_pool_of(conf, fs) ? default_pool(conf, true) : NULL;
	return own ? own : slu_pool_of(conf, fs);
}

static bool has_pool(const struct slu_conf *conf, const struct slu_fs_conf *fs,
		     const struct slu_pool_conf *pool)
{
	const struct slu_pool_conf *one;

	for (size_t i = 0; (one = slu_pool_nth(conf, fs, i)); i++)
		if (one == pool)
			return true;
	return pool && pool->tier && !fs->pool && has_tiers(fs);
}

bool slu_tiers_text(const struct slu_conf *conf, const struct slu_fs_conf *fs,
		    slu_pool_filled_f *filled, void *arg, char text[SLU_TIERS])
{
	const struct slu_pool_conf *pool;
	size_t len = 0;

	*text = '\0';
	for (int tier = SLU_TIER_PMEM; slu_tier_names[tier]; tier++)
		for (size_t i = 0; (pool = slu_pool_of_tier(
					    conf, fs, (enum slu_tier)tier, i));
		     i++) {
			if (filled && !filled(arg, pool))
				continue;
			len += (size_t)snprintf(text + len, SLU_TIERS - len,
						"%s%s", len ? ", " : "",
						slu_tier_names[tier]);
			break;
		}
	return len;
}

int slu_no_tier(const struct slu_request *req, const char *tiers,
		struct slu_err *err)
{
	return slu_err(err, SLU_INVALID, "no node has tier=%s; there are: %s",
		       slu_tier_names[req->tier], *tiers ? tiers : "none");
}

static int check_tier(const struct slu_request *req,
		      const struct slu_conf *conf, const struct slu_fs_conf *fs,
		      struct slu_err *err)
{
	const struct slu_pool_conf *pool =
		req->pool ? slu_conf_pool(conf, req->pool) : NULL;
	const char *tier = slu_tier_names[req->tier];
	char tiers[SLU_TIERS];

	if (!has_tiers(fs))
		return slu_err(err, SLU_INVALID,
			       "tier=%s: %s lies at a fixed path, which "
			       "belongs to no tier",
			       tier, fs->name);
	if (!slu_tiers_text(conf, fs, NULL, NULL, tiers))
		return slu_err(err, SLU_INVALID,
			       "tier=%s: this site has no tiers for %s (Tier= "
			       "of a Pool in sluice.conf)",
			       tier, fs->name);
	if (pool && pool->tier != req->tier)
		return slu_err(err, SLU_INVALID,
			       "tier=%s: pool %s is not of that tier", tier,
			       pool->name);
	return slu_pool_of_tier(conf, fs, req->tier, 0)
		       ? 0
		       : slu_no_tier(req, tiers, err);
}

/* storage= of a profile is one place, which is of no tier. */
static int check_placed(const struct slu_request *req,
			const struct slu_conf *conf, struct slu_err *err)
{
	const struct slu_pool_conf *pool = slu_request_pool(req, conf);

	if (!slu_profile_places(req, conf) ||
	    (!req->tier && !(pool && pool->tier)))
		return 0;
	if (req->tier)
		return slu_err(err, SLU_INVALID,
			       "tier=%s: profile %s has storage=, a fixed "
			       "path, which belongs to no tier",
			       slu_tier_names[req->tier], req->profile);
	return slu_err(err, SLU_INVALID,
		       "profile %s has storage=, a fixed path, and pool %s "
		       "is of a tier: leave the profile out, or name another "
		       "pool or file system",
		       req->profile, pool->name);
}

int slu_pool_check_tier(const struct slu_request *req,
			const struct slu_conf *conf, struct slu_err *err)
{
	const struct slu_fs_conf *fs = slu_conf_fs(conf, req->fs);

	if (check_placed(req, conf, err))
		return -1;
	return fs && req->tier ? check_tier(req, conf, fs, err) : 0;
}

int slu_pool_check_name(const struct slu_request *req,
			const struct slu_conf *conf, struct slu_err *err)
{
	const struct slu_fs_conf *fs = slu_conf_fs(conf, req->fs);

	if (slu_pool_check_tier(req, conf, err))
		return slu_err_prefix(err, "jobfs");
	if (!req->pool || !fs ||
	    has_pool(conf, fs, slu_conf_pool(conf, req->pool)))
		return 0;
	return slu_err(err, SLU_INVALID,
		       "jobfs: pool=%.64s: file system %s has no such pool (it "
		       "is in %s)",
		       req->pool, fs->name,
		       fs->pool ? fs->pool : "the site's first one");
}

const char *slu_pool_storage(const struct slu_conf *conf,
			     const struct slu_pool_conf *pool)
{
	const char *own;

	if (pool->tier)
		return slu_tier_names[pool->tier];
	for (size_t i = 0; i < conf->n_fs; i++) {
		own = slu_fs_option(&conf->fs[i], "storage", NULL);
		if (own && has_pool(conf, &conf->fs[i], pool))
			return own;
	}
	return conf->node_storage;
}

uint64_t slu_pool_round(const struct slu_pool_conf *pool, uint64_t capacity)
{
	uint64_t over = capacity % pool->granularity;

	if (!over || capacity > INT64_MAX - (pool->granularity - over))
		return capacity; /* larger than any real pool */
	return capacity + (pool->granularity - over);
}

static bool listed(char *const *list, const char *name)
{
	for (; list && *list; list++)
		if (strcmp(*list, name) == 0)
			return true;
	return false;
}

static int check_name(const char *what, const char *name, char *const *allow,
		      char *const *deny, const char *pool, struct slu_err *err)
{
	if (!name || (!listed(deny, name) && (!allow || listed(allow, name))))
		return 0;
	return slu_err(err, SLU_DENIED,
		       "%s %.64s may not have storage of pool %s", what,
		       *name ? name : "of this job", pool);
}

int slu_pool_check(const struct slu_request *req, const struct slu_conf *conf,
		   const char *user, const char *account, struct slu_err *err)
{
	const struct slu_pool_conf *pool = slu_request_pool(req, conf);
	char asked[SLU_SIZE_TEXT], most[SLU_SIZE_TEXT];

	if (!pool)
		return 0;
	if (check_name("user", user, pool->allow_users, pool->deny_users,
		       pool->name, err) ||
	    check_name("account", account ? account : "", pool->allow_accounts,
		       pool->deny_accounts, pool->name, err))
		return -1;
	if (!pool->max_per_job || req->capacity <= pool->max_per_job)
		return 0;
	return slu_err(err, SLU_DENIED,
		       "jobfs: capacity %s is more than the %s that a job may "
		       "have of pool %s (MaxPerJob)",
		       slu_size_text(req->capacity, asked),
		       slu_size_text(pool->max_per_job, most), pool->name);
}
