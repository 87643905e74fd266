/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_PERSISTENCE_H
#define SLU_LIFECYCLE_PERSISTENCE_H

/* Writes a buffer's rows: the database first, then the record in memory. Each
 * call is one transaction, or part of the caller's. */

#include "burst_buffer/lifecycle/record.h"

/* A new buffer. */
int slu_bb_insert(struct slu_db *db, struct slu_bb *bb, const char *job_name,
		  struct slu_err *err);
int slu_bb_advance(struct slu_db *db, struct slu_bb *bb,
		   enum slu_bb_event event, const char *text, double now,
		   struct slu_err *err);
/* The job has ended as `how` says. */
int slu_bb_set_ended(struct slu_db *db, struct slu_bb *bb,
		     const struct slu_bb_end *how, const char *text, double now,
		     struct slu_err *err);
int slu_bb_set_start(struct slu_db *db, struct slu_bb *bb, int64_t start,
		     struct slu_err *err);
/* Replaces the plan; the buffer's present state begins at this time. */
int slu_bb_set_plan(struct slu_db *db, struct slu_bb *bb, double since,
		    const char *text, double now, struct slu_err *err);
/* Set-up begins only now that the nodes have booted; the plan has other
 * addresses. */
int slu_bb_set_booted(struct slu_db *db, struct slu_bb *bb, const char *text,
		      double now, struct slu_err *err);
/* without: the nodes (host list) that the job must not get if the verdict is to
 * requeue it, copied; NULL: none. */
int slu_bb_set_failure(struct slu_db *db, struct slu_bb *bb,
		       enum slu_bb_state in, const char *text,
		       enum slu_bb_verdict verdict, enum slu_on_failure what,
		       const char *without, double now, struct slu_err *err);
int slu_bb_set_verdict_done(struct slu_db *db, struct slu_bb *bb,
			    const char *text, double now, struct slu_err *err);
/* The job is cancelled: if the failure of its last buffer had held it, that
 * buffer's history gets a remark, once. */
int slu_bb_note_cancelled(struct slu_db *db, uint32_t job_id, double now,
			  struct slu_err *err);
/* Adds a line to its history. */
int slu_bb_note(struct slu_db *db, const struct slu_bb *bb, const char *text,
		double now, struct slu_err *err);
int slu_bb_set_destroy(struct slu_db *db, struct slu_bb *bb,
		       enum slu_bb_destroy how, const char *text, double now,
		       struct slu_err *err);
int slu_bb_set_unsaved(struct slu_db *db, struct slu_bb *bb, const char *text,
		       double now, struct slu_err *err);

#endif
