/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_BUFFER_STAGING_TEMPORARY_FILE_H
#define SLU_BURST_BUFFER_STAGING_TEMPORARY_FILE_H

/*
 * A file is written beside its final name, in the same directory, and gets that
 * name when it has been verified: who fails leaves there what was. Until then
 * it is called ".NAME.TAG"; a name that is too long for that is cut, and has a
 * hash of all of it. The tag tells who is at work (sluice-JOB). Any thread.
 */

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>
#include "common/err.h"

#define SLU_TEMPORARY_FILE_TAG 24 /* bytes of "sluice-JOB", with its end */

/* What `name` is called until it is verified; out has NAME_MAX + 1 bytes. */
const char *slu_temporary_file_name(const char *name, const char *tag,
				    char *out);

/* Can it be called so by who has this tag? */
bool slu_temporary_file_is(const char *name, const char *tag);

/* May we make files in `dir`, and rename one over what `name` is there now? Of
 * a file that may be written in a directory that may not, or that is another's
 * in a directory with the sticky bit, there can be no copy beside it. */
bool slu_temporary_file_can(int dir, const char *name);

/* Make it for writing, empty; one that an earlier staging of ours has left
 * goes. -1 and errno: EISDIR: `name` is a directory; SLU_SAME_FILE
 * (beneath.h): it is `source`; EEXIST: somebody else's file has that name. */
int slu_temporary_file_create(int dir, const char *name, const char *tag,
			      mode_t mode, const struct stat *source);

/* The same, or the file `name` itself (slu_create_beneath()): without a tag,
 * and where nothing can be beside it, which *in_place says. */
int slu_temporary_file_or_in_place(int dir, const char *name, const char *tag,
				   mode_t mode, const struct stat *source,
				   bool *in_place);

/* Add to err, which errno `why` has made, what it means here. -1. */
int slu_temporary_file_err(int dir, const char *name, const char *tag, int why,
			   struct slu_err *err);

/* Give it its final name. Like rename(2); ENOENT: there is none. */
int slu_temporary_file_rename(int dir, const char *name, const char *tag);

/* Remove it, if it is ours. */
void slu_temporary_file_remove(int dir, const char *name, const char *tag);

/* Remove all of ours with this tag that `dir` has. */
void slu_temporary_file_remove_all(int dir, const char *tag);

#endif
