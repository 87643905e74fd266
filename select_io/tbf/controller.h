/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_TBF_CONTROLLER_H
#define SLU_SELECT_IO_TBF_CONTROLLER_H

/*
 * Decides the rates of sluice-tbfd's rules, independent of Lustre's interface:
 * from the RPCs in job_stats in each period to commands for the token bucket
 * filter (NRS TBF). Tokens are divided on each target (OST) separately
 * (tokens.h); a rule belongs to the whole server, so a job's rate is the sum
 * over the targets on which it was active. Time is seconds of any clock that
 * goes forward. One thread.
 */

/*
 * Over a second or two, jobs get no more than the rate of the target: what they
 * get beyond it in a period, by lower bounds of rates, rounding, full buckets
 * and compensation for lost tokens, is measured in job_stats and subtracted
 * from the tokens of the next one. But no rule lets through less than one RPC a
 * second for each class on each CPT: a target's rate below the number of
 * classes is exceeded, and one below three times that number at first.
 *
 * Lustre gives every class (client queue) that has a rule a bucket of its own,
 * which a `change` fills up. So a rate is divided by the number of classes that
 * the rule had when the rules were read last (of CPTs before that), or by fewer
 * when no more of them seem to be at work, and is only changed when the change
 * is worth more than what it gives away.
 *
 * With `bytes` a token is SLU_TBF_TOKEN bytes instead of an RPC, and a rule's
 * rate, which Lustre counts in RPCs, is the job's tokens by the mean size of
 * its RPCs: measured in each period, the mean of a few seconds, and for a job
 * that has done nothing yet that of all. What passes beyond the rate meanwhile,
 * as its RPCs grow, is taken off as above.
 *
 * A job is whatever job_stats names as one; with a `class_key` users, groups or
 * projects stand in its place (rule_classes.c), and below. Its number of nodes
 * is set by slu_tbf_set_nodes(); without that it counts as one node. Records
 * and remainders are kept until the job has ended, or is dropped. Of jobs
 * without a number of nodes at most SLU_TBF_UNLISTED are kept. While there are
 * more, the crowd, and while jobs work whose ids no rule can hold, one rule for
 * "*" follows all others: each job without a rule of its own gets the share of
 * one node, and neither lends nor borrows.
 */

#include <stdbool.h>
#include <stddef.h>
#include <json-c/json.h>
#include "common/err.h"
#include "sysmap/lustre/jobstats.h"
#include "select_io/tbf/rules.h"

struct slu_tbf_settings {
	double rate;	   /* tokens a second of each target, > 0 */
	bool bytes;	   /* a token is so many of them: SLU_TBF_TOKEN */
	bool metadata;	   /* a token is a request of metadata: slu_jobstat's */
	double min_rate;   /* RPCs a second of a class, or the job's part by
			    * priority where that is less: Lustre applies a new
			    * rate only at the next RPC, so a low one lasts */
	double min_change; /* part of the old rate that a new one must differ */
	double headroom;   /* part of its rate that a rule for a whole target
			    * loses while the server is busy with others' RPCs,
			    * and other rules by their part of the target */
	double overrun;	   /* seconds over which what has passed beyond a
			    * target's rate is taken off what is dealt out
			    * next; 0: never */
	double depth;	   /* tokens in a full bucket (ptlrpc.tbf_depth) */
	double linger;	   /* seconds that the rule of an idle job stays */
	double forget; /* seconds until a job that is not in job_stats any more
			  is dropped, with its record; a job with a given number
			  of nodes is dropped at once when it is not listed any
			  more */
	bool literal, hungry, instant; /* tokens.h */
	/* As in the paper: every rule is written anew in each period, and the
	 * rules of idle jobs are stopped at once. For comparisons. */
	bool naive;
	/* "uid", "gid" or "projid": rules for these; NULL: for jobs */
	const char *class_key;
	const char *const *exempt; /* "uid=0", "jobid=PATTERN" with '*', or of
				    * the class alone; NULL-ended, may be NULL;
				    * borrowed */
};
extern const struct slu_tbf_settings slu_tbf_defaults;

#define SLU_TBF_UNLISTED 4096
#define SLU_TBF_TOKEN	 65536 /* bytes */

struct slu_tbf;

struct slu_tbf *slu_tbf_new(const struct slu_tbf_settings *settings,
			    struct slu_err *err);
void slu_tbf_free(struct slu_tbf *tbf);

/* A target with a rate of its own. */
int slu_tbf_set_rate(struct slu_tbf *tbf, const char *target, double rate,
		     struct slu_err *err);

/* How many nodes each job has: lines "JOBID NODES" or "JOBID NODES CLASS", '#'
 * begins a comment. The class is the number of the job's user, group or
 * project, which then has the nodes of all its jobs; without a class key it is
 * not looked at. The text replaces the one before; a job that is not in it any
 * more has ended. A bad line is SLU_INVALID with its number, and nothing
 * changes. */
int slu_tbf_set_nodes(struct slu_tbf *tbf, const char *text,
		      struct slu_err *err);

/* The end of a period: what has been served, and what each job gets next. The
 * first call, and the first that sees a target, only takes notes. */
int slu_tbf_observe(struct slu_tbf *tbf, double now,
		    const struct slu_jobstats *stats, struct slu_err *err);

/* Nothing is known of what is served: with the next commands all rules of jobs
 * are stopped, until there is something to observe again. */
void slu_tbf_pause(struct slu_tbf *tbf);

/* The present rules: those of ours that belong to no job are stopped with the
 * next commands, those that another program removed are created again. */
int slu_tbf_reconcile(struct slu_tbf *tbf, const struct slu_rules *rules,
		      struct slu_err *err);

/* The next command to be written to nrs_tbf_rule, or NULL: borrowed until the
 * next call. They count as carried out; when one was refused, read the rules
 * and adopt them. */
const char *slu_tbf_command(struct slu_tbf *tbf, double now);

/* How many jobs more job_stats had than can be kept in mind, and with ids that
 * fit in no rule, on the target that had most. */
size_t slu_tbf_crowd(const struct slu_tbf *tbf);

/* "tbf jobid", or "tbf" when users are exempt; with a class "tbf uid" and so
 * on.
 */
const char *slu_tbf_policy(const struct slu_tbf *tbf);

/* Everything that has to outlive the program, which is also what `status` and
 * the metrics show. Caller puts. Loading belongs before the first observe;
 * what is wrong in it is left out, all of it when it is of another class, and
 * records when their unit was the other
 * one ("unit": "RPCs" or "bytes", also that of "served", "limit", "record" and
 * "rate"). What the table of nodes named then is taken
 * as named until there is a table. */
struct json_object *slu_tbf_save(const struct slu_tbf *tbf, double now);
void slu_tbf_load(struct slu_tbf *tbf, struct json_object *state, double now);

#endif
