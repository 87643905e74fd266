/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_CMD_STRIPE_FILES_H
#define SLU_SYSQUERY_CMD_STRIPE_FILES_H

/*
 * Reads the stripe layouts of all files below a directory of Lustre, with `lfs
 * getstripe` for a hundred or so at a time, of which no more are in memory. One
 * thread.
 */

#include <stdint.h>
#include "common/err.h"
#include "select_io/stripe/layout_review.h"

struct slu_stripe_walk {
	struct slu_review *review; /* gets every file that has bytes */
	/* Called after each batch of files; may be NULL. */
	void (*progress)(const struct slu_stripe_walk *walk);
	uint64_t seen;	 /* files, each once, whatever its names */
	uint64_t read;	 /* files whose layout is known */
	uint64_t unread; /* files and directories that could not be read */
	char first[512]; /* the first of these, and why */
};

/* All below dir, on its file system only; links are not followed.
 * SLU_NOTFOUND, SLU_IO: dir cannot be read, or lfs cannot be run. */
int slu_stripe_walk(struct slu_stripe_walk *walk, const char *dir,
		    struct slu_err *err);

/* The targets of the file system of dir, by index (what no line is about has
 * total 0), and its name; *n may be 0. Caller frees *out. */
int slu_stripe_targets(const char *dir, struct slu_cost_target **out, size_t *n,
		       char fsname[9], struct slu_err *err);

/* Lustre's version here ("lfs 2.15.8" is 2015); 0: unknown. */
uint32_t slu_stripe_client_version(void);

#endif
