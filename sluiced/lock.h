/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_LOCK_H
#define SLU_SLUICED_LOCK_H

#include "common/err.h"

/*
 * Takes the lock file DATABASE.lock, which contains our pid for people to read.
 * Returns a descriptor that holds the lock until the process ends. SLU_BUSY
 * names the pid of the sluiced that holds it; SLU_INVALID: the database is not
 * on a local disk.
 */
int slu_lock_take(const char *database, struct slu_err *err);

#endif
