/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_DRIVERS_VOLFILE_H
#define SLU_DRIVERS_VOLFILE_H

/*
 * Writes volume files for glusterfs without glusterd: one server per node, with
 * a brick for each device of its share, and one client graph over all bricks.
 * Access is by login only (any other authentication module beside it would let
 * others in); the password is the instance's secret.
 */

#include <stdbool.h>
#include "common/str.h"
#include "wire/node.h"

#define SLU_BRICK_NAME 48
/* The name of the brick on the k-th device of node i (slu_plan_device()). */
void slu_volfile_name(size_t i, size_t k, char name[SLU_BRICK_NAME]);

/* The server of node `self`, listening on `port`, with its bricks: dir[k] is of
 * the k-th device. own_times: it keeps files' times itself, in nanoseconds,
 * because those of the file system below are too coarse to tell two writes
 * apart. */
void slu_volfile_server(const struct slu_plan *plan, size_t self,
			const char *const *dir, unsigned port, bool own_times,
			struct slu_buf *out);

/* The client; port[i] belongs to plan->node[i], unless that gives nothing.
 * `shard`: block size in bytes that large files are spread in, 0: files are
 * whole. It ends when it has lost a brick, unless it is to be partial: its
 * listings would leave out what lies there, without an error. */
void slu_volfile_client(const struct slu_plan *plan, const unsigned *port,
			uint64_t shard, bool partial, struct slu_buf *out);

/* Calls that a brick handles at a time, as text. */
const char *slu_volfile_threads(const struct slu_plan *plan);

/* The port in a server's volume file; 0: there is none. */
unsigned slu_volfile_port(const char *text);

#endif
