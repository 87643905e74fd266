/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Computes the widths of a table's columns for a given total width. Columns are
 * dropped one by one and then widened one by one, without anything faster, as
 * tables are small.
 */
#include "config.h"
#include "common/fit.h"

static size_t taken(const struct slu_fit *column, size_t n, size_t gap)
{
	size_t sum = 0;

	for (size_t i = 0; i < n; i++)
		if (column[i].width)
			sum += column[i].width + (sum ? gap : 0);
	return sum;
}

/* Drops one; NULL: there is only one. */
static struct slu_fit *drop(struct slu_fit *column, size_t n)
{
	struct slu_fit *first = NULL;
	size_t left = 0;

	for (size_t i = 0; i < n; i++) {
		if (!column[i].width)
			continue;
		left++;
		if (!first || column[i].drop >= first->drop)
			first = &column[i];
	}
	if (left < 2)
		return NULL;
	first->width = 0;
	return first;
}

static struct slu_fit *narrowest(struct slu_fit *column, size_t n)
{
	struct slu_fit *found = NULL;

	for (size_t i = 0; i < n; i++)
		if (column[i].width && column[i].width < column[i].want &&
		    (!found || column[i].width < found->width))
			found = &column[i];
	return found;
}

void slu_fit(struct slu_fit *column, size_t n, size_t room, size_t gap)
{
	struct slu_fit *more;
	size_t sum;

	for (size_t i = 0; i < n; i++)
		column[i].width = column[i].least ? column[i].least : 1;
	while ((sum = taken(column, n, gap)) > room && drop(column, n))
		;
	for (size_t i = 0; sum > room && i < n; i++)
		if (column[i].width) /* the only one */
			column[i].width = room;
	for (; sum < room && (more = narrowest(column, n)); sum++)
		more->width++;
}
