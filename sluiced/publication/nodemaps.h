/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_NODEMAPS_H
#define SLU_SLUICED_NODEMAPS_H

/*
 * Writes mapping files of compute nodes that several jobs share,
 * MappingDir/nodes/NODE.map. GekkoFWD's client knows one forwarder per host, so
 * all that a node sends goes through one I/O node: that of the job that was
 * there first, as long as one of the node's jobs has it, so that running
 * processes and later ones agree. The other hosts of the node's jobs have lines
 * too. A file remains as long as a job is on the node: without it, programs
 * that read it end.
 */

#include "common/err.h"
#include "select_io/ion/mapping.h"
#include "wire/ion_assignment.h"

/* Make MappingDir (open as `dir`) agree with `now`. `before`: the assignment
 * that it agrees with, which tells which job was first; NULL: unknown. An error
 * in one file does not stop the rest. SLU_IO. */
int slu_node_maps_write(int dir, struct slu_mapper *mapper,
			const struct slu_assignment *before,
			const struct slu_assignment *now, struct slu_err *err);

#endif
