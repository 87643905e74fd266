/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who uses a directory, see the header. */
#include "config.h"
#include "burst_buffer/host/file_users.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/kcmp.h>
#include <pwd.h>
#include <stdint.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "burst_buffer/host/hidden.h"
#include "common/file.h"
#include "common/str.h"

#define NAMES_MAX 300 /* bytes, of those that a sentence names */
#define PASSES	  100 /* through all processes, for who forks meanwhile */
#define DIES_IN	  0.5 /* seconds, unless it hangs */

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

/* `shared`: only what is mapped so that writing changes the file. */
static bool maps_below(int proc, const char *dir, bool shared)
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

/* Has a task, or the leader of all, at /proc/PID/... what is looked for? */
typedef bool task_f(void *arg, int task);

struct tasks {
	pid_t pid;
	task_f *is;
	void *arg;
};

/* Most have what their leader has, and are not asked for it once more. */
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

static bool any_task(int proc, pid_t pid, task_f *is, void *arg)
{
	struct tasks t = {pid, is, arg};

	return is(arg, proc) || any_link(proc, "task", is_task, &t);
}

static bool task_below(void *dir, int task)
{
	return link_below(task, "cwd", dir) || link_below(task, "root", dir) ||
	       any_link(task, "fd", is_below, dir);
}

static bool uses(int proc, pid_t pid, const char *dir)
{
	return any_task(proc, pid, task_below, (void *)dir) ||
	       link_below(proc, "exe", dir) || maps_below(proc, dir, false);
}

/* Also what the user has started with the rights of another one, as by su(1),
 * which Slurm may have lost sight of. */
static bool owned_by(int proc, uid_t uid)
{
	uid_t real, effective;

	return !slu_proc_uids(proc, &real, &effective) &&
	       (real == uid || effective == uid);
}

/* What is looked for: names below dir, or a device (dir NULL). */
struct naming {
	const char *dir;
	unsigned major, minor;
	struct slu_buf names, may; /* those who may have it out of sight */
	struct slu_hidden hidden;
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

static bool task_on_device(void *arg, int task)
{
	struct naming *n = arg;

	return on_device(n, task, "cwd") || on_device(n, task, "root") ||
	       any_link(task, "fd", on_device, n) ||
	       any_link(task, "fd", slu_is_bound, &n->hidden) ||
	       any_link(task, "fd", slu_is_kept_namespace, &n->hidden);
}

static bool uses_device(int proc, pid_t pid, struct naming *n)
{
	return any_task(proc, pid, task_on_device, n) ||
	       on_device(n, proc, "exe") ||
	       any_link(proc, "map_files", on_device, n) ||
	       slu_is_namespace(&n->hidden, proc, "ns/mnt");
}

/* Does this descriptor have others in it: of a socket those in flight (Linux
 * 5.10), of an io_uring those that are registered? Which files they are of is
 * not told. */
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
	return any_link(task, "fdinfo", has_others, arg);
}

static void add_name(struct slu_buf *names, int proc, pid_t pid)
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

	if (n->dir ? uses(proc, pid, n->dir) : uses_device(proc, pid, n))
		add_name(&n->names, proc, pid);
	else if (any_task(proc, pid, task_has_others, NULL))
		add_name(&n->may, proc, pid);
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
				      : "nobody that /proc shows");
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

	slu_hidden_begin(&n.hidden, major, minor);
	return name_all(dir, &n, err);
}

