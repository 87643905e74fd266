/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_WIRE_CONTROL_H
#define SLU_WIRE_CONTROL_H

/*
 * The control socket between libsluice (in slurmctld) and sluiced: one JSON
 * line per message, see slu_envelope(). Level-triggered: on connect each side
 * sends `hello` with its whole live state; later messages carry changes.
 */

#include "wire/job.h"

#define SLU_WIRE_VERSION 3
/* Of all running jobs at once: 50,000 with their hosts and curves. */
#define SLU_LINE_MAX (64u << 20)

struct slu_node_addr {
	char *name;
	char *addr; /* NodeAddr: a name or a number */
};

/* libsluice -> sluiced */

struct slu_hello_ctl { /* "hello" */
	uint32_t version;
	char *slurm_version;
	char *cluster;
	struct slu_node_addr *nodes;
	size_t n_nodes;
	/* Every running or completing job, and those with a request that have
	 * ended and that slurmctld remembers. */
	struct slu_job *jobs;
	size_t n_jobs;
	char *release;	    /* of libsluice */
	int64_t conf_read;  /* when it read the sluice.conf that it uses */
	char *conf_wrong;   /* why it cannot use a newer one; NULL: none */
	char *slurm_advice; /* lines: what to change in slurm.conf */
};

struct slu_job_nodes { /* "job_nodes": nodes left COMPLETING, or are DOWN */
	uint32_t job_id;
	char *left; /* host list: their epilog has ended */
	char *lost; /* host list: slurmctld holds them DOWN */
};

/* "node_is": the answer to "where". A struct slu_node_addr; addr NULL: there is
 * no such node. */
extern const struct slu_desc slu_node_is_desc;

/* "job_cancelled": it never had nodes, or the stage-out of a run is to end */
struct slu_job_cancelled {
	uint32_t job_id;
	int64_t start; /* of the run, Unix seconds; 0: it never had nodes */
};

/* "job_started", "job_ended", "history", and "job_waits" (pending, for
 * persistent buffers to be made or destroyed, or for its stage-in): a struct
 * slu_job */

struct slu_io_use { /* "io_use": of IOStart, twice a minute while it is on */
	double capacity, demand; /* bytes/s: IOBandwidth, and of it in use */
	uint32_t waiting;	 /* jobs, now; 0 with advise */
	uint64_t waited, bound;	 /* have, of them until MaxIOWait, */
	uint64_t advised;	 /* would have, since slurmctld started */
};

extern const struct slu_desc slu_hello_ctl_desc, slu_job_nodes_desc,
	slu_job_cancelled_desc, slu_job_started_desc, slu_job_ended_desc,
	slu_history_desc, slu_job_waits_desc, slu_io_use_desc;

struct slu_done { /* "done": answer to a command */
	uint64_t id;
	bool ok;
	char *text; /* why not */
};
extern const struct slu_desc slu_done_desc;

/* sluiced -> libsluice */

struct slu_where { /* "where" is this node? It may be new, or have moved. */
	char *node;
};
extern const struct slu_desc slu_where_desc;

struct slu_buffer_state { /* "buffer": one line of the mirror */
	uint64_t buffer;  /* instance id */
	uint32_t job_id;
	uint32_t uid;
	char *name;
	char *state; /* SETUP, STAGE_IN, RUNNING, STAGE_OUT, TEARDOWN, DONE */
	char *text;  /* for squeue: what is being waited for, or what failed */
	uint64_t size;
	int64_t created;
	char *pending; /* host list: RUNNING, of all; else of those that the
			* others wait for */
	bool failed;
	char *pool; /* that it is counted in; NULL: none */
	/* One that outlives jobs: job_id is no job's. */
	bool persistent;
	bool group;	  /* not its owner's alone */
	bool leaving;	  /* nobody may begin to use it any more */
	uint32_t creator; /* the job that had it made */
	int64_t expires;
	bool ahead; /* it only waits for `creator`, with what is staged in */
	char *coherence; /* a word of coherence=; NULL: not known */
};

/* Storage that is counted together, as the resource map knows it. */
struct slu_pool_kept {
	uint32_t uid;
	uint64_t size; /* bytes */
};

