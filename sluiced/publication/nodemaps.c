/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the mapping files of compute nodes that several jobs share
 * (nodemaps.h). Which nodes are shared is computed each time; which were shared
 * before is read from the directory. No other state is kept.
 */
#include "sluiced/publication/nodemaps.h"

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
#include "sluiced/publication/assignment.h"

#define DIRECTORY "nodes"
#define SUFFIX	  ".map"
#define LONGEST	  300 /* of a file name: a host name and a suffix */
#define LARGEST	  (16 << 20)

/* The jobs of one node: consecutive lines. */
struct group {
	const struct slu_node_line *line;
	size_t n;
};

struct maps {
	struct slu_mapper *mapper;
	const struct slu_assignment *before, *now;
	struct slu_node_lines old_lines, lines; /* of each */
	uint32_t n_ions;			/* I/O nodes there are */
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

/* Jobs of the node that have I/O nodes. */
static size_t forwarded(const struct group *group)
{
	size_t n = 0;

	for (size_t i = 0; i < group->n; i++)
		n += group->line[i].ion != SLU_NO_ION;
	return n;
}

static bool any_shared(const struct slu_node_lines *lines)
{
	struct group group;

	for (size_t i = 0; i < lines->n; i += group.n) {
		group = group_at(lines, i);
		if (forwarded(&group) > 1)
			return true;
	}
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

/* The present content of the node's file, or NULL. */
static char *said(int dir, const char *file)
{
	struct slu_buf text = {0};

	if (slu_file_read(dir, file, LARGEST, &text, NULL) == 0)
		return slu_buf_steal(&text);
	slu_buf_free(&text);
	return NULL;
}

/* The I/O node of a host in a file's text; SLU_NO_ION: none. */
static uint32_t ion_in(const char *text, const char *host)
{
	size_t len = strlen(host);

	while (text && *text) {
		if (!strncmp(text, host, len) && text[len] == ' ')
			return (uint32_t)strtoul(text + len, NULL, 10);
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return SLU_NO_ION;
}

static bool was_there(const struct slu_assignment *before, uint32_t job_id)
{
	for (size_t i = 0; before && i < before->n_jobs; i++)
		if (before->jobs[i].job_id == job_id)
			return true;
	return false;
}

/* The I/O node for this node: the one it had, if one of its jobs still has it,
 * else one of theirs. */
static uint32_t choose(const struct group *group, const char *old,
		       const struct slu_assignment *before)
{
	uint32_t had = ion_in(old, group->line->node), first = SLU_NO_ION;

	for (size_t i = 0; had != SLU_NO_ION && i < group->n; i++)
		if (group->line[i].ion == had)
			return had;
	for (size_t i = 0; i < group->n; i++) {
		if (group->line[i].ion == SLU_NO_ION)
			continue;
		if (was_there(before, group->line[i].job_id))
			return group->line[i].ion;
		if (first == SLU_NO_ION)
			first = group->line[i].ion;
	}
	return first;
}

static const struct slu_node_line *of_job(const struct group *group,
					  uint32_t job_id)
{
	for (size_t i = 0; i < group->n; i++)
		if (group->line[i].job_id == job_id)
			return &group->line[i];
	return NULL;
}

/* What to write for another host of one of the group's jobs: the I/O node of
 * the first of them that has one there, else any that the host has. */
static uint32_t ion_at(const struct group *host, const struct group *group)
{
	uint32_t any = SLU_NO_ION;

	for (size_t i = 0; i < host->n; i++) {
		if (host->line[i].ion == SLU_NO_ION)
			continue;
		if (of_job(group, host->line[i].job_id))
			return host->line[i].ion;
		if (any == SLU_NO_ION)
			any = host->line[i].ion;
	}
	return any;
}

/* The first job of the group on that host; it writes the host's line. */
static const struct slu_node_line *first_of(const struct group *host,
					    const struct group *group)
{
	for (size_t i = 0; i < host->n; i++)
		if (of_job(group, host->line[i].job_id))
			return &host->line[i];
	return NULL;
}

/* A process that reads this node's file may run on any host of its job, as when
 * mpirun has started it, and one without a line fails. */
static void put_others(struct slu_buf *buf, const struct maps *m,
		       const struct group *group, const char *old,
		       uint32_t chosen)
{
	for (size_t i = 0; i < group->n; i++) {
		const struct slu_node_line *line = &group->line[i];
		const struct slu_hosts *hosts = m->lines.names[line->at];

		for (size_t k = 0; k < hosts->n; k++) {
			struct group host = find(&m->lines, hosts->name[k]);
			uint32_t ion;

			if (!strcmp(hosts->name[k], line->node) ||
			    first_of(&host, group)->job_id != line->job_id)
				continue;
			ion = ion_at(&host, group);
			if (ion == SLU_NO_ION)
				ion = ion_in(old, hosts->name[k]);
			slu_buf_printf(buf, "%s %u\n", hosts->name[k],
				       ion >= m->n_ions ? chosen : ion);
		}
	}
}

static int write_one(int dir, const struct maps *m, const struct group *group,
		     struct slu_err *err)
{
	struct slu_buf text = {0};
	char file[LONGEST], *old;
	uint32_t chosen;
	int rc = 0;

	snprintf(file, sizeof(file), "%s" SUFFIX, group->line->node);
	old = said(dir, file);
	chosen = choose(group, old, m->before);
	slu_buf_printf(&text, "%s %u\n", group->line->node, chosen);
	put_others(&text, m, group, old, chosen);
	if (text.failed)
		rc = slu_err(err, SLU_NOMEM, "out of memory");
	else if (!slu_eq(old, text.data))
		rc = slu_file_swap(dir, file, text.data, text.len, 0644, err);
	slu_buf_free(&text);
	free(old);
	return rc;
}

/* The same jobs with the same shares as at the last write. */
static bool unchanged(const struct maps *m, const struct group *group)
{
	struct group was = find(&m->old_lines, group->line->node);

	if (!m->before || was.n != group->n ||
	    !slu_eq(m->before->ions, m->now->ions))
		return false;
	for (size_t i = 0; i < was.n; i++)
		if (was.line[i].job_id != group->line[i].job_id ||
		    !slu_share_same(&m->before->jobs[was.line[i].at],
				    &m->now->jobs[group->line[i].at]))
			return false;
	return true;
}

/* An error for one node must not stop the others. */
static int write_shared(int dir, const struct maps *m, struct slu_err *err)
{
	struct group group;
	int rc = 0;

	for (size_t i = 0; i < m->lines.n; i += group.n) {
		group = group_at(&m->lines, i);
		if (forwarded(&group) > 1 && !unchanged(m, &group) &&
		    write_one(dir, m, &group, err) < 0)
			rc = -1;
	}
	return rc;
}

/* The file stays for its readers, without I/O nodes that have gone. */
static int keep(int dirfd, const struct maps *m, const char *file,
		struct slu_err *err)
{
	char *old = said(dirfd, file), *kept;
	int rc;

	if (!old)
		return 0;
	kept = slu_mapping_kept(old, m->n_ions, err);
	rc = !kept		 ? -1
	     : slu_eq(old, kept) ? 0
				 : slu_file_swap(dirfd, file, kept,
						 strlen(kept), 0644, err);
	free(old);
	free(kept);
	return rc;
}

/* A file that was being written when its writer was killed? */
static bool is_left(const char *file)
{
	size_t len = slu_file_leftover_of(file), suffix = strlen(SUFFIX);

	return len > suffix && !strncmp(file + len - suffix, SUFFIX, suffix);
}

/* The file of a node that is not shared any more: if one job with I/O nodes is
 * left, it becomes that job's; with none it stays as long as a job is there. */
static int mend_one(int dirfd, const struct maps *m, const char *file,
		    struct slu_err *err)
{
	char node[LONGEST], *end;
	struct group group;

	slu_copy(node, sizeof(node), file);
	end = strrchr(node, '.');
	if (is_left(file))
		unlinkat(dirfd, file, 0);
	if (!end || strcmp(end, SUFFIX) != 0)
		return 0;
	*end = '\0';
	group = find(&m->lines, node);
	if (group.n == 0)
		unlinkat(dirfd, file, 0);
	else if (forwarded(&group) == 1 && !unchanged(m, &group))
		return write_one(dirfd, m, &group, err);
	else if (forwarded(&group) == 0 && !unchanged(m, &group))
		return keep(dirfd, m, file, err);
	return 0;
}

static int mend_others(int dirfd, const struct maps *m, struct slu_err *err)
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
	while ((entry = readdir(dir)))
		if (mend_one(dirfd, m, entry->d_name, err) < 0)
			rc = -1;
	closedir(dir);
	return rc;
}

/* Users read it, whatever our umask is. */
static int open_directory(int dir, bool make)
{
	int fd;

	if (make)
		mkdirat(dir, DIRECTORY, 0755);
	fd = openat(dir, DIRECTORY, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		fchmod(fd, 0755); /* made by another: its owner decides */
	return fd;
}

/* The earlier state is only needed where there is or was a shared node. */
static int write_all(int dir, struct maps *m, struct slu_err *err)
{
	bool shared = any_shared(&m->lines);
	int fd = open_directory(dir, shared), rc;

	if (fd < 0)
		return shared || errno != ENOENT
			       ? slu_errno(err, SLU_IO, DIRECTORY)
			       : 0; /* there never was one */
	if (m->before &&
	    slu_node_lines(m->mapper, m->before, &m->old_lines, err) < 0) {
		close(fd);
		return -1;
	}
	rc = write_shared(fd, m, err);
	if (mend_others(fd, m, err) < 0)
		rc = -1;
	close(fd);
	return rc;
}

int slu_node_maps_write(int dir, struct slu_mapper *mapper,
			const struct slu_assignment *before,
			const struct slu_assignment *now, struct slu_err *err)
{
	struct maps m = {.mapper = mapper, .before = before, .now = now};
	long n_ions = slu_mapper_count(mapper, now->ions, err);
	int rc = n_ions < 0 ? -1 : slu_node_lines(mapper, now, &m.lines, err);

	m.n_ions = (uint32_t)n_ions;
	if (rc == 0)
		rc = write_all(dir, &m, err);
	slu_node_lines_free(&m.old_lines);
	slu_node_lines_free(&m.lines);
	return rc;
}
