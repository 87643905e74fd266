/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Helpers that the acts of staging (COPY, VERIFY, FINISH, DISCARD; stage.h)
 * share: what was done is counted and reported, files are created under their
 * temporary names, attributes are copied, errors get the file's path. The
 * threads of an act are in scan.c.
 */
#include "burst_buffer/staging/acts/act.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include "burst_buffer/staging/files/attrs.h"
#include "burst_buffer/staging/files/beneath.h"
#include "burst_buffer/staging/files/temporary_file.h"
#include "burst_buffer/staging/share.h"
#include "common/str.h"

int slu_act_count(struct slu_act *a, uint64_t bytes, uint64_t files,
		  struct slu_err *err)
{
	const struct slu_stage_part *p = a->part;
	bool stop;

	pthread_mutex_lock(&a->lock);
	a->bytes += bytes;
	a->files += files;
	if (!a->stopped && p->progress)
		a->stopped = p->progress(p->arg, bytes, files) != 0;
	stop = a->stopped;
	pthread_mutex_unlock(&a->lock);
	return stop ? slu_err(err, SLU_BUSY, "stopped") : 0;
}

const char *slu_act_name(const struct slu_act *a, int dir, const char *name,
			 char *beside)
{
	const char *tag = a->part->beside;

	return tag && !faccessat(dir,
				 slu_temporary_file_name(name, tag, beside),
				 F_OK, AT_SYMLINK_NOFOLLOW)
		       ? beside
		       : name;
}

static void count_in_place(struct slu_act *a, const struct slu_entry *e)
{
	pthread_mutex_lock(&a->lock);
	if (!a->in_place++)
		slu_path_text(slu_act_path(a->places.to, e), a->first_in_place);
	pthread_mutex_unlock(&a->lock);
}

int slu_act_create(struct slu_act *a, int dir, const char *name,
		   const struct slu_entry *e, mode_t mode,
		   const struct stat *st, struct slu_err *err)
{
	bool in_place;
	int fd = slu_temporary_file_or_in_place(dir, name, a->part->beside,
						mode, st, &in_place),
	    why = errno;

	if (fd >= 0 && in_place)
		count_in_place(a, e);
	if (fd >= 0)
		return fd;
	if (why == SLU_SAME_FILE)
		return slu_act_err(err, a->places.src_path, e,
				   "and its destination are the same file");
	slu_act_errno(err, "write", a->places.dst_path, e);
	slu_say_inodes(a->places.dst, why, err);
	return slu_temporary_file_err(dir, name, a->part->beside, why, err);
}

int slu_act_sync(struct slu_act *a, struct slu_err *err)
{
	const int dst = a->places.dst;

	/* syncfs() may report errors of other files. */
	return a->part->beside && a->part->durable && syncfs(dst) && fsync(dst)
		       ? slu_errno(err, SLU_IO, "cannot write %s",
				   a->places.dst_path)
		       : 0;
}

bool slu_act_lands_last(const struct slu_act *a, const struct slu_entry *e)
{
	return a->part->beside && a->part->content && !a->held.is &&
	       slu_share_ranges(e->size) > 1;
}

const char *slu_act_path(const char *single, const struct slu_entry *e)
{
	return single ? single : e->path;
}

int slu_act_errno(struct slu_err *err, const char *what, const char *root,
		  const struct slu_entry *e)
{
	char text[SLU_PATH_TEXT], under[SLU_PATH_TEXT];

	return slu_errno(err, SLU_IO, "cannot %s %s%s%s", what,
			 slu_path_text(root, under), *e->path ? "/" : "",
			 slu_path_text(e->path, text));
}

int slu_act_err(struct slu_err *err, const char *root,
		const struct slu_entry *e, const char *saying)
{
	char text[SLU_PATH_TEXT], under[SLU_PATH_TEXT];

	return slu_err(err, SLU_IO, "%s%s%s %s", slu_path_text(root, under),
		       *e->path ? "/" : "", slu_path_text(e->path, text),
		       saying);
}

int slu_act_attrs(struct slu_act *a, int in, int out, const struct slu_entry *e,
		  mode_t *mode, struct slu_err *err)
{
	struct slu_err reason = {0};

	*mode = e->mode;
	if (a->part->plain_destination ||
	    !slu_copy_attrs(a->part->plain_source ? -1 : in, out, mode,
			    &reason))
		return 0;
	return slu_act_err(err, a->places.src_path, e, reason.text);
}

int slu_act_bring_attrs(struct slu_act *a, int out, const struct slu_entry *e,
			int flags, mode_t *mode, struct slu_err *err)
{
	int in =
		slu_open_beneath(a->places.src, slu_act_path(a->places.from, e),
				 O_RDONLY | O_NOFOLLOW | O_NONBLOCK | flags, 0);
	int rc;

	if (in < 0)
		return slu_act_errno(err, "read", a->places.src_path, e);
	rc = slu_act_attrs(a, in, out, e, mode, err);
	close(in);
	return rc;
}

bool slu_act_copier_finishes(const struct slu_act *a, const struct slu_entry *e)
{
	return slu_share_ranges(e->size) == 1 && !a->part->early;
}

unsigned slu_act_chunks(const struct slu_act *a)
{
	return a->part->claims ? slu_share_chunks(a->totals.cost, a->part->n)
			       : 1;
}
