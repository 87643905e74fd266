/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SEGMENTS_INDEX_H
#define SLU_SEGMENTS_INDEX_H

/*
 * Parses and formats the index of a file in segments, a substitute for a file
 * with a composite layout on file systems that have none ("Evaluating Dynamic
 * File Striping for Lustre", section III): its parts are in directories with
 * different striping, and in its place there is a small index. Without other
 * side effects, as this code is also in a library that is loaded into other
 * programs.
 */

/*
 *	sluice-segments 1 14000000000
 *	1073741824 big.segments/4ost-1m/part-00
 *	9663676416 big.segments/8ost-2m/part-01
 *	...
 *
 * bytes in all; bytes and name of each part. Names are relative to the index's
 * directory, and have no component that is empty, "." or "..".
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLU_SEGMENTS_MAGIC "sluice-segments 1 "
#define SLU_SEGMENTS_TEXT  8192 /* bytes of an index, at most */
#define SLU_SEGMENTS_MAX   16
#define SLU_SEGMENTS_NAME  400

struct slu_segment {
	uint64_t begin, size;
	char name[SLU_SEGMENTS_NAME];
};

struct slu_segments {
	struct slu_segment part[SLU_SEGMENTS_MAX];
	size_t n;
	uint64_t size; /* of all */
};

/* Does a file begin like an index? *size: the size of the whole file, set only
 * if so. `len` bytes of the beginning are enough if they hold the first line.
 */
bool slu_segments_peek(const char *text, size_t len, uint64_t *size);
/* false: it is no index, or one that makes no sense. */
bool slu_segments_parse(const char *text, size_t len, struct slu_segments *out);
/* The index's text; returns its length, 0: it does not fit. */
size_t slu_segments_text(const struct slu_segments *segments, char *text,
			 size_t size);
/* The part that byte `at` is in; n: behind the end. */
size_t slu_segments_find(const struct slu_segments *segments, uint64_t at);

#endif
