/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_RECORD_H
#define SLU_LIFECYCLE_RECORD_H

/*
 * Private to the daemon's side of burst_buffer/: a buffer in memory. What is
 * marked (db) stands in the database too, and is written there first; the
 * rest is known again when nodes and slurmctld ask again.
 *
 * Who calls whom: job_events.c (slurmctld), node_requests.c (nodes) and
 * buffers.c (time) note a fact, and then reconcile.c draws every conclusion
 * from the facts; persistence.c writes, notifications.c says what became of it.
 */

#include "burst_buffer/lifecycle/buffers.h"
#include "burst_buffer/lifecycle/transitions.h"

#define SLU_BB_BOUND   30.0  /* most seconds that nodes wait for a verdict */
#define SLU_BB_KEEP    300.0 /* seconds that a done one is still answered for */
#define SLU_BB_SAVED   30.0  /* after these slurmctld has saved what it did */
#define SLU_BB_GATES   1024  /* most barriers of one buffer */
#define SLU_BB_ATTR    256   /* longest attribute */
#define SLU_BB_BUCKETS 4096
/* A node that was lost, or is to be resumed, for longer is there no more. */
#define SLU_BB_FORGET (30 * 86400.0)

/* What slurmctld owes a node (db; numbers are for ever). */
enum slu_bb_order {
	SLU_ORDER_NONE = 0,
	SLU_ORDER_DRAIN = 1,  /* to be DRAINed until it is clean */
	SLU_ORDER_RESUME = 2, /* is clean, to be resumed; kept until that is
			       * saved */
};

struct slu_request;

enum slu_bb_verdict {
	SLU_VERDICT_NONE = 0,
	SLU_VERDICT_TOLD = 1, /* slurmctld has not yet answered, or not yet
			       * saved what it did */
	SLU_VERDICT_DONE = 2,
};

#define SLU_BB_UNSURE 2 /* (db) neither success (1) nor not (0) */

struct slu_bb_member {
	enum slu_bb_node state;	 /* (db) */
	enum slu_bb_order order; /* (db) */
	uint64_t shared;	 /* (db) bit R: it told its share of stage R */
	bool attached;		 /* (db) it sees the file system */
	size_t part;		 /* of the file system, where it is split */
	uint64_t copied, files;	 /* that it is known to have copied: bytes */
	bool removed;	/* what it kept is not there any more, as it says */
	double resumed; /* when slurmctld said so; 0: not yet */
};

struct slu_bb_share {
	uint64_t bytes, files, total_bytes, total_files;
};

/* The shares of one stage request that were told so far (db). */
struct slu_bb_sum {
	struct slu_bb_share all; /* totals are those that were told first */
	size_t n;
	bool uneven; /* nodes told different totals */
	bool partly; /* a node did less than its total */
};

/* A file system of its own within the buffer; one that is not split is the
 * only part. */
struct slu_bb_part {
	size_t n_node;
	struct slu_bb_sum *sum; /* plan.n_stage */
	uint64_t to_copy;	/* bytes of the request that is being staged, */
	uint64_t files_to_copy; /* and files */
};

/* A barrier. Open for ever once it is open (db). */
struct slu_bb_gate {
	char *name;
	bool open;
	char **attr; /* of each node; NULL: it has not come */
	/* The last answer, and the same without attributes, which tells whether
	 * it is still right; NULL: not yet made. */
	char *said, *brief;
};

/* What the mirror was told last, as far as it can change; state 0: nothing. */
struct slu_bb_told {
	enum slu_bb_state state;
	bool failed;
	size_t done, clean; /* nodes */
	double progress;    /* when it was told how much is copied */
	double at;	    /* when it was told at all */
	bool late;	    /* something is not yet told: see slu_bb_tell() */
};

