/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STAGING_HELD_SOURCE_H
#define SLU_STAGING_HELD_SOURCE_H

/*
 * Compares files by content on the node whose disk holds them, where each file
 * of the job's file system lies whole on one node. That node reads the file
 * from its disk, not through the client: this checks the copy by a path
 * independent of the client, and no file crosses the network twice. Each node
 * looks which files it has; their counts must add up to the total.
 *
 * An empty file may be the file system's pointer to a file on another node. So
 * empty files are verified in the usual way.
 */

#include <stdbool.h>
#include "burst_buffer/staging/manifest.h"
#include "burst_buffer/staging/walk/path_rules.h"

struct slu_held_source {
	bool is;     /* verification is done so */
	bool source; /* the nodes hold the source, not the destination */
	int dir;     /* this node's directory for that place; -1: none */
};

/* Decides whether to verify so, with the same answer on every node: not if the
 * place is not really below part->fs_root (a user's link may lead elsewhere),
 * and not if it costs more, since every node has to read the whole manifest.
 * Close it. */
int slu_held_source_open(const struct slu_stage_part *part,
			 const struct slu_stage_places *places,
			 const struct slu_totals *totals,
			 struct slu_held_source *out, struct slu_err *err);
void slu_held_source_close(struct slu_held_source *held);

/* Is this entry verified by the node that holds it? */
bool slu_held_source_has(const struct slu_held_source *held,
			 const struct slu_entry *entry);

#endif
