/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_DATABASE_SERVER_NUMA_H
#define SLU_SYSMAP_DATABASE_SERVER_NUMA_H

/*
 * Chooses the NUMA node on which a file system's server should run on a host:
 * the one nearest to its disk and its network interface together (the sum of
 * the distances that the firmware reports; if equal, the one nearer to the
 * disk), or the one farthest from both, which leaves the near socket to the
 * application.
 */

#include <stdbool.h>
#include <json-c/json.h>
#include "common/err.h"
#include "store/db.h"

struct slu_numa_place {
	char cpus[1024]; /* "0-7,16-23" */
	char why[200];	 /* "NUMA node 0, near nvme0n1 and ib0" */
};

/* From a document "numa"; device: of a disk or a partition ("" and NULL: not
 * known), as network: of an interface. SLU_NOTFOUND, with the reason, if there
 * is only one node, or neither device's node is known. */
int slu_numa_choose(struct json_object *numa, const char *device,
		    const char *network, bool far, struct slu_numa_place *out,
		    struct slu_err *err);

/* The same for a host in the resource map: for the disk with the absolute path,
 * and the interface with the address addr, or (if that is a name) the fastest
 * one that is up. */
int slu_numa_find(struct slu_db *db, const char *host, const char *path,
		  const char *addr, bool far, struct slu_numa_place *out,
		  struct slu_err *err);

#endif
