/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_BUFFER_STAGING_SELECTION_H
#define SLU_BURST_BUFFER_STAGING_SELECTION_H

/*
 * Selects files of a directory for staging: those in a list file, one a line,
 * or those that a pattern matches. Every name is a path below the directory,
 * without "." or ".." in it; it keeps that path at the destination.
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
	size_t bytes; /* memory used while they are collected */
};

/* Where the first component with * ? or [ begins, or NULL: there is none. A
 * character in brackets, [*], is literal. */
const char *slu_pattern(const char *path);

/* Both refuse more than SLU_NAMES_MAX bytes of names (SLU_INVALID). */
/* The names in the list file `name` of directory `dir`, whose path is `root`:
 * relative to it, or absolute and below it. Errors name the line. */
int slu_names_listed(int dir, const char *name, const char *root,
		     struct slu_names *out, struct slu_err *err);
/* Names below `dir`, whose path is `root`, that match; directories only, if the
 * pattern ends with a slash. Links are not followed, and a leading dot has to
 * be in the pattern. `files`: regular files only. It is an error if nothing
 * matches. */
int slu_names_matching(int dir, const char *pattern, const char *root,
		       bool files, struct slu_names *out, struct slu_err *err);
void slu_names_free(struct slu_names *names);

#endif
