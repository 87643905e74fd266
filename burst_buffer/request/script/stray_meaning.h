/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_BUFFER_REQUEST_STRAY_MEANING_H
#define SLU_BURST_BUFFER_REQUEST_STRAY_MEANING_H

/* Guesses what a line of a script that is no request was meant for, so that the
 * message can say how to write it. */

#include <stdbool.h>

enum slu_stray_why {
	SLU_STRAY_FINE,
	SLU_STRAY_NEAR,	  /* a comment that is almost a request */
	SLU_STRAY_LUA,	  /* a request of Slurm's burst_buffer/lua */
	SLU_STRAY_BARE,	  /* a command that would be a request in --bb */
	SLU_STRAY_HIDDEN, /* a command because of a character before the # */
	SLU_STRAY_BESIDE, /* a comment after a command in the same line */
	SLU_STRAY_LATE,	  /* a comment after the first command */
};

const char *slu_stray_skip_blanks(const char *p, const char *end);
/* Skips blanks, and characters that may look like blanks but are none. */
const char *slu_stray_skip_strange(const char *p, const char *end);
/* Does the text at p read as a request, a verb and a key=value pair, or as its
 * short form, capacity=? loose: accept any word in the place of the verb, and
 * any key in the short form. */
bool slu_stray_asks(const char *p, const char *end, bool loose);
/* Does the comment at p begin with #SBATCH and --bb or --bbf, or with what
 * looks like #BB or #DW? */
bool slu_stray_begins(const char *p, const char *end);
/* What such a comment could have been meant for: FINE, NEAR, LUA or LATE. */
enum slu_stray_why slu_stray_meant(const char *p, const char *end);
/* The word with which the comment should begin, after the #. */
const char *slu_stray_magic(const char *p, const char *end);

#endif
