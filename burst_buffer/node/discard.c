/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `sluice-node discard`: remove what failed stage-outs of a job have left on
 * this node before its time, and tell sluiced, so that the room counts as free.
 * For root: who owns the data can read it, but its image is mounted.
 */
#include "config.h"
#include "burst_buffer/node/verbs.h"

#include <stdlib.h>

#define ASK_TIME 30 /* seconds for sluiced */

static int discard_all(struct slu_node *n, size_t *count, struct slu_err *err)
{
	struct slu_kept *list;
	int rc = 0;

	if (slu_kept_list(n->conf, n->job_id, &list, count, err))
		return -1;
	for (size_t i = 0; !rc && i < *count; i++)
		if (n->opt->dry_run)
			printf("would remove %s\n", list[i].dir);
		else
			rc = slu_storage_discard(list[i].dir, err);
	free(list);
	if (!rc && !*count)
		rc = slu_err(err, SLU_NOTFOUND, "%s keeps no data of job %u",
			     n->name, (unsigned)n->job_id);
	return rc;
}

static int tell(struct slu_node *n, struct slu_err *err)
{
	struct slu_owed owed;

	n->deadline = slu_now_mono() + ASK_TIME;
	if (slu_talk_owed(n, &owed, err))
		return -1;
	slu_msg_clear(&slu_owed_desc, &owed);
	return 0;
}

int slu_cmd_discard(struct slu_node *n)
{
	struct slu_err err;
	size_t count;

	if (discard_all(n, &count, &err))
		return slu_verb_failed("discard", &err);
	if (n->opt->dry_run)
		return EXIT_SUCCESS;
	printf("What %s kept of job %u is removed.\n", n->name,
	       (unsigned)n->job_id);
	if (tell(n, &err))
		fprintf(stderr,
			"sluice-node: sluiced does not know yet that its room "
			"is free (sluice-node recover tells it): %s\n",
			err.text);
	return EXIT_SUCCESS;
}
