/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PLUGINS_ELIGIBLE_NODES_H
#define SLU_PLUGINS_ELIGIBLE_NODES_H

/* Where a job that is being submitted may run: on the nodes of its partitions,
 * but for those that it excludes. Under slurmctld's locks of a submission. */

#include "ctl/ctl.h"
#include "plugins/compat.h"

struct slu_eligible_nodes {
	job_desc_msg_t *desc;
	bitstr_t *may, *must; /* the latter NULL: it names none */
};

/* Fill in *where, and what *ask has of it. slu_eligible_nodes_end() frees what
 * it holds. */
void slu_eligible_nodes_begin(struct slu_eligible_nodes *where,
			      job_desc_msg_t *desc, struct slu_ctl_ask *ask);
void slu_eligible_nodes_end(struct slu_eligible_nodes *where);

#endif
