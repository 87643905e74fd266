/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_CONTROL_DISTANCE_WATCH_H
#define SLU_SLUICED_CONTROL_DISTANCE_WATCH_H

/*
 * Decides when the distances of I/O nodes are computed and sent to slurmctld.
 */

#include "sluiced/daemon.h"

void slu_distance_init(struct slu_daemon *d);
void slu_distance_fini(struct slu_daemon *d);
/* slurmctld has connected, or the configuration was read again. */
void slu_distance_send(struct slu_daemon *d);
/* Documents, or hashes of known ones, were stored; a topology may be among
 * them. */
void slu_distance_pushed(struct slu_daemon *d);

#endif
