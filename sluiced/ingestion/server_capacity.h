/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_SERVER_CAPACITY_H
#define SLU_SLUICED_SERVER_CAPACITY_H

/*
 * Measures what Lustre's servers reach under load, from their reports
 * (sluice-tbfd --publish), for slurmctld (IOBandwidth=auto and
 * IOMetadata=auto). In memory: after a restart of sluiced the servers have to
 * be under load again; until then slurmctld keeps the value that it was sent.
 */

#include <json-c/json.h>
#include "sluiced/daemon.h"

/* Handles a server's report. now: slu_now_mono(). */
void slu_server_capacity_said(struct slu_daemon *d, const char *server,
			      struct json_object *document, double now);
void slu_server_capacity_free(struct slu_server_capacity *c);

#endif
