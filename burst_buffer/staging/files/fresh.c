/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asks a file's server for its state by statx(2), even if attributes are
 * cached, and drops cached pages by posix_fadvise(2). A file system without a
 * block device, recognised by major number 0, may have a server.
 */
#include "burst_buffer/staging/files/fresh.h"
#include <fcntl.h>
#include <errno.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

static bool may_be_stale(const struct stat *st)
{
	return major(st->st_dev) == 0;
}

/* The kernel then caches the new attributes. */
static bool ask_server(int dir, const char *name, int flags)
{
	struct statx x;

	return !statx(dir, name, flags | AT_STATX_FORCE_SYNC, STATX_BASIC_STATS,
		      &x);
}

int slu_fstat_fresh(int fd, struct stat *st)
{
	if (fstat(fd, st))
		return -1;
	return may_be_stale(st) && ask_server(fd, "", AT_EMPTY_PATH)
		       ? fstat(fd, st)
		       : 0;
}

int slu_stat_fresh(int dir, const char *name, struct stat *st)
{
	const int flags = AT_SYMLINK_NOFOLLOW;

	if (fstatat(dir, name, st, flags))
		return -1;
	return may_be_stale(st) && ask_server(dir, name, flags)
		       ? fstatat(dir, name, st, flags)
		       : 0;
}

void slu_drop_cache(int fd, const struct stat *st, uint64_t offset,
		    uint64_t len)
{
	if (may_be_stale(st))
		(void)posix_fadvise(fd, (off_t)offset, (off_t)len,
				    POSIX_FADV_DONTNEED);
}

static bool any_resident(void *at, size_t len)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t n = (len + page - 1) / page;
	unsigned char *in = malloc(n);
	bool any = !in || mincore(at, len, in);

	for (size_t i = 0; !any && i < n; i++)
		any = in[i] & 1;
	free(in);
	return any;
}

bool slu_holds_cache(int fd, const struct stat *st, uint64_t offset,
		     uint64_t len)
{
	void *at;
	bool holds;

	if (!may_be_stale(st) || !len)
		return false;
	at = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, (off_t)offset);
	if (at == MAP_FAILED)
		return errno != ENODEV; /* what cannot be mapped is not held */
	holds = any_resident(at, len);
	munmap(at, len);
	return holds;
}

/* Kernel file systems whose files are generated from its state. Some are not in
 * linux/magic.h. */
static const unsigned long generated[] = {
	PROC_SUPER_MAGIC,    SYSFS_MAGIC,	   CGROUP_SUPER_MAGIC,
	CGROUP2_SUPER_MAGIC, RDTGROUP_SUPER_MAGIC, /* resctrl */
	DEBUGFS_MAGIC,	     TRACEFS_MAGIC,	   SECURITYFS_MAGIC,
	SELINUX_MAGIC,	     SMACK_MAGIC,	   BPF_FS_MAGIC,
	BINFMTFS_MAGIC,	     EFIVARFS_MAGIC,	   PSTOREFS_MAGIC,
	DEVPTS_SUPER_MAGIC,  NSFS_MAGIC,	   0x62656570, /* configfs */
	0x65735543,					       /* fusectl */
	0x19800202,					       /* mqueue */
	0x6e667364,					       /* nfsd */
	0x67596969,					       /* rpc_pipefs */
};

static bool is_generated(int fd)
{
	struct statfs fs;
	bool is = false;

	if (fstatfs(fd, &fs))
		return false;
	for (size_t i = 0; i < sizeof(generated) / sizeof(*generated); i++)
		is |= (unsigned long)fs.f_type == generated[i];
	return is;
}

bool slu_is_generated(int dir, const char *name)
{
	int fd = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	bool is = fd >= 0 && is_generated(fd);

	if (fd >= 0)
		close(fd);
	return is;
}
