/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_IOCOUNT_H
#define SLU_SLUICED_IOCOUNT_H

/* Stores the I/O counts that nodes report at a job's end. */

#include "wire/node.h"

struct slu_daemon;

/* Stores what a report "stopped" has counted. (/v1/io: handlers.h) */
void slu_io_add(struct slu_daemon *d, const struct slu_report *report);

#endif
