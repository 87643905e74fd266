/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_ION_HOSTLIST_CACHE_H
#define SLU_SELECT_IO_ION_HOSTLIST_CACHE_H

/*
 * Caches expanded host lists by their text, since the same lists occur in each
 * assignment; for the files of this folder.
 */

#include <stdint.h>
#include "common/err.h"
#include "common/hostlist.h"

struct slu_host_names {
	struct slu_hosts full;
	struct slu_hosts cut; /* the same up to the first dot */
	uint64_t *hash;	      /* XXH3 of each cut name */
	const char **sorted;  /* the cut names in strcmp's order */
	char *text;	      /* for the cache: key, */
	bool used;	      /* and use since the last sweep */
	struct slu_host_names *next;
};

struct slu_names_memory {
	struct slu_host_names **bucket; /* n_buckets, a power of two, or NULL */
	size_t n_buckets, n;
};

/* NULL text is "". Borrowed until a sweep drops it; NULL: SLU_INVALID, NOMEM.
 */
const struct slu_host_names *slu_names_find(struct slu_names_memory *memory,
					    const char *text,
					    struct slu_err *err);
void slu_names_sweep(struct slu_names_memory *memory);
void slu_names_clear(struct slu_names_memory *memory);

#endif
