/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_RECORD_H
#define SLU_LIFECYCLE_RECORD_H

/*
 * The record of a buffer in sluiced's memory, private to
 * burst_buffer/lifecycle. Members marked (db) are in the database too, and are
 * written there first; the others are learnt again after a restart, when nodes
 * and slurmctld ask again.
 *
 * Who calls whom: job_events.c (slurmctld), node_requests.c (nodes) and
 * buffers.c (time) note a fact, and then reconcile.c draws every conclusion
 * from the facts. Both write with persistence.c, and put effects, which
 * effects.c carries out when all is decided.
 */

#include "burst_buffer/lifecycle/buffers.h"
#include "burst_buffer/lifecycle/transitions.h"

#define SLU_BB_BOUND	30.0  /* most seconds that nodes wait for a verdict */
#define SLU_BB_KEEP	300.0 /* seconds that a done one is still answered for */
#define SLU_BB_SAVED	30.0  /* after these slurmctld has saved what it did */
#define SLU_BB_BARRIERS 1024  /* most barriers of one buffer */
#define SLU_BB_ATTR	256   /* longest attribute */
#define SLU_BB_BUCKETS	4096
/* Seconds after our start in which nodes tell what they did before it: their
 * health check asks, every ten minutes. */
#define SLU_BB_WITNESS 900.0
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
	SLU_VERDICT_SENT = 1, /* slurmctld has not yet answered, or not yet
			       * saved what it did */
	SLU_VERDICT_DONE = 2,
};

struct slu_bb_used { /* bytes */
	bool known;
	uint64_t now;
	bool is_stored;
	uint64_t stored; /* (db) the most */
};

struct slu_bb_member {
	enum slu_bb_node state;	 /* (db) */
	enum slu_bb_order order; /* (db) */
	uint64_t shared;	 /* (db) bit R: it told its share of stage R */
	bool attached;		 /* (db) it sees the file system */
	size_t part;		 /* of the file system, where it is split */
	size_t by_name; /* of the i-th: which node that is, in their order */
	uint64_t copied, files; /* that it is known to have copied: bytes */
	bool removed;  /* what it kept is not there any more, as it says */
	uint64_t kept; /* (db) bytes that it takes; 0: as many as before */
	struct slu_bb_used used; /* of its storage, by data */
	double resumed;		 /* when slurmctld said so; 0: not yet */
	bool left; /* Slurm has given it free, and it is still to be heard */
	bool order_due; /* see effects.h */
};

struct slu_bb_share {
	uint64_t bytes, files, total_bytes, total_files;
	bool held; /* verified by who holds it */
	struct slu_cache_use cache;
};

/* The shares of one stage request that were told so far (db). */
struct slu_bb_sum {
	struct slu_bb_share all; /* totals are those that were told first */
	size_t n, held;		 /* of them, by who holds it */
	bool uneven;		 /* nodes told different totals */
	bool partly;		 /* a node did less than its total */
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
struct slu_bb_barrier {
	char *name;
	bool open;
	char **attr; /* of each node; NULL: it has not come */
	/* The last answer, and the same without attributes, which tells whether
	 * it is still right; NULL: not yet made. */
	char *said, *brief;
	char *told; /* what the job's user is to read; NULL: not yet made */
	char *away; /* who has not come; NULL: not yet made */
};

/* What the mirror was told last, as far as it can change; state 0: nothing. */
struct slu_bb_notified {
	enum slu_bb_state state;
	bool failed, boots;
	size_t done, clean; /* nodes */
	uint64_t waits_for; /* which, see digest_late() */
	double progress;    /* when it was told how much is copied */
	double at;	    /* when it was told at all */
	bool late;	    /* something is not yet told: see slu_bb_notify() */
};

/* How the job ended (db: numbers are for ever). */
enum slu_bb_outcome {
	SLU_OUTCOME_FAILED = 0,
	SLU_OUTCOME_SUCCESS = 1,
	SLU_OUTCOME_UNSURE = 2, /* it has, and nobody knows how */
};

struct slu_bb_end {
	double at; /* (db) 0: it has not */
	enum slu_bb_outcome outcome;
	bool requeued;	 /* (db) it runs again */
	bool unlaunched; /* (db) nothing is to be staged out: no task of it
			  * ran, or its user said so */
	bool hurry;	 /* (db) its user said so */
	char state[24];	 /* Slurm's word; "": told to an earlier sluiced */
};

/* The first failure, and what slurmctld is to do about it. */
struct slu_bb_failure {
	char *text;		     /* (db) NULL: none */
	enum slu_bb_state in;	     /* (db) */
	double at;		     /* (db) */
	enum slu_bb_verdict verdict; /* (db) */
	enum slu_on_failure what;    /* (db) the verdict */
	char *without;	/* (db) nodes that the job is put back without, a host
			 * list; NULL: none */
	bool answered;	/* the verdict is in force */
	double done_at; /* when slurmctld said so, on this connection; 0: it has
			 * not, or that is stored */
	bool bound_seen; /* waiting nodes know that the bound has passed */
};

enum slu_bb_destroy { /* (db: numbers are for ever) */
		      SLU_DESTROY_NO = 0,
		      SLU_DESTROY_SAFE =
			      1, /* when nobody uses it and all of it is safe */
		      SLU_DESTROY_FORCE = 2,
};

/* Of one that no job's end ends. */
struct slu_bb_persistent {
	enum slu_bb_destroy destroy; /* (db) of a job's: what it keeps is given
				      * up */
	char *aged;		     /* (db) see expiry.c; NULL: not at all */
	char *unsaved;		     /* (db) what could not be staged out */
	size_t users;		     /* jobs that use it, as last counted */
	double asked; /* staged in ahead: when its job asked last */
};

struct slu_bb {
	struct slu_bb *next; /* older */
	struct slu_bb *peer; /* older, in the same bucket */
	/* See effects.h. */
	struct slu_bb *next_due;
	bool is_due;
	unsigned effects;

