/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_BURST_WORLD_H
#define SLU_TESTS_BURST_WORLD_H

/*
 * Simulates the surroundings of sluiced's buffers for their tests: a database,
 * slurmctld (one job) and the job's nodes, each of which takes the steps of up
 * and down as sluice-node does. Everything that the buffers order is recorded.
 */

#include "tests/unit/harness.h"
#include "burst_buffer/lifecycle/buffers.h"
#include "common/str.h"

#define MAX_NODES   80
#define JOB	    17

#define N_DOWN_TOLD 8

enum where { AT_UP, AT_RUN, AT_DOWN, AT_END };

/* What a node does next. */
struct actor {
	char name[16];
	enum where where;
	int pos;	 /* the step in up or down */
	uint64_t buffer; /* from the plan; 0: it has none */
	bool aborted;	 /* up was told so */
	bool cut;	 /* it is off the network */
	bool gone;	 /* it was, once */
	bool keep;	 /* down was told abort: it keeps the data */
	bool skip;	 /* down was told skip */
	uint64_t staged; /* bit R: this node's share has arrived */
	bool wiped;
	uint64_t copied, files; /* it tells when it polls */
	uint64_t keeps;		/* it tells when it is clean */
	int fail_at; /* report failure at this step of up (-1: never) */
	int fail_down;
	unsigned breath; /* times it was told busy in a row */
	unsigned doubts; /* times it has said in vain that it knows better */
	/* What it has told of its end, and sluiced has heard. */
	struct receipt {
		char step[32];
		bool ok;
	} receipt[N_DOWN_TOLD];
	int n_receipt;
};

struct world {
	char db_path[256];
	struct slu_db *db;
	struct slu_conf *conf;
	struct slu_buffers *b;
	double now;
	struct actor node[MAX_NODES];
	int n_node;
	/* slurmctld */
	struct slu_job job;
	char nodes_text[80];
	bool started, ended;
	bool left; /* its nodes have left */
	bool deaf; /* it does not answer commands */
	int turn;
	/* recorded */
	int verdicts, drains, resumes, mirrors, annotates, errors;
	char noted[300];       /* with the job, at last */
	char at_teardown[300]; /* what was shown then */
	enum slu_on_failure what;
	uint32_t verdict_job;
	int64_t verdict_ended;
	char reason[512];
	char without[80]; /* of the verdict; "": any nodes */
	char state[16], text[512], pending[512];
	int staged;	   /* how often it was told that all was staged out */
	char told[2][700]; /* nodes, for users, when staging in, out was over */
	char skipped[700]; /* why nothing was staged out */
	char drained[MAX_NODES + 1], resumed[MAX_NODES + 1];
	int64_t give_back;
	bool final;
	bool owes_verdict; /* told, not yet answered */
	bool trace;
	int crash_in; /* callbacks until the process dies; 0: it lives */
};

/* NodeAddr of n2, as slurmctld has told it; NULL: it has not. */
extern const char *n2_addr;

/* sluiced starts on the database, ends, and does both. */
void world_load(struct world *w);
void world_unload(struct world *w);
void world_restart(struct world *w);

/* A new one, with nodes n1 to nN and lines of configuration that replace those
 * of the same key (NULL: none). `request` must outlive it. */
void world_new(struct world *w, int n_node, const char *request,
	       const char *more_conf);
void world_free(struct world *w);
/* The map gets this document of the topology. */
void world_topology(struct world *w, const char *text);

/* slurmctld reports the job and its nodes (lists, NULL: none), reports that the
 * verdict was executed, connects again. */
void job_start(struct world *w);
void job_end(struct world *w, const char *state);
void job_nodes(struct world *w, const char *left, const char *lost);
void verdict_done(struct world *w);
void sync_all(struct world *w);

/* The word of an answer is copied here; "busy", "notfound", "denied",
 * "invalid" for errors. */
struct heard {
	char word[16];
	bool success, ran;
	char attrs[256];
	char away[80];
};

/* One thing that a node asks; the plan's secret is in attrs. */
struct heard ask_plan(struct world *w, struct actor *a);
struct heard report(struct world *w, const struct actor *a,
		    struct slu_report r);
struct heard barrier(struct world *w, const struct actor *a, const char *name,
		     const char *attr);
struct heard poll_word(struct world *w, const struct actor *a,
		       const char *seen);

/* The walk: two stage requests, 0 goes in and 1 goes out; 10 files of 100
 * bytes per node each. */
#define N_UP   12
#define N_DOWN 9
extern const char *const up_steps[N_UP];
extern const char *const down_steps[N_DOWN];
#define WALK                                         \
	"jobfs capacity=4GiB; stage_in source=/src " \
	"destination=$BB_JOBFS/in; stage_out "       \
	"source=$BB_JOBFS/out destination=/dst"
#define OUT_DONE 5 /* where all meet after the stage-out */

/* That step, of a node that walks, well or not; any other report too. */
struct heard do_step(struct world *w, struct actor *a, const char *step,
		     bool ok);

/* A node that is done asks what sluiced believes it to have, and tells again
 * what it has told; true: it had something to tell. */
bool show_receipts(struct world *w, struct actor *a);

/* One step of this node, if it can do any. */
void step(struct world *w, struct actor *a);
bool all_at(const struct world *w, enum where where);

/* The next thing that happens: slurmctld starts the job, ends it when every
 * node has been set up, answers a verdict with the job's end, and says which
 * nodes left; between, the nodes step in turn. False at the end. */
bool world_step(struct world *w);

/* The same until all nodes are there; until the end. */
void run_until(struct world *w, enum where where);
/* Lines of its history with these words. */
int64_t history_has(struct world *w, const char *words);
void run_all(struct world *w);

/* What remains of a walk: per run "STATE FAILED_IN VERDICT WHAT SUCCESS
 * NODES BYTES GATES", then which nodes were drained and resumed. */
void expect_outcome(struct world *w, const char *want);
#define GOOD "6 - 0 - 1 555 6000 0 --- ---"

/* Is the node in the plan of one of this job's buffers that are not done? */
bool is_member(const struct world *w, uint32_t job_id, const char *node);

#endif
