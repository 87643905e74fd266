/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_DATABASE_PLANNER_STORAGE_H
#define SLU_SYSMAP_DATABASE_PLANNER_STORAGE_H

/* Questions of the planner to the resource map. */

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <json-c/json.h>
#include "common/err.h"
#include "store/db.h"

struct slu_node_storage {
	char path[PATH_MAX]; /* the mount point */
	char filesystem[64]; /* ext4, xfs, ... */
	char device[64];     /* /dev/nvme0n1p1 */
	uint64_t size;	     /* bytes */
	uint64_t available;  /* bytes, when the node last said so; else size */
};

/*
 * NodeStorage=auto: the largest file system of a host that is on a disk of
 * its own, writable, and neither for booting nor one of our buffers; the root
 * file system only if there is no other. SLU_NOTFOUND, with what to do, when
 * the map has none or nothing of this host.
 */
int slu_storage_find(struct slu_db *db, const char *host,
		     struct slu_node_storage *out, struct slu_err *err);

/* The file system of a host that an absolute path lies on, as far as the map
 * shows it. SLU_NOTFOUND when it does not. */
int slu_storage_at(struct slu_db *db, const char *host, const char *path,
		   struct slu_node_storage *out, struct slu_err *err);

/* Do two absolute paths of a host lie on one file system? Its mounts elsewhere
 * are the same one. False where the map does not show it. */
bool slu_storage_same(struct slu_db *db, const char *host, const char *a,
		      const char *b);

/* The same from a document "mountpoints" alone, so that `available` is the
 * size; name: of the host, for the error's text. */
int slu_storage_choose(struct json_object *mountpoints, const char *name,
		       struct slu_node_storage *out, struct slu_err *err);

#endif
