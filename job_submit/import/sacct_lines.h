/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_IMPORT_SACCT_LINES_H
#define SLU_JOB_SUBMIT_IMPORT_SACCT_LINES_H

/*
 * Splits sacct's output into records, each of one line or more: users' text,
 * such as a job's name, may contain newlines. A line of such text that looks
 * like the beginning of a record is taken for one, and one that looks like a
 * message of sacct's or a footer of a database's for a record of its own; JSON
 * has no such ambiguity. In a table whose quotes were removed each line is one.
 */

#include <stdint.h>
#include "job_submit/import/sacct_table.h"

/* Begin with {.next = text, .next_line = 1}; the text is written to. */
struct slu_sacct_record {
	char *text, *next; /* the line behind it; NULL: there is none */
	uint64_t line, next_line;
	bool quoted; /* slu_sacct_unquote() changed the text */
	/* lines taken for parts of a last column, and the first one's number */
	uint64_t joined, joined_at;
};

/* The next line that is not blank: false at the end. */
bool slu_sacct_next(struct slu_sacct_record *r);
/* Add the lines behind it that belong to it. */
void slu_sacct_end(struct slu_sacct_record *r, const struct slu_sacct_table *t);

#endif
