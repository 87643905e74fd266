/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STAGING_WALK_H
#define SLU_STAGING_WALK_H

/*
 * Walks the source of a request and writes its manifest: the act PREPARE, on
 * one node. At the destination it creates everything but ordinary files:
 * directories (with all rights for their owner until the end), symbolic links,
 * and the empty files that several nodes will write.
 */

#include <stdbool.h>
#include "burst_buffer/staging/copied.h"
#include "burst_buffer/staging/manifest.h"
#include "burst_buffer/staging/walk/selection.h"

struct slu_walk {
	int src, dst; /* directories; the caller's */
	/* Their paths for messages; for slu_walk_file() those of the two files.
	 */
	const char *src_path, *dst_path;
	struct slu_manifest_out manifest; /* its file is the caller's */
	const char *beside; /* a tag (temporary_file.h): files are written under
			       temporary names */
	bool made;  /* dst was created for this: give it src's mode and time */
	bool plain; /* dst does not keep modes that are set later */
	bool plain_source; /* src keeps no modes either, and no lists */
	/* The root of src's file system, in which colliding paths
	 * (colliding_paths.h) are refused; NULL: no check. Check only files
	 * with a ':', or all? */
	const char *collisions_below;
	bool check_all_paths;
	bool one_thread; /* one system call at a time */
	bool quick;	 /* keep large files that are complete already */
	bool moved;	 /* see copied.h */
	const struct slu_copied *known; /* with quick */
	bool bricks; /* skip what exists only on a glusterfs brick */
	/* Called after every entry; may be NULL. Not 0: stop. */
	int (*progress)(void *arg, uint64_t bytes);
	void *arg;
	/* Out: */
	uint64_t links; /* of the manifest's files: made already */
	/* Sockets, pipes and devices, and temporary files that an earlier
	 * staging with the same tag has left: these are not copied. */
	uint64_t skipped;
	char first_skipped[208]; /* one of them, for the message */
	uint64_t in_place;	 /* large files for which no temporary file is
				    possible */
	char first_in_place[208];
};

/* The mode of a directory that is being created (or 0700, where none is set
 * later) until FINISH: before that only its owner can enter it, and the next
 * staging recognises one of an interrupted copy. An early copy opens it to
 * others at once (attrs.h). */
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
