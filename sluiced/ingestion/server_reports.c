/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the latest report of each storage server of Lustre (sluice-tbfd
 * --publish, every few seconds), and answers the question "osts": on which
 * targets should a file lie? In memory only. The answer considers the reports
 * and the placements of the last minute, which reports do not show yet.
 *
 * While the processor of this host is busy, nothing is solved or predicted: the
 * last ranking of targets answers (Paul et al., "I/O Load Balancing for Big
 * Data HPC Applications", section IV).
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "common/jsonx.h"
#include "job_submit/history/job_history.h"
#include "select_io/ost/choose.h"
#include "select_io/ost/known_targets.h"
#include "select_io/ost/recent_placements.h"
#include "sluiced/http/api/handlers.h"
#include "sluiced/ingestion/server_reports.h"
#include "sluiced/questions/answerers.h"
#include "sluiced/questions/io/io_forecasts.h"
#include "sysmap/lustre/counters.h"
#include "sluiced/ingestion/server_capacity.h"

#define SERVERS_MAX 4096
#define FORGET	    86400.0 /* seconds */
#define BUSY	    70.0    /* percent of the processor */
#define LOOK_EVERY  2.0	    /* seconds */
#define STRIPE_SIZE (UINT64_C(1) << 30)

static double age_of(struct json_object *server, double now)
{
	double came = 0;

	slu_json_double_opt(server, "came", &came, NULL);
	return now - came;
}

static void heard(struct slu_daemon *d, const char *server,
		  struct json_object *document)
{
	if (d->known_targets)
		slu_known_targets_said(d->known_targets, server, document);
}

/* Servers that have been silent for a day are not servers any more. */
static void forget(struct slu_daemon *d, double now)
{
	struct json_object_iter at;

	json_object_object_foreachC(d->osts,
				    at) if (age_of(at.val, now) > FORGET)
	{
		json_object_object_del(d->osts, at.key);
		heard(d, NULL, NULL);
		return; /* one at a time: the list has changed */
	}
}

/* Sets the server's failure domain, from sluice.conf, in its document. */
static void set_domain(const struct slu_daemon *d, const char *server,
		       struct json_object *document)
{
	const char *domain = slu_conf_domain(d->conf, server);

	json_object_object_del(document, "domain");
	slu_json_set_str(document, "domain", domain);
}

void slu_osts_reload(struct slu_daemon *d)
{
	struct json_object_iter at;

	if (!d->osts)
		return;
	heard(d, NULL, NULL);
	json_object_object_foreachC(d->osts, at)
	{
		set_domain(d, at.key, at.val);
	}
}

/* Replaces a server's document. The old one is freed last, as the known targets
 * may still refer to it. */
static void keep(struct slu_daemon *d, const char *server,
		 struct json_object *document)
{
	struct json_object *old = NULL;

	json_object_object_get_ex(d->osts, server, &old);
	old = json_object_get(old);
	set_domain(d, server, document);
	json_object_object_add(d->osts, server, document);
	heard(d, server, document);
	json_object_put(old);
}

bool slu_osts_busy(const struct slu_daemon *d)
{
	return d->busy.percent >= BUSY;
}

void slu_busy_look(struct slu_cpu_load *b, const char *stat, double now)
{
	uint64_t ticks, working;
	struct slu_buf text = {0};

	if (b->time > 0 && now - b->time < LOOK_EVERY)
		return;
	if (!slu_file_read(AT_FDCWD, stat, 1u << 20, &text, NULL) &&
	    slu_stats_cpu(text.data, &working, &ticks)) {
		if (b->time > 0 && ticks > b->ticks && working >= b->working)
			b->percent = 100.0 * (double)(working - b->working) /
				     (double)(ticks - b->ticks);
		*b = (struct slu_cpu_load){now, working, ticks, b->percent};
	}
	slu_buf_free(&text);
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
	forget(d, now);
	slu_busy_look(&d->busy, "/proc/stat", now);
	if (json_object_object_length(d->osts) >= SERVERS_MAX &&
	    !json_object_object_get_ex(d->osts, req->host, NULL)) {
		json_object_put(said);
		return slu_err(err, SLU_NOMEM, "too many servers");
	}
	json_object_object_del(said, "came");
	slu_json_set_double(said, "came", now);
	slu_server_capacity_said(d, req->host, said, now);
	keep(d, req->host, said);
	slu_buf_puts(out, "{}");
	return SLU_ANSWERED;
}

/* The last report of each server, with its age and what is remembered of it,
 * written anew each time. Not a copy, as it is large. */
struct json_object *slu_osts_prepare(const struct slu_daemon *d,
				     const struct slu_asker *who,
				     struct json_object *args)
{
	struct json_object *live = json_object_new_object(), *servers;
	struct json_object *ranking = NULL;
	struct json_object_iter at;
	double now = slu_now_mono();

	(void)who, (void)args;
	servers = d->osts ? json_object_get(d->osts) : json_object_new_object();
	json_object_object_foreachC(servers, at)
	{
		slu_json_set_double(at.val, "age", age_of(at.val, now));
	}
	if (d->ost_memory) {
		slu_recent_placements_write(d->ost_memory, servers, now);
		ranking = slu_recent_placements_ranking(d->ost_memory);
	}
	json_object_object_add(live, "servers", servers);
	/* another order among equals, for each question */
	slu_json_set_u64(live, "seed", 1 + (uint64_t)(now * 1e6));
	slu_json_set_double(live, "alpha", d->conf->placement_alpha);
	slu_json_set_double(live, "beta", d->conf->placement_beta);
	slu_json_set_u64(live, "by", d->conf->placement_cost);
	slu_json_set_bool(live, "narrow", !d->conf->wide_striping);
	slu_json_set_u64(live, "mdt", d->conf->data_on_mdt);
	if (ranking && slu_osts_busy(d))
		json_object_object_add(live, "ranking",
				       json_object_get(ranking));
	return live;
}

static const enum slu_ost_cost costs[] = {
	[SLU_PLACEMENT_CONVEX] = SLU_OST_CONVEX,
	[SLU_PLACEMENT_LINEAR] = SLU_OST_LINEAR,
	[SLU_PLACEMENT_RAW] = SLU_OST_RAW,
};

struct slu_ost_choose_settings slu_osts_settings_of(const struct slu_conf *conf)
{
	struct slu_ost_choose_settings s = slu_ost_choose_defaults;

	s.cost = costs[conf->placement_cost];
	s.alpha = conf->placement_alpha;
	s.beta = conf->placement_beta;
	return s;
}

struct slu_ost_choose_settings slu_osts_settings(struct json_object *live)
{
	struct slu_ost_choose_settings s = slu_ost_choose_defaults;
	uint64_t by = 0;

	slu_json_u64_opt(live, "by", &by, NULL);
	s.cost = costs[by];
	slu_json_double_opt(live, "alpha", &s.alpha, NULL);
	slu_json_double_opt(live, "beta", &s.beta, NULL);
	return s;
}

void slu_osts_learn(struct slu_daemon *d, uint32_t uid,
		    struct json_object *lesson)
{
	struct json_object *bytes = NULL;
	const char *name = NULL;

	slu_json_str_opt(lesson, "name", &name, NULL);
	json_object_object_get_ex(lesson, "predicted", &bytes);
	if (name)
		slu_io_forecasts_put(&d->io_forecasts, uid, name, bytes,
				     slu_now_mono());
	if (!d->ost_memory)
		d->ost_memory = slu_recent_placements_new();
	if (d->ost_memory)
		slu_recent_placements_add(d->ost_memory, lesson, uid,
					  slu_now_mono());
}

/* What the user's runs of this name will write next. Caller frees. */
static double *predict(struct slu_db *db, const struct slu_asker *who,
		       struct json_object *args, size_t *n, struct slu_err *err)
{
	struct slu_history_forecast_input ask = {
		.job = {.uid = who->uid, .node_cnt = 1},
		.quantile = who->quantile,
		.floor = (int64_t)who->floor,
		.last = who->replay,
		.stripe_size = STRIPE_SIZE,
	};
	struct json_object *obj, *io = NULL, *list = NULL;
	const char *name;
	double *bytes = NULL;

	if (slu_json_str(args, "name", &name, err))
		return NULL;
	ask.job.name = (char *)(uintptr_t)name;
	if (slu_history_forecast(db, &ask, &obj, err))
		return NULL;
	if (json_object_object_get_ex(obj, "io", &io))
		json_object_object_get_ex(io, "written_bytes", &list);
	*n = list ? json_object_array_length(list) : 0;
	bytes = calloc(*n + 1, sizeof(*bytes));
	for (size_t i = 0; bytes && i < *n; i++)
		bytes[i] = json_object_get_double(
			json_object_array_get_idx(list, i));
	json_object_put(obj);
	if (!bytes)
		slu_err(err, SLU_NOMEM, "out of memory");
	return bytes;
}

static uint32_t bounded(uint64_t n)
{
	return n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

int slu_osts_take_args(struct json_object *args,
		       struct slu_ost_choose_request *r, struct slu_err *err)
{
	uint64_t stripes = 0, files = 1;

	if (slu_json_u64_opt(args, "stripes", &stripes, err) ||
	    slu_json_u64_opt(args, "files", &files, err) ||
	    slu_json_u64_opt(args, "size", &r->size, err) ||
	    slu_json_str_opt(args, "fsname", &r->fsname, err))
		return -1;
	json_object_object_get_ex(args, "without", &r->without);
	r->stripes = bounded(stripes);
	r->files = bounded(files);
	return 0;
}

/* For the next questions of the same name (io_forecasts.h). */
static void add_forecast(struct json_object *lesson, struct json_object *args,
			 const double *bytes, size_t n)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < n; i++)
		json_object_array_add(list, json_object_new_double(bytes[i]));
	json_object_object_add(lesson, "predicted", list);
	json_object_object_add(
		lesson, "name",
		json_object_get(json_object_object_get(args, "name")));
}

