/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_BUFFERS_H
#define SLU_LIFECYCLE_BUFFERS_H

/*
 * Carries buffers through their lives in sluiced: takes what slurmctld and
 * nodes report, and the time, keeps the state of each buffer, answers nodes and
 * gives slurmctld commands. Every change is in the database, with its history
 * line, before the answer or the command that it allows. All calls are
 * idempotent. `now` is Unix seconds with fraction. Called by one thread only.
 */

#include "burst_buffer/plan/plan.h"
#include "common/conf.h"
#include "common/log.h"
#include "common/str.h"
#include "common/text.h"
#include "common/uptime.h"
#include "store/db.h"
#include "wire/control.h"
#include "wire/node.h"

struct slu_buffers;

#define SLU_BUFFERS_KEY 32

/* Effects of the functions below, as callbacks; these must not call back.
 * Commands are level-triggered: they are sent again whenever their cause is
 * found again (after a restart, after slu_buffers_sync), and must be harmless
 * twice. */
struct slu_buffers_ops {
	void (*mirror)(void *arg, const struct slu_buffer_state *state);
	void (*extend)(void *arg, const struct slu_extend *extend);
	/* What slurmctld has to do with the job; answered by
	 * slu_buffers_verdict_done(). */
	void (*verdict)(void *arg, enum slu_on_failure what,
			const struct slu_verdict *verdict);
	/* A run's whole stage-out has succeeded; the reason says what it
	 * copied. */
	void (*staged)(void *arg, const struct slu_verdict *verdict);
	void (*drain)(void *arg, const struct slu_node_order *order);
	/* Answered by slu_buffers_resumed. */
	void (*resume)(void *arg, const struct slu_node_order *order);
	void (*annotate)(void *arg, const struct slu_annotate *annotate);
	/* NodeAddr of a node, borrowed until the next call; NULL: its name. */
	const char *(*addr)(void *arg, const char *node);
	/* See struct slu_plan_site. */
	char *(*layout)(void *arg, const struct slu_layout_ask *ask,
			bool *known, char **why, struct slu_err *err);
	/* Something about this job has changed: calls of its nodes that
	 * returned SLU_BUSY may now have an answer. Only note it, and repeat
	 * those calls later. */
	void (*wake)(void *arg, uint32_t job_id);
	/* One line for the administrator per transition. */
	void (*log)(void *arg, enum slu_level level, const char *line);
};

/* Loads the buffers that are alive from the database and repeats their
 * commands. A row that cannot be read is set aside and logged, the others load.
 * `key` is secret and the same at every start: secrets of instances are derived
 * from it, so that none is ever stored. db, conf and ops must outlive the
 * result. */
struct slu_buffers *slu_buffers_load(struct slu_db *db,
				     const struct slu_conf *conf,
				     const unsigned char key[SLU_BUFFERS_KEY],
				     const struct slu_buffers_ops *ops,
				     void *arg, double now,
				     struct slu_err *err);
void slu_buffers_free(struct slu_buffers *b);

/* From slurmctld: this job has started (its nodes are known, its prolog may
 * run), or has ended (its epilogs may run; state "COMPLETED" is success, and
 * one that goes back to PENDING was requeued). Only jobs that ask for a file
 * system matter. If no plan can be made, the result is a buffer that has
 * failed, with its verdict, and no error here. */
int slu_buffers_job(struct slu_buffers *b, const struct slu_job *job,
		    bool ended, double now, struct slu_err *err);
/* slurmctld's full state: every running job, and with `completing` set those
 * whose epilogs run. The runs of other buffers have ended, and their nodes have
 * been released. Sends again every command that was not acknowledged. */
int slu_buffers_sync(struct slu_buffers *b, const struct slu_job *jobs,
		     size_t n, double now, struct slu_err *err);
/* A waiting job's request asks for persistent buffers to be created or
 * destroyed: that is begun, and answered again each time the request is
 * repeated. If it cannot be done the job gets the reason, and it is no error
 * here. */
int slu_buffers_waits(struct slu_buffers *b, const struct slu_job *job,
		      double now, struct slu_err *err);
/* A job that had no nodes is over, so what was prepared for it ends. Or the
 * stage-out of its run has to end (scancel --hurry; plugins check the
 * permission); an earlier job with this number is not affected. */
int slu_buffers_cancelled(struct slu_buffers *b,
			  const struct slu_job_cancelled *job, double now,
			  struct slu_err *err);
int slu_buffers_job_nodes(struct slu_buffers *b,
			  const struct slu_job_nodes *nodes, double now,
			  struct slu_err *err);
/* slurmctld carried out a verdict, or refused it for good (text says why): `up`
 * and `down` stop waiting for it. */
int slu_buffers_verdict_done(struct slu_buffers *b, uint32_t job_id, bool ok,
			     const char *text, double now, struct slu_err *err);
