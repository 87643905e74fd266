/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps the table of descriptors and their open parts, and reads across parts.
 */
#include "config.h"
#include "select_io/segments/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TABLE	   (1 << 20) /* the kernel's default limit, fs.nr_open */
#define DESCRIPTOR 200	     /* our descriptors are above the program's */

/* Identifies the file behind a descriptor. */
struct identity {
	dev_t dev;
	ino_t ino;
	uid_t owner;
};

struct part {
	int fd;	  /* -1: not open */
	int busy; /* readers in progress */
	struct identity is;
};

struct slu_descriptor {
	struct slu_segments segments;
	struct identity is; /* the index */
	int count;
	struct part part[SLU_SEGMENTS_MAX];
	struct slu_descriptor *prev, *next; /* in the list `all` */
	char dir[PATH_MAX];
};

struct slu_real slu_real;
static struct slu_descriptor *table[TABLE], *all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for both */
/* The process that owns the table: a child of vfork(2) shares the memory. */
static pid_t owner;

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

static void in_child(void)
{
	owner = getpid();
	after_fork();
}

__attribute__((constructor)) static void hold_in_fork(void)
{
	owner = getpid();
	pthread_atfork(before_fork, after_fork, in_child);
}

/* The path of a descriptor, without symbolic links. */
static bool find_path(int fd, char path[PATH_MAX])
{
	char link[40];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, PATH_MAX - 1);
	if (n <= 0)
		return false;
	path[n] = '\0';
	return true;
}

static bool identify(int fd, struct identity *is)
{
	struct stat st;

	if (slu_real.fstat(fd, &st))
		return false;
	*is = (struct identity){st.st_dev, st.st_ino, st.st_uid};
	return true;
}

static bool still(int fd, const struct identity *was)
{
	struct identity is;

	return identify(fd, &is) && is.dev == was->dev && is.ino == was->ino;
}

/* Reads the first bytes, also with O_DIRECT, where only aligned reads are
 * allowed. */
static ssize_t head(int fd, char *text, size_t size)
{
	ssize_t n = slu_real.pread(fd, text, size, 0);
	char link[40];
	int plain;

	if (n >= 0 || errno != EINVAL)
		return n;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	plain = slu_descriptor_probe(AT_FDCWD, link, 0);
	if (plain < 0)
		return -1;
	n = slu_real.pread(plain, text, size, 0);
	slu_real.close(plain);
	return n;
}

int64_t slu_descriptor_peek(int fd)
{
	char text[64];
	ssize_t n = head(fd, text, sizeof(text));
	uint64_t size;

	return n > 0 && slu_segments_peek(text, (size_t)n, &size)
		       ? (int64_t)size
		       : -1;
}

/* The directory of the index, from its descriptor. */
static bool find_dir(int fd, char dir[PATH_MAX])
{
	char *slash = find_path(fd, dir) ? strrchr(dir, '/') : NULL;

	if (!slash)
		return false;
	*slash = '\0';
	return true;
}

static void close_part(struct part *part)
{
	int keep = errno;

	if (part->fd >= 0 && still(part->fd, &part->is))
		slu_real.close(part->fd);
	part->fd = -1;
	errno = keep;
}

/* Closes a part's descriptor that can be reopened; false: there is none. Caller
 * holds the lock. */
static bool lend(void)
{
	for (struct slu_descriptor *j = all; j; j = j->next)
		for (size_t i = 0; i < j->segments.n; i++)
			if (j->part[i].fd >= 0 && !j->part[i].busy) {
				close_part(&j->part[i]);
				return true;
			}
	return false;
}

/* openat() that closes parts' descriptors on EMFILE. Caller holds the lock. */
static int open_lending(int dir, const char *path, int flags)
{
	int fd;

	do
		fd = slu_real.openat(dir, path, flags);
	while (fd < 0 && errno == EMFILE && lend());
	return fd;
}

