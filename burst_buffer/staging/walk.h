/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STAGING_WALK_H
#define SLU_STAGING_WALK_H

/*
 * The first half of a request, done by one node: walk the source, write the
 * manifest, and make at the destination what is not a file: directories (with
 * all rights for their owner until the end), symbolic links, and the empty
 * files that several nodes will write into.
 */

#include <stdbool.h>
#include "burst_buffer/staging/copied.h"
#include "burst_buffer/staging/manifest.h"
#include "burst_buffer/staging/selection.h"

struct slu_walk {
	int src, dst; /* directories; the caller's */
	/* What messages call them; of slu_walk_file() the two files. */
	const char *src_path, *dst_path;
	struct slu_manifest_out manifest; /* its file is the caller's */
	const char *beside; /* a tag (temporary_file.h): files get their names
			       later */
	bool made;  /* dst is made for this: give it src's mode and time */
	bool plain; /* dst keeps no modes that are set later */
	bool plain_source; /* nor does src, and no lists */
	/* The root of the file system of src, where twins (twins.h) are
	 * refused; NULL: it has none. Only those with a ':', or all files are
	 * looked at? */
	const char *twins_below;
	bool all_for_twins;
	bool one_thread; /* ask for one thing at a time */
	bool quick;	 /* leave large files that have arrived as they are */
	bool moved;	 /* see copied.h */
	const struct slu_copied *known; /* where it is quick */
	bool bricks; /* leave out what only a glusterfs brick has */
	/* Told after every entry; may be NULL. Not 0: stop. */
	int (*progress)(void *arg, uint64_t bytes);
	void *arg;
	/* Out: */
	uint64_t links; /* of the manifest's files: made already */
	/* Sockets, pipes and devices, and what an earlier staging of the same
	 * tag has left: nothing to copy. */
	uint64_t skipped;
	char first_skipped[208]; /* one of them, for the message */
	uint64_t in_place;	 /* large files that nothing can be beside */
	char first_in_place[208];
};

/* A directory that is being made has this mode (or 0700, where none is set
 * later) until FINISH: nobody else looks into it before, and the next staging
 * knows what one that was cut short has left. An early copy shows it at once
 * (attrs.h). */
#define SLU_IN_WORK 01700
bool slu_in_work(int dir);

/* Existing directories at the destination are used as they are; an existing
 * file or link is replaced. */
int slu_walk(struct slu_walk *walk, struct slu_err *err);

/* Only these paths below src, with the directories that lead to them. */
int slu_walk_names(struct slu_walk *walk, const struct slu_names *names,
		   struct slu_err *err);

/* The manifest of one single file `name` in src that becomes `as` in dst. */
int slu_walk_file(struct slu_walk *walk, const char *name, const char *as,
		  struct slu_err *err);

#endif
