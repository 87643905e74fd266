/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BURST_BUFFERS_H
#define SLU_BURST_BUFFERS_H

/*
 * The buffers that are alive, as sluiced keeps them: rows in the database,
 * their nodes, barriers and deadlines. Every change is in the database, with
 * its history line, before the answer or the command that it allows. All
 * calls are idempotent. `now` is Unix seconds with fraction. One thread.
 */

#include "common/conf.h"
#include "store/db.h"
#include "wire/control.h"
#include "wire/node.h"

struct slu_buffers;

/* What buffers want done; called from within the calls below. Commands are
 * level-triggered: they are told again whenever their cause is seen again
 * (after a restart, after slu_buffers_sync), and must be harmless twice. */
struct slu_buffers_ops {
	void (*mirror)(void *arg, const struct slu_buffer_state *state);
	void (*extend)(void *arg, const struct slu_extend *extend);
	/* what: hold, requeue or fail (configured by phase) */
	void (*verdict)(void *arg, enum slu_on_failure what,
			const struct slu_verdict *verdict);
	void (*drain)(void *arg, const struct slu_node_order *order);
	void (*resume)(void *arg, const struct slu_node_order *order);
	void (*annotate)(void *arg, const struct slu_annotate *annotate);
	/* One line for the administrator per transition. */
	void (*log)(void *arg, int level, const char *line);
};

/* Load what is alive in the database and act on it again. */
struct slu_buffers *slu_buffers_load(struct slu_db *db,
				     const struct slu_conf *conf,
				     const struct slu_buffers_ops *ops,
				     void *arg, double now,
				     struct slu_err *err);
void slu_buffers_free(struct slu_buffers *b);

/* From slurmctld. A job is running, completing or ended (by its state); only
 * jobs with a request matter. An error is the job's fault or ours and has
 * already led to a verdict. */
int slu_buffers_job(struct slu_buffers *b, const struct slu_job *job,
		    double now, struct slu_err *err);
/* slurmctld's whole live state: buffers of jobs not among them have ended. */
int slu_buffers_sync(struct slu_buffers *b, const struct slu_job *jobs,
		     size_t n, double now, struct slu_err *err);
int slu_buffers_job_nodes(struct slu_buffers *b,
			  const struct slu_job_nodes *nodes, double now,
			  struct slu_err *err);
/* slurmctld did (or refused) a verdict: up and down stop waiting for it. */
int slu_buffers_verdict_done(struct slu_buffers *b, uint32_t job_id, bool ok,
			     double now, struct slu_err *err);

/* From nodes; the caller has proven who asks. SLU_BUSY: nothing to say yet,
 * ask again after the next change (a long poll). SLU_NOTFOUND: there is no
 * such buffer (any more). */
int slu_buffers_plan(struct slu_buffers *b, const struct slu_ask *ask,
		     double now, struct slu_plan *out, struct slu_err *err);
int slu_buffers_report(struct slu_buffers *b, const struct slu_report *report,
		       double now, struct slu_answer *out, struct slu_err *err);
int slu_buffers_barrier(struct slu_buffers *b, const struct slu_barrier *come,
			double now, struct slu_barrier_answer *out,
			struct slu_err *err);
int slu_buffers_poll(struct slu_buffers *b, const struct slu_ask *ask,
		     double now, struct slu_answer *out, struct slu_err *err);

/* Is `node` in the plan of this job's newest buffer (or in an older one that
 * is not done)? For authentication. */
bool slu_buffers_member(struct slu_buffers *b, uint32_t job_id,
			const char *node);

/* Deadlines. Returns the seconds until the next one (bounded by 60). */
double slu_buffers_tick(struct slu_buffers *b, double now);

/* Read-only: buffers as JSON for `sysquery buffers` (job_id 0: all that are
 * alive and those of the last day), with phases, bytes and history. Works on
 * a database opened for reading. uid SLU_NO_ID: everybody's. Caller puts. */
struct json_object *slu_buffers_json(struct slu_db *db, uint32_t job_id,
				     uint32_t uid, struct slu_err *err);

#endif
