/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Adds what the database does not have to the arguments of the questions
 * "summary" and "storage" of the resource map: this site's NodeStorage and the
 * tiers of its pools, by which it follows which devices Sluice uses. Both are
 * then answered by sysquery/query.c.
 */
#include "sluiced/questions/answerers.h"

#include <stdlib.h>
#include "burst_buffer/request/site/pool.h"
#include "common/jsonx.h"
#include "sluiced/daemon.h"
#include "sluiced/one_device.h"
#include "sysquery/query.h"

/* May jobs with this file system get this pool? */
static bool has_pool(const struct slu_conf *conf, const struct slu_fs_conf *fs,
		     const struct slu_pool_conf *pool)
{
	const struct slu_pool_conf *p = NULL;
	size_t i = 0;

	do {
		p = pool->tier ? slu_pool_of_tier(conf, fs, pool->tier, i)
			       : slu_pool_nth(conf, fs, i);
		i++;
	} while (p && p != pool);
	return p != NULL;
}

/* The file systems with this pool, or with one without a tier (NULL), whose
 * shares lie on all devices of a node: "a, b". Caller frees; NULL: none. */
static char *spread_in(const struct slu_conf *conf,
		       const struct slu_pool_conf *pool)
{
	struct slu_buf names = {0};

	for (size_t i = 0; i < conf->n_fs; i++) {
		const struct slu_fs_conf *fs = &conf->fs[i];
		bool has = false;

		for (size_t k = 0; slu_fs_spreads(fs) && k < conf->n_pool; k++)
			has |= (pool ? pool == &conf->pool[k]
				     : !conf->pool[k].tier) &&
			       has_pool(conf, fs, &conf->pool[k]);
		if (has)
			slu_buf_printf(&names, "%s%s", names.len ? ", " : "",
				       fs->name);
	}
	return slu_buf_steal(&names);
}

/* pool: the choice is that of its tier; NULL: it is NodeStorage. */
static void add_choice(struct json_object *choices, const struct slu_conf *conf,
		       const char *who, const struct slu_pool_conf *pool)
{
	struct json_object *one = json_object_new_object();
	char *nodes =
		pool && pool->nodes.n ? slu_hosts_text(&pool->nodes) : NULL;
	char *spread = conf->node_devices == SLU_DEVICES_ALL
			       ? spread_in(conf, pool)
			       : NULL;

	slu_json_set_str(one, "for", who);
	slu_json_set_str(one, "choice",
			 pool ? slu_pool_storage(conf, pool)
			      : conf->node_storage);
	slu_json_set_bool(one, "each", slu_conf_has_devices(conf));
	if (spread && *spread)
		slu_json_set_str(one, "spread", spread);
	if (nodes)
		slu_json_set_str(one, "nodes", nodes);
	json_object_array_add(choices, one);
	free(spread);
	free(nodes);
}

/* The choices of NodeStorage, unless each pool has a tier, and of the pools
 * with one. */
static struct json_object *choices_of(const struct slu_conf *conf)
{
	struct json_object *choices = json_object_new_array();
	char who[300];
	bool left = false;

	for (size_t i = 0; i < conf->n_pool; i++)
		left |= !conf->pool[i].tier;
	if (left)
		add_choice(choices, conf, "NodeStorage", NULL);
	for (size_t i = 0; i < conf->n_pool; i++) {
		const struct slu_pool_conf *pool = &conf->pool[i];

		if (!pool->tier)
			continue;
		snprintf(who, sizeof(who), "pool %s", pool->name);
		add_choice(choices, conf, who, pool);
	}
	return choices;
}

struct json_object *slu_prepare_storage(const struct slu_daemon *d,
					const struct slu_asker *who,
					struct json_object *args)
{
	(void)who;
	slu_json_set_str(args, "choice", d->conf->node_storage);
	slu_json_set_bool(args, "each", slu_conf_has_devices(d->conf));
	json_object_object_add(args, "choices", choices_of(d->conf));
	return NULL;
}

int slu_answer_summary(struct slu_db *db, const struct slu_asker *who,
		       struct json_object *args, struct slu_buf *out,
		       struct slu_err *err)
{
	(void)who;
	return slu_query_find("summary")->answer(db, args, out, err);
}

int slu_answer_storage(struct slu_db *db, const struct slu_asker *who,
		       struct json_object *args, struct slu_buf *out,
		       struct slu_err *err)
{
	(void)who;
	return slu_query_find("storage")->answer(db, args, out, err);
}
