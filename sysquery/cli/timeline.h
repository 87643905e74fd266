/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_CLI_TIMELINE_H
#define SLU_SYSQUERY_CLI_TIMELINE_H

/* Phases drawn to scale in text, one a line, for terminals of 80 columns and
 * readers who see no colours. Pure. */

#include <stdbool.h>
#include <stddef.h>
#include "common/str.h"

#define SLU_TIMELINE_BAR 56 /* most columns of the scale */

struct slu_span {
	const char *name; /* up to 9 characters are shown */
	double began;	  /* Unix seconds */
	double seconds;	  /* so far, of one that goes on */
	bool goes_on;
};

/* Add a line for each, in a terminal of so many columns (0: not known, 80;
 * never less than 34), on one scale from the first beginning to the last end:
 * '=' is a column in which it was going on, ':' one that is shorter than a
 * column, '>' the end of one that goes on. The heading says what a column is.
 * Spans that are no time (negative, not finite) are left out. */
void slu_timeline(const struct slu_span *spans, size_t n, size_t width,
		  struct slu_buf *out);

#endif
