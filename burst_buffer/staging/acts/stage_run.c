/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs one act of staging: opens the manifest and both directories, calls the
 * act, and closes them. The acts are in act_copy.c, act_verify.c and
 * act_finish.c; the walk of PREPARE is in walk_tree.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "burst_buffer/staging/files/fresh.h"
#include "burst_buffer/staging/acts/scan.h"
#include "burst_buffer/staging/files/attrs.h"
#include "burst_buffer/staging/files/beneath.h"
#include "burst_buffer/staging/files/temporary_file.h"
#include "burst_buffer/staging/copy.h"
#include "burst_buffer/staging/share.h"
#include "burst_buffer/staging/walk/colliding_paths.h"
#include "burst_buffer/staging/walk/walk.h"
#include "common/file.h"
#include "common/str.h"

static int walked(void *arg, uint64_t bytes)
{
	return slu_act_count(arg, bytes, 0, NULL);
}

static int walk_selection(struct slu_act *a, struct slu_walk *w,
			  struct slu_err *err)
{
	const struct slu_stage_part *part = a->part;
	struct slu_names names;
	char *root;
	int rc = -1;

	if (a->places.pattern) {
		rc = slu_names_matching(
			a->places.src, a->places.pattern, a->places.src_path,
			part->what == SLU_WHAT_FILE, &names, err);
	} else {
		root = strndup(part->source,
			       strlen(part->source) - strlen(a->places.list));
		if (!root)
			return slu_err(err, SLU_NOMEM, "out of memory");
		rc = slu_names_listed(a->places.src, a->places.list, root,
				      &names, err);
		free(root);
	}
	if (rc)
		return -1;
	rc = slu_walk_names(w, &names, err);
	slu_names_free(&names);
	return rc;
}

/* Walks only part->only. A new directory at the destination first gets the
 * rights of its source, so that it never has more than in the end. */
static int walk_only(struct slu_act *a, struct slu_walk *w, struct slu_err *err)
{
	char *path = (char *)a->part->only;
	const struct slu_names names = {.path = &path, .n = 1};
	struct slu_err reason;
	struct stat st;

	if (a->places.made && fstat(a->places.src, &st))
		return slu_errno(err, SLU_IO, "cannot look at %s",
				 a->part->source);
	if (a->places.made && slu_show_directory(a->places.src, a->places.dst,
						 st.st_mode, &reason))
		return slu_err(err, SLU_IO, "%s %s", a->part->destination,
			       reason.text);
	return slu_walk_names(w, &names, err);
}

static int walk(struct slu_act *a, struct slu_walk *w, struct slu_err *err)
{
	if (a->part->only)
		return walk_only(a, w, err);
	if (a->places.list || a->places.pattern)
		return walk_selection(a, w, err);
	if (a->places.from)
		return slu_walk_file(w, a->places.from, a->places.to, err);
	return slu_walk(w, err);
}

/* Checks the names in the request, below the root of a plain file system. */
static int check_names(const struct slu_act *a, struct slu_err *err)
{
	const char *to = a->part->destination, *root = a->part->fs_root;

	if (!a->part->plain_destination)
		return 0;
	if (root && slu_is_below(to, root))
		to += strlen(root);
	return slu_check_colons(to, err) ||
			       (a->places.to &&
				slu_check_colons(a->places.to, err))
		       ? -1
		       : 0;
}

/* Sets which paths the walk checks for collisions: all of them, if paths
 * outside of what is staged may collide with some. */
static void look_for_collisions(const struct slu_act *a, struct slu_walk *w)
{
	const struct slu_stage_part *part = a->part;

	if (!part->plain_source || !part->fs_root ||
	    !slu_is_below(a->places.src_path, part->fs_root))
		return;
	w->collisions_below = part->fs_root;
	w->check_all_paths =
		part->only || a->places.list || a->places.pattern ||
		a->places.from ||
		slu_may_collide_outside(part->fs_root, a->places.src_path);
}

