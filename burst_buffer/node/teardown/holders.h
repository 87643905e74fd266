/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_HOLDERS_H
#define SLU_NODE_HOLDERS_H

/* Reports removed storage that a process still keeps from being freed, by open
 * files or the like (storage/held_storage.h). */

#include "burst_buffer/node/node.h"

/* Logs and reports that a process, named in `who`, holds a part of wiped
 * storage. */
void slu_holders_report(struct slu_node *n, const struct slu_err *who);
/* If wiped storage has been held for longer than HeldFor, sets `why`, if it is
 * still "", to which one and by which process. */
void slu_holders_too_long(struct slu_node *n, const char *storage,
			  char why[SLU_ERR_TEXT]);

#endif
