/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of HTTP routes, and handlers that only pass a request on. */
#include "sluiced/http/api/routes.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sluiced/control/pool_commands.h"
#include "sluiced/http/api/handlers.h"
#include "sluiced/ingestion/iocount.h"
#include "sluiced/wakeups.h"
#include "sysmap/database/receive.h"

#define SMALL (1u << 20)
#define OFFER_MAX                                                  \
	(16u << 20) /* bytes: the plan of a large job, as a string \
		     */
#define JSON_WAIT "{\"word\":\"wait\"}"

static int answer(const struct slu_desc *desc, void *msg, struct slu_buf *out)
{
	char *text = slu_encode_text(desc, msg);

	slu_buf_puts(out, text ? text : "");
	out->failed |= !text;
	free(text);
	slu_msg_clear(desc, msg);
	return SLU_ANSWERED;
}

static int handle_plan(struct slu_daemon *d, struct slu_req *req,
		       struct slu_buf *out, struct slu_err *err)
{
	(void)out;
	free(req->secret); /* of an earlier attempt */
	req->secret = NULL;
	return slu_buffers_plan(d->buffers, req->msg, slu_now_wall(),
				&req->text, &req->secret, err);
}

static int handle_inventory(struct slu_daemon *d, struct slu_req *req,
			    struct slu_buf *out, struct slu_err *err)
{
	const struct slu_node_ask *ask = req->msg;

	if (ask->dirty)
		slu_buffers_dirty(d->buffers, ask->node, ask->dirty);
	if (ask->kept &&
	    slu_buffers_keeps(d->buffers, ask->node, ask->kept, slu_now_wall()))
		slu_capacity_kept(d);
	slu_buffers_filled(d->buffers, ask);
	slu_buffers_prefetched(d->buffers, ask);
	return slu_buffers_node_inventory(d->buffers, ask->node, slu_now_wall(),
					  out, err);
}

static int handle_report(struct slu_daemon *d, struct slu_req *req,
			 struct slu_buf *out, struct slu_err *err)
{
	const struct slu_report *report = req->msg;
	struct slu_answer word;

	if (slu_buffers_report(d->buffers, report, slu_now_wall(), &word, err) <
	    0)
		return -1;
	/* a message may be delayed: see slu_bb_notify() */
	slu_daemon_tick_soon(d);
	if (!strcmp(report->step, "stopped") && report->ok)
		slu_io_add(d, report);
	return answer(&slu_answer_desc, &word, out);
}

static int handle_barrier(struct slu_daemon *d, struct slu_req *req,
			  struct slu_buf *out, struct slu_err *err)
{
	(void)out;
	/* a message may be delayed: see slu_bb_notify() */
	slu_daemon_tick_soon(d);
	return slu_buffers_barrier(d->buffers, req->msg, slu_now_wall(),
				   &req->text, err);
}

static int handle_poll(struct slu_daemon *d, struct slu_req *req,
		       struct slu_buf *out, struct slu_err *err)
{
	struct slu_answer word;

	if (slu_buffers_poll(d->buffers, req->msg, slu_now_wall(), &word, err) <
	    0)
		return -1;
	return answer(&slu_answer_desc, &word, out);
}

static int handle_cancel(struct slu_daemon *d, struct slu_req *req,
			 struct slu_buf *out, struct slu_err *err)
{
	struct slu_answer word;

	if (slu_buffers_cancel(d->buffers, req->msg, req->caller.uid,
			       slu_auth_admin(&d->auth, &req->caller),
			       slu_now_wall(), &word, err) < 0)
		return -1;
	return answer(&slu_answer_desc, &word, out);
}

static int handle_discard(struct slu_daemon *d, struct slu_req *req,
			  struct slu_buf *out, struct slu_err *err)
{
	struct slu_discarded is;

	if (slu_buffers_discard(d->buffers, req->msg, req->caller.uid,
				slu_auth_admin(&d->auth, &req->caller),
				slu_now_wall(), &is, err) < 0)
		return -1;
	return answer(&slu_discarded_desc, &is, out);
}

static char *host_argument(struct slu_req *req, struct slu_err *err)
{
	const char *host = slu_httpd_argument(req, "host");

	slu_err(err, SLU_INVALID, "?host= is missing");
	return host ? strdup(host) : NULL;
}

