/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Aborts FUSE mounts of a process's user that have requests waiting, so that
 * processes which wait for them can be killed. It writes to
 * /sys/fs/fuse/connections/MINOR/abort, MINOR being the minor number of the
 * mount's device; stat() of a path would hang, so the numbers are read from
 * mountinfo.
 */
#include "config.h"
#include "burst_buffer/host/fuse.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>
#include "burst_buffer/host/mtab.h"
#include "common/file.h"
#include "common/proc.h"

#define TABLE_MAX   (64u << 20)
#define CONNECTIONS "/sys/fs/fuse/connections"

/* fusectl is not mounted on every machine. */
static void have_connections(void)
{
	if (!slu_mounted(CONNECTIONS))
		(void)mount("fusectl", CONNECTIONS, "fusectl",
			    MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

static bool read_uid(pid_t pid, uid_t *uid)
{
	char path[32];
	uid_t effective;
	int proc;
	bool is;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	proc = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	is = proc >= 0 && !slu_proc_uids(proc, uid, &effective) && *uid;
	if (proc >= 0)
		close(proc);
	return is;
}

static bool has_waiting_requests(unsigned minor)
{
	struct slu_buf text = {0};
	char path[64];
	bool is;

	snprintf(path, sizeof(path), CONNECTIONS "/%u/waiting", minor);
	is = !slu_file_read(AT_FDCWD, path, 64, &text, NULL) && text.data &&
	     strtoul(text.data, NULL, 10) > 0;
	slu_buf_free(&text);
	return is;
}

static bool abort_one(unsigned minor)
{
	char path[64];
	bool done;
	int fd;

	snprintf(path, sizeof(path), CONNECTIONS "/%u/abort", minor);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	done = fd >= 0 && write(fd, "1", 1) == 1;
	if (fd >= 0)
		close(fd);
	return done;
}

/* "36 35 0:98 / /point opts - fuse.x source rw,user_id=1000,group_id=1000" */
static bool is_of(char *line, uid_t uid, unsigned *minor)
{
	char *options = strstr(line, " - fuse"), of[32];
	unsigned major;

	snprintf(of, sizeof(of), ",user_id=%u,", (unsigned)uid);
	return options && strstr(options, of) &&
	       sscanf(line, "%*d %*d %u:%u ", &major, minor) == 2 && !major;
}

size_t slu_fuse_abort(pid_t pid)
{
	struct slu_buf table = {0};
	char *line, *rest;
	unsigned minor;
	size_t n = 0;
	uid_t uid;

	if (!read_uid(pid, &uid) ||
	    slu_file_read(AT_FDCWD, "/proc/self/mountinfo", TABLE_MAX, &table,
			  NULL))
		return 0;
	have_connections();
	for (rest = table.data; (line = strsep(&rest, "\n"));)
		n += is_of(line, uid, &minor) && has_waiting_requests(minor) &&
		     abort_one(minor);
	slu_buf_free(&table);
	return n;
}
