/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_BENCH_TBF_H
#define SLU_BENCH_TBF_H

/*
 * Shared by the parts of bench/tbf: the policies, the experiments (scenarios)
 * and their results.
 */

#include <stdbool.h>
#include <stddef.h>
#include "bench/tbf_sim.h"
#include "select_io/tbf/controller.h"

#define TBF_JOBS	4
#define TBF_RECORD_STEP 10 /* seconds between the records that are kept */
#define TBF_RECORDS	32

enum tbf_policy { NONE, STATIC, LITERAL, MENDED, OURS, POLICIES };

extern const char *const tbf_policy_name[POLICIES];

struct tbf_bench {
	double capacity; /* RPCs a second of the target */
	double rate;	 /* --rate of the controllers */
	unsigned cpts;
	double min_rate; /* of ours; 0: the default */
	bool classes;	 /* each node of a job is one */
	bool csv;
	char timeline; /* a scenario's letter, or 0 */
};

/* An experiment of the paper. */
struct tbf_scenario {
	char letter;
	const char *what, *paper;
	double nodes[TBF_JOBS];
	void (*fill)(struct sim *sim);
	double seconds; /* at most */
};

extern const struct tbf_scenario tbf_scenarios[];
extern const size_t tbf_n_scenarios;
/* Jobs of a process each: on clients of their own; on one, whose RPCs on their
 * way are limited together (LU-7982). */
extern const struct tbf_scenario tbf_own_clients, tbf_one_client;
/* "IV-F": of --timeline F, too. */
const struct tbf_scenario *tbf_scenario(char letter);

struct tbf_result {
	double total;		/* RPCs a second until the last job has ended */
	double job[TBF_JOBS];	/* until this one has */
	double burst[TBF_JOBS]; /* seconds that a burst takes */
	double mean[TBF_JOBS];	/* of an RPC, from issue to completion; s */
	double slow[TBF_JOBS];	/* 99 % of the RPCs take no longer; s */
	double jain;		/* index of RPCs a second of waiting and node */
	double commands;	/* a second */
	double most[2];		/* most RPCs a second in any 1 s and 10 s */
	double record[TBF_RECORDS][TBF_JOBS]; /* every TBF_RECORD_STEP */
	size_t records;
};

/* One experiment under one policy, the controller at work every so many
 * seconds. With a timeline prints it: time, and of each job RPCs and record. */
struct tbf_result tbf_run(const struct tbf_bench *b,
			  const struct tbf_scenario *s, enum tbf_policy policy,
			  double period);

/* Prints a line of --csv. */
void tbf_csv(const char *name, const char *metric, const char *unit,
	     double ours, const char *rival, double value);

/* tbf_cost.c: time of the token step and of a period of the controller; RPCs
 * that pass a rule that is rewritten. */
void tbf_run_costs(bool csv);

#endif
