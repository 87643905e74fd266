/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A new file, and its layout: by what the kernel's client of Lustre takes (its
 * lustre_user.h), as liblustreapi does it, which programs need not have. The
 * file is made without objects (O_LOV_DELAY_CREATE), and then given a list of
 * targets. What is made is always made by this call alone (O_EXCL), so that no
 * other program's file is changed.
 */
#include "config.h"
#include "select_io/client/placed.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
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
#define SIZE_OF_DEFAULT 32 /* all before `pool` */

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

/* On those targets, or (n 0) as Lustre itself would. */
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

/* -1: it has no layout, and cannot be written. */
static int lay_out(int fd)
{
	uint32_t target[SLU_PLACED_STRIPES];
	int n = slu_placed_next(target);

	if (n && !set_layout(fd, target, n))
		return 0;
	if (n)
		slu_placed_say(strerror(errno));
	return set_layout(fd, NULL, 0);
}

/* The file is ours alone, and nothing is in it. */
static int make_anew(int dir, const char *path, int fd, int flags, mode_t mode)
{
	close(fd);
	unlinkat(dir, path, 0);
	return slu_placed_real_open(dir, path, flags, mode);
}

int slu_placed_open(int dir, const char *path, int flags, mode_t mode)
{
	int keep = errno, fd;

	if (!slu_placed_are_known())
		return slu_placed_real_open(dir, path, flags, mode);
	fd = slu_placed_real_open(dir, path, flags | O_EXCL | DELAY_CREATE,
				  mode);
	if (fd < 0 && errno == EEXIST && !(flags & O_EXCL)) {
		errno = keep;
		return slu_placed_real_open(dir, path, flags, mode);
	}
	if (fd < 0)
		return -1;
	if (is_lustre(fd) && lay_out(fd))
		fd = make_anew(dir, path, fd, flags, mode);
	if (fd >= 0)
		errno = keep;
	return fd;
}
