/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_BUFFER_STAGING_DIRECTORY_BATCH_H
#define SLU_BURST_BUFFER_STAGING_DIRECTORY_BATCH_H

/* The names in a directory, some at a time, and what they are: in the order of
 * their inodes, as disks like to be asked in that order, now and when the files
 * are read. */

#include <dirent.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/stat.h>
#include "common/str.h"

#define SLU_BATCH 1024 /* at a time; fewer are the last */

/* Zero it but for src; free names at the end. */
struct slu_directory_batch {
	int src; /* the directory */
	struct slu_buf names;
	struct slu_looked {
		ino_t ino;
		size_t at;    /* in names */
		int errno_of; /* of the look at it */
		struct stat st;
	} item[SLU_BATCH];
	size_t n;
	_Atomic size_t looked_at;
};

/* The next ones of `dir`, a stream on src; -1: errno says why it cannot be
 * read. By several threads unless `one_thread`. */
int slu_directory_batch_next(struct slu_directory_batch *batch, DIR *dir,
			     bool one_thread);

#endif
