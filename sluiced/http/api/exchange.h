/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_HTTP_EXCHANGE_H
#define SLU_SLUICED_HTTP_EXCHANGE_H

/* Handles an HTTP request from its headers to its answer: authentication,
 * decoding, authorisation, the route's handler. Long polls are parked until
 * there is an answer. */

#include "sluiced/daemon.h"

extern const struct slu_httpd_ops slu_httpd_glue; /* arg: the daemon */
/* Handles a parked long poll again. True: it is answered (always if `expired`)
 * and no longer parked. arg: the daemon. */
bool slu_routes_parked(void *arg, struct slu_parked *parked, bool expired);
/* Handles an authenticated request within a batch (request_batch.h): answers
 * it, or parks it. arg: the daemon. */
void slu_routes_handle(void *arg, struct slu_req *req);

#endif
