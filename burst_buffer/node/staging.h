/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_STAGING_H
#define SLU_NODE_STAGING_H

/* One request of the plan while this node works on it; between staging.c and
 * tolerant.c only. */

#include "burst_buffer/node/node.h"

#define SLU_STAGING_SUFFIX 16

struct slu_staging {
	struct slu_node *n;
	size_t r;
	const struct slu_stage *stage;
	const char *way; /* "in", "out" */
	/* Among those that copy; self UINT_MAX: this one does not. */
	unsigned self, members;
	struct slu_stage_result total;	/* of this node, over all acts */
	struct slu_stage_result copied; /* of its last copy */
	enum slu_act_name act;		/* the one that is being played */
	double asked; /* when sluiced was last asked for abort */
	/* Which of the members still take part; NULL: nobody may be lost. */
	const bool *alive;
	/* What names of notes and files end in: of the present round, and of
	 * the one in which the manifest was made. "" or ".K". */
	const char *round, *epoch;
};

/* One act, unless it is noted as done. */
int slu_staging_act(struct slu_staging *q, enum slu_act_name act,
		    struct slu_err *err);
/* What this node has done of it, to sluiced. */
int slu_staging_report(struct slu_staging *q, double start,
		       struct slu_err *err);
void slu_staging_claims_path(const struct slu_staging *q, char path[PATH_MAX]);

/* tolerant.c: all acts, although nodes are lost meanwhile. */
int slu_staging_tolerant(struct slu_staging *q, double start,
			 struct slu_err *err);

#endif
