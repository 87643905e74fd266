/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_IMPORT_SACCT_QUOTED_H
#define SLU_JOB_SUBMIT_IMPORT_SACCT_QUOTED_H

/*
 * Removes the quotes of RFC 4180 from a table of sacct's columns that some
 * other program has written (sacct itself quotes nothing). It is one if the
 * titles are quoted, or if some value is and all records have as many columns
 * as there are titles, but for the last one, which may be cut, those with a
 * quote that is not closed, and lines of fewer columns that begin with no
 * number of a job.
 */

#include <stdbool.h>

/* Between the columns is SLU_SACCT_BETWEEN then, an end of line within a value
 * is SLU_SACCT_NEWLINE, and a quote that is not closed SLU_SACCT_UNCLOSED; they
 * are in none of the values. false: it is another text, and not changed. */
#define SLU_SACCT_BETWEEN  '\x1f'
#define SLU_SACCT_NEWLINE  '\x1e'
#define SLU_SACCT_UNCLOSED '\x1d'
bool slu_sacct_unquote(char *text);

#endif
