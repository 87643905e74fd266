/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STAGING_COPY_H
#define SLU_STAGING_COPY_H

/*
 * Copies a range of a file, in the kernel where both ends allow it, else
 * through a buffer; holes stay holes. Compares a copy's size, time and
 * attributes with its manifest entry.
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
	bool flush;	/* start writing copied data to disk at once */
	bool by_size;	/* see slu_read_range() */
	/* Called after every piece; may be NULL. Not 0: stop. */
	int (*progress)(void *arg, uint64_t bytes);
	void *arg;
};

/* Copy [offset, offset + len) of `in` to the same place in `out`, which has
 * only holes there. A source that ends early is SLU_IO. `sparse` says that the
 * source may have holes. Texts say "read"/"write" and the system's reason, no
 * names. */
int slu_copy_part(struct slu_copier *c, int in, int out, uint64_t offset,
		  uint64_t len, bool sparse, struct slu_err *err);

/* Read [offset, offset + len) of a file of that length: returns the number of
 * bytes, fewer where it ends early; or -1 with errno. `by_size`: reads of its
 * file system skip holes and return only the number of other bytes (GekkoFS).
 * Then all bytes are in `data`, holes as zeros; 0: there is only a hole. */
ssize_t slu_read_range(int fd, char *data, size_t len, uint64_t offset,
		       bool by_size);

/* Is this the time that the copy was given, at the resolution of its file
 * system? */
bool slu_same_time(const struct timespec *want, const struct timespec *is);
/* Is `name` in `dir` a regular file of this entry's size, mode and time, with
 * the attributes that its source, `path` below src, has now? Without support
 * for lists, the mode is that of the source without its list (attrs.h). A copy
 * gets its time last, so a correct time means that it is complete. */
struct slu_entry;
bool slu_has_arrived(int dir, const char *name, const struct slu_entry *entry,
		     int src, const char *path);
/* As slu_has_arrived() for size and time only, which a file that is being
 * written in several ranges does not have by chance; then, with `attrs`, gives
 * it the mode and attributes of its source, which other copiers may not have
 * copied. */
bool slu_completes(int dir, const char *name, const struct slu_entry *entry,
		   int src, const char *path, bool attrs);

#endif
