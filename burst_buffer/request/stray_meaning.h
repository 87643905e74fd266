/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_BUFFER_REQUEST_STRAY_MEANING_H
#define SLU_BURST_BUFFER_REQUEST_STRAY_MEANING_H

/* What a line that is no request could have been meant for. */

#include <stdbool.h>

enum slu_stray_why {
	SLU_STRAY_FINE,
	SLU_STRAY_NEAR,	  /* a comment that is almost a request */
	SLU_STRAY_LUA,	  /* of another plugin */
	SLU_STRAY_BARE,	  /* a command that would be a request in --bb */
	SLU_STRAY_HIDDEN, /* a command for a character that is no blank */
	SLU_STRAY_BESIDE, /* behind a command in its line */
	SLU_STRAY_LATE,	  /* behind the first command */
};

const char *slu_stray_skip_blanks(const char *p, const char *end);
/* Past what looks like a blank, perhaps, and is none, as of a web page. */
const char *slu_stray_skip_strange(const char *p, const char *end);
/* Does it read as a request, a verb and a pair, or as the short form of one?
 * loose: whatever stands in the place of the verb, and for any key. */
bool slu_stray_asks(const char *p, const char *end, bool loose);
/* Does the comment at p begin as one for us: #SBATCH with an option of ours, or
 * with what looks like #BB or #DW? */
bool slu_stray_begins(const char *p, const char *end);
/* What such a comment could have been meant for: FINE, NEAR, LUA or LATE. */
enum slu_stray_why slu_stray_meant(const char *p, const char *end);
/* The word that it should begin with, behind the #. */
const char *slu_stray_magic(const char *p, const char *end);

#endif
