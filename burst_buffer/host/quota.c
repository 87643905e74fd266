/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets, reads and clears project quotas by quotactl_fd(2). Whether a file
 * system supports them is found out by a trial. */
#include "config.h"
#include "burst_buffer/host/quota.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/quota.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

struct fs_disk_quota slu_quota_limits(uint32_t id, uint64_t bytes,
				      uint64_t inodes)
{
	return (struct fs_disk_quota){
		.d_version = FS_DQUOT_VERSION,
		.d_flags = FS_PROJ_QUOTA,
		.d_fieldmask =
			FS_DQ_BHARD | FS_DQ_BSOFT | FS_DQ_IHARD | FS_DQ_ISOFT,
		.d_id = id,
		.d_blk_hardlimit = bytes / 512,
		.d_blk_softlimit = bytes / 512,
		.d_ino_hardlimit = inodes,
		.d_ino_softlimit = inodes,
	};
}

/* The XFS form of the calls works for every file system with quota. */
static int set_limits(int fd, uint32_t id, uint64_t bytes, uint64_t inodes)
{
	struct fs_disk_quota q = slu_quota_limits(id, bytes, inodes);

	return (int)syscall(SYS_quotactl_fd, fd, QCMD(Q_XSETQLIM, PRJQUOTA), id,
			    &q);
}

static int set_project(int fd, uint32_t id, uint32_t add, uint32_t drop)
{
	struct fsxattr x;

	if (ioctl(fd, FS_IOC_FSGETXATTR, &x))
		return -1;
	x.fsx_projid = id;
	x.fsx_xflags = (x.fsx_xflags & ~drop) | add;
	return ioctl(fd, FS_IOC_FSSETXATTR, &x);
}

static int holds(int fd, uint64_t bytes, uint64_t inodes)
{
	struct statvfs st;

	return !fstatvfs(fd, &st) && st.f_blocks * st.f_frsize <= bytes &&
	       st.f_files <= inodes;
}

int slu_quota_set(const char *path, uint32_t id, uint64_t bytes,
		  uint64_t inodes, struct slu_err *err)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;

	if (fd < 0)
		return slu_errno(err, SLU_IO, "cannot open %s", path);
	if (set_project(fd, id, FS_XFLAG_PROJINHERIT, 0)) {
		rc = slu_errno(err, SLU_NOTFOUND, "%s: no project quota", path);
	} else if (set_limits(fd, id, bytes, inodes) ||
		   !holds(fd, bytes, inodes)) {
		rc = slu_err(err, SLU_NOTFOUND, "%s: no project quota", path);
		set_limits(fd, id, 0, 0);
		set_project(fd, 0, 0, FS_XFLAG_PROJINHERIT);
	}
	close(fd);
	return rc;
}

int slu_quota_used(const char *path, uint32_t id, uint64_t *bytes,
		   struct slu_err *err)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct fs_disk_quota q = {0};
	int rc = fd < 0 ? -1
			: (int)syscall(SYS_quotactl_fd, fd,
				       QCMD(Q_XGETQUOTA, PRJQUOTA), id, &q);

	*bytes = q.d_bcount * 512;
	if (rc)
		slu_errno(err, SLU_IO, "%s: what a project takes", path);
	if (fd >= 0)
		close(fd);
	return rc ? -1 : 0;
}

int slu_quota_clear(const char *path, uint32_t id, struct slu_err *err)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc;

	if (fd < 0)
		return slu_errno(err, SLU_IO, "cannot open %s", path);
	rc = set_limits(fd, id, 0, 0);
	if (rc)
		rc = slu_errno(err, SLU_IO, "%s: cannot clear the quota", path);
	close(fd);
	return rc;
}
