/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of file system types; that it agrees with the drivers, a test of
 * theirs sees to. */
#include "config.h"
#include "burst_buffer/request/fstype.h"

#include <string.h>
#include <strings.h>
#include "burst_buffer/request/grammar.h"
#include "common/size.h"
#include "common/str.h"
#include "wire/node.h"

static const char *const no_options[] = {NULL};
static const char *const glusterfs_options[] = {"server", "client", "ports",
						"shard", NULL};
static const char *const gekkofs_options[] = {
	"server",  "library", "listen",		 "protocol",
	"daemons", "preload", "unauthenticated", NULL};
static const char *const beeond_options[] = {"server", "config", "meta",
					     "remote", "chunk",	 NULL};
static const char *const lustre_options[] = {
	"root",		"lfs",	       "fsname", "layout",
	"stripe_count", "stripe_size", "pool",	 NULL};

const struct slu_fstype slu_fstypes[] = {
	{.name = "scratch", .options = no_options},
	{.name = "glusterfs",
	 .shared = true,
	 .binds = true,
	 .persistent = true,
	 .uneven = true,
	 .striped = "shard",
	 .options = glusterfs_options},
	{.name = "gekkofs",
	 .shared = true,
	 .binds = true,
	 .pieces = true,
	 .unauthenticated = "GekkoFS asks nobody who he is: whoever reaches "
			    "its ports can read and remove a job's data",
	 .library = "/usr/lib/libgkfs_intercept.so",
	 .options = gekkofs_options},
	{.name = "lustre",
	 .shared = true,
	 .remote = true,
	 .persistent = true,
	 .required = "root",
	 .options = lustre_options},
	{.name = "beeond",
	 .shared = true,
	 .all_nodes = true,
	 .uneven = true,
	 .pieces = true,
	 .options = beeond_options},
	{0},
};

const struct slu_fstype *slu_fstype_find(const char *name)
{
	for (const struct slu_fstype *k = slu_fstypes; name && k->name; k++)
		if (!strcasecmp(k->name, name))
			return k;
	return NULL;
}

bool slu_fstype_has(const struct slu_fstype *type, const char *option)
{
	for (int i = 0; type && type->options[i]; i++)
		if (!strcasecmp(type->options[i], option))
			return true;
	return type && !type->remote && !strcasecmp(option, "storage");
}

bool slu_fstype_in_pieces(const struct slu_plan *plan)
{
	const struct slu_fstype *type = slu_fstype_find(plan->driver);

	return type &&
	       (type->pieces ||
		(type->striped && slu_plan_option(plan, type->striped, NULL)));
}

/* Where instances lie is removed as root: it must be plain where that is. */
static int check_storage(const struct slu_option *option, size_t n,
			 struct slu_err *err)
{
	for (size_t i = 0; i < n; i++)
		if (!strcasecmp(option[i].key, "storage") &&
		    (option[i].value[0] != '/' ||
		     strstr(option[i].value, "/..")))
			return slu_err(err, SLU_INVALID,
				       "storage=%s is not an absolute path",
				       option[i].value);
	return 0;
}

/* BeeGFS refuses others (STRIPEPATTERN_MIN_CHUNKSIZE, and 32 bits). */
static bool is_beegfs_chunk(uint64_t size)
{
	return size >= 65536 && size <= UINT32_MAX && !(size & (size - 1));
}

/* Sizes of chunks; what is wrong would only be found out on the nodes. */
static int check_chunks(const struct slu_option *option, size_t n,
			struct slu_err *err)
{
	uint64_t size;

	for (size_t i = 0; i < n; i++) {
		if ((strcasecmp(option[i].key, "shard") != 0 &&
		     strcasecmp(option[i].key, "stripe_size") != 0 &&
		     strcasecmp(option[i].key, "chunk") != 0) ||
		    !strcasecmp(option[i].value, "auto"))
			continue;
		if (slu_size_parse(option[i].value, &size, err))
			return slu_err_prefix(err, "%s", option[i].key);
		if (!strcasecmp(option[i].key, "chunk") &&
		    !is_beegfs_chunk(size))
			return slu_err(err, SLU_INVALID,
				       "chunk=%s is not a power of two from "
				       "64KiB to 2GiB",
				       option[i].value);
	}
	return 0;
}

