/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes an instance's storage: a directory with a project quota, or a mounted
 * image. Each step can be repeated after an interruption: what is mounted is
 * complete; what is not mounted holds nothing yet and is made anew, unless it
 * is to outlive a crash and has the mark of a complete image. The bare mount
 * point is root's with mode 0000, so that no process writes into it while the
 * mount is missing.
 */
#include "config.h"
#include "burst_buffer/storage/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "burst_buffer/storage/image.h"
#include "burst_buffer/host/mtab.h"
#include "burst_buffer/host/quota.h"
#include "burst_buffer/host/trust.h"
#include "common/file.h"

#define UNMOUNT_SECONDS 5.0
#define WHOLE_MARK	"whole" /* file in dir: the image is complete */

int slu_storage_path(char *out, size_t size, const char *dir, const char *name,
		     struct slu_err *err)
{
	if ((size_t)snprintf(out, size, "%s/%s", dir, name) >= size)
		return slu_err(err, SLU_INVALID, "%s/%s: path too long", dir,
			       name);
	return 0;
}

int slu_storage_locate(const char *storage, uint32_t job_id, uint64_t buffer,
		       struct slu_storage *out, struct slu_err *err)
{
	struct slu_storage s = {0};
	char name[48];

	snprintf(name, sizeof(name), "%" PRIu32 ".%" PRIu64, job_id, buffer);
	if (storage[0] != '/')
		return slu_err(err, SLU_INVALID, "%s is not an absolute path",
			       storage);
	/* space for the longest name that is ever appended */
	if (strlen(storage) > sizeof(s.dir) - 128)
		return slu_err(err, SLU_INVALID, "path too long: %s", storage);
	snprintf(s.dir, sizeof(s.dir), "%s/%s", storage, name);
	snprintf(s.fs, sizeof(s.fs), "%s/fs", s.dir);
	*out = s;
	return 0;
}

static int bare_mount_point(const char *path, struct slu_err *err)
{
	if ((mkdir(path, 0) && errno != EEXIST) || chmod(path, 0))
		return slu_errno(err, SLU_IO, "cannot make %s", path);
	return 0;
}

/* Makes and mounts an image and measures it; *missing: how many bytes it is
 * smaller than wanted. */
static int try_loop(const struct slu_storage_want *want, char *image,
		    const char *point, uint64_t size, uint64_t *missing,
		    struct slu_err *err)
{
	struct statvfs st;
	uint64_t usable;

	if (slu_image_make(image, size, err) ||
	    slu_image_format(image, want->capacity, want->keep, err) ||
	    slu_image_mount(image, point, false,
			    want->keep ? SLU_IMAGE_KEEP : SLU_IMAGE_JOB, err))
		return -1;
	if (statvfs(point, &st))
		return slu_errno(err, SLU_IO, "%s", point);
	usable = st.f_bavail * st.f_frsize;
	*missing = usable < want->capacity ? want->capacity - usable : 0;
	return 0;
}

/* Flushes to disk, so that kept data survives a power failure. */
int slu_storage_sync(const char *dir, struct slu_err *err)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;

	if (fd < 0 || syncfs(fd))
		rc = slu_errno(err, SLU_IO, "%s", dir);
	if (fd >= 0)
		close(fd);
	return rc;
}

int slu_storage_stored(const struct slu_storage *s, struct slu_err *err)
{
	if (!*s->dir || !slu_mounted(s->fs) || !slu_storage_sync(s->fs, err))
		return 0;
	return slu_err_prefix(err, "some of what was written did not reach the "
				   "node's disk: is it full, or failing?");
}

/* Marks the image as complete: from now on it is mounted as it is, not made
 * anew. */
static int mark_whole(const struct slu_storage *s, struct slu_err *err)
{
	char mark[sizeof(s->dir) + 8];

	snprintf(mark, sizeof(mark), "%s/" WHOLE_MARK, s->dir);
	return slu_storage_sync(s->fs, err) || slu_storage_sync(s->dir, err) ||
			       slu_file_write(AT_FDCWD, mark, "", 0, 0600, true,
					      err)
		       ? -1
		       : 0;
}