struct slu_bb {
	struct slu_bb *next;  /* older */
	struct slu_bb *peer;  /* older, in the same bucket */
	uint64_t id;	      /* (db) */
	struct slu_plan plan; /* (db) without state and secret */
	char *user;	      /* (db) */
	enum slu_bb_state state;
	uint32_t restarts;		     /* (db) of the job, in this run */
	int64_t job_start;		     /* (db) */
	double created, since, ready, ended; /* (db) 0: not yet */
	bool success, requeued;		     /* (db) how the job ended */
	bool unsure;	 /* (db) and whether it succeeded is not known */
	bool unlaunched; /* (db) it did, and nothing is to be staged out:
			  * no task of it ran, or its user said so */
	char *failure;	 /* (db) NULL: none */
	enum slu_bb_state failed_in; /* (db) */
	double failed_at;	     /* (db) */
	enum slu_bb_verdict verdict; /* (db) */
	bool answered;		     /* the verdict is in force */
	double done_at; /* when slurmctld said so, on this connection; 0: it has
			 * not, or that is stored */
	enum slu_on_failure what;     /* (db) the verdict */
	struct slu_bb_member *member; /* plan.n_node */
	struct slu_bb_part *part;
	size_t n_part;
	struct slu_bb_gate *gate;
	size_t n_gate;
	double grace;	    /* seconds added to the deadline of this state */
	double extended;    /* when the last `extend` was told */
	char *plan_text[2]; /* as nodes get it, [1]: as one that is over; NULL:
			     * not yet made */
	bool full;	    /* no plan, but only for want of space */
	int destroy;	 /* (db) persistent: 1: when nobody uses it and all of
			  * it is safe, 2: by force */
	char *aged;	 /* (db) persistent: see expiry.c; NULL: not at all */
	char *unsaved;	 /* (db) persistent: what could not be staged out */
	size_t users;	 /* persistent: jobs that use it, as last counted */
	double asked;	 /* ahead: when its job asked last */
	bool bound_seen; /* waiting nodes know that the bound has passed */
	bool keeps;	 /* its nodes do what could not be staged out */
	struct slu_bb_told told;
};

/* recovery_ended.c: a run that has ended without a record. */
struct slu_bb_unknown {
	uint32_t job_id, restarts;
	int64_t ended;
	char *nodes; /* host list; NULL: none is here */
	bool told;
};
#define SLU_BB_UNKNOWN 32

struct slu_buffers {
	struct slu_db *db;
	const struct slu_conf *conf;
	unsigned char key[SLU_BUFFERS_KEY];
	const struct slu_buffers_ops *ops;
	void *arg;
	double loaded;	      /* when it was */
	struct slu_bb *first; /* newest first */
	/* The same by job id, newest first. */
	struct slu_bb *bucket[SLU_BB_BUCKETS];
	struct slu_phase_use phase[SLU_PHASES];
	struct slu_uptime uptime; /* "": it was not told */
	struct slu_bb_unknown unknown[SLU_BB_UNKNOWN];
	size_t n_unknown; /* that were ever put there */
	/* What the log has last said of jobs that have to ask again; two that
	 * share a place say it more often than once. */
	struct {
		uint32_t job_id;
		char text[SLU_ERR_TEXT];
	} not_yet[16];
};

/* Buffers in memory. */
void slu_bb_free(struct slu_bb *bb);
/* One with this plan (which it takes) and nothing else; NULL: no memory. */
struct slu_bb *slu_bb_with_plan(struct slu_plan *plan);
/* It becomes the newest; it goes. */
void slu_bb_join(struct slu_buffers *b, struct slu_bb *bb);
void slu_bb_leave(struct slu_buffers *b, struct slu_bb *bb);
/* The newest of this job, and the next older one of the same; NULL: none. */
struct slu_bb *slu_bb_of(const struct slu_buffers *b, uint32_t job_id);
struct slu_bb *slu_bb_older(const struct slu_bb *bb);
/* The caller clears it with slu_msg_clear(). */
int slu_bb_copy_plan(const struct slu_plan *from, struct slu_plan *to,
		     struct slu_err *err);
/* Give bb, at whose barriers nobody has come yet, plan, members and sums of the
 * other, which gets its own. */
void slu_bb_exchange(struct slu_bb *bb, struct slu_bb *with);
/* Where its nodes are by now, of a plan that nobody has yet. */
int slu_bb_locate(const struct slu_buffers *b, struct slu_bb *bb,
		  struct slu_err *err);
