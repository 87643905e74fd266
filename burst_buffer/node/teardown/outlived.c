/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ends processes of a job that still run after it has ended: Slurm finds
 * processes that left their session only with cgroups. What they write to a
 * file that was copied already would be lost, so they are ended before the
 * stage-out; a write that happens all the same is noticed by the file's change
 * time.
 */
#include "config.h"
#include "burst_buffer/node/teardown/outlived.h"

#include <string.h>
#include "burst_buffer/host/aside.h"
#include "burst_buffer/host/file_users.h"
#include "burst_buffer/host/kill_users.h"
#include "burst_buffer/node/talk.h"

#define LIMIT 60.0 /* seconds, also if one of them hangs */

static int end_all(struct slu_aside *aside, void *arg, void *out,
		   struct slu_err *err)
{
	const struct slu_node *n = arg;
	const struct slu_users_job job = {
		.dir = n->data,
		.uid = n->plan.uid,
		.id = n->job_id,
		.het_id = n->plan.het_job,
	};
	struct slu_buf who = {.max = 300};

	(void)aside, (void)err;
	slu_users_end_job(&job, &who);
	snprintf(out, SLU_ASIDE_OUT, "%s", who.data ? who.data : "");
	slu_buf_free(&who);
	return 0;
}

static void tell(struct slu_node *n, const char *who)
{
	char text[SLU_ERR_TEXT];
	struct slu_report r = {
		.step = "outlived",
		.ok = true,
		.text = text,
		.phase = "stage_out",
	};

	snprintf(text, sizeof(text),
		 "ended before stage-out, as they had outlived the job: %.350s",
		 who);
	slu_node_log(n, SLU_WARN, "%s", text);
	slu_talk_step(n, &r, &(struct slu_err){0});
}

static int look_for_maps(struct slu_aside *aside, void *arg, void *out,
			 struct slu_err *err)
{
	const struct slu_node *n = arg;
	bool mapped = slu_users_map(n->data);

	(void)aside, (void)err;
	memcpy(out, &mapped, sizeof(mapped));
	return 0;
}

void slu_outlived_look(struct slu_node *n)
{
	struct slu_aside aside = {
		.fn = look_for_maps, .arg = n, .seconds = LIMIT};
	char out[SLU_ASIDE_OUT];
	struct slu_err err;

	n->mapped = true;
	if (slu_aside(&aside, "who maps files", out, &err))
		slu_node_log(n, SLU_WARN, "%s", err.text);
	else
		memcpy(&n->mapped, out, sizeof(n->mapped));
}

void slu_outlived_end(struct slu_node *n)
{
	struct slu_aside aside = {.fn = end_all, .arg = n, .seconds = LIMIT};
	char who[SLU_ASIDE_OUT];
	struct slu_err err;

	/* users of a persistent buffer may be of another job; root's processes
	 * include our own */
	if (n->plan.use || n->plan.persistent || !n->plan.uid)
		return;
	if (slu_aside(&aside, "the job's processes", who, &err))
		slu_node_log(n, SLU_WARN, "%s", err.text);
	else if (*who)
		tell(n, who);
}
