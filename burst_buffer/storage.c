/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The life of an instance's storage, see the header. Each step can be repeated
 * after it was cut short anywhere: what is mounted is whole, what is not
 * mounted yet holds nothing and is made anew, unless it is to outlive a crash
 * and has the mark of the whole. The bare mount point belongs to
 * root with mode 0000, so that nobody ever writes below a missing mount.
 */
#include "config.h"
#include "burst_buffer/storage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include "burst_buffer/image.h"
#include "burst_buffer/host/loop.h"
#include "burst_buffer/host/mtab.h"
#include "burst_buffer/host/quota.h"
#include "burst_buffer/host/trust.h"
#include "burst_buffer/host/users.h"
#include "common/file.h"
#include "common/proc.h"
#include "common/size.h"

#define UNMOUNT_SECONDS 5.0
#define NOBODY		((uid_t)-1) /* whose processes are killed: nobody's */
#define QUOTA_MARK	"quota"	    /* file in dir: the project id */
#define WHOLE_MARK	"whole"	    /* file in dir: the image was complete */
#define GONE		".gone."    /* what kept data is removed as */
#define UNTIL_MARK	"until"	    /* file in a kept dir: Unix seconds */

static int path_in(char *out, size_t size, const char *dir, const char *name,
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
	/* Room for the longest name that is ever added. */
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

/* Make, mount and measure; *missing is how much too small it turned out. */
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

/* What is kept outlives a power cut. */
static int make_durable(const char *dir, struct slu_err *err)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;

	if (fd < 0 || syncfs(fd))
		rc = slu_errno(err, SLU_IO, "%s", dir);
	if (fd >= 0)
		close(fd);
	return rc;
}

