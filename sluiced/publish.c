/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Three assignments may be alive here: the one on disk, the one that a child
 * writes, the one that waits for it. Only what differs from the one on disk
 * is written; after a failure nothing is assumed and all of it is.
 *
 * Nothing is synced: an assignment can be computed again, and is written whole
 * when it is not known what lies there, as after a crash of this machine; other
 * machines' file systems do not know how to exchange two files, and are renamed
 * over.
 *
 * A reader kills its application over a missing or malformed file, so a file
 * is replaced by rename and removed only when its job has left the assignment.
 * A child that hangs in the kernel cannot be killed; as long as it is there no
 * other is started, because it might still rename an old file into place.
 */
#include "sluiced/publish.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "common/proc.h"
#include "common/str.h"
#include "select_io/ion/arbiter.h"
#include "sluiced/child.h"
#include "sluiced/nodemaps.h"

#define SUFFIX ".map"
#define WHOLE  "mapping.json"
#define RETRY  30.0

struct slu_publisher {
	struct slu_loop *loop;
	slu_published_f *fn;
	void *arg;
	struct slu_epoch *on_disk; /* NULL: unknown */
	struct slu_epoch *writing; /* NULL: the child's fate is known */
	struct slu_epoch *waiting;
	struct slu_child *child; /* until it is gone */
	char *dir;		 /* for the one that waits or is written */
	char *program;		 /* run after writing, or NULL */
	double seconds;
	struct slu_timer retry;
};

static bool holds(int dir, const char *name, const char *text)
{
	struct slu_buf old = {0};
	bool same = slu_file_read(dir, name, strlen(text), &old, NULL) == 0 &&
		    slu_eq(old.data, text);

	slu_buf_free(&old);
	return same;
}

static int write_one(int dir, const struct slu_ion_share *share,
		     const char *all_ions, struct slu_err *err)
{
	char name[32];
	char *text;
	int rc;

	snprintf(name, sizeof(name), "%u" SUFFIX, share->job_id);
	text = slu_mapping_text(share, all_ions ? all_ions : "", err);
	if (text) {
		rc = holds(dir, name, text)
			     ? 0
			     : slu_file_swap(dir, name, text, strlen(text),
					     0644, err);
		free(text);
		return rc;
	}
	/* Direct access: no file. One from before stays, for its readers. */
	return err->kind == SLU_NOTFOUND ? 0 : -1;
}

/* The job of a file of ours, or 0. */
static uint32_t job_of(const char *name)
{
	char *end;
	unsigned long id = strtoul(name, &end, 10);

	if (end == name || strcmp(end, SUFFIX) != 0 || id > UINT32_MAX)
		return 0;
	return (uint32_t)id;
}

/* Files of jobs that are in no assignment, known or not. */
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

		if (job_id && !slu_epoch_share(now, job_id))
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
	}
	return 0;
}

static int write_changed(int dir, const struct slu_epoch *before,
			 const struct slu_epoch *now, struct slu_err *err)
{
	bool all = !before || !slu_eq(before->a.ions, now->a.ions);
	struct slu_err why;
	int rc = 0;

	for (size_t i = 0; i < now->a.n_jobs; i++) {
		const struct slu_ion_share *share = &now->a.jobs[i];

		if (!all &&
		    slu_share_same(slu_epoch_share(before, share->job_id),
				   share))
			continue;
		/* One job's trouble must not keep the others from theirs. */
		if (write_one(dir, share, now->a.ions, &why) < 0)
			rc = slu_err(err, why.kind, "job %u: %s", share->job_id,
				     why.text);
	}
	return rc;
}

/* All of it in one file, for other forwarders. */
static int write_whole(int dir, const struct slu_assignment *a,
		       struct slu_err *err)
{
	char *text = slu_mapping_json(a, err);
	int rc = text ? slu_file_swap(dir, WHOLE, text, strlen(text), 0644, err)
		      : -1;

	free(text);
	return rc;
}

/* *nodes says what became of the nodes' files: their trouble stops nothing
 * else (kind 0: nothing). */
static int write_files(const char *path, const struct slu_epoch *before,
		       const struct slu_epoch *now, struct slu_err *nodes,
		       struct slu_err *err)
{
	int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc;

	*nodes = (struct slu_err){0};
	if (dir < 0)
		return slu_errno(err, SLU_IO, "MappingDir %s", path);
	rc = write_changed(dir, before, now, err);
	if (rc == 0)
		rc = write_whole(dir, &now->a, err);
	if (rc == 0)
		rc = remove_ended(dir, before, now, err);
	if (slu_node_maps_write(dir, before ? &before->a : NULL, &now->a,
				nodes) < 0)
		slu_err_prefix(nodes, "MappingDir %s", path);
	close(dir);
	return rc < 0 ? slu_err_prefix(err, "MappingDir %s", path) : 0;
}

/* The trouble of the nodes' files, when there was no other. */
static int with_nodes(int rc, const struct slu_err *nodes, struct slu_err *err)
{
	if (rc < 0 || !nodes->kind)
		return rc;
	*err = *nodes;
	return -1;
}

