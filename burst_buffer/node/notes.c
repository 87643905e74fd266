/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads, writes and locks the notes of a job on this node (node.h). RunDir is
 * empty after a reboot, and so are the mounts and servers that the notes are
 * about.
 */
#include "config.h"
#include "burst_buffer/node/node.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "burst_buffer/staging/files/attrs.h"
#include "common/file.h"
#include "common/proc.h"

#define GONE	     ".gone." /* prefix of what is being removed */
#define RESERVE	     "reserve"
#define RESERVE_SIZE (128 << 10) /* a page for each note at the end */
#define NOTE_MAX     (64u << 20) /* bytes, for plans of large jobs */

int64_t slu_today(void)
{
	return time(NULL);
}

void slu_note_path(const struct slu_node *n, const char *name,
		   char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/%s", n->dir, name);
}

bool slu_note_has(const struct slu_node *n, const char *name)
{
	char path[PATH_MAX];

	slu_note_path(n, name, path);
	return !access(path, F_OK);
}

long slu_note_age(const struct slu_node *n, const char *name)
{
	char path[PATH_MAX];
	struct stat st;

	slu_note_path(n, name, path);
	return stat(path, &st) ? -1 : (long)(slu_today() - st.st_mtime);
}

char *slu_note_get(const struct slu_node *n, const char *name)
{
	char path[PATH_MAX];
	struct slu_buf text = {0};

	slu_note_path(n, name, path);
	if (slu_file_read(AT_FDCWD, path, NOTE_MAX, &text, NULL))
		return NULL;
	return slu_buf_steal(&text);
}

int slu_note_put(struct slu_node *n, const char *name, mode_t mode,
		 const char *text, struct slu_err *err)
{
	char path[PATH_MAX];

	slu_note_path(n, name, path);
	return slu_file_write(AT_FDCWD, path, text, strlen(text), mode, false,
			      err);
}

/* The user is the one in the plan, or in the environment of the prolog. */
static int let_user_read(const struct slu_node *n, const char *path)
{
	const char *uid = getenv("SLURM_JOB_UID");
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC), rc = -1;

	if (fd >= 0 && (n->planned || uid))
		rc = slu_let_read(fd, n->planned
					      ? n->plan.uid
					      : (uid_t)strtoul(uid, NULL, 10));
	if (fd >= 0 && rc)
		rc = fchmod(fd, 0644);
	if (fd >= 0)
		close(fd);
	return rc;
}

int slu_note_put_for_user(struct slu_node *n, const char *name,
			  const char *text, struct slu_err *err)
{
	char path[PATH_MAX];

	slu_note_path(n, name, path);
	if (slu_note_put(n, name, 0600, text, err))
		return -1;
	return let_user_read(n, path) ? slu_errno(err, SLU_IO, "%s", path) : 0;
}

void slu_note_drop(const struct slu_node *n, const char *name)
{
	char path[PATH_MAX];

	slu_note_path(n, name, path);
	unlink(path);
}

bool slu_note_lives(const struct slu_node *n, const char *pid_file,
		    struct slu_pid *pid)
{
	char path[PATH_MAX];

	slu_note_path(n, pid_file, path);
	return !slu_pid_read(path, pid, NULL) && slu_pid_alive(pid);
}

int slu_note_end(const struct slu_node *n, const char *pid_file,
		 struct slu_err *err)
{
	struct slu_pid pid;

	if (!slu_note_lives(n, pid_file, &pid) || pid.pid == getpid())
		return 0;
	slu_pid_kill(&pid, SIGKILL);
	return slu_pid_wait(&pid, 10, err);
}

int slu_note_reserve(const struct slu_node *n, struct slu_err *err)
{
	char path[PATH_MAX];
	int fd, why;

	slu_note_path(n, "down.lock", path);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return slu_errno(err, SLU_IO, "cannot make %s", path);
	close(fd);
	slu_note_path(n, RESERVE, path);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return slu_errno(err, SLU_IO, "cannot make %s", path);
	why = posix_fallocate(fd, 0, RESERVE_SIZE);
	close(fd);
	errno = why;
	return why ? slu_errno(err, SLU_IO, "cannot write %s", path) : 0;
}

void slu_note_release(const struct slu_node *n)
{
	slu_note_drop(n, RESERVE);
}

static int try_lock(int fd, int command, struct flock *lock)
{
	*lock = (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET};
	return fcntl(fd, command, lock);
}

/* Takes the lock with fcntl(), not flock(): children that outlive this process
 * would inherit that, and it does not tell who holds it. */
