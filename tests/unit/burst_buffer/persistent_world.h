/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_PERSISTENT_WORLD_H
#define SLU_TESTS_PERSISTENT_WORLD_H

/*
 * Simulates the surroundings of sluiced's buffers for tests of persistent
 * buffers, which are created before a job or outlive it: what sluiced sends to
 * slurmctld is kept in variables, and the test plays the nodes.
 */

#include "tests/unit/harness.h"
#include "burst_buffer/lifecycle/record.h"

#define OWNER 5000

/* What is there, and the time; what slurmctld was told last. */
extern struct slu_db *db;
extern struct slu_conf *conf;
extern struct slu_buffers *b;
extern struct slu_err err;
extern double now;
extern struct slu_uptime up;	     /* of sluiced's host */
extern struct slu_buffer_state last; /* of a persistent one, as told */
extern char held[512];		     /* what a job was held with last */
extern uint32_t held_job;
extern enum slu_on_failure verdict;
extern char not_yet[512], logged[512];
extern size_t n_logged;
extern bool damaged;

/* The clock shows more by so much; by this it really has passed, and sluiced
 * has looked. */
void pass(double seconds);
void look(void);

/* sluiced starts, ends, and does both. */
void setup(void);
void teardown(void);
void again(void);
struct slu_job job(uint32_t id, uint32_t uid, const char *request);
void waits(uint32_t id, uint32_t uid, const char *request);

/* A node reports a step of a buffer; returns the answer's word, static. */
const char *report(uint32_t id, const char *node, const char *step, bool ok);
void make(uint32_t id, const char *request);

/* Its nodes clean up. */
void unmake(void);
void begin_job(uint32_t id, uint32_t uid, const char *request);
void end_job(uint32_t id, uint32_t uid, const char *request);

#define CREATE "persistent_create name=camp type=glu capacity=2GiB"

/* The plan of a job's newest buffer; the caller clears it. */
void get_plan(uint32_t id, const char *node, struct slu_plan *plan);
void meet_alone(const char *node, const char *name);

#endif
