/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_IMPORT_SACCT_QUOTED_H
#define SLU_JOB_SUBMIT_IMPORT_SACCT_QUOTED_H

/*
 * Removes the quotes of RFC 4180 from a table of sacct's columns that some
 * other program has written (sacct itself quotes nothing). It is one if the
 * titles are quoted, or if some value is and all records have as many columns
 * as there are titles, but for the last one, which may be cut.
 */

/* Between the columns is SLU_SACCT_BETWEEN then, which is in none of them; the
 * lines stay as they are. Another text is not changed. */
#define SLU_SACCT_BETWEEN "\x1f"
void slu_sacct_unquote(char *text);

#endif
