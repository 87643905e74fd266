/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds out which files a process uses. Their names are read with readlinkat()
 * in /proc, which the kernel answers from memory: stat() of the file itself
 * would block if its server is gone.
 */
#include "config.h"
#include "burst_buffer/host/proc_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "common/file.h"

bool slu_proc_link_below(int proc, const char *name, const char *dir)
{
	char target[PATH_MAX + 1];
	ssize_t n = readlinkat(proc, name, target, PATH_MAX);

	if (n < 0)
		return false;
	target[n] = '\0';
	return slu_is_below(target, dir);
}

bool slu_proc_any_link(int proc, const char *links, slu_proc_link_f *is,
		       void *arg)
{
	int fd = openat(proc, links, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	bool found = false;

	while (d && !found && (e = readdir(d)))
		found = e->d_name[0] != '.' && is(arg, dirfd(d), e->d_name);
	if (d)
		closedir(d);
	return found;
}

static bool is_below(void *arg, int dir, const char *name)
{
	return slu_proc_link_below(dir, name, arg);
}

bool slu_proc_maps_below(int proc, const char *dir, bool shared)
{
	int fd = openat(proc, "maps", O_RDONLY | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	char *line = NULL, *path;
	size_t size = 0;
	bool found = false;

	while (f && !found && getline(&line, &size, f) > 0) {
		path = strchr(line, '/');
		found = path && slu_is_below(path, dir) &&
			(!shared || strstr(line, "w-s ") ||
			 strstr(line, "wxs "));
	}
	free(line);
	if (f)
		fclose(f);
	return found;
}

struct tasks {
	pid_t pid;
	slu_proc_task_f *is;
	void *arg;
};

/* Threads usually share the descriptors and the working directory of their
 * leader, which has been looked at already. */
static bool shares_all(pid_t pid, pid_t task)
{
	return !syscall(SYS_kcmp, pid, task, KCMP_FILES, 0, 0) &&
	       !syscall(SYS_kcmp, pid, task, KCMP_FS, 0, 0);
}

static bool is_task(void *arg, int dir, const char *name)
{
	const struct tasks *t = arg;
	const pid_t id = (pid_t)strtol(name, NULL, 10);
	int task;
	bool is;

	if (id == t->pid || shares_all(t->pid, id))
		return false;
	task = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	is = task >= 0 && t->is(t->arg, task);
	if (task >= 0)
		close(task);
	return is;
}

bool slu_proc_any_task(int proc, pid_t pid, slu_proc_task_f *is, void *arg)
{
	struct tasks t = {pid, is, arg};

	return is(arg, proc) || slu_proc_any_link(proc, "task", is_task, &t);
}

static bool task_below(void *dir, int task)
{
	return slu_proc_link_below(task, "cwd", dir) ||
	       slu_proc_link_below(task, "root", dir) ||
	       slu_proc_any_link(task, "fd", is_below, dir);
}

bool slu_proc_uses(int proc, pid_t pid, const char *dir)
{
	return slu_proc_any_task(proc, pid, task_below, (void *)dir) ||
	       slu_proc_link_below(proc, "exe", dir) ||
	       slu_proc_maps_below(proc, dir, false);
}
