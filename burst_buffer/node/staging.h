/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_STAGING_H
#define SLU_NODE_STAGING_H

/* What staging.c and staging_child.c share; not for others. */

#include "burst_buffer/host/aside.h"
#include "burst_buffer/node/node.h"
#include "burst_buffer/staging/stage.h"

struct slu_staging { /* of one request */
	struct slu_node *n;
	size_t r;
	const struct slu_stage *stage;
	const char *way; /* "in", "out" */
	unsigned attempt;
	unsigned self, members; /* among those that copy; self is UINT_MAX
				 * for one that does not */
	bool all;		/* as nobody is left whom the plan names */
	struct slu_stage_result total; /* of this node, over all acts */
	/* VERIFY: each node what it holds, and so many files of it here. */
	bool held;
	uint64_t verified;
	enum slu_act_name act; /* the one that is being played */
	bool begun;	       /* there is something to discard */
	uint64_t since;	       /* of driver->whole, before the check */
	double asked;	       /* when sluiced was last asked for abort */
};

/* What an attempt is called in names of files and barriers: WAY.R, a later one
 * WAY.R.again1. Nothing of one is used by another. */
#define SLU_STAGING_ID 48
void slu_staging_id(const struct slu_staging *q, unsigned attempt,
		    char id[SLU_STAGING_ID]);

/* slu_aside's fn, arg is a struct slu_staging: play q->act in a child, as the
 * user for all but the manifest and the claims. *out: struct slu_stage_result.
 */
int slu_staging_act(struct slu_aside *aside, void *arg, void *out,
		    struct slu_err *err);

#endif
