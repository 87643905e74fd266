/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_STAGING_HELD_SOURCE_H
#define SLU_STAGING_HELD_SOURCE_H

/*
 * VERIFY by content where each file of the job's file system lies whole on the
 * disk of one node. That node reads it there, past all clients, and compares it
 * with the other side: the copier, who read or wrote it through its client, is
 * checked by another path, and nothing of it goes over the network twice. Who
 * has a file is found by looking; the nodes' counts must make the whole.
 *
 * A file without bytes may be a mark of the file system for one that is
 * elsewhere. So such files are verified as anywhere else.
 */

#include <stdbool.h>
#include "burst_buffer/staging/manifest.h"
#include "burst_buffer/staging/path_rules.h"

struct slu_held_source {
	bool is;     /* so it is done */
	bool source; /* it is the source that the nodes hold */
	int dir;     /* what is held here of that place; -1: nothing */
};

/* The same answer on every node. It is not done where the place is not below
 * part->fs_root after all (a user's link may lead elsewhere), and not where it
 * costs more: every node reads the whole manifest then. Close it. */
int slu_held_source_open(const struct slu_stage_part *part,
			 const struct slu_places *places,
			 const struct slu_totals *totals,
			 struct slu_held_source *out, struct slu_err *err);
void slu_held_source_close(struct slu_held_source *held);

/* Is this entry verified by who holds it? */
bool slu_held_source_has(const struct slu_held_source *held,
			 const struct slu_entry *entry);

#endif
