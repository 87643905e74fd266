/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_WIRE_NODE_PLAN_H
#define SLU_WIRE_NODE_PLAN_H

/* The plan of a buffer: sluiced makes it (burst_buffer/plan/plan.h), and its
 * nodes fetch it over HTTP (wire/node.h). */

#include "wire/codec.h"

struct slu_plan_device {
	char *storage;	   /* our directory on the device */
	uint64_t capacity; /* bytes of the node's share that lie there */
};

struct slu_plan_node {
	char *name;
	char *addr;
	char *storage;	   /* our directory on its local storage; the instance's
			      directory is JOB.BUFFER in it */
	uint64_t capacity; /* bytes this node gives */
	/* Further devices of a share that is spread (NodeDevices=all): the rest
	 * of `capacity` lies at `storage`. Those that have a part of it come
	 * first; the others may get one when the nodes have told their room. */
	struct slu_plan_device *more;
	size_t n_more;
	bool staging; /* it takes part in staging */
	bool client;  /* it gives no storage, it only mounts the file system */
	/* Of a split file system: the part to which it gives storage and which
	 * it sees, a word that can be used in a file name (the leaf switch's);
	 * NULL: there is one for all. */
	char *part;
	/* Processors that its servers run on, as "0-7,16-23", and the reason;
	 * NULL: any. */
	char *cpus;
	char *cpus_why;
};

extern const struct slu_desc slu_plan_node_desc;
extern const struct slu_desc slu_plan_device_desc;

struct slu_stage { /* one stage_in or stage_out, with symbols expanded */
	bool out;
	char *source;
	char *destination;
	char *type;   /* directory, file, list, auto */
	char *on;     /* success, failure, always (stage_out) */
	bool content; /* verified by content, not only by size and time */
	bool apart;   /* while the job runs, only the staging node copies */
};

/* A directory whose default layout is set before the job starts. */
struct slu_stripe {
	char *target;  /* absolute path; "": the job's own file system */
	char *program; /* of lfs */
	char *layout;  /* arguments of `lfs setstripe`, separated by blanks */
	char *why;     /* how it was chosen, for the job's log */
	/* For each file that the job's programs create there: */
	uint32_t per_file; /* targets; 0: as in the layout */
	uint64_t size;	   /* bytes; 0: not given */
	char *fsname;	   /* Lustre's name; NULL: not given */
};

struct slu_pair {
	char *key;
	char *value;
};
extern const struct slu_desc slu_pair_desc;

/* Job numbers that Slurm never assigns. */
#define SLU_PERSIST_FIRST UINT32_C(0xfd000000)

struct slu_plan {	 /* /v1/plan */
	uint64_t buffer; /* the instance */
	uint32_t job_id;
	uint32_t restarts; /* of the job before this run */
	uint32_t uid, gid;
	char *name;		 /* JOBFS unless the request names it */
	char *fs;		 /* the FileSystem line */
	char *pool;		 /* pool in which it is counted; NULL: none */
	char *driver;		 /* its driver */
	struct slu_pair *option; /* the line's options */
	size_t n_option;
	uint64_t capacity; /* total in the request */
	uint32_t
		tolerate; /* number of nodes that may be lost with their data */
	char *dw; /* striped, private: tasks get DW_JOB_... variables, too */
	bool dw_both; /* both a striped file system and one for each node */
	bool quiet;   /* write nothing about it into the job's output */
	/* Made for this instance; sent in the reply's credential. */
	char *secret;
	struct slu_plan_node *node;
	size_t n_node;
	struct slu_stage *stage;
	size_t n_stage;
	struct slu_stripe *stripe;
	size_t n_stripe;
	/* A buffer that outlives jobs, on nodes of its own. Its job_id is not a
	 * job's (SLU_PERSIST_FIRST or more). */
	bool persistent;
	bool group;	  /* members of gid may use it */
	uint32_t creator; /* the job that created it */
	int64_t expires;  /* Unix seconds */
	/* For a job that uses one: its instance, its nodes, and the attributes
	 * of their servers. */
	uint64_t use;
	uint32_t use_job;
	struct slu_plan_node *server;
	size_t n_server;
	struct slu_pair *attr;
	size_t n_attr;
	/* A buffer for the early stage-in of `creator`: it waits, with the data
	 * staged in, for the run that takes it over; it is persistent, too. */
	bool early;
	/* The instance into which data was staged before this run, and its
	 * job_id. 0: none. */
	uint64_t staged;
	uint32_t staged_job;
	/* As in struct slu_job. */
	uint32_t het_job, het_buffers;
	int64_t boot_timeout; /* as in struct slu_job */
	int64_t setup_timeout, stage_in_timeout, stage_out_timeout;
	int64_t teardown_timeout, keep_failed;
	/* Not 0: that many nodes have to give storage, the first ones with
	 * enough space; each reports its space at the barrier "room" before it
	 * makes anything. */
	uint32_t givers;
	bool over; /* in /v1/owed: the node must take it down */
	/* In /v1/owed, of a persistent buffer: the instances of jobs that use
	 * it, "JOB.BUFFER JOB.BUFFER ...". NULL: not known. */
	char *users;
	/* And it is not known to be ready: its nodes have to report everything
	 * again, as the database may be older than the buffer. */
	bool unready;
};
extern const struct slu_desc slu_plan_desc;

/* How many devices have a part of the node's share: 1 unless it is spread. */
size_t slu_plan_devices(const struct slu_plan_node *node);
/* The k-th device of the node, of 1 + n_more; 0: at node->storage. Borrowed. */
struct slu_plan_device slu_plan_device(const struct slu_plan_node *node,
				       size_t k);
/* Is any node's share spread over devices? */
bool slu_plan_is_spread(const struct slu_plan *plan);

/* An option of the plan, or `fallback`. */
const char *slu_plan_option(const struct slu_plan *plan, const char *key,
			    const char *fallback);

#endif
