/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides which process may write the rules of this server, by locks. A daemon
 * locks the first byte of the lock file for all its life. A process that cleans
 * up locks the second byte, and tests the first: a daemon that has started in
 * between takes care of the rules. A daemon that starts waits for the second
 * byte, so that none of its rules is stopped.
 *
 * Locks are those of fcntl() rather than flock(): the guard, a child, must not
 * inherit its parent's lock, and the kernel tells which process holds one.
 */
#include "config.h"
#include "select_io/tbfd/tbfd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

enum { RUNS, CLEANS }; /* bytes of the file */

#define WAIT  50 /* ms */
#define TRIES 200

static int lock_file(const char *state, int flags, struct slu_err *err)
{
	char *path = slu_asprintf("%s.lock", state);
	int fd = path ? open(path, flags | O_CLOEXEC | O_NOFOLLOW, 0600) : -1;

	if (!path)
		slu_err(err, SLU_NOMEM, "%s.lock", state);
	else if (fd < 0)
		slu_errno(err, errno == ENOENT ? SLU_NOTFOUND : SLU_IO, "%s",
			  path);
	free(path);
	return fd;
}

/* The other process that holds it; 0: none. */
static pid_t holder(int fd, int byte)
{
	struct flock lock = {.l_type = F_WRLCK, .l_start = byte, .l_len = 1};

	if (fcntl(fd, F_GETLK, &lock) < 0 || lock.l_type == F_UNLCK)
		return 0;
	return lock.l_pid;
}

static int busy(int fd, int byte, struct slu_err *err)
{
	return slu_err(err, SLU_BUSY, "another sluice-tbfd %s (process %d)",
		       byte == RUNS ? "runs here" : "is stopping its rules",
		       (int)holder(fd, byte));
}

static int take(int fd, int byte, int tries, struct slu_err *err)
{
	struct flock lock = {.l_type = F_WRLCK, .l_start = byte, .l_len = 1};

	while (fcntl(fd, F_SETLK, &lock) < 0) {
		if (errno != EACCES && errno != EAGAIN)
			return slu_errno(err, SLU_IO, "lock");
		if (--tries == 0)
			return busy(fd, byte, err);
		poll(NULL, 0, WAIT);
	}
	return 0;
}

static void give_back(int fd, int byte)
{
	struct flock lock = {.l_type = F_UNLCK, .l_start = byte, .l_len = 1};

	fcntl(fd, F_SETLK, &lock);
}

int slu_tbfd_lock(const char *state, struct slu_err *err)
{
	int fd = lock_file(state, O_RDWR | O_CREAT, err);

	if (fd < 0)
		return -1;
	if (take(fd, RUNS, 1, err) || take(fd, CLEANS, TRIES, err)) {
		close(fd);
		return -1;
	}
	give_back(fd, CLEANS);
	return fd;
}

int slu_tbfd_lock_for_clean_up(const char *state, struct slu_err *err)
{
	int fd = lock_file(state, O_RDWR | O_CREAT, err);

	if (fd < 0)
		return -1;
	if (take(fd, CLEANS, 1, err) == 0) {
		if (!holder(fd, RUNS))
			return fd;
		busy(fd, RUNS, err);
	}
	close(fd);
	return -1;
}

pid_t slu_tbfd_running(const char *state)
{
	int fd = lock_file(state, O_RDONLY, NULL);
	pid_t pid = fd < 0 ? 0 : holder(fd, RUNS);

	if (fd >= 0)
		close(fd);
	return pid;
}
