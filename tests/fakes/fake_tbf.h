/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_FAKE_TBF_H
#define SLU_TESTS_FAKE_TBF_H

/*
 * Simulates Lustre's TBF request scheduler: the list of rules with its grammar,
 * limits, order and errors, as seen on Lustre 2.15.8 and 2.17.57, and the token
 * buckets of the classes. Used by fake_lctl and by the simulator of bench/tbf.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/str.h"

#define FAKE_RULES 4096
#define FAKE_HEADS 2 /* regular and high-priority requests */
#define FAKE_EXPR  1024
#define FAKE_DEPTH 3 /* ptlrpc.tbf_depth */

struct fake_rule {
	char name[16];
	char expr[FAKE_EXPR]; /* "jobid={4711}" */
	uint32_t rate;
	uint32_t generation; /* counts changes of the rate */
	uint32_t number;     /* of all rules ever started, from 1 on */
};

/* The queue of RPCs that share a bucket. */
struct fake_class {
	char job[64];
	char client[64]; /* "NID_OPCODE_UID_GID" under "tbf"; "" under "tbf
			  * jobid" */
	unsigned cpt;
	uint32_t rule; /* its number; 0: the default's */
	uint32_t generation, sequence;
	uint32_t rate; /* 0: no RPC has arrived yet */
	double tokens, check;
};

struct fake_tbf {
	char policy[32]; /* "fifo", "tbf jobid", "tbf uid", "tbf" */
	unsigned cpts;
	bool braces_only; /* print rules as before 2.18: {4711} */
	uint32_t default_rate[FAKE_HEADS];
	struct fake_rule *rule[FAKE_HEADS]; /* FAKE_RULES each */
	size_t n[FAKE_HEADS];
	uint32_t sequence; /* of the rule list: counts starts */
};

/* 0, or -1 without memory. */
int fake_tbf_init(struct fake_tbf *tbf, unsigned cpts);
void fake_tbf_free(struct fake_tbf *tbf);

/* Write to nrs_policies, to nrs_tbf_rule: 0 or an errno. */
int fake_tbf_set_policy(struct fake_tbf *tbf, const char *policy);
int fake_tbf_command(struct fake_tbf *tbf, const char *command);

/* Is it this job's and client's class? */
bool fake_tbf_is_class(const struct fake_tbf *tbf, const struct fake_class *c,
		       const char *job, const char *client, unsigned cpt);
struct fake_class fake_tbf_class(const struct fake_tbf *tbf, const char *job,
				 const char *client, unsigned cpt);
/* An RPC arrives: only now its class learns that there are new rules, that its
 * own is gone, or that its rate has been changed, which fills the bucket. A
 * rule that was only moved is not noticed. */
void fake_tbf_arrive(const struct fake_tbf *tbf, struct fake_class *c,
		     double now);

/* The rule that a job's RPCs are under, or under "tbf uid" those of the user of
 * this number, and so on; NULL: the default. */
const struct fake_rule *fake_tbf_match(const struct fake_tbf *tbf, int head,
				       const char *job);

/* Prints the rules as nrs_tbf_rule does; ENODEV: the policy is not TBF. classes
 * may be NULL; else it returns how many classes a rule has on a CPT. */
typedef unsigned fake_classes_f(void *arg, const struct fake_rule *rule,
				unsigned cpt);
int fake_tbf_dump(const struct fake_tbf *tbf, fake_classes_f *classes,
		  void *arg, struct slu_buf *out);
void fake_tbf_dump_policies(const struct fake_tbf *tbf, struct slu_buf *out);

#endif
