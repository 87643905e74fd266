/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the data that a failed stage-out has left: moves the instance's storage
 * to STORAGE/kept/JOB.BUFFER until KeepFailed is over or its owner discards it.
 * An image is mounted there read-only; if the node crashed while it was in use
 * it is checked first, and if it is damaged it stays, not mounted.
 */
#include "config.h"
#include "burst_buffer/storage/internal.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <fcntl.h>
#include "burst_buffer/storage/image.h"
#include "burst_buffer/host/mtab.h"
#include "burst_buffer/host/quota.h"
#include "burst_buffer/host/trust.h"
#include "common/file.h"

#define GONE	   ".gone." /* prefix while kept data is being removed */
#define UNTIL_MARK "until"  /* file in a kept dir: Unix seconds */

/* STORAGE/kept/JOB.BUFFER, for STORAGE/JOB.BUFFER. */
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

/* As kept_path(); also makes STORAGE/kept, where users can see which of their
 * jobs have left data. */
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

/* Checks the image of kept data, which a crash of the node may have damaged. An
 * image that a process still has mounted was checked before, or was never
 * interrupted. */
static int check_image(char *image, struct slu_err *err)
{
	char name[SLU_LOOP_NAME];
	struct slu_err why;

	if (slu_image_is_clean(image) || !slu_loop_find(image, name, NULL) ||
	    !slu_image_check(image, &why))
		return 0;
	return slu_err(err, SLU_INVALID,
		       "%s has been damaged when the node went down, and "
		       "e2fsck -p does not mend it: %s",
		       image, why.text);
}

int slu_storage_remount(const char *kept_dir, struct slu_err *err)
{
	char fs[4200], image[4200];

	if (slu_trust_dir(kept_dir, err) ||
	    slu_storage_path(fs, sizeof(fs), kept_dir, "fs", err) ||
	    slu_storage_path(image, sizeof(image), kept_dir, "image", err))
		return -1;
	if (access(image, F_OK) || slu_mounted(fs))
		return 0;
	return check_image(image, err) ? -1 : slu_image_show(image, fs, err);
}

/* Unmounts the storage before it is moved. A mount namespace may still have it
 * mounted (see slu_storage_give_up()), so its data is synced as well. */
static int put_away(const struct slu_storage *s, uid_t uid, struct slu_err *err)
{
	char name[SLU_LOOP_NAME], image[4200];

	if (slu_mounted(s->fs)) {
		slu_image_trim(s->fs);
		slu_storage_sync(s->fs, NULL);
	}
	if (slu_storage_unmount(s->dir, uid, image, name, err) < 0)
		return -1;
	(void)slu_image_wait(image, name, NULL);
	return 0;
}

int slu_storage_keep(const struct slu_storage *s, uid_t uid, int64_t until,
		     char kept[4096], struct slu_err *err)
{
	char dir[4096], text[32];

	snprintf(text, sizeof(text), "%" PRId64 "\n", until);
	if (slu_trust_dir(s->dir, err) || kept_place(s, dir, sizeof(dir), err))
		return -1;
	if (access(dir, F_OK)) {
		if (slu_storage_put(s->dir, UNTIL_MARK, text, true, err) ||
		    put_away(s, uid, err) || slu_storage_sync(s->dir, err))
			return -1;
		if (chmod(s->dir, 0711) || rename(s->dir, dir))
			return slu_errno(err, SLU_IO, "cannot move %s to %s",
					 s->dir, dir);
	}
	/* it must not come back under its old name */
	if (slu_storage_sync(dir, err))
		return -1;
	/* damaged data is kept all the same; `fetch` says so */
	if (slu_storage_remount(dir, err) && err->kind != SLU_INVALID)
		return -1;
	return slu_storage_path(kept, 4096, dir, "fs", err);
}

/* When kept data in this directory expires; false: not noted. */
static bool read_until(const char *dir, int64_t *until)
{
	char mark[4200];
	struct slu_buf text = {0};
	bool is;

	is = !slu_storage_path(mark, sizeof(mark), dir, UNTIL_MARK, NULL) &&
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

uint64_t slu_storage_kept_takes(const struct slu_storage *s)
{
	char kept[4096], image[4200];
	struct stat st;

	if (kept_path(s, kept, sizeof(kept), NULL) ||
	    slu_storage_path(image, sizeof(image), kept, "image", NULL) ||
	    stat(image, &st))
		return 0;
	return (uint64_t)st.st_blocks * 512;
}

/* Removes kept data. It is renamed first: after an interruption it no longer
 * counts as kept data, and the next call removes it. Processes that use it do
 * not prevent that; its space is free when they end. */
static int discard(const char *kept, const char *name, struct slu_err *err)
{
	char dir[4096], gone[4200], storage[4096];
	uint32_t project;

	slu_copy(storage, sizeof(storage), kept);
	*strrchr(storage, '/') = '\0';
	if (slu_storage_path(dir, sizeof(dir), kept, name, err) ||
	    slu_storage_give_up(storage, dir, SLU_NOBODY, err) < 0)
		return -1;
	project = slu_storage_project(dir);
	if (project)
		slu_quota_clear(storage, project, NULL);
	snprintf(gone, sizeof(gone), "%s/" GONE "%s", kept, name);
	if (rename(dir, gone))
		return slu_errno(err, SLU_IO, "cannot remove %s", dir);
	return slu_rmtree(AT_FDCWD, gone, err);
}

int slu_storage_discard(const char *dir, struct slu_err *err)
{
	char kept[4096];
	char *slash;

	slu_copy(kept, sizeof(kept), dir);
	slash = strrchr(kept, '/');
	if (!slash)
		return slu_err(err, SLU_INVALID, "%s is no kept data", dir);
	*slash = '\0';
	return slu_trust_dir(kept, err) ? -1 : discard(kept, slash + 1, err);
}

static int expire_one(const char *kept, const char *name, int64_t now,
		      const struct slu_uptime *up, int64_t least,
		      struct slu_err *err)
{
	char dir[4096];
	int64_t until = INT64_MAX;

	if (slu_storage_path(dir, sizeof(dir), kept, name, err))
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

	if (slu_storage_path(kept, sizeof(kept), storage, "kept", err) ||
	    slu_trust_dir(kept, err))
		return -1;
	d = opendir(kept);
	/* an error in one does not stop the others */
	while (d && (e = readdir(d)))
		if (expire_one(kept, e->d_name, now, up, least,
			       rc ? NULL : err))
			rc = -1;
	if (d)
		closedir(d);
	return rc;
}
