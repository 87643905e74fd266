/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_LEFTOVERS_H
#define SLU_NODE_LEFTOVERS_H

/* What earlier lives left in a node's storage: after a restart of the node
 * nobody here speaks of it any more. */

#include "burst_buffer/node/node.h"

/* Ask sluiced, for so many seconds, what this node has a part of; what is not
 * noted here is noted again, and a worker takes it down: data that was to be
 * staged out is kept. -1: sluiced could not be asked; 1: something of n's own
 * job (of any, if it has none) could not be taken down, which is logged. */
int slu_leftovers_reconcile(struct slu_node *n, double seconds,
			    struct slu_err *err);

/* The same where something is in `storage` that no job's directory knows; what
 * sluiced does not know either is then removed. Persistent buffers (only looked
 * at without a job), and what was to be staged out, stay for a while. -1, 1: as
 * above; the rest is logged. */
int slu_leftovers_remove(struct slu_node *n, const char *storage,
			 struct slu_err *err);

/* dirty.c: what lies in `storage` and nobody knows cannot be removed. The node
 * is drained for that reason, until it can, and nothing else is in the way.
 * What fails is logged. */
bool slu_dirty(const char *storage);
void slu_dirty_begin(struct slu_node *n, const char *storage, const char *why);
void slu_dirty_end(struct slu_node *n, const char *storage);

/* outlived.c: end the processes that the job has left behind; the log and
 * sluiced hear whose they were. */
void slu_outlived_end(struct slu_node *n);
/* Sets n->mapped. */
void slu_outlived_look(struct slu_node *n);

/* holders.c: somebody holds some of what was wiped, `who`: the log and sluiced
 * hear it. */
void slu_holders_report(struct slu_node *n, const struct slu_err *who);
/* Since longer than HeldFor: what, and who, if `why` is still "". */
void slu_holders_too_long(struct slu_node *n, const char *storage,
			  char why[SLU_ERR_TEXT]);

/* Unix seconds by sluiced's clock, as its credential told, or by this node's,
 * whichever is earlier: one that is wrong alone removes nothing. 0: sluiced has
 * not been asked anything. */
int64_t slu_leftovers_clock(const struct slu_node *n);

/* kept_expiry.c: have kept data removed whose time is over by that clock, if it
 * is known: by a process of its own, which is waited for only shortly. common:
 * of all nodes, too. What fails is logged. */
void slu_kept_expire(struct slu_node *n, bool common);

/* discard.c: remove what is kept of these instances, as sluiced says that it
 * was given up, and tell it; what fails is logged, and tried again when it is
 * said again. */
void slu_discard_wanted(struct slu_node *n, const char *instances);

/* The storage is of a job with a stage-out. */
int slu_leftovers_mark(const struct slu_storage *s, struct slu_err *err);

/* Storage is had again: sluiced knows it. */
void slu_leftovers_remember(const struct slu_storage *s);

/* JOB.BUFFER as a name; -1 when it is none: there is no job 0. */
int slu_instance_parse(const char *name, uint32_t *job_id, uint64_t *buffer);

#endif
