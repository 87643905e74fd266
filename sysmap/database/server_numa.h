/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_DATABASE_SERVER_NUMA_H
#define SLU_SYSMAP_DATABASE_SERVER_NUMA_H

/*
 * Where on a host a server should run: on the NUMA node that is nearest to its
 * disk and its network interface together (the sum of the distances that the
 * firmware tells; of equal ones the one nearer to the disk), or on the one that
 * is farthest from both, which leaves the near socket to the application.
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
 * known), as network: of an interface. SLU_NOTFOUND, with why, when there is
 * only one node, or neither is at a known one. */
int slu_numa_choose(struct json_object *numa, const char *device,
		    const char *network, bool far, struct slu_numa_place *out,
		    struct slu_err *err);

/* The same of a host in the resource map: of the disk that the absolute path
 * lies on, and of the interface with the address addr, or (where that is a
 * name) the fastest one that is up. */
int slu_numa_find(struct slu_db *db, const char *host, const char *path,
		  const char *addr, bool far, struct slu_numa_place *out,
		  struct slu_err *err);

#endif
