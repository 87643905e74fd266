/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Removes an instance's storage: unmounts it, kills processes of its user that
 * use it, deletes the files and releases the quota. A process that cannot be
 * made to let go (a mount namespace of its own, a descriptor in flight) is left
 * with an empty device, or deleted files, which are noted (held_storage.h).
 */
#include "config.h"
#include "burst_buffer/storage/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <fcntl.h>
#include "burst_buffer/storage/held_storage.h"
#include "burst_buffer/storage/image.h"
#include "burst_buffer/host/mtab.h"
#include "burst_buffer/host/quota.h"
#include "burst_buffer/host/trust.h"
#include "burst_buffer/host/file_users.h"
#include "burst_buffer/host/kill_users.h"
#include "common/file.h"

#define UNMOUNT_SECONDS 5.0

/* As slu_unmount_or_detach(). `name`: the loop device that a mounted image has,
 * or "". */
int slu_storage_unmount(const char *dir, uid_t uid, char image[4200],
			char name[SLU_LOOP_NAME], struct slu_err *err)
{
	char fs[4200];

	*name = '\0';
	snprintf(fs, sizeof(fs), "%s/fs", dir);
	snprintf(image, 4200, "%s/image", dir);
	slu_loop_under(fs, image, name, NULL);
	return slu_unmount_or_detach(dir, uid, UNMOUNT_SECONDS, err);
}

/* Finds the processes that hold a device. None of its files has a path any
 * more, so they are found by the device number. */
static void name_holders(const char *dir, const char *device,
			 struct slu_err *why)
{
	struct stat st;

	if (!stat(device, &st))
		slu_users_device_err(dir, major(st.st_rdev), minor(st.st_rdev),
				     why);
}

/* Unmounts and empties storage that is to be removed. Any user may have made a
 * mount namespace meanwhile (unshare(1)), which holds the mount and with it the
 * device for as long as it lives; so does a process whose working directory is
 * there, or that has a descriptor of it, even one in flight over a socket. 1: a
 * process holds the device, which is empty now, until it ends (err names the
 * process, if it can be found). */
int slu_storage_give_up(const char *storage, const char *dir, uid_t uid,
			struct slu_err *err)
{
	char device[SLU_LOOP_NAME], image[4200];
	struct slu_err why;
	int held = slu_storage_unmount(dir, uid, image, device, &why);

	if (held < 0 || (held && !slu_loop_has(device, image)) ||
	    (!held && !slu_image_wait(image, device, &why))) {
		if (held && err)
			*err = why;
		return held;
	}
	name_holders(dir, device, &why);
	if (err)
		*err = why;
	/* reported even if it cannot be noted */
	slu_held_storage_note(storage, strrchr(dir, '/') + 1, device, 0,
			      why.text, NULL);
	return slu_image_empty(image, device, &why) ? -1 : 1;
}

uint32_t slu_storage_project(const char *dir)
{
	struct slu_buf text = {0};
	char mark[4200];
	uint32_t id = 0;

	snprintf(mark, sizeof(mark), "%s/" SLU_QUOTA_MARK, dir);
	if (!slu_file_read(AT_FDCWD, mark, 64, &text, NULL) && text.data)
		id = (uint32_t)strtoul(text.data, NULL, 10);
	slu_buf_free(&text);
	return id;
}

/* Removes the project's limit. With a quota nothing is unmounted, so a process
 * may have deleted files open, which take space; then the limit stays until
 * they are closed. A limit on an empty project does no harm. */
static int release_project(const char *storage, const char *dir,
			   uint32_t project, struct slu_err *err)
{
	const char *name = strrchr(dir, '/') + 1;
	struct slu_err why;

	if (!project)
		return 0;
	if (!slu_held_storage_bytes(storage, name, project)) {
		slu_quota_clear(storage, project, NULL);
		return 0;
	}
	slu_users_err(dir, &why);
	slu_held_storage_note(storage, name, "", project, why.text, NULL);
	if (err)
		*err = why;
	return 1;
}

int slu_storage_wipe_dir(const char *dir, uid_t uid, struct slu_err *err)
{
	char storage[4096];
	uint32_t project;
	struct stat st;
	int held;

	if (slu_trust_dir(dir, err))
		return -1;
	slu_copy(storage, sizeof(storage), dir);
	*strrchr(storage, '/') = '\0';
	held = slu_storage_give_up(storage, dir, uid, err);
	if (held < 0)
		return -1;
	project = slu_storage_project(dir);
	if (project)
		slu_users_evict(dir, uid);
	if (slu_rmtree(AT_FDCWD, dir, err))
		return slu_err_prefix(err, "cannot remove %s", dir);
	if (!lstat(dir, &st))
		return slu_err(err, SLU_IO, "%s is still there", dir);
	return release_project(storage, dir, project, err) ? 1 : held;
}

int slu_storage_wipe(const struct slu_storage *s, uid_t uid,
		     struct slu_err *err)
{
	if (!*s->dir)
		return 0;
	return slu_storage_wipe_dir(s->dir, uid, err);
}
