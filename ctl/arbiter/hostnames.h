/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_CTL_HOSTNAMES_H
#define SLU_CTL_HOSTNAMES_H

/*
 * Finds nodes whose host name is not their NodeName, and I/O nodes of
 * sluice.conf that Slurm does not have.
 */

#include "ctl/ops.h"

struct slu_ctl;

/* Take over the nodes as Slurm has them; log those whose host name differs. */
void slu_hostnames_set(struct slu_ctl *ctl, const struct slu_ctl_node *nodes,
		       size_t n_nodes);
/* Does a job have such a node? */
bool slu_hostnames_any(const struct slu_ctl *ctl, const char *nodes);
/* I/O nodes that Slurm does not know count as down: log them, once for each
 * configuration. To be called before slu_ions_configure(). */
void slu_unknown_ions(struct slu_ctl *ctl, const struct slu_ctl_node *nodes,
		      size_t n_nodes);

#endif
