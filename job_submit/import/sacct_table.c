/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Assigns the pieces of a line to columns where free text contains the
 * delimiter. A line of n columns with s surplus delimiters has n + s pieces;
 * column i begins at piece i + k if k surplus pieces belong to free text before
 * it. A bit mask for each column has the k that are possible from the line's
 * beginning and from its end; the alignment is known where one bit remains.
 */
#include "config.h"
#include "job_submit/import/sacct_table.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "job_submit/import/sacct_forms.h"

#define SURPLUS 63 /* delimiters in free text of a line */
#define PIECES	(SLU_SACCT_MOST + SURPLUS)

struct line {
	const char *at[PIECES + 1]; /* each piece; then behind the last one */
	size_t n, delimiter;	    /* number of pieces; delimiter's length */
	uint64_t begins[SLU_SACCT_MOST + 1]; /* possible k of each column */
};

static size_t length(const struct line *l, size_t piece)
{
	return (size_t)(l->at[piece + 1] - l->at[piece]) - l->delimiter;
}

/* false: there are too many pieces. */
static bool cut(const struct slu_sacct_table *t, const char *text,
		struct line *l)
{
	const char *next = text;

	l->n = 0;
	l->delimiter = strlen(t->delimiter);
	while (next && l->n < PIECES) {
		l->at[l->n++] = text = next;
		next = strstr(text, t->delimiter);
		next = next ? next + l->delimiter : NULL;
	}
	l->at[l->n] = text + slu_sacct_length(text) + l->delimiter;
	return !next;
}

/* Lists that contain the delimiter are treated as free text. */
static bool is_free(const struct slu_sacct_table *t, size_t i)
{
	enum slu_sacct_form form = t->at[i].form;

	return form == SLU_SACCT_FREE ||
	       (*t->delimiter == ',' &&
		(form == SLU_SACCT_TRES || form == SLU_SACCT_LIST));
}

/* Columns that every line has, at least as "Unknown" or 0; all: that sacct
 * itself always prints, unless its output was filtered. */
static bool is_always_said(enum slu_sacct_column column, bool all)
{
	switch (column) {
	case SLU_SACCT_JOB_ID:
	case SLU_SACCT_START:
	case SLU_SACCT_END:
	case SLU_SACCT_STATE:
		return true;
	case SLU_SACCT_JOB_ID_RAW:
	case SLU_SACCT_SUBMIT:
	case SLU_SACCT_ELAPSED:
	case SLU_SACCT_NODES:
	case SLU_SACCT_CPUS:
	case SLU_SACCT_EXIT_CODE:
		return all;
	default:
		return false;
	}
}

/* Unused columns may have forms that we do not know. */
static bool has_form(const struct slu_sacct_table *t, const struct line *l,
		     size_t i, size_t piece, bool all)
{
	enum slu_sacct_form form = t->at[i].form;

	if (!length(l, piece) && is_always_said(t->at[i].column, all))
		return false;
	if (!all && t->at[i].column > SLU_SACCT_STRICT &&
	    form != SLU_SACCT_EMPTY)
		form = SLU_SACCT_WORD;
	return slu_sacct_is_form(form, l->at[piece], length(l, piece));
}

/* The bits k of `may` with which column i has its form. */
static uint64_t forms(const struct slu_sacct_table *t, const struct line *l,
		      size_t i, uint64_t may, bool all)
{
	uint64_t out = 0;

	for (size_t k = 0; k <= l->n - t->n; k++)
		if (may >> k & 1 && has_form(t, l, i, i + k, all))
			out |= UINT64_C(1) << k;
	return out;
}

/* Finds the possible beginnings of all columns; false: there are none. The line
 * has enough pieces. */
