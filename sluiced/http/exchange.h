/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_HTTP_EXCHANGE_H
#define SLU_SLUICED_HTTP_EXCHANGE_H

/* From an HTTP request to its answer. */

#include "sluiced/daemon.h"

extern const struct slu_httpd_ops slu_httpd_glue; /* arg: the daemon */
/* Is there an answer for a parked request? arg: the daemon. */
bool slu_routes_parked(void *arg, struct slu_parked *parked, bool expired);
/* Handle an authenticated request of a node; its answer may come later. arg:
 * the daemon. */
void slu_routes_handle(void *arg, struct slu_req *req);

#endif
