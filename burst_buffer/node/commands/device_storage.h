/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_DEVICE_STORAGE_H
#define SLU_NODE_DEVICE_STORAGE_H

/* Makes the storage of this node's share of a job's file system, on each device
 * over which the plan spreads it. */

#include "burst_buffer/node/node.h"

/* slu_storage_make() on each device. If one lacks space, sluiced is told so
 * (slu_room_report_shortage()). What was made before an error stays, for `down`
 * to remove. */
int slu_devices_make(struct slu_node *n, struct slu_err *err);

#endif
