/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_IMPORT_SACCT_TABLE_H
#define SLU_JOB_SUBMIT_IMPORT_SACCT_TABLE_H

/*
 * Splits a record of sacct's output into columns.
 *
 * Slurm quotes nothing: a job's name, and other text of its user, may contain
 * the delimiter and newlines. Columns that are not free text have a form (a
 * time, a state, a number...), by which they are found in a line with too many
 * delimiters. If that leaves a needed column open, the line is ambiguous and
 * refused.
 */

#include "common/err.h"
#include "job_submit/import/sacct_columns.h"

/* The length of a line without a '\r' at its end. */
size_t slu_sacct_length(const char *line);

/* A column's title, as sacct prints it. */
const char *slu_sacct_title(enum slu_sacct_column column);

/* Is the text empty, or one of Slurm's words for unknown or unlimited values?
 */
bool slu_sacct_unknown(const char *text);

/* 1: the line is a header, and *out its columns; 0: it is not; -1: it is the
 * header of a table that cannot be read, see err. line is not changed. */
int slu_sacct_header(const char *line, struct slu_sacct_table *out,
		     struct slu_err *err);
/* The columns of Open XDMoD's files, which have no header. */
void slu_sacct_implied(struct slu_sacct_table *out);
bool slu_sacct_has(const struct slu_sacct_table *table,
		   enum slu_sacct_column column);

/* Can the line be a record of the table, or (begins) be the first line of one?
 * The latter is false where the first column has no form. line: unchanged. */
bool slu_sacct_fits(const struct slu_sacct_table *table, const char *line);
bool slu_sacct_begins(const struct slu_sacct_table *table, const char *line);
/* Cut a record (lines of it may be separated by '\n'): at[] points into it,
 * NULL for columns that are not there. Else SLU_INVALID, and it is
 * unchanged. */
int slu_sacct_cut(const struct slu_sacct_table *table, char *line,
		  char *at[SLU_SACCT_COLUMNS], struct slu_err *err);

#endif
