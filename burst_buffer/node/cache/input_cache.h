/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_INPUT_CACHE_H
#define SLU_NODE_INPUT_CACHE_H

/*
 * Connects the stage cache to the life of a job's file system: it serves the
 * stage-in, keeps what was read, and makes room for the job's storage. No job
 * depends on it: errors are logged, and the source is read instead.
 */

#include "burst_buffer/node/cache/cache_proxy.h"
#include "burst_buffer/node/node.h"

struct slu_input_cache {
	struct slu_cache_of of; /* its storage is owned */
	struct slu_stage_cache cache;
	bool added; /* something was read into it */
};

/* Makes n->cache the cache for the job's stage-in, if it uses one; free with
 * slu_input_cache_end (NULL is fine). */
void slu_input_cache_begin(struct slu_node *n);
void slu_input_cache_end(struct slu_node *n);

/* Gives this process the disks only when no other process uses them. */
void slu_set_idle_io_priority(void);

/* Call it when the stage-in is verified: keeps what it has added, once a
 * detached process has synced it to disk. */
void slu_input_cache_keep(struct slu_node *n);

/* The stage-in failed: removes the entries that it used, so that the next run
 * reads the source. */
void slu_input_cache_discard_used(struct slu_node *n);

/* Makes room for so many bytes in `storage` by removing entries. Without
 * StageCache all are removed. */
void slu_input_cache_yield(struct slu_node *n, const char *storage,
			   uint64_t bytes);

#endif
