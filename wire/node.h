/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_WIRE_NODE_H
#define SLU_WIRE_NODE_H

/* What nodes and sluiced say to each other over HTTP. */

#include "wire/plan.h"

#define SLU_DOC_MAX (32u << 20) /* bytes of one sysmap document */

/* How full a persistent buffer is on a node, and was at most, in bytes. */
struct slu_fill {
	uint32_t job_id;
	uint64_t buffer, used, used_most;
};

struct slu_node_ask { /* /v1/plan, /v1/poll, /v1/owed (job 0) */
	uint32_t job_id;
	uint64_t buffer; /* 0: not known yet */
	char *node;
	char *seen; /* /v1/poll: answer when the word differs from this */
	/* /v1/poll while it copies: bytes and files of this node so far, and
	 * (the first node) of the whole request. */
	uint64_t copied, to_copy, copied_files, files_to_copy;
	/* /v1/poll: it was set up long since. Asked for by the word "plan":
	 * what is noted of it here, as JSON; nobody there knows it. */
	bool ready;
	char *plan;
	uint32_t restarts; /* /v1/plan: SLURM_JOB_RESTART_COUNT in the prolog */
	/* /v1/owed: what nobody knows there cannot be removed, why not. "": it
	 * could at last. */
	char *dirty;
	/* /v1/owed: what data of failed stage-outs it still has: the instances,
	 * "JOB.BUFFER JOB.BUFFER"; NULL: it does not say. */
	char *kept;
	/* /v1/poll: bytes that the file system takes of this node's storage
	 * now, without what it took when it was empty; not known: nothing of
	 * it lies here, or this peer does not tell. */
	bool used_known;
	uint64_t used;
	/* /v1/owed: the persistent ones that it has looked at since it asked
	 * last. */
	struct slu_fill *fill;
	size_t n_fill;
};
extern const struct slu_desc slu_node_ask_desc;

struct slu_node_inventory { /* /v1/owed: what this node has to take down or tell
			       of */
	struct slu_plan *plan; /* without their secrets */
	size_t n_plan;
	/* What is kept of failed stage-outs and was given up: "JOB.BUFFER
	 * JOB.BUFFER"; NULL: nothing. */
	char *discard;
};
extern const struct slu_desc slu_node_inventory_desc;

/*
 * /v1/report: a node ends a step. Steps, in order; R is the request's index
 * in plan.stage: "storage", "server", "attach", "in.R.share", "ready",
 * "down" (teardown begins here; the answer waits until the job is known to
 * have ended), "out.R.share", "stopped", "clean", and "failed" (up gives up),
 * "restarted" (the node was, and has nothing of it any more; a job that runs is
 * slurmctld's to end), "missed" (no prolog was run here; with buffer 0: for the
 * job's present run), "lost_data" (data that was to be staged out is gone),
 * "aborted" (told again to a sluiced whose database is older: it had said abort
 * then), "doubted" (this node keeps its data although sluiced does not know
 * that there is any; the answer waits until slurmctld has told of the job),
 * "held" (some of the storage is, though it was wiped), "outlived" (processes
 * of the job were ended before the stage-out). A share says what this node
 * copied and verified; with the totals of the manifest the shares of all nodes
 * must add up. "clean" with ok=false: this node cannot be cleaned; with buffer
 * 0: it has no note of any instance, so it is clean; bytes: what is kept takes
 * so many (0: as many as before).
 */
