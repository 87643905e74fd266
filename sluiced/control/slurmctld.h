/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_CONTROL_SLURMCTLD_H
#define SLU_SLUICED_CONTROL_SLURMCTLD_H

/* Handles slurmctld's messages, and asks it for a node's address. */

#include "sluiced/control/control_socket.h"

extern const struct slu_control_ops slu_control_glue;
/* Ask slurmctld for a node's address, see slu_nodes_ask(). arg: the daemon. */
bool slu_daemon_where(void *arg, const char *name);

#endif
