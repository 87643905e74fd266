/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_WIRE_CONTROL_H
#define SLU_WIRE_CONTROL_H

/*
 * Messages on the control socket between libsluice (in slurmctld) and sluiced:
 * one line of JSON each, see slu_envelope(). Level-triggered: when connected,
 * each side sends `hello` with its whole state; later messages carry changes.
 */

#include "wire/job.h"

#define SLU_WIRE_VERSION 3
/* Enough for all running jobs in one line: 50,000 with their hosts and curves.
 */
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
	/* Every running or completing job, and ended jobs with a request that
	 * slurmctld still has. */
	struct slu_job *jobs;
	size_t n_jobs;
	char *release;	    /* of libsluice */
	int64_t conf_read;  /* when libsluice read its sluice.conf, */
	uint64_t conf_hash; /* and the XXH3 of its text; 0: not told */
	char *conf_wrong;   /* why it cannot use a newer one; NULL: none */
	char *slurm_advice; /* lines: what to change in slurm.conf */
};

struct slu_job_nodes { /* "job_nodes": nodes that have left COMPLETING, or are
			  DOWN */
	uint32_t job_id;
	char *left; /* host list: their epilog has ended */
	char *lost; /* host list: slurmctld holds them DOWN */
};

/* "node_is": the answer to "where". A struct slu_node_addr; addr NULL: there is
 * no such node. */
extern const struct slu_desc slu_node_is_desc;

/* "job_cancelled": the job never had nodes, or the stage-out of this run is to
 * end */
struct slu_job_cancelled {
	uint32_t job_id;
	int64_t start; /* of the run, Unix seconds; 0: it never had nodes */
};

/* "job_started", "job_ended", "history", and "job_waits" (a pending job waits
 * for persistent buffers to be made or destroyed, or for its stage-in): a
 * struct slu_job */

struct slu_io_use { /* "io_use": state of IOStart, twice a minute while it is on
		     */
	double capacity,
		demand; /* bytes/s: IOBandwidth, and how much of it is in use */
	uint32_t waiting;	/* jobs that wait now; 0 with advise */
	uint64_t waited, bound; /* jobs that have waited, and of these until
				   MaxIOWait, */
	uint64_t advised;	/* and that would have waited (advise), since
				   slurmctld started */
	uint32_t known;		/* enum slu_io_known */
	uint32_t targets, degraded; /* of Lustre, as reported by the servers */
	uint32_t silent; /* servers that have not reported for a while */
	/* IOMetadata, operations/s; 0: metadata does not count. How many are in
	 * use; and jobs that wait for them. */
	double metadata_capacity, metadata_demand;
	uint32_t metadata_waiting;
	/* As for IOBandwidth. */
	uint32_t metadata_known, metadata_targets, metadata_degraded,
		metadata_silent;
	int64_t metadata_unheard;
	/* The file system that IOBandwidth or IOMetadata name, NULL: all as
	 * one; there is a message for each, with its place among them. */
	char *fs;
	uint32_t place;
	int64_t unheard; /* Unix seconds since when none has; 0: one does */
};
/* Where the capacity comes from. Numbers are for ever: they are sent. */
enum slu_io_known {
	SLU_IO_CONFIGURED = 0,
	SLU_IO_UNKNOWN = 1,  /* auto; no job is held */
	SLU_IO_REACHED = 2,  /* what Lustre's servers reached under load */
	SLU_IO_RAN_WELL = 3, /* what was moved while ended jobs ran well */
	SLU_IO_HELD = 4,     /* what servers did for ten minutes, which is more
			      * than either of these */
};

extern const struct slu_desc slu_hello_ctl_desc, slu_job_nodes_desc,
	slu_job_cancelled_desc, slu_io_use_desc;

struct slu_done { /* "done": answer to a command */
	uint64_t id;
	bool ok;
	char *text; /* why it failed */
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
	char *pending; /* host list: in RUNNING all nodes; else those that the
			  others wait for */
	bool failed;
	char *pool; /* pool in which it is counted; NULL: none */
	/* Outlives jobs: then job_id is not a job's. */
	bool persistent;
	bool group;	  /* its group may use it, too */
	bool leaving;	  /* it is about to be destroyed: no new users */
	uint32_t creator; /* the job that had it made */
	int64_t expires;
	bool early; /* made before the run of `creator`, for its early stage-in
		     */
	char *coherence; /* a value of coherence=; NULL: not known */
};

/* A pool's capacity and what counts against it, by the resource map. */
struct slu_pool_kept {
	uint32_t uid;
	uint64_t size; /* bytes */
};

struct slu_pool_capacity {
	char *name;
	uint64_t total; /* bytes */
	uint64_t
		available; /* bytes that were free at the nodes' last reports */
	uint64_t kept;	   /* bytes of data kept after failed stage-outs */
	uint64_t largest;  /* most bytes that one node can give to users */
	/* the same for a share that is spread over devices, and on how many
	 * these are, each with room for all manifests; 0: none is */
	uint64_t together;
	uint32_t devices;
	uint32_t nodes; /* nodes with storage of this pool */
	char *hosts;	/* host list: these nodes, if the pool has a tier; NULL:
			   not reported */
	bool complete;	/* all its nodes have reported */
	struct slu_pool_kept *owners; /* the owners of kept data */
	size_t n_owners;
};

