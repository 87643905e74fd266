/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens STORAGE/cache and takes its lock with flock(2), trying every 20 ms,
 * since flock() has no time limit. */
#include "config.h"
#include "burst_buffer/storage/cache_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include "burst_buffer/host/trust.h"
#include "burst_buffer/storage/internal.h"
#include "common/clock.h"
#include "common/file.h"

/* A job that starts waits this long for the lock. A holder that counts all
 * entries needs about a second. */
#define PATIENCE 20 /* seconds */

int slu_cache_lock(int lock, struct slu_err *err)
{
	const double end = slu_now_mono() + PATIENCE;
	int rc;

	while ((rc = flock(lock, LOCK_EX | LOCK_NB)) && errno == EWOULDBLOCK &&
	       slu_now_mono() < end)
		usleep(20000);
	if (!rc)
		return 0;
	return errno == EWOULDBLOCK
		       ? slu_err(err, SLU_BUSY,
				 "another process has locked it for more "
				 "than %d s",
				 PATIENCE)
		       : slu_errno(err, SLU_IO, "cannot lock the stage cache");
}

static int open_lock(int dir, struct slu_err *err)
{
	int fd = openat(dir, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
			0600);

	return fd < 0 ? slu_errno(err, SLU_IO,
				  "cannot open the stage cache's "
				  "lock")
		      : fd;
}

int slu_cache_open_top(const char *storage, bool make, int *dir, int *lock,
		       struct slu_err *err)
{
	char top[4200];

	if (slu_storage_path(top, sizeof(top), storage, "cache", err) ||
	    slu_trust_dir(top, err) ||
	    (make &&
	     (slu_mkdirs(storage, 0711, err) || slu_mkdirs(top, 0700, err))))
		return -1;
	*dir = open(top, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (*dir < 0)
		return slu_errno(err, errno == ENOENT ? SLU_NOTFOUND : SLU_IO,
				 "%s", top);
	*lock = open_lock(*dir, err);
	if (*lock >= 0)
		return 0;
	close(*dir);
	*dir = -1;
	return -1;
}
