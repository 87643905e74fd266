/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_CACHE_LIST_H
#define SLU_NODE_CACHE_LIST_H

/* Lists the content of this node's stage cache, or removes it. */

#include "burst_buffer/node/node.h"

/* The subcommand `cache`. Returns its exit code. */
int slu_cmd_cache(struct slu_node *n);

#endif