	/* Which it is. */
	uint64_t id;	   /* (db) */
	char *user;	   /* (db) */
	uint32_t restarts; /* (db) of the job, in this run */
	int64_t job_start; /* (db) */
	double created;	   /* (db) */

	struct slu_plan plan; /* (db) without state and secret */
	char *plan_text[2];   /* as nodes get it, [1]: as one that is over;
			       * NULL: not yet made */
	bool full;	      /* no plan, but only for want of space */

	/* Where it is. */
	enum slu_bb_state state; /* (db) */
	double since;		 /* (db) this state */
	double ready;		 /* (db) 0: it was not yet */
	double grace;		 /* s, added to the deadline of this state */
	/* s that staging in, and out, took; 0: not over, or not known */
	double took[2];
	double extended; /* when the last `extend` was told */

	struct slu_bb_member *member; /* plan.n_node */
	struct slu_bb_part *part;
	size_t n_part;
	struct slu_bb_barrier *barrier;
	size_t n_barrier;
	bool keeps; /* its nodes do what could not be staged out */
	/* Read from the database; and slurmctld knew nothing of its run any
	 * more when it was asked: nobody here has seen its end. */
	bool loaded, unwitnessed;

	struct slu_bb_end end; /* of the job */
	struct slu_bb_failure failure;
	struct slu_bb_persistent persistent;
	struct slu_bb_notified notified;
};

/* See recovery_ended.h: a run that has ended without a record. */
struct slu_bb_ended_run {
	uint32_t job_id, restarts;
	int64_t ended;
	char *nodes; /* host list; NULL: none is here */
	bool told;
};
#define SLU_BB_ENDED_RUNS 32

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
	struct slu_bb *first_due, *last_due; /* see effects.h */
	struct slu_phase_use phase[SLU_PHASES];
	struct slu_uptime uptime; /* "": it was not told */
	/* Nodes drained for what no run is known of, as they said last. */
	struct slu_bb_dirty {
		char *node, *reason;
	} * dirty;
	size_t n_dirty;
	struct slu_bb_ended_run unknown[SLU_BB_ENDED_RUNS];
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
bool slu_bb_is_newest(const struct slu_buffers *b, const struct slu_bb *bb);
/* The caller clears it with slu_msg_clear(). */
int slu_bb_copy_plan(const struct slu_plan *from, struct slu_plan *to,
		     struct slu_err *err);
/* Give bb, at whose barriers nobody has come yet, plan, members and sums of the
 * other, which gets its own. */
void slu_bb_exchange(struct slu_bb *bb, struct slu_bb *with);
/* Where its nodes are by now, of a plan that nobody has yet. */
int slu_bb_locate(const struct slu_buffers *b, struct slu_bb *bb,
		  struct slu_err *err);
/* It has changed: its texts are made anew. */
void slu_bb_forget_text(struct slu_bb *bb);
/* The plan's text, with that word of `over`: long, and the same for many nodes.
 * Borrowed; NULL: no memory. */
const char *slu_bb_plan_text(struct slu_bb *bb, bool over);
/* Give it members and sums for its plan; -1 without memory. */
int slu_bb_room(struct slu_bb *bb);
long slu_bb_index(const struct slu_bb *bb, const char *node);
void slu_bb_add_cache(struct slu_cache_use *sum,
		      const struct slu_cache_use *one);
/* A step that went well, in memory: R's share, or that it is attached. */
void slu_bb_note_step(struct slu_bb *bb, size_t i, const char *step,
		      const struct slu_bb_share *share);

#endif
