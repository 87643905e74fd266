/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_COMMON_FIT_H
#define SLU_COMMON_FIT_H

/*
 * Fits the columns of a table into the width of a terminal. Columns are
 * dropped, those with the highest `drop` first and of equal ones the last,
 * until the others fit at their least width; then the rest of the width goes to
 * those that want more, the narrowest first. One column stays, however narrow
 * it must be.
 */

#include <stddef.h>

struct slu_fit {
	size_t want;  /* width at which nothing is cut */
	size_t least; /* the narrowest that is useful; at most `want` */
	unsigned drop;
	size_t width; /* the answer; 0: dropped */
};

/* room: the whole width; gap: columns between two of the table's. */
void slu_fit(struct slu_fit *column, size_t n, size_t room, size_t gap);

#endif
