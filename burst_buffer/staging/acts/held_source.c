/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides whether files are verified on the node that holds them, and finds
 * this node's directory of them. The decision depends only on the request, the
 * manifest and the paths, so it is the same on all nodes.
 */
#include "burst_buffer/staging/acts/held_source.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "burst_buffer/staging/files/beneath.h"
#include "common/str.h"

/* The path of the open directory; false: unknown. */
static bool path_of(int dir, char path[PATH_MAX])
{
	char name[40];
	ssize_t n;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", dir);
	n = readlink(name, path, PATH_MAX - 1);
	if (n < 0)
		return false;
	path[n] = '\0';
	return n < PATH_MAX - 1;
}

/* The path of the place below the root of the job's file system, in `path`;
 * NULL: it is elsewhere. */
static const char *below_root(const char *fs_root, int dir, char path[PATH_MAX])
{
	char *root = fs_root ? realpath(fs_root, NULL) : NULL;
	const char *below = NULL;

	if (root && path_of(dir, path) && slu_is_below(path, root))
		below = path + strlen(root);
	free(root);
	return below && *below == '/' ? below + 1 : below;
}

static bool is_cheaper(const struct slu_stage_part *part, uint64_t bytes)
{
	struct stat st;

	return !fstat(part->manifest, &st) &&
	       (uint64_t)st.st_size <= bytes / part->n;
}

int slu_held_source_open(const struct slu_stage_part *part,
			 const struct slu_stage_places *places,
			 const struct slu_totals *totals,
			 struct slu_held_source *out, struct slu_err *err)
{
	char path[PATH_MAX];
	const char *below;

	*out = (struct slu_held_source){.dir = -1, .source = part->held_source};
	if (!part->content || !part->held || !is_cheaper(part, totals->bytes))
		return 0;
	below = below_root(part->fs_root,
			   out->source ? places->src : places->dst, path);
	if (!below)
		return 0;
	out->is = true;
	if (part->held < 0)
		return 0;
	out->dir = slu_open_beneath(part->held, below, O_PATH | O_DIRECTORY, 0);
	return out->dir < 0 && errno != ENOENT
		       ? slu_errno(err, SLU_IO,
				   "cannot open what this node holds of %s",
				   out->source ? places->src_path
					       : places->dst_path)
		       : 0;
}

void slu_held_source_close(struct slu_held_source *held)
{
	if (held->is && held->dir >= 0)
		close(held->dir);
}

bool slu_held_source_has(const struct slu_held_source *held,
			 const struct slu_entry *e)
{
	return held->is && e->kind == 'f' && e->size;
}
