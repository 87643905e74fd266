/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_WIRE_NODE_H
#define SLU_WIRE_NODE_H

/* Messages between nodes and sluiced, over HTTP. */

#include "wire/node_plan.h"

#define SLU_DOC_MAX (32u << 20) /* bytes of one sysmap document */

/* Bytes in a persistent buffer on a node, now and at most. */
struct slu_fill {
	uint32_t job_id;
	uint64_t buffer, used, used_most;
};

/* What a node has prefetched for a job (PrestageTo): bytes of inputs, and how
 * many of them the job has used. */
struct slu_prefetch_report {
	uint32_t job_id;
	uint64_t prefetched, used;
	bool done; /* the prefetch has ended */
	bool over; /* it is thrown away; the last report of it */
};

struct slu_node_ask { /* /v1/plan, /v1/poll, /v1/owed (job 0) */
	uint32_t job_id;
	uint64_t buffer; /* 0: not known yet */
	char *node;
	char *seen; /* /v1/poll: answer when the word differs from this one */
	/* /v1/poll while it copies: bytes and files of this node so far, and
	 * (on the first node) of the whole request. */
	uint64_t copied, to_copy, copied_files, files_to_copy;
	/* /v1/poll: set up earlier. Sent after the word "plan", when sluiced
	 * does not know the run: the node's own note of it, as JSON. */
	bool ready;
	char *plan;
	uint32_t restarts; /* /v1/plan: SLURM_JOB_RESTART_COUNT in the prolog */
	/* /v1/owed: why a leftover of a buffer that sluiced does not know
	 * cannot be removed; "": it has been removed. */
	char *dirty;
	/* /v1/owed: the instances whose data of failed stage-outs this node
	 * still keeps, "JOB.BUFFER JOB.BUFFER"; NULL: not reported. */
	char *kept;
	/* /v1/poll: bytes of this node's storage that the file system takes
	 * now, less what it took when it was empty; not known if it has none
	 * here, or if this release does not report it. */
	bool used_known;
	uint64_t used;
	/* /v1/owed: the persistent buffers that the node has checked since its
	 * last request. */
	struct slu_fill *fill;
	size_t n_fill;
	struct slu_prefetch_report *prefetch; /* /v1/owed */
	size_t n_prefetch;
};
extern const struct slu_desc slu_node_ask_desc;

struct slu_node_inventory { /* /v1/owed: what this node must take down or report
			     */
	struct slu_plan *plan; /* without their secrets */
	size_t n_plan;
	/* Kept data that was given up: "JOB.BUFFER JOB.BUFFER"; NULL: none. */
	char *discard;
	/* Jobs that wait, or are being set up, and will probably run here: the
	 * node must prefetch their inputs. Plans without an instance; `over`:
	 * the job has begun, its prefetched inputs stay for it, and no more are
	 * prefetched. */
	struct slu_plan *prefetch;
	size_t n_prefetch;
	bool prefetch_complete; /* complete: other inputs must go */
	char *prefetch_dropped; /* jobs whose inputs are to go: "JOB JOB " */
};
extern const struct slu_desc slu_node_inventory_desc;

/*
 * /v1/report: a node ends a step. Steps, in order; R is the request's index in
 * plan.stage: "storage", "server", "attach", "in.R.share", "ready", "down"
 * (teardown begins here; the answer waits until the job is known to have
 * ended), "out.R.share", "stopped", "clean", and "failed" (up gives up),
 * "restarted" (the node was rebooted and has lost the buffer; slurmctld ends a
 * job that runs), "missed" (no prolog has run here; with buffer 0: for the
 * job's present run), "lost_data" (data that was to be staged out is gone),
 * "aborted" (repeats to a sluiced with an older database that its answer was
 * abort), "doubted" (this node keeps its data although sluiced does not know of
 * any; the answer waits until slurmctld has reported the job), "held" (a
 * process still holds storage that was wiped), "outlived" (processes of the job
 * were ended before the stage-out). A share reports what this node copied and
 * verified; the shares of all nodes must add up to the manifest's totals.
 * "clean" with ok=false: this node cannot be cleaned; with buffer 0: it has no
 * note of any instance, so it is clean; bytes: size of the kept data (0:
 * unchanged).
 */
#define SLU_BY_HOLDERS "by content on the nodes that hold it"
struct slu_report {
	uint32_t job_id;
	uint64_t buffer;
	char *node;
	char *step;
	bool ok;
	char *text; /* why it failed, one sentence for the user; of a share that
		       was verified by the nodes that hold the data,
		       SLU_BY_HOLDERS */
	char *phase;	/* setup, stage_in, stage_out, teardown */
	double seconds; /* duration */
	uint64_t bytes, files;
	uint64_t total_bytes, total_files; /* of the whole request */
	char *enforced;			   /* "storage": quota, loop, no */
	double read_bytes, written_bytes; /* "stopped": the server's counters */
	bool ran;	/* it was ready once: tasks may have run on this node */
	bool uncounted; /* "stopped": nothing counts what tasks read and wrote
			 */
	bool mistake;	/* "failed": the request is wrong and can never work */
	bool no_room;	/* "failed": this node has no space for its share */
	/* As in struct slu_node_ask, and the most so far. */
	bool used_known;
	uint64_t used, used_most;
	/* A share of a stage-in: how many ranges of files were found in the
	 * node's stage cache, and were not, where it was asked; bytes of those
	 * found. */
	uint64_t cache_hits, cache_misses, cache_bytes;
};
extern const struct slu_desc slu_report_desc;