struct slu_pool_capacity {
	char *name;
	uint64_t total;	    /* bytes */
	uint64_t available; /* bytes that were free when nodes last said */
	uint64_t kept;	    /* bytes that failed stage-outs have left */
	uint64_t largest;   /* bytes for users that one node can hold */
	uint32_t nodes;	    /* that have any */
	char *hosts; /* host list: these, of a pool with a tier; NULL: not told
		      */
	bool complete;		      /* nothing of it is unknown */
	struct slu_pool_kept *owners; /* whose that is */
	size_t n_owners;
};

/* A file system that some nodes cannot do, as `sluice-node probe --push` says
 * there. */
#define SLU_CAPACITY_MOVER "(mover)" /* no file system: the site's Mover */
struct slu_fs_capacity {
	char *name;
	uint32_t able;	 /* nodes that have not said so */
	uint32_t unable; /* those that have */
	char *node;	 /* one of them */
	char *why;	 /* what it said */
};

struct slu_capacity {			 /* "supply": whenever it has changed */
	struct slu_pool_capacity *pools; /* in the order of sluice.conf */
	size_t n_pools;
	struct slu_fs_capacity *fs; /* only those with unable nodes */
	size_t n_fs;
};

struct slu_hello_daemon { /* "hello" */
	uint32_t version;
	struct slu_buffer_state *buffers; /* all that are alive */
	size_t n_buffers;
};

struct slu_extend { /* "extend": time spent setting up, given back */
	uint32_t job_id;
	int64_t give_back; /* seconds since the job's start time */
	bool final;	   /* the last node is ready: exactly this much */
	uint32_t restarts; /* the run that was requeued so often before */
};

/* "hold", "requeue", "fail", "cancel", "complete"; and "staged", when all that
 * was to be staged out was: nothing is done to the job. */
struct slu_verdict {
	uint32_t job_id;
	char *reason; /* one sentence for the user */
	/* Which run of it is meant: one that waits for its first or next run,
	 * or the run that was requeued so often before. */
	bool pending;
	uint32_t restarts;
	int64_t ended; /* that run; Unix seconds, 0: not yet */
	char *without; /* "requeue": its next run shall not have these nodes, a
			* host list; NULL: it may have any */
};

struct slu_node_order { /* "drain", "resume" */
	char *node;
	char *reason;
};

struct slu_annotate { /* "annotate": the text squeue shows as reason */
	uint32_t job_id;
	char *text; /* NULL: take ours away */
	bool waits; /* why it cannot have yet what it waits for */
};

struct slu_published { /* "published" */
	uint64_t epoch;
	bool ok;
	char *text;
};

struct slu_job_moved {
	uint32_t job_id;
	double read_bytes, written_bytes;
};
/* "jobs_moved": what running jobs have moved since their starts, as Lustre's
 * servers have seen; those of which they have told nothing new are left out. */
struct slu_jobs_moved {
	struct slu_job_moved *jobs;
	size_t n_jobs;
};

struct slu_stored { /* "stored": this history row is on disk */
	uint32_t job_id;
	int64_t start;
};

struct slu_history_row { /* "history_row": it has its I/O now */
	struct slu_job job;
	double read_bytes, written_bytes; /* by its tasks; 0: unknown */
	/* how, as struct slu_import_io has it */
	double calls, called_bytes, shared_bytes, consecutive;
	double io_bandwidth; /* MB/s over its run time; 0: unknown */
	/* These do not travel. */
	uint32_t io_source; /* enum slu_io_source */
	double rpcs;	    /* of bytes, as Lustre's servers saw them */
};

struct slu_history_rows { /* "history_rows": the replay, oldest first */
	char *packed;	  /* see wire/rows.h */
};

struct slu_history_end { /* "history_end" */
	uint64_t rows;
};

extern const struct slu_desc slu_hello_daemon_desc, slu_buffer_desc,
	slu_extend_desc, slu_hold_desc, slu_requeue_desc, slu_fail_desc,
	slu_cancel_job_desc, slu_complete_desc, slu_staged_desc, slu_drain_desc,
	slu_resume_desc, slu_annotate_desc, slu_published_desc, slu_stored_desc,
	slu_history_row_desc, slu_history_rows_desc, slu_history_end_desc,
	slu_capacity_desc, slu_jobs_moved_desc;

/* What each side understands, for slu_envelope_parse(). */
extern const struct slu_desc *const slu_to_daemon[];
extern const struct slu_desc *const slu_to_ctl[];

#endif
