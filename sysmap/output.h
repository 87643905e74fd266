/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_OUTPUT_H
#define SLU_SYSMAP_OUTPUT_H

/* Writes a map as text, in one of the formats of a table (json, sql, ...). Each
 * format appends to *out. */

#include "sysmap/extract.h"

struct slu_format {
	const char *name;
	const char *help;
	/* host: whose map it is */
	int (*write)(const struct slu_map *map, const char *host,
		     struct slu_buf *out, struct slu_err *err);
};
extern const struct slu_format slu_formats[]; /* name NULL ends it */

#endif
