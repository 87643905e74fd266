/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_TBF_CONTROLLER_PRIVATE_H
#define SLU_SELECT_IO_TBF_CONTROLLER_PRIVATE_H

/*
 * Private to select_io/tbf: the controller's state, the table of jobs and
 * targets and the commands to be written, shared by the files that are named at
 * the functions.
 */

#include "select_io/tbf/controller.h"
#include "select_io/tbf/tokens.h"

#define SLU_TBF_NO_JOB UINT32_MAX
/* Tokens of an RPC before any is known, where tokens are bytes: 1 MiB. */
#define SLU_TBF_AT_FIRST (1048576.0 / SLU_TBF_TOKEN)

#define SLU_CLASS_NUMBER 12 /* a uid, gid or project id, with its end */

/* A job on one target. */
struct account {
	uint64_t start, rpcs, bytes; /* of the record in job_stats */
	double record, remainder;
	double tokens, limit; /* of this period; -1: was not active */
	double dealt;	      /* RPCs a second, the mean of a few tokens; -1 */
	double served;	      /* tokens in the last period */
	double mean;	      /* of a few periods */
};

/* What RPCs of a few seconds had in tokens; older ones count less. */
struct rpc_sizes {
	double rpcs, tokens;
};

struct job {
	char id[SLU_JOBID_SIZE];
	char name[SLU_RULE_NAME];
	double nodes;
	/* number of the class that it is of, by the table; "": not told */
	char of_class[SLU_CLASS_NUMBER];
	bool listed; /* its nodes are in the table */
	bool ended;  /* was in the table, and is not any more */
	bool exempt;
	bool of_user;  /* its name is that of an exempt user; the uid's rule,
			* above all others, decides whether it is true */
	bool wild;     /* its rule matches other jobs too */
	bool nameless; /* no rule can match only it: belongs to the crowd */
	double seen;   /* last time in job_stats or the table */
	double active; /* last time that it sent an RPC */
	double served; /* tokens in the last period, on all targets */
	double rpcs;   /* RPCs in it */
	struct rpc_sizes sizes;
	double size;	  /* tokens of an RPC; 1 where that is a token */
	double dealt;	  /* tokens a second */
	double wanted;	  /* rate of a rule that yields `dealt`; 0: no rule */
	double written;	  /* tokens a second by the written rule; 0: no rule */
	double changed;	  /* time of the last change of the rate */
	bool used_up;	  /* it used its rule's rate in the last period */
	bool waiting;	  /* it did so when it was active last */
	uint32_t rate;	  /* the rule's, for each class */
	uint32_t due;	  /* the rate that is to be written */
	double part;	  /* tokens a second by priority, on the targets used */
	double placed;	  /* number of nodes by which its rule was placed; 0:
			   * not known */
	uint32_t classes; /* with its rule; 0: unknown */
	uint32_t busy;	  /* classes with RPCs, estimated; 0: all */
	double slack;	  /* seconds for which it did less than it may */
	double trying;	  /* seconds left of a trial with fewer classes */
	bool found;	  /* its rule is among those being adopted */
	struct account *account; /* one for each target */
};

struct target {
	char name[64];
	double rate;
	double carry;
	double served;	/* tokens in the last period of jobs with a rule */
	double overrun; /* tokens that have passed beyond the rate */
	double dealt;	/* tokens a second to be dealt out: rate less overrun */
	double headroom; /* what of the settings' is needed */
	double nodes;	 /* of the active jobs */
	uint64_t newest; /* newest time in the last reading, server's ns */
	bool busy;	 /* jobs hold others up on it */
	bool known;	 /* was in job_stats at any time */
	bool present;	 /* was in the last reading */
};

struct slu_tbf {
	struct slu_tbf_settings set;
	struct job *job;
	size_t n, cap, n_listed;
	uint32_t *slot; /* hash table of job indexes; SLU_TBF_NO_JOB: empty */
	size_t n_slots; /* a power of two, more than twice n */
	struct target *target;
	size_t n_targets, cap_targets;
	unsigned cpts;
	double wait; /* of an RPC for the server, in the last period; seconds */
	struct rpc_sizes sizes; /* of all jobs */
	double then, elapsed;	/* end and length of the last period */
	bool started;
	/* The crowd: jobs that are not in the node table and for which there is
	 * no space here: their number in job_stats, and their common rule. */
	size_t crowd;
	struct job others; /* without an account; not in the table */
	double nobody;	   /* tokens in the last period of jobs of no class */
	struct slu_tokens batch;
	uint32_t *who; /* job index of each entry of the batch */
	size_t cap_who;
	/* commands */
	bool rounded;		      /* the rates that are due are known */
	size_t next;		      /* index of the next job */
	char (*stale)[SLU_RULE_NAME]; /* our rules that are to be stopped */
	size_t n_stale, cap_stale;
	size_t exempt_next, exempt_n; /* exemptions that are to be written */
	char *command;
	size_t command_size;
};

/* job_table.c */
struct job *slu_tbf_find(const struct slu_tbf *tbf, const char *id);
struct job *
slu_tbf_job(struct slu_tbf *tbf, const char *id, double now,
	    struct slu_err *err); /* adds it if it is new; NULL: no memory */
bool slu_tbf_is_full(const struct slu_tbf *tbf); /* of unknown job ids */
void slu_tbf_forget(struct slu_tbf *tbf, double now);
struct target *slu_tbf_target(struct slu_tbf *tbf, const char *name,
			      struct slu_err *err);

/* rule_classes.c. Is this the id of a user, group or project? The expression of
 * a rule; a number as a class has it; the id of that number's class; that of
 * the class of a job (false: it has none). */
bool slu_tbf_is_class(const struct slu_tbf *tbf, const char *id);
void slu_tbf_match(const struct slu_tbf *tbf, const struct job *job,
		   char out[SLU_RULE_MATCH]);
bool slu_tbf_number(const char *text, char out[SLU_CLASS_NUMBER]);
void slu_tbf_class_id(const struct slu_tbf *tbf, const char *number,
		      char out[SLU_JOBID_SIZE]);
bool slu_tbf_class_of(const struct slu_tbf *tbf, const struct job *job,
		      char out[SLU_JOBID_SIZE]);

/* rpc_sizes.c: the size of each job's RPCs at the end of a period, and what its
 * rule lets through with it. */
void slu_tbf_measure_sizes(struct slu_tbf *tbf);

/* rule_rates.c: the rates that are due, of all jobs; the number of classes of a
 * job, and of those among which its rate is divided. */
void slu_tbf_round(struct slu_tbf *tbf);
unsigned slu_tbf_all_classes(const struct slu_tbf *tbf, const struct job *job);
unsigned slu_tbf_divisor(const struct slu_tbf *tbf, const struct job *job);
/* Tokens a second that its rule lets through at its rate. */
double slu_tbf_passes(const struct slu_tbf *tbf, const struct job *job);

/* rule_commands.c: estimates the number of busy classes at the end of a period.
 */
void slu_tbf_count_busy(const struct slu_tbf *tbf, struct job *job);

/* rule_order.c: the rule before which the job's is inserted: borrowed name. */
const char *slu_tbf_rank(const struct slu_tbf *tbf, const struct job *job);
/* The rules of jobs as they are, from the top. Those that do not stand where
 * they should are marked (placed is not their nodes). Start from {NULL, NULL}.
 */
struct standing {
	struct job *above, *last; /* the lowest two that are in their places */
};
void slu_tbf_stands(struct standing *standing, struct job *job);

#endif
