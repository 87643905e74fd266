/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_BUFFER_NODE_WATCH_H
#define SLU_BURST_BUFFER_NODE_WATCH_H

/* Starts the watcher of a job: the process that `up` leaves behind for events
 * that no prolog or epilog handles. */

#include "burst_buffer/node/node.h"

/* Starts the watcher of this job, unless there is one. begin: begins a
 * run, as slu_cmd_up() (commands.h) does. */
typedef int slu_node_begin_f(struct slu_node *n);
int slu_watcher_start(struct slu_node *n, slu_node_begin_f *begin,
		      struct slu_err *err);
/* Watches in the foreground, for use by hand. */
int slu_watch(struct slu_node *n, slu_node_begin_f *begin);

#endif
