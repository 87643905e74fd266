/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_PUSH_H
#define SLU_SYSMAP_PUSH_H

/*
 * Sends this host's map to sluiced: 8 bytes for each document, then only those
 * documents that sluiced has never seen (see sysmap/database/receive.h). Link
 * with $(libslupush).
 */

#include "common/http.h"
#include "sysmap/extract.h"

struct slu_pushed {
	size_t documents; /* that had to be sent */
	size_t bytes;	  /* of both bodies */
};

/* timeout of each of the two requests, seconds */
int slu_push(struct slu_http *http, const char *host, const struct slu_map *map,
	     double deadline, struct slu_pushed *out, struct slu_err *err);

#endif
