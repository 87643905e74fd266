/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_INPUT_CACHE_H
#define SLU_NODE_INPUT_CACHE_H

/* The stage cache in the life of a job's file system. What fails is logged. */

#include "burst_buffer/node/cache_proxy.h"
#include "burst_buffer/node/node.h"

struct slu_input_cache {
	struct slu_cache_of of; /* its storage is owned */
	struct slu_stage_cache cache;
	bool added; /* something was read into it */
};

/* n->cache is the cache from here on, if there is to be one for its stage-in;
 * end it (NULL is fine). */
void slu_input_cache_begin(struct slu_node *n);
void slu_input_cache_end(struct slu_node *n);

/* From here on this process gets what of the disks nobody else wants. */
void slu_be_idle(void);

/* All is verified: what was added stays, when a process of its own has seen it
 * on disk. */
void slu_input_cache_keep(struct slu_node *n);

/* The stage-in failed: what it had from the cache goes, so that the next run
 * reads the source. */
void slu_input_cache_doubt(struct slu_node *n);

/* So many bytes are wanted in `storage`: entries go as far as it takes. Without
 * StageCache all of them do. */
void slu_input_cache_yield(struct slu_node *n, const char *storage,
			   uint64_t bytes);

#endif
