/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_JOB_FILE_SYSTEM_H
#define SLU_SLUICED_JOB_FILE_SYSTEM_H

/*
 * Describes one file system of a job, for the question "job": what the database
 * has, with units in the keys, and what its devices can do.
 */

#include <json-c/json.h>
#include "sysquery/answers/job_advice.h"
#include "store/db.h"

/* buffer: an element of slu_buffers_json(), from which `facts` borrows;
 * fullness, progress: its entries of slu_buffers_fullness() and
 * slu_buffers_progress(), or NULL. The caller puts the result; NULL: err. */
struct json_object *
slu_job_file_system(struct slu_db *db, struct json_object *buffer,
		    struct json_object *fullness, struct json_object *progress,
		    double now, struct slu_advice_facts *facts,
		    struct slu_err *err);

/* Rounds a time or a rate to three digits. */
double slu_job_round(double value);

#endif
