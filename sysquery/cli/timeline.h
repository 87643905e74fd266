/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_CLI_TIMELINE_H
#define SLU_SYSQUERY_CLI_TIMELINE_H

/* Draws the phases of a job's file system as text: bars on one time scale, one
 * a line, for terminals of 80 columns and without colours. Pure functions. */

#include <stdbool.h>
#include <stddef.h>
#include "common/str.h"

#define SLU_TIMELINE_BAR 56 /* most columns of the scale */

struct slu_span {
	const char *name; /* up to 9 characters are shown */
	double began;	  /* Unix seconds */
	double seconds;	  /* so far, if it is not over */
	bool goes_on;
};

/* Add a line for each, in a terminal of so many columns (0: not known, 80;
 * never less than 34), on one scale from the first beginning to the last end:
 * '=' is a column of a span, ':' a span that is shorter than a column, '>' the
 * end of a span that is not over. The heading gives the time of a column.
 * Invalid spans (negative, not finite) are left out. */
void slu_timeline(const struct slu_span *spans, size_t n, size_t width,
		  struct slu_buf *out);

#endif