/* A file system that some nodes cannot run, as `sluice-node probe --push`
 * reports. */
#define SLU_CAPACITY_MOVER \
	"(mover)" /* instead of a file system's name: the site's Mover */
struct slu_fs_capacity {
	char *name;
	uint32_t able;	 /* nodes that have not reported that */
	uint32_t unable; /* nodes that have */
	char *node;	 /* one of them */
	char *why;	 /* its report */
};

struct slu_capacity {			 /* "supply": whenever it has changed */
	struct slu_pool_capacity *pools; /* in the order of sluice.conf */
	size_t n_pools;
	struct slu_fs_capacity
		*fs; /* only file systems that some nodes cannot run */
	size_t n_fs;
};

struct slu_hello_daemon { /* "hello" */
	uint32_t version;
	struct slu_buffer_state *buffers; /* all that are alive */
	size_t n_buffers;
};

struct slu_extend { /* "extend": time spent on setup is given back to the job */
	uint32_t job_id;
	int64_t give_back; /* seconds since the job's start time */
	bool final;	   /* the last node is ready: this is the final value */
	uint32_t restarts; /* the run that was requeued so many times before */
};

/* "hold", "requeue", "fail", "cancel", "complete"; or "staged" after a complete
 * stage-out, which does nothing to the job. */
struct slu_verdict {
	uint32_t job_id;
	char *reason; /* one sentence for the user */
	/* Which run is meant: one that waits for its first or next start, or
	 * the run that was requeued so many times before. */
	bool pending;
	uint32_t restarts;
	int64_t ended; /* when that run ended; Unix seconds, 0: not yet */
	char *without; /* "requeue": exclude these nodes from the next run, a
			  host list; NULL: none */
};

struct slu_node_order { /* "drain", "resume" */
	char *node;
	char *reason;
};

struct slu_annotate { /* "annotate": the text squeue shows as reason */
	uint32_t job_id;
	char *text; /* NULL: remove our text */
	bool waits; /* the text says why the job still waits */
};

struct slu_published { /* "published" */
	uint64_t epoch;
	bool ok;
	char *text;
};

struct slu_job_moved {
	uint32_t job_id;
	double read_bytes, written_bytes;
	double metadata_ops;
	char *by_fs; /* of it, as in struct slu_history_row */
};
/* "jobs_moved": bytes, and operations of metadata, that running jobs have moved
 * since their starts, as Lustre's servers have counted; jobs without new counts
 * are left out. */
struct slu_jobs_moved {
	struct slu_job_moved *jobs;
	size_t n_jobs;
};

struct slu_start_told {
	uint32_t job_id;
	char *text; /* "50 % by 2026-11-28T14:20, 90 % by ..., on n12 .8", with
		       local times of sluiced's host, and no "; " */
};
/* "starts": when jobs that wait will start, for their comments; ascending by
 * job_id. Complete: nothing is told any more of jobs that are left out. */
struct slu_starts {
	struct slu_start_told *jobs;
	size_t n_jobs;
};

/* "io_capacity": what Lustre's servers say of themselves, twice a minute while
 * they do and IOBandwidth or IOMetadata is auto: a message for each. */
struct slu_io_capacity {
	/* bytes/s, or operations/s, with all targets; 0: not seen full yet */
	double capacity;
	double held; /* what they have done for ten minutes: it is as much
		      * at least */
	uint32_t targets, degraded;
	uint32_t silent; /* servers that have not reported for ten minutes, but
			    still count */
	uint32_t scope;	 /* IOScope that counts, of enum slu_io_scope */
	char *fs;	 /* whose targets count; NULL: all */
};

struct slu_stored { /* "stored": this history row is on disk */
	uint32_t job_id;
	int64_t start;
};

struct slu_history_row { /* "history_row": the job's I/O is known now */
	struct slu_job job;
	double read_bytes, written_bytes; /* by its tasks; 0: unknown */
	/* its calls, as in struct slu_import_io */
	double calls, called_bytes, shared_bytes, consecutive;
	double io_bandwidth; /* MB/s over its run time; 0: unknown */
	/* Members that are not sent. */
	uint32_t io_source; /* enum slu_io_source */
	double rpcs;	    /* of bytes, as Lustre's servers saw them */
	/* Sent with the replay, and alone as "metadata_row": operations that
	 * Lustre's MDTs have counted; 0: unknown. */
	double metadata_ops;
	/* What of it Lustre's servers have counted for which file system
	 * (wire/fs_shares.h); NULL: not known. Sent with the replay, and as
	 * "fs_row", where IOBandwidth or IOMetadata name file systems. */
	char *by_fs;
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
	slu_capacity_desc, slu_jobs_moved_desc, slu_io_capacity_desc,
	slu_starts_desc,
	/* of a struct slu_history_row: */
	slu_metadata_row_desc, slu_fs_row_desc;

/* Messages that each side understands, for slu_envelope_parse(). */
extern const struct slu_desc *const slu_to_daemon[];
extern const struct slu_desc *const slu_to_ctl[];

#endif
