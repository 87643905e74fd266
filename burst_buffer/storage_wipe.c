/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Taking an instance's storage away, also from who holds it, see storage.h. */
#include "config.h"
#include "burst_buffer/storage_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <fcntl.h>
#include "burst_buffer/image.h"
#include "burst_buffer/host/mtab.h"
#include "burst_buffer/host/quota.h"
#include "burst_buffer/host/trust.h"
#include "burst_buffer/host/users.h"
#include "common/file.h"

#define UNMOUNT_SECONDS 5.0

/* As slu_unmount_whoever(); `name`: of the device that a mounted image has, or
 * "". */
int slu_storage_unmount(const char *dir, uid_t uid, char image[4200],
			char name[SLU_LOOP_NAME], struct slu_err *err)
{
	char fs[4200];

	*name = '\0';
	snprintf(fs, sizeof(fs), "%s/fs", dir);
	snprintf(image, 4200, "%s/image", dir);
	slu_loop_under(fs, image, name, NULL);
	return slu_unmount_whoever(dir, uid, UNMOUNT_SECONDS, err);
}

/* Of one that nobody is to have any more. Whoever has made himself a namespace
 * meanwhile (unshare(1)), any user, has the mount in it, and with it the
 * device, for as long as he likes; so has who stands in it, or has a descriptor
 * of it, though it be in flight over a socket. 1: somebody has one, on which
 * there is nothing any more, until he ends (err says who, if that can be seen).
 */
int slu_storage_give_up(const char *dir, uid_t uid, struct slu_err *err)
{
	char name[SLU_LOOP_NAME], image[4200];
	struct slu_err why;
	int held = slu_storage_unmount(dir, uid, image, name, err);

	if (held < 0 || (held && !slu_loop_has(name, image)) ||
	    (!held && !slu_image_wait(image, name, &why)))
		return held;
	if (!held && err)
		*err = why;
	return slu_image_empty(image, name, held ? &why : err) ? -1 : 1;
}

int slu_storage_clear_quota(const char *dir, struct slu_err *err)
{
	struct slu_buf text = {0};
	char mark[4200];
	int rc;

	snprintf(mark, sizeof(mark), "%s/" SLU_QUOTA_MARK, dir);
	if (slu_file_read(AT_FDCWD, mark, 64, &text, NULL))
		return 0;
	rc = slu_quota_clear(
		dir, (uint32_t)strtoul(text.data ? text.data : "", NULL, 10),
		err);
	slu_buf_free(&text);
	return rc;
}

int slu_storage_wipe_dir(const char *dir, uid_t uid, struct slu_err *err)
{
	struct slu_err why = {0};
	struct stat st;
	int held;

	if (slu_trust_dir(dir, err))
		return -1;
	held = slu_storage_give_up(dir, uid, &why);
	if (held && err)
		*err = why;
	if (held < 0)
		return -1;
	if (slu_storage_has_mark(dir,
				 SLU_QUOTA_MARK)) /* nothing is unmounted */
		slu_users_evict(dir, uid);
	slu_storage_clear_quota(dir,
				NULL); /* a limit left on nothing is no harm */
	if (slu_rmtree(AT_FDCWD, dir, err))
		return slu_err_prefix(err, "cannot remove %s", dir);
	if (!lstat(dir, &st))
		return slu_err(err, SLU_IO, "%s is still there", dir);
	return held;
}

int slu_storage_wipe(const struct slu_storage *s, uid_t uid,
		     struct slu_err *err)
{
	if (!*s->dir)
		return 0;
	return slu_storage_wipe_dir(s->dir, uid, err);
}