#define SLU_BY_HOLDERS "by content on the nodes that hold it"
struct slu_report {
	uint32_t job_id;
	uint64_t buffer;
	char *node;
	char *step;
	bool ok;
	char *text;	/* why not, one sentence for the user; of a share that
			 * was verified so, SLU_BY_HOLDERS */
	char *phase;	/* setup, stage_in, stage_out, teardown */
	double seconds; /* it took */
	uint64_t bytes, files;
	uint64_t total_bytes, total_files; /* of the whole request */
	char *enforced;			   /* "storage": quota, loop, no */
	double read_bytes, written_bytes; /* "stopped": the server's counters */
	bool ran; /* all was ready once: tasks may have run on this node */
	bool uncounted; /* "stopped": nobody counts what tasks read and wrote */
	bool mistake;	/* "failed": of the request, it can never work */
	bool no_room;	/* "failed": this node has none for its share */
	/* As in struct slu_node_ask, and at most so far. */
	bool used_known;
	uint64_t used, used_most;
	/* A share of a stage-in: ranges of files that lay in the node's stage
	 * cache, and that did not, where it was asked; bytes of the former. */
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
	char *word;   /* see above */
	char *text;   /* why; with "skip": why nothing is staged out */
	bool success; /* to "down": the job ended well (for on=) */
	/* To "down": it is known that tasks may have run. A node that knows it
	 * of itself, and is not told so, keeps its data whatever the word is:
	 * the database is older than the run. */
	bool ran;
};
extern const struct slu_desc slu_answer_desc;

/*
 * /v1/barrier: hold until every node of the plan that is not lost has come to
 * `name`, or the verdict is abort. The answer comes after at most 30 s (word
 * "wait": ask again); asking twice is harmless. Names: "room" (attr: the bytes
 * that are free where the plan wants this node's storage; if it has not enough
 * for its share, a blank and the sentence that says so; word "plan": the nodes
 * give something else now, ask for the plan again), "servers",
 * "assembled" (drivers where one node does that), "mounted",
 * "in.R.manifest", "in.R.copied", "in.R.verified", "in.R.finished", "ready";
 * "out.begin" (nobody copies early any more), "out.R.manifest", "out.R.copied",
 * "out.R.verified", "out.R.finished", the same with "out.R.again1" where a node
 * that had a part in it was lost, "out.done" (after "abort" too), "detached".
 * "out.done" is held until a failed stage-out's job has its verdict; it says go
 * when all data is safe, else abort. Where nodes stage out together, one that
 * was lost is told abort. `text` is why an abort; at "ready" and "out.done" it
 * is what the job's user shall read, also of what went well.
 */
struct slu_barrier {
	uint32_t job_id;
	uint64_t buffer;
	char *node;
	char *name;
	char *attr; /* one short text all others get to see (a port) */
	bool ran;   /* as in a report */
};
extern const struct slu_desc slu_barrier_desc;

struct slu_barrier_answer {
	char *word; /* go, abort, wait, plan */
	char *text;
	struct slu_pair *attr; /* node name -> its attr, in plan order */
	size_t n_attr;
	/* Host list: who has not come to it. Of one that is open it stays so.
	 */
	char *away;
};
extern const struct slu_desc slu_barrier_answer_desc;

/* /v1/cancel: the owner of a job, root or SlurmUser stops its stage-out, which
 * then has failed; what was not copied is kept. The answer is "abort". */
struct slu_cancel {
	uint32_t job_id;
};
extern const struct slu_desc slu_cancel_desc;

/* /v1/discard: the same people give up what failed stage-outs have left; the
 * nodes that it lies on hear of it with /v1/owed. */
struct slu_discard {
	uint32_t job_id;
	bool dry_run; /* only say what */
};
extern const struct slu_desc slu_discard_desc;
struct slu_discarded {	/* the answer */
	char *hosts;	/* host list: who keeps some of it */
	uint64_t bytes; /* of files, as far as they have told */
};
extern const struct slu_desc slu_discarded_desc;

struct slu_io_report { /* /v1/io: a job's tasks on one node, at its end */
	uint32_t job_id;
	char *node;
	double read_bytes, written_bytes;
	uint32_t source; /* enum slu_io_source; 0: SLU_IO_TASKS */
};
extern const struct slu_desc slu_io_report_desc;

/* /v1/jobstats: what jobs have done on a storage server so far. */
#define SLU_SERVER_JOBS 200 /* at once */
struct slu_server_job {
	uint32_t job_id;
	double read_bytes, written_bytes, rpcs; /* since it began */
	double idle; /* s since that has grown last */
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
/* The answer, when the rest is on disk. */
struct slu_server_answer {
	struct slu_job_number *unknown; /* no such job ran then; ascending */
	size_t n_unknown;
};
extern const struct slu_desc slu_server_answer_desc;

#endif
