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

/* Each would take as long to fail: the others have to wait. It is the last to
 * be asked for again, so that it does not stand in their way. */
static int put_off(struct slu_site_users *users, size_t i, int why)
{
	struct slu_site_user failed = users->user[i];
	char text[128];

	memmove(&users->user[i], &users->user[i + 1],
		(users->n - i - 1) * sizeof(failed));
	users->user[users->n - 1] = failed;
	users->why_not = slu_asprintf("%s: %s", failed.name,
				      strerror_r(why, text, sizeof(text)));
	return users->why_not ? 0 : -1;
}

static int look_all_up(struct slu_site_users *users)
{
	for (size_t i = 0; i < users->n; i++) {
		struct slu_site_user *u = &users->user[i];
		int was = u->why_not, why = was ? look_up(u->name, &u->uid) : 0;

		if (why && why != ENOENT)
			return put_off(users, i, why);
		u->why_not = why;
		if (why && why != was)
			slu_buf_printf(&users->unknown, "%s%s",
				       users->unknown.len ? ", " : "", u->name);
	}
	return users->unknown.failed ? -1 : 0;
}

int slu_site_look_up(const struct slu_site *site, struct slu_site_users *users)
{
	const struct slu_site_users *old = &site->users;

	*users = (struct slu_site_users){.n = old->n};
	users->user = calloc(old->n + 1, sizeof(*users->user));
	if (!users->user)
		return -1;
	if (old->n)
		memcpy(users->user, old->user, old->n * sizeof(*users->user));
	if (look_all_up(users) == 0)
		return 0;
	slu_site_users_free(users);
	return -1;
}

void slu_site_users_free(struct slu_site_users *users)
{
	free(users->user);
	slu_buf_free(&users->unknown);
	free(users->why_not);
	*users = (struct slu_site_users){0};
}

static bool has_name(const struct slu_site_users *users, const char *name)
{
	for (size_t i = 0; i < users->n; i++)
		if (!strcmp(users->user[i].name, name))
			return true;
	return false;
}

static int add_names(struct slu_site_users *users, char *const *names)
{
	struct slu_site_user *grown;

	for (; names && *names; names++) {
		if (has_name(users, *names))
			continue;
		grown = realloc(users->user, (users->n + 1) * sizeof(*grown));
		if (!grown)
			return -1;
		users->user = grown;
		grown[users->n++] = (struct slu_site_user){.name = *names,
							   .why_not = EAGAIN};
	}
	return 0;
}

static int load_users(struct slu_site_users *users, const struct slu_conf *conf)
{
	if (add_names(users, conf->allow_users) < 0 ||
	    add_names(users, conf->deny_users) < 0)
		return -1;
	for (size_t i = 0; i < conf->n_pool; i++)
		if (add_names(users, conf->pool[i].allow_users) < 0 ||
		    add_names(users, conf->pool[i].deny_users) < 0)
			return -1;
	return look_all_up(users);
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
	site->het_asked =
		calloc(site->conf->n_pool + 1, sizeof(*site->het_asked));
	if (!site->het_asked || load_users(&site->users, site->conf) < 0)
		return slu_err(err, SLU_NOMEM, "out of memory");
	return 0;
}

struct slu_site *slu_site_new(const char *conf_path)
{
	struct slu_site *site = calloc(1, sizeof(*site));
	struct slu_err err;

	if (!site || load(site, conf_path, &err) == 0)
		return site;
	slu_site_users_free(&site->users); /* its names are conf's */
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
	slu_site_users_free(&site->users);
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
		if (!site->users.user[i].why_not &&
		    site->users.user[i].uid == uid)
			return site->users.user[i].name;
	return NULL;
}
