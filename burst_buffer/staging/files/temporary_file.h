/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_BUFFER_STAGING_TEMPORARY_FILE_H
#define SLU_BURST_BUFFER_STAGING_TEMPORARY_FILE_H

/*
 * Provides temporary names for files that are not verified yet, so that a
 * failed copy does not damage an older file: a file is written in the directory
 * of its final name and renamed when it has been verified. The temporary name
 * is ".NAME.TAG"; if it would be too long NAME is cut and a hash of all of it
 * is added. The tag identifies the copier (sluice-JOB). Any thread.
 */

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>
#include "common/err.h"

#define SLU_TEMPORARY_FILE_TAG 24 /* bytes of "sluice-JOB", with its end */

/* The temporary name of `name`; out has NAME_MAX + 1 bytes. */
const char *slu_temporary_file_name(const char *name, const char *tag,
				    char *out);

/* Can this be a temporary name with this tag? */
bool slu_temporary_file_is(const char *name, const char *tag);

/* Can we create files in `dir`, and rename one over the present `name`? Not if
 * the directory cannot be written, or has the sticky bit and another owner's
 * file of that name. */
bool slu_temporary_file_can(int dir, const char *name);

/* Creates the temporary file, empty, for writing; replaces one that an earlier
 * staging of ours has left. */
int slu_temporary_file_create(int dir, const char *name, const char *tag,
			      mode_t mode, const struct stat *source);

/* As slu_temporary_file_create(), or opens the file `name` itself
 * (slu_create_beneath()): without a tag, and where no temporary file is
 * possible, which *in_place reports. */
int slu_temporary_file_or_in_place(int dir, const char *name, const char *tag,
				   mode_t mode, const struct stat *source,
				   bool *in_place);

/* Add to err, which was made from errno `why`, what it means here. Returns -1.
 */
int slu_temporary_file_err(int dir, const char *name, const char *tag, int why,
			   struct slu_err *err);

/* Renames the temporary file to its final name. Like rename(2); ENOENT: there
 * is no temporary file. */
int slu_temporary_file_rename(int dir, const char *name, const char *tag);

/* Removes the temporary file, if it is ours. */
void slu_temporary_file_remove(int dir, const char *name, const char *tag);

/* Remove all of our files with this tag in `dir`. */
void slu_temporary_file_remove_all(int dir, const char *tag);

#endif