const char *slu_fstype_library(const struct slu_fs_conf *fs)
{
	const struct slu_fstype *type = slu_fstype_find(fs->driver);

	return type && type->library
		       ? slu_fs_option(fs, "library", type->library)
		       : NULL;
}

static int check_option(const struct slu_fstype *type, const char *key,
			struct slu_err *err)
{
	const char *near;

	if (slu_fstype_has(type, key))
		return 0;
	near = slu_nearest(key, type->options);
	return slu_err(err, SLU_INVALID, "driver %s has no option %s%s%s",
		       type->name, key, near ? "; did you mean " : "",
		       near ? near : "");
}

static int check_fs(const struct slu_fs_conf *fs, const struct slu_conf *conf,
		    struct slu_err *err)
{
	const struct slu_fstype *type = slu_fstype_find(fs->driver);
	const char *names[16] = {NULL}, *near;
	int i;

	for (i = 0; slu_fstypes[i].name && i < 15; i++)
		names[i] = slu_fstypes[i].name;
	if (!type) {
		near = slu_nearest(fs->driver, names);
		return slu_err(err, SLU_INVALID, "there is no driver %s%s%s",
			       fs->driver, near ? "; did you mean " : "",
			       near ? near : "");
	}
	for (size_t k = 0; k < fs->n_option; k++)
		if (check_option(type, fs->option[k].key, err))
			return -1;
	if (check_storage(fs->option, fs->n_option, err) ||
	    check_chunks(fs->option, fs->n_option, err))
		return -1;
	if (fs->pool && !slu_conf_pool(conf, fs->pool))
		return slu_err(err, SLU_INVALID, "there is no Pool=%s",
			       fs->pool);
	if (type->required && !slu_fs_option(fs, type->required, NULL))
		return slu_err(err, SLU_INVALID,
			       "driver %s needs %s=", type->name,
			       type->required);
	if (type->unauthenticated &&
	    strcasecmp(slu_fs_option(fs, "Unauthenticated", ""), "accept") != 0)
		return slu_err(err, SLU_INVALID,
			       "%s; say Unauthenticated=accept where the "
			       "network may be trusted",
			       type->unauthenticated);
	return 0;
}

/* Any driver's: which one is meant, the request says. */
static bool is_driver_option(const char *key)
{
	for (const struct slu_fstype *k = slu_fstypes; k->name; k++)
		if (slu_fstype_has(k, key))
			return true;
	return false;
}

static int check_profile(const struct slu_profile_conf *profile,
			 const struct slu_conf *conf, struct slu_err *err)
{
	struct slu_request req = {.tolerate = UINT32_MAX};
	struct slu_err why;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < profile->n_option; i++) {
		const char *key = profile->option[i].key;

		rc = slu_request_preset(&req, key, profile->option[i].value,
					&why);
		if (rc && why.kind == SLU_NOTFOUND)
			rc = is_driver_option(key) ? 0
						   : slu_err(err, SLU_INVALID,
							     "%s", why.text);
		else if (rc)
			*err = why;
	}
	if (rc == 0)
		rc = check_storage(profile->option, profile->n_option, err) ||
				     check_chunks(profile->option,
						  profile->n_option, err)
			     ? -1
			     : 0;
	if (rc == 0 && req.fs && !slu_conf_fs(conf, req.fs))
		rc = slu_err(err, SLU_INVALID, "there is no FileSystem=%s",
			     req.fs);
	slu_request_free(&req);
	return rc;
}

int slu_site_check(const struct slu_conf *conf, struct slu_err *err)
{
	for (size_t i = 0; i < conf->n_fs; i++)
		if (check_fs(&conf->fs[i], conf, err))
			return slu_err_prefix(err, "FileSystem %s",
					      conf->fs[i].name);
	for (size_t i = 0; i < conf->n_profile; i++)
		if (check_profile(&conf->profile[i], conf, err))
			return slu_err_prefix(err, "Profile %s",
					      conf->profile[i].name);
	return 0;
}

struct slu_conf *slu_site_load(const char *path, struct slu_err *err)
{
	struct slu_conf *conf = slu_conf_load(path, err);

	if (!conf || !slu_site_check(conf, err))
		return conf;
	slu_err_prefix(err, "%s", path);
	slu_conf_free(conf);
	return NULL;
}
