/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which nodes are shared is computed anew each time; which were is what lies
 * in the directory, and nothing else is remembered. */
#include "sluiced/nodemaps.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "common/file.h"
#include "common/str.h"
#include "select_io/ion/arbiter.h"

#define DIRECTORY "nodes"
#define SUFFIX	  ".map"
#define LONGEST	  300 /* of a line or a name: a host's name and a little */

/* The jobs of one node: lines that follow each other. */
struct group {
	const struct slu_node_line *line;
	size_t n;
};

static struct group group_at(const struct slu_node_lines *lines, size_t i)
{
	const struct slu_node_line *first = &lines->line[i];
	size_t n = 1;

	while (i + n < lines->n && first[n].hash == first->hash &&
	       !strcmp(first[n].node, first->node))
		n++;
	return (struct group){first, n};
}

static bool any_shared(const struct slu_node_lines *lines)
{
	for (size_t i = 0; i < lines->n; i++)
		if (group_at(lines, i).n > 1)
			return true;
	return false;
}

static struct group find(const struct slu_node_lines *lines, const char *node)
{
	uint64_t hash = XXH3_64bits(node, strlen(node));
	size_t low = 0, high = lines->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (lines->line[mid].hash < hash)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < lines->n && lines->line[low].hash == hash; low++)
		if (!strcmp(lines->line[low].node, node))
			return group_at(lines, low);
	return (struct group){NULL, 0};
}

/* What the node's file says now, or NULL. */
static char *said(int dir, const char *file)
{
	struct slu_buf text = {0};

	if (slu_file_read(dir, file, LONGEST, &text, NULL) == 0)
		return slu_buf_steal(&text);
	slu_buf_free(&text);
	return NULL;
}

static bool was_there(const struct slu_assignment *before, uint32_t job_id)
{
	for (size_t i = 0; before && i < before->n_jobs; i++)
		if (before->jobs[i].job_id == job_id)
			return true;
	return false;
}

/* Whose I/O node the node has: as long as it can the one that it had. */
static const struct slu_node_line *choose(const struct group *group,
					  const char *old,
					  const struct slu_assignment *before)
{
	const char *id = old ? strrchr(old, ' ') : NULL;

	for (size_t i = 0; id && i < group->n; i++)
		if (group->line[i].ion == strtoul(id, NULL, 10))
			return &group->line[i];
	for (size_t i = 0; i < group->n; i++)
		if (was_there(before, group->line[i].job_id))
			return &group->line[i];
	return &group->line[0];
}

static int write_one(int dir, const struct group *group,
		     const struct slu_assignment *before, struct slu_err *err)
{
	char file[LONGEST], text[LONGEST], *old;
	const struct slu_node_line *line;
	int rc = 0;

	snprintf(file, sizeof(file), "%s" SUFFIX, group->line->node);
	old = said(dir, file);
	line = choose(group, old, before);
	snprintf(text, sizeof(text), "%s %u\n", line->node, line->ion);
	if (!slu_eq(old, text))
		rc = slu_file_swap(dir, file, text, strlen(text), 0644, err);
	free(old);
	return rc;
}

static int write_shared(int dir, const struct slu_node_lines *lines,
			const struct slu_assignment *before,
			struct slu_err *err)
{
	struct group group;

	for (size_t i = 0; i < lines->n; i += group.n) {
		group = group_at(lines, i);
		if (group.n > 1 && write_one(dir, &group, before, err) < 0)
			return -1;
	}
	return 0;
}

/* The files of nodes that are not shared any more: with one job left it is
 * that job's, with none it goes. */
static int mend_others(int dirfd, const struct slu_node_lines *lines,
		       struct slu_err *err)
{
	int fd = dup(dirfd), rc = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return slu_errno(err, SLU_IO, "reading " DIRECTORY);
	}
	rewinddir(dir);
	while (rc == 0 && (entry = readdir(dir))) {
		char node[LONGEST], *end;
		struct group group;

		slu_copy(node, sizeof(node), entry->d_name);
		end = strrchr(node, '.');
		if (!end || strcmp(end, SUFFIX) != 0)
			continue;
		*end = '\0';
		group = find(lines, node);
		if (group.n == 0)
			unlinkat(dirfd, entry->d_name, 0);
		else if (group.n == 1)
			rc = write_one(dirfd, &group, NULL, err);
	}
	closedir(dir);
	return rc;
}

static int open_directory(int dir, bool make)
{
	if (make)
		mkdirat(dir, DIRECTORY, 0755);
	return openat(dir, DIRECTORY, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int slu_node_maps_write(int dir, const struct slu_assignment *before,
			const struct slu_assignment *now, struct slu_err *err)
{
	struct slu_node_lines lines;
	bool shared;
	int fd, rc;

	if (slu_node_lines(now, &lines, err) < 0)
		return -1;
	shared = any_shared(&lines);
	fd = open_directory(dir, shared);
	if (fd < 0)
		rc = shared || errno != ENOENT
			     ? slu_errno(err, SLU_IO, DIRECTORY)
			     : 0; /* never was there one */
	else if (write_shared(fd, &lines, before, err) < 0 ||
		 mend_others(fd, &lines, err) < 0)
		rc = -1;
	else
		rc = 0;
	if (fd >= 0)
		close(fd);
	slu_node_lines_free(&lines);
	return rc;
}
