/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `sluice-node cancel`: a user stops the stage-out of their own job, which
 * scancel cannot do, as for Slurm the job has ended. sluiced decides whether
 * the caller may; the credential identifies the user. Works on any host of the
 * cluster.
 */
#include "config.h"
#include "burst_buffer/node/verbs.h"
#include "burst_buffer/node/talk.h"
#include "burst_buffer/node/commands/commands.h"

#include <stdlib.h>

#define SECONDS 30.0

static int cancel(struct slu_node *n, struct slu_answer *out,
		  struct slu_err *err)
{
	const struct slu_cancel msg = {n->job_id};
	char *body = slu_encode_text(&slu_cancel_desc, &msg);
	struct slu_buf reply = {0};
	int rc;

	if (!body)
		return slu_err(err, SLU_NOMEM, "out of memory");
	rc = slu_talk_once(n, "/v1/cancel", body, SECONDS, &reply, err) ||
	     slu_decode_text(&slu_answer_desc, reply.data, reply.len, out, err);
	slu_buf_free(&reply);
	free(body);
	return rc ? -1 : 0;
}

int slu_cmd_cancel(struct slu_node *n)
{
	struct slu_answer answer;
	struct slu_err err;

	if (cancel(n, &answer, &err))
		return slu_verb_failed("cancel", &err);
	printf("The stage-out of job %u is cancelled%s%s.\n",
	       (unsigned)n->job_id, answer.text ? "; " : "",
	       answer.text ? answer.text : "");
	slu_msg_clear(&slu_answer_desc, &answer);
	return EXIT_SUCCESS;
}
