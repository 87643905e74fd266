/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Removes quotes in place: what is written is never longer than what was read.
 * A quote that neither opens nor closes a value is a character, so that a
 * record that was cut within a value loses itself and the next one, and not the
 * rest.
 */
#include "config.h"
#include "job_submit/import/sacct_quoted.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "job_submit/import/sacct_table.h"

#define LONGEST 65536 /* bytes of a header */

struct scan {
	const char *in;
	char *out; /* NULL: nothing is written */
	char delimiter;
	bool quoted; /* some value was */
};

static bool is_end(const struct scan *s, const char *at)
{
	return *at == s->delimiter || *at == '\n' || *at == '\0' ||
	       (*at == '\r' && (at[1] == '\n' || at[1] == '\0'));
}

static void put(struct scan *s, char c)
{
	if (s->out)
		*s->out++ = c == *SLU_SACCT_BETWEEN ? '?' : c;
	s->in++;
}

/* A value in quotes, the first of which is at s->in. */
static void take_quoted(struct scan *s)
{
	s->quoted = true;
	for (s->in++; *s->in; put(s, *s->in)) {
		if (*s->in != '"')
			continue;
		if (is_end(s, s->in + 1)) {
			s->in++;
			return;
		}
		s->in += s->in[1] == '"';
	}
}

/* One value, and what ends it: false at the end of the record. */
static bool take_value(struct scan *s)
{
	if (*s->in == '"')
		take_quoted(s);
	while (!is_end(s, s->in))
		put(s, *s->in);
	if (*s->in == s->delimiter) {
		if (s->out)
			*s->out++ = *SLU_SACCT_BETWEEN;
		s->in++;
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

static bool has_titles(const char *text, char delimiter)
{
	size_t len = strcspn(text, "\n");
	char *line = len < LONGEST ? strndup(text, len) : NULL;
	struct scan s = {.in = line, .out = line, .delimiter = delimiter};
	struct slu_sacct_table table;
	bool is;

	if (!line)
		return false;
	take_record(&s);
	*s.out = '\0';
	is = slu_sacct_header(line, &table, NULL) != 0;
	free(line);
	return is;
}

/* Are values quoted, and do all records have the columns of the first one? */
static bool is_even(const char *text, char delimiter)
{
	struct scan s = {.in = text, .delimiter = delimiter};
	size_t columns = take_record(&s);
	bool even = true;

	for (next_line(&s); *s.in && even; next_line(&s))
		even = *s.in == '\n' || *s.in == '\r' ||
		       take_record(&s) == columns || !*s.in;
	return even && s.quoted;
}

void slu_sacct_unquote(char *text)
{
	char delimiter = find_delimiter(text);
	struct scan s = {.in = text, .out = text, .delimiter = delimiter};

	if (!delimiter || !has_titles(text, delimiter) ||
	    (*text != '"' && (delimiter == '|' || !is_even(text, delimiter))))
		return;
	for (; *s.in; next_line(&s))
		take_record(&s);
	*s.out = '\0';
}
