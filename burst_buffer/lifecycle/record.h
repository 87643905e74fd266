/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_RECORD_H
#define SLU_LIFECYCLE_RECORD_H

/*
 * The record of a buffer: what sluiced has of it in memory. Private to
 * burst_buffer/lifecycle. Members marked (db) are in the database too, and are
 * written there first; the others are learnt again after a restart, when nodes
 * and slurmctld ask again.
 *
 * job_events.c (slurmctld), node_requests.c (nodes) and live_buffers.c (time)
 * note facts; reconcile.c draws every conclusion from them. All write with
 * persistence.c, and request effects, which effects.c carries out when all is
 * decided.
 */

#include "burst_buffer/lifecycle/buffers.h"
#include "burst_buffer/lifecycle/record_members.h"

/* seconds that nodes wait for a verdict, at most */
#define SLU_BB_BOUND 30.0
/* seconds for which questions about a buffer that is done are answered */
#define SLU_BB_ANSWER_SECONDS 300.0
/* seconds after which slurmctld has saved its state */
#define SLU_BB_SAVED	30.0
#define SLU_BB_BARRIERS 1024 /* most barriers of one buffer */
#define SLU_BB_ATTR	256  /* longest attribute */
#define SLU_BB_BUCKETS	4096
/* Seconds after our start in which nodes report what they did before it: their
 * health check asks every ten minutes. */
#define SLU_BB_WITNESS 900.0
/* A node that was given up, or is to be resumed, for longer does not exist any
 * more. */
#define SLU_BB_FORGET (30 * 86400.0)

struct slu_request;

enum slu_bb_verdict {
	SLU_VERDICT_NONE = 0,
	/* slurmctld has not answered yet, or not yet saved that it acted */
	SLU_VERDICT_SENT = 1,
	SLU_VERDICT_DONE = 2,
};

/* What was last sent to libsluice's copy of the buffers (mirror), as far as it
 * can change; state 0: nothing. */
struct slu_bb_notified {
	enum slu_bb_state state;
	bool failed, boots;
	size_t done, clean; /* nodes */
	uint64_t waits_for; /* digest_late() of those nodes */
	double progress;    /* when it was last sent how much is copied */
	double at;	    /* when it was last sent anything */
	bool late; /* something has been delayed: see slu_bb_notify() */
};

/* How the job ended (db: numbers must never change). */
enum slu_bb_outcome {
	SLU_OUTCOME_FAILED = 0,
	SLU_OUTCOME_SUCCESS = 1,
	SLU_OUTCOME_UNSURE = 2, /* it has ended, and it is not known how */
};

struct slu_bb_end {
	double at; /* (db) 0: it has not */
	enum slu_bb_outcome outcome;
	bool requeued;	 /* (db) it was requeued */
	bool unlaunched; /* (db) nothing is to be staged out: none of its tasks
			    ran, or the user wanted that */
	bool hurry;	 /* (db) the user wanted that (scancel --hurry) */
	char state[24];	 /* Slurm's name for it; "": from an earlier sluiced */
};

/* The first failure, and the verdict: what slurmctld is to do about the job. */
struct slu_bb_failure {
	char *text;		     /* (db) NULL: none */
	enum slu_bb_state in;	     /* (db) */
	double at;		     /* (db) */
	enum slu_bb_verdict verdict; /* (db) */
	enum slu_on_failure what;    /* (db) the verdict */
	char *without;	/* (db) nodes (host list) that the requeued job must not
			   get; NULL: none */
	bool answered;	/* the verdict is in force */
	double done_at; /* when slurmctld answered, on this connection; 0: it
			   has not, or that is stored */
	bool bound_seen; /* waiting nodes have been woken after the time limit
			  */
};

/* db: numbers must never change */
enum slu_bb_destroy {
	SLU_DESTROY_NO = 0,
	SLU_DESTROY_SAFE = 1, /* when no job uses it and all is saved */
	SLU_DESTROY_FORCE = 2,
};

/* Members of a buffer whose end is not that of a job. */
struct slu_bb_persistent {
	enum slu_bb_destroy destroy; /* (db) in a job's buffer: its kept data is
					discarded */
	char *aged;    /* (db) its age, see expiry.c; NULL: none */
	char *unsaved; /* (db) what could not be staged out */
	size_t users;  /* number of jobs that use it, as last counted */
	double asked;  /* early stage-in: when its job last asked */
};

struct slu_bb {
	struct slu_bb *next; /* older */
	struct slu_bb *peer; /* the next older one in the same bucket */
	/* See effects.h. */
	struct slu_bb *next_due;
	bool is_due;
	unsigned effects;