int slu_publish_files(const char *path, const struct slu_epoch *before,
		      const struct slu_epoch *now, struct slu_err *err)
{
	struct slu_err nodes;
	int rc = write_files(path, before, now, &nodes, err);

	return with_nodes(rc, &nodes, err);
}

/* The site's own program, with the epoch and the file that has it all. It is
 * killed with this process when the time is over. */
static int run_program(const struct slu_publisher *p, struct slu_err *err)
{
	char *file = slu_asprintf("%s/" WHOLE, p->dir);
	char *epoch =
		slu_asprintf("%llu", (unsigned long long)p->writing->a.epoch);
	char *argv[] = {p->program, epoch, file, NULL};
	int rc;

	if (!file || !epoch)
		rc = slu_err(err, SLU_NOMEM, "out of memory");
	else if (geteuid() == 0)
		rc = slu_err(err, SLU_DENIED, "it is not run as root");
	else
		rc = slu_run(argv, p->seconds, NULL, err);
	free(file);
	free(epoch);
	return rc < 0 ? slu_err_prefix(err, "MappingProgram %s", p->program)
		      : 0;
}

static int child_run(void *arg, struct slu_buf *out, struct slu_err *err)
{
	struct slu_publisher *p = arg;
	struct slu_err nodes;
	int rc = write_files(p->dir, p->on_disk, p->writing, &nodes, err);

	(void)out;
	if (rc == 0 && p->program)
		rc = run_program(p, err);
	return with_nodes(rc, &nodes, err);
}

static void tell(struct slu_publisher *p, struct slu_epoch *epoch,
		 const struct slu_err *err)
{
	p->fn(p->arg, epoch, err);
	slu_epoch_unref(epoch);
}

static void child_done(void *arg, struct slu_buf *out,
		       const struct slu_err *err)
{
	struct slu_publisher *p = arg;
	struct slu_epoch *epoch = p->writing;

	(void)out;
	slu_epoch_unref(p->on_disk);
	p->on_disk = err ? NULL : slu_epoch_ref(epoch);
	p->writing = NULL;
	if (err && !p->waiting) {
		p->waiting = slu_epoch_ref(epoch);
		slu_timer_set(p->loop, &p->retry, RETRY);
	}
	tell(p, epoch, err);
}

static void start(struct slu_publisher *p);

static void child_gone(void *arg)
{
	struct slu_publisher *p = arg;

	p->child = NULL;
	if (p->waiting && !p->retry.due)
		start(p);
}

/* Nothing is being written: write what waits. */
static void start(struct slu_publisher *p)
{
	struct slu_child_work work = {.run = child_run,
				      .done = child_done,
				      .gone = child_gone,
				      .arg = p,
				      .seconds = p->seconds};
	struct slu_err err;

	slu_timer_stop(p->loop, &p->retry);
	p->writing = p->waiting;
	p->waiting = NULL;
	p->child = slu_child_start(p->loop, &work, &err);
	if (!p->child)
		child_done(p, NULL, &err);
}

static void retry(void *arg)
{
	struct slu_publisher *p = arg;

	if (p->waiting && !p->child)
		start(p);
}

struct slu_publisher *slu_publisher_new(struct slu_loop *loop,
					slu_published_f *fn, void *arg)
{
	struct slu_publisher *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	*p = (struct slu_publisher){.loop = loop,
				    .fn = fn,
				    .arg = arg,
				    .retry = {.fn = retry, .arg = p}};
	return p;
}

void slu_publisher_free(struct slu_publisher *p)
{
	if (!p)
		return;
	slu_child_drop(p->child);
	slu_timer_stop(p->loop, &p->retry);
	slu_epoch_unref(p->on_disk);
	slu_epoch_unref(p->writing);
	slu_epoch_unref(p->waiting);
	free(p->dir);
	free(p->program);
	free(p);
}

static void supersede(struct slu_publisher *p)
{
	struct slu_err err;

	slu_err(&err, SLU_BUSY, "a newer assignment came before it");
	if (p->waiting)
		tell(p, p->waiting, &err);
	p->waiting = NULL;
}

void slu_publish(struct slu_publisher *p, struct slu_epoch *epoch,
		 const char *dir, const char *program, double seconds)
{
	struct slu_err err;

	if (!dir) {
		p->fn(p->arg, epoch, NULL);
		return;
	}
	supersede(p);
	if (!slu_eq(p->dir, dir)) {
		slu_epoch_unref(p->on_disk);
		p->on_disk = NULL;
		free(p->dir);
		p->dir = strdup(dir);
	}
	free(p->program);
	p->program = program ? strdup(program) : NULL;
	p->seconds = seconds;
	p->waiting = slu_epoch_ref(epoch);
	slu_timer_stop(p->loop, &p->retry);
	if (p->child && !p->writing) {
		slu_err(&err, SLU_TIMEOUT, "MappingDir %s does not answer",
			dir);
		p->fn(p->arg, epoch, &err);
	} else if (!p->child) {
		start(p);
	}
}
