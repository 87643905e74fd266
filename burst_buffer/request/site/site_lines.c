/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks the FileSystem and Profile lines of sluice.conf against the drivers'
 * table and the grammar of requests, which the general reader (common/conf.h)
 * does not know; then chooses the default file system where no line says so.
 */
#include "config.h"
#include "burst_buffer/request/site/coherence.h"
#include "burst_buffer/request/site/fsoption.h"
#include "burst_buffer/request/site/fstype.h"
#include "burst_buffer/request/site/resolve.h"
#include "burst_buffer/request/verbs/grammar.h"

#include <string.h>
#include <strings.h>
#include "common/str.h"

static int check_option(const struct slu_fstype *type,
			const struct slu_option *option, struct slu_err *err)
{
	const char *near;

	if (slu_fstype_has(type, option->key))
		return slu_fsoption_check(option, err);
	if (type->missing && !strcasecmp(option->key, type->missing))
		return slu_err(err, SLU_INVALID,
			       "driver %s has no option %s: "
			       "%s",
			       type->name, type->missing, type->missing_why);
	near = slu_nearest(option->key, type->options);
	return slu_err(err, SLU_INVALID, "driver %s has no option %s%s%s",
		       type->name, option->key, near ? "; did you mean " : "",
		       near ? near : "");
}