/* slurmctld carried out a resume. It saves its state at most 5 s later
 * (SAVE_MAX_WAIT); if it is killed before that, the resume is lost. So it is
 * sent again at the next sync, unless the connection lasts for another 30 s. */
void slu_buffers_resumed(struct slu_buffers *b, const char *node, double now);
/* The connection to slurmctld was lost. */
void slu_buffers_disconnected(struct slu_buffers *b);
/* Calls fn with the state's name for each buffer that is alive; makes no
 * copy. */
typedef void slu_buffers_f(void *arg, const char *state);
void slu_buffers_each(const struct slu_buffers *b, slu_buffers_f *fn,
		      void *arg);
/* Bytes of the pool that are reserved for buffers, however full they are. */
uint64_t slu_buffers_held(const struct slu_buffers *b, const char *pool);
/* Bytes of the pool that hold data which could not be staged out and is kept on
 * its nodes. Adds a struct slu_pool_kept to `by` for each user who has some. */
uint64_t slu_buffers_kept(const struct slu_buffers *b, const char *pool,
			  struct slu_buf *by);
/* The kept data that a node still has (struct slu_node_ask, kept): what it does
 * not list was removed before its time and takes no space. True: something has
 * changed. */
bool slu_buffers_keeps(struct slu_buffers *b, const char *node,
		       const char *kept, double now);
/* How full the persistent buffers on a node are, as it reports with that
 * request (fill). */
void slu_buffers_filled(struct slu_buffers *b, const struct slu_node_ask *ask);
/* The buffers that are alive, for sluiced's hello. The caller clears it. */
int slu_buffers_hello(struct slu_buffers *b, struct slu_hello_daemon *out,
		      struct slu_err *err);

/*
 * Requests of nodes; the caller has authenticated the node. SLU_BUSY: there is
 * no answer yet, ask again after the next wake (a long poll). SLU_NOTFOUND:
 * there is no such buffer (any more), or this node is not in it.
 *
 * plan: the text of a struct slu_plan (wire/node.h) without its secret, which
 * comes beside it (caller frees). The caller gets a reference to the text, and
 * to that of a barrier.
 * SLU_BUSY also while slurmctld has not yet reported the job; SLU_DENIED
 * with the sentence for the user when the buffer failed, or this node is not in
 * it; SLU_NOTFOUND only when the job has ended.
 *
 * barrier: the text of a struct slu_barrier_answer.
 *
 * Words of report, poll and barrier are those of wire/node.h. While a failure
 * waits for slurmctld's verdict, at most 30 s, the nodes of a job that is
 * being set up get SLU_BUSY: up may not return before the job is held.
 */
int slu_buffers_plan(struct slu_buffers *b, const struct slu_node_ask *ask,
		     double now, struct slu_text **out, char **secret,
		     struct slu_err *err);
/* Appends a struct slu_node_inventory: the buffers of which this node got a
 * plan and has not reported clean, as a node that was restarted has lost its
 * notes. A plan is `over` where a poll for it would get "ended" or "abort". */
int slu_buffers_node_inventory(struct slu_buffers *b, const char *node,
			       double now, struct slu_buf *out,
			       struct slu_err *err);
/* The node has data of an unknown run and cannot remove it: it is drained. "":
 * that data is gone, and the node is resumed, unless something else there is
 * not clean. */
void slu_buffers_dirty(struct slu_buffers *b, const char *node,
		       const char *what);
int slu_buffers_report(struct slu_buffers *b, const struct slu_report *report,
		       double now, struct slu_answer *out, struct slu_err *err);
int slu_buffers_barrier(struct slu_buffers *b, const struct slu_barrier *come,
			double now, struct slu_text **out, struct slu_err *err);
int slu_buffers_poll(struct slu_buffers *b, const struct slu_node_ask *ask,
		     double now, struct slu_answer *out, struct slu_err *err);

/* The owner of a job (or, with `admin`, any user) stops its stage-out, which
 * then fails as cancelled, like any other failure; a second call changes
 * nothing. The answer's text says where the data is. SLU_DENIED: it belongs to
 * another user; SLU_NOTFOUND, SLU_INVALID with the sentence for the user:
 * nothing is being staged out. */
int slu_buffers_cancel(struct slu_buffers *b, const struct slu_cancel *cancel,
		       uint32_t uid, bool admin, double now,
		       struct slu_answer *out, struct slu_err *err);

/* The owner of a job (or, with `admin`, any user) gives up what its failed
 * stage-outs have left: the nodes remove it after their next request for the
 * inventory. With dry_run *out only says what would be removed. SLU_DENIED: it
 * belongs to another user; SLU_NOTFOUND: nothing is kept; SLU_INVALID: it lies
 * on no node, with the place. The caller clears *out. */
int slu_buffers_discard(struct slu_buffers *b, const struct slu_discard *ask,
			uint32_t uid, bool admin, double now,
			struct slu_discarded *out, struct slu_err *err);

