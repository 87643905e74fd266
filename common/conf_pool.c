/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the lines Pool=NAME of sluice.conf. Their KEY=VALUE words have a table
 * of their own, which works as the one in conf_keys.c does.
 */
#include "config.h"
#include "common/conf_fs.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "common/str.h"

#define FIELD(name) offsetof(struct slu_pool_conf, name)

static const struct {
	const char *key;
	int (*read)(const char *value, void *field, struct slu_err *err);
	size_t offset;
} keys[] = {
	{"Nodes", slu_conf_read_hosts, FIELD(nodes)},
	{"Tier", slu_conf_read_tier, FIELD(tier)},
	{"Size", slu_conf_read_size, FIELD(size)},
	{"Granularity", slu_conf_read_size, FIELD(granularity)},
	{"MaxPerJob", slu_conf_read_size, FIELD(max_per_job)},
	{"MaxPerUser", slu_conf_read_size, FIELD(max_per_user)},
	{"AllowUsers", slu_conf_read_users, FIELD(allow_users)},
	{"DenyUsers", slu_conf_read_users, FIELD(deny_users)},
	{"AllowAccounts", slu_conf_read_users, FIELD(allow_accounts)},
	{"DenyAccounts", slu_conf_read_users, FIELD(deny_accounts)},
};

#define KEYS (sizeof(keys) / sizeof(keys[0]))

void slu_pool_conf_clear(struct slu_pool_conf *pool)
{
	free(pool->name);
	slu_hosts_free(&pool->nodes);
	slu_strv_free(pool->allow_users);
	slu_strv_free(pool->deny_users);
	slu_strv_free(pool->allow_accounts);
	slu_strv_free(pool->deny_accounts);
	*pool = (struct slu_pool_conf){0};
}

static int unknown(const char *key, struct slu_err *err)
{
	const char *names[KEYS + 1] = {0}, *near;

	for (size_t i = 0; i < KEYS; i++)
		names[i] = keys[i].key;
	near = slu_nearest(key, names);
	return slu_err(err, SLU_INVALID, "a pool has no %s%s%s", key,
		       near ? "; did you mean " : "", near ? near : "");
}

static int read_pair(struct slu_pool_conf *pool, char *word, unsigned *given,
		     struct slu_err *err)
{
	char *value = slu_conf_cut(word, err);
	size_t i = 0;

	if (!value)
		return -1;
	while (i < KEYS && strcasecmp(keys[i].key, word) != 0)
		i++;
	if (i == KEYS)
		return unknown(word, err);
	if (*given & 1u << i)
		return slu_err(err, SLU_INVALID, "%s is given twice", word);
	*given |= 1u << i;
	if (keys[i].read(value, (char *)pool + keys[i].offset, err) < 0)
		return slu_err_prefix(err, "%s", keys[i].key);
	return 0;
}

static int read_words(struct slu_pool_conf *pool, char *words,
		      struct slu_err *err)
{
	unsigned given = 0;
	char *save, *word;

	pool->name = slu_conf_name(words, &save, err);
	if (!pool->name)
		return -1;
	while ((word = strtok_r(NULL, " \t", &save)))
		if (read_pair(pool, word, &given, err) < 0)
			return -1;
	if (!pool->granularity)
		pool->granularity = 1;
	return 0;
}

static int add(struct slu_conf *conf, const struct slu_pool_conf *pool,
	       struct slu_err *err)
{
	struct slu_pool_conf *more;

	if (slu_conf_pool(conf, pool->name))
		return slu_err(err, SLU_INVALID, "%s is given twice",
			       pool->name);
	more = realloc(conf->pool, (conf->n_pool + 1) * sizeof(*more));
	if (!more)
		return slu_err(err, SLU_NOMEM, "no memory");
	conf->pool = more;
	more[conf->n_pool++] = *pool;
	return 0;
}

int slu_conf_read_pool(const char *value, void *field, struct slu_err *err)
{
	struct slu_pool_conf pool = {0};
	char *words = strdup(value);
	int rc = -1;

	if (!words)
		return slu_err(err, SLU_NOMEM, "no memory");
	if (read_words(&pool, words, err) == 0)
		rc = add(field, &pool, err);
	if (rc < 0)
		slu_pool_conf_clear(&pool);
	free(words);
	return rc;
}

const struct slu_pool_conf *slu_conf_pool(const struct slu_conf *conf,
					  const char *name)
{
	for (size_t i = 0; i < conf->n_pool; i++)
		if (strcmp(conf->pool[i].name, name) == 0)
			return &conf->pool[i];
	return NULL;
}