/* From now on it is mounted as it is. */
static int mark_whole(const struct slu_storage *s, struct slu_err *err)
{
	char mark[sizeof(s->dir) + 8];

	snprintf(mark, sizeof(mark), "%s/" WHOLE_MARK, s->dir);
	return make_durable(s->fs, err) || make_durable(s->dir, err) ||
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
		if (i && slu_unmount_below(s->fs, NOBODY, UNMOUNT_SECONDS, err))
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

/* Project ids of ours are far from those people give. */
static uint32_t project_of(uint64_t buffer)
{
	return 0x51000000u | (uint32_t)(buffer & 0xffffffu);
}

static int storage_quota(const struct slu_storage_want *want,
			 struct slu_storage *s, struct slu_err *err)
{
	char mark[sizeof(s->dir) + 8], text[16];
	int len;

	snprintf(mark, sizeof(mark), "%s/" QUOTA_MARK, s->dir);
	len = snprintf(text, sizeof(text), "%u\n", project_of(want->buffer));
	if (mkdir(s->fs, 0755) && errno != EEXIST)
		return slu_errno(err, SLU_IO, "cannot make %s", s->fs);
	/* The mark first: what has a quota is known to have one. */
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

int slu_storage_mark(const char *dir, const char *mark, const char *text,
		     struct slu_err *err)
{
	char path[4200];

	snprintf(path, sizeof(path), "%s/%s", dir, mark);
	return slu_file_write(AT_FDCWD, path, text, strlen(text), 0644, false,
			      err);
}

int slu_storage_unmark(const char *dir, const char *mark)
{
	char path[4200];

	snprintf(path, sizeof(path), "%s/%s", dir, mark);
	return unlink(path);
}

/* As slu_unmount_whoever(); `name`: of the device that a mounted image has, or
 * "". */
static int unmount(const char *dir, uid_t uid, char image[4200],
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
static int give_up(const char *dir, uid_t uid, struct slu_err *err)
{
	char name[SLU_LOOP_NAME], image[4200];
	struct slu_err why;
	int held = unmount(dir, uid, image, name, err);

	if (held < 0 || (held && !slu_loop_has(name, image)) ||
	    (!held && !slu_image_wait(image, name, &why)))
		return held;
	if (!held && err)
		*err = why;
	return slu_image_empty(image, name, held ? &why : err) ? -1 : 1;
}

static int clear_quota(const char *dir, struct slu_err *err)
{
	struct slu_buf text = {0};
	char mark[4200];
	int rc;

	snprintf(mark, sizeof(mark), "%s/" QUOTA_MARK, dir);
	if (slu_file_read(AT_FDCWD, mark, 64, &text, NULL))
		return 0;
	rc = slu_quota_clear(
		dir, (uint32_t)strtoul(text.data ? text.data : "", NULL, 10),
		err);
	slu_buf_free(&text);
	return rc;
}

static int wipe_dir(const char *dir, uid_t uid, struct slu_err *err)
{
	struct slu_err why = {0};
	struct stat st;
	int held;

	if (slu_trust_dir(dir, err))
		return -1;
	held = give_up(dir, uid, &why);
	if (held && err)
		*err = why;
	if (held < 0)
		return -1;
	if (slu_storage_has_mark(dir, QUOTA_MARK)) /* nothing is unmounted */
		slu_users_evict(dir, uid);
	clear_quota(dir, NULL); /* a limit left on nothing is no harm */
	if (slu_rmtree(AT_FDCWD, dir, err))
		return slu_err_prefix(err, "cannot remove %s", dir);
	if (!lstat(dir, &st))
		return slu_err(err, SLU_IO, "%s is still there", dir);
	return held;
}

/* Was one that is to be kept complete before the node's restart? */
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

/* What is there and is to be kept is had again as it is. */
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
	    (is_whole(&s) || slu_storage_has_mark(s.dir, QUOTA_MARK))) {
		if (have_again(want, &s, err))
			return -1;
		*out = s;
		return 0;
	}
	if (!slu_storage_has_mark(s.dir, QUOTA_MARK) &&
	    wipe_dir(s.dir, NOBODY, err) < 0)
		return -1;
	if (slu_mkdirs(want->storage, 0711, err) ||
	    slu_trust_dir(want->storage, err))
		return -1;
	/* Who could go around the servers would lead them, who are root's, out
	 * of it, by a link in the place of a directory. */
	if (mkdir(s.dir, want->own_fs ? 0700 : 0711) && errno != EEXIST)
		return slu_errno(err, SLU_IO, "cannot make %s", s.dir);
	if ((want->own_fs || storage_quota(want, &s, &quota)) &&
	    storage_loop(want, &s, err)) {
		wipe_dir(s.dir, NOBODY, NULL);
		return -1;
	}
	*out = s;
	return 0;
}

int slu_storage_wipe(const struct slu_storage *s, uid_t uid,
		     struct slu_err *err)
{
	if (!*s->dir)
		return 0;
	return wipe_dir(s->dir, uid, err);
}

/* STORAGE/kept/JOB.BUFFER for STORAGE/JOB.BUFFER */
static int kept_path(const struct slu_storage *s, char *kept, size_t size,
		     struct slu_err *err)
{
	const char *slash = strrchr(s->dir, '/');
	int dir = slash ? (int)(slash - s->dir) : 0;

	if (!slash)
		return slu_err(err, SLU_INVALID, "a client keeps nothing");
	if ((size_t)snprintf(kept, size, "%.*s/kept%s", dir, s->dir, slash) >=
	    size)
		return slu_err(err, SLU_INVALID, "%s: path too long", s->dir);
	return 0;
}

/* The same; makes STORAGE/kept, where users may look which of their jobs have
 * left data. */
static int kept_place(const struct slu_storage *s, char *kept, size_t size,
		      struct slu_err *err)
{
	char *slash;
	int rc;

	if (kept_path(s, kept, size, err))
		return -1;
	slash = strrchr(kept, '/');
	*slash = '\0';
	rc = slu_mkdirs(kept, 0755, err);
	*slash = '/';
	return rc;
}

int slu_storage_remount(const char *kept_dir, struct slu_err *err)
{
	char fs[4200], image[4200];

	if (slu_trust_dir(kept_dir, err) ||
	    path_in(fs, sizeof(fs), kept_dir, "fs", err) ||
	    path_in(image, sizeof(image), kept_dir, "image", err))
		return -1;
	if (access(image, F_OK) || slu_mounted(fs))
		return 0;
	return slu_image_show(image, fs, err);
}

/* Unmount what is mounted there. A namespace may have it on (see give_up()),
 * and then it has not been written out by that. */
static int put_away(const struct slu_storage *s, uid_t uid, struct slu_err *err)
{
	char name[SLU_LOOP_NAME], image[4200];

	if (slu_mounted(s->fs)) {
		slu_image_trim(s->fs);
		make_durable(s->fs, NULL);
	}
	if (unmount(s->dir, uid, image, name, err) < 0)
		return -1;
	(void)slu_image_wait(image, name, NULL);
	return 0;
}

int slu_storage_keep(const struct slu_storage *s, uid_t uid, int64_t until,
		     char kept[4096], struct slu_err *err)
{
	char dir[4096], mark[4200], text[32];
	int len = snprintf(text, sizeof(text), "%" PRId64 "\n", until);

	if (slu_trust_dir(s->dir, err) || kept_place(s, dir, sizeof(dir), err))
		return -1;
	if (access(dir, F_OK)) {
		if (path_in(mark, sizeof(mark), s->dir, UNTIL_MARK, err) ||
		    slu_file_write(AT_FDCWD, mark, text, (size_t)len, 0644,
				   true, err) ||
		    put_away(s, uid, err) || make_durable(s->dir, err))
			return -1;
		if (chmod(s->dir, 0711) || rename(s->dir, dir))
			return slu_errno(err, SLU_IO, "cannot move %s to %s",
					 s->dir, dir);
	}
	/* Nor may it come back under its old name. */
	if (make_durable(dir, err) || slu_storage_remount(dir, err))
		return -1;
	return path_in(kept, 4096, dir, "fs", err);
}

/* Of a directory that is kept; false: it says nothing. */
static bool read_until(const char *dir, int64_t *until)
{
	char mark[4200];
	struct slu_buf text = {0};
	bool is;

	is = !path_in(mark, sizeof(mark), dir, UNTIL_MARK, NULL) &&
	     !slu_file_read(AT_FDCWD, mark, 64, &text, NULL) && text.data;
	if (is)
		*until = strtoll(text.data, NULL, 10);
	slu_buf_free(&text);
	return is;
}

bool slu_storage_is_to_keep(const struct slu_storage *s, int64_t *until)
{
	return read_until(s->dir, until);
}

bool slu_storage_is_kept(const struct slu_storage *s)
{
	char kept[4200];

	return !kept_path(s, kept, sizeof(kept), NULL) && !access(kept, F_OK);
}

/* Under another name first: what is cut short is not taken for kept data any
 * more, and is removed the next time. Whoever stands in it does not hinder, and
 * has it until he ends. */
static int discard(const char *kept, const char *name, struct slu_err *err)
{
	char dir[4096], gone[4200];

	if (path_in(dir, sizeof(dir), kept, name, err) ||
	    give_up(dir, NOBODY, err) < 0)
		return -1;
	clear_quota(dir, NULL);
	snprintf(gone, sizeof(gone), "%s/" GONE "%s", kept, name);
	if (rename(dir, gone))
		return slu_errno(err, SLU_IO, "cannot remove %s", dir);
	return slu_rmtree(AT_FDCWD, gone, err);
}

static int expire_one(const char *kept, const char *name, int64_t now,
		      const struct slu_uptime *up, int64_t least,
		      struct slu_err *err)
{
	char dir[4096];
	int64_t until = INT64_MAX;

	if (path_in(dir, sizeof(dir), kept, name, err))
		return -1;
	if (!strncmp(name, GONE, strlen(GONE)))
		return slu_rmtree(AT_FDCWD, dir, err);
	if (name[0] == '.')
		return 0;
	read_until(dir, &until);
	if (up && slu_kept_age(dir, up) < least)
		return 0;
	return until < now ? discard(kept, name, err) : 0;
}

int slu_storage_expire(const char *storage, int64_t now,
		       const struct slu_uptime *up, int64_t least,
		       struct slu_err *err)
{
	char kept[3900];
	struct dirent *e;
	DIR *d;
	int rc = 0;

	if (path_in(kept, sizeof(kept), storage, "kept", err) ||
	    slu_trust_dir(kept, err))
		return -1;
	d = opendir(kept);
	while (d && (e = readdir(d))) /* one's failure is not another's */
		if (expire_one(kept, e->d_name, now, up, least,
			       rc ? NULL : err))
			rc = -1;
	if (d)
		closedir(d);
	return rc;
}