static int check_pools(const struct slu_fs_conf *fs,
		       const struct slu_conf *conf, struct slu_err *err)
{
	const char *list = fs->pool ? fs->pool : "";
	char name[256], other[256];
	size_t i, commas = 0;

	for (i = 0; slu_list_word(list, i, name, sizeof(name)); i++) {
		if (!slu_conf_pool(conf, name))
			return slu_err(err, SLU_INVALID, "there is no Pool=%s",
				       name);
		if (slu_conf_pool(conf, name)->tier &&
		    slu_fs_option(fs, "storage", NULL))
			return slu_err(err, SLU_INVALID,
				       "storage= is a fixed path, and "
				       "Pool=%s is of a tier: leave one of "
				       "them out",
				       name);
		for (size_t k = 0; k < i; k++)
			if (slu_list_word(list, k, other, sizeof(other)) &&
			    !strcmp(name, other))
				return slu_err(err, SLU_INVALID,
					       "Pool=%s has %s twice", list,
					       name);
	}
	for (const char *p = list; (p = strchr(p, ',')); p++)
		commas++;
	return commas < (i ? i : 1)
		       ? 0
		       : slu_err(err, SLU_INVALID,
				 "Pool=%s: a name is missing beside a comma",
				 list);
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
		if (check_option(type, &fs->option[k], err))
			return -1;
	if (check_pools(fs, conf, err))
		return -1;
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

/* An option of any driver: which one is used depends on the request. */
static bool is_driver_option(const char *key)
{
	for (const struct slu_fstype *k = slu_fstypes; k->name; k++)
		if (slu_fstype_has(k, key))
			return true;
	return false;
}

/* An option of a profile that presets no key of a request is an option of the
 * driver. */
static int check_profile_option(const struct slu_fstype *type,
				const struct slu_option *option,
				struct slu_err *err)
{
	struct slu_request req = {.tolerate = UINT32_MAX};
	struct slu_err why;
	int rc = slu_request_preset(&req, option->key, option->value, &why);

	slu_request_free(&req);
	if (rc == 0)
		return 0;
	if (why.kind == SLU_NOTFOUND && is_driver_option(option->key))
		return type ? check_option(type, option, err)
			    : slu_fsoption_check(option, err);
	return slu_err(err, SLU_INVALID, "%s", why.text);
}

/* Can this site provide what a request gets that names only the profile? */
static int check_preset(const struct slu_request *req,
			const struct slu_conf *conf, struct slu_err *err)
{
	struct slu_request as = *req;
	const struct slu_fs_conf *fs =
		req->fs ? slu_conf_fs(conf, req->fs)
			: slu_coherence_fs(conf, req->coherence, NULL);

	if (!req->coherence)
		return 0;
	if (!fs)
		return slu_err(err, SLU_INVALID,
			       "coherence=%s: this site has no such file "
			       "system",
			       slu_coherence_names[req->coherence]);
	as.fs = fs->name;
	return slu_check_coherence(&as, conf, NULL, err);
}

static int check_profile_coherence(const struct slu_profile_conf *profile,
				   const struct slu_conf *conf,
				   struct slu_err *err)
{
	struct slu_request req = {.profile = profile->name,
				  .tolerate = UINT32_MAX};
	int rc = slu_apply_profile(&req, conf, err) ||
		 check_preset(&req, conf, err);

	req.profile = NULL; /* borrowed */
	slu_request_free(&req);
	return rc ? -1 : 0;
}

static bool has_option(const struct slu_profile_conf *profile, const char *key)
{
	for (size_t i = 0; i < profile->n_option; i++)
		if (!strcasecmp(profile->option[i].key, key))
			return true;
	return false;
}

static int check_profile(const struct slu_profile_conf *profile,
			 const struct slu_conf *conf, struct slu_err *err)
{
	const struct slu_fstype *type = NULL;

	for (size_t i = 0; i < profile->n_option; i++) {
		const struct slu_option *o = &profile->option[i];
		const struct slu_fs_conf *fs;

		if (strcasecmp(o->key, "type") != 0)
			continue;
		fs = slu_conf_fs(conf, o->value);
		if (!fs)
			return slu_err(err, SLU_INVALID,
				       "there is no FileSystem=%s", o->value);
		type = slu_fstype_find(fs->driver);
	}
	for (size_t i = 0; i < profile->n_option; i++)
		if (check_profile_option(type, &profile->option[i], err))
			return -1;
	if (has_option(profile, "storage") && has_option(profile, "tier"))
		return slu_err(err, SLU_INVALID,
			       "storage= is a fixed path, which belongs to "
			       "no tier: leave storage= or tier= out");
	if (has_option(profile, "pool") && has_option(profile, "tier"))
		return slu_err(err, SLU_INVALID,
			       "a pool is of one tier: leave pool= or tier= "
			       "out");
	return check_profile_coherence(profile, conf, err);
}

int slu_site_check(const struct slu_conf *conf, const char *name,
		   struct slu_err *err)
{
	for (size_t i = 0; i < conf->n_fs; i++)
		if (check_fs(&conf->fs[i], conf, err))
			return slu_err_prefix(err, "%s:%d: FileSystem %s", name,
					      conf->fs[i].line,
					      conf->fs[i].name);
	for (size_t i = 0; i < conf->n_profile; i++)
		if (check_profile(&conf->profile[i], conf, err))
			return slu_err_prefix(err, "%s:%d: Profile %s", name,
					      conf->profile[i].line,
					      conf->profile[i].name);
	return 0;
}

static void choose_default(struct slu_conf *conf)
{
	size_t best = 0;

	if (!conf->n_fs || conf->default_said)
		return;
	for (size_t i = 0; i < conf->n_fs; i++) {
		conf->fs[i].is_default = false;
		if (slu_fstype_coherence(&conf->fs[i]) >
		    slu_fstype_coherence(&conf->fs[best]))
			best = i;
	}
	conf->fs[best].is_default = true;
}

struct slu_conf *slu_site_load(const char *path, struct slu_buf *text,
			       struct slu_err *err)
{
	struct slu_buf mine = {0};
	struct slu_conf *conf =
		slu_conf_load_text(path, text ? text : &mine, err);

	slu_buf_free(&mine);
	if (!conf)
		return NULL;
	if (slu_site_check(conf, path, err)) {
		slu_conf_free(conf);
		return NULL;
	}
	choose_default(conf);
	return conf;
}
