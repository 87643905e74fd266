/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_BUFFER_STAGING_DIRECTORY_BATCH_H
#define SLU_BURST_BUFFER_STAGING_DIRECTORY_BATCH_H

/*
 * Reads the names in a directory with their stat, in batches sorted by inode
 * number, which is the fastest order on disks, both for stat and for reading
 * the files.
 */

#include <dirent.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/stat.h>
#include "common/str.h"

#define SLU_BATCH 1024 /* in a batch; the last one has fewer */

/* Zero it, but set src; free names at the end. */
struct slu_directory_batch {
	int src; /* the directory */
	struct slu_buf names;
	struct slu_looked {
		ino_t ino;
		size_t at;    /* in names */
		int errno_of; /* errno of its stat */
		struct stat st;
	} item[SLU_BATCH];
	size_t n;
	_Atomic size_t looked_at;
};

/* The next batch of `dir`, a stream on src; -1: errno. Uses several threads
 * unless `one_thread`. */
int slu_directory_batch_next(struct slu_directory_batch *batch, DIR *dir,
			     bool one_thread);

#endif
