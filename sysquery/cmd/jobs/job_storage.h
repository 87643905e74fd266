/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_CMD_JOB_STORAGE_H
#define SLU_SYSQUERY_CMD_JOB_STORAGE_H

/*
 * Prints the paragraphs of `sysquery job` about file systems, from the list
 * "file_systems" in sluiced's answer: one object for each buffer of the job,
 * oldest first.
 */

#include <json-c/json.h>
#include "sysquery/cli/paragraph.h"

/* The file system of the last run. */
void slu_job_storage(struct json_object *fs, struct slu_text_page *out);
/* File systems of earlier runs, and stage-in before the job began: one line for
 * each but the last. */
void slu_job_storage_before(struct json_object *list,
			    struct slu_text_page *out);
/* Its phases as bars; nothing if there are none. */
void slu_job_timeline(struct json_object *fs, struct slu_text_page *out);

#endif
