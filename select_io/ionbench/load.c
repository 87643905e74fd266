/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes the calls of one task, by rank: its file, its offsets, and for reads
 * the rank whose data it reads.
 */
#include "select_io/ionbench/load.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/clock.h"

/* The rank whose data a task reads: one on another node, since the own node may
 * have it cached. */
static uint32_t whose(const struct slu_load *l)
{
	uint32_t on_a_node = l->tasks / l->nodes;

	return strcmp(l->op, "read") ? l->rank
				     : (l->rank + on_a_node) % l->tasks;
}

static void file_of(const struct slu_load *l, char path[PATH_MAX])
{
	if (l->shared)
		snprintf(path, PATH_MAX, "%s", l->path);
	else
		snprintf(path, PATH_MAX, "%s.%u", l->path, whose(l));
}

/* The offset of its i-th call. */
static off_t offset_of(const struct slu_load *l, uint64_t i)
{
	uint64_t step = l->request, base = 0;

	if (l->strided)
		step *= l->shared ? l->tasks
				  : 2; /* strided: every other request */
	if (l->shared)
		base = whose(l) * (l->strided ? l->request : l->bytes);
	return (off_t)(base + i * step);
}

/* One call's bytes, fewer at the end of the file; -1 and errno. */
static ssize_t one_call(int fd, bool reads, char *data, size_t n, off_t at)
{
	size_t done = 0;

	while (done < n) {
		ssize_t k = reads ? pread(fd, data + done, n - done,
					  at + (off_t)done)
				  : pwrite(fd, data + done, n - done,
					   at + (off_t)done);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return -1;
		if (k == 0)
			break;
		done += (size_t)k;
	}
	return (ssize_t)done;
}

static int move(const struct slu_load *l, int fd, char *data, uint64_t *moved,
		double end)
{
	bool reads = !strcmp(l->op, "read");
	uint64_t bytes = l->most < l->bytes ? l->most : l->bytes;

	for (uint64_t i = 0; i < bytes / l->request; i++) {
		ssize_t k;

		if (slu_now_wall() >= end)
			break;
		k = one_call(fd, reads, data, l->request, offset_of(l, i));
		if (k < 0)
			return -1;
		*moved += (uint64_t)k;
		if (k < (ssize_t)l->request)
			break;
	}
	if (reads)
		return 0;
	if (fsync(fd) < 0 && errno != EINVAL && errno != ENOTSUP)
		return -1;
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	return 0;
}

/* Incompressible data that differs between ranks. All calls of a rank write the
 * same buffer: a server that deduplicates stores it only once. */
static void fill(char *data, size_t n, uint32_t rank)
{
	uint64_t x = 0x9e3779b97f4a7c15u + rank;

	for (size_t i = 0; i < n; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		data[i] = (char)(x >> 56);
	}
}

/* It may exist; other errors are found by open(). */
static void make_directory(const char *file)
{
	char path[PATH_MAX], *end;

	snprintf(path, sizeof(path), "%s", file);
	end = strrchr(path, '/');
	if (end && end > path) {
		*end = '\0';
		mkdir(path, 0700);
	}
}

static int remove_file(const char *path, struct slu_err *err)
{
	if (unlink(path) < 0 && errno != ENOENT)
		return slu_errno(err, SLU_IO, "%s", path);
	return 0;
}

int slu_load_run(const struct slu_load *l, uint64_t *moved, double *begun,
		 double *ended, struct slu_err *err)
{
	bool writes = !strcmp(l->op, "write");
	char path[PATH_MAX], *data;
	int fd, rc;

	*moved = 0;
	file_of(l, path);
	*begun = *ended = slu_now_wall();
	if (!strcmp(l->op, "remove"))
		return l->shared && l->rank ? 0 : remove_file(path, err);
	data = malloc(l->request);
	if (!data)
		return slu_err(err, SLU_NOMEM, "out of memory");
	if (writes)
		fill(data, l->request, l->rank);
	if (writes)
		make_directory(path);
	fd = open(path, writes ? O_WRONLY | O_CREAT : O_RDONLY, 0600);
	rc = fd < 0 ? -1 : 0;
	*begun = slu_now_wall();
	if (rc == 0)
		rc = move(l, fd, data, moved, *begun + l->seconds);
	*ended = slu_now_wall();
	if (rc < 0)
		slu_errno(err, SLU_IO, "%s", path);
	if (fd >= 0 && close(fd) < 0 && rc == 0)
		rc = slu_errno(err, SLU_IO, "%s", path);
	free(data);
	return rc;
}