/* The plan's text, with that word of `over`: long, and the same for many nodes.
 * Borrowed; NULL: no memory. */
const char *slu_bb_plan_text(struct slu_bb *bb, bool over);
/* Give it members and sums for its plan; -1 without memory. */
int slu_bb_room(struct slu_bb *bb);
long slu_bb_index(const struct slu_bb *bb, const char *node);
struct slu_bb_gate *slu_bb_find_gate(const struct slu_bb *bb, const char *name);
/* The gate of this name; made when it is new. NULL: too many, or no memory. */
struct slu_bb_gate *slu_bb_gate(struct slu_bb *bb, const char *name);
/* Node i has come with this, which it takes. */
void slu_bb_gate_attr(struct slu_bb_gate *gate, size_t i, char *attr);
/* Has everyone come who is still to come? */
bool slu_bb_all_came(const struct slu_bb *bb, const struct slu_bb_gate *gate);
/* Appends the answer to who asks at it: this word, and what each has brought.
 * Kept, for all ask for the same. */
int slu_bb_gate_answer(const struct slu_bb *bb, struct slu_bb_gate *gate,
		       const char *word, struct slu_buf *out,
		       struct slu_err *err);
void slu_bb_free_gates(struct slu_bb *bb);
/* Has node i nothing to seek there any more, see slu_bb_is_replaced()? */
bool slu_bb_gate_shut(const struct slu_bb *bb, const struct slu_bb_gate *gate,
		      size_t i);
/* What node i is told at a barrier of down; false: to wait. One that was lost
 * waits for nobody, and nobody for it. */
bool slu_bb_gate_down(const struct slu_bb *bb, const struct slu_bb_gate *gate,
		      size_t i, const char **word);
/* The bits of the stage requests of one direction that are to be done: all
 * that go in, or those out that on= allows, or may. */
uint64_t slu_bb_stages(const struct slu_bb *bb, bool out);
/* Has it a plan that can be carried out? */
bool slu_bb_has_plan(const struct slu_bb *bb);
/* Was the file system in use, with data in it that is to be staged out? */
bool slu_bb_has_data(const struct slu_bb *bb);
/* Does it depend on how the job ended, which is not known, what is to be staged
 * out? */
bool slu_bb_in_doubt(const struct slu_bb *bb);
/* Do its nodes keep what could not be staged out? */
bool slu_bb_keeps(const struct slu_bb *bb, double now);
/* A failure whose verdict is done, or has been waited for long enough. */
bool slu_bb_released(const struct slu_bb *bb, double now);
/* Nodes in one of these states: SLU_IN(a) | SLU_IN(b). */
#define SLU_IN(state) (1u << (state))
size_t slu_bb_count(const struct slu_bb *bb, unsigned states);
/* Names of the nodes that `pick` says, as a host list. Caller frees; NULL
 * without memory. */
typedef bool slu_bb_pick_f(const struct slu_bb *bb, size_t i);
char *slu_bb_hosts(const struct slu_bb *bb, slu_bb_pick_f *pick);
bool slu_bb_is_lost(const struct slu_bb *bb, size_t i);
/* Does a part of the data lie on node i? It may lie on others, or on none. */
bool slu_bb_holds(const struct slu_bb *bb, size_t i);
/* Do all nodes stage out the same together? Then the others do the part of one
 * that was lost, which may still be at work, cut off. */
bool slu_bb_together(const struct slu_bb *bb);
bool slu_bb_is_replaced(const struct slu_bb *bb, size_t i);
bool slu_bb_all_ready(const struct slu_bb *bb);
/* A step that went well, in memory: R's share, or that it is attached. */
void slu_bb_note_step(struct slu_bb *bb, size_t i, const char *step,
		      const struct slu_bb_share *share);

/* persistence.c: the database first, then the same in memory. */
int slu_bb_insert(struct slu_db *db, struct slu_bb *bb, const char *job_name,
		  struct slu_err *err);
