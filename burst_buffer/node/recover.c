/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sluice-node recover: run when slurmd starts. Usually there is nothing to do;
 * after a restart of the node its file systems are taken down, whose jobs have
 * ended with it, so that it comes back into service by itself.
 */
#include "config.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "burst_buffer/node/leftovers.h"
#include "burst_buffer/node/verbs.h"

#define TRY_FOR	 86400.0 /* seconds, while sluiced is away */
#define ASK_TIME 60.0

static int recover(struct slu_node *n, struct slu_err *err)
{
	char **storage;
	int rc = slu_leftovers_adopt(n, ASK_TIME, err);

	if (rc)
		return rc;
	storage = slu_storages(n->conf, err);
	if (!storage)
		return -1;
	for (size_t i = 0; storage[i]; i++)
		rc |= slu_leftovers_remove(n, storage[i], err);
	slu_strv_free(storage);
	return rc;
}

static int dry_run(struct slu_node *n, struct slu_err *err)
{
	struct slu_owed owed;

	n->deadline = slu_clock() + ASK_TIME;
	if (slu_talk_owed(n, &owed, err))
		return slu_verb_failed("recover", err);
	for (size_t i = 0; i < owed.n_plan; i++)
		printf("this node has a part of the file system of job %u; it "
		       "would be taken down, if it is not noted in %s/%u\n",
		       (unsigned)owed.plan[i].job_id, n->conf->run_dir,
		       (unsigned)owed.plan[i].job_id);
	slu_msg_clear(&slu_owed_desc, &owed);
	return EXIT_SUCCESS;
}

int slu_cmd_recover(struct slu_node *n)
{
	double end = slu_clock() + TRY_FOR;
	struct slu_err err = {0};
	int rc;

	if (n->opt->dry_run)
		return dry_run(n, &err);
	while ((rc = recover(n, &err)) && err.kind == SLU_TIMEOUT &&
	       slu_clock() < end)
		;
	if (!rc)
		return EXIT_SUCCESS;
	slu_node_log(n, SLU_ERROR, "recover: %s", err.text);
	return slu_verb_failed("recover", &err);
}
