/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sends an answer with its credential, counts it for /metrics, and logs refused
 * requests: at most REFUSED_LOGGED a minute from one address.
 */
#include "sluiced/http/api/reply.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <microhttpd.h>

#include "sluiced/http/shared_bodies.h"

#define REFUSED_LOGGED 10 /* a minute, from one address */

static unsigned *refused_from(struct slu_daemon *d, const char *address)
{
	unsigned h = 2166136261u;

	for (; *address; address++)
		h = (h ^ (unsigned char)*address) * 16777619u;
	return &d->refused[h % SLU_REFUSED];
}

static void begin_minute(struct slu_daemon *d, double now)
{
	unsigned more = 0;

	for (size_t i = 0; i < SLU_REFUSED; i++)
		if (d->refused[i] > REFUSED_LOGGED)
			more += d->refused[i] - REFUSED_LOGGED;
	if (more)
		slu_log(d->log, SLU_INFO, "%u more were refused", more);
	memset(d->refused, 0, sizeof(d->refused));
	d->refused_since = now;
}

void slu_routes_log_refused(struct slu_daemon *d, const struct slu_req *req,
			    const struct slu_err *err)
{
	double now = slu_now_mono();
	char text[SLU_HTTPD_PEER];
	const char *from = slu_httpd_peer(req, text);

	if (now - d->refused_since > 60)
		begin_minute(d, now);
	if ((*refused_from(d, from))++ < REFUSED_LOGGED)
		slu_log(d->log, SLU_INFO, "%s refused: %s (from %s)", req->path,
			err->text, from);
}

static void count(struct slu_metrics *m, ptrdiff_t route, int status)
{
	if (route >= 0 && route < SLU_METRICS_ROUTES && status >= 100 &&
	    status < 600)
		m->requests[route][status / 100]++;
}

/* The body of an answer, for which req has no use any more. NULL: no memory. */
static struct slu_text *take_body(struct slu_req *req, struct slu_buf *body,
				  const struct slu_err *err)
{
	struct slu_text *text = req->text;

	req->text = NULL;
	if (text && !err) {
		slu_buf_free(body);
		return text;
	}
	slu_text_unref(text);
	if (err) {
		slu_buf_reset(body);
		slu_buf_printf(body, "%s\n", err->text);
	}
	return slu_httpd_share(req, body);
}

/* The authentication of an answer: a credential or a seal (common/cred.h). */
struct proof {
	char *credential; /* owned */
	char seal[SLU_SEAL_TEXT];
};

/* Signs an answer. A seal spares munged, which many nodes use at the same time,
 * but it carries no secret. */
static int sign(struct slu_daemon *d, const struct slu_req *req,
		struct slu_text *text, struct slu_answer_head *head,
		const char *secret, struct proof *out, struct slu_err *err)
{
	const char *hash = req->proven ? slu_shared_hash(text) : NULL;

	if (!hash)
		return 0;
	if (req->caller.sealed && !secret) {
		head->seal = out->seal;
		return slu_cred_seal(&req->caller, head->status, hash,
				     (time_t)slu_now_wall(), out->seal, err);
	}
	out->credential = slu_auth_reply(&d->auth, &req->caller, head->status,
					 hash, secret, err);
	head->credential = out->credential;
	return out->credential ? 0 : -1;
}

void slu_routes_reply(struct slu_daemon *d, struct slu_req *req,
		      struct slu_buf *body, const struct slu_err *err)
{
	struct slu_text *text = take_body(req, body, err);
	const struct slu_route *route = req->route;
	struct slu_answer_head head = {
		.status = MHD_HTTP_OK,
		.type = route->type ? route->type : "application/json",
		.conf = req->proven ? d->conf_hash : NULL};
	const char *secret = err ? NULL : req->secret;
	struct proof proof = {0};
	struct slu_err why;

	if (err) {
		head.status = slu_httpd_status(err->kind);
		head.type = "text/plain";
	}
	slu_err(&why, SLU_NOMEM, "out of memory");
	if (!text || sign(d, req, text, &head, secret, &proof, &why)) {
		slu_routes_log_refused(d, req, &why);
		slu_text_unref(text);
		slu_httpd_refuse(req, &why);
		return;
	}
	count(&d->metrics, route - d->routes, head.status);
	slu_httpd_answer(req, &head, text);
	slu_text_unref(text);
	free(proof.credential);
}
