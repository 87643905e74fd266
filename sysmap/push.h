/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_PUSH_H
#define SLU_SYSMAP_PUSH_H

/*
 * Tell sluiced what this host has: 8 bytes for each document, then only those
 * documents that it has never seen (see sysmap/database/receive.h). Link with
 * $(libslupush).
 */

#include "common/http.h"
#include "sysmap/extract.h"

struct slu_pushed {
	size_t documents; /* that had to travel */
	size_t bytes;	  /* of both bodies */
};

/* deadline: seconds from now in which each of the two requests is tried. */
int slu_push(struct slu_http *http, const char *host, const struct slu_map *map,
	     double deadline, struct slu_pushed *out, struct slu_err *err);

#endif
