/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Notices failed devices below the storage of a running job. A file system that
 * was unmounted lazily goes on for those who have it open, and a read-only one
 * still gives what is cached, so the job's own calls need not fail, or fail in
 * ways that name no device.
 */
#include "config.h"
#include "burst_buffer/storage/storage_health.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>
#include "burst_buffer/host/mtab.h"
#include "burst_buffer/storage/internal.h"
#include "common/str.h"

#define PROBE 4096 /* bytes */

struct device {
	struct slu_storage at;
	char name[300]; /* "/nvme0 (/dev/nvme0n1)" */
	dev_t dir, fs;	/* of the directory and of the image mounted in it */
	pid_t probe;	/* 0: none runs */
	int failed;	/* errno that a probe had; 0: none has failed */
};

struct slu_storage_health {
	size_t n;
	struct device device[];
};

static bool contains(const char *point, const char *path)
{
	const size_t len = strlen(point);

	return strncmp(point, path, len) == 0 &&
	       (path[len] == '/' || !path[len] || len == 1);
}

/* The mount point that has this path, and what is mounted there. */
static void name_device(const char *path, char *out, size_t size)
{
	const struct slu_mtab_line *best = NULL;
	struct slu_mtab m;

	slu_copy(out, size, path);
	if (slu_mtab_read(&m, NULL))
		return;
	for (size_t i = 0; i < m.n; i++)
		if (contains(m.line[i].point, path) &&
		    (!best || strlen(m.line[i].point) >= strlen(best->point)))
			best = &m.line[i];
	if (best)
		snprintf(out, size, "%.150s (%.100s)", best->point,
			 best->source);
	slu_mtab_free(&m);
}

static dev_t device_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_dev;
}

struct slu_storage_health *
slu_storage_health_new(const struct slu_storage *const *storage, size_t n)
{
	struct slu_storage_health *h =
		calloc(1, sizeof(*h) + n * sizeof(h->device[0]));

	if (!h)
		return NULL;
	h->n = n;
	for (size_t i = 0; i < n; i++) {
		struct device *d = &h->device[i];

		d->at = *storage[i];
		d->dir = device_of(d->at.dir);
		d->fs = device_of(d->at.fs);
		name_device(d->at.dir, d->name, sizeof(d->name));
	}
	return h;
}

/* A probe that hangs in the kernel ends when the device answers. */
void slu_storage_health_free(struct slu_storage_health *h)
{
	for (size_t i = 0; h && i < h->n; i++)
		if (h->device[i].probe)
			kill(h->device[i].probe, SIGKILL);
	free(h);
}

/* 0, or an errno. The file has no name, so that none is left. */
static int write_and_read(const char *dir)
{
	static char block[PROBE];
	const int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0 || pwrite(fd, block, PROBE, 0) != PROBE || fdatasync(fd) ||
	    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) ||
	    pread(fd, block, PROBE, 0) < 0)
		return errno;
	return 0;
}

void slu_storage_health_probe(struct slu_storage_health *h)
{
	for (size_t i = 0; i < h->n; i++) {
		struct device *d = &h->device[i];

		if (d->probe || !*d->at.dir)
			continue;
		d->probe = fork();
		if (!d->probe) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			_exit(write_and_read(d->at.dir));
		}
		if (d->probe < 0)
			d->probe = 0;
	}
}

/* Others may have filled it, or it cannot make such files: that is no
 * failure. */
static bool is_failure(int error)
{
	return error == EIO || error == EROFS || error == ENXIO ||
	       error == ENODEV || error == EUCLEAN;
}

static void take_answer(struct device *d)
{
	int status;

	if (!d->probe || waitpid(d->probe, &status, WNOHANG) != d->probe)
		return;
	d->probe = 0;
	if (WIFEXITED(status) && is_failure(WEXITSTATUS(status)))
		d->failed = WEXITSTATUS(status);
}

/* "NAME is not mounted any more" and the like. */
static int failed(const char *name, int error, struct slu_err *err)
{
	switch (error) {
	case ENOENT:
	case ESTALE:
		return slu_err(err, SLU_IO, "%s is not mounted any more", name);
	case EROFS:
		return slu_err(err, SLU_IO, "%s has become read-only", name);
	default:
		return slu_err(err, SLU_IO, "%s fails: %s", name,
			       strerror(error));
	}
}

/* 0, or an errno. dev: on which it was, or 0. */
static int what_is_wrong(const char *path, dev_t dev)
{
	struct statvfs vfs;
	struct stat st;

	if (stat(path, &st) || statvfs(path, &vfs))
		return errno;
	if (dev && st.st_dev != dev)
		return ESTALE;
	return vfs.f_flag & ST_RDONLY ? EROFS : 0;
}

static int look(struct device *d, struct slu_err *err)
{
	int error;

	take_answer(d);
	error = what_is_wrong(d->at.dir, d->dir);
	if (error || d->failed)
		return failed(d->name, error ? error : d->failed, err);
	error = what_is_wrong(d->at.fs, d->fs);
	return error ? failed(d->at.fs, error, err) : 0;
}

int slu_storage_health_look(struct slu_storage_health *h, struct slu_err *err)
{
	for (size_t i = 0; i < h->n; i++)
		if (*h->device[i].at.dir && look(&h->device[i], err))
			return -1;
	return 0;
}

/* A device that was mounted again is without what was mounted in it. */
static bool lacks_image(const struct slu_storage *storage)
{
	char image[4200];

	return !slu_storage_path(image, sizeof(image), storage->dir, "image",
				 NULL) &&
	       !access(image, F_OK) && !slu_mounted(storage->fs);
}

int slu_storage_is_there(const struct slu_storage *storage, struct slu_err *err)
{
	const int error = what_is_wrong(storage->dir, 0);

	if (error)
		return failed(storage->dir, error, err);
	return lacks_image(storage) ? failed(storage->fs, ESTALE, err) : 0;
}
