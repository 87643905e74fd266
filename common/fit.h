/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_FIT_H
#define SLU_COMMON_FIT_H

/*
 * The columns of a table in the width of a terminal. Columns are left out,
 * those with the highest `drop` first and of equal ones the last, until the
 * others fit at their least; then what is left of the width goes to those that
 * want more, the narrowest first. One column stays, however narrow it must be.
 */

#include <stddef.h>

struct slu_fit {
	size_t want;  /* at which nothing is cut */
	size_t least; /* at most that */
	unsigned drop;
	size_t width; /* the answer; 0: left out */
};

/* room: the whole width; gap: columns between two of the table's. */
void slu_fit(struct slu_fit *column, size_t n, size_t room, size_t gap);

#endif
