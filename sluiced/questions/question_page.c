/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers the question "page": the data of sysquery's page
 * (sysquery/page/page.h). To the data of the database it adds what only the
 * daemon knows: pools, the progress of buffers, the I/O nodes.
 */
#include <string.h>

#include "common/clock.h"
#include "burst_buffer/lifecycle/reports/buffer_report.h"
#include "common/jsonx.h"
#include "sluiced/daemon.h"
#include "sluiced/questions/answerers.h"
#include "sysquery/page/page.h"

static struct json_object *pools(const struct slu_daemon *d)
{
	struct json_object *list = json_object_new_array(), *one;

	for (size_t i = 0; i < d->supply.n_pools; i++) {
		const struct slu_pool_capacity *p = &d->supply.pools[i];

		one = json_object_new_object();
		slu_json_set_str(one, "name", p->name);
		slu_json_set_u64(one, "total_bytes", p->total);
		slu_json_set_u64(one, "free_bytes", p->available);
		slu_json_set_u64(one, "used_bytes",
				 slu_buffers_held(d->buffers, p->name));
		slu_json_set_u64(one, "kept_bytes", p->kept);
		json_object_array_add(list, one);
	}
	return list;
}

struct json_object *slu_page_prepare(const struct slu_daemon *d,
				     const struct slu_asker *who,
				     struct json_object *args)
{
	struct json_object *live = json_object_new_object();
	struct json_object *ions = json_object_new_object();

	(void)args;
	if (d->epoch) {
		slu_json_set_str(ions, "policy", d->epoch->a.policy);
		slu_json_set_u64(ions, "pool", d->epoch->a.pool);
		slu_json_set_double(ions, "total_mbps", d->epoch->a.total);
	}
	json_object_object_add(live, "pools", pools(d));
	json_object_object_add(live, "ions", ions);
	json_object_object_add(
		live, "progress",
		slu_buffers_progress(d->buffers, 0,
				     who->admin ? SLU_NO_ID : who->uid));
	return live;
}

static void add_progress(struct json_object *doc, struct json_object *live)
{
	struct json_object *buffers, *list, *progress, *buffer, *text;
	const char *id;

	if (!json_object_object_get_ex(doc, "buffers", &buffers) ||
	    !json_object_object_get_ex(buffers, "alive", &list) ||
	    !json_object_object_get_ex(live, "progress", &progress))
		return;
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		buffer = json_object_array_get_idx(list, i);
		id = json_object_get_string(
			json_object_object_get(buffer, "buffer"));
		if (id && json_object_object_get_ex(progress, id, &text))
			json_object_object_add(buffer, "progress",
					       json_object_get(text));
	}
}

static void add_ions(struct json_object *doc, struct json_object *live)
{
	struct json_object *part, *ions;

	if (!json_object_object_get_ex(live, "ions", &part) ||
	    !json_object_object_get_ex(doc, "ions", &ions))
		return;
	json_object_object_foreach(part, key, value)
		json_object_object_add(ions, key, json_object_get(value));
}

static void add_live(struct json_object *doc, struct json_object *live)
{
	struct json_object *part;

	if (json_object_object_get_ex(live, "pools", &part))
		json_object_object_add(doc, "pools", json_object_get(part));
	add_ions(doc, live);
	add_progress(doc, live);
}

int slu_page_answer(struct slu_db *db, const struct slu_asker *who,
		    struct json_object *args, struct slu_buf *out,
		    struct slu_err *err)
{
	/* the end of this second, so that what has just begun is included */
	struct slu_page_query q = {.now = (int64_t)slu_now_wall() + 1};
	struct json_object *doc;

	if (slu_asked_uid(who, args, &q.uid, err) < 0 ||
	    slu_json_i64_opt(args, "now", &q.now, err) < 0 ||
	    slu_json_i64_opt(args, "since", &q.since, err) < 0)
		return -1;
	doc = slu_page_collect(db, &q, err);
	if (!doc)
		return -1;
	add_live(doc, who->live);
	slu_buf_puts(out, slu_json_utf8(doc));
	json_object_put(doc);
	return out->failed ? slu_err(err, SLU_NOMEM, "too long an answer") : 0;
}
