/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads job_stats with a streaming parser, since the texts of a server with
 * eight targets and a thousand jobs have twenty megabytes. If a target's file
 * cannot be read to its end, its records are discarded: with half of them, the
 * other jobs would seem to be gone.
 */
#include "config.h"
#include "select_io/tbfd/lustre/job_stats_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "select_io/tbfd/lustre/lustre_access.h"

#define ROOM (64u << 10) /* of one read(2): see lustre_access.h */
#define SIZE (2 * ROOM)

/* "KIND.NAME.job_stats=" and a newline, as lctl prints it, from a path
 * ".../KIND/NAME/job_stats". */
static void heading(const char *path, char line[PATH_MAX])
{
	const char *end = strrchr(path, '/'), *name = end, *kind;

	while (name[-1] != '/')
		name--;
	for (kind = name - 1; kind[-1] != '/';)
		kind--;
	snprintf(line, PATH_MAX, "%.*s.%.*s.job_stats=\n",
		 (int)(name - 1 - kind), kind, (int)(end - name), name);
}

static int begin(struct slu_jobstats *stats, const char *path,
		 struct slu_err *err)
{
	char line[PATH_MAX];

	heading(path, line);
	return slu_jobstats_add(stats, line, strlen(line), err);
}

/* Parses the complete lines of text; moves the rest to its beginning and
 * returns its length, or -1. Lines longer than ROOM are dropped. */
static ssize_t parse(struct slu_jobstats *stats, char *text, size_t len,
		     struct slu_err *err)
{
	const char *end = memrchr(text, '\n', len);
	size_t whole = end ? (size_t)(end + 1 - text) : 0;

	if (slu_jobstats_add(stats, text, whole, err))
		return -1;
	len -= whole;
	memmove(text, text + whole, len);
	return len > SIZE - ROOM ? 0 : (ssize_t)len;
}

static int read_all(int fd, struct slu_jobstats *stats, char text[SIZE],
		    struct slu_err *err)
{
	ssize_t left = 0, n;

	while ((n = read(fd, text + left, SIZE - (size_t)left)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return slu_errno(
				err, errno == ENODEV ? SLU_NOTFOUND : SLU_IO,
				"read");
		left = parse(stats, text, (size_t)(left + n), err);
		if (left < 0)
			return -1;
	}
	return slu_jobstats_add(stats, text, (size_t)left, err);
}

static int add_target(struct slu_jobstats *stats, const char *path,
		      char text[SIZE], struct slu_err *err)
{
	const size_t n = stats->n, n_targets = stats->n_targets;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), rc;

	if (fd < 0)
		return slu_errno(err, errno == ENOENT ? SLU_NOTFOUND : SLU_IO,
				 "%s", path);
	rc = begin(stats, path, err) || read_all(fd, stats, text, err);
	close(fd);
	if (!rc)
		return 0;
	stats->n = n;
	stats->n_targets = n_targets;
	return slu_err_prefix(err, "%s", path);
}

/* Reads all targets of a kind. 1: there are some; 0 and *err: none; -1: no
 * memory. */
static int add_kind(struct slu_jobstats *stats, const char *root,
		    const char *kind, char text[SIZE], struct slu_err *err)
{
	char pattern[PATH_MAX];
	glob_t found;
	int some = 0;

	snprintf(pattern, sizeof(pattern), "%s/proc/fs/lustre/%s/*/job_stats",
		 root, kind);
	if (glob(pattern, 0, NULL, &found)) {
		slu_err(err, SLU_NOTFOUND, "%s: this is no server of those",
			pattern);
		return 0;
	}
	for (size_t i = 0; some >= 0 && i < found.gl_pathc; i++) {
		if (add_target(stats, found.gl_pathv[i], text, err) == 0)
			some = 1;
		else if (err->kind == SLU_NOMEM)
			some = -1;
		else if (err->kind == SLU_NOTFOUND)
			some = 1; /* it is being unmounted */
	}
	globfree(&found);
	return some;
}

int slu_job_stats_read(const char *root, struct slu_jobstats *stats,
		       struct slu_err *err)
{
	struct slu_err why[2] = {0};
	char *text = malloc(SIZE);
	int some = -1, more = 0;

	slu_jobstats_clear(stats);
	stats->count_requests = false; /* an OST's are no metadata */
	if (text)
		some = add_kind(stats, root, "obdfilter", text, &why[0]);
	else
		slu_err(&why[0], SLU_NOMEM, "out of memory");
	stats->count_requests = true;
	if (some >= 0)
		more = add_kind(stats, root, "mdt", text, &why[1]);
	free(text);
	if (some >= 0 && more >= 0 && some + more > 0)
		return 0;
	slu_jobstats_clear(stats);
	/* the reason why a kind cannot be read is worth more than that the
	 * other kind is not here */
	if (more < 0 || (why[0].kind == SLU_NOTFOUND && why[1].kind))
		why[0] = why[1];
	return slu_err(err, why[0].kind, "%s", why[0].text);
}

int slu_job_stats_of(const char *root, const char *kind,
		     struct slu_jobstats *stats, struct slu_err *err)
{
	char *text = malloc(SIZE);
	int some;

	slu_jobstats_clear(stats);
	some = text ? add_kind(stats, root, kind, text, err)
		    : slu_err(err, SLU_NOMEM, "job_stats");
	free(text);
	if (some > 0)
		return 0;
	slu_jobstats_clear(stats);
	return -1;
}