static int storage_loop(const struct slu_storage_want *want,
			struct slu_storage *s, struct slu_err *err)
{
	uint64_t size = slu_image_size(want->capacity), missing = 0;
	char image[sizeof(s->dir) + 8];

	snprintf(image, sizeof(image), "%s/image", s->dir);
	if (bare_mount_point(s->fs, err))
		return -1;
	for (int i = 0; i < 4; i++) {
		if (i &&
		    slu_unmount_below(s->fs, SLU_NOBODY, UNMOUNT_SECONDS, err))
			return -1;
		if (try_loop(want, image, s->fs, size, &missing, err))
			return -1;
		if (!missing)
			break;
		size += missing + missing / 8 + (1u << 20);
	}
	if (missing)
		return slu_err(err, SLU_INTERNAL, "%s: size not found", image);
	if (want->keep && mark_whole(s, err))
		return -1;
	snprintf(s->enforced, sizeof(s->enforced), "loop");
	return 0;
}

/* Our project ids are far from those that administrators choose. */
static uint32_t project_of(uint64_t buffer)
{
	return 0x51000000u | (uint32_t)(buffer & 0xffffffu);
}

/* A quota reserves nothing: the capacity must be free when it is set. */
static int check_free(const struct slu_storage_want *want,
		      const struct slu_storage *s, struct slu_err *err)
{
	struct statvfs st;

	if (slu_storage_has_mark(s->dir, SLU_QUOTA_MARK) ||
	    statvfs(s->dir, &st))
		return 0;
	return st.f_bavail * st.f_frsize < want->capacity
		       ? slu_image_no_room(s->dir, want->capacity,
					   st.f_bavail * st.f_frsize, err)
		       : 0;
}

static int storage_quota(const struct slu_storage_want *want,
			 struct slu_storage *s, struct slu_err *err)
{
	char mark[sizeof(s->dir) + 8], text[16];
	int len;

	if (check_free(want, s, err))
		return -1;
	snprintf(mark, sizeof(mark), "%s/" SLU_QUOTA_MARK, s->dir);
	len = snprintf(text, sizeof(text), "%u\n", project_of(want->buffer));
	if (mkdir(s->fs, 0755) && errno != EEXIST)
		return slu_errno(err, SLU_IO, "cannot make %s", s->fs);
	/* the mark first: storage with a quota must be known to have one */
	if (slu_file_write(AT_FDCWD, mark, text, (size_t)len, 0600, false, err))
		return -1;
	if (slu_quota_set(s->fs, project_of(want->buffer), want->capacity,
			  slu_image_inodes(want->capacity), err)) {
		if (!rmdir(s->fs) || !want->keep)
			unlink(mark);
		return -1;
	}
	snprintf(s->enforced, sizeof(s->enforced), "quota");
	return 0;
}

bool slu_storage_has_mark(const char *dir, const char *mark)
{
	char path[4200];

	snprintf(path, sizeof(path), "%s/%s", dir, mark);
	return !access(path, F_OK);
}

/* Files whose blocks are reserved in advance: notes about kept data may have to
 * be written when the disk is full. */
#define SPARES 3

static void spare_path(char path[4200], const char *dir, int i)
{
	snprintf(path, 4200, "%s/spare.%d", dir, i);
}

/* Makes the reserved files. Errors are ignored: they are a precaution. */
static void make_spares(const char *dir)
{
	char path[4200];

	for (int i = 0; i < SPARES; i++) {
		int fd;

		spare_path(path, dir, i);
		fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
		if (fd >= 0) {
			(void)posix_fallocate(fd, 0, 4096);
			close(fd);
		}
	}
}

static bool write_in_place(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
	ssize_t len = (ssize_t)strlen(text);
	bool done = fd >= 0 && pwrite(fd, text, (size_t)len, 0) == len &&
		    !ftruncate(fd, len) && !fsync(fd);

	if (fd >= 0)
		close(fd);
	return done;
}

