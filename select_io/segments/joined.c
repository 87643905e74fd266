/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of descriptors, and reading across parts. */
#include "config.h"
#include "select_io/segments/joined.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TABLE	   4096
#define DESCRIPTOR 200 /* ours are out of the way of the program's */

struct slu_joined {
	struct slu_segments segments;
	int count;
	int fd[SLU_SEGMENTS_MAX]; /* of parts; -1: not open */
	char dir[PATH_MAX];
};

struct slu_real slu_real;
static struct slu_joined *table[TABLE];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int64_t slu_joined_peek(int fd)
{
	char text[64];
	ssize_t n = slu_real.pread(fd, text, sizeof(text), 0);
	uint64_t size;

	return n > 0 && slu_segments_peek(text, (size_t)n, &size)
		       ? (int64_t)size
		       : -1;
}

/* Where the index lies, from its descriptor. */
static bool find_dir(int fd, char dir[PATH_MAX])
{
	char link[40], *slash;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, dir, PATH_MAX - 1);
	if (n <= 0)
		return false;
	dir[n] = '\0';
	slash = strrchr(dir, '/');
	if (!slash)
		return false;
	*slash = '\0';
	return true;
}

void slu_joined_adopt(int fd)
{
	static __thread char text[SLU_SEGMENTS_TEXT];
	struct slu_joined *j;
	ssize_t n;

	if (fd < 0 || fd >= TABLE || slu_joined_peek(fd) < 0)
		return;
	j = calloc(1, sizeof(*j));
	if (!j)
		return;
	n = slu_real.pread(fd, text, sizeof(text), 0);
	if (n <= 0 || !slu_segments_parse(text, (size_t)n, &j->segments) ||
	    !find_dir(fd, j->dir)) {
		free(j);
		return;
	}
	for (size_t i = 0; i < SLU_SEGMENTS_MAX; i++)
		j->fd[i] = -1;
	j->count = 1;
	pthread_mutex_lock(&lock);
	table[fd] = j;
	pthread_mutex_unlock(&lock);
}

struct slu_joined *slu_joined_get(int fd)
{
	struct slu_joined *j;

	/* nearly all are ordinary: no lock for them */
	if (fd < 0 || fd >= TABLE ||
	    !__atomic_load_n(&table[fd], __ATOMIC_RELAXED))
		return NULL;
	pthread_mutex_lock(&lock);
	j = table[fd];
	if (j)
		j->count++;
	pthread_mutex_unlock(&lock);
	return j;
}

void slu_joined_put(struct slu_joined *j)
{
	bool last;

	if (!j)
		return;
	pthread_mutex_lock(&lock);
	last = --j->count == 0;
	pthread_mutex_unlock(&lock);
	if (!last)
		return;
	for (size_t i = 0; i < SLU_SEGMENTS_MAX; i++)
		if (j->fd[i] >= 0)
			slu_real.close(j->fd[i]);
	free(j);
}

bool slu_joined_is(int fd)
{
	struct slu_joined *j = slu_joined_get(fd);

	slu_joined_put(j);
	return j != NULL;
}

static void set(int fd, struct slu_joined *j)
{
	struct slu_joined *was;

	if (fd < 0 || fd >= TABLE)
		return;
	pthread_mutex_lock(&lock);
	was = table[fd];
	table[fd] = j;
	if (j)
		j->count++;
	pthread_mutex_unlock(&lock);
	slu_joined_put(was);
}

void slu_joined_dup(int from, int to)
{
	struct slu_joined *j;

	if (to < 0 || from == to)
		return;
	j = slu_joined_get(from);
	set(to, j);
	slu_joined_put(j);
}

void slu_joined_drop(int fd)
{
	if (fd >= 0 && fd < TABLE &&
	    __atomic_load_n(&table[fd], __ATOMIC_RELAXED))
		set(fd, NULL);
}

const struct slu_segments *slu_joined_segments(const struct slu_joined *j)
{
	return &j->segments;
}

static int open_part(struct slu_joined *j, size_t i)
{
	char path[PATH_MAX + SLU_SEGMENTS_NAME + 2];
	int fd, high;

	snprintf(path, sizeof(path), "%s/%s", j->dir, j->segments.part[i].name);
	fd = slu_real.open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	high = slu_real.fcntl(fd, F_DUPFD_CLOEXEC, DESCRIPTOR);
	if (high < 0)
		return fd;
	slu_real.close(fd);
	return high;
}

int slu_joined_part(struct slu_joined *j, size_t i)
{
	int fd;

	pthread_mutex_lock(&lock);
	if (j->fd[i] < 0)
		j->fd[i] = open_part(j, i);
	fd = j->fd[i];
	pthread_mutex_unlock(&lock);
	return fd;
}

/* As far as one part goes; a part that is too short is an error. */
static ssize_t read_part(struct slu_joined *j, size_t i, void *buf, size_t n,
			 uint64_t at)
{
	const struct slu_segment *s = &j->segments.part[i];
	uint64_t left = s->begin + s->size - at;
	int fd = slu_joined_part(j, i);
	ssize_t got;

	if (fd < 0)
		return -1;
	got = slu_real.pread(fd, buf, n < left ? n : (size_t)left,
			     (off_t)(at - s->begin));
	if (got == 0)
		errno = EIO;
	return got == 0 ? -1 : got;
}

ssize_t slu_joined_read(struct slu_joined *j, void *buf, size_t n, off_t at)
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