int slu_bb_advance(struct slu_db *db, struct slu_bb *bb,
		   enum slu_bb_event event, const char *text, double now,
		   struct slu_err *err);
/* An event of a node. One that cannot happen now is SLU_INVALID. */
int slu_bb_set_node(struct slu_db *db, struct slu_bb *bb, size_t i,
		    enum slu_node_event event, struct slu_err *err);
/* A step that a node reports, with its share, and the event that it means (0:
 * none). Told again it changes nothing, except that ok replaces not ok.
 * Returns 1 when it was news, 0 when not. */
int slu_bb_step(struct slu_db *db, struct slu_bb *bb, size_t i,
		const struct slu_report *r, enum slu_node_event event,
		double now, struct slu_err *err);
int slu_bb_set_order(struct slu_db *db, struct slu_bb *bb, size_t i,
		     enum slu_bb_order order, const char *text, double now,
		     struct slu_err *err);
/* How the job ended is that of `how`. */
int slu_bb_set_ended(struct slu_db *db, struct slu_bb *bb,
		     const struct slu_bb *how, const char *text, double now,
		     struct slu_err *err);
int slu_bb_set_start(struct slu_db *db, struct slu_bb *bb, int64_t start,
		     struct slu_err *err);
/* Its state begins only now, and its plan has other addresses. */
int slu_bb_set_booted(struct slu_db *db, struct slu_bb *bb, const char *text,
		      double now, struct slu_err *err);
int slu_bb_set_failure(struct slu_db *db, struct slu_bb *bb,
		       enum slu_bb_state in, const char *text,
		       enum slu_bb_verdict verdict, enum slu_on_failure what,
		       double now, struct slu_err *err);
int slu_bb_set_verdict_done(struct slu_db *db, struct slu_bb *bb,
			    const char *text, double now, struct slu_err *err);
int slu_bb_open_gate(struct slu_db *db, struct slu_bb *bb,
		     struct slu_bb_gate *gate, struct slu_err *err);
/* A node says that somebody holds some of what it has wiped. */
int slu_bb_held(struct slu_buffers *b, const struct slu_bb *bb,
		const struct slu_report *r, double now, struct slu_err *err);
int slu_bb_note(struct slu_db *db, const struct slu_bb *bb, const char *text,
		double now, struct slu_err *err);

/* Done for long enough, nothing of it is kept, and nothing is owed to or by any
 * node; or what is owed has been for SLU_BB_FORGET: the node is no longer
 * there. */
bool slu_bb_over(const struct slu_bb *bb, double now);

/* node_requests.c: would a poll of this member get "ended" or "abort"? */
bool slu_bb_is_over(struct slu_bb *bb, size_t member, double now);

/* node_usage.c: what the buffers that are alive, and the data that failed ones
 * have left (arg: struct slu_buffers), hold of
 * the storage that a plan wants; see struct slu_plan_site. */
int slu_bb_promised(void *buffers, const struct slu_plan *plan,
		    uint64_t *promised, struct slu_err *err);

/* phase_metrics.c: a phase is over after that many seconds; one has failed. */
void slu_bb_phase_over(struct slu_buffers *b, const struct slu_bb *bb,
		       enum slu_bb_state state, double seconds);
void slu_bb_phase_failed(struct slu_buffers *b, enum slu_bb_state state);

/* recovery_running.c: a node says that all was ready once, so that tasks may
 * have run. If the record is from before that, it is brought forward to it, and
 * what was to be staged out still is. -1: that cannot be stored. */
int slu_bb_heard_ran(struct slu_buffers *b, struct slu_bb *bb, const char *node,
		     double now, struct slu_err *err);
/* recovery_running.c: what a node knows of a run that the database does not. 1:
 * it shall tell its plan; 0: there is nothing to take over, or it was. */
int slu_bb_adopt(struct slu_buffers *b, const struct slu_node_ask *ask,
		 double now, struct slu_err *err);

/* recovery_ended.c: slurmctld says that this run has ended, and nothing is
 * known of it; a node says that it keeps what was to be staged out of one.
 * SLU_BUSY: slurmctld has not told of it. */
