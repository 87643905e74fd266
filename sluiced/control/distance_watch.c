/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides when the distances of I/O nodes are computed and sent: when slurmctld
 * connects, and some seconds after a push to the resource map, as nodes push at
 * the same time.
 */
#include "sluiced/control/distance_watch.h"

#include <stdlib.h>
#include <string.h>

#include "common/str.h"
#include "sysmap/database/receive.h"

#define LOOK_AFTER 5.0 /* s after a push, as nodes push all at once */

/* The message as text; NULL with err->kind SLU_NOTFOUND: no topology. */
static char *look(struct slu_daemon *d, struct slu_err *err)
{
	struct slu_distances m = {0};
	struct slu_topology t;
	char *text = NULL;
	int rc;

	if (slu_topology_read(d->db, &t, err) < 0)
		return NULL;
	rc = slu_distance_message(&t, &d->conf->io_nodes, &m, err);
	slu_topology_free(&t);
	if (rc < 0)
		return NULL;
	text = slu_encode_text(&slu_distances_desc, &m);
	if (!text)
		slu_err(err, SLU_NOMEM, "out of memory");
	slu_msg_clear(&slu_distances_desc, &m);
	return text;
}

static void look_soon(struct slu_daemon *d)
{
	if (!d->near.timer.due)
		slu_timer_set(d->loop, &d->near.timer, LOOK_AFTER);
}

static void send_if(struct slu_daemon *d, bool always)
{
	struct slu_distances m;
	struct slu_err err;
	char *text;

	if (!d->conf->io_nodes.n)
		return;
	text = look(d, &err);
	if (!text) {
		if (err.kind == SLU_NOTFOUND)
			return;
		slu_log(d->log, SLU_ERROR, "topology: %s", err.text);
		look_soon(d);
		return;
	}
	if ((always || !slu_eq(text, d->near.sent)) &&
	    slu_decode_text(&slu_distances_desc, text, strlen(text), &m,
			    &err) == 0) {
		slu_control_send(d->control, &slu_distances_desc, &m);
		slu_msg_clear(&slu_distances_desc, &m);
	}
	free(d->near.sent);
	d->near.sent = text;
}

static void on_timer(void *arg)
{
	send_if(arg, false);
}

void slu_distance_send(struct slu_daemon *d)
{
	send_if(d, true);
}

void slu_distance_pushed(struct slu_daemon *d)
{
	uint64_t now = slu_receiver_topologies(d->receiver);

	if (now == d->near.seen)
		return;
	d->near.seen = now;
	look_soon(d);
}

void slu_distance_init(struct slu_daemon *d)
{
	d->near = (struct slu_distance_watch){
		.timer = {.fn = on_timer, .arg = d}};
}

void slu_distance_fini(struct slu_daemon *d)
{
	slu_timer_stop(d->loop, &d->near.timer);
	free(d->near.sent);
	d->near.sent = NULL;
}
