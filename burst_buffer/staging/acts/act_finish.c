/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs the act FINISH, which completes the copy after everything was verified:
 * gives large files their final names, and directories their modes and times.
 * Also runs DISCARD, which removes what was not verified, after a failure.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/staging/files/attrs.h"
#include "burst_buffer/staging/files/temporary_file.h"
#include "burst_buffer/staging/acts/scan.h"

/* A set-group-id bit that the destination inherited stays, and a directory of
 * an early copy stays marked for the last one. */
static int finish_dir(struct slu_act *a, const struct slu_entry *e,
		      struct slu_err *err)
{
	const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, e->mtime};
	int fd = slu_open_beneath(a->places.dst, e->path,
				  O_RDONLY | O_DIRECTORY, 0);
	struct stat st;
	mode_t mode;
	int rc = 0;

	if (fd < 0)
		return slu_act_errno(err, "open", a->places.dst_path, e);
	if (slu_act_bring_attrs(a, fd, e, O_DIRECTORY, &mode, err))
		rc = -1;
	else if (fstat(fd, &st) ||
		 (!a->part->plain_source && futimens(fd, times)) ||
		 fchmod(fd, mode | (st.st_mode & S_ISGID) |
				    (a->part->early ? SLU_SHOWN : 0)))
		rc = slu_act_errno(err, "set mode and time of",
				   a->places.dst_path, e);
	close(fd);
	return rc;
}

struct finishing {
	struct slu_act *act;
	bool begun;
	uint64_t closed; /* directories left for later */
};

/* Does the final mode keep the owner, and so this process, from entering? Then
 * it is set when all below the directory has been finished. */
static bool is_closed(const struct slu_entry *e)
{
	return !(e->mode & 0100);
}

static bool is_open_dir(void *arg, const struct slu_unit *u)
{
	struct finishing *f = arg;

	if (u->entry.kind != 'D')
		return false;
	f->closed += is_closed(&u->entry);
	return !is_closed(&u->entry);
}

static bool is_closed_dir(void *arg, const struct slu_unit *u)
{
	(void)arg;
	return u->entry.kind == 'D' && is_closed(&u->entry);
}

static int everything(void *arg, unsigned *chunk, struct slu_err *err)
{
	struct finishing *f = arg;

	(void)err;
	*chunk = 0;
	return f->begun ? 0 : (f->begun = true);
}

static int finish_unit(void *arg, struct slu_worker *w,
		       const struct slu_unit *u, struct slu_err *err)
{
	struct finishing *f = arg;

	(void)w;
	return finish_dir(f->act, &u->entry, err);
}

/* Gives large files their final names; called before the directories are
 * finished, as a rename would change their times. */

static bool is_large(void *arg, const struct slu_unit *u)
{
	struct finishing *f = arg;

	return u->entry.kind == 'f' && u->range == 0 &&
	       slu_act_lands_last(f->act, &u->entry);
}

static int land_unit(void *arg, struct slu_worker *w, const struct slu_unit *u,
		     struct slu_err *err)
{
	struct finishing *f = arg;

	return slu_act_land(f->act, w, &u->entry, err);
}

static int land_large(struct slu_act *a, struct slu_err *err)
{
	struct finishing f = {.act = a};
	const struct slu_scan scan = {
		.act = a,
		.chunks = 1,
		.next = everything,
		.wanted = is_large,
		.unit = land_unit,
		.arg = &f,
	};

	return slu_scan(&scan, a->part->threads, err);
}

int slu_act_finish(struct slu_act *a, struct slu_err *err)
{
	struct finishing f = {.act = a};
	struct slu_scan scan = {
		.act = a,
		.chunks = 1,
		.next = everything,
		.wanted = is_open_dir,
		.unit = finish_unit,
		.arg = &f,
	};

	if (a->part->plain_destination)
		return 0;
	if (a->part->beside && a->part->content && land_large(a, err))
		return -1;
	if (slu_scan(&scan, a->part->threads, err))
		return -1;
	f.begun = false;
	scan.wanted = is_closed_dir; /* in the order of the manifest */
	return f.closed && slu_scan(&scan, 1, err) ? -1 : slu_act_sync(a, err);
}

/* DISCARD: a node removes what it may have written: its own chunks, and those
 * that it took from others. A node that is still copying does so when it learns
 * of the failure. */

struct discarding {
	const struct slu_stage_part *part;
	unsigned per;	 /* chunks of each node */
	unsigned *owner; /* of each chunk; NULL: each did its own */
	unsigned next;
};

static int next_written(void *arg, unsigned *chunk, struct slu_err *err)
{
	struct discarding *d = arg;
	const unsigned self = d->part->self;

	(void)err;
	while (d->next < d->part->n * d->per) {
		unsigned i = d->next++;

		if (i / d->per == self || (d->owner && d->owner[i] == self)) {
			*chunk = i;
			return 1;
		}
	}
	return 0;
}

static int discard_unit(void *arg, struct slu_worker *w,
			const struct slu_unit *u, struct slu_err *err)
{
	const struct discarding *d = arg;
	const char *name;
	int dir = slu_parent_cache_open(
		&w->dst, slu_act_path(w->act->places.to, &u->entry), &name);

	(void)err;
	if (dir >= 0 && u->range == 0)
		slu_temporary_file_remove(dir, name, d->part->beside);
	return 0;
}

int slu_act_discard(struct slu_act *a, struct slu_err *err)
{
	struct discarding d = {.part = a->part, .per = slu_act_chunks(a)};
	const struct slu_claims *claims = d.per > 1 ? a->part->claims : NULL;
	const struct slu_scan scan = {
		.act = a,
		.files = true,
		.chunks = a->part->n * d.per,
		.next = next_written,
		.unit = discard_unit,
		.arg = &d,
	};
	int rc;

	if (!a->part->beside)
		return 0;
	if (claims)
		d.owner = calloc(scan.chunks, sizeof(*d.owner));
	if (d.owner &&
	    claims->look(claims->arg, true, d.owner, scan.chunks, err)) {
		free(d.owner);
		d.owner = NULL;
	}
	rc = slu_scan(&scan, a->part->threads, err);
	free(d.owner);
	return rc;
}
