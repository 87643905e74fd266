/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STAGING_COPY_H
#define SLU_STAGING_COPY_H

/*
 * Copying a piece of a file: in the kernel where both ends allow it, else
 * through a buffer; holes stay holes.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include "common/err.h"

#define SLU_COPY_BUFFER (4u << 20)

/* One per thread; zero it, free buffer at the end. */
struct slu_copier {
	char *buffer;
	bool no_kernel; /* copy_file_range does not work between these two */
	bool flush;	/* begin to write what is copied to disk at once */
	bool by_size;	/* of the source, see slu_read_range() */
	/* Told after every piece; may be NULL. Not 0: stop. */
	int (*progress)(void *arg, uint64_t bytes);
	void *arg;
};

/* Copy [offset, offset + len) of `in` to the same place in `out`, which has
 * only holes there. A source that ends early is SLU_IO. `sparse` says that the
 * source may have holes. Texts say "read"/"write" and the system's reason, no
 * names. */
int slu_copy_part(struct slu_copier *c, int in, int out, uint64_t offset,
		  uint64_t len, bool sparse, struct slu_err *err);

/* Read [offset, offset + len) of a file that is so long: how many bytes, fewer
 * where it ends early; or -1 with errno. `by_size`: its file system reads
 * nothing where there is a hole, and says how many bytes it has read elsewhere,
 * not where (GekkoFS). All of them are there then, holes as zeros; 0: there is
 * but a hole. */
ssize_t slu_read_range(int fd, char *data, size_t len, uint64_t offset,
		       bool by_size);

/* Is this the time that a copy got, as far as its file system keeps it? */
bool slu_same_time(const struct timespec *want, const struct timespec *is);
/* Is `name` in `dir` a regular file of this entry's size, mode and time, with
 * the attributes that its source, `path` below src, has now? Where there are no
 * lists, the mode is that of the source without its list (attrs.h). The time is
 * what a copy gets last. */
struct slu_entry;
bool slu_has_arrived(int dir, const char *name, const struct slu_entry *entry,
		     int src, const char *path);
/* The same of size and time only, which what is being written in several ranges
 * does not have by chance; then `attrs` has it given the mode and the
 * attributes of its source, which other copiers may leave out. */
bool slu_completes(int dir, const char *name, const struct slu_entry *entry,
		   int src, const char *path, bool attrs);

#endif
