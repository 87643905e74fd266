/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PLUGINS_ELIGIBLE_NODES_H
#define SLU_PLUGINS_ELIGIBLE_NODES_H

/* Where a job may run: on the nodes of its partitions, but for those that it
 * excludes. While it is submitted under slurmctld's locks of that. */

#include "ctl/ctl.h"
#include "plugins/compat.h"

struct slu_eligible_nodes {
	job_desc_msg_t *desc;
	bitstr_t *may, *must; /* the latter NULL: it names none */
};

/* The nodes of these partitions (NULL: the default one). Caller frees; NULL:
 * there is none of these. At least partition READ. */
bitstr_t *slu_eligible_nodes_of_partitions(const char *names);
/* Fill in *where, and what *ask has of it. slu_eligible_nodes_end() frees what
 * it holds. */
void slu_eligible_nodes_begin(struct slu_eligible_nodes *where,
			      job_desc_msg_t *desc, struct slu_ctl_ask *ask);
void slu_eligible_nodes_end(struct slu_eligible_nodes *where);

/* The job's later runs shall not have these nodes (a host list; NULL: none), as
 * if it had been submitted with --exclude; false, and nothing is changed: it
 * names one of them, or its partitions have too few others. Names that Slurm
 * has no more are no node's. The caller holds job and node WRITE, partition
 * READ. */
bool slu_eligible_nodes_exclude(job_record_t *job, char *nodes);

#endif
