/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_DRIVERS_VOLFILE_H
#define SLU_DRIVERS_VOLFILE_H

/*
 * Writes and reads volume files for glusterfs without glusterd: one brick per
 * node, one client graph over all bricks. Access is by login only (any other
 * authentication module beside it would let others in); the password is the
 * instance's secret.
 */

#include <stdbool.h>
#include "common/str.h"
#include "wire/node.h"

/* The brick of node `self`, stored in `dir`, listening on `port`. own_times: it
 * keeps files' times itself, in nanoseconds, because those of the file system
 * below are too coarse to tell two writes apart. */
void slu_volfile_brick(const struct slu_plan *plan, size_t self,
		       const char *dir, unsigned port, bool own_times,
		       struct slu_buf *out);

/* The client; port[i] belongs to plan->node[i], unless that gives no brick.
 * `shard`: block size in bytes that large files are spread in, 0: files are
 * whole. */
void slu_volfile_client(const struct slu_plan *plan, const unsigned *port,
			uint64_t shard, struct slu_buf *out);

/* Calls that a brick handles at a time, as text. */
const char *slu_volfile_threads(const struct slu_plan *plan);

/* The port in a brick's volume file; 0: there is none. */
unsigned slu_volfile_port(const char *text);

#endif
