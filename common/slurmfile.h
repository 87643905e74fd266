/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_SLURMFILE_H
#define SLU_COMMON_SLURMFILE_H

/*
 * Slurm's configuration files, line by line as Slurm reads them
 * (src/common/parse_config.c): '#' begins a comment unless a '\' stands before
 * it, a '\' at the end joins the next line without a blank between them, what
 * follows any other '\' stands for itself, Include FILE (relative to the
 * file's directory) is followed. Words are KEY=VALUE, also with blanks around
 * the '=' and +, -, * or / before it; a value may be quoted.
 */

#include <stdbool.h>
#include <stddef.h>
#include "common/err.h"
#include "common/str.h"

struct slu_slurmfile {
	/* The text of a file, an Include's as well; NULL: none are allowed. */
	int (*read)(void *arg, const char *path, struct slu_buf *text,
		    struct slu_err *err);
	/* A line that is not empty, without blanks around it; may be cut up.
	 * Its last line's number counts. An error ends the reading. */
	int (*line)(void *arg, char *line, const char *file, size_t number,
		    struct slu_err *err);
	void *arg;
};

/* An error in a line begins with "FILE:LINE: ". Includes that are too deep, too
 * many or missing are SLU_INVALID. */
int slu_slurmfile_read(const struct slu_slurmfile *how, const char *path,
		       struct slu_err *err);
/* The same of a text, which is cut up and called `name`. */
int slu_slurmfile_parse(const struct slu_slurmfile *how, const char *name,
			char *text, struct slu_err *err);

/* Cuts the next KEY=VALUE off a line; false at its end. A word without '=' has
 * the value "". Quotes around a value are removed. */
bool slu_slurmfile_word(char **line, char **key, char **value);

#endif
