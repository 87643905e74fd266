/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_OUTPUT_TREE_H
#define SLU_SYSMAP_OUTPUT_TREE_H

/* Writes a map as YAML or XML: two rows of slu_formats (sysmap/output.h). */

#include "sysmap/extract.h"

/* Rows of slu_formats (sysmap/output.h). */
int slu_write_yaml(const struct slu_map *map, const char *host,
		   struct slu_buf *out, struct slu_err *err);
int slu_write_xml(const struct slu_map *map, const char *host,
		  struct slu_buf *out, struct slu_err *err);

#endif
