/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TBF_RULES_H
#define SLU_TBF_RULES_H

/*
 * Parses the texts of Lustre's request scheduler: ost.OSS.ost_io.nrs_tbf_rule
 * and nrs_policies (2.10 to 2.17 and after), and makes the names and
 * expressions of the rules that we write. Lustre accepts names of 1 to 15
 * letters, digits and '_', and rates of 1 to 999,999 RPCs a second, which count
 * for each class and each CPU partition (CPT) on its own.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/err.h"
#include "sysmap/lustre/jobstats.h"

#define SLU_RULE_NAME	  16 /* with its end */
#define SLU_RULE_RATE_MAX 999999
#define SLU_RULE_PREFIX	  "slu_" /* of job rules */
#define SLU_RULE_OTHERS	  "slx_others"
#define SLU_RULE_EXEMPT	  "slx_" /* of exemptions */

struct slu_rule {
	char name[SLU_RULE_NAME];
	char match[64]; /* between the name and the rate, cut when longer */
	uint32_t rate;
	uint32_t classes; /* "ref": client queues that have it, all CPTs */
};

/* The rules of regular requests, as in the first CPT. */
struct slu_rules {
	struct slu_rule *rule; /* in the order of matching */
	size_t n;
	unsigned cpts; /* CPU partitions that serve I/O; at least 1 */
	/* private */
	size_t cap;
};

/* Parse what nrs_tbf_rule says, with or without lctl's line "...=". Old
 * content is replaced, start from {0}. A text without "regular_requests:" is
 * SLU_INVALID. */
int slu_rules_parse(struct slu_rules *out, const char *text,
		    struct slu_err *err);
void slu_rules_free(struct slu_rules *rules);
/* NULL: none of this name. */
const struct slu_rule *slu_rules_find(const struct slu_rules *rules,
				      const char *name);
/* Was this rule made by sluice-tbfd? */
bool slu_rule_is_ours(const char *name);

/* The policy that regular requests are under, from nrs_policies: "fifo",
 * "tbf jobid", "tbf"; the fallback only when no other is started. "": none. */
#define SLU_POLICY_SIZE 32
void slu_policy_parse(const char *text, char out[SLU_POLICY_SIZE]);
/* Is it a policy under which sluice-tbfd writes rules? */
bool slu_policy_is_ours(const char *policy);

/* The name of a job's rule: "slu_4711" where the id is plain and has less than
 * 11 characters, else "slu_" and 11 digits that are a hash of it. Always the
 * same for the same id. */
void slu_rule_name(const char *job, char out[SLU_RULE_NAME]);

/* "jobid={4711}". Everything from the first to the last byte that the grammar
 * does not allow becomes one '*', which matches anything: a job cannot escape
 * control by a strange name. But it must not match other jobs either: such a
 * rule has to follow those without '*', and a job whose name would be only '*'
 * gets no rule (false). */
#define SLU_RULE_MATCH (SLU_JOBID_SIZE + 16)
bool slu_rule_match(const char *job, char out[SLU_RULE_MATCH]);

/* The rate to write, for each CPT, so that all together let through at least
 * `rate` a second. */
uint32_t slu_rule_rate(double rate, unsigned cpts);

#endif
