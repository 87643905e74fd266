/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_MAP_DEVICE_SPEEDS_H
#define SLU_SYSQUERY_MAP_DEVICE_SPEEDS_H

/* What the devices of nodes can do, as the resource map has it: how fast their
 * storage was when it was measured (sysmap --measure), and their networks. */

#include <stddef.h>
#include <stdint.h>
#include "common/err.h"
#include "store/db.h"

/* Sums over hosts; bytes a second. What is known of no host is 0. */
struct slu_devices {
	double storage_write, storage_read;
	size_t measured; /* hosts whose storage was */
	double network;	 /* of the fastest link of each that is up */
	size_t linked;	 /* hosts of which that is known */
};

/* Add those of a host; storage: the absolute path that counts there (NULL: none
 * does). A host of which nothing is known adds nothing. */
int slu_devices_add(struct slu_db *db, const char *host, const char *storage,
		    struct slu_devices *sum, struct slu_err *err);

#endif