bool slu_note_lock(struct slu_node *n, const char *what)
{
	char name[32], path[PATH_MAX];
	struct slu_pid holder;
	struct flock lock;
	int fd;

	snprintf(name, sizeof(name), "%s.lock", what);
	slu_note_path(n, name, path);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return true; /* nothing is noted, so there is nothing to do */
	while (try_lock(fd, F_SETLK, &lock)) {
		if ((errno != EACCES && errno != EAGAIN) ||
		    try_lock(fd, F_GETLK, &lock))
			return true; /* no locks on this file system */
		if (lock.l_type == F_UNLCK)
			continue; /* it has just ended */
		snprintf(name, sizeof(name), "%s.pid", what);
		slu_note_path(n, name, path);
		if (!slu_pid_get(lock.l_pid, &holder, NULL))
			slu_pid_write(path, &holder, NULL);
		close(fd);
		return false;
	}
	return true; /* fd stays open and holds the lock */
}

/* Locks one byte for each job in a file that is never removed, as the job's
 * directory comes and goes. The lock belongs to the open file (OFD): a library
 * that opens and closes the same file cannot release it. */
int slu_note_begin(const struct slu_node *n, double seconds,
		   struct slu_err *err)
{
	struct flock lock = {.l_type = F_WRLCK,
			     .l_whence = SEEK_SET,
			     .l_start = (off_t)n->job_id,
			     .l_len = 1};
	double end = slu_now_mono() + seconds;
	char path[PATH_MAX];
	int fd, rc;

	snprintf(path, sizeof(path), "%.4000s/.begin", n->conf->run_dir);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return slu_errno(err, SLU_IO, "%s", path);
	while ((rc = fcntl(fd, F_OFD_SETLK, &lock)) &&
	       (errno == EAGAIN || errno == EACCES) && slu_now_mono() < end)
		usleep(50000);
	if (!rc)
		return fd;
	close(fd);
	return slu_err(err, SLU_BUSY, "an instance of job %u begins",
		       (unsigned)n->job_id);
}

void slu_note_begun(int begin)
{
	if (begin >= 0)
		close(begin);
}

char *slu_plan_note(const struct slu_plan *plan)
{
	struct slu_plan note = *plan;

	note.secret = NULL;
	note.over = false;
	note.users = NULL;
	note.unready = false;
	return slu_encode_text(&slu_plan_desc, &note);
}

int slu_noted_plan(const struct slu_node *n, struct slu_plan *plan,
		   struct slu_err *err)
{
	char *text = slu_note_get(n, "plan.json");
	int rc;

	if (!text)
		return slu_err(err, SLU_NOTFOUND, "nothing is noted of job %u",
			       (unsigned)n->job_id);
	rc = slu_decode_text(&slu_plan_desc, text, strlen(text), plan, err);
	free(text);
	return rc;
}

/* The file is always replaced, never changed in place. */
static bool is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
	       a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

bool slu_noted_is(struct slu_node *n, uint64_t buffer)
{
	char path[PATH_MAX];
	struct slu_plan plan;
	struct stat st;

	slu_note_path(n, "plan.json", path);
	if (lstat(path, &st))
		return false;
	if (!is_same_file(&st, &n->noted.file)) {
		if (slu_noted_plan(n, &plan, NULL))
			return false;
		n->noted.file = st;
		n->noted.buffer = plan.buffer;
		slu_msg_clear(&slu_plan_desc, &plan);
	}
	return n->noted.buffer == buffer;
}

/* Renamed first, so that others see the whole directory or none. */
int slu_notes_remove(struct slu_node *n, struct slu_err *err)
{
	char gone[PATH_MAX];

	snprintf(gone, sizeof(gone), "%.4000s/" GONE "%u.%d", n->conf->run_dir,
		 (unsigned)n->job_id, (int)getpid());
	if (!rename(n->dir, gone))
		return slu_rmtree(AT_FDCWD, gone, err);
	if (errno == ENOSPC || errno == EDQUOT)
		return slu_rmtree(AT_FDCWD, n->dir, err);
	return errno == ENOENT
		       ? 0
		       : slu_errno(err, SLU_IO, "cannot remove %s", n->dir);
}

int slu_notes_remove_begun(struct slu_node *n, struct slu_err *err)
{
	int begun = slu_note_begin(n, 0, err), rc = 0;
	struct slu_pid up;

	if (begun < 0)
		return -1;
	if (!slu_note_has(n, "plan.json") &&
	    (!slu_note_lives(n, "up.pid", &up) || up.pid == getpid()))
		rc = slu_notes_remove(n, err);
	slu_note_begun(begun);
	return rc;
}

void slu_notes_sweep(struct slu_node *n)
{
	DIR *d = opendir(n->conf->run_dir);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (!strncmp(e->d_name, GONE, strlen(GONE)))
			slu_rmtree(dirfd(d), e->d_name, NULL);
	if (d)
		closedir(d);
}
