/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libsluice_placed.so: replaces the open calls of a program (LD_PRELOAD) so
 * that new files below the directories of SLUICE_PLACE (absolute, separated by
 * ':') are put on the Lustre targets that sluiced chooses: SLUICE_PLACE_STRIPES
 * stripes each (1), with space for SLUICE_PLACE_SIZE bytes, on the file system
 * SLUICE_PLACE_FSNAME where there are several. Only calls through the C library
 * are seen: not those of static programs, nor io_uring.
 *
 * A call that creates no file is passed on at once; for one that creates a file
 * elsewhere, only its directory is looked up.
 */
#include "select_io/preload.h"
#include "select_io/client/placed.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static int open_at(int dir, const char *path, int flags, mode_t mode)
{
	if ((flags & (O_CREAT | O_PATH | O_DIRECTORY)) == O_CREAT &&
	    slu_placed_is_below(dir, path))
		return slu_placed_open(dir, path, flags, mode);
	return slu_placed_real_open(dir, path, flags, mode);
}

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

CREAT(creat)
CREAT(creat64)

/* These functions open the file within the C library, so it is created before
 * the call, unless the umask forbids that it is opened again. */
static void make_for(const char *path, const char *mode)
{
	int keep = errno, fd;
	int want = mode && strchr(mode, '+') ? R_OK | W_OK : W_OK;

	if (!path || !mode || (*mode != 'w' && *mode != 'a') ||
	    strchr(mode, 'x') || !slu_placed_is_below(AT_FDCWD, path))
		return;
	fd = slu_placed_open(AT_FDCWD, path,
			     O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd >= 0 && faccessat(AT_FDCWD, path, want, AT_EACCESS))
		unlink(path);
	if (fd >= 0)
		close(fd);
	errno = keep;
}

#define FOPEN(name)                                           \
	EXPORT FILE *name(const char *path, const char *mode) \
	{                                                     \
		NEXT(name);                                   \
		make_for(path, mode);                         \
		return next(path, mode);                      \
	}
FOPEN(fopen)
FOPEN(fopen64)

#define FREOPEN(name)                                                  \
	EXPORT FILE *name(const char *path, const char *mode, FILE *f) \
	{                                                              \
		NEXT(name);                                            \
		make_for(path, mode);                                  \
		return next(path, mode, f);                            \
	}
FREOPEN(freopen)
FREOPEN(freopen64)

/* Names of temporary files, as rsync makes one for each file. */
#define TRIES 100

static bool fill(char *x)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	unsigned char chance[6];

	if (getrandom(chance, sizeof(chance), 0) != sizeof(chance))
		return false;
	for (int i = 0; i < 6; i++)
		x[i] = letters[chance[i] % (sizeof(letters) - 1)];
	return true;
}

/* Does it end in a template "XXXXXX", before so many bytes of suffix? */
static bool is_template(const char *path, int suffix)
{
	size_t len = strlen(path);

	return suffix >= 0 && len >= (size_t)suffix + 6 &&
	       !memcmp(path + len - (size_t)suffix - 6, "XXXXXX", 6);
}

static int make_temporary(char *path, int suffix, int flags)
{
	char *x = path + strlen(path) - suffix - 6;
	int fd = -1, keep = errno;

	for (int i = 0; i < TRIES && fd < 0 && fill(x); i++) {
		fd = slu_placed_open(
			AT_FDCWD, path,
			(flags & ~O_ACCMODE) | O_RDWR | O_CREAT | O_EXCL, 0600);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd >= 0)
		errno = keep;
	return fd;
}

#define TEMPORARY(name, suffix, flags, parameters, ...)                    \
	EXPORT int name parameters                                         \
	{                                                                  \
		NEXT(name);                                                \
		return is_template(path, suffix) &&                        \
				       slu_placed_is_below(AT_FDCWD, path) \
			       ? make_temporary(path, suffix, flags)       \
			       : next(__VA_ARGS__);                        \
	}
TEMPORARY(mkstemp, 0, 0, (char *path), path)
TEMPORARY(mkstemp64, 0, 0, (char *path), path)
TEMPORARY(mkostemp, 0, flags, (char *path, int flags), path, flags)
TEMPORARY(mkostemp64, 0, flags, (char *path, int flags), path, flags)
TEMPORARY(mkstemps, end, 0, (char *path, int end), path, end)
TEMPORARY(mkstemps64, end, 0, (char *path, int end), path, end)
TEMPORARY(mkostemps, end, flags, (char *path, int end, int flags), path, end,
	  flags)
TEMPORARY(mkostemps64, end, flags, (char *path, int end, int flags), path, end,
	  flags)
