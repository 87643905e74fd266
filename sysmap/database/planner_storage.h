/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_DATABASE_PLANNER_STORAGE_H
#define SLU_SYSMAP_DATABASE_PLANNER_STORAGE_H

/* Questions of the planner to the resource map. */

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <json-c/json.h>
#include "common/err.h"
#include "common/tiers.h"
#include "store/db.h"

struct slu_node_storage {
	char path[PATH_MAX]; /* the mount point */
	char filesystem[64]; /* ext4, xfs, ... */
	char device[64];     /* /dev/nvme0n1p1 */
	uint64_t size;	     /* bytes */
	uint64_t available;  /* bytes, when the node last said so; else size */
	enum slu_tier tier;
};

/*
 * What a choice (common/tiers.h) takes of a host: of its file systems that are
 * on a disk or in persistent memory, writable, and neither for booting nor one
 * of our buffers, the best one by its first word that any of them fits; by
 * `ram`, or a pattern, also one in memory that is not the system's own. The
 * root file system only if there is no other. Of a path what it lies on.
 * SLU_NOTFOUND, with what to do, when the map has none or nothing of this host.
 */
int slu_storage_find(struct slu_db *db, const char *host, const char *choice,
		     struct slu_node_storage *out, struct slu_err *err);

/* Each file system of a host and what takes it, as rows {host, mountpoint,
 * device, filesystem, tier, size, taken_for, why_not} added to an array; the
 * last two are "" where there is nothing to say. */
struct slu_storage_choice {
	const char *who; /* "NodeStorage", "pool fast" */
	const char *choice;
};
int slu_storage_explain(struct slu_db *db, const char *host,
			const struct slu_storage_choice *choice, size_t n,
			struct json_object *out, struct slu_err *err);

/* The file system of a host that an absolute path lies on, as far as the map
 * shows it. SLU_NOTFOUND when it does not. */
int slu_storage_at(struct slu_db *db, const char *host, const char *path,
		   struct slu_node_storage *out, struct slu_err *err);

/* Do two absolute paths of a host lie on one file system? Its mounts elsewhere
 * are the same one. False where the map does not show it. */
bool slu_storage_same(struct slu_db *db, const char *host, const char *a,
		      const char *b);

/* slu_storage_find() from the documents "mountpoints" and "storagespeed" (may
 * be NULL) alone, so that `available` is the size; name: of the host, for the
 * error's text. Never of a path. */
int slu_storage_choose(struct json_object *mountpoints,
		       struct json_object *speed, const char *name,
		       const char *choice, struct slu_node_storage *out,
		       struct slu_err *err);

/* planner_storage.c, for storage_explain.c: the documents "mountpoints" (NULL:
 * err) and "storagespeed" (NULL: there is none) of a host. Caller puts. */
struct json_object *slu_storage_mounts(struct slu_db *db, const char *host,
				       struct slu_err *err);
struct json_object *slu_storage_speed(struct slu_db *db, const char *host);

#endif
