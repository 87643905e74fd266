/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_RECORD_MEMBERS_H
#define SLU_LIFECYCLE_RECORD_MEMBERS_H

/*
 * The parts of a buffer's record (record.h) for its nodes, which are its
 * members: the state of each, the sums of what they have staged, and the
 * barriers. (db): in the database too.
 */

#include "burst_buffer/lifecycle/buffers.h"
#include "burst_buffer/lifecycle/transitions.h"

/* What slurmctld still has to do with a node (db; numbers must never
 * change). */
enum slu_bb_order {
	SLU_ORDER_NONE = 0,
	SLU_ORDER_DRAIN = 1, /* to be drained until it is clean */
	/* to be resumed, as it is clean; kept until slurmctld has saved that */
	SLU_ORDER_RESUME = 2,
};

/* What a node has told of data that it keeps (db; numbers must never
 * change). */
enum slu_bb_keeping {
	SLU_KEEPING_UNTOLD = 0,
	SLU_KEEPING_LISTED = 1,
	SLU_KEEPING_REMOVED = 2, /* it is gone */
};

struct slu_bb_used { /* bytes */
	bool known;
	uint64_t now;
	bool is_stored;
	uint64_t stored; /* (db) the highest */
};

struct slu_bb_member {
	enum slu_bb_node state;	 /* (db) */
	enum slu_bb_order order; /* (db) */
	uint64_t shared;	 /* (db) bit R: its share of stage R is here */
	bool attached;		 /* (db) it sees the file system */
	bool broken;	/* (db) a server or device of it failed under the job */
	size_t part;	/* of the file system, where it is split */
	size_t by_name; /* index of the i-th node in order of names */
	uint64_t copied, files;	     /* that it has copied: bytes, files */
	enum slu_bb_keeping keeping; /* (db) */
	uint64_t kept; /* (db) bytes of what it keeps; 0: as many as before */
	struct slu_bb_used used; /* of its storage, by data */
	double resumed;		 /* when slurmctld answered; 0: not yet */
	bool left; /* Slurm has released it, and its report is still expected */
	bool order_due; /* see effects.h */
};

struct slu_bb_share {
	uint64_t bytes, files, total_bytes, total_files;
	bool held; /* verified by the node that holds it */
	struct slu_cache_use cache;
};

/* Sums over the shares of one stage request that were reported so far (db). */
struct slu_bb_sum {
	struct slu_bb_share all; /* totals: the first that were reported */
	size_t n, held; /* shares, and those verified by the nodes that hold the
			   data */
	bool uneven;	/* nodes reported different totals */
	bool partly;	/* a node did less than its total */
};

/* A file system of its own within the buffer; without split= there is one
 * part. */
struct slu_bb_part {
	size_t n_node;
	struct slu_bb_sum *sum; /* plan.n_stage */
	uint64_t to_copy;	/* bytes of the request that is being staged */
	uint64_t files_to_copy; /* and files */
};

/* A barrier. Once open it stays open (db). */
struct slu_bb_barrier {
	char *name;
	bool open;
	char **attr; /* of each node; NULL: it has not arrived */
	/* The last answer, and the same without attributes, which shows a
	 * change; NULL: not made yet. */
	struct slu_text *said;
	char *brief;
	char *user_text; /* the text for the job's user; NULL: not yet made */
	char *away;	 /* nodes that have not arrived; NULL: not yet made */
};

#endif
