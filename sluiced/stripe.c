/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The question "stripe": how a file should be laid out, and why; with what the
 * storage servers said last about how many targets there are and how full.
 */
#include "select_io/stripe/layout.h"

#include <string.h>

#include "common/jsonx.h"
#include "select_io/ost/choose.h"
#include "sluiced/daemon.h"
#include "sluiced/questions.h"

void slu_stripe_count_targets(struct json_object *answer,
			      struct slu_stripe_request *r)
{
	struct json_object *list = NULL, *one, *reason;
	uint64_t systems = 0, version = 0;

	slu_json_u64_opt(answer, "filesystems", &systems, NULL);
	json_object_object_get_ex(answer, "osts", &list);
	if (systems != 1)
		return;
	slu_json_u64_opt(answer, "lustre", &version, NULL);
	r->lustre = (uint32_t)version;
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		uint64_t room = 0;

		one = json_object_array_get_idx(list, i);
		if (json_object_object_get_ex(one, "left_out", &reason))
			continue;
		slu_json_u64_opt(one, "available", &room, NULL);
		if (r->room == 0 || room < r->room)
			r->room = room;
		r->targets++;
	}
}

static int count_targets(struct json_object *live, struct json_object *args,
			 struct slu_stripe_request *r, struct slu_err *err)
{
	const struct slu_ost_choose_settings set = slu_osts_settings(live);
	struct slu_ost_choose_request none = {0};
	struct json_object *answer, *servers = NULL;

	json_object_object_get_ex(live, "servers", &servers);
	if (slu_json_str_opt(args, "fsname", &none.fsname, err) ||
	    slu_ost_choose(&set, servers, &none, &answer, err))
		return -1;
	slu_stripe_count_targets(answer, r);
	json_object_put(answer);
	return 0;
}

static int take_request(struct json_object *args, struct slu_stripe_request *r,
			struct slu_err *err)
{
	uint64_t readers = 0, targets = 0;
	const char *access = "sequential", *version = NULL;

	if (slu_json_u64_opt(args, "size", &r->size, err) ||
	    slu_json_u64_opt(args, "readers", &readers, err) ||
	    slu_json_u64_opt(args, "targets", &targets, err) ||
	    slu_json_str_opt(args, "lustre", &version, err) ||
	    slu_json_str_opt(args, "access", &access, err))
		return -1;
	if (version) {
		r->lustre = slu_ost_version(version);
		if (r->lustre == 0)
			return slu_err(err, SLU_INVALID,
				       "\"%.40s\" is no version", version);
	}
	if (strcmp(access, "sequential") == 0)
		r->access = SLU_STRIPE_SEQUENTIAL;
	else if (strcmp(access, "random") == 0)
		r->access = SLU_STRIPE_RANDOM;
	else
		return slu_err(err, SLU_INVALID,
			       "access is sequential or random, not \"%.40s\"",
			       access);
	r->readers = readers > UINT32_MAX ? UINT32_MAX : (uint32_t)readers;
	if (targets > 0) { /* another file system than the servers know */
		r->targets =
			targets > UINT32_MAX ? UINT32_MAX : (uint32_t)targets;
		r->room = 0;
	}
	return 0;
}

int slu_stripe_answer(struct slu_db *db, const struct slu_asker *who,
		      struct json_object *args, struct slu_buf *out,
		      struct slu_err *err)
{
	struct slu_stripe_request r = {0};
	struct slu_stripe_layout layout;
	struct json_object *answer;
	const char *preset = NULL;

	(void)db;
	if (slu_json_str_opt(args, "preset", &preset, err))
		return -1;
	if (preset) {
		if (slu_stripe_preset(preset, &layout, err))
			return -1;
	} else if (count_targets(who->live, args, &r, err) ||
		   take_request(args, &r, err) ||
		   slu_stripe_plan(&r, &layout, err)) {
		return -1;
	}
	answer = slu_stripe_json(&layout);
	slu_buf_puts(out, slu_json_text(answer));
	json_object_put(answer);
	return out->failed ? slu_err(err, SLU_NOMEM, "too long an answer") : 0;
}
