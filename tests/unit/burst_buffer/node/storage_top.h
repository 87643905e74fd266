/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_STORAGE_TOP_H
#define SLU_TESTS_STORAGE_TOP_H

/* Creates storage below a new directory for a test, and checks that nothing
 * remains mounted there. */

#include "burst_buffer/host/mtab.h"
#include "burst_buffer/storage/storage.h"
#include "tests/unit/burst_buffer/node/tree.h"
#include <sys/stat.h>

#define MIB (1ull << 20)

static char *top;
static struct slu_err err;
static struct slu_storage s;

static inline struct slu_storage_want want(uint64_t capacity)
{
	struct slu_storage_want w = {.job_id = 17,
				     .buffer = 4,
				     .capacity = capacity,
				     .own_fs = true};

	w.storage = in(top, "storage");
	return w;
}

static inline void setup(void)
{
	top = tree_new();
	chmod(top, 0711);
}

static inline void nothing_left(void)
{
	struct slu_mtab m;

	ck_assert(!slu_mtab_read(&m, &err));
	ck_assert_ptr_null(slu_mtab_below(&m, top));
	slu_mtab_free(&m);
}

static inline void teardown(void)
{
	nothing_left();
	tree_remove(top);
}

#endif
