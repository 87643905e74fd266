/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STORAGE_STORAGE_H
#define SLU_STORAGE_STORAGE_H

/*
 * Provides one instance's part of a node's local storage: the directory
 * STORAGE/JOB.BUFFER, limited to the requested capacity, and in it `fs`, where
 * a driver puts its data. Makes it, measures it, wipes it, or keeps it after a
 * failed stage-out.
 *
 * The limit is a project quota where a trial shows that the file system
 * enforces one and the driver does not need a file system of its own; else an
 * ext4 image, mounted through a loop device, whose blocks are reserved at once.
 * ext4 has no journal, unless the data is to outlive a crash; inodes of 512
 * bytes, which hold extended attributes; and 2 % kept back for root.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "burst_buffer/storage/kept_age.h"
#include "common/err.h"

struct slu_storage_want {
	const char *storage; /* directory on local storage; made if missing */
	uint32_t job_id;
	uint64_t buffer;
	uint64_t capacity; /* bytes that a user can write */
	/* No quota: it must be a file system of its own, which only root's
	 * servers touch until it is kept. */
	bool own_fs;
	bool keep; /* it outlives a crash of the node: never made anew */
};

struct slu_storage {
	char dir[4096];	  /* STORAGE/JOB.BUFFER */
	char fs[4104];	  /* dir/fs: a directory of root's, 0755, empty */
	char enforced[8]; /* quota, loop */
};

/* Makes the storage. If it is already complete it is left as it is; what an
 * interrupted call left incomplete is removed first. Complete storage of a
 * buffer that is kept over crashes is only mounted again after a reboot; if
 * that is impossible it is an error, and the storage is left as it is.
 * SLU_BUSY: there is too little space. */
int slu_storage_make(const struct slu_storage_want *want,
		     struct slu_storage *out, struct slu_err *err);

/* Where it is (or would be), without making anything; -1: path too long. */
int slu_storage_locate(const char *storage, uint32_t job_id, uint64_t buffer,
		       struct slu_storage *out, struct slu_err *err);

/* Removes the storage and proves that nothing is left: no mount, no directory,
 * and its space is free again. Processes of `uid` that still use it are killed.
 * Returns 0 also if it is missing, or has no directory (dir ""). 1: it is gone,
 * but a process holds a part of it until the process ends (noted, see
 * held_storage.h): `err` names the process, if it was found. */
int slu_storage_wipe(const struct slu_storage *storage, uid_t uid,
		     struct slu_err *err);

/* Keep what a failed stage-out left: moved to STORAGE/kept/JOB.BUFFER, mounted
 * there read-only at `fs`, until `until` (Unix seconds). `kept` gets the path
 * of fs there. Repeating it is harmless. */
int slu_storage_keep(const struct slu_storage *storage, uid_t uid,
		     int64_t until, char kept[4096], struct slu_err *err);

/* Bytes of it that are taken now: by data, and by what its file system and the
 * servers need for themselves. Asks the kernel, no device. SLU_NOTFOUND: it is
 * not there (yet, any more). */
int slu_storage_used(const struct slu_storage *storage, uint64_t *bytes,
		     struct slu_err *err);

/* Syncs the storage and checks that the disk has accepted all data. The kernel
 * writes after the program's close(); where it cannot (the disk fails, or is
 * full below blocks that were not reserved), later readers get the old content
 * without an error. SLU_IO: some data was lost; reported once. Always 0 for a
 * directory, whose disk other storage shares, and for missing storage. Waits
 * for the disk. */
int slu_storage_stored(const struct slu_storage *storage, struct slu_err *err);

/* Was the storage moved to `kept`, perhaps by a call that did not live to
 * return? */
bool slu_storage_is_kept(const struct slu_storage *storage);

/* Remove what is kept in DIR, STORAGE/kept/JOB.BUFFER, whatever its time. */
int slu_storage_discard(const char *dir, struct slu_err *err);

/* Bytes that the storage takes since it was kept. 0: as before, as it is not
 * kept, or is a directory that can still be written to. */
uint64_t slu_storage_kept_takes(const struct slu_storage *storage);

/* Was the storage to be kept, but is still in its old place, as the move was
 * interrupted or undone by a power cut? *until: Unix seconds. */
bool slu_storage_is_to_keep(const struct slu_storage *storage, int64_t *until);

/* Marks: small files beside the data, in `dir` of a storage or in kept data,
 * that later processes read, also after a reboot. */
#define SLU_RAN_MARK "ran" /* all nodes were ready: tasks may have run */
#define SLU_CUT_MARK "cut" /* the node went down while the job used it */
bool slu_storage_has_mark(const char *dir, const char *mark);
int slu_storage_mark(const char *dir, const char *mark, const char *text,
		     struct slu_err *err);
/* Removes a mark. -1 and errno: it could not be removed, or there is none. */
int slu_storage_unmark(const char *dir, const char *mark);

/* Mount what is kept again (after a reboot); an image that was in use when the
 * node went down is checked first. SLU_INVALID: it is damaged; it stays, not
 * mounted. */
int slu_storage_remount(const char *kept_dir, struct slu_err *err);

/* Removes kept data whose date is before `now` and which is known to have been
 * kept for `least` seconds (up NULL: without that check), and what earlier
 * interrupted calls have left. It is removed even while a process uses it. -1:
 * `err` is of the first that could not be removed; the others are removed. */
int slu_storage_expire(const char *storage, int64_t now,
		       const struct slu_uptime *up, int64_t least,
		       struct slu_err *err);

#endif
