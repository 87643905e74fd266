/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STAGING_LEVEL_H
#define SLU_STAGING_LEVEL_H

/*
 * State and helpers of the walk over a tree to be staged (walk_tree.c,
 * walk_make.c, walk_names.c): one level is one directory, open at the source
 * and at the destination. Private to the walk.
 */

#include "burst_buffer/staging/walk/walk.h"
#include <sys/stat.h>

struct slu_level { /* one directory, on both sides */
	struct slu_walk *walk;
	char *path; /* path of the whole walk, extended and cut at each level */
	size_t len;
	unsigned depth;
	struct stat dst_root; /* to detect a source that contains the
				 destination, which would have no end */
	dev_t looked_at;      /* the file system whose type is known */
};

/* "cannot WHAT ROOT/PATH: ", and errno's text. */
int slu_walk_fail_src(const struct slu_level *lv, const char *what,
		      struct slu_err *err);
int slu_walk_fail_dst(const struct slu_level *lv, const char *what,
		      struct slu_err *err);
int slu_walk_same_file(const struct slu_level *lv, struct slu_err *err);

/* Add "/name" to the path; slu_manifest_add() refuses paths that are too long,
 * this only checks the array's bound. */
int slu_walk_push(struct slu_level *lv, const char *name, struct slu_err *err);
void slu_walk_cut(struct slu_level *lv, size_t len);

/* Add a record for the present path to the manifest. */
int slu_walk_add(struct slu_level *lv, char kind, const struct stat *st,
		 const char *link, struct slu_err *err);

/* Handle one entry, `name` in the source's directory: create what it needs, and
 * add its record. */
int slu_walk_link(struct slu_level *lv, int src, int dst, const char *name,
		  const struct stat *st, struct slu_err *err);
int slu_walk_regular(struct slu_level *lv, int src, const char *name, int dst,
		     const char *as, const struct stat *st,
		     struct slu_err *err);
int slu_walk_entry(struct slu_level *lv, int src, int dst, const char *name,
		   struct slu_err *err);

/* Refuses files that the kernel generates: their size is unknown. */
int slu_walk_check_kind(struct slu_level *lv, int dir, const char *name,
			const struct stat *st, struct slu_err *err);

/* Directories of the destination, until FINISH. The first function opens one,
 * and creates it if it is missing; a file with that name from an early copy is
 * replaced. */
int slu_walk_make_dir(struct slu_level *lv, int dst, const char *name,
		      bool *made, struct slu_err *err);
mode_t slu_walk_first_mode(const struct slu_walk *w);
bool slu_walk_open_up(const struct slu_walk *w, int dir,
		      const struct stat *from);
void slu_walk_show_early(const struct slu_level *lv, int from, int dir,
			 const struct stat *st, bool made);

#endif