static bool use_spare(const char *dir, const char *to, const char *text)
{
	char path[4200];
	bool done = false;

	for (int i = 0; !done && i < SPARES; i++) {
		spare_path(path, dir, i);
		done = write_in_place(path, text) && !rename(path, to);
	}
	return done;
}

int slu_storage_put(const char *dir, const char *name, const char *text,
		    bool sync, struct slu_err *err)
{
	char path[4200];

	return slu_storage_path(path, sizeof(path), dir, name, err) ||
			       (slu_file_write(AT_FDCWD, path, text,
					       strlen(text), 0644, sync, err) &&
				!use_spare(dir, path, text))
		       ? -1
		       : 0;
}

int slu_storage_mark(const char *dir, const char *mark, const char *text,
		     struct slu_err *err)
{
	return slu_storage_put(dir, mark, text, false, err);
}

int slu_storage_unmark(const char *dir, const char *mark)
{
	char path[4200];

	snprintf(path, sizeof(path), "%s/%s", dir, mark);
	return unlink(path);
}

/* Was storage that is to be kept complete before the node restarted? */
static bool is_whole(const struct slu_storage *s)
{
	return slu_storage_has_mark(s->dir, WHOLE_MARK) &&
	       slu_storage_has_mark(s->dir, "image");
}

static int mount_again(struct slu_storage *s, struct slu_err *err)
{
	char name[SLU_LOOP_NAME] = "", image[sizeof(s->dir) + 8];

	snprintf(image, sizeof(image), "%s/image", s->dir);
	if (slu_image_wait(image, name, err) || slu_image_check(image, err) ||
	    bare_mount_point(s->fs, err) ||
	    slu_image_mount(image, s->fs, false, SLU_IMAGE_KEEP, err))
		return -1;
	snprintf(s->enforced, sizeof(s->enforced), "loop");
	return 0;
}

/* Mounts existing storage that is to be kept, as it is. */
static int have_again(const struct slu_storage_want *want,
		      struct slu_storage *s, struct slu_err *err)
{
	return is_whole(s) ? mount_again(s, err) : storage_quota(want, s, err);
}

int slu_storage_make(const struct slu_storage_want *want,
		     struct slu_storage *out, struct slu_err *err)
{
	struct slu_storage s;
	struct slu_err quota = {0};

	if (slu_storage_locate(want->storage, want->job_id, want->buffer, &s,
			       err) ||
	    slu_trust_dir(s.dir, err))
		return -1;
	if (slu_mounted(s.fs)) {
		if (want->keep && !is_whole(&s) && mark_whole(&s, err))
			return -1;
		snprintf(s.enforced, sizeof(s.enforced), "loop");
		*out = s;
		return 0;
	}
	if (want->keep &&
	    (is_whole(&s) || slu_storage_has_mark(s.dir, SLU_QUOTA_MARK))) {
		if (have_again(want, &s, err))
			return -1;
		*out = s;
		return 0;
	}
	if (!slu_storage_has_mark(s.dir, SLU_QUOTA_MARK) &&
	    slu_storage_wipe_dir(s.dir, SLU_NOBODY, err) < 0)
		return -1;
	if (slu_mkdirs(want->storage, 0711, err) ||
	    slu_trust_dir(want->storage, err))
		return -1;
	/* Users must not reach it past the servers: they could mislead these,
	 * which run as root, by a link in place of a directory. */
	if (mkdir(s.dir, want->own_fs ? 0700 : 0711) && errno != EEXIST)
		return slu_errno(err, SLU_IO, "cannot make %s", s.dir);
	if ((want->own_fs || storage_quota(want, &s, &quota)) &&
	    storage_loop(want, &s, err)) {
		slu_storage_wipe_dir(s.dir, SLU_NOBODY, NULL);
		return -1;
	}
	make_spares(s.dir);
	*out = s;
	return 0;
}
