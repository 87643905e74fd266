/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds out from the output of `scontrol show job` why a job does not run yet.
 * scontrol prints a record of several lines for each job, or task of an array,
 * and an empty line behind it. A value that is a sentence has a line of its
 * own.
 */
#include "sluiced/queue/wait_reason.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/str.h"
#include "wire/note.h"
#include "wire/waits.h"

#define LINES 64

struct record {
	char *line[LINES]; /* without their indentation */
	size_t n;
};

static bool begins(const char *text, const char *with)
{
	return text && !strncmp(text, with, strlen(with));
}

static void cut(char *text, struct record *out)
{
	char *line;

	*out = (struct record){0};
	while (out->n < LINES && (line = strsep(&text, "\n"))) {
		line = slu_trim(line);
		if (!*line)
			return;
		out->line[out->n++] = line;
	}
}

/* The record of this job. */
static bool find(char *text, uint32_t job_id, struct record *out)
{
	char head[32];

	snprintf(head, sizeof(head), "JobId=%u ", job_id);
	while (text && !begins(text, head)) {
		text = strstr(text, "\n\n");
		text += text ? 2 : 0;
	}
	if (text)
		cut(text, out);
	return text;
}

/* The text behind "KEY=" at the beginning of a line, to its end. */
static char *line_of(const struct record *record, const char *key)
{
	for (size_t i = 0; i < record->n; i++)
		if (begins(record->line[i], key))
			return record->line[i] + strlen(key);
	return NULL;
}

/* The first word; the next one follows in *rest. */
static char *word(char *line, char **rest)
{
	*rest = line;
	return line ? strsep(rest, " ") : NULL;
}

static uint32_t number_in_brackets(const char *text)
{
	const char *open = text ? strchr(text, '(') : NULL;

	return open ? (uint32_t)strtoul(open + 1, NULL, 10) : SLU_NO_ID;
}

/* Beginnings of ctl/'s sentences, and what they contain. */
static const struct {
	const char *begin, *in;
	enum slu_wait wait;
} sentences[] = {
	{"waits for bandwidth ", "", SLU_WAIT_BANDWIDTH},
	{"waits for metadata operations ", "", SLU_WAIT_METADATA},
	{"waits for a persistent buffer ", "", SLU_WAIT_PERSISTENT},
	{"waits until ", "", SLU_WAIT_PERSISTENT},
	{"the persistent buffer ", "", SLU_WAIT_PERSISTENT},
	{"", " is being destroyed", SLU_WAIT_PERSISTENT},
	{"waits for pool ", " is before it", SLU_WAIT_PROMISED},
	{"waits for ", ", reservations ", SLU_WAIT_PROMISED},
	{"the job's earlier run ", "", SLU_WAIT_RUN},
	{"staged in after ", "", SLU_WAIT_INPUT},
	{"sluiced ", "", SLU_WAIT_SLUICED},
	{"sluice.conf ", "", SLU_WAIT_SLUICED},
	{"", "", SLU_WAIT_STORAGE},
};

static const char *kind_of_resources(const char *why)
{
	size_t i = 0;

	if (!why || begins(why, "its tight limit "))
		return "limit";
	while (!begins(why, sentences[i].begin) ||
	       !strstr(why, sentences[i].in))
		i++;
	return slu_wait_name(sentences[i].wait);
}

static void set(struct slu_wait_reason *out, const char *kind,
		const char *because, const char *otherwise)
{
	out->kind = kind;
	out->because = because ? because : otherwise;
}

static void classify(struct slu_wait_reason *out, const char *why,
		     const char *held)
{
	if (slu_eq(out->state, "CONFIGURING"))
		set(out, "boot", why,
		    "its nodes boot, or are being made ready");
	else if (!slu_eq(out->state, "PENDING"))
		set(out, "slurm", NULL, "it does not wait");
	else if (begins(out->reason, "BurstBufferStageIn"))
		set(out, slu_wait_name(SLU_WAIT_INPUT), why,
		    "its data is being staged in");
	else if (begins(out->reason, "BurstBufferResources"))
		set(out, kind_of_resources(why), why,
		    "its tight limit does not allow a start now: its full "
		    "limit is restored in a moment");
	else if (begins(out->reason, "JobHeld") && held)
		set(out, "hold", held, NULL);
	else
		set(out, "slurm", NULL,
		    "this reason is Slurm's own: see squeue(1)");
}

/* The note ends with the reason, which is a part of the line. */
static const char *why_held(const char *comment, const struct slu_note *note)
{
	return comment && note->why[0] ? strstr(comment, note->why) : NULL;
}

bool slu_wait_reason_parse(char *text, uint32_t job_id,
			   struct slu_wait_reason *out)
{
	const char *comment, *why;
	struct record record;
	struct slu_note note;
	char *rest;

	if (!find(text, job_id, &record))
		return false;
	comment = line_of(&record, "AdminComment=");
	why = line_of(&record, "BurstBufferState=");
	slu_ctl_note_parse(comment, &note);
	*out = (struct slu_wait_reason){
		.job_id = job_id,
		.uid = number_in_brackets(line_of(&record, "UserId=")),
		.state = word(line_of(&record, "JobState="), &rest),
		.since = note.io_since,
	};
	out->reason = rest && begins(rest, "Reason=")
			      ? word(rest + strlen("Reason="), &rest)
			      : NULL;
	if (!out->state || !out->reason)
		return false;
	classify(out, why && *why ? why : NULL, why_held(comment, &note));
	return true;
}
