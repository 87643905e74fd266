/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_KEPT_DATA_H
#define SLU_NODE_KEPT_DATA_H

/* Keeps the data of a failed stage-out on this node, for `sluice-node fetch`.
 */

#include "burst_buffer/node/node.h"

/* Files in the directory of kept data (storage.h): one with the name of its
 * part, if it has one; an empty one, where files are in pieces over all
 * nodes; one with the storage directories, a line each, where the share was
 * spread over several devices of the node. */
#define SLU_PART_MARK	 "part"
#define SLU_PIECES_MARK	 "pieces"
#define SLU_DEVICES_MARK "devices"

/* Keeps the data that is on this node, or that the driver has for all nodes in
 * one place, and notes where. Returns 0 also if there is none. */
int slu_keep_data(struct slu_node *n, struct slu_err *err);
int slu_keep_in_common(struct slu_node *n, struct slu_err *err);

#endif
