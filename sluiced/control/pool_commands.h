/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_CONTROL_POOL_COMMANDS_H
#define SLU_SLUICED_CONTROL_POOL_COMMANDS_H

/* Decides when the capacity of pools is computed and sent to slurmctld. */

#include "sluiced/daemon.h"

/* Compute it when slurmctld has sent hello with its nodes, or soon. */
void slu_capacity_start(struct slu_daemon *d);
void slu_capacity_connected(struct slu_daemon *d,
			    const struct slu_node_addr *nodes, size_t n);
void slu_capacity_update(struct slu_daemon *d);
/* A map has come: soon, if it is its host's first. */
void slu_capacity_pushed(struct slu_daemon *d);
void slu_capacity_stop(struct slu_daemon *d);
/* Kept data may have changed: send it if it has. */
void slu_capacity_kept(struct slu_daemon *d);

#endif
