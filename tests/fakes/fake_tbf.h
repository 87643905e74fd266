/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_FAKE_TBF_H
#define SLU_TESTS_FAKE_TBF_H

/*
 * The rule list of Lustre's TBF policy, with its grammar, its limits, its
 * order and its errors, as seen on Lustre 2.15.8 and 2.17.57. Behind the fake
 * lctl and in the simulator of bench/tbf.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/str.h"

#define FAKE_RULES 4096
#define FAKE_HEADS 2 /* regular and high-priority requests */

struct fake_rule {
	char name[16];
	char expr[256]; /* "jobid={4711}" */
	uint32_t rate;
	uint32_t generation; /* counts changes */
};

struct fake_tbf {
	char policy[32]; /* "fifo", "tbf jobid", "tbf" */
	unsigned cpts;
	bool braces_only; /* print rules as before 2.18: {4711} */
	uint32_t default_rate[FAKE_HEADS];
	struct fake_rule *rule[FAKE_HEADS]; /* FAKE_RULES each */
	size_t n[FAKE_HEADS];
	uint32_t sequence; /* of the rule list: counts all changes */
};

/* 0, or -1 without memory. */
int fake_tbf_init(struct fake_tbf *tbf, unsigned cpts);
void fake_tbf_free(struct fake_tbf *tbf);

/* Write to nrs_policies, to nrs_tbf_rule: 0 or an errno. */
int fake_tbf_set_policy(struct fake_tbf *tbf, const char *policy);
int fake_tbf_command(struct fake_tbf *tbf, const char *command);

/* The rule that a job's RPCs are under; NULL: the default. */
const struct fake_rule *fake_tbf_match(const struct fake_tbf *tbf, int head,
				       const char *job);

/* What nrs_tbf_rule reads like: 0, or ENODEV without the policy. classes may
 * be NULL; else it says how many classes a rule has on a CPT. */
typedef unsigned fake_classes_f(void *arg, const struct fake_rule *rule,
				unsigned cpt);
int fake_tbf_dump(const struct fake_tbf *tbf, fake_classes_f *classes,
		  void *arg, struct slu_buf *out);
void fake_tbf_dump_policies(const struct fake_tbf *tbf, struct slu_buf *out);

#endif