/* The clock was set by `step` seconds (negative: back) and now shows `now`.
 * Time stamps are shifted, so that no deadline passes early. The stamp of
 * something that began more than -step ago cannot be shifted, and its deadline
 * may be late by as much. */
void slu_buffers_clock(struct slu_buffers *b, double now, double step);

/* Readings of the kernel's clocks, needed before each tick. Without them no
 * persistent buffer expires. */
void slu_buffers_uptime(struct slu_buffers *b, const struct slu_uptime *up);

/* Start of the run for which this buffer was made, Unix seconds; 0: the job has
 * no such buffer, or it belongs to no job. `buffer` is the number that its
 * nodes use. */
int64_t slu_buffers_run(const struct slu_buffers *b, uint32_t job_id,
			uint64_t buffer);

/* Deadlines. Returns the seconds until the next one (bounded by 60). */
double slu_buffers_tick(struct slu_buffers *b, double now);

/* How long phases took since this sluiced started, over all jobs: histograms as
 * in Prometheus. */
#define SLU_PHASES	  5 /* setup, stage-in, run, stage-out, teardown */
#define SLU_PHASE_BUCKETS 12
#define SLU_VERDICTS	  (SLU_COMPLETE + 1)
extern const double slu_phase_bounds[SLU_PHASE_BUCKETS]; /* seconds, rising */
/* Ranges that were in nodes' stage caches (hits) or not (misses), and bytes of
 * the hits. */
struct slu_cache_use {
	uint64_t hits, misses, bytes;
};

struct slu_phase_use {
	uint64_t count;			   /* how often it ended */
	uint64_t below[SLU_PHASE_BUCKETS]; /* how often it took no longer than
					      the bound */
	double seconds;			   /* of all */
	uint64_t failed;		   /* how many failed */
	uint64_t verdict[SLU_VERDICTS];	   /* of them, by enum slu_on_failure */
	uint64_t bytes, files;		   /* staged, of all */
	struct slu_cache_use cache;	   /* of that */
};
/* Bytes that were prefetched to nodes for waiting jobs (PrestageTo), and how
 * many of them the jobs have used; of prefetches that have ended since this
 * sluiced started. */
struct slu_prefetch_use {
	uint64_t jobs; /* a job counts once for each node */
	uint64_t prefetched, used;
};
const struct slu_prefetch_use *
slu_buffers_prefetch_use(const struct slu_buffers *b);
/* slu_buffers_to_predict: the ids of waiting jobs whose nodes should be
 * predicted; NULL: there are none. The caller puts it. slu_buffers_predicted
 * takes the prediction for each that still waits: [{job_id, sure, node [{node,
 * share}]}]; `sure` is the probability of exactly these nodes, `share` that of
 * each. */
struct json_object *slu_buffers_to_predict(struct slu_buffers *b);
void slu_buffers_predicted(struct slu_buffers *b, struct json_object *found,
			   double now);
/* A node reports with this request what it has prefetched so far. */
void slu_buffers_prefetched(struct slu_buffers *b,
			    const struct slu_node_ask *ask);
/* For people: {on, jobs, brought_bytes, used_bytes, wasted_bytes, waiting
 * [{job_id, uid, node, state, since, brought_bytes, why}]}, where `waiting` is
 * limited to this user's jobs (SLU_NO_ID: all). Caller puts. */
struct json_object *slu_buffers_prefetches(const struct slu_buffers *b,
					   uint32_t uid);

const char *slu_phase_name(size_t phase);
/* SLU_PHASES elements, borrowed. */
const struct slu_phase_use *slu_buffers_phases(const struct slu_buffers *b);

/* Removes from the database at most max buffers, oldest first, that ended
 * before `before` (Unix seconds) and of which no node has anything left, or
 * that ended 30 days before it. Returns how many, or -1. */
long slu_buffers_prune(struct slu_db *db, double before, size_t max,
		       struct slu_err *err);

/* Bytes of data in the buffers of this pool that are alive, as far as their
 * nodes have reported. */
uint64_t slu_buffers_used(const struct slu_buffers *b, const char *pool);
/* How many nodes are drained because of buffers; a node counts once for each
 * buffer. */
size_t slu_buffers_drained(const struct slu_buffers *b);

/* The sentence of squeue and scontrol for each buffer in a phase that ends by
 * itself: {"BUFFER": sentence}. Caller puts. */
struct json_object *slu_buffers_progress(const struct slu_buffers *b,
					 uint32_t job_id, uint32_t uid);
/* How full the buffers are whose nodes have reported it: {"BUFFER":
 * {"used_bytes": bytes of data on its nodes, "told": how many nodes have
 * reported}}; for a job also the persistent buffer that it uses. Caller
 * puts. */
struct json_object *slu_buffers_fullness(const struct slu_buffers *b,
					 uint32_t job_id, uint32_t uid);

#endif