static bool maps_one(void *dir, int proc, pid_t pid)
{
	(void)pid;
	return maps_below(proc, dir, true);
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

/* Slurm's cgroups are .../job_ID/... 0: it is in none. */
static unsigned long job_in_cgroup(int proc)
{
	struct slu_buf groups = {0};
	unsigned long job = 0;
	const char *p;

	slu_file_read(proc, "cgroup", 1 << 16, &groups, NULL);
	p = groups.data ? strstr(groups.data, "/job_") : NULL;
	if (p)
		job = strtoul(p + strlen("/job_"), NULL, 10);
	slu_buf_free(&groups);
	return job;
}

static bool is_other_job(int proc, uint32_t job_id)
{
	unsigned long job = job_in_cgroup(proc);

	return job && job != job_id;
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

/* What its environment says of a job. */
struct told {
	const char *dir;
	unsigned long job; /* 0: nothing */
	bool of_dir;
};

static void look_at_word(struct told *t, const char *word)
{
	static const char job[] = "SLURM_JOB_ID=";
	const char *value = strchr(word, '=');

	if (!strncmp(word, job, sizeof(job) - 1))
		t->job = strtoul(word + sizeof(job) - 1, NULL, 10);
	t->of_dir |= value && slu_is_below(value + 1, t->dir);
}

static void read_environment(int proc, struct told *t)
{
	struct slu_buf env = {0};

	slu_file_read(proc, "environ", 4u << 20, &env, NULL);
	for (size_t at = 0; at < env.len; at += strlen(env.data + at) + 1)
		look_at_word(t, env.data + at);
	slu_buf_free(&env);
}

static bool is_left_by(int proc, pid_t pid, const struct slu_users_job *job)
{
	struct told told = {.dir = job->dir};

	if (!owned_by(proc, job->uid) || is_other_job(proc, job->id))
		return false;
	read_environment(proc, &told);
	return (!told.job || told.job == job->id || told.job == job->het_id) &&
	       (told.of_dir || uses(proc, pid, job->dir));
}

struct ending {
	const struct slu_users_job *job;
	struct slu_buf *who;
	size_t n;
};

static bool end_one(void *arg, int proc, pid_t pid)
{
	struct ending *e = arg;
	struct slu_pid is;

	/* as in kill_one() */
	if (!is_left_by(proc, pid, e->job) || slu_pid_get(pid, &is, NULL))
		return false;
	add_name(e->who, proc, pid);
	if (!slu_pid_kill(&is, SIGKILL))
		e->n++;
	slu_pid_wait(&is, DIES_IN, &(struct slu_err){0});
	return false;
}

size_t slu_users_end_job(const struct slu_users_job *job, struct slu_buf *who)
{
	struct ending e = {.job = job, .who = who};
	size_t before;
	int i = 0;

	do {
		before = e.n;
		slu_pid_find(end_one, &e);
	} while (e.n != before && ++i < PASSES);
	return e.n;
}

/* With the job that it is of, if that can be told. */
static void add_name_and_job(struct slu_buf *names, int proc, pid_t pid)
{
	struct told told = {.dir = "/"};
	unsigned long job = job_in_cgroup(proc);

	add_name(names, proc, pid);
	if (!job) {
		read_environment(proc, &told);
		job = told.job;
	}
	if (job)
		slu_buf_printf(names, " (job %lu)", job);
}

struct killing {
	const char *dir;
	uid_t uid;
	struct slu_buf *who;
	size_t n;
};

static bool kill_one(void *arg, int proc, pid_t pid)
{
	struct killing *k = arg;
	struct slu_pid is;

	/* asked for before what it is: else it may be another one's since */
	if (!owned_by(proc, k->uid) || slu_pid_get(pid, &is, NULL) ||
	    !uses(proc, pid, k->dir))
		return false;
	if (k->who)
		add_name_and_job(k->who, proc, pid);
	k->n += !slu_pid_kill(&is, SIGKILL);
	return false;
}

size_t slu_users_kill(const char *dir, uid_t uid, struct slu_buf *who)
{
	struct killing k = {.dir = dir, .uid = uid, .who = who};

	slu_pid_find(kill_one, &k);
	return k.n;
}

void slu_users_evict(const char *dir, uid_t uid)
{
	char real[PATH_MAX];

	if (chmod(dir, 0700) || !realpath(dir, real))
		return;
	for (int i = 0; i < 100 && slu_users_kill(real, uid, NULL); i++)
		usleep(10000);
}
