/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Classifies job states by Slurm's names, as sacct prints them and the history
 * has them.
 */
#include "job_submit/ended.h"

#include <string.h>
#include <strings.h>

static const struct {
	const char *name, *code; /* code: of squeue's column ST */
} states[] = {
	{"COMPLETED", "CD"},	 {"FAILED", "F"},
	{"TIMEOUT", "TO"},	 {"CANCELLED", "CA"},
	{"NODE_FAIL", "NF"},	 {"OUT_OF_MEMORY", "OOM"},
	{"PREEMPTED", "PR"},	 {"DEADLINE", "DL"},
	{"BOOT_FAIL", "BF"},	 {"LAUNCH_FAILED", "LF"},
	{"RECONFIG_FAIL", "RF"}, {"REVOKED", "RV"},
	{"REQUEUED", "RQ"},	 {"REQUEUE_FED", "RF"},
	{"REQUEUE_HOLD", "RH"},	 {"SPECIAL_EXIT", "SE"},
	{"RESV_DEL_HOLD", "RD"}, {"RESIZING", "RS"},
	{"RUNNING", "R"},	 {"PENDING", "PD"},
	{"SUSPENDED", "S"},	 {"STOPPED", "ST"},
	{"COMPLETING", "CG"},	 {"CONFIGURING", "CF"},
	{"STAGE_OUT", "SO"},	 {"SIGNALING", "SI"},
};

#define STATES (sizeof(states) / sizeof(states[0]))

static bool is_word(const char *word, const char *text, size_t len)
{
	return strlen(word) == len && !strncasecmp(word, text, len);
}

/* The only state that begins with the text. */
static const char *find_cut(const char *text, size_t len)
{
	const char *found = NULL;

	for (size_t i = 0; i < STATES; i++) {
		if (strncasecmp(states[i].name, text, len) != 0)
			continue;
		if (found)
			return NULL;
		found = states[i].name;
	}
	return found;
}

const char *slu_state_name(const char *text, size_t len)
{
	bool is_cut = len && text[len - 1] == '+';

	len -= is_cut;
	for (size_t i = 0; i < STATES; i++)
		if (is_word(states[i].name, text, len) ||
		    is_word(states[i].code, text, len))
			return states[i].name;
	return is_cut ? find_cut(text, len) : NULL;
}

bool slu_ended_own_way(const struct slu_job *job)
{
	static const char *const own[] = {"COMPLETED", "TIMEOUT",
					  "FAILED",    "CANCELLED",
					  "DEADLINE",  "OUT_OF_MEMORY"};

	if (!job->state || !*job->state)
		return true;
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (strcmp(job->state, own[i]) == 0)
			return true;
	return false;
}

bool slu_failed(const struct slu_job *job)
{
	return job->state && *job->state &&
	       strcmp(job->state, "COMPLETED") != 0 &&
	       strcmp(job->state, "TIMEOUT") != 0;
}

int64_t slu_run_time(const struct slu_job *job)
{
	return job->prepared < job->end - job->start ? slu_job_ran(job) : 0;
}

const char *slu_swf_state(int64_t status, int64_t run, int64_t request)
{
	if (request > 0 && run >= request)
		return "TIMEOUT";
	return status == 0 ? "FAILED" : status == 5 ? "CANCELLED" : "COMPLETED";
}

bool slu_swf_is_part(int64_t status)
{
	return status >= 2 && status <= 4;
}