int slu_descriptor_probe(int dir, const char *path, int flags)
{
	int fd;

	pthread_mutex_lock(&lock);
	fd = open_lending(dir, path,
			  flags | O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	pthread_mutex_unlock(&lock);
	return fd;
}

static void release(struct slu_descriptor *j)
{
	for (size_t i = 0; i < SLU_SEGMENTS_MAX; i++)
		close_part(&j->part[i]);
	free(j);
}

/* Caller holds the lock. */
static void unlink_joined(struct slu_descriptor *j)
{
	if (j->prev)
		j->prev->next = j->next;
	else
		all = j->next;
	if (j->next)
		j->next->prev = j->prev;
}

static void put_locked(struct slu_descriptor *j)
{
	if (!j || --j->count > 0)
		return;
	unlink_joined(j);
	release(j);
}

void slu_descriptor_put(struct slu_descriptor *j)
{
	if (!j)
		return;
	pthread_mutex_lock(&lock);
	put_locked(j);
	pthread_mutex_unlock(&lock);
}

static void set_locked(int fd, struct slu_descriptor *j)
{
	struct slu_descriptor *was = table[fd];

	__atomic_store_n(&table[fd], j, __ATOMIC_RELAXED);
	if (j)
		j->count++;
	put_locked(was);
}

/* false: the index has changed, or its directory cannot be found. */
static bool fill(struct slu_descriptor *j, int fd)
{
	static __thread char text[SLU_SEGMENTS_TEXT];
	ssize_t n = head(fd, text, sizeof(text));

	for (size_t i = 0; i < SLU_SEGMENTS_MAX; i++)
		j->part[i].fd = -1;
	return n > 0 && slu_segments_parse(text, (size_t)n, &j->segments) &&
	       identify(fd, &j->is) && find_dir(fd, j->dir);
}

int slu_descriptor_opened(int fd)
{
	struct slu_descriptor *j;

	if (fd < 0 || slu_descriptor_peek(fd) < 0)
		return 0;
	if (fd >= TABLE) {
		errno = EMFILE;
		return -1;
	}
	j = calloc(1, sizeof(*j));
	if (!j)
		return -1;
	if (!fill(j, fd)) {
		free(j);
		errno = EIO;
		return -1;
	}
	pthread_mutex_lock(&lock);
	j->next = all;
	if (all)
		all->prev = j;
	all = j;
	set_locked(fd, j);
	pthread_mutex_unlock(&lock);
	return 0;
}

struct slu_descriptor *slu_descriptor_get(int fd)
{
	struct slu_descriptor *j;

	/* fast path without the lock: nearly all are ordinary files */
	if (fd < 0 || fd >= TABLE ||
	    !__atomic_load_n(&table[fd], __ATOMIC_RELAXED))
		return NULL;
	pthread_mutex_lock(&lock);
	j = table[fd];
	if (j && !still(fd, &j->is)) {
		if (owner == getpid())
			set_locked(fd,
				   NULL); /* was closed without our wrapper */
		j = NULL;
	}
	if (j)
		j->count++;
	pthread_mutex_unlock(&lock);
	return j;
}

bool slu_descriptor_is_segmented(int fd)
{
	struct slu_descriptor *j = slu_descriptor_get(fd);

	slu_descriptor_put(j);
	return j != NULL;
}

int slu_descriptor_dup(int from, int to)
{
	struct slu_descriptor *j;

	if (to < 0 || from == to || owner != getpid())
		return to;
	j = slu_descriptor_get(from);
	if (to < TABLE) {
		pthread_mutex_lock(&lock);
		set_locked(to, j);
		pthread_mutex_unlock(&lock);
	} else if (j) {
		slu_real.close(to);
		errno = EMFILE;
		to = -1;
	}
	slu_descriptor_put(j);
	return to;
}

void slu_descriptor_drop(int fd)
{
	if (fd < 0 || fd >= TABLE ||
	    !__atomic_load_n(&table[fd], __ATOMIC_RELAXED) || owner != getpid())
		return;
	pthread_mutex_lock(&lock);
	set_locked(fd, NULL);
	pthread_mutex_unlock(&lock);
}

const struct slu_segments *
slu_descriptor_segments(const struct slu_descriptor *j)
{
	return &j->segments;
}

/* Opens a part without following links, strictly below the index's directory,
 * as another user may have written the index. Caller holds the lock. */
static int open_here(const char *path, int flags)
{
	char real[PATH_MAX];
	int fd = open_lending(AT_FDCWD, path, flags | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 || (find_path(fd, real) && strcmp(real, path) == 0))
		return fd;
	slu_real.close(fd);
	errno = ELOOP;
	return -1;
}

/* Opens a part that is a regular file. Caller holds the lock. */
static int open_part(struct slu_descriptor *j, size_t i)
{
	char path[PATH_MAX + SLU_SEGMENTS_NAME + 2];
	struct part *part = &j->part[i];
	int high;

	snprintf(path, sizeof(path), "%s/%s", j->dir, j->segments.part[i].name);
	part->fd = open_here(path, O_PATH);
	if (part->fd < 0)
		return -1;
	slu_real.close(part->fd);
	part->fd = open_here(path, O_RDONLY | O_NONBLOCK);
	if (part->fd < 0)
		return -1;
	high = slu_real.fcntl(part->fd, F_DUPFD_CLOEXEC, DESCRIPTOR);
	if (high >= 0) {
		slu_real.close(part->fd);
		part->fd = high;
	}
	if (identify(part->fd, &part->is))
		return 0;
	slu_real.close(part->fd);
	part->fd = -1;
	return -1;
}

static bool is_whole(const struct slu_descriptor *j, size_t i)
{
	struct stat st;

	if (slu_real.fstat(j->part[i].fd, &st))
		return false;
	if (!S_ISREG(st.st_mode) || st.st_uid != j->is.owner)
		errno = EACCES;
	else if ((uint64_t)st.st_size >= j->segments.part[i].size)
		return true;
	else
		errno = EIO;
	return false;
}

int slu_descriptor_part(struct slu_descriptor *j, size_t i)
{
	struct part *part = &j->part[i];
	int fd = -1;

	pthread_mutex_lock(&lock);
	if (part->fd >= 0 && !still(part->fd, &part->is))
		part->fd = -1;
	if ((part->fd >= 0 || open_part(j, i) == 0) && is_whole(j, i)) {
		part->busy++;
		fd = part->fd;
	}
	pthread_mutex_unlock(&lock);
	return fd;
}

void slu_descriptor_part_put(struct slu_descriptor *j, size_t i)
{
	pthread_mutex_lock(&lock);
	j->part[i].busy--;
	pthread_mutex_unlock(&lock);
}

int slu_descriptor_ready(int fd)
{
	struct slu_descriptor *j = slu_descriptor_get(fd);
	int got = 0;

	if (j && j->segments.n > 0) {
		got = slu_descriptor_part(j, 0);
		if (got >= 0)
			slu_descriptor_part_put(j, 0);
	}
	slu_descriptor_put(j);
	return got < 0 && (errno == EMFILE || errno == ENFILE) ? -1 : 0;
}

/* Reads up to the end of the part; a part that is too short is an error. */
static ssize_t read_part(struct slu_descriptor *j, size_t i, void *buf,
			 size_t n, uint64_t at)
{
	const struct slu_segment *s = &j->segments.part[i];
	uint64_t left = s->begin + s->size - at;
	int fd = slu_descriptor_part(j, i);
	ssize_t got;

	if (fd < 0)
		return -1;
	got = slu_real.pread(fd, buf, n < left ? n : (size_t)left,
			     (off_t)(at - s->begin));
	slu_descriptor_part_put(j, i);
	if (got == 0)
		errno = EIO;
	return got == 0 ? -1 : got;
}

ssize_t slu_descriptor_advance(struct slu_descriptor *j, int fd, size_t n,
			       off_t *at)
{
	off_t end = (off_t)j->segments.size, left;

	pthread_mutex_lock(&lock);
	*at = slu_real.lseek(fd, 0, SEEK_CUR);
	left = *at < 0 || *at > end ? 0 : end - *at;
	if (n > (uint64_t)left)
		n = (size_t)left;
	if (n > 0)
		slu_real.lseek(fd, *at + (off_t)n, SEEK_SET);
	pthread_mutex_unlock(&lock);
	return *at < 0 ? -1 : (ssize_t)n;
}

ssize_t slu_descriptor_read(struct slu_descriptor *j, void *buf, size_t n,
			    off_t at)
{
	size_t done = 0;

	if (at < 0) {
		errno = EINVAL;
		return -1;
	}
	if (n > SSIZE_MAX)
		n = SSIZE_MAX;
	while (done < n) {
		uint64_t here = (uint64_t)at + done;
		size_t i = slu_segments_find(&j->segments, here);
		ssize_t got;

		if (i == j->segments.n)
			break;
		got = read_part(j, i, (char *)buf + done, n - done, here);
		if (got < 0)
			return done > 0 ? (ssize_t)done : -1;
		done += (size_t)got;
	}
	return (ssize_t)done;
}
