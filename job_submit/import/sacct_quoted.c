/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Removes quotes in place: what is written is never longer than what was read.
 * A quote that neither opens nor closes a value is a character. One that opens
 * a value is not closed if a whole row of the table comes before that: a record
 * that was cut within a value loses itself, and not the next one.
 */
#include "config.h"
#include "job_submit/import/sacct_quoted.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "job_submit/import/import_formats.h"
#include "job_submit/import/sacct_table.h"

#define LONGEST 65536 /* bytes of a line */

struct scan {
	const char *in;
	char *out; /* NULL: nothing is written */
	char delimiter;
	const struct slu_sacct_table *table; /* NULL: it is not yet known */
	const char *closer; /* the next quote before an end of a value */
	bool quoted;	    /* some value begins so */
	bool unclosed;	    /* some quote is */
};

static bool is_end(const struct scan *s, const char *at)
{
	return *at == s->delimiter || *at == '\n' || *at == '\0' ||
	       (*at == '\r' && (at[1] == '\n' || at[1] == '\0'));
}

static void write(struct scan *s, char c)
{
	if (s->out)
		*s->out++ = c;
	s->in++;
}

static void put(struct scan *s, char c)
{
	bool is_mark = c == SLU_SACCT_BETWEEN || c == SLU_SACCT_NEWLINE ||
		       c == SLU_SACCT_UNCLOSED;

	write(s, is_mark ? '?' : c);
}

static size_t take_record(struct scan *s);

/* The line without its quotes, for the caller to free; NULL: too long. */
static char *unquoted_line(const struct scan *s, const char *line)
{
	size_t len = strcspn(line, "\n");
	char *copy = len < LONGEST ? strndup(line, len) : NULL;
	struct scan one = {.in = copy, .out = copy, .delimiter = s->delimiter};

	if (!copy)
		return NULL;
	take_record(&one);
	*one.out = '\0';
	return copy;
}

/* Is the line a row of the table, and not a line of some text? */
static bool is_row(const struct scan *s, const char *line)
{
	char *copy;
	bool is;

	if (!s->table || (*line != '"' && !isdigit((unsigned char)*line)))
		return false;
	copy = unquoted_line(s, line);
	is = copy && slu_sacct_begins(s->table, copy) &&
	     slu_sacct_fits(s->table, copy);
	free(copy);
	return is;
}

/* The next quote that may close what the one at s->in opens: a text with many
 * that do not close is searched once. */
static const char *find_closer(struct scan *s)
{
	if (s->closer && s->closer > s->in)
		return s->closer;
	for (s->closer = s->in + 1; *s->closer; s->closer++)
		if (*s->closer == '"' && is_end(s, s->closer + 1))
			break;
	return s->closer;
}

/* Is the quote at s->in closed? No job has longer texts, or more lines. */
static bool is_closed(struct scan *s)
{
	const char *at = *find_closer(s) ? s->in + 1 : s->closer;
	int lines = 0;

	for (; *at && at - s->in < (ptrdiff_t)SLU_IMPORT_TEXT; at++) {
		if (*at == '"' && is_end(s, at + 1))
			return true;
		at += *at == '"' && at[1] == '"';
		if (*at == '\n' &&
		    (++lines > SLU_SACCT_LINES || is_row(s, at + 1)))
			return false;
	}
	return false;
}

/* A value in quotes, the first of which is at s->in. */
static void take_quoted(struct scan *s)
{
	s->quoted = true;
	for (s->in++; *s->in != '"' || !is_end(s, s->in + 1);) {
		s->in += *s->in == '"' && s->in[1] == '"';
		if (*s->in == '\n')
			write(s, SLU_SACCT_NEWLINE);
		else
			put(s, *s->in);
	}
	s->in++;
}

/* One value, and what ends it: false at the end of the record. */
static bool take_value(struct scan *s)
{
	if (*s->in == '"' && is_closed(s)) {
		take_quoted(s);
	} else if (*s->in == '"') {
		s->quoted = s->unclosed = true;
		write(s, SLU_SACCT_UNCLOSED);
	}
	while (!is_end(s, s->in))
		put(s, *s->in);
	if (*s->in == s->delimiter) {
		write(s, SLU_SACCT_BETWEEN);
		return true;
	}
	while (*s->in == '\r')
		put(s, *s->in);
	return false;
}

/* The number of columns; s->in is at the end of its line, or of the text. */
static size_t take_record(struct scan *s)
{
	size_t n = 1;

	while (take_value(s))
		n++;
	return n;
}

static void next_line(struct scan *s)
{
	if (*s->in)
		put(s, *s->in);
}

/* The character behind the first title. */
static char find_delimiter(const char *text)
{
	text += *text == '"';
	while (isalnum((unsigned char)*text))
		text++;
	text += *text == '"';
	return *text && strchr(",;|\t", *text) ? *text : '\0';
}

static bool take_titles(const struct scan *s, struct slu_sacct_table *table)
{
	char *line = unquoted_line(s, s->in);
	bool is = line && slu_sacct_header(line, table, NULL) != 0;

	free(line);
	return is;
}

/* Are values quoted, and do all records have the columns of the first one, but
 * for those that cannot? */
static bool is_even(struct scan s)
{
	size_t columns = take_record(&s), n;
	const char *line;

	for (next_line(&s); *s.in; next_line(&s)) {
		line = s.in;
		s.unclosed = false;
		n = take_record(&s);
		if (n != columns && *s.in && !s.unclosed &&
		    (n > columns || isdigit((unsigned char)*line)))
			return false;
	}
	return s.quoted;
}

bool slu_sacct_unquote(char *text)
{
	struct slu_sacct_table table;
	struct scan s = {.in = text, .delimiter = find_delimiter(text)};

	if (!s.delimiter || !take_titles(&s, &table))
		return false;
	s.table = &table;
	if (*text != '"' && (s.delimiter == '|' || !is_even(s)))
		return false;
	for (s.out = text; *s.in; next_line(&s))
		take_record(&s);
	*s.out = '\0';
	return true;
}
