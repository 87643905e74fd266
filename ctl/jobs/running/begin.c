/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes our note in a job's comment when a run of it starts: for what, and how
 * long, the job has waited.
 */
#include "config.h"
#include "ctl/private.h"

#include <string.h>

#include "wire/note.h"

#define LEAST 10 /* s, shorter waits are not noted */

char *slu_ctl_begin_note(struct slu_ctl *ctl, uint32_t job_id, uint32_t array,
			 const char *comment, int64_t now)
{
	char before[SLU_WAITS_TEXT], text[SLU_WAITS_TEXT];
	struct slu_waited waited;
	struct slu_note note;

	if (!slu_waits_take(&ctl->waits, job_id, now, &waited))
		slu_waits_look(&ctl->waits, array, now, &waited);
	slu_waited_print(&waited, LEAST, text);
	slu_waited_parse(text, &waited);
	slu_ctl_note_parse(comment, &note);
	if (note.gave_back < 0 && !note.why[0] &&
	    slu_eq(slu_waited_print(&note.waited, 1, before), text))
		return NULL;
	note.gave_back = -1;
	note.why[0] = '\0';
	note.waited = waited;
	return slu_ctl_note_apply(comment, &note);
}
