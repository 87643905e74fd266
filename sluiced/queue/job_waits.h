/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_JOB_WAITS_H
#define SLU_SLUICED_JOB_WAITS_H

/* Lists the waits of one job, for the question "job". */

#include <json-c/json.h>
#include "wire/job.h"

/* A list of {what, seconds}, in the order in which the waits happened; waits of
 * at most one second that are only known to the second are left out. buffers:
 * from slu_buffers_json(); file_systems: a list of slu_job_file_system(). The
 * caller puts the result. */
struct json_object *slu_job_waits(const struct slu_job *j,
				  struct json_object *buffers,
				  struct json_object *file_systems);

#endif
