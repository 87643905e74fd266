/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads the site: sluice.conf, an untrained predictor, and the
 * PerformanceTable. If sluice.conf cannot be read there is still a site, which
 * refuses whatever needs one.
 */
#include "config.h"
#include "ctl/site.h"
#include "common/file.h"
#include "common/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>
#include "burst_buffer/request/site/fstype.h"

#define TABLE_MAX ((size_t)4 << 20)

static void free_users(struct slu_site_users *users)
{
	for (size_t i = 0; i < users->n; i++)
		free(users->user[i].name);
	free(users->user);
	*users = (struct slu_site_users){0};
}

static struct slu_site_user *find_user(const struct slu_site *site,
				       const char *name)
{
	for (size_t i = 0; i < site->users.n; i++)
		if (!strcmp(site->users.user[i].name, name))
			return &site->users.user[i];
	return NULL;
}

void slu_site_answer(struct slu_site *site, const char *name, int why_not,
		     uid_t uid)
{
	struct slu_site_user *u = find_user(site, name);

	if (!u)
		return;
	u->why_not = why_not;
	if (!why_not || why_not == ENOENT)
		u->uid = why_not ? -1 : (int64_t)uid;
}

void slu_site_keep_users(struct slu_site *site, const struct slu_site *old)
{
	struct slu_site_user *u;

	for (size_t i = 0; i < old->users.n; i++) {
		u = find_user(site, old->users.user[i].name);
		if (u)
			u->uid = old->users.user[i].uid;
	}
}

bool slu_site_users_missing(const struct slu_site *site)
{
	for (size_t i = 0; i < site->users.n; i++)
		if (site->users.user[i].uid < 0 &&
		    site->users.user[i].why_not != ENOENT)
			return true;
	return false;
}

static int add_names(struct slu_site *site, char *const *names)
{
	struct slu_site_users *users = &site->users;
	struct slu_site_user *grown;
	char *name;

	for (; names && *names; names++) {
		if (find_user(site, *names))
			continue;
		grown = realloc(users->user, (users->n + 1) * sizeof(*grown));
		if (!grown)
			return -1;
		users->user = grown;
		name = strdup(*names);
		if (!name)
			return -1;
		grown[users->n++] = (struct slu_site_user){
			.name = name, .uid = -1, .why_not = SLU_UNASKED};
	}
	return 0;
}

static int load_users(struct slu_site *site, const struct slu_conf *conf)
{
	if (add_names(site, conf->allow_users) < 0 ||
	    add_names(site, conf->deny_users) < 0)
		return -1;
	for (size_t i = 0; i < conf->n_pool; i++)
		if (add_names(site, conf->pool[i].allow_users) < 0 ||
		    add_names(site, conf->pool[i].deny_users) < 0)
			return -1;
	return 0;
}

/* Without a valid table the patterns of jobs count as unknown. */
static void load_patterns(struct slu_site *site)
{
	const char *path = site->conf->performance_table;
	struct slu_buf text = {0};
	struct slu_err err;

	if (!path)
		return;
	if (slu_file_read(AT_FDCWD, path, TABLE_MAX, &text, &err) == 0)
		site->patterns = slu_patterns_parse(text.data ? text.data : "",
						    path, &err);
	else
		slu_err_prefix(&err, "PerformanceTable %s", path);
	if (!site->patterns)
		site->patterns_why_not = strdup(err.text);
	slu_buf_free(&text);
}

static int load(struct slu_site *site, const char *path, struct slu_err *err)
{
	struct slu_buf text = {0};

	site->conf = slu_site_load(path, &text, err);
	site->hash = XXH3_64bits(text.data, text.len);
	slu_buf_free(&text);
	if (!site->conf)
		return -1;
	site->predictor = slu_predictor_new(SLU_PREDICT_CLASSES,
					    site->conf->predict_quantile,
					    site->conf->predict_floor, err);
	if (!site->predictor)
		return -1;
	load_patterns(site);
	site->het_asked =
		calloc(site->conf->n_pool + 1, sizeof(*site->het_asked));
	if (!site->het_asked || load_users(site, site->conf) < 0)
		return slu_err(err, SLU_NOMEM, "out of memory");
	return 0;
}

struct slu_site *slu_site_new(const char *conf_path)
{
	struct slu_site *site = calloc(1, sizeof(*site));
	struct slu_err err;

	if (site)
		site->read = (int64_t)time(NULL);
	if (!site || load(site, conf_path, &err) == 0)
		return site;
	slu_conf_free(site->conf);
	site->conf = NULL;
	site->why_not = strdup(err.text);
	if (site->why_not)
		return site;
	slu_site_free(site);
	return NULL;
}

void slu_site_free(struct slu_site *site)
{
	if (!site)
		return;
	free_users(&site->users);
	slu_predictor_free(site->predictor);
	slu_patterns_free(site->patterns);
	free(site->patterns_why_not);
	free(site->het_asked);
	slu_conf_free(site->conf);
	free(site->why_not);
	free(site);
}

const char *slu_site_user(const struct slu_site *site, uid_t uid)
{
	for (size_t i = 0; i < site->users.n; i++)
		if (site->users.user[i].uid == uid)
			return site->users.user[i].name;
	return NULL;
}
