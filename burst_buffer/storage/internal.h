/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STORAGE_INTERNAL_H
#define SLU_STORAGE_INTERNAL_H

/* What the files of storage.h share: storage_make.c makes it, wipe.c takes
 * it away, kept.c keeps it. `dir` is STORAGE/JOB.BUFFER, or where that
 * was moved to. */

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

/* wipe.c. Unmount what dir has, as slu_unmount_or_detach(); `name`: of
 * the device that a mounted image had, or "". */
int slu_storage_unmount(const char *dir, uid_t uid, char image[4200],
			char name[SLU_LOOP_NAME], struct slu_err *err);
/* Of what nobody is to have any more: unmount and empty it. 1: somebody has a
 * device of it, on which there is nothing any more: err says who, and so does a
 * note (held_storage.h) in `storage`. */
int slu_storage_give_up(const char *storage, const char *dir, uid_t uid,
			struct slu_err *err);
/* The project that limits it; 0: none. */
uint32_t slu_storage_project(const char *dir);
/* Returns as slu_storage_wipe(). */
int slu_storage_wipe_dir(const char *dir, uid_t uid, struct slu_err *err);

#endif
