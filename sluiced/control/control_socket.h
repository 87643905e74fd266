/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_CONTROL_CONTROL_SOCKET_H
#define SLU_SLUICED_CONTROL_CONTROL_SOCKET_H

/*
 * The control socket: a Unix socket for libsluice, inside of slurmctld. One
 * client at a time; a newer connection replaces the older one, because a
 * restarted slurmctld may connect before the kernel has reported the end of the
 * old one. Only root and SlurmUser may connect.
 */

#include <sys/types.h>
#include "common/err.h"
#include "common/log.h"
#include "sluiced/event_loop.h"
#include "sluiced/control/orders.h"
#include "wire/control.h"

/* Unsent bytes at which a client that does not read is disconnected. */
#define SLU_CONTROL_QUEUE_MAX (256u << 20)

struct slu_control;

struct slu_control_ops {
	/* A client has connected: send hello. Kept commands follow it. */
	void (*connected)(void *arg);
	/* A message in slu_to_daemon other than `done`; it is freed afterwards,
	 * so zero what you take over. */
	void (*message)(void *arg, const struct slu_desc *desc, void *msg);
	/* A kept command was carried out, or refused with a text (may be NULL).
	 */
	void (*done)(void *arg, const struct slu_order *order, bool ok,
		     const char *text);
	/* Everything in the queue was sent. */
	void (*drained)(void *arg);
	void (*gone)(void *arg);
	void *arg;
};

/* Binds `path` (mode 0600), removing a socket that is there. `first_id`: see
 * slu_orders_new(). */
struct slu_control *slu_control_new(struct slu_loop *loop, const char *path,
				    uid_t owner, uint64_t first_id,
				    const struct slu_control_ops *ops,
				    const struct slu_log *log,
				    struct slu_err *err);
void slu_control_free(struct slu_control *control);

/* Send to the client, if there is one. */
void slu_control_send(struct slu_control *control, const struct slu_desc *desc,
		      const void *msg);
/* Send a command and keep it until it is done (wire/control.h says which
 * messages are answered). job_id 0 or node "": it is not about one. -1: too
 * many are kept, which is logged. */
int slu_control_order(struct slu_control *control, const struct slu_desc *desc,
		      uint32_t job_id, const char *node, const void *msg);

/* Forget all queued messages, kept commands, and the client, which will connect
 * again. */
void slu_control_forget(struct slu_control *control);
/* The client has sent nonsense: disconnect it, so that it connects again and
 * sends everything. Commands stay. */
void slu_control_drop(struct slu_control *control, const char *why);

bool slu_control_connected(const struct slu_control *control);
size_t slu_control_queued(const struct slu_control *control); /* bytes */
size_t slu_control_orders(const struct slu_control *control);

#endif
