/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Restores files from the data that daemons of GekkoFS have kept after a failed
 * stage-out. A file's chunks lie in chunks/PATH, where ':' stands for '/',
 * named by their numbers. Each node writes the chunks it has to their offsets
 * in the files at the destination, and reads them back. Sizes are in a database
 * of the daemons that is not read: so a file ends after its last byte that was
 * written, and empty files are missing.
 */
#include "config.h"
#include "burst_buffer/drivers/gekkofs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/staging/files/beneath.h"
#include "common/file.h"
#include "common/proc.h"

#define CHUNK	   524288 /* bytes, GekkoFS's default */
#define BUFFER	   (1u << 20)
#define USERS	   "data/" /* the user's part (node/setup/user_directories.c) */
#define DAEMONS	   4
#define ASK	   10.0 /* seconds for a daemon to print its chunk size */
#define CHUNK_SAYS "Chunk size: "

void slu_gkfs_mark(const struct slu_plan *plan, char text[64])
{
	char *argv[] = {
		(char *)slu_plan_option(plan, "server", "/usr/bin/gkfs_daemon"),
		"--version",
		"-m",
		"x",
		"-r",
		"x",
		NULL};
	struct slu_buf out = {.max = 65536};
	uint64_t chunk = 0;
	const char *says;

	if (!slu_run(argv, ASK, &out, NULL) && out.data &&
	    (says = strstr(out.data, CHUNK_SAYS)))
		sscanf(says, CHUNK_SAYS "%" SCNu64, &chunk);
	slu_buf_free(&out);
	snprintf(text, 64, "gekkofs %" PRIu64, chunk ? chunk : CHUNK);
}

struct join {
	uint64_t chunk;
	int to;
	char *buffer; /* twice BUFFER */
	struct slu_joined *sum;
};

static int failed(const char *path, const char *what, struct slu_err *err)
{
	char text[SLU_PATH_TEXT];

	return slu_errno(err, SLU_IO, "cannot %s %s", what,
			 slu_path_text(path, text));
}

/* Writes it and reads it back. */
static int put(struct join *j, int fd, const char *path, size_t n, off_t at,
	       struct slu_err *err)
{
	char text[SLU_PATH_TEXT];

	for (size_t done = 0; done < n;) {
		ssize_t m = pwrite(fd, j->buffer + done, n - done,
				   at + (off_t)done);

		if (m < 0 && errno != EINTR)
			return failed(path, "write", err);
		done += m > 0 ? (size_t)m : 0;
	}
	if (slu_read_up_to(fd, j->buffer + BUFFER, n, at) != (ssize_t)n ||
	    memcmp(j->buffer, j->buffer + BUFFER, n))
		return slu_err(err, SLU_IO, "%s did not arrive whole",
			       slu_path_text(path, text));
	j->sum->bytes += n;
	return 0;
}

static int join_chunk(struct join *j, int dir, const char *name, int fd,
		      const char *path, struct slu_err *err)
{
	uint64_t number = strtoull(name, NULL, 10), at = number * j->chunk;
	int in = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	off_t from = 0;
	ssize_t n;
	int rc = 0;

	if (in < 0)
		return failed(path, "read a chunk of", err);
	while (!rc && (n = slu_read_up_to(in, j->buffer, BUFFER, from)) > 0) {
		rc = put(j, fd, path, (size_t)n, (off_t)at + from, err);
		from += n;
	}
	if (!rc && n < 0)
		rc = failed(path, "read a chunk of", err);
	close(in);
	j->sum->pieces++;
	return rc;
}

static bool is_number(const char *name)
{
	size_t n = strspn(name, "0123456789");

	return n && n < 12 && !name[n];
}

/* Takes over dir. */
static int join_chunks(struct join *j, int dir, int fd, const char *path,
		       struct slu_err *err)
{
	DIR *d = fdopendir(dir);
	struct dirent *e;
	int rc = 0;

	if (!d) {
		close(dir);
		return failed(path, "read the chunks of", err);
	}
	while (!rc && (e = readdir(d)))
		if (is_number(e->d_name))
			rc = join_chunk(j, dirfd(d), e->d_name, fd, path, err);
	closedir(d);
	return rc;
}

static int make_parents(int to, char *path, struct slu_err *err)
{
	for (char *p = path; (p = strchr(p, '/')); p++) {
		const char *name;
		int dir, rc;

		*p = '\0';
		dir = slu_open_parent(to, path, &name);
		rc = dir < 0 || (mkdirat(dir, name, 0777) && errno != EEXIST)
			     ? failed(path, "make the directory", err)
			     : 0;
		if (dir >= 0)
			close(dir);
		*p = '/';
		if (rc)
			return -1;
	}
	return 0;
}

/* The file of one directory of chunks; what is not the user's is skipped. */
static int join_file(struct join *j, int chunks, const char *name,
		     struct slu_err *err)
{
	char *path = strdup(name), *below;
	int dir, fd, rc;

	if (!path)
		return slu_err(err, SLU_NOMEM, "out of memory");
	for (char *p = path; *p; p++)
		*p = *p == ':' ? '/' : *p;
	below = path + strlen(USERS);
	if (strncmp(path, USERS, strlen(USERS)) || !slu_plain_path(below)) {
		free(path);
		return 0;
	}
	dir = openat(chunks, name,
		     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0)
		rc = failed(below, "read the chunks of", err);
	else
		rc = make_parents(j->to, below, err);
	fd = rc ? -1
		: slu_open_beneath(j->to, below, O_RDWR | O_CREAT | O_NOFOLLOW,
				   0666);
	if (!rc && fd < 0)
		rc = failed(below, "write", err);
	if (!rc)
		rc = join_chunks(j, dir, fd, below, err);
	else if (dir >= 0)
		close(dir);
	if (!rc && fsync(fd))
		rc = failed(below, "write", err);
	if (fd >= 0 && close(fd) && !rc)
		rc = failed(below, "write", err);
	free(path);
	return rc;
}

/* Joins the chunks of one daemon; 0 if it has none. */
static int join_daemon(struct join *j, const char *chunks, struct slu_err *err)
{
	DIR *d = opendir(chunks);
	struct dirent *e;
	int rc = 0;

	if (!d)
		return errno == ENOENT ? 0 : failed(chunks, "read", err);
	while (!rc && (e = readdir(d)))
		if (e->d_name[0] != '.')
			rc = join_file(j, dirfd(d), e->d_name, err);
	closedir(d);
	return rc;
}

int slu_gkfs_join(const char *fs, const char *mark, int to,
		  struct slu_joined *sum, struct slu_err *err)
{
	struct join j = {.to = to, .buffer = malloc(2 * BUFFER), .sum = sum};
	char path[PATH_MAX];
	int rc = 0;

	if (!j.buffer)
		return slu_err(err, SLU_NOMEM, "out of memory");
	if (sscanf(mark, "gekkofs %" SCNu64, &j.chunk) != 1 || !j.chunk)
		rc = slu_err(err, SLU_INVALID,
			     "the chunk size of the kept data is not "
			     "recorded");
	for (unsigned i = 0; !rc && i < DAEMONS; i++) {
		snprintf(path, sizeof(path), "%s/gekkofs/root.%u/chunks", fs,
			 i);
		rc = join_daemon(&j, path, err);
		snprintf(path, sizeof(path), "%s/gekkofs/root.%u/d%u/chunks",
			 fs, i, i);
		rc = rc ? rc : join_daemon(&j, path, err);
	}
	free(j.buffer);
	return rc;
}
