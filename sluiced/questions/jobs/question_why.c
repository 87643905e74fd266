/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers the question "why": why does a job not run yet, as far as Sluice is
 * the cause? Runs scontrol, as SlurmUser, for that job alone. Users get answers
 * about their own jobs only.
 */
#include "common/jsonx.h"
#include "common/proc.h"
#include "common/str.h"
#include "sluiced/questions/answerers.h"
#include "sluiced/queue/wait_reason.h"
#include "wire/job.h"

#include <stdio.h>

#define SECONDS 60 /* that scontrol may take */

static struct json_object *render(const struct slu_wait_reason *why)
{
	struct json_object *obj = json_object_new_object();

	slu_json_set_u64(obj, "job_id", why->job_id);
	slu_json_set_str(obj, "state", why->state);
	slu_json_set_str(obj, "reason", why->reason);
	slu_json_set_str(obj, "kind", why->kind);
	slu_json_set_str(obj, "because", why->because);
	if (why->since)
		slu_json_set_i64(obj, "since", why->since);
	return obj;
}

static int not_there(uint64_t job_id, struct slu_err *err)
{
	return slu_err(err, SLU_NOTFOUND,
		       "job %llu neither waits nor runs, or is not yours: "
		       "sysquery job tells of ended ones",
		       (unsigned long long)job_id);
}

int slu_why_answer(struct slu_db *db, const struct slu_asker *who,
		   struct json_object *args, struct slu_buf *out,
		   struct slu_err *err)
{
	char id[16], *scontrol[] = {"scontrol", "show", "job", id, NULL};
	struct slu_wait_reason why;
	struct json_object *obj;
	struct slu_buf text = {0};
	uint64_t job_id;
	int rc = 0;

	(void)db;
	if (slu_json_u64(args, "job_id", &job_id, err) < 0)
		return -1;
	if (job_id >= SLU_NO_ID)
		return not_there(job_id, err);
	snprintf(id, sizeof(id), "%u", (uint32_t)job_id);
	if (slu_run(scontrol, SECONDS, &text, NULL) < 0 || !text.data ||
	    !slu_wait_reason_parse(text.data, (uint32_t)job_id, &why) ||
	    (!who->admin && why.uid != who->uid)) {
		rc = not_there(job_id, err);
	} else {
		obj = render(&why);
		slu_buf_puts(out, slu_json_utf8(obj));
		json_object_put(obj);
	}
	slu_buf_free(&text);
	return rc;
}
