/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_CONTROL_CONTROL_SOCKET_H
#define SLU_SLUICED_CONTROL_CONTROL_SOCKET_H

/*
 * The control socket: a Unix socket on which libsluice, inside slurmctld,
 * meets us. One client at a time; a newer connection takes the older one's
 * place, because a slurmctld that was restarted may come before the kernel
 * has told us that the old one is gone. Only root and SlurmUser may connect.
 */

#include <sys/types.h>
#include "common/err.h"
#include "common/log.h"
#include "sluiced/event_loop.h"
#include "sluiced/control/orders.h"
#include "wire/control.h"

/* Unsent bytes at which a client that does not read is given up. */
#define SLU_CONTROL_QUEUE_MAX (256u << 20)

struct slu_control;

struct slu_control_ops {
	/* Somebody connected: send hello. Kept commands follow it. */
	void (*connected)(void *arg);
	/* A message of slu_to_daemon other than `done`; freed afterwards, so
	 * zero what you keep. */
	void (*message)(void *arg, const struct slu_desc *desc, void *msg);
	/* A kept command was done, or refused with a text (may be NULL). */
	void (*done)(void *arg, const struct slu_order *order, bool ok,
		     const char *text);
	/* All that was queued has been sent. */
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

/* Tell the client, if there is one. */
void slu_control_send(struct slu_control *control, const struct slu_desc *desc,
		      const void *msg);
/* Tell it and keep the command until it is done (wire/control.h says which
 * messages are answered). job_id 0 or node "": what it is not about. -1: too
 * many are kept, which has been logged. */
int slu_control_order(struct slu_control *control, const struct slu_desc *desc,
		      uint32_t job_id, const char *node, const void *msg);

/* Forget all that was told and kept, and the client, which will connect again.
 */
void slu_control_forget(struct slu_control *control);
/* It has said what makes no sense: let it connect again and say everything.
 * Orders stay. */
void slu_control_drop(struct slu_control *control, const char *why);

bool slu_control_connected(const struct slu_control *control);
size_t slu_control_queued(const struct slu_control *control); /* bytes */
size_t slu_control_orders(const struct slu_control *control);

#endif
