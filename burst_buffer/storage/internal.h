/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STORAGE_INTERNAL_H
#define SLU_STORAGE_INTERNAL_H

/*
 * Private to burst_buffer/storage: functions for an instance's storage that
 * storage_make.c (makes it), wipe.c (removes it) and kept.c (keeps it after a
 * failed stage-out) share. `dir` is STORAGE/JOB.BUFFER, or the place below
 * STORAGE/kept to which that was moved.
 */

#include "burst_buffer/storage/storage.h"
#include "burst_buffer/host/loop_device.h"

#define SLU_NOBODY     ((uid_t)-1) /* no user's processes are killed */
#define SLU_QUOTA_MARK "quota"	   /* file in dir: the project id */

/* storage_make.c */
int slu_storage_path(char *out, size_t size, const char *dir, const char *name,
		     struct slu_err *err);
/* Flushes to disk, so that kept data survives a power failure. */
int slu_storage_sync(const char *dir, struct slu_err *err);
/* Writes a small file in dir; a few of them have their space reserved, in case
 * others have filled the disk. */
int slu_storage_put(const char *dir, const char *name, const char *text,
		    bool sync, struct slu_err *err);

/* wipe.c. Unmounts the file system of `dir`, as slu_unmount_or_detach().
 * `image` gets the path of the image, `name` the loop device that it had, or
 * "". */
int slu_storage_unmount(const char *dir, uid_t uid, char image[4200],
			char name[SLU_LOOP_NAME], struct slu_err *err);
/* Unmounts and empties storage that is about to be removed. 1: a process still
 * holds its loop device, which is empty now: err names the process, and a note
 * in `storage` (held_storage.h) keeps that. */
int slu_storage_give_up(const char *storage, const char *dir, uid_t uid,
			struct slu_err *err);
/* The quota project of a storage; 0: none. */
uint32_t slu_storage_project(const char *dir);
/* Returns as slu_storage_wipe(). */
int slu_storage_wipe_dir(const char *dir, uid_t uid, struct slu_err *err);

#endif
