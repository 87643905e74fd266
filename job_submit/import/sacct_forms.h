/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_IMPORT_SACCT_FORMS_H
#define SLU_JOB_SUBMIT_IMPORT_SACCT_FORMS_H

/*
 * Checks whether a text has the form of a column of sacct that is not free text
 * (a time, a number, a state...).
 */

#include "job_submit/import/sacct_columns.h"

/* Does text[len] have the form? What is not known has that of its column. */
bool slu_sacct_is_form(enum slu_sacct_form form, const char *text, size_t len);

#endif