int slu_osts_answer(struct slu_db *db, const struct slu_asker *who,
		    struct json_object *args, struct slu_buf *out,
		    struct slu_err *err)
{
	const struct slu_ost_choose_settings set = slu_osts_settings(who->live);
	struct slu_ost_choose_request r = {0};
	struct json_object *answer, *lesson, *servers = NULL, *name;
	double *predicted = NULL;
	bool dry = false, brief = false;
	int rc;

	if (slu_osts_take_args(args, &r, err) ||
	    slu_json_bool_opt(args, "brief", &brief, err) ||
	    slu_json_bool_opt(args, "dry", &dry, err))
		return -1;
	slu_json_u64_opt(who->live, "seed", &r.seed, NULL);
	json_object_object_get_ex(who->live, "servers", &servers);
	if (r.stripes > 0 && json_object_object_length(servers) == 0)
		return slu_err(err, SLU_NOTFOUND, "%s", SLU_OSTS_SILENT);
	json_object_object_get_ex(who->live, "ranking", &r.ranking);
	if (!r.ranking && json_object_object_get_ex(args, "name", &name)) {
		predicted = predict(db, who, args, &r.n_predicted, err);
		if (!predicted)
			return -1;
		r.predicted = predicted;
	}
	rc = slu_ost_choose(&set, servers, &r, &answer, err);
	if (rc) {
		free(predicted);
		return -1;
	}
	if (dry)
		slu_json_set_bool(answer, "dry", true);
	if (r.stripes == 0 && servers)
		json_object_object_add(answer, "servers",
				       json_object_get(servers));
	lesson = slu_recent_placements_of_answer(answer);
	if (predicted)
		add_forecast(lesson, args, predicted, r.n_predicted);
	free(predicted);
	if (brief) {
		json_object_object_del(answer, "osts");
		json_object_object_del(answer, "commands");
	}
	slu_buf_printf(out, "%s\n", slu_json_text(lesson));
	json_object_put(lesson);
	slu_buf_puts(out, slu_json_text(answer));
	json_object_put(answer);
	return out->failed ? slu_err(err, SLU_NOMEM, "too long an answer") : 0;
}
