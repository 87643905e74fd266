/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_PLUGINS_ELIGIBLE_NODES_H
#define SLU_PLUGINS_ELIGIBLE_NODES_H

/*
 * Finds the nodes on which a job may run: those of its partitions, without
 * those that it excludes. Called during submission, with slurmctld's locks.
 */

#include "ctl/ctl.h"
#include "plugins/compat.h"

struct slu_eligible_nodes {
	job_desc_msg_t *desc;
	bitstr_t *may, *must; /* must: NULL: the job names no nodes */
};

/* The nodes of these partitions (NULL: the default one). Caller frees; NULL:
 * none of them exists. At least partition READ. */
bitstr_t *slu_eligible_nodes_of_partitions(const char *names);
/* Fill in *where, and its results in *ask. slu_eligible_nodes_end() frees both.
 */
void slu_eligible_nodes_begin(struct slu_eligible_nodes *where,
			      job_desc_msg_t *desc, struct slu_ctl_ask *ask);
void slu_eligible_nodes_end(struct slu_eligible_nodes *where);

/* Exclude these nodes (a host list; NULL: none) from the job's later runs, as
 * if it had been submitted with --exclude; false, and nothing is changed: the
 * job requires one of them, or its partitions have too few others. Names that
 * Slurm no longer has are ignored. The caller holds job and node WRITE,
 * partition READ. */
bool slu_eligible_nodes_exclude(job_record_t *job, char *nodes);

#endif