	/* Identity */
	uint64_t id;	   /* (db) */
	char *user;	   /* (db) */
	uint32_t restarts; /* (db) of the job, in this run */
	int64_t job_start; /* (db) */
	double created;	   /* (db) */

	struct slu_plan plan; /* (db) without state and secret */
	/* as nodes get it, [1]: as one that is over; NULL: not made yet */
	struct slu_text *plan_text[2];
	bool full; /* it has no plan, but only for lack of space */

	/* State */
	enum slu_bb_state state; /* (db) */
	double since;		 /* (db) beginning of this state */
	double ready;		 /* (db) 0: it has not been ready yet */
	double grace; /* seconds added to the deadline of this state */
	/* Seconds that stage-in and stage-out took; 0: not over, or not known
	 */
	double took[2];
	double extended; /* when the last `extend` was sent */

	struct slu_bb_member *member; /* plan.n_node */
	struct slu_bb_part *part;
	size_t n_part;
	struct slu_bb_barrier *barrier;
	size_t n_barrier;
	bool keeps; /* its nodes keep what could not be staged out */
	/* loaded: from the database. unwitnessed: the connection to slurmctld
	 * began when it did not know the run any more, so sluiced has not seen
	 * its end. */
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
	char *nodes; /* host list; NULL: this entry is empty */
	bool reported;
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
	struct slu_predicted *predicted; /* see predicted_nodes.h */
	size_t n_predicted;
#define SLU_UNPREDICTED 64
	uint32_t unpredicted[SLU_UNPREDICTED]; /* the last that are over */
	size_t n_unpredicted;		       /* ever */
	struct slu_prefetch_use prefetch_use;
	struct slu_uptime uptime; /* boot "": not told yet */
	/* Nodes that are drained because of data of an unknown run, as last
	 * reported. */
	struct slu_bb_dirty {
		char *node, *reason;
	} * dirty;
	size_t n_dirty;
	struct slu_bb_ended_run unknown[SLU_BB_ENDED_RUNS];
	size_t n_unknown; /* entries ever made */
	/* Lines last logged about jobs that ask again; two jobs that share an
	 * entry are logged more than once. */
	struct {
		uint32_t job_id;
		char text[SLU_ERR_TEXT];
	} not_yet[16];
};

/* Buffers in memory */
void slu_bb_free(struct slu_bb *bb);
/* A new record with this plan (taken over) and nothing else; NULL: no
 * memory. */
struct slu_bb *slu_bb_with_plan(struct slu_plan *plan);
/* Add it as the newest; remove it. */
void slu_bb_join(struct slu_buffers *b, struct slu_bb *bb);
void slu_bb_leave(struct slu_buffers *b, struct slu_bb *bb);
/* The newest of this job, and the next older one of the same job; NULL:
 * none. */
struct slu_bb *slu_bb_of(const struct slu_buffers *b, uint32_t job_id);
struct slu_bb *slu_bb_older(const struct slu_bb *bb);
bool slu_bb_is_newest(const struct slu_buffers *b, const struct slu_bb *bb);
/* The caller clears it with slu_msg_clear(). */
int slu_bb_copy_plan(const struct slu_plan *from, struct slu_plan *to,
		     struct slu_err *err);
/* Swap plan, members and sums of two records; no node may have arrived at a
 * barrier of bb. */
void slu_bb_exchange(struct slu_bb *bb, struct slu_bb *with);
/* Looks up the present addresses of its nodes, in a plan that no node has got
 * yet. */
int slu_bb_locate(const struct slu_buffers *b, struct slu_bb *bb,
		  struct slu_err *err);
/* The plan has changed: drops its texts. */
void slu_bb_forget_text(struct slu_bb *bb);
/* A message as a text of which the caller has a reference; NULL: no memory. */
struct slu_text *slu_bb_text(const struct slu_desc *desc, const void *msg);
/* The plan's text, with this value of `over`; cached, as it is long and the
 * same for many nodes. Borrowed; NULL: no memory. */
struct slu_text *slu_bb_plan_text(struct slu_bb *bb, bool over);
/* Allocates members and sums for its plan; -1 without memory. */
int slu_bb_alloc_members(struct slu_bb *bb);
long slu_bb_index(const struct slu_bb *bb, const char *node);
void slu_bb_add_cache(struct slu_cache_use *sum,
		      const struct slu_cache_use *one);
/* The step of a node on which a server of the file system has died under the
 * job, or a device with a part of it has failed. */
#define SLU_BB_BROKEN "server_lost"
/* A step that succeeded, in memory: the share of a stage request, or that the
 * node is attached. */
void slu_bb_note_step(struct slu_bb *bb, size_t i, const char *step,
		      const struct slu_bb_share *share);

#endif
