/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_MAP_DEVICE_SPEEDS_H
#define SLU_SYSQUERY_MAP_DEVICE_SPEEDS_H

/* Reads the speeds of nodes' devices from the resource map: of storage as
 * measured (sysmap --measure), and of network links. */

#include <stddef.h>
#include <stdint.h>
#include "common/err.h"
#include "store/db.h"

/* Sums over hosts; bytes a second. 0: not known for any host. */
struct slu_devices {
	double storage_write, storage_read;
	size_t measured; /* hosts with measured storage */
	double network;	 /* of the fastest link of each that is up */
	size_t linked;	 /* hosts for which that is known */
};

/* Add the speeds of a host; storage: the absolute path whose storage counts
 * (NULL: none). Unknown hosts add nothing. */
int slu_devices_add(struct slu_db *db, const char *host, const char *storage,
		    struct slu_devices *sum, struct slu_err *err);

#endif
