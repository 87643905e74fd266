/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_LEFTOVERS_H
#define SLU_NODE_LEFTOVERS_H

/* Finds storage of earlier instances whose notes were lost in a restart of the
 * node, and takes it down, keeps or removes it. */

#include "burst_buffer/node/node.h"

/* Ask sluiced, for so many seconds, which instances have a part on this node.
 * Those without a note here are noted again and taken down by a worker, which
 * keeps data that was to be staged out. -1: sluiced could not be asked; 1: an
 * instance of n's own job (of any job, if it has none) could not be taken down,
 * which is logged. */
int slu_leftovers_reconcile(struct slu_node *n, double seconds,
			    struct slu_err *err);

/* As slu_leftovers_reconcile(), but only if `storage` has an instance without a
 * note; instances that sluiced does not know either are then removed.
 * Persistent buffers (checked only without a job), and data that was to be
 * staged out, stay for a while. Errors of removals are logged. */
int slu_leftovers_remove(struct slu_node *n, const char *storage,
			 struct slu_err *err);

/* Unix seconds, the earlier of sluiced's clock (from its credential) and this
 * node's, so that one wrong clock removes nothing. 0: sluiced has not
 * answered. */
int64_t slu_leftovers_clock(const struct slu_node *n);

/* Marks the storage of a job that has a stage-out. */
int slu_leftovers_mark(const struct slu_storage *s, struct slu_err *err);

/* Removes the note that it was unknown, as sluiced knows it again. */
void slu_leftovers_remember(const struct slu_storage *s);

#endif
