/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_JOB_FILE_SYSTEM_H
#define SLU_SLUICED_JOB_FILE_SYSTEM_H

/* A job's file system for the question "job": what stands in the database of
 * it, with units in the keys and beside what its devices can do. */

#include <json-c/json.h>
#include "sysquery/answers/job_advice.h"
#include "store/db.h"

/* buffer: an element of slu_buffers_json(), which what is borrowed in `facts`
 * belongs to; live: what slu_buffers_fullness() and slu_buffers_progress() have
 * of it, or NULL. The caller puts the result; NULL: err. */
struct json_object *
slu_job_file_system(struct slu_db *db, struct json_object *buffer,
		    struct json_object *fullness, struct json_object *progress,
		    double now, struct slu_advice_facts *facts,
		    struct slu_err *err);

/* A number as far as it is known: three digits of a time, or of a rate. */
double slu_job_round(double value);

#endif
