/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Puts a job's servers into cgroups outside of slurmd's, and kills everything
 * in them: the groups lie directly below the root of each hierarchy, of version
 * 1 (cgroup) and 2 (cgroup2). A new cpuset group has no CPUs and accepts no
 * process: there the servers stay where they are.
 */
#include "config.h"
#include "burst_buffer/host/cgroup.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/host/mtab.h"
#include "common/file.h"
#include "common/proc.h"

#define TRIES 100
#define PAUSE 50000 /* microseconds until killed processes have ended */

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

static void put(const char *dir, const char *file, const char *text)
{
	char path[PATH_MAX + 32];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return; /* not in this hierarchy, or an older kernel */
	(void)slu_write_all(fd, text, strlen(text));
	close(fd);
}

/* A frozen process can neither fork nor end, and dies when it is thawed. */
static int freeze(const char *dir)
{
	put(dir, "cgroup.kill", "1");
	put(dir, "cgroup.freeze", "1");
	put(dir, "freezer.state", "FROZEN");
	return 0;
}

static int thaw(const char *dir)
{
	put(dir, "cgroup.freeze", "0");
	put(dir, "freezer.state", "THAWED");
	return 0;
}

static int still_there(const char *dir)
{
	return rmdir(dir) && !access(dir, F_OK) ? 0 : -1;
}

/* In how many hierarchies fn, called with the group's directory, returned 0;
 * -1: it cannot be told. */
static int each_hierarchy(const char *name, int (*fn)(const char *dir),
			  struct slu_err *err)
{
	char dir[PATH_MAX];
	struct slu_mtab m;
	int n = 0;

	if (slu_mtab_read(&m, err))
		return -1;
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

struct members {
	const char *name;
	pid_t last; /* the last one found */
};

/* Lines are "4:memory:/sluice-7.1", relative to the caller's root. */
static bool is_member(int proc, const char *name)
{
	struct slu_buf text = {0};
	char end[300];
	bool is;

	snprintf(end, sizeof(end), "/%s\n", name);
	is = !slu_file_read(proc, "cgroup", 1 << 16, &text, NULL) &&
	     text.data && strstr(text.data, end);
	slu_buf_free(&text);
	return is;
}

/* The pid was obtained while the process's /proc directory could be read, so it
 * is still its own. */
static bool kill_member(void *arg, int proc, pid_t pid)
{
	struct members *m = arg;
	struct slu_pid is;

	if (slu_pid_get(pid, &is, NULL) || !is_member(proc, m->name))
		return false;
	m->last = pid;
	slu_pid_kill(&is, SIGKILL);
	return false;
}

int slu_cgroup_enter(const char *name)
{
	int n = each_hierarchy(name, enter, NULL);

	return n > 0 ? n : 0;
}

int slu_cgroup_end(const char *name, struct slu_err *err)
{
	struct members m = {.name = name};
	int left;

	for (int i = 0; (left = each_hierarchy(name, still_there, err)); i++) {
		if (left < 0)
			return -1;
		if (i == TRIES)
			return slu_err(err, SLU_BUSY,
				       "the cgroup %s cannot be removed: "
				       "process %d cannot be killed",
				       name, (int)m.last);
		each_hierarchy(name, freeze, NULL);
		slu_pid_find(kill_member, &m);
		each_hierarchy(name, thaw, NULL);
		usleep(PAUSE);
	}
	return 0;
}
