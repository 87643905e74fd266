/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_DATABASE_PLANNER_STORAGE_H
#define SLU_SYSMAP_DATABASE_PLANNER_STORAGE_H

/*
 * Finds the storage of a node that a job's file system is to use: which mounted
 * file systems the resource map has for the node, and which of them a choice of
 * the administrator ("NodeStorage", a pool) selects.
 */

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
	uint64_t available;  /* bytes, as the node last reported; else size */
	enum slu_tier tier;
};

/*
 * The file systems of a host that a choice (common/tiers.h) selects, best
 * first: of those that are on a disk or in persistent memory, writable, and
 * neither for booting nor one of our buffers, the best one by the first word of
 * the choice that any of them fits; by `ram`, or a pattern, also one in memory
 * that is not the system's own. The root file system only if there is no other.
 * For a path, the file system that contains it. `each`: also those like it,
 * among which a job gets the one with the most room. On success *n is not 0,
 * and the caller frees *out. SLU_NOTFOUND, with advice, if the map has none or
 * does not know this host.
 */
int slu_storage_devices(struct slu_db *db, const char *host, const char *choice,
			bool each, struct slu_node_storage **out, size_t *n,
			struct slu_err *err);

/* A host's documents about storage, read once for several choices. */
struct slu_storage_documents {
	struct json_object *mounts, *usage, *speed; /* each may be NULL */
	struct slu_err why;			    /* where `mounts` is */
};
/* `speed`: also what was measured, for the choice `fastest`. Caller puts. */
void slu_storage_read(struct slu_db *db, const char *host, bool speed,
		      struct slu_storage_documents *out);
void slu_storage_documents_free(struct slu_storage_documents *docs);
/* slu_storage_devices() by these. */
int slu_storage_devices_of(const struct slu_storage_documents *docs,
			   const char *host, const char *choice, bool each,
			   struct slu_node_storage **out, size_t *n,
			   struct slu_err *err);

/* Each file system of a host and the choices that select it, as rows {host,
 * mountpoint, device, filesystem, tier, size, taken_for, share, why_not} added
 * to an array; share: on how many of those that a choice selects a job's share
 * lies; the last three are "" where there is nothing to say. */
struct slu_storage_choice {
	const char *who; /* "NodeStorage", "pool fast" */
	const char *choice;
	bool each; /* as in slu_storage_devices() */
	/* The file systems of jobs whose shares lie on all of these, "a, b", if
	 * there are any: else NULL. */
	const char *spread;
};
int slu_storage_explain(struct slu_db *db, const char *host,
			const struct slu_storage_choice *choice, size_t n,
			struct json_object *out, struct slu_err *err);

/* The file system of a host that contains an absolute path, as far as the map
 * knows. SLU_NOTFOUND if it does not. */
int slu_storage_at(struct slu_db *db, const char *host, const char *path,
		   struct slu_node_storage *out, struct slu_err *err);

/* Are two absolute paths of a host on one file system? Mounts of it elsewhere
 * count as the same. False if the map does not know. */
bool slu_storage_same(struct slu_db *db, const char *host, const char *a,
		      const char *b);

/* The best of slu_storage_devices() from the documents "mountpoints" and
 * "storagespeed" (may be NULL) alone, so that `available` is the size; name: of
 * the host, for the error's text. Never of a path. */
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
