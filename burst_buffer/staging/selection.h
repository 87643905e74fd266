/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_BUFFER_STAGING_SELECTION_H
#define SLU_BURST_BUFFER_STAGING_SELECTION_H

/*
 * Staging of some of what a directory holds: names that a list file has, one a
 * line, or that a pattern matches. Every name is a path below the directory,
 * without "." or ".." in it; what it names arrives under the same path.
 */

#include <stdbool.h>
#include <stddef.h>
#include "common/err.h"

#define SLU_LIST_MAX (64u << 20) /* bytes of a list file */
/* Memory for names: more than a million of the usual length. */
#define SLU_NAMES_MAX (128u << 20)

struct slu_names { /* sorted, each once; owned */
	char **path;
	size_t n;
	size_t bytes; /* taken by them while they are collected */
};

/* Where the first component with * ? or [ begins, or NULL: there is none. A
 * character that stands in brackets, [*], is itself. */
const char *slu_pattern(const char *path);

/* Both refuse more than SLU_NAMES_MAX bytes of names (SLU_INVALID). */
/* The names in the list file `name` of directory `dir`, whose path is `root`:
 * relative to it, or absolute and below it. Errors name the line. */
int slu_names_listed(int dir, const char *name, const char *root,
		     struct slu_names *out, struct slu_err *err);
/* What below `dir`, whose path is `root`, matches; directories only, if a slash
 * ends the pattern. No link is followed, and no name with a leading dot is
 * matched unless the pattern has it. `files`: regular files only. None is an
 * error. */
int slu_names_matching(int dir, const char *pattern, const char *root,
		       bool files, struct slu_names *out, struct slu_err *err);
void slu_names_free(struct slu_names *names);

#endif
