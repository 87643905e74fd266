/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_STAGING_CHILD_H
#define SLU_NODE_STAGING_CHILD_H

/* Runs the acts of staging one request in children. Private to staging.c and
 * staging_child.c, which share the state of it. */

#include "burst_buffer/host/aside.h"
#include "burst_buffer/node/node.h"
#include "burst_buffer/staging/stage.h"

struct slu_staging { /* the staging of one request */
	struct slu_node *n;
	size_t r;
	const struct slu_stage *stage;
	const char *way; /* "in", "out" */
	unsigned attempt;
	/* rank and number of the nodes that copy; self is UINT_MAX on a node
	 * that does not */
	unsigned self, members;
	bool all; /* all nodes copy, as those in the plan are lost */
	struct slu_stage_result total; /* of this node, over all acts */
	/* VERIFY: each node verifies what it holds, and so many files are here.
	 */
	bool held;
	uint64_t verified;
	enum slu_act_name act; /* the present one */
	bool begun;	       /* there is something to discard */
	uint64_t since;	       /* result of driver->whole before the check */
	double asked;	       /* when sluiced was last asked for abort */
};

/* The name of an attempt in files and barriers: WAY.R, for a later one
 * WAY.R.again1. Attempts share nothing. */
#define SLU_STAGING_ID 48
void slu_staging_id(const struct slu_staging *q, unsigned attempt,
		    char id[SLU_STAGING_ID]);

/* For slu_aside (arg: struct slu_staging): runs q->act in a child, as the user
 * except for the manifest and the claims. *out: struct slu_stage_result. */
int slu_staging_act(struct slu_aside *aside, void *arg, void *out,
		    struct slu_err *err);

#endif
