/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attaches, finds and resizes loop devices by their ioctls, and reads their
 * state and counters in sysfs. */
#include "config.h"
#include "burst_buffer/host/loop_device.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <linux/major.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "common/file.h"
#include "common/str.h"

#define TRIES 64 /* others allocate free devices, too */

/* A container's /dev may lack devices that the kernel has made. */
static int open_device(long number, char name[SLU_LOOP_NAME])
{
	int fd;

	snprintf(name, SLU_LOOP_NAME, "/dev/loop%ld", number);
	fd = open(name, O_RDWR | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT &&
	    !mknod(name, S_IFBLK | 0600, makedev(LOOP_MAJOR, (unsigned)number)))
		fd = open(name, O_RDWR | O_CLOEXEC);
	return fd;
}

static int attach_free(int control, int file, char name[SLU_LOOP_NAME])
{
	struct loop_config config = {
		.fd = (unsigned)file,
		.info.lo_flags = LO_FLAGS_AUTOCLEAR | LO_FLAGS_DIRECT_IO,
	};
	long number = ioctl(control, LOOP_CTL_GET_FREE);
	int fd, saved;

	if (number < 0)
		return -1;
	fd = open_device(number, name);
	if (fd < 0)
		return -1;
	if (!ioctl(fd, LOOP_CONFIGURE, &config))
		return fd;
	saved = errno;
	close(fd);
	errno = saved;
	return -1;
}

int slu_loop_attach(int file, const char *path, char name[SLU_LOOP_NAME],
		    struct slu_err *err)
{
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC), fd;

	if (control < 0)
		return slu_errno(err, SLU_IO, "cannot open /dev/loop-control");
	for (int i = 0; i < TRIES; i++) {
		fd = attach_free(control, file, name);
		if (fd >= 0 || errno != EBUSY)
			break;
	}
	if (fd < 0)
		slu_errno(err, SLU_IO, "cannot make a loop device of %s", path);
	close(control);
	return fd;
}

static bool backs(const char *name, const struct stat *file)
{
	struct loop_info64 info;
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	bool is;

	if (fd < 0)
		return false;
	is = !ioctl(fd, LOOP_GET_STATUS64, &info) &&
	     info.lo_device == file->st_dev && info.lo_inode == file->st_ino;
	close(fd);
	return is;
}

/* A device without a file has no loop/ in sysfs. */
static bool is_attached(int sys, const char *device)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/loop/backing_file", device);
	return !strncmp(device, "loop", 4) && !faccessat(sys, path, F_OK, 0);
}

int slu_loop_find(const char *path, char name[SLU_LOOP_NAME],
		  struct slu_err *err)
{
	DIR *d = NULL;
	struct dirent *e;
	struct stat file;
	bool found = false;

	if (!stat(path, &file))
		d = opendir("/sys/block");
	while (d && !found && (e = readdir(d))) {
		snprintf(name, SLU_LOOP_NAME, "/dev/%.15s", e->d_name);
		found = is_attached(dirfd(d), e->d_name) && backs(name, &file);
	}
	if (d)
		closedir(d);
	return found ? 0
		     : slu_err(err, SLU_NOTFOUND, "no loop device has %s",
			       path);
}

bool slu_loop_has(const char *name, const char *path)
{
	struct stat file;

	return !stat(path, &file) && backs(name, &file);
}

bool slu_loop_has_removed(const char *name, const char *tail)
{
	char path[100], end[300];
	struct slu_buf text = {0};
	size_t n = (size_t)snprintf(end, sizeof(end), "%s (deleted)\n", tail);
	const char *at;
	bool has;

	snprintf(path, sizeof(path), "/sys/block/%s/loop/backing_file",
		 name + strlen("/dev/"));
	has = !slu_file_read(AT_FDCWD, path, 8192, &text, NULL) && text.data &&
	      text.len > n;
	at = has ? text.data + text.len - n : NULL;
	has = has && !strcmp(at, end) && (at[-1] == '/' || at[-1] == '.');
	slu_buf_free(&text);
	return has;
}

int slu_loop_under(const char *point, const char *image,
		   char name[SLU_LOOP_NAME], struct slu_err *err)
{
	char device[SLU_LOOP_NAME];
	struct stat st;

	if (!stat(point, &st) && major(st.st_dev) == LOOP_MAJOR) {
		snprintf(device, SLU_LOOP_NAME, "/dev/loop%u",
			 minor(st.st_dev));
		if (slu_loop_has(device, image)) {
			strcpy(name, device);
			return 0;
		}
	}
	return slu_err(err, SLU_NOTFOUND, "%s has no loop device of %s", point,
		       image);
}

void slu_loop_resize(const char *name)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)ioctl(fd, LOOP_SET_CAPACITY);
	close(fd);
}

int slu_loop_counters(const char *name, double *read_bytes,
		      double *written_bytes, struct slu_err *err)
{
	char path[64];
	struct slu_buf text = {0};
	unsigned long long read, written;
	int n = 0;

	snprintf(path, sizeof(path), "/sys/block/%s/stat",
		 name + strlen("/dev/"));
	if (slu_file_read(AT_FDCWD, path, 4096, &text, err))
		return -1;
	if (text.data)
		n = sscanf(text.data, "%*u %*u %llu %*u %*u %*u %llu", &read,
			   &written);
	slu_buf_free(&text);
	if (n != 2)
		return slu_err(err, SLU_IO, "cannot read %s", path);
	*read_bytes = (double)read * 512;
	*written_bytes = (double)written * 512;
	return 0;
}
