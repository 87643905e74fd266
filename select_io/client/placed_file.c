/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Creates a file on given Lustre targets, through the kernel client's interface
 * (its lustre_user.h), as liblustreapi does: no Lustre library need be
 * installed. The file is created without objects (O_LOV_DELAY_CREATE) and then
 * gets a list of targets. It is always created by this call (O_EXCL), so no
 * file of another program is changed. After an error the file remains, as other
 * programs may use it already.
 */
#include "config.h"
#include "select_io/client/placed.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#define LUSTRE_MAGIC	0x0bd00bd0
#define DELAY_CREATE	(O_NOCTTY | O_ASYNC)
#define LAYOUT		"lustre.lov"
#define MAGIC_DEFAULT	0x0bd10bd0
#define MAGIC_LIST	0x0bd50bd0
#define PATTERN_RAID0	1
#define ANY_TARGET	UINT16_MAX
#define SIZE_OF_DEFAULT 32 /* bytes before `pool` */

struct layout {
	uint32_t magic, pattern;
	uint64_t unused[2];
	uint32_t stripe_size; /* 0: the directory's */
	uint16_t stripe_count, first;
	char pool[16];
	struct {
		uint64_t unused[2];
		uint32_t generation, index;
	} __attribute__((packed)) object[];
} __attribute__((packed));

/* On those targets; n 0: as Lustre itself chooses. */
static int set_layout(int fd, const uint32_t *target, int n)
{
	size_t size = sizeof(struct layout) +
		      (size_t)n * sizeof(((struct layout *)0)->object[0]);
	_Alignas(uint64_t) char room[size];
	struct layout *l = (struct layout *)room;

	memset(l, 0, size);
	l->magic = n ? MAGIC_LIST : MAGIC_DEFAULT;
	l->pattern = PATTERN_RAID0;
	l->stripe_count = (uint16_t)n;
	l->first = ANY_TARGET;
	for (int i = 0; i < n; i++)
		l->object[i].index = target[i];
	return fsetxattr(fd, LAYOUT, l, n ? size : SIZE_OF_DEFAULT, 0);
}

static bool is_lustre(int fd)
{
	struct statfs fs;

	return !fstatfs(fd, &fs) && fs.f_type == LUSTRE_MAGIC;
}

/* As on the MDS targets may have been drained that sluiced does not know of. */
static void say_refused(const uint32_t *target, int n)
{
	const char *why = strerror(errno);
	char text[256];
	int len = snprintf(text, sizeof(text), "targets");

	for (int i = 0; i < n && len < 128; i++)
		len += snprintf(text + len, sizeof(text) - (size_t)len,
				"%s%" PRIu32, i ? "," : " ", target[i]);
	snprintf(text + len, sizeof(text) - (size_t)len, " were refused: %s",
		 why);
	slu_placed_say(text);
}

/* -1: the file has no layout and cannot be written, errno says why. If another
 * process opened it for writing meanwhile, Lustre has laid it out (EEXIST). */
static int lay_out(int fd)
{
	const unsigned stripes = slu_placed_stripes();
	uint32_t target[stripes];
	int n = slu_placed_next(target, stripes);

	if (n && (!set_layout(fd, target, n) || errno == EEXIST))
		return 0;
	if (n)
		say_refused(target, n);
	return set_layout(fd, NULL, 0) && errno != EEXIST ? -1 : 0;
}

/* By its inode, through /proc/self/fd: the name may be another file's by now.
 */
static int open_same(int fd, int flags)
{
	char name[32];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	return slu_placed_real_open(
		AT_FDCWD, name,
		flags & ~(O_CREAT | O_EXCL | O_TRUNC | O_NOFOLLOW), 0);
}

/* As if it had been opened so at first: Lustre lays out a file without objects
 * when it is opened for writing. It stays the same inode, since others may have
 * opened it. */
static void open_again(int fd, int flags)
{
	int again = open_same(fd, flags);
	struct stat st;

	if (again < 0 && errno == EACCES && !fstat(fd, &st) &&
	    !fchmod(fd, st.st_mode | S_IRUSR | S_IWUSR)) {
		again = open_same(fd, flags);
		fchmod(fd, st.st_mode & 07777);
	}
	if (again < 0)
		return;
	dup3(again, fd, flags & O_CLOEXEC);
	close(again);
}

/* Has it no layout still, so that every write fails (EBADF)? */
static bool is_bare(int fd)
{
	return fgetxattr(fd, LAYOUT, NULL, 0) < 0 && errno == ENODATA;
}

/* As Lustre itself chooses; -1: it has no objects for the file, as without us.
 */
static int as_default(int fd, int flags)
{
	int why = errno;

	open_again(fd, flags);
	if ((flags & O_ACCMODE) == O_RDONLY || !is_bare(fd))
		return 0;
	close(fd);
	errno = why;
	return -1;
}

/* fcntl(F_GETFL) shows O_LOV_DELAY_CREATE, which F_SETFL cannot clear; Lustre's
 * clients hide it. */
static bool shows_delay(int fd, int flags)
{
	int is = fcntl(fd, F_GETFL);

	return is >= 0 && is & O_ASYNC && !(flags & O_ASYNC);
}

int slu_placed_open(int dir, const char *path, int flags, mode_t mode)
{
	int keep = errno, fd;

	if (!slu_placed_are_known())
		return slu_placed_real_open(dir, path, flags, mode);
	fd = slu_placed_real_open(dir, path, flags | O_EXCL | DELAY_CREATE,
				  mode);
	if (fd < 0 && !(flags & O_EXCL)) {
		errno = keep;
		return slu_placed_real_open(dir, path, flags, mode);
	}
	if (fd < 0)
		return -1;
	if (is_lustre(fd) && lay_out(fd)) {
		if (as_default(fd, flags))
			return -1;
	} else if (shows_delay(fd, flags)) {
		open_again(fd, flags);
	}
	errno = keep;
	return fd;
}
