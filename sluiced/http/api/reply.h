/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_HTTP_REPLY_H
#define SLU_SLUICED_HTTP_REPLY_H

/*
 * Sends answers to HTTP requests, with their credential, and logs refusals at a
 * limited rate.
 */

#include "sluiced/http/api/route.h"

/* Answer, with a credential of ours if the caller is authenticated. err NULL:
 * 200 with the body, or with req->text if there is one; else the error's status
 * and sentence. Takes both. */
void slu_routes_reply(struct slu_daemon *d, struct slu_req *req,
		      struct slu_buf *body, const struct slu_err *err);
/* For the administrator, at a limited rate for each host, so that none hides
 * the others. */
void slu_routes_log_refused(struct slu_daemon *d, const struct slu_req *req,
			    const struct slu_err *err);

#endif
