/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_NODES_H
#define SLU_TESTS_NODES_H

/*
 * Runs sluice-node on several simulated nodes against a whole sluiced: each
 * node is a process with its own mounts and process ids, which plays slurmd. It
 * has its own RunDir and storage under the same names as the others; only
 * DIR/pfs is common to all. A relay between them and sluiced counts the
 * requests of each node, and can have its sluice-node killed at any of them.
 */

#include <limits.h>
#include "burst_buffer/node/node.h"
#include "common/file.h"
#include "tests/unit/burst_buffer/node/root.h"
#include "tests/unit/sluiced/sluiced.h"
#include "tests/unit/burst_buffer/node/tree.h"

#define NODES	  2
#define NODE_UID  1000
#define OTHER_UID 1001 /* whose processes nobody kills */
#define JOB	  7

int sluice_node_main(int argc, char **argv);

extern char world[300]; /* tmpdir() of the test; nodes have other pids */

/* DIR/name, good until the next call but seven. */
const char *at(const char *name);

/* What the relay and the nodes share. */
struct node_shared {
	int requests;	   /* that came from it, since the last reset */
	int kill_at;	   /* which one of them kills; 0: none */
	bool after;	   /* sluiced has heard it first */
	volatile int kill; /* 1: the relay wants it, 2: the node did it */
};
extern struct node_shared *node_shared;

typedef int node_f(const char *arg); /* in a process of the node */

extern int node_order_fd[NODES];

/* One, which runs sluice-node with these words. */
int run_verb(const char *arg);
/* Have a node call fn, again when it was killed; nodes_wait_and() hears of it.
 */
void node_send(int node, node_f *fn, const char *fmt, ...);

/* The last state of the buffer, and the last order about the job, that
 * slurmctld has received. */
extern char ctl_state[24], ctl_text[512], ctl_verdict[16];

/* Why a node is drained for something that no job is known of; "": none is.
 * Until it is for such a reason, or none is. */
extern char ctl_drained[512];
void ctl_until_drained(const char *words);

/*
 * Waits until both nodes have answered; returns their exit codes. fn (if not
 * NULL) is called once, after `ms` or as soon as slurmctld was told that state.
 */
void nodes_wait_and(int rc[NODES], int ms, const char *state, void (*fn)(void));
/* On both, each of which must return `want`. */
void nodes_all(node_f *fn, const char *arg, int want);
/* Waits until slurmctld has received this state; a text with these words. */
void ctl_until(const char *state);
void ctl_until_told(const char *words);

/* What client_library= of a glusterfs is to be. */
const char *nodes_client_library(void);
/* False: nothing can be tested here. more: lines for both sluice.conf. Nobody
 * plays slurmctld yet. */
bool nodes_begin_alone(const char *more);
/* Has each node two file systems, /storage and /storage2 below the world? With
 * a pattern as sluiced_storage. */
bool nodes_have_two(void);

/* The same, with slurmctld. */
bool nodes_begin(const char *more);
void nodes_end(void);

extern uint32_t job_run; /* how often it was requeued */

/* slurmctld tells that the job of both nodes begins, and is over. */
void job_starts(const char *request);
void job_ends(const char *request, const char *state);

/* As slurmctld has it when no node of it is busy any more. */
struct slu_job job_over(const char *request, const char *state);

/* CK_RUN_CASE=name runs one alone. */
void add(Suite *suite, const char *name, const TTest *test, int n);
int run_suite(Suite *suite);

#endif
