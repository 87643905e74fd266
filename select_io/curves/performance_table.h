/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_CURVES_PERFORMANCE_TABLE_H
#define SLU_SELECT_IO_CURVES_PERFORMANCE_TABLE_H

/*
 * Parses the site's table of measured bandwidths (PerformanceTable), and
 * computes from it a job's bandwidth with each number of I/O nodes. The table
 * has a row per access pattern and a column per number of I/O nodes, in MB/s.
 * No clock, no files. Read-only once parsed.
 */

/*
 *	pattern,0,1,2,4,8
 *	shared-1m,246,120,232,421,640
 *	fpp-32k,538,169,425,,1022
 *
 * The heading names the numbers of I/O nodes, up to SLU_CURVE_POINTS of them; 0
 * is direct access. An empty cell was not measured: see curves.h for what is
 * used instead. Lines that begin with # are comments.
 *
 * Between "pattern" and the numbers the heading may have properties of the
 * patterns, so that the nearest ones can be found for a job that names none: op
 * (read or write), nodes and processes (that it was measured with), request
 * (bytes of a call), layout (shared or file-per-process) and access (contiguous
 * or strided). Empty cells and missing columns mean unknown.
 *
 *	pattern,op,nodes,request,layout,0,1,2,4,8
 *	large-write,write,32,1MiB,shared,246,120,232,421,640
 *
 * A job's profile names its patterns and how much it moves with each:
 * "shared-1m" or "shared-1m:2TiB,fpp-32k:10GiB". With n I/O nodes it then
 * reaches total bytes / sum (bytes of a pattern / bandwidth of the pattern with
 * n).
 */

#include "common/err.h"
#include "select_io/curves/curves.h"

struct slu_patterns;

/* `name` stands in the messages: "NAME:LINE: ...". Free with _free. */
struct slu_patterns *slu_patterns_parse(const char *text, const char *name,
					struct slu_err *err);
void slu_patterns_free(struct slu_patterns *patterns);

/* The curve of one pattern or NULL; borrowed. */
const struct slu_curve *slu_patterns_find(const struct slu_patterns *patterns,
					  const char *pattern);

/* The curve of a profile. SLU_NOTFOUND: a pattern is not in the table;
 * SLU_INVALID: it is not a profile. */
int slu_patterns_curve(const struct slu_patterns *patterns, const char *profile,
		       struct slu_curve *out, struct slu_err *err);

enum slu_ion_layout { SLU_LAYOUT_OPEN, SLU_LAYOUT_SHARED, SLU_LAYOUT_EACH };
enum slu_ion_access { SLU_ACCESS_OPEN, SLU_CONTIGUOUS, SLU_STRIDED };

/* A predicted access pattern; 0: not known. */
struct slu_ion_manner {
	uint32_t nodes, processes;
	double read_bytes, written_bytes;
	double request; /* bytes of a call */
	enum slu_ion_layout layout;
	enum slu_ion_access access;
};

/* The name (borrowed) and operations of pattern i, as far as they are in the
 * table. False: there are fewer patterns. */
bool slu_patterns_meaning(const struct slu_patterns *patterns, size_t i,
			  const char **name, struct slu_ion_manner *manner,
			  bool *reads, bool *writes);

/* The patterns that are nearest to such a job, as a profile: of those with the
 * same operation the one with the fewest differences in layout and access, and
 * of these the one with the smallest factors in nodes, processes and request;
 * the first of equals. Unknown properties of either side match everything.
 * Patterns without an operation match both; a table without properties has no
 * nearest pattern. Rounded to bytes. NULL with SLU_NOTFOUND: there is none, or
 * no bytes are moved. Caller frees. */
char *slu_patterns_nearest(const struct slu_patterns *patterns,
			   const struct slu_ion_manner *manner,
			   struct slu_err *err);

/* "1MiB requests, strided, shared files": what is known of request, access and
 * layout; "" when nothing is. Caller frees; NULL without memory. */
char *slu_ion_manner_text(const struct slu_ion_manner *manner);

#endif
