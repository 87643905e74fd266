/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes, formats, mounts and checks ext4 images with fallocate(2), mkfs.ext4,
 * loop devices and e2fsck. */
#include "config.h"
#include "burst_buffer/storage/image.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "common/proc.h"
#include "common/size.h"

#define MKFS_SECONDS 300.0
#define FSCK_SECONDS 300.0

int slu_image_no_room(const char *path, uint64_t size, uint64_t free,
		      struct slu_err *err)
{
	char want[SLU_SIZE_TEXT], have[SLU_SIZE_TEXT];

	return slu_err(err, SLU_BUSY, "%s: needs %s, only %s is free", path,
		       slu_size_text(size, want), slu_size_text(free, have));
}

static int no_room(const char *path, uint64_t size, struct slu_err *err)
{
	struct statvfs st;

	return statvfs(path, &st)
		       ? slu_errno(err, SLU_IO, "%s", path)
		       : slu_image_no_room(path, size,
					   st.f_bavail * st.f_frsize, err);
}

/* A sparse file, where blocks cannot be reserved: then enough of them must be
 * free now. */
static int extend_sparse(int fd, uint64_t size, const char *path,
			 struct slu_err *err)
{
	struct statvfs st;

	if (fstatvfs(fd, &st))
		return slu_errno(err, SLU_IO, "%s", path);
	if (st.f_bavail * st.f_frsize < size)
		return no_room(path, size, err);
	if (ftruncate(fd, (off_t)size))
		return slu_errno(err, SLU_IO, "cannot extend %s", path);
	return 0;
}

static int extend(int fd, uint64_t size, const char *path, struct slu_err *err)
{
	if (!fallocate(fd, 0, 0, (off_t)size))
		return 0;
	if (errno == EOPNOTSUPP)
		return extend_sparse(fd, size, path, err);
	if ((errno == ENOSPC || errno == EFBIG) && !ftruncate(fd, 0))
		return no_room(path, size, err);
	return slu_errno(err, SLU_IO, "cannot extend %s", path);
}

int slu_image_format(char *image, uint64_t capacity, bool keep,
		     struct slu_err *err)
{
	char inodes[24];
	char *argv[] = {"mkfs.ext4",
			"-q",
			"-F",
			"-I",
			"512",
			"-m",
			"2",
			"-N",
			inodes,
			"-O",
			keep ? "has_journal" : "^has_journal",
			"-E",
			"lazy_itable_init=1,nodiscard",
			image,
			NULL};

	snprintf(inodes, sizeof(inodes), "%" PRIu64,
		 slu_image_inodes(capacity));
	return slu_run(argv, MKFS_SECONDS, NULL, err);
}

int slu_image_mount(const char *image, const char *point, bool read_only,
		    const char *options, struct slu_err *err)
{
	unsigned long flags =
		MS_NOSUID | MS_NODEV | MS_NOATIME | (read_only ? MS_RDONLY : 0);
	char name[SLU_LOOP_NAME];
	int file, device, rc = 0;

	file = open(image, O_RDWR | O_CLOEXEC);
	if (file < 0)
		return slu_errno(err, SLU_IO, "cannot open %s", image);
	device = slu_loop_attach(file, image, name, err);
	close(file);
	if (device < 0)
		return -1;
	if (mount(name, point, "ext4", flags, options))
		rc = slu_errno(err, SLU_IO, "cannot mount %s", image);
	close(device);
	return rc;
}

/* btrfs writes every change to new blocks, reserved or not, unless this flag is
 * set; other file systems ignore it. */
static void write_in_place(int fd)
{
	int flags;

	if (!ioctl(fd, FS_IOC_GETFLAGS, &flags)) {
		flags |= FS_NOCOW_FL;
		(void)ioctl(fd, FS_IOC_SETFLAGS, &flags);
	}
}

int slu_image_make(const char *image, uint64_t size, struct slu_err *err)
{
	int fd = open(image, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	int rc;

	if (fd < 0)
		return slu_errno(err, SLU_IO, "cannot make %s", image);
	write_in_place(fd);
	rc = extend(fd, size, image, err);
	close(fd);
	return rc;
}

int slu_image_wait(const char *image, char name[SLU_LOOP_NAME],
		   struct slu_err *err)
{
	if (!*name && slu_loop_find(image, name, NULL))
		return 0;
	for (int i = 0; i < 1000; i++) {
		if (!slu_loop_has(name, image))
			return 0;
		usleep(10000);
	}
	return slu_err(err, SLU_BUSY, "%s still has %s", name, image);
}

int slu_image_empty(const char *image, const char *name, struct slu_err *err)
{
	if (truncate(image, 0))
		return slu_errno(err, SLU_IO, "cannot empty %s", image);
	slu_loop_resize(name);
	return 0;
}

/* Read-only for everybody; or, if its holder writes, only for this mount. */
static int mount_held(const char *name, const char *point, struct slu_err *err)
{
	const unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOATIME;

	if (!mount(name, point, "ext4", flags | MS_RDONLY, NULL))
		return 0;
	if (mount(name, point, "ext4", flags, NULL))
		return slu_errno(err, SLU_IO, "cannot mount %s again", name);
	if (!mount(NULL, point, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | flags,
		   NULL))
		return 0;
	slu_errno(err, SLU_IO, "cannot mount %s read-only", name);
	umount2(point, MNT_DETACH);
	return -1;
}

int slu_image_show(const char *image, const char *point, struct slu_err *err)
{
	char name[SLU_LOOP_NAME];
	int rc, device = slu_loop_find(image, name, NULL)
				 ? -1
				 : open(name, O_RDONLY | O_CLOEXEC);

	/* an open device stays; it may have gone before */
	rc = device >= 0 && slu_loop_has(name, image)
		     ? mount_held(name, point, err)
		     : slu_image_mount(image, point, true, SLU_IMAGE_JOB, err);
	if (device >= 0)
		close(device);
	return rc;
}

#define SUPER	   1024 /* offset in the image; of what follows, in it */
#define MAGIC	   56
#define STATE	   58
#define INCOMPAT   96
#define IS_CLEAN   1
#define HAS_ERRORS 2
#define RECOVER	   4

static unsigned two_bytes(const unsigned char *p)
{
	return p[0] | (unsigned)p[1] << 8;
}

bool slu_image_is_clean(const char *image)
{
	int fd = open(image, O_RDONLY | O_CLOEXEC);
	unsigned char super[128];
	ssize_t n = fd < 0 ? -1 : pread(fd, super, sizeof(super), SUPER);

	if (fd >= 0)
		close(fd);
	return n == sizeof(super) && two_bytes(super + MAGIC) == 0xef53 &&
	       (two_bytes(super + STATE) & (IS_CLEAN | HAS_ERRORS)) ==
		       IS_CLEAN &&
	       !(super[INCOMPAT] & RECOVER);
}

/* Replays the journal and makes safe repairs. Exit code 1: errors were
 * repaired. */
int slu_image_check(char *image, struct slu_err *err)
{
	char *argv[] = {"sh",
			"-c",
			"e2fsck -p \"$1\"; rc=$?; [ $rc -le 1 ] || exit $rc",
			"sh",
			image,
			NULL};

	return slu_run(argv, FSCK_SECONDS, NULL, err);
}

void slu_image_trim(const char *fs)
{
	struct fstrim_range all = {.len = UINT64_MAX};
	int fd = open(fs, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)ioctl(fd, FITRIM, &all);
	close(fd);
}
