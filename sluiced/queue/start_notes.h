/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_START_NOTES_H
#define SLU_SLUICED_START_NOTES_H

/* Tells slurmctld again and again (StartNotes) when the first waiting jobs will
 * start, for their comments: one process at a time answers the question
 * "starts", at low priority. */

#include <json-c/json.h>
#include "wire/control.h"

struct slu_daemon;

void slu_start_notes_begin(struct slu_daemon *d);
/* The answer to "starts" as a message; its texts are the answer's, the caller
 * frees out->jobs. -1: without memory. */
int slu_start_notes_message(struct json_object *found, struct slu_starts *out);

#endif