void slu_unknown_ended(struct slu_buffers *b, const struct slu_job *job,
		       double now);
int slu_unknown_doubted(struct slu_buffers *b, const struct slu_report *r,
			struct slu_answer *out, struct slu_err *err);
void slu_unknown_free(struct slu_buffers *b);

/* recovery.c */
int slu_bb_load(struct slu_buffers *b, double now, struct slu_err *err);

/* An open gate's attribute of node i has changed. */
int slu_bb_set_attr(struct slu_db *db, struct slu_bb *bb,
		    struct slu_bb_gate *gate, size_t i, const char *attr,
		    struct slu_err *err);
int slu_bb_set_destroy(struct slu_db *db, struct slu_bb *bb, int how,
		       const char *text, double now, struct slu_err *err);
int slu_bb_set_unsaved(struct slu_db *db, struct slu_bb *bb, const char *text,
		       double now, struct slu_err *err);

/* persistent.c: buffers that outlive jobs. */
/* Count who uses it, and end it if it is time. */
int slu_persist_review(struct slu_buffers *b, struct slu_bb *bb, double now,
		       struct slu_err *err);
/* The same of the one that this job's buffer uses, if it uses one. */
int slu_persist_review_used(struct slu_buffers *b, const struct slu_bb *user,
			    double now, struct slu_err *err);
/* It has been told to end, and no data in it keeps it. */
bool slu_persist_goes(const struct slu_bb *bb);
/* A stage-out from the one that `user` uses has failed. The first that did is
 * what is told of it; only by force does it end from then on, as nobody knows
 * what else of it is missing. Twice is once. */
int slu_persist_staged_out(struct slu_buffers *b, const struct slu_bb *user,
			   const char *text, double now, struct slu_err *err);
/* expiry.c: seconds until its time is over, by its date and by its age; and
 * note that age, now and then. */
double slu_persist_left(const struct slu_buffers *b, const struct slu_bb *bb,
			double now);
int slu_persist_age(struct slu_buffers *b, struct slu_bb *bb,
		    struct slu_err *err);
/* What users read of it; caller frees. */
char *slu_persist_sentence(const struct slu_bb *bb);
/* Where the data of a failed stage-out is, and how to come by it. NULL: no
 * memory. Caller frees. */
char *slu_bb_kept_where(const struct slu_bb *bb);
/* For struct slu_plan_site. arg: the buffers. */
int slu_persist_use(void *arg, const struct slu_job *job, const char *name,
		    struct slu_plan *plan, struct slu_err *err);

/* A number that no job has, for the next buffer without one; -1: no database.
 */
int64_t slu_persist_number(struct slu_buffers *b, double now,
			   struct slu_err *err);
/* A buffer with such a number begins: it is stored and among the others. The
 * plan is taken over, also without success (NULL). */
struct slu_bb *slu_persist_begin(struct slu_buffers *b,
				 const struct slu_job *job,
				 struct slu_plan *plan, double now,
				 struct slu_err *err);
/* What a waiting job cannot have is said to it, and it is held; but not where
 * it may have it later without doing anything (SLU_BUSY, and what failed is
 * the site's): then it asks again. */
void slu_persist_refuse(struct slu_buffers *b, const struct slu_job *job,
			const struct slu_err *why);

/* prestage.c: what is staged in before its job has nodes */
int slu_ahead_want(struct slu_buffers *b, const struct slu_job *job,
		   const struct slu_request *req, double now,
		   struct slu_err *err);
/* A run begins: what was staged in for it is no longer in its plan. *by: the
 * instance that has it, or NULL. */
void slu_ahead_take(const struct slu_buffers *b, uint32_t job_id,
		    struct slu_plan *plan, const struct slu_bb **by);
/* What goes in is no longer in the plan. */
void slu_ahead_only_out(struct slu_plan *plan);
/* A job is over that will not begin: nothing waits for it any more. */
int slu_ahead_gone(struct slu_buffers *b, uint32_t job_id, double now,
		   struct slu_err *err);
/* Why it is to end now; NULL: it is not. */
const char *slu_ahead_why_end(const struct slu_buffers *b,
			      const struct slu_bb *bb, double now);

