/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_WIRE_PLAN_H
#define SLU_WIRE_PLAN_H

/* The plan of a buffer, as sluiced makes it (burst_buffer/plan/plan.h) and its
 * nodes fetch it over HTTP (wire/node.h). */

#include "wire/codec.h"

struct slu_plan_node {
	char *name;
	char *addr;
	char *storage;	   /* directory of ours on its local storage; the
			    * instance's own is JOB.BUFFER in it */
	uint64_t capacity; /* bytes this node gives */
	bool staging;	   /* it takes part in staging */
	bool client;	   /* it gives nothing, it only reaches the others */
	/* Of a split file system: which part it gives to and sees, a word that
	 * can name a file (the leaf switch's); NULL: there is one for all. */
	char *part;
	/* Processors that its servers run on, as "0-7,16-23", and why these;
	 * NULL: wherever. */
	char *cpus;
	char *cpus_why;
};

extern const struct slu_desc slu_plan_node_desc;

struct slu_stage { /* one stage_in or stage_out, symbols expanded */
	bool out;
	char *source;
	char *destination;
	char *type;   /* directory, file, list, auto */
	char *on;     /* success, failure, always (stage_out) */
	bool content; /* verified by content, not only by size and time */
	bool apart;   /* while the job runs only the staging node copies */
};

/* A directory whose default layout is set before the job starts. */
struct slu_stripe {
	char *target;  /* absolute path; "": the job's own file system */
	char *program; /* lfs */
	char *layout;  /* arguments of `lfs setstripe`, a blank between two */
	char *why;     /* what it was chosen by, for the job's log */
	/* Of each file that the job's programs make there: */
	uint32_t per_file; /* targets; 0: as the layout says */
	uint64_t size;	   /* bytes; 0: not said */
	char *fsname;	   /* of Lustre; NULL: not said */
};

struct slu_pair {
	char *key;
	char *value;
};
extern const struct slu_desc slu_pair_desc;

/* Numbers that no job has: Slurm gives them to no cluster. */
#define SLU_PERSIST_FIRST UINT32_C(0xfd000000)

struct slu_plan {	 /* /v1/plan */
	uint64_t buffer; /* the instance */
	uint32_t job_id;
	uint32_t restarts; /* of the job, before this run */
	uint32_t uid, gid;
	char *name;		 /* JOBFS unless named */
	char *fs;		 /* the FileSystem line */
	char *pool;		 /* that it is counted in; NULL: none */
	char *driver;		 /* its driver */
	struct slu_pair *option; /* the line's options */
	size_t n_option;
	uint64_t capacity; /* asked, in all */
	uint32_t tolerate; /* so many nodes may be lost with their data */
	char *dw;	   /* striped, private: tasks get DW_JOB_... too */
	bool dw_both;	   /* striped, and a part for each node alone */
	bool quiet;	   /* nothing of it into the job's output */
	/* Made for this instance; travels in the reply's credential. */
	char *secret;
	struct slu_plan_node *node;
	size_t n_node;
	struct slu_stage *stage;
	size_t n_stage;
	struct slu_stripe *stripe;
	size_t n_stripe;
	/* A buffer that outlives jobs, on nodes of its own. Its job_id is no
	 * job's (SLU_PERSIST_FIRST or more). */
	bool persistent;
	bool group;	  /* members of gid may use it */
	uint32_t creator; /* the job that had it made */
	int64_t expires;  /* Unix seconds */
	/* A job that uses one: which instance, the nodes that it lives on, and
	 * what their servers told. */
	uint64_t use;
	uint32_t use_job;
	struct slu_plan_node *server;
	size_t n_server;
	struct slu_pair *attr;
	size_t n_attr;
	/* A buffer of `creator` that waits with what is staged in, for the run
	 * that takes it over; it is persistent, too. */
	bool ahead;
	/* What was staged in before this run: by which instance of that kind,
	 * and its job_id. 0: nothing. */
	uint64_t staged;
	uint32_t staged_job;
	/* As in struct slu_job. */
	uint32_t het_job, het_buffers;
	int64_t boot_timeout; /* as in struct slu_job */
	int64_t setup_timeout, stage_in_timeout, stage_out_timeout;
	int64_t teardown_timeout, keep_failed;
	/* Not 0: so many nodes are to give something, those that come first and
	 * have room; each tells at the barrier "room" how much it has, before
	 * it makes anything. */
	uint32_t givers;
	bool over; /* in /v1/owed: it has to be taken down */
	/* There, of a persistent one: which instances of jobs use it,
	 * "JOB.BUFFER JOB.BUFFER ...". NULL: it is not told. */
	char *users;
	/* And that it is not known to be ready: who has it is to say all of it
	 * again, as the database may be older than it is. */
	bool unready;
};
extern const struct slu_desc slu_plan_desc;

/* An option of the plan, or `fallback`. */
const char *slu_plan_option(const struct slu_plan *plan, const char *key,
			    const char *fallback);

#endif
