/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_STARTUP_H
#define SLU_SLUICED_STARTUP_H

/* Starts sluiced as a whole, reads its configuration again, and stops it. */

#include "sluiced/daemon.h"

/* Build everything from d->conf and d->log, listen, and act on what the
 * database has. The caller holds the lock. slu_daemon_stop() also undoes a
 * start that failed half-way. */
int slu_daemon_start(struct slu_daemon *d, struct slu_err *err);
void slu_daemon_stop(struct slu_daemon *d);
/* Read the configuration file again; a bad one changes nothing. */
void slu_daemon_reload(struct slu_daemon *d);

#endif