/* hetjob.c: the components of a heterogeneous job, each of which may have a
 * buffer of its own. Of one that is no component: */
/* May its nodes let the job begin, as all components are set up? true */
bool slu_het_ready(const struct slu_buffers *b, const struct slu_bb *bb,
		   double now);
/* It is set up, and others are not, and are being so? false */
bool slu_het_waits(const struct slu_buffers *b, const struct slu_bb *bb);
/* The run is over, and its nodes may not be freed yet, as others' data is still
 * being staged out? false */
bool slu_het_outlasts(const struct slu_buffers *b, const struct slu_bb *bb);
/* What became of bb, the others may have waited for. Nothing. */
int slu_het_settle_others(struct slu_buffers *b, const struct slu_bb *bb,
			  double now, struct slu_err *err);

/* reconcile.c: with the other components of a heterogeneous job, and alone. */
int slu_bb_settle(struct slu_buffers *b, struct slu_bb *bb, double now,
		  struct slu_err *err);
int slu_bb_settle_one(struct slu_buffers *b, struct slu_bb *bb, double now,
		      struct slu_err *err);
/* Its nodes have to boot first, and none of them has asked what to do. */
bool slu_bb_boots(const struct slu_bb *bb);
/* Node i asks: if they were booting, set-up begins now. */
int slu_bb_booted(struct slu_buffers *b, struct slu_bb *bb, size_t i,
		  double now, struct slu_err *err);
/* failure.c */
/* The first failure counts; later ones become history. */
int slu_bb_fail(struct slu_buffers *b, struct slu_bb *bb, double now,
		struct slu_err *err, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/* A server on this node has ended under the running job: OnServerLoss. */
int slu_bb_lose_server(struct slu_buffers *b, struct slu_bb *bb,
		       const char *node, const char *why, double now,
		       struct slu_err *err);
/* A failure that somebody wants, unless there is one: the job, which has run,
 * is not run again. */
int slu_bb_cancel(struct slu_buffers *b, struct slu_bb *bb, const char *who,
		  double now, struct slu_err *err);
/* Seconds, 0: this state has no deadline. */
double slu_bb_deadline(const struct slu_buffers *b, const struct slu_bb *bb);
/* The deadline has passed. */
int slu_bb_timed_out(struct slu_buffers *b, struct slu_bb *bb, double now,
		     struct slu_err *err);

/* notifications.c: to slurmctld and the log. */
void slu_bb_log(struct slu_buffers *b, const struct slu_bb *bb,
		enum slu_level level, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
void slu_bb_wake(struct slu_buffers *b, const struct slu_bb *bb);
/* The mirror and squeue's reason, if they changed. Where many nodes come one by
 * one it waits, until the next second or until all of them have come: what is
 * said each time is of all nodes. */
void slu_bb_tell(struct slu_buffers *b, struct slu_bb *bb, double now);
/* What waits is said if it is time; else when it will be: *next, if that is
 * sooner. */
void slu_bb_tell_late(struct slu_buffers *b, struct slu_bb *bb, double now,
		      double *next);
/* Node i is copying: if that is news, what the mirror says of it is renewed now
 * and then. */
void slu_bb_tell_progress(struct slu_buffers *b, struct slu_bb *bb, size_t i,
			  const struct slu_node_ask *ask, double now);
void slu_bb_forget_progress(struct slu_bb *bb);
void slu_bb_tell_verdict(struct slu_buffers *b, const struct slu_bb *bb);
void slu_bb_tell_extend(struct slu_buffers *b, struct slu_bb *bb, double now);
void slu_bb_tell_order(struct slu_buffers *b, const struct slu_bb *bb,
		       size_t i);
/* All of it again, whether it changed or not; but no verdict, which waits until
 * slurmctld has said whether the job runs anew. */
void slu_bb_tell_all(struct slu_buffers *b, struct slu_bb *bb, double now);
/* Owned by the caller of slu_msg_clear(); -1 without memory. */
int slu_bb_mirror(const struct slu_bb *bb, struct slu_buffer_state *out);

#endif