static bool align(const struct slu_sacct_table *t, struct line *l, bool all)
{
	size_t surplus = l->n - t->n;
	uint64_t any = UINT64_MAX >> (63 - surplus), last;
	uint64_t *begins = l->begins;

	begins[0] = 1;
	for (size_t i = 0; i < t->n; i++) {
		last = begins[i];
		if (is_free(t, i)) /* it may end at any k from the least on */
			begins[i + 1] = last ? any & ~((last & -last) - 1) : 0;
		else
			begins[i + 1] = forms(t, l, i, last, all);
	}
	begins[t->n] &= UINT64_C(1) << surplus;
	for (size_t i = t->n; i-- > 0;) {
		last = begins[i + 1];
		if (is_free(t, i)) /* it may begin at any k up to the largest */
			begins[i] &=
				last ? UINT64_MAX >> __builtin_clzll(last) : 0;
		else
			begins[i] &= last;
	}
	return begins[0] != 0;
}

/* Without a header, a line with surplus delimiters cannot be aligned if a
 * column lacks its form. */
static bool lies(const struct slu_sacct_table *t, const char *text,
		 struct line *l)
{
	if (!cut(t, text, l) || l->n < t->n || l->n - t->n > SURPLUS)
		return false;
	return align(t, l, true) ||
	       ((!t->implied || l->n == t->n) && align(t, l, false));
}

bool slu_sacct_fits(const struct slu_sacct_table *t, const char *text)
{
	struct line l;

	return lies(t, text, &l);
}

bool slu_sacct_begins(const struct slu_sacct_table *t, const char *text)
{
	const char *end = strstr(text, t->delimiter);
	size_t len = end ? (size_t)(end - text) : strlen(text);

	return end && t->at[0].form == SLU_SACCT_ID &&
	       slu_sacct_is_form(SLU_SACCT_ID, text, len);
}

/* What to do about a value that has not the form of its column. */
static const char *advice(enum slu_sacct_form form)
{
	return form == SLU_SACCT_TIME
		       ? ": print the times by SLURM_TIME_FORMAT=%s sacct"
		       : "";
}

/* Explains why the line does not fit the columns. */
static int misfit(const struct slu_sacct_table *t, const struct line *l,
		  struct slu_err *err)
{
	if (l->n < t->n)
		return slu_err(err, SLU_INVALID, "%zu of %zu columns%s", l->n,
			       t->n, t->implied ? ", without a header" : "");
	for (size_t i = 0; l->n == t->n && i < t->n; i++)
		if (t->at[i].column <= SLU_SACCT_STRICT &&
		    !has_form(t, l, i, i, false))
			return slu_err(
				err, SLU_INVALID, "%s \"%.*s\"%s",
				slu_sacct_title(t->at[i].column),
				(int)(length(l, i) < 30 ? length(l, i) : 30),
				l->at[i], advice(t->at[i].form));
	return slu_err(err, SLU_INVALID,
		       "more than %zu columns, and none fits its title", t->n);
}

static bool is_one(uint64_t bits)
{
	return (bits & (bits - 1)) == 0;
}

/* Of two columns with the same meaning the second is used if the first is
 * empty.
 */
static void take_piece(char **at, char *piece)
{
	if (!*at || !slu_sacct_unknown(piece))
		*at = piece;
}

int slu_sacct_cut(const struct slu_sacct_table *t, char *text,
		  char *at[SLU_SACCT_COLUMNS], struct slu_err *err)
{
	struct line l;
	enum slu_sacct_column column;
	char *begin, *end;

	if (!lies(t, text, &l))
		return misfit(t, &l, err);
	for (size_t i = 0; i < t->n; i++)
		if (t->at[i].column != SLU_SACCT_COLUMNS &&
		    (!is_one(l.begins[i]) || !is_one(l.begins[i + 1])))
			return slu_err(err, SLU_INVALID,
				       "\"%s\" in a free text: where column "
				       "%s begins and ends is ambiguous",
				       t->delimiter,
				       slu_sacct_title(t->at[i].column));
	memset(at, 0, SLU_SACCT_COLUMNS * sizeof(*at));
	for (size_t i = 0; i < t->n; i++) {
		column = t->at[i].column;
		if (column == SLU_SACCT_COLUMNS)
			continue;
		begin = text +
			(l.at[i + (size_t)__builtin_ctzll(l.begins[i])] - text);
		end = text +
		      (l.at[i + 1 + (size_t)__builtin_ctzll(l.begins[i + 1])] -
		       text) -
		      l.delimiter;
		*end = '\0';
		take_piece(&at[column], begin);
	}
	return 0;
}
