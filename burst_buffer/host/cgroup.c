/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Groups directly below the root of each hierarchy, old (cgroup) and unified
 * (cgroup2). cpuset groups start without CPUs and take no process: that one is
 * left out, as its root is what slurmd's children get anyway.
 */
#include "config.h"
#include "burst_buffer/host/cgroup.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/host/mtab.h"
#include "common/file.h"

static int enter(const char *dir)
{
	char path[PATH_MAX + 32];
	int fd, rc;

	if (mkdir(dir, 0755) && access(dir, F_OK))
		return -1;
	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	rc = slu_write_all(fd, "0", 1); /* the caller */
	close(fd);
	return rc;
}

static int still_there(const char *dir)
{
	return rmdir(dir) && !access(dir, F_OK) ? 0 : -1;
}

/* For how many hierarchies fn, given the group's directory, returns 0. */
static int each_hierarchy(const char *name, int (*fn)(const char *dir))
{
	char dir[PATH_MAX];
	struct slu_mtab m;
	int n = 0;

	if (slu_mtab_read(&m, NULL))
		return 0;
	for (size_t i = 0; i < m.n; i++) {
		const struct slu_mtab_line *l = &m.line[i];

		if (strcmp(l->type, "cgroup") && strcmp(l->type, "cgroup2"))
			continue;
		snprintf(dir, sizeof(dir), "%s/%s", l->point, name);
		n += !fn(dir);
	}
	slu_mtab_free(&m);
	return n;
}

/* Lines are "4:memory:/system.slice/slurmd.service". */
static bool in_roots_only(void)
{
	struct slu_buf text = {0};
	bool only = true;

	if (slu_file_read(AT_FDCWD, "/proc/self/cgroup", 1 << 16, &text, NULL))
		return true;
	for (char *p = text.data; p && (p = strstr(p, ":/")); p += 2)
		only = only && p[2] == '\n';
	slu_buf_free(&text);
	return only;
}

int slu_cgroup_enter(const char *name)
{
	return in_roots_only() ? 0 : each_hierarchy(name, enter);
}

int slu_cgroup_remove(const char *name)
{
	int left;

	for (int i = 0; (left = each_hierarchy(name, still_there)) && i < 40;
	     i++)
		usleep(50000);
	return left;
}
