/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers the question "stripe": how should a file be laid out on Lustre, and
 * why? Uses the storage servers' last reports of how many targets there are and
 * how full.
 */
#include "select_io/stripe/composite_layout.h"

#include <stdlib.h>

#include "common/jsonx.h"
#include "select_io/ost/choose.h"
#include "sluiced/daemon.h"
#include "sluiced/ingestion/server_reports.h"
#include "sluiced/questions/answerers.h"
#include "sluiced/questions/io/question_stripe.h"

/* Is it an MDT of the file system that this OST is of? */
static bool is_beside(const char *mdt, const char *ost)
{
	const char *end = ost ? strstr(ost, "-OST") : NULL;
	size_t len = end ? (size_t)(end - ost) : 0;

	return mdt && len > 0 && strncmp(mdt, ost, len) == 0 &&
	       strncmp(mdt + len, "-MDT", 4) == 0;
}

/* What all MDTs of the file system that have said so take of a file. */
static void take_mdts(struct json_object *servers, const char *ost,
		      struct slu_stripe_request *r)
{
	struct json_object_iter at;

	json_object_object_foreachC(servers, at)
	{
		struct json_object *mdts = slu_json_list_at(at.val, "mdts");

		for (size_t i = 0; i < slu_json_length(mdts); i++) {
			struct json_object *mdt =
				json_object_array_get_idx(mdts, i);
			uint64_t most;

			if (!is_beside(slu_json_str_at(mdt, "name"), ost) ||
			    !json_object_object_get_ex(mdt, "file_bytes", NULL))
				continue;
			most = slu_json_u64_at(mdt, "file_bytes");
			if (!r->mdt_told || most < r->mdt_most)
				r->mdt_most = most;
			r->mdt_told = true;
		}
	}
}

uint64_t *slu_stripe_count_targets(struct json_object *answer,
				   struct json_object *servers,
				   struct slu_stripe_request *r)
{
	uint64_t *all;
	struct json_object *list = NULL, *one, *reason;
	uint64_t systems = 0, version = 0;

	slu_json_u64_opt(answer, "filesystems", &systems, NULL);
	json_object_object_get_ex(answer, "osts", &list);
	if (systems != 1)
		return NULL;
	all = calloc(json_object_array_length(list) + 1, sizeof(*all));
	if (!all)
		return NULL;
	slu_json_u64_opt(answer, "lustre", &version, NULL);
	r->lustre = (uint32_t)version;
	r->target_rate = slu_stripe_measured_rate(answer);
	if (servers)
		take_mdts(servers,
			  slu_json_str_at(json_object_array_get_idx(list, 0),
					  "name"),
			  r);
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		uint64_t room = 0;

		one = json_object_array_get_idx(list, i);
		if (json_object_object_get_ex(one, "left_out", &reason))
			continue;
		slu_json_u64_opt(one, "available", &room, NULL);
		all[r->targets++] = room;
	}
	slu_stripe_set_room(r, all);
	return all;
}

static int count_targets(struct json_object *live, struct json_object *args,
			 struct slu_stripe_request *r, uint64_t **room,
			 struct slu_err *err)
{
	const struct slu_ost_choose_settings set = slu_osts_settings(live);
	struct slu_ost_choose_request none = {0};
	struct json_object *answer, *servers = NULL;

	json_object_object_get_ex(live, "servers", &servers);
	if (slu_json_str_opt(args, "fsname", &none.fsname, err) ||
	    slu_ost_choose(&set, servers, &none, &answer, err))
		return -1;
	*room = slu_stripe_count_targets(answer, servers, r);
	json_object_put(answer);
	return 0;
}

int slu_stripe_answer(struct slu_db *db, const struct slu_asker *who,
		      struct json_object *args, struct slu_buf *out,
		      struct slu_err *err)
{
	struct slu_stripe_request known = {0};
	struct json_object *answer;
	uint64_t *room = NULL;
	int rc;

	(void)db;
	slu_json_bool_opt(who->live, "narrow", &known.narrow, NULL);
	slu_json_u64_opt(who->live, "mdt", &known.mdt, NULL);
	rc = count_targets(who->live, args, &known, &room, err) ||
	     slu_stripe_explain(args, &known, &answer, err);
	free(room);
	if (rc)
		return -1;
	slu_buf_puts(out, slu_json_text(answer));
	json_object_put(answer);
	return out->failed ? slu_err(err, SLU_NOMEM, "too long an answer") : 0;
}
