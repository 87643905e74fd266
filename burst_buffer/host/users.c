/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who uses a directory, see the header. */
#include "config.h"
#include "burst_buffer/host/users.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdint.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/file.h"
#include "common/str.h"

static bool link_below(int proc, const char *name, const char *dir)
{
	char target[PATH_MAX + 1];
	ssize_t n = readlinkat(proc, name, target, PATH_MAX);

	if (n < 0)
		return false;
	target[n] = '\0';
	return slu_is_below(target, dir);
}

/* Is there one of the links in this directory of /proc (fd, map_files) that is
 * looked for? */
typedef bool link_f(void *arg, int dir, const char *name);

static bool any_link(int proc, const char *links, link_f *is, void *arg)
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
	return link_below(dir, name, arg);
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
		found = path && slu_is_below(path, dir);
	}
	free(line);
	if (f)
		fclose(f);
	return found;
}

static bool uses(int proc, const char *dir)
{
	return link_below(proc, "cwd", dir) || link_below(proc, "root", dir) ||
	       link_below(proc, "exe", dir) ||
	       any_link(proc, "fd", is_below, (void *)dir) ||
	       maps_below(proc, dir);
}

/* Also what the user has started with the rights of another one, as by su(1),
 * which Slurm may have lost sight of. */
static bool owned_by(int proc, uid_t uid)
{
	uid_t real, effective;

	return !slu_proc_uids(proc, &real, &effective) &&
	       (real == uid || effective == uid);
}

struct killing {
	const char *dir;
	uid_t uid;
	size_t n;
};

static bool kill_one(void *arg, int proc, pid_t pid)
{
	struct killing *k = arg;
	struct slu_pid is;

	/* asked for before what it is: else it may be another one's since */
	if (owned_by(proc, k->uid) && !slu_pid_get(pid, &is, NULL) &&
	    uses(proc, k->dir) && !slu_pid_kill(&is, SIGKILL))
		k->n++;
	return false;
}

size_t slu_users_kill(const char *dir, uid_t uid)
{
	struct killing k = {.dir = dir, .uid = uid};

	slu_pid_find(kill_one, &k);
	return k.n;
}

void slu_users_evict(const char *dir, uid_t uid)
{
	char real[PATH_MAX];

	if (chmod(dir, 0700) || !realpath(dir, real))
		return;
	for (int i = 0; i < 100 && slu_users_kill(real, uid); i++)
		usleep(10000);
}

/* What is looked for: names below dir, or a device (dir NULL). */
struct naming {
	const char *dir;
	unsigned major, minor;
	struct slu_buf names;
};

/* Without a question to a server, which may not answer. */
static bool on_device(void *arg, int at, const char *link)
{
	const struct naming *n = arg;
	struct statx st;

	return !statx(at, link, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT,
		      STATX_TYPE, &st) &&
	       st.stx_dev_major == n->major && st.stx_dev_minor == n->minor;
}

/* "36 35 7:4 / /point ..." */
static bool has_mounted(int proc, const struct naming *n)
{
	struct slu_buf table = {0};
	char device[40];
	bool has;

	snprintf(device, sizeof(device), " %u:%u ", n->major, n->minor);
	has = !slu_file_read(proc, "mountinfo", 64u << 20, &table, NULL) &&
	      table.data && strstr(table.data, device);
	slu_buf_free(&table);
	return has;
}

static bool uses_device(int proc, struct naming *n)
{
	return on_device(n, proc, "cwd") || on_device(n, proc, "root") ||
	       on_device(n, proc, "exe") ||
	       any_link(proc, "fd", on_device, n) ||
	       any_link(proc, "map_files", on_device, n) ||
	       has_mounted(proc, n);
}

static bool name_one(void *arg, int proc, pid_t pid)
{
	struct naming *n = arg;
	struct slu_buf comm = {0};
	const struct passwd *pw;
	uid_t real, effective;

	if (n->dir ? !uses(proc, n->dir) : !uses_device(proc, n))
		return false;
	slu_file_read(proc, "comm", 64, &comm, NULL);
	slu_buf_printf(&n->names, "%s%s (%d)", n->names.len ? ", " : "",
		       comm.data ? slu_trim(comm.data) : "?", (int)pid);
	pw = slu_proc_uids(proc, &real, &effective) ? NULL : getpwuid(real);
	if (pw)
		slu_buf_printf(&n->names, " of %s", pw->pw_name);
	slu_buf_free(&comm);
	return false;
}

static int name_all(const char *dir, struct naming *n, struct slu_err *err)
{
	n->names.max = 300;
	slu_pid_find(name_one, n);
	slu_err(err, SLU_BUSY, "%s is in use by %s", dir,
		n->names.data ? n->names.data
			      : "nobody that /proc shows (a descriptor in "
				"flight?)");
	slu_buf_free(&n->names);
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

	return name_all(dir, &n, err);
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
	any_link(proc, "fd", count_link, arg);
	any_link(proc, "map_files", count_link, arg);
	return false;
}

uint64_t slu_users_bytes(const char *dir)
{
	struct counting c = {.dir = dir};

	slu_pid_find(count_one, &c);
	return c.bytes;
}

struct stuck {
	uid_t uid;
	uint32_t job_id;
	struct slu_pid *out;
};

/* SIGKILL is pending: a process that could run would be gone. */
static bool is_being_killed(int proc)
{
	static const char *const fields[] = {"SigPnd:", "ShdPnd:"};
	struct slu_buf status = {0};
	uint64_t pending = 0;

	slu_file_read(proc, "status", 1 << 16, &status, NULL);
	for (int i = 0; status.data && i < 2; i++) {
		const char *p = strstr(status.data, fields[i]);

		pending |= p ? strtoull(p + 7, NULL, 16) : 0;
	}
	slu_buf_free(&status);
	return pending >> (SIGKILL - 1) & 1;
}

/* Slurm's cgroups are .../job_ID/... */
static bool is_other_job(int proc, uint32_t job_id)
{
	struct slu_buf groups = {0};
	unsigned long job = job_id;
	const char *p;

	slu_file_read(proc, "cgroup", 1 << 16, &groups, NULL);
	p = groups.data ? strstr(groups.data, "/job_") : NULL;
	if (p)
		job = strtoul(p + strlen("/job_"), NULL, 10);
	slu_buf_free(&groups);
	return job != job_id;
}

static bool find_stuck(void *arg, int proc, pid_t pid)
{
	struct stuck *s = arg;
	struct slu_pid is;

	if (!owned_by(proc, s->uid) || slu_pid_get(pid, &is, NULL) ||
	    !is_being_killed(proc) || is_other_job(proc, s->job_id))
		return false;
	*s->out = is;
	return true;
}

int slu_users_stuck(uid_t uid, uint32_t job_id, struct slu_pid *out,
		    struct slu_err *err)
{
	struct stuck s = {.uid = uid, .job_id = job_id, .out = out};

	return slu_pid_find(find_stuck, &s)
		       ? 0
		       : slu_err(err, SLU_NOTFOUND, "nothing hangs");
}
