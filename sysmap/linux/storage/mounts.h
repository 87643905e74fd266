/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_LINUX_MOUNTS_H
#define SLU_SYSMAP_LINUX_MOUNTS_H

/*
 * Reads the mount table. Mounts of users, containers and jobs (ours too), and
 * those hidden below other mounts, are left out, so that the table describes
 * the machine and stays the same over time. It is sorted by mount point.
 */

#include "sysmap/model.h"
#include "sysmap/root.h"

#define SLU_MOUNTS_MAX 8192 /* further lines are ignored */

struct slu_mount { /* texts are borrowed from the table's */
	char *device, *mountpoint, *filesystem;
	char *options;	     /* of the mount */
	char *super_options; /* of the file system; NULL: among `options` */
	char *subtree;	     /* root of the mount within it; NULL: unknown */
	char *number;	     /* MAJOR:MINOR; NULL: unknown */
	long id, parent;     /* numbers of mounts; 0: unknown */
	enum slu_mount_category category;
};

struct slu_mounts {
	struct slu_mount *mount;
	size_t n;
	struct slu_buf text;
};

/* /proc/self/mountinfo, or else /proc/mounts. Caller frees. */
int slu_mounts_read(const struct slu_root *root, struct slu_mounts *out,
		    struct slu_err *err);
int slu_mounts_read_mountinfo(const struct slu_root *root,
			      struct slu_mounts *out, struct slu_err *err);
int slu_mounts_read_mtab(const struct slu_root *root, struct slu_mounts *out,
			 struct slu_err *err);
void slu_mounts_free(struct slu_mounts *mounts);

/* The parsers alone: fill out from out->text, which they modify. Lines of
 * another form are skipped. */
enum slu_mount_form { SLU_MOUNTINFO, SLU_MTAB };
int slu_mounts_parse(struct slu_mounts *out, enum slu_mount_form form,
		     struct slu_err *err);

/* The mount of a block device: by "MAJOR:MINOR" or by path; of several the one
 * that mounts all of it, then the one with the shortest path. NULL: none. */
const struct slu_mount *slu_mounts_find(const struct slu_mounts *mounts,
					const char *number, const char *device);

/* Does its path lead through a network file system other than the root? Then
 * accessing it may wait for that server. */
bool slu_mount_below_network(const struct slu_mounts *mounts,
			     const struct slu_mount *mount);

/* A job's buffer or its image: .../sluice/17..., .../sluice/kept/... */
bool slu_mount_of_job(const char *mountpoint);

/* Mounts in memory that Linux itself has: /dev/shm, /run, /tmp, ... */
bool slu_mount_of_system(const char *mountpoint);

enum slu_mount_category slu_mount_category_of(const char *filesystem,
					      const char *device);

#endif
