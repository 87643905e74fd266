/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_NODE_LIFE_H
#define SLU_TESTS_NODE_LIFE_H

/* Runs a job on two nodes (see nodes.h) from start to end: creates its input,
 * runs its tasks, and checks what must exist afterwards and what must not. */

#include "tests/unit/burst_buffer/node/node_files.h"

/* For what nodes_all() runs: on n1 alone, and a verb there. */
bool is_n1(void);
int on_n1(const char *verb);

/* What a task sees: its input, and nothing that is not its business. */
int reads(const char *arg);
/* Both tasks read their input and write; shared: one file system for both. */
void run_tasks(bool shared);

/* Nothing of the job is on this node: 0. */
int nothing_left(const char *arg);
void expect_nothing_left(void);
/* The end of a job that could not begin, and of the test. */
void end_cancelled(void);

/* From start to end, well; slowly: with an up again, and time between. */
void whole_life(bool shared, bool slowly);

/* nodes_begin() with input and a request. */
bool begin(const char *type, const char *more);
/* Further, the job starts and has its file system. */
bool begin_up(const char *type, const char *more);

/* Says so, too. */
bool no_glusterfs(void);

/* 0: what could not be staged out is kept, where the user can read it. */
int data_kept(const char *arg);
/* What is kept of former jobs is removed: 0. */
int expire(const char *arg);

/* Restarts sluiced with an empty database. */
void lose_database(void);

/* slurmctld reports wrong addresses of the nodes, so that sluiced refuses their
 * requests in `down`; then the right ones, until the buffer is gone. */
void down_denied(void);
void heard_at_last(void);

#endif
