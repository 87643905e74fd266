/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file that cannot be read leaves a site that refuses what needs one. */
#include "config.h"
#include "ctl/site.h"
#include "common/file.h"
#include "common/str.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include "burst_buffer/request/fstype.h"

#define TABLE_MAX  ((size_t)4 << 20)
#define PASSWD_MAX ((size_t)1 << 20) /* of one user */

/* As getpwnam_r(3), with as much room as it takes: 0 and *uid, or ENOENT. */
static int look_up(const char *name, uid_t *uid)
{
	struct passwd pw, *found = NULL;
	char *buf = NULL, *grown;
	int rc = ERANGE;

	for (size_t cap = 4096; rc == ERANGE && cap <= PASSWD_MAX; cap *= 4) {
		grown = realloc(buf, cap);
		if (!grown) {
			rc = ENOMEM;
			break;
		}
		buf = grown;
		rc = getpwnam_r(name, &pw, buf, cap, &found);
	}
	if (found)
		*uid = pw.pw_uid;
	free(buf);
	return rc == ESRCH || (!rc && !found) ? ENOENT : rc;
}

/* The first that cannot be looked up stands for all. */
static int add_why(struct slu_site *site, const char *name, int why)
{
	char text[128];

	if (why == ENOENT) {
		slu_buf_printf(&site->unknown, "%s%s",
			       site->unknown.len ? ", " : "", name);
		return site->unknown.failed ? -1 : 0;
	}
	if (site->users_why_not)
		return 0;
	site->users_why_not = slu_asprintf("%s: %s", name,
					   strerror_r(why, text, sizeof(text)));
	return site->users_why_not ? 0 : -1;
}

static int add_user(struct slu_site *site, const char *name)
{
	struct slu_site_user *grown;
	uid_t uid;
	int why = look_up(name, &uid);

	if (why)
		return add_why(site, name, why);
	grown = realloc(site->user, (site->n_user + 1) * sizeof(*grown));
	if (!grown)
		return -1;
	site->user = grown;
	grown[site->n_user].uid = uid;
	grown[site->n_user].name = strdup(name);
	if (!grown[site->n_user].name)
		return -1;
	site->n_user++;
	return 0;
}

static int add_users(struct slu_site *site, char *const *names)
{
	for (; names && *names; names++)
		if (add_user(site, *names) < 0)
			return -1;
	return 0;
}

/* A bad table is left out: jobs then count as unknown. */
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
	site->conf = slu_site_load(path, err);
	if (!site->conf)
		return -1;
	site->predictor = slu_predictor_new(SLU_PREDICT_CLASSES,
					    site->conf->predict_quantile,
					    site->conf->predict_floor, err);
	if (!site->predictor)
		return -1;
	load_patterns(site);
	if (add_users(site, site->conf->allow_users) < 0 ||
	    add_users(site, site->conf->deny_users) < 0)
		return slu_err(err, SLU_NOMEM, "out of memory");
	for (size_t i = 0; i < site->conf->n_pool; i++)
		if (add_users(site, site->conf->pool[i].allow_users) < 0 ||
		    add_users(site, site->conf->pool[i].deny_users) < 0)
			return slu_err(err, SLU_NOMEM, "out of memory");
	return 0;
}

struct slu_site *slu_site_new(const char *conf_path)
{
	struct slu_site *site = calloc(1, sizeof(*site));
	struct slu_err err;

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
	for (size_t i = 0; i < site->n_user; i++)
		free(site->user[i].name);
	free(site->user);
	slu_buf_free(&site->unknown);
	free(site->users_why_not);
	slu_predictor_free(site->predictor);
	slu_patterns_free(site->patterns);
	free(site->patterns_why_not);
	slu_conf_free(site->conf);
	free(site->why_not);
	free(site);
}

const char *slu_site_user(const struct slu_site *site, uid_t uid)
{
	for (size_t i = 0; i < site->n_user; i++)
		if (site->user[i].uid == uid)
			return site->user[i].name;
	return NULL;
}
