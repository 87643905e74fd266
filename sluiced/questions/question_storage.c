/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers the questions "summary" and "storage" of the resource map: which
 * devices of the nodes Sluice would use, by this site's NodeStorage and the
 * tiers of its pools, which the database does not have.
 */
#include "sluiced/questions/answerers.h"

#include <stdlib.h>
#include "burst_buffer/request/site/pool.h"
#include "common/jsonx.h"
#include "sluiced/daemon.h"
#include "sysquery/query.h"

static void add_choice(struct json_object *choices, const char *who,
		       const char *choice, bool each,
		       const struct slu_hosts *nodes)
{
	struct json_object *one = json_object_new_object();
	char *text = nodes && nodes->n ? slu_hosts_text(nodes) : NULL;

	slu_json_set_str(one, "for", who);
	slu_json_set_str(one, "choice", choice);
	slu_json_set_bool(one, "each", each);
	if (text)
		slu_json_set_str(one, "nodes", text);
	json_object_array_add(choices, one);
	free(text);
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
		add_choice(choices, "NodeStorage", conf->node_storage,
			   slu_conf_has_devices(conf), NULL);
	for (size_t i = 0; i < conf->n_pool; i++) {
		const struct slu_pool_conf *pool = &conf->pool[i];

		if (!pool->tier)
			continue;
		snprintf(who, sizeof(who), "pool %s", pool->name);
		add_choice(choices, who, slu_pool_storage(conf, pool),
			   slu_conf_has_devices(conf), &pool->nodes);
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
