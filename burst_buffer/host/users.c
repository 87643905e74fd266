/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who uses a directory, see the header. */
#include "config.h"
#include "burst_buffer/host/users.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/file.h"
#include "common/proc.h"

static bool below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return !strncmp(path, dir, n) && (path[n] == '/' || !path[n]);
}

static bool link_below(int proc, const char *name, const char *dir)
{
	char target[PATH_MAX + 1];
	ssize_t n = readlinkat(proc, name, target, PATH_MAX);

	if (n < 0)
		return false;
	target[n] = '\0';
	return below(target, dir);
}

static bool files_below(int proc, const char *dir)
{
	int fd = openat(proc, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	bool found = false;

	while (d && !found && (e = readdir(d)))
		found = link_below(dirfd(d), e->d_name, dir);
	if (d)
		closedir(d);
	return found;
}

static bool maps_below(int proc, const char *dir)
{
	int fd = openat(proc, "maps", O_RDONLY | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	char *line = NULL, *path;
	size_t size = 0;
	bool found = false;

	while (f && !found && getline(&line, &size, f) > 0) {
		path = strchr(line, '/');
		found = path && below(path, dir);
	}
	free(line);
	if (f)
		fclose(f);
	return found;
}

static bool uses(int proc, const char *dir)
{
	return link_below(proc, "cwd", dir) || link_below(proc, "root", dir) ||
	       link_below(proc, "exe", dir) || files_below(proc, dir) ||
	       maps_below(proc, dir);
}

typedef void visit_f(void *arg, int proc, pid_t pid);

/* Call for every process but ourselves that uses dir. */
static void visit(const char *dir, visit_f *fn, void *arg)
{
	DIR *d = opendir("/proc");
	struct dirent *e;

	while (d && (e = readdir(d))) {
		pid_t pid = (pid_t)atol(e->d_name);
		int proc;

		if (pid <= 0 || pid == getpid())
			continue;
		proc = openat(dirfd(d), e->d_name,
			      O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (proc < 0)
			continue;
		if (uses(proc, dir))
			fn(arg, proc, pid);
		close(proc);
	}
	if (d)
		closedir(d);
}

struct killing {
	uid_t uid;
	size_t n;
};

static void kill_one(void *arg, int proc, pid_t pid)
{
	struct killing *k = arg;
	struct slu_pid is;
	struct stat st;

	if (slu_pid_get(pid, &is, NULL) || fstat(proc, &st) ||
	    st.st_uid != k->uid)
		return;
	if (!slu_pid_kill(&is, SIGKILL))
		k->n++;
}

size_t slu_users_kill(const char *dir, uid_t uid)
{
	struct killing k = {.uid = uid};

	visit(dir, kill_one, &k);
	return k.n;
}

static void name_one(void *arg, int proc, pid_t pid)
{
	struct slu_buf *names = arg, comm = {0};

	slu_file_read(proc, "comm", 64, &comm, NULL);
	slu_buf_printf(names, "%s%s (%d)", names->len ? ", " : "",
		       comm.data ? slu_trim(comm.data) : "?", (int)pid);
	slu_buf_free(&comm);
}

int slu_users_err(const char *dir, struct slu_err *err)
{
	struct slu_buf names = {.max = 300};

	visit(dir, name_one, &names);
	slu_err(err, SLU_BUSY, "%s is in use by %s", dir,
		names.data ? names.data : "the system");
	slu_buf_free(&names);
	return -1;
}
