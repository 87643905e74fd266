/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Divides tokens among users, groups or projects instead of jobs (--class).
 * Each is an entry of the job table, such as "uid=500", with the rule, the
 * tokens and the record that otherwise a job has. The jobs that job_stats name
 * remain entries only for their counters; their RPCs are added to the class
 * that the table of nodes has for the job. If it has none, the user is the UID
 * at the end of ids of the form "NAME.UID", as Lustre composes them; the other
 * classes are then unknown, and the RPCs belong to no class.
 */
#include "config.h"
#include "select_io/tbf/controller_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/str.h"

bool slu_tbf_is_class(const struct slu_tbf *tbf, const char *id)
{
	const char *key = tbf->set.class_key;
	size_t n = key ? strlen(key) : 0;

	return key && strncmp(id, key, n) == 0 && id[n] == '=';
}

void slu_tbf_match(const struct slu_tbf *tbf, const struct job *job,
		   char out[SLU_RULE_MATCH])
{
	if (slu_tbf_is_class(tbf, job->id))
		snprintf(out, SLU_RULE_MATCH, "%s={%s}", tbf->set.class_key,
			 job->id + strlen(tbf->set.class_key) + 1);
	else
		slu_rule_match(job->id, out);
}

const char *slu_tbf_policy(const struct slu_tbf *tbf)
{
	const char *const *e = tbf->set.exempt;

	if (tbf->set.class_key)
		return strcmp(tbf->set.class_key, "uid") == 0	? "tbf uid"
		       : strcmp(tbf->set.class_key, "gid") == 0 ? "tbf gid"
								: "tbf projid";
	for (; e && *e; e++)
		if (strncmp(*e, "uid=", 4) == 0)
			return "tbf";
	return "tbf jobid";
}

bool slu_tbf_number(const char *text, char out[SLU_CLASS_NUMBER])
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (text[strspn(text, "0123456789")] || end == text ||
	    strlen(text) > 10 || n >= UINT32_MAX)
		return false;
	snprintf(out, SLU_CLASS_NUMBER, "%lu", n);
	return true;
}

void slu_tbf_class_id(const struct slu_tbf *tbf, const char *number,
		      char out[SLU_JOBID_SIZE])
{
	snprintf(out, SLU_JOBID_SIZE, "%s=%s", tbf->set.class_key, number);
}

bool slu_tbf_class_of(const struct slu_tbf *tbf, const struct job *job,
		      char out[SLU_JOBID_SIZE])
{
	const char *dot = strrchr(job->id, '.');
	char number[SLU_CLASS_NUMBER];

	if (*job->of_class)
		slu_copy(number, sizeof(number), job->of_class);
	else if (strcmp(tbf->set.class_key, "uid") != 0 || !dot ||
		 !slu_tbf_number(dot + 1, number))
		return false;
	slu_tbf_class_id(tbf, number, out);
	return true;
}