/*
 * Words of an answer.
 * up:    "go", or "abort": the job was cancelled, or setup has failed and the
 *        verdict is done; stop and exit 0.
 * down:  "go": stage out what on= and `success` allow, then clean. "skip":
 *        there is nothing to stage out, only clean. "abort": the stage-out has
 *        failed; stage nothing more, keep the data, go to "out.done", clean.
 * poll:  "go", "abort", "ended": the job of a buffer that ran has ended, and
 *        "left": Slurm has given the node free, or does not know the job any
 *        more, so nobody will run its epilog; not to one that is known to
 *        clean already;
 *        "plan": this run is not known, ask again with what is noted of it;
 *        "lost": this run was given up without this node, ask again soon;
 *        "again": the job runs anew on this node, set that up.
 */
struct slu_answer {   /* to report and poll */
	char *word;   /* one of these */
	char *text;   /* why; with "skip": why nothing is staged out */
	bool success; /* to "down": the job ended well (for on=) */
	/* To "down": tasks are known to have run. A node that knows of tasks,
	 * but does not get this, keeps its data whatever the word is: the
	 * database is older than the run. */
	bool ran;
};
extern const struct slu_desc slu_answer_desc;

/*
 * /v1/barrier: wait until every node of the plan that is not lost has arrived
 * at `name`, or the verdict is abort. The answer comes after at most 30 s (word
 * "wait": ask again); asking twice is harmless. Names: "room" (attr: the bytes
 * that are free where the plan wants this node's storage, and, if that is not
 * enough for its share, a blank and the sentence for the user; word "plan": the
 * shares have changed, fetch the plan again), "servers", "assembled" (for
 * drivers where one node assembles the file system), "mounted",
 * "in.R.manifest", "in.R.copied", "in.R.verified", "in.R.finished", "ready";
 * "out.begin" (nobody copies early any more), "out.R.manifest", "out.R.copied",
 * "out.R.verified", "out.R.finished", the same with "out.R.again1" where a node
 * that took part was lost, "out.done" (after "abort" too), "detached".
 * "out.done" waits until the job of a failed stage-out has its verdict; its
 * word is go when all data is safe, else abort. Where nodes stage out together,
 * a node that was lost gets abort. `text` is the reason for an abort; at
 * "ready" and "out.done" it is the text for the job's user, also after success.
 */
struct slu_barrier {
	uint32_t job_id;
	uint64_t buffer;
	char *node;
	char *name;
	char *attr; /* one short text that all others get (a port) */
	bool ran;   /* as in a report */
};
extern const struct slu_desc slu_barrier_desc;

struct slu_barrier_answer {
	char *word; /* go, abort, wait, plan */
	char *text;
	struct slu_pair *attr; /* node name -> its attr, in plan order */
	size_t n_attr;
	/* Host list: nodes that have not arrived. Of an open barrier it is
	 * kept. */
	char *away;
};
extern const struct slu_desc slu_barrier_answer_desc;

/* /v1/cancel: the owner of a job, root or SlurmUser stops its stage-out, which
 * counts as failed; files that were not copied are kept. The answer is "abort".
 */
struct slu_cancel {
	uint32_t job_id;
};
extern const struct slu_desc slu_cancel_desc;

/* /v1/discard: the same people discard kept data of failed stage-outs; the
 * nodes that have it learn of that with /v1/owed. */
struct slu_discard {
	uint32_t job_id;
	bool dry_run; /* only report what would be discarded */
};
extern const struct slu_desc slu_discard_desc;
struct slu_discarded {	/* the answer */
	char *hosts;	/* host list: the nodes that keep data */
	uint64_t bytes; /* of files, as far as reported */
};
extern const struct slu_desc slu_discarded_desc;

struct slu_io_report { /* /v1/io: a job's tasks on one node, at its end */
	uint32_t job_id;
	char *node;
	double read_bytes, written_bytes;
	uint32_t source; /* in one request */
};
extern const struct slu_desc slu_io_report_desc;

/* /v1/jobstats: what jobs have done on a storage server so far. */
#define SLU_SERVER_JOBS 200 /* at once */
struct slu_server_job {
	uint32_t job_id;
	double read_bytes, written_bytes, rpcs; /* since the job began */
	double idle;	     /* seconds since any of them last grew */
	double metadata_ops; /* of MDTs, since the job began */
	/* The same by file system (wire/fs_shares.h), whose sums they are;
	 * NULL: not known. */
	char *by_fs;
};
struct slu_server_io {
	struct slu_server_job *job;
	size_t n_job;
	char *node;	 /* the server */
	uint32_t source; /* SLU_IO_FORWARDERS, or 0: SLU_IO_JOBSTATS */
};
extern const struct slu_desc slu_server_io_desc;

struct slu_job_number {
	uint32_t job_id;
};
/* The answer, sent when the rest is on disk. */
struct slu_server_answer {
	struct slu_job_number
		*unknown; /* numbers without a job at that time; ascending */
	size_t n_unknown;
};
extern const struct slu_desc slu_server_answer_desc;

#endif