static char *host_in_documents(struct slu_req *req, struct slu_err *err)
{
	return slu_receive_host(req->body.data ? req->body.data : "",
				req->body.len, err);
}

/* Rows of the node routes: from the host that the message names. */
#define NODE_ROUTE(type, most)                                     \
	.method = "POST", .who = SLU_WHO_HOST, .max = (most),      \
	.desc = &type##_desc, .node = offsetof(struct type, node), \
	.job = offsetof(struct type, job_id)
#define LONG_POLL(type, most)                  \
	NODE_ROUTE(type, most), .waits = true, \
				.buffer = offsetof(struct type, buffer)

const struct slu_route slu_routes[] = {
	{
		.path = "/v1/plan",
		LONG_POLL(slu_node_ask, SMALL),
		.run = offsetof(struct slu_node_ask, restarts),
		.handle = handle_plan,
	},
	{
		.path = "/v1/owed",
		NODE_ROUTE(slu_node_ask, SMALL),
		.handle = handle_inventory,
	},
	{
		.path = "/v1/report",
		LONG_POLL(slu_report, SMALL),
		.group = offsetof(struct slu_report, step),
		.over = JSON_WAIT,
		.handle = handle_report,
	},
	{
		.path = "/v1/barrier",
		LONG_POLL(slu_barrier, SMALL),
		.group = offsetof(struct slu_barrier, name),
		.over = JSON_WAIT,
		.handle = handle_barrier,
	},
	{
		.path = "/v1/poll",
		LONG_POLL(slu_node_ask, OFFER_MAX),
		.group = offsetof(struct slu_node_ask, seen),
		.over = JSON_WAIT,
		.handle = handle_poll,
	},
	{
		.path = "/v1/io",
		NODE_ROUTE(slu_io_report, SMALL),
		.handle = slu_handle_io,
	},
	{
		.method = "POST",
		.path = "/v1/cancel",
		.who = SLU_WHO_USER,
		.max = SMALL,
		.desc = &slu_cancel_desc,
		.handle = handle_cancel,
	},
	{
		.method = "POST",
		.path = "/v1/discard",
		.who = SLU_WHO_USER,
		.max = SMALL,
		.desc = &slu_discard_desc,
		.handle = handle_discard,
	},
	{
		.method = "POST",
		.path = "/v1/import",
		.who = SLU_WHO_ADMIN,
		.max = SMALL,
		.desc = &slu_import_jobs_desc,
		.handle = slu_handle_import,
	},
	{
		.method = "POST",
		.path = "/v1/sysmap/hashes",
		.who = SLU_WHO_HOST,
		.max = SMALL,
		.host = host_argument,
		.handle = slu_handle_hashes,
	},
	{
		.method = "POST",
		.path = "/v1/sysmap/documents",
		.who = SLU_WHO_HOST,
		.max = 64u << 20,
		.host = host_in_documents,
		.handle = slu_handle_documents,
	},
	{
		.method = "POST",
		.path = "/v1/osts",
		.who = SLU_WHO_HOST,
		.max = SMALL,
		.host = host_argument,
		.handle = slu_handle_osts,
	},
	{
		.method = "POST",
		.path = "/v1/jobstats",
		.who = SLU_WHO_HOST,
		.max = SMALL,
		.desc = &slu_server_io_desc,
		.node = offsetof(struct slu_server_io, node),
		.handle = slu_handle_jobstats,
	},
	{
		.method = "POST",
		.path = "/v1/query",
		.who = SLU_WHO_USER,
		.max = SMALL,
		.handle = slu_handle_query,
	},
	{
		.method = "GET",
		.path = "/v1/conf",
		.who = SLU_WHO_USER,
		.type = "text/plain",
		.handle = slu_handle_conf,
	},
	{
		.method = "GET",
		.path = "/metrics",
		.who = SLU_WHO_ANYBODY,
		.type = "text/plain; version=0.0.4",
		.handle = slu_handle_metrics,
	},
	{.path = NULL},
};
_Static_assert(sizeof(slu_routes) / sizeof(*slu_routes) - 1 <=
		       SLU_METRICS_ROUTES,
	       "each has its counters");
