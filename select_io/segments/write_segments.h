/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SEGMENTS_WRITE_SEGMENTS_H
#define SLU_SEGMENTS_WRITE_SEGMENTS_H

/* Creates and removes files in segments: files whose parts lie in differently
 * striped directories, as a substitute for a composite layout (index.h). */

#include "common/err.h"
#include "select_io/stripe/composite_layout.h"

struct slu_segment_options {
	const char *lfs; /* the program that stripes directories; NULL: none */
	bool dry_run;	 /* only print what would be done */
};

/*
 * Copy what `in` has, to its end, into parts, cut at the ends of the components
 * of `layout`, in directories DEST.segments/4ost-1m and so on, each striped as
 * its component, and put the index at `dest`, which must not be there; nor may
 * the directories be symbolic links. The index is written last, so that an
 * interrupted copy does not look complete; its parts are removed.
 */
int slu_segments_write(int in, const char *dest,
		       const struct slu_stripe_layout *layout,
		       const struct slu_segment_options *how,
		       struct slu_err *err);
/* Remove the index first, then its parts. SLU_INVALID: `path` is no file in
 * segments. */
int slu_segments_remove(const char *path, struct slu_err *err);

#endif
