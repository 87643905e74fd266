/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_COMMANDS_H
#define SLU_NODE_COMMANDS_H

/* Declares the subcommands of `sluice-node` that are files of commands/; the
 * others are in the headers of what they do: down, discard, cache, probe,
 * watch, forwarder. Each returns its exit code. */

#include "burst_buffer/node/node.h"

int slu_cmd_up(struct slu_node *n);
int slu_cmd_missed_prolog(struct slu_node *n);
int slu_cmd_status(struct slu_node *n);
int slu_cmd_fetch(struct slu_node *n);
int slu_cmd_cancel(struct slu_node *n);
int slu_cmd_begin(struct slu_node *n);
int slu_cmd_io(struct slu_node *n);
int slu_cmd_recover(struct slu_node *n);
int slu_cmd_serve(struct slu_node *n);

#endif
