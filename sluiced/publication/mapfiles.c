/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes the mapping files of an assignment (mapfiles.h). Files are not synced
 * to disk: when the directory's content is not known, as after a crash of this
 * machine, all of them are written again. slu_file_swap() exchanges the new
 * file with the old one, or renames over it where the file system cannot
 * exchange files.
 *
 * A client ends its application when its file is missing or malformed, so a
 * file is replaced by rename, and removed only when its job has left the
 * assignment.
 */
#include "sluiced/publication/mapfiles.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "common/str.h"
#include "sluiced/publication/nodemaps.h"

#define SUFFIX	".map"
#define DIRECT	".direct"
#define LARGEST (16 << 20)

static bool holds(int dir, const char *name, const char *text)
{
	struct slu_buf old = {0};
	bool same = slu_file_read(dir, name, strlen(text), &old, NULL) == 0 &&
		    slu_eq(old.data, text);

	slu_buf_free(&old);
	return same;
}

static int put(int dir, const char *name, const char *text, struct slu_err *err)
{
	return holds(dir, name, text) ? 0
				      : slu_file_swap(dir, name, text,
						      strlen(text), 0644, err);
}

/* Direct access: no file. An existing file stays for its readers. */
static int turn_direct(int dir, const char *map, const char *direct, long ions,
		       struct slu_err *err)
{
	struct slu_buf old = {0};
	char *kept;
	int rc = slu_file_read(dir, map, LARGEST, &old, err);

	if (rc < 0)
		return err->kind == SLU_NOTFOUND ? 0 : -1;
	kept = slu_mapping_kept(old.data, (uint32_t)ions, err);
	rc = kept ? put(dir, direct, "0\n", err) : -1;
	if (rc == 0)
		rc = put(dir, map, kept, err);
	free(kept);
	slu_buf_free(&old);
	return rc;
}

static int write_one(int dir, struct slu_mapper *mapper,
		     const struct slu_ion_share *share, const char *all_ions,
		     bool was_direct, struct slu_err *err)
{
	char map[32], direct[32];
	char *text;
	long ions;
	int rc;

	snprintf(map, sizeof(map), "%u" SUFFIX, share->job_id);
	snprintf(direct, sizeof(direct), "%u" DIRECT, share->job_id);
	text = slu_mapping_text(mapper, share, all_ions, err);
	if (text) {
		rc = put(dir, map, text, err);
		free(text);
		if (rc == 0 && was_direct)
			unlinkat(dir, direct, 0);
		return rc;
	}
	if (err->kind != SLU_NOTFOUND)
		return -1;
	ions = slu_mapper_count(mapper, all_ions, err);
	return ions < 0 ? -1 : turn_direct(dir, map, direct, ions, err);
}

/* The job of a mapping file, or 0. */
static uint32_t job_of(const char *name)
{
	char *end;
	unsigned long id = strtoul(name, &end, 10);

	if (end == name || id > UINT32_MAX ||
	    (strcmp(end, SUFFIX) != 0 && strcmp(end, DIRECT) != 0))
		return 0;
	return (uint32_t)id;
}

/* A file that was being written when its writer was killed? */
static bool is_left(const char *name)
{
	char whole[64];
	size_t len = slu_file_leftover_of(name);

	if (len == 0 || len >= sizeof(whole))
		return false;
	memcpy(whole, name, len);
	whole[len] = '\0';
	return job_of(whole) || strcmp(whole, SLU_MAP_WHOLE) == 0;
}

/* Removes files of jobs without an assignment, and incomplete files. */
static int remove_unknown(int dirfd, const struct slu_epoch *now,
			  struct slu_err *err)
{
	int fd = dup(dirfd);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return slu_errno(err, SLU_IO, "reading it");
	}
	while ((entry = readdir(dir))) {
		uint32_t job_id = job_of(entry->d_name);

		if ((job_id && !slu_epoch_share(now, job_id)) ||
		    is_left(entry->d_name))
			unlinkat(dirfd, entry->d_name, 0);
	}
	closedir(dir);
	return 0;
}

static int remove_ended(int dir, const struct slu_epoch *before,
			const struct slu_epoch *now, struct slu_err *err)
{
	char name[32];

	if (!before)
		return remove_unknown(dir, now, err);
	for (size_t i = 0; i < before->a.n_jobs; i++) {
		uint32_t job_id = before->a.jobs[i].job_id;

		if (slu_epoch_share(now, job_id))
			continue;
		snprintf(name, sizeof(name), "%u" SUFFIX, job_id);
		unlinkat(dir, name, 0);
		snprintf(name, sizeof(name), "%u" DIRECT, job_id);
		unlinkat(dir, name, 0);
	}
	return 0;
}

static int write_changed(int dir, struct slu_mapper *mapper,
			 const struct slu_epoch *before,
			 const struct slu_epoch *now, struct slu_err *err)
{
	bool all = !before || !slu_eq(before->a.ions, now->a.ions);
	struct slu_err why;
	int rc = 0;

	for (size_t i = 0; i < now->a.n_jobs; i++) {
		const struct slu_ion_share *share = &now->a.jobs[i], *was;

		was = slu_epoch_share(before, share->job_id);
		if (!all && slu_share_same(was, share))
			continue;
		/* an error for one job must not stop the others */
		if (write_one(dir, mapper, share, now->a.ions,
			      !before || (was && !slu_share_count(was)),
			      &why) < 0)
			rc = slu_err(err, why.kind, "job %u: %s", share->job_id,
				     why.text);
	}
	return rc;
}

/* Writes everything into one file, for other forwarders. */
static int write_whole(int dir, struct slu_mapper *mapper,
		       const struct slu_assignment *a, struct slu_err *err)
{
	char *text = slu_mapping_json(mapper, a, err);
	int rc = text ? slu_file_swap(dir, SLU_MAP_WHOLE, text, strlen(text),
				      0644, err)
		      : -1;

	free(text);
	return rc;
}

int slu_map_files_write(const char *path, struct slu_mapper *mapper,
			const struct slu_epoch *before,
			const struct slu_epoch *now, struct slu_err *nodes,
			struct slu_err *err)
{
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc;

	*nodes = (struct slu_err){0};
	if (dir < 0)
		return slu_errno(err, SLU_IO, "MappingDir %s", path);
	/* first, as the disk may be full; an error stops nothing else */
	rc = remove_ended(dir, before, now, err);
	if (write_changed(dir, mapper, before, now, err) < 0)
		rc = -1;
	if (write_whole(dir, mapper, &now->a, err) < 0)
		rc = -1;
	if (slu_node_maps_write(dir, mapper, before ? &before->a : NULL,
				&now->a, nodes) < 0)
		slu_err_prefix(nodes, "MappingDir %s", path);
	slu_mapper_sweep(mapper);
	close(dir);
	return rc < 0 ? slu_err_prefix(err, "MappingDir %s", path) : 0;
}

int slu_map_files_verdict(int rc, const struct slu_err *nodes,
			  struct slu_err *err)
{
	if (rc < 0 || !nodes->kind)
		return rc;
	*err = *nodes;
	return -1;
}

int slu_publish_files(const char *path, const struct slu_epoch *before,
		      const struct slu_epoch *now, struct slu_err *err)
{
	struct slu_mapper *mapper = slu_mapper_new();
	struct slu_err nodes;
	int rc;

	if (!mapper)
		return slu_err(err, SLU_NOMEM, "out of memory");
	rc = slu_map_files_write(path, mapper, before, now, &nodes, err);
	slu_mapper_free(mapper);
	return slu_map_files_verdict(rc, &nodes, err);
}