static int act_prepare(struct slu_act *a, FILE *manifest,
		       struct slu_stage_result *result, struct slu_err *err)
{
	struct slu_walk w = {
		.src = a->places.src,
		.dst = a->places.dst,
		.src_path = a->places.src_path,
		.dst_path = a->places.dst_path,
		.manifest = {.file = manifest,
			     .no_colons = a->part->plain_destination},
		.made = a->places.made,
		.beside = a->part->beside,
		.plain = a->part->plain_destination,
		.plain_source = a->part->plain_source,
		.quick = a->part->quick,
		.moved = a->part->moved,
		.known = &a->known,
		.bricks = a->part->bricks,
		.one_thread = a->part->threads == 1,
		.progress = walked,
		.arg = a,
	};

	look_for_collisions(a, &w);
	if (check_names(a, err) || walk(a, &w, err))
		return -1;
	a->totals = w.manifest.totals;
	a->files = w.links;
	a->in_place = w.in_place;
	memcpy(a->first_in_place, w.first_in_place, sizeof(a->first_in_place));
	result->gone = a->part->early ? 0 : slu_copied_gone(&a->known);
	result->skipped = w.skipped;
	memcpy(result->first_skipped, w.first_skipped,
	       sizeof(result->first_skipped));
	return 0;
}

static int play(enum slu_act_name act, struct slu_act *a, FILE *file,
		struct slu_stage_result *result, struct slu_err *err)
{
	if (act == SLU_PREPARE)
		return act_prepare(a, file, result, err);
	a->manifest = slu_manifest_open(file, &a->totals, err);
	if (!a->manifest || slu_held_source_open(a->part, &a->places,
						 &a->totals, &a->held, err))
		return -1;
	switch (act) {
	case SLU_PREPARE:
		break;
	case SLU_COPY:
		return slu_act_copy(a, err);
	case SLU_VERIFY:
		return slu_act_verify(a, err);
	case SLU_FINISH:
		return slu_act_finish(a, err);
	case SLU_DISCARD:
		return slu_act_discard(a, err);
	}
	return slu_err(err, SLU_INTERNAL, "no such act");
}

/* A stream on a copy of the caller's descriptor. */
static FILE *open_manifest(int fd, enum slu_act_name act, struct slu_err *err)
{
	int copy = dup(fd);
	FILE *file = NULL;

	if (copy >= 0)
		file = fdopen(copy, act == SLU_PREPARE ? "w" : "r");
	if (!file) {
		slu_errno(err, SLU_IO, "cannot open the manifest");
		if (copy >= 0)
			close(copy);
	}
	return file;
}

int slu_stage(enum slu_act_name act, const struct slu_stage_part *part,
	      struct slu_stage_result *result, struct slu_err *err)
{
	struct slu_act a = {.part = part, .lock = PTHREAD_MUTEX_INITIALIZER};
	struct slu_stage_result r = {0};
	FILE *file = open_manifest(part->manifest, act, err);
	int rc = -1;

	if (!file)
		return -1;
	slu_most_files(); /* the walk keeps two descriptors for each level of
			     the tree */
	if (!slu_copied_load(&a.known, part->quick ? part->known : 0, err) &&
	    !slu_places_open(part, act == SLU_PREPARE, &a.places, err)) {
		rc = play(act, &a, file, &r, err);
		slu_manifest_free(a.manifest);
		slu_held_source_close(&a.held);
		slu_places_close(&a.places);
	}
	slu_copied_free(&a.known);
	fclose(file);
	if (rc)
		return -1;
	r.bytes = a.bytes;
	r.files = a.files;
	r.kept = a.kept;
	r.cached = (struct slu_stage_cached){a.hits, a.misses, a.cached_bytes};
	r.in_place = a.in_place;
	memcpy(r.first_in_place, a.first_in_place, sizeof(r.first_in_place));
	r.quick = part->quick;
	r.held = a.held.is;
	r.total_bytes = a.totals.bytes;
	r.total_files = a.totals.files;
	*result = r;
	return 0;
}
