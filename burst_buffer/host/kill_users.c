/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kills processes that keep a job's file system busy with SIGKILL, and finds
 * one that SIGKILL does not end. A process is held by a pidfd before its files
 * are looked at, so that a reused process number is never killed.
 */
#include "config.h"
#include "burst_buffer/host/kill_users.h"

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/host/file_users.h"
#include "burst_buffer/host/proc_files.h"
#include "common/file.h"

#define PASSES	100 /* over all processes, as they may fork meanwhile */
#define DIES_IN 0.5 /* seconds, unless it hangs in the kernel */

/* Is the process's real or effective user `uid`? Processes started by su(1)
 * count, which Slurm may not track any more. */
static bool owned_by(int proc, uid_t uid)
{
	uid_t real, effective;

	return !slu_proc_uids(proc, &real, &effective) &&
	       (real == uid || effective == uid);
}

struct stuck {
	uid_t uid;
	uint32_t job_id;
	struct slu_pid *out;
};

/* SIGKILL is pending: the process waits in the kernel, else it would be gone.
 */
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

/* The job of its cgroup (Slurm's are .../job_ID/...); 0: none. */
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

/* What a process's environment says about its job. */
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
	       (told.of_dir || slu_proc_uses(proc, pid, job->dir));
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

	/* the handle first, as in kill_one() */
	if (!is_left_by(proc, pid, e->job) || slu_pid_get(pid, &is, NULL))
		return false;
	slu_users_add_name(e->who, proc, pid);
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

/* Appends the process's name, with its job if its cgroup or environment names
 * one. */
static void add_name_and_job(struct slu_buf *names, int proc, pid_t pid)
{
	struct told told = {.dir = "/"};
	unsigned long job = job_in_cgroup(proc);

	slu_users_add_name(names, proc, pid);
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

	/* The handle before the look at its files: afterwards the number may
	 * belong to another process. */
	if (!owned_by(proc, k->uid) || slu_pid_get(pid, &is, NULL) ||
	    !slu_proc_uses(proc, pid, k->dir))
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
