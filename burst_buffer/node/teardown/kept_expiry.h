/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_KEPT_EXPIRY_H
#define SLU_NODE_KEPT_EXPIRY_H

/* Removes kept data of failed stage-outs whose time is over (KeepFailed). */

#include "burst_buffer/node/node.h"

/* Removes expired kept data, by slu_leftovers_clock() if it is known, in a
 * detached process, for which this waits only shortly. common: also that of all
 * nodes. Errors are logged. */
void slu_kept_expire(struct slu_node *n, bool common);

#endif
