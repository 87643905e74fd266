/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the processes that use files of a directory or device, by searching all
 * processes of the node. Descriptors inside of others (in flight over a socket,
 * registered in an io_uring) are only counted by the kernel, not named:
 * processes that have such are reported as possible users.
 */
#include "config.h"
#include "burst_buffer/host/file_users.h"

#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/host/indirect_users.h"
#include "burst_buffer/host/proc_files.h"
#include "common/file.h"
#include "common/proc.h"
#include "common/str.h"

#define NAMES_MAX 300 /* bytes, of those that a sentence names */

/* What is searched: names below dir, or a device (dir NULL). */
struct naming {
	const char *dir;
	unsigned major, minor;
	struct slu_buf names, may; /* processes that may hold it out of sight */
	struct slu_indirect_users indirect;
};

/* Asks the kernel only, as a server may not answer. */
static bool on_device(void *arg, int at, const char *link)
{
	const struct naming *n = arg;
	struct statx st;

	return !statx(at, link, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT,
		      STATX_TYPE, &st) &&
	       st.stx_dev_major == n->major && st.stx_dev_minor == n->minor;
}

static bool task_on_device(void *arg, int task)
{
	struct naming *n = arg;

	return on_device(n, task, "cwd") || on_device(n, task, "root") ||
	       slu_proc_any_link(task, "fd", on_device, n) ||
	       slu_proc_any_link(task, "fd", slu_is_bound, &n->indirect) ||
	       slu_proc_any_link(task, "fd", slu_is_kept_namespace,
				 &n->indirect);
}

static bool uses_device(int proc, pid_t pid, struct naming *n)
{
	return slu_proc_any_task(proc, pid, task_on_device, n) ||
	       on_device(n, proc, "exe") ||
	       slu_proc_any_link(proc, "map_files", on_device, n) ||
	       slu_is_namespace(&n->indirect, proc, "ns/mnt");
}

/* Does this descriptor contain others: a socket those in flight (Linux 5.10),
 * an io_uring registered ones? Which files they are is not shown. */
static bool has_others(void *arg, int dir, const char *name)
{
	static const char *const fields[] = {"scm_fds:", "UserFiles:"};
	struct slu_buf info = {0};
	const char *p;
	bool has = false;

	(void)arg;
	slu_file_read(dir, name, 1 << 16, &info, NULL);
	for (int i = 0; info.data && i < 2; i++) {
		p = strstr(info.data, fields[i]);
		has |= p && strtol(p + strlen(fields[i]), NULL, 10) > 0;
	}
	slu_buf_free(&info);
	return has;
}

static bool task_has_others(void *arg, int task)
{
	return slu_proc_any_link(task, "fdinfo", has_others, arg);
}

void slu_users_add_name(struct slu_buf *names, int proc, pid_t pid)
{
	struct slu_buf comm = {0};
	const struct passwd *pw;
	uid_t real, effective;

	slu_file_read(proc, "comm", 64, &comm, NULL);
	slu_buf_printf(names, "%s%s (%d)", names->len ? ", " : "",
		       comm.data ? slu_trim(comm.data) : "?", (int)pid);
	pw = slu_proc_uids(proc, &real, &effective) ? NULL : getpwuid(real);
	if (pw)
		slu_buf_printf(names, " of %s", pw->pw_name);
	slu_buf_free(&comm);
}

static bool name_one(void *arg, int proc, pid_t pid)
{
	struct naming *n = arg;

	if (n->dir ? slu_proc_uses(proc, pid, n->dir)
		   : uses_device(proc, pid, n))
		slu_users_add_name(&n->names, proc, pid);
	else if (slu_proc_any_task(proc, pid, task_has_others, NULL))
		slu_users_add_name(&n->may, proc, pid);
	return false;
}

void slu_users_of(const char *path, struct slu_buf *who)
{
	struct naming n = {.dir = path,
			   .names = {.max = NAMES_MAX},
			   .may = {.max = NAMES_MAX}};

	slu_pid_find(name_one, &n);
	if (n.names.data)
		slu_buf_puts(who, n.names.data);
	slu_buf_free(&n.names);
	slu_buf_free(&n.may);
}

static int name_all(const char *dir, struct naming *n, struct slu_err *err)
{
	n->names.max = n->may.max = NAMES_MAX;
	slu_pid_find(name_one, n);
	if (n->names.data || !n->may.data)
		slu_err(err, SLU_BUSY, "%s is in use by %s", dir,
			n->names.data ? n->names.data
				      : "something that /proc does not show");
	else
		slu_err(err, SLU_BUSY,
			"%s is in use by a descriptor in flight, or one of an "
			"io_uring, as %s may have it",
			dir, n->may.data);
	slu_buf_free(&n->names);
	slu_buf_free(&n->may);
	return -1;
}

int slu_users_err(const char *dir, struct slu_err *err)
{
	struct naming n = {.dir = dir};

	return name_all(dir, &n, err);
}

int slu_users_device_err(const char *dir, unsigned major, unsigned minor,
			 struct slu_err *err)
{
	struct naming n = {.major = major, .minor = minor};

	slu_find_indirect_users(&n.indirect, major, minor);
	return name_all(dir, &n, err);
}

static bool maps_one(void *dir, int proc, pid_t pid)
{
	(void)pid;
	return slu_proc_maps_below(proc, dir, true);
}

bool slu_users_map(const char *dir)
{
	return slu_pid_find(maps_one, (void *)dir);
}

struct counting {
	const char *dir;
	uint64_t bytes;
};

static bool is_nameless_below(int at, const char *name, const char *dir)
{
	static const char end[] = " (deleted)";
	char target[PATH_MAX + 1];
	ssize_t n = readlinkat(at, name, target, PATH_MAX);

	if (n < (ssize_t)sizeof(end))
		return false;
	target[n] = '\0';
	return slu_is_below(target, dir) &&
	       !strcmp(target + n - (sizeof(end) - 1), end);
}

static bool count_link(void *arg, int dir, const char *name)
{
	struct counting *c = arg;
	struct stat st;

	if (is_nameless_below(dir, name, c->dir) && !fstatat(dir, name, &st, 0))
		c->bytes += (uint64_t)st.st_blocks * 512;
	return false;
}

static bool count_one(void *arg, int proc, pid_t pid)
{
	(void)pid;
	slu_proc_any_link(proc, "fd", count_link, arg);
	slu_proc_any_link(proc, "map_files", count_link, arg);
	return false;
}

uint64_t slu_users_bytes(const char *dir)
{
	struct counting c = {.dir = dir};

	slu_pid_find(count_one, &c);
	return c.bytes;
}
