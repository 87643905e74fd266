/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_HOLDERS_H
#define SLU_NODE_HOLDERS_H

/* Wiped storage of which a process still holds a part. */

#include "burst_buffer/node/node.h"

/* `who` still holds some of what was wiped: logs and reports it. */
void slu_holders_report(struct slu_node *n, const struct slu_err *who);
/* Held for longer than HeldFor: sets `why`, if it is still "", to what is held
 * and by which process. */
void slu_holders_too_long(struct slu_node *n, const char *storage,
			  char why[SLU_ERR_TEXT]);

#endif
