/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_SEGMENTS_DESCRIPTORS_H
#define SLU_SELECT_IO_SEGMENTS_DESCRIPTORS_H

/*
 * Private to libsluice_segments.so, which is loaded into unmodified programs:
 * finds which of their descriptors are files in segments, and reads from the
 * parts. Such a descriptor is that of the index; the offset is the index's own,
 * so that dup, fork and exec share it as they do for any file. Parts are opened
 * when they are first read. All functions may be called by any thread.
 */

/*
 * Programs close descriptors that they did not open (closefrom), and get the
 * same numbers again for other files: before a descriptor of an index or a part
 * is used it is checked to be the same file as before. If a program runs out of
 * descriptors, parts that no thread is reading are closed, and opened again
 * later. Parts must be plain files of the index's owner, below its directory,
 * without links in the path: the reader may be root.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include "select_io/segments/index.h"

struct slu_descriptor; /* counted: of a descriptor, and while it is read */

/* The C library's own. */
struct slu_real {
	int (*openat)(int dir, const char *path, int flags, ...);
	int (*close)(int fd);
	int (*fcntl)(int fd, int cmd, ...);
	int (*fstat)(int fd, struct stat *st);
	ssize_t (*pread)(int fd, void *buf, size_t n, off_t at);
	off_t (*lseek)(int fd, off_t at, int whence);
};
extern struct slu_real slu_real;

/* A descriptor that has just been opened for reading: is it an index? -1 and
 * errno: it is, but the whole cannot be had (memory or descriptors are short,
 * its directory is not to be found); the index must not be handed out in its
 * place. */
int slu_descriptor_opened(int fd);
/* Opens the first part. -1 and errno: there is no descriptor for it (other
 * errors of the part are returned when it is read). */
int slu_descriptor_ready(int fd);
/* openat(2) for a moment, to look at a file: does not block. */
int slu_descriptor_probe(int dir, const char *path, int flags);
/* The bytes of the whole if fd is an index; -1: it is none. */
int64_t slu_descriptor_peek(int fd);
/* NULL: an ordinary descriptor. The caller puts it back. */
struct slu_descriptor *slu_descriptor_get(int fd);
void slu_descriptor_put(struct slu_descriptor *j);
bool slu_descriptor_is_segmented(int fd);
/* Notes that `to` is now a copy of `from`. Returns `to`, or closes it and
 * returns -1 with EMFILE: the table has no entries for such numbers. */
int slu_descriptor_dup(int from, int to);
/* Notes that the descriptor is closed. */
void slu_descriptor_drop(int fd);

const struct slu_segments *
slu_descriptor_segments(const struct slu_descriptor *j);
/* For read(2): advances the offset by n bytes, or by what is left; *at is the
 * offset before. Returns the number of bytes; -1 and errno. */
ssize_t slu_descriptor_advance(struct slu_descriptor *j, int fd, size_t n,
			       off_t *at);
/* As pread(2), of the whole. */
ssize_t slu_descriptor_read(struct slu_descriptor *j, void *buf, size_t n,
			    off_t at);
/* The descriptor of a part; -1 and errno, also when it is shorter than it ought
 * to be. It stays open until it is put back.
 */
int slu_descriptor_part(struct slu_descriptor *j, size_t i);
void slu_descriptor_part_put(struct slu_descriptor *j, size_t i);

#endif
