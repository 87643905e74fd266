/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers the question "osts" with "brief" in the daemon, from the reports of
 * Lustre's servers in memory and a cache of forecasts (io_forecasts.h); leaves
 * long or slow requests to an answering process.
 */
#include "sluiced/placement/place_now.h"

#include <string.h>

#include "common/jsonx.h"
#include "select_io/ost/known_targets.h"
#include "sluiced/http/api/route.h"
#include "sluiced/ingestion/server_reports.h"
#include "sluiced/questions/io/io_forecasts.h"

#define BODY_MAX 65536 /* bytes; longer ones are read by a process */
#define BRIEF	 "\"brief\""
#define WITHOUT	 256 /* targets to leave out; with more a process answers */

struct json_object *slu_place_now_args(const struct slu_buf *body)
{
	struct json_object *args;
	const char *name = "";
	bool brief = false;

	if (!body->data || body->len > BODY_MAX ||
	    !memmem(body->data, body->len, BRIEF, strlen(BRIEF)))
		return NULL;
	args = slu_json_parse(body->data, body->len, NULL);
	slu_json_str_opt(args, "question", &name, NULL);
	slu_json_bool_opt(args, "brief", &brief, NULL);
	if (brief && !strcmp(name, "osts"))
		return args;
	json_object_put(args);
	return NULL;
}

int slu_place_now_admit(struct slu_daemon *d, const struct slu_req *req,
			struct json_object *args, struct slu_err *err)
{
	uint64_t files = 1, stripes = 1;
	double wait;

	if (req->trusted)
		return 0;
	slu_json_u64_opt(args, "files", &files, NULL);
	slu_json_u64_opt(args, "stripes", &stripes, NULL);
	wait = slu_placement_rate_take(&d->placement_rate, req->caller.uid,
				       files, stripes, slu_now_mono());
	return wait > 0 ? slu_err(err, SLU_IO,
				  "too many placements of one user (%d a "
				  "second), try again in %.3f s",
				  SLU_PLACEMENTS, wait)
			: 0;
}

static const char *name_of(struct json_object *args)
{
	const char *name = NULL;

	slu_json_str_opt(args, "name", &name, NULL);
	return name;
}

bool slu_place_now_alike(struct json_object *a, struct json_object *b)
{
	const char *x = name_of(a), *y = name_of(b);

	return x && y && !strcmp(x, y);
}

/* Takes the predictions from memory; false: a process has to make them first.
 * While the processor is busy none are made. */
static bool find_forecast(const struct slu_daemon *d, uint32_t uid,
			  struct json_object *args,
			  struct slu_ost_choose_request *r)
{
	const char *name = name_of(args);

	if (!name)
		return true;
	r->predicted = slu_io_forecasts_get(d->io_forecasts, uid, name,
					    slu_now_mono(), &r->n_predicted);
	return r->predicted || slu_osts_busy(d);
}

static int make_memory(struct slu_daemon *d, struct slu_err *err)
{
	if (!d->osts || json_object_object_length(d->osts) == 0)
		return slu_err(err, SLU_NOTFOUND, "%s", SLU_OSTS_SILENT);
	if (!d->ost_memory)
		d->ost_memory = slu_recent_placements_new();
	if (!d->known_targets)
		d->known_targets = slu_known_targets_new();
	return d->ost_memory && d->known_targets
		       ? 0
		       : slu_err(err, SLU_NOMEM, "out of memory");
}

static bool too_many(struct json_object *without)
{
	return without && json_object_array_length(without) > WITHOUT;
}

int slu_place_now(struct slu_daemon *d, const struct slu_req *req,
		  struct json_object *args, struct slu_buf *out,
		  struct slu_err *err)
{
	const double now = slu_now_mono();
	struct slu_ost_choose_settings set = slu_osts_settings_of(d->conf);
	struct slu_ost_choose_request r = {.seed = 1 + (uint64_t)(now * 1e6)};
	struct slu_known_ask ask = {
		.settings = &set, .request = &r, .uid = req->caller.uid};
	struct json_object *answer;

	if (slu_osts_take_args(args, &r, err) ||
	    slu_json_bool_opt(args, "dry", &ask.dry, err))
		return -1;
	if (r.stripes == 0 || too_many(r.without) ||
	    (uint64_t)r.stripes * (r.files ? r.files : 1) >
		    SLU_PLACE_NOW_STRIPES ||
	    !find_forecast(d, ask.uid, args, &r))
		return SLU_KEPT;
	if (make_memory(d, err) ||
	    slu_known_targets_place(d->known_targets, d->osts, d->ost_memory,
				    &ask, now, &answer, err))
		return -1;
	slu_buf_puts(out, slu_json_text(answer));
	json_object_put(answer);
	return out->failed ? slu_err(err, SLU_NOMEM, "out of memory")
			   : SLU_ANSWERED;
}
