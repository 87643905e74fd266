/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Appends lines to a record until it has all columns, and goes on if its last
 * column is free text and the next line neither begins a record nor is known
 * as some other program's. Those lines are counted: nothing proves that they
 * belong to it.
 */
#include "config.h"
#include "job_submit/import/sacct_lines.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>
#include "job_submit/import/sacct_quoted.h"

/* Appends the next line to the record. */
static void extend(struct slu_sacct_record *r)
{
	if (r->text != r->next)
		r->next[-1] = '\n';
	r->next = strchr(r->next, '\n');
	r->next_line++;
	if (r->next)
		*r->next++ = '\0';
}

/* Tests the line at r->next; the test must not change it. */
static bool
next_is(const struct slu_sacct_record *r, const struct slu_sacct_table *t,
	bool (*is)(const struct slu_sacct_table *t, const char *line))
{
	char *end = strchr(r->next, '\n');
	bool ret;

	if (end)
		*end = '\0';
	ret = is(t, r->next);
	if (end)
		*end = '\n';
	return ret;
}

static bool is_blank(const struct slu_sacct_table *t, const char *line)
{
	(void)t;
	return line[strspn(line, "\r")] == '\0';
}

static bool is_header(const struct slu_sacct_table *t, const char *line)
{
	struct slu_sacct_table other;

	(void)t;
	return slu_sacct_header(line, &other, NULL) != 0;
}

/* "sacct: ...", "slurm_load_jobs error: ...", "scontrol: warning: ...": what
 * was printed beside sacct's output. */
static bool is_complaint(const char *line)
{
	static const char *const kinds[] = {"error:", "fatal:", "warning:"};
	const char *rest = line + strcspn(line, ": ");

	if (strncmp(line, "sacct: ", 7) == 0)
		return true;
	rest += strspn(rest, ": ");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strncmp(rest, kinds[i], strlen(kinds[i])) == 0)
			return true;
	return false;
}

/* "(2 rows)", "2 rows in set (0.01 sec)", "Total: 2": below a database's
 * answers. */
static bool is_footer(const char *line)
{
	const char *count = line + (*line == '(');
	const char *unit = count + strspn(count, "0123456789");

	if (unit != count && strncmp(unit, " row", 4) == 0)
		return true;
	if (strncasecmp(line, "total", 5) != 0)
		return false;
	count = line + 5 + strspn(line + 5, ": ");
	unit = count + strspn(count, "0123456789");
	return unit != count && !unit[strspn(unit, " \r")];
}

static bool is_foreign(const struct slu_sacct_table *t, const char *line)
{
	(void)t;
	return is_complaint(line) || is_footer(line);
}

/* Is the next line a continuation of this record? */
static bool goes_on(const struct slu_sacct_record *r,
		    const struct slu_sacct_table *t)
{
	return r->next && !next_is(r, t, slu_sacct_begins) &&
	       !next_is(r, t, slu_sacct_fits) && !next_is(r, t, is_header) &&
	       !next_is(r, t, is_foreign);
}

/* Removes blank lines after the last column. */
static void cut_end(char *text)
{
	size_t len = strlen(text);

	while (len && (text[len - 1] == '\n' || text[len - 1] == '\r'))
		text[--len] = '\0';
}

/* The ends of lines that were within quotes. */
static void restore_newlines(struct slu_sacct_record *r)
{
	for (char *at = r->text; (at = strchr(at, SLU_SACCT_NEWLINE));) {
		*at = '\n';
		r->next_line++;
	}
}

/* Appends the next line to the last column. */
static void join(struct slu_sacct_record *r, const struct slu_sacct_table *t)
{
	if (!next_is(r, t, is_blank)) {
		r->joined_at = r->joined ? r->joined_at : r->next_line;
		r->joined++;
	}
	extend(r);
}

/* Appends lines until all columns are there, and for free text in the last
 * column until another record begins. */
void slu_sacct_end(struct slu_sacct_record *r, const struct slu_sacct_table *t)
{
	bool open = t->at[t->n - 1].form == SLU_SACCT_FREE &&
		    t->at[0].form == SLU_SACCT_ID;
	bool fits;

	if (r->quoted) {
		restore_newlines(r);
		return;
	}
	fits = slu_sacct_fits(t, r->text);
	for (int i = 0; i < SLU_SACCT_LINES && !fits && goes_on(r, t); i++) {
		extend(r);
		fits = slu_sacct_fits(t, r->text);
	}
	for (int i = 0; i < SLU_SACCT_LINES && fits && open && goes_on(r, t);
	     i++) {
		join(r, t);
		fits = slu_sacct_fits(t, r->text);
	}
	if (open)
		cut_end(r->text);
}

bool slu_sacct_next(struct slu_sacct_record *r)
{
	do {
		if (!r->next)
			return false;
		r->text = r->next;
		r->line = r->next_line;
		extend(r);
	} while (is_blank(NULL, r->text));
	return true;
}
