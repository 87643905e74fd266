/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes, renames and removes files under temporary names beside their final
 * ones (temporary_file.h). */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include "burst_buffer/staging/files/beneath.h"
#include "burst_buffer/staging/files/temporary_file.h"

#define HASH	16  /* digits */
#define LONGEST 143 /* bytes of a name: eCryptfs takes no more */

const char *slu_temporary_file_name(const char *name, const char *tag,
				    char *out)
{
	size_t fixed = strlen("..") + strlen(tag), n = strlen(name);
	char hash[HASH + 2] = "";

	if (n + fixed > LONGEST) {
		n = LONGEST - fixed - HASH - 1;
		snprintf(hash, sizeof(hash), ".%0*" PRIx64, HASH,
			 XXH3_64bits(name, strlen(name)));
	}
	out[0] = '.';
	memcpy(out + 1, name, n);
	sprintf(out + 1 + n, "%s.%s", hash, tag);
	return out;
}

bool slu_temporary_file_is(const char *name, const char *tag)
{
	size_t n = strlen(name), end = strlen(tag);

	return n > end + strlen("..") && name[0] == '.' &&
	       name[n - end - 1] == '.' && !strcmp(name + n - end, tag);
}

bool slu_temporary_file_can(int dir, const char *name)
{
	struct stat in, is;
	uid_t we = geteuid();

	if (faccessat(dir, ".", W_OK | X_OK, AT_EACCESS))
		return false;
	return fstatat(dir, name, &is, AT_SYMLINK_NOFOLLOW) ||
	       fstatat(dir, ".", &in, 0) || !(in.st_mode & S_ISVTX) || !we ||
	       in.st_uid == we || is.st_uid == we;
}

/* Removes a temporary file if it is a regular file of this user's. -1 and
 * errno: there is no such file. */
static int remove_ours(int dir, const char *beside)
{
	struct stat st;

	if (fstatat(dir, beside, &st, AT_SYMLINK_NOFOLLOW))
		return -1;
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid()) {
		errno = EEXIST;
		return -1;
	}
	return unlinkat(dir, beside, 0);
}

int slu_temporary_file_create(int dir, const char *name, const char *tag,
			      mode_t mode, const struct stat *source)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;
	char beside[NAME_MAX + 1];
	struct stat st;
	int fd;

	if (!fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW)) {
		errno = slu_same_inode(&st, source) ? SLU_SAME_FILE : EISDIR;
		if (errno == SLU_SAME_FILE || S_ISDIR(st.st_mode))
			return -1;
	}
	slu_temporary_file_name(name, tag, beside);
	fd = slu_open_beneath(dir, beside, flags, mode);
	if (fd >= 0 || errno != EEXIST || remove_ours(dir, beside))
		return fd;
	return slu_open_beneath(dir, beside, flags, mode);
}

int slu_temporary_file_or_in_place(int dir, const char *name, const char *tag,
				   mode_t mode, const struct stat *source,
				   bool *in_place)
{
	*in_place = tag && !slu_temporary_file_can(dir, name);
	return tag && !*in_place
		       ? slu_temporary_file_create(dir, name, tag, mode, source)
		       : slu_create_beneath(dir, name, mode, source);
}

int slu_temporary_file_err(int dir, const char *name, const char *tag, int why,
			   struct slu_err *err)
{
	char beside[NAME_MAX + 1], text[SLU_PATH_TEXT];

	if (why == EISDIR)
		return slu_err(err, err->kind,
			       "%s: a directory of that name is in its "
			       "place",
			       err->text);
	if (tag && why == EEXIST)
		return slu_err(err, err->kind,
			       "%s: %s beside it was made by another "
			       "program",
			       err->text,
			       slu_path_text(slu_temporary_file_name(name, tag,
								     beside),
					     text));
	if (tag && (why == ENOSPC || why == EDQUOT) &&
	    !faccessat(dir, name, F_OK, AT_SYMLINK_NOFOLLOW))
		return slu_err(err, err->kind,
			       "%s; the old file is kept until its "
			       "replacement is verified: there must be space "
			       "for both",
			       err->text);
	return -1;
}

int slu_temporary_file_rename(int dir, const char *name, const char *tag)
{
	char beside[NAME_MAX + 1];

	return renameat(dir, slu_temporary_file_name(name, tag, beside), dir,
			name);
}

void slu_temporary_file_remove(int dir, const char *name, const char *tag)
{
	char beside[NAME_MAX + 1];

	(void)remove_ours(dir, slu_temporary_file_name(name, tag, beside));
}

void slu_temporary_file_remove_all(int dir, const char *tag)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *list = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;

	if (!list && fd >= 0)
		close(fd);
	while (list && (d = readdir(list)))
		if (slu_temporary_file_is(d->d_name, tag))
			(void)remove_ours(dir, d->d_name);
	if (list)
		closedir(list);
}
