/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the storage servers of Lustre say about themselves every few seconds
 * (sluice-tbfd --publish). It is kept in memory only: the last word of each
 * server, with the time it came; the question "osts" is answered from it.
 */
#include <string.h>

#include "common/jsonx.h"
#include "select_io/ost/choose.h"
#include "sluiced/routes.h"

#define SERVERS_MAX 4096
#define FORGET	    86400.0 /* seconds */

static double age_of(struct json_object *server, double now)
{
	double came = 0;

	slu_json_double_opt(server, "came", &came, NULL);
	return now - came;
}

/* Servers that have been silent for a day are not servers any more. */
static void forget(struct json_object *servers, double now)
{
	struct json_object_iter at;

	json_object_object_foreachC(servers,
				    at) if (age_of(at.val, now) > FORGET)
	{
		json_object_object_del(servers, at.key);
		return; /* one at a time: the list has changed */
	}
}

int slu_handle_osts(struct slu_daemon *d, struct slu_req *req,
		    struct slu_buf *out, struct slu_err *err)
{
	double now = slu_now_mono();
	struct json_object *said = slu_json_parse(
		req->body.data ? req->body.data : "", req->body.len, err);

	if (!said)
		return -1;
	if (!json_object_is_type(said, json_type_object)) {
		json_object_put(said);
		return slu_err(err, SLU_INVALID, "not an object");
	}
	if (!d->osts)
		d->osts = json_object_new_object();
	forget(d->osts, now);
	if (json_object_object_length(d->osts) >= SERVERS_MAX) {
		json_object_put(said);
		return slu_err(err, SLU_NOMEM, "too many servers");
	}
	json_object_object_del(said, "came");
	slu_json_set_double(said, "came", now);
	json_object_object_add(d->osts, req->host, said);
	slu_buf_puts(out, "{}");
	return SLU_ANSWERED;
}

/* A copy, with the age of what each has said. */
struct json_object *slu_osts_prepare(const struct slu_daemon *d,
				     const struct slu_asker *who)
{
	struct json_object *copy = NULL;
	struct json_object_iter at;

	(void)who;
	if (!d->osts || json_object_deep_copy(d->osts, &copy, NULL))
		return json_object_new_object();
	json_object_object_foreachC(copy, at) slu_json_set_double(
		at.val, "age", age_of(at.val, slu_now_mono()));
	return copy;
}

int slu_osts_answer(struct slu_db *db, const struct slu_asker *who,
		    struct json_object *args, struct slu_buf *out,
		    struct slu_err *err)
{
	uint64_t stripes = 0, files = 1, size = 0;
	struct slu_ost_choose_request request;
	struct json_object *answer;

	(void)db;
	if (slu_json_u64_opt(args, "stripes", &stripes, err) ||
	    slu_json_u64_opt(args, "files", &files, err) ||
	    slu_json_u64_opt(args, "size", &size, err))
		return -1;
	request = (struct slu_ost_choose_request){
		.stripes =
			stripes > UINT32_MAX ? UINT32_MAX : (uint32_t)stripes,
		.files = files > UINT32_MAX ? UINT32_MAX : (uint32_t)files,
		.size = size,
	};
	if (slu_ost_choose(&slu_ost_choose_defaults, who->live, &request,
			   &answer, err))
		return -1;
	slu_buf_puts(out, slu_json_text(answer));
	json_object_put(answer);
	return out->failed ? slu_err(err, SLU_NOMEM, "too long an answer") : 0;
}
