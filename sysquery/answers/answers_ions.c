/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Defines the table of the answer about I/O nodes: the current assignment,
 * former divisions, the accuracy of predictions, and the effect of other
 * policies.
 */
#include "config.h"
#include "sysquery/answers/answers.h"

#define MB 1e6

static const struct slu_answer_key curve[] = {
	{"ions", "ion_count", .is = SLU_IS_COUNT, .title = "IONS"},
	{"runs", .is = SLU_IS_COUNT, .title = "RUNS"},
	{"mean", "mean_bytes_per_second", .is = SLU_IS_BANDWIDTH, .factor = MB,
	 .title = "MEAN_MB/s", .round = true},
	{"spread", "spread_bytes_per_second", .is = SLU_IS_BANDWIDTH,
	 .factor = MB, .title = "SPREAD", .round = true},
	{"bandwidth", "bandwidth_bytes_per_second", .is = SLU_IS_BANDWIDTH,
	 .factor = MB, .title = "BELIEVED", .round = true},
	{"error", "error_bytes_per_second", .is = SLU_IS_BANDWIDTH,
	 .factor = MB, .title = "ERROR", .round = true},
	{.key = NULL}};
static const struct slu_answer_key shares[] = {
	{"job_id", .is = SLU_IS_COUNT, .title = "JOB"},
	{"name", .is = SLU_IS_TEXT, .title = "NAME"},
	{"nodes", "node_list", .is = SLU_IS_TEXT, .title = "NODES", .drop = 2},
	{"ions", "ion_list", .is = SLU_IS_TEXT, .title = "IONS", .drop = 1},
	{"count", "ion_count", .is = SLU_IS_COUNT},
	{"node_cnt", "node_count", .is = SLU_IS_COUNT},
	{"limit", .is = SLU_IS_COUNT},
	{"in_effect", .is = SLU_IS_COUNT, .title = "HOLDS"},
	{"wanted", .is = SLU_IS_COUNT, .title = "WANTED"},
	{"bandwidth", "bandwidth_bytes_per_second", .is = SLU_IS_BANDWIDTH,
	 .factor = MB, .title = "MB/s", .round = true},
	{"shared", .is = SLU_IS_FLAG},
	{"why", .is = SLU_IS_TEXT, .title = "CURVE", .text = true, .drop = 3},
	{"curve", .is = SLU_IS_LIST, .of = curve},
	{.key = NULL}};
static const struct slu_answer_key would[] = {
	{"job_id", .is = SLU_IS_COUNT, .title = "JOB"},
	{"name", .is = SLU_IS_TEXT, .title = "NAME"},
	{"now", .is = SLU_IS_COUNT, .title = "NOW"},
	{"ions", "ion_count", .is = SLU_IS_COUNT, .title = "WOULD_HOLD"},
	{"shared", .is = SLU_IS_FLAG, .title = "SHARED"},
	{"bandwidth", "bandwidth_bytes_per_second", .is = SLU_IS_BANDWIDTH,
	 .factor = MB, .title = "MB/s", .round = true},
	{.key = NULL}};
static const struct slu_answer_key what_if[] = {
	{"policy", .is = SLU_IS_TEXT},
	{"pool", "ion_count", .is = SLU_IS_COUNT},
	{"total", "total_bytes_per_second", .is = SLU_IS_BANDWIDTH,
	 .factor = MB},
	{"table_total", "table_total_bytes_per_second", .is = SLU_IS_BANDWIDTH,
	 .factor = MB},
	{"jobs", .is = SLU_IS_LIST, .of = would},
	{.key = NULL}};
static const struct slu_answer_key changed[] = {
	{"job_id", .is = SLU_IS_COUNT},
	{"name", .is = SLU_IS_TEXT},
	{"ions", "ion_count", .is = SLU_IS_COUNT},
	{.key = NULL}};
static const struct slu_answer_key assignments[] = {
	{"time", "time_unix", .is = SLU_IS_TIME, .title = "TIME"},
	{"event", .is = SLU_IS_TEXT, .title = "EVENT"},
	{"policy", .is = SLU_IS_TEXT, .title = "POLICY", .drop = 2},
	{"total", "total_bytes_per_second", .is = SLU_IS_BANDWIDTH,
	 .factor = MB, .title = "MB/s", .round = true},
	{"static_total", "static_total_bytes_per_second",
	 .is = SLU_IS_BANDWIDTH, .factor = MB, .title = "STATIC", .round = true,
	 .drop = 1},
	{"measured_jobs", "measured_job_count", .is = SLU_IS_COUNT,
	 .title = "ENDED", .drop = 3,
	 .doc = "ended jobs with a measurement "
		"that ran under this "
		"assignment"},
	{"predicted", "predicted_bytes_per_second", .is = SLU_IS_BANDWIDTH,
	 .factor = MB, .title = "THEIRS", .round = true, .drop = 3,
	 .doc = "of those"},
	{"reached", "reached_bytes_per_second", .is = SLU_IS_BANDWIDTH,
	 .factor = MB, .title = "REACHED", .round = true,
	 .doc = "by the measured jobs, mean over their runs"},
	{"changed", .is = SLU_IS_LIST, .of = changed},
	{.key = NULL}};
#define PREDICTED                                                            \
	{"runs", "run_count", .is = SLU_IS_COUNT, .title = "RUNS"},          \
		{"predicted",                                                \
		 "predicted_bytes_per_second",                               \
		 .is = SLU_IS_BANDWIDTH,                                     \
		 .factor = MB,                                               \
		 .title = "PREDICTED",                                       \
		 .round = true},                                             \
		{"reached",                                                  \
		 "reached_bytes_per_second",                                 \
		 .is = SLU_IS_BANDWIDTH,                                     \
		 .factor = MB,                                               \
		 .title = "REACHED",                                         \
		 .round = true},                                             \
	{                                                                    \
		"miss", .is = SLU_IS_NUMBER, .title = "MISS", .round = true, \
			.doc = "mean |predicted - reached| / reached"        \
	}
static const struct slu_answer_key predicted_by_application[] = {
	{"user", .is = SLU_IS_TEXT, .title = "USER"},
	{"name", .is = SLU_IS_TEXT, .title = "NAME"},
	{"nodes", "node_count", .is = SLU_IS_COUNT, .title = "NODES"},
	PREDICTED,
	{.key = NULL}};
static const struct slu_answer_key predicted_by_day[] = {
	{"day", "day_unix", .is = SLU_IS_TIME, .title = "DAY"},
	PREDICTED,
	{.key = NULL}};
static const struct slu_answer_key users_by_week[] = {
	{"week", "week_unix", .is = SLU_IS_TIME, .title = "WEEK"},
	{"user", .is = SLU_IS_TEXT, .title = "USER"},
	{"runs", "run_count", .is = SLU_IS_COUNT, .title = "RUNS"},
	{"worse", "worse_count", .is = SLU_IS_COUNT, .title = "WORSE",
	 .doc = "runs that reached less than predicted with policy STATIC"},
	{"better", "better_count", .is = SLU_IS_COUNT, .title = "BETTER"},
	{"net", "net_mb", .is = SLU_IS_NUMBER, .title = "NET_MB", .round = true,
	 .doc = "MB moved beyond what STATIC was predicted to move"},
	{"difference_least", "difference_least_bytes_per_second",
	 .is = SLU_IS_BANDWIDTH, .factor = MB, .title = "LEAST", .round = true,
	 .doc = "a run's MB/s minus those predicted with STATIC"},
	{"difference_low", "difference_low_bytes_per_second",
	 .is = SLU_IS_BANDWIDTH, .factor = MB},
	{"difference_median", "difference_median_bytes_per_second",
	 .is = SLU_IS_BANDWIDTH, .factor = MB, .title = "MEDIAN",
	 .round = true},
	{"difference_high", "difference_high_bytes_per_second",
	 .is = SLU_IS_BANDWIDTH, .factor = MB},
	{"difference_most", "difference_most_bytes_per_second",
	 .is = SLU_IS_BANDWIDTH, .factor = MB, .title = "MOST", .round = true},
	{"of_best_least", .is = SLU_IS_SHARE,
	 .doc = "a run's MB/s relative to its best with all I/O nodes to "
		"itself"},
	{"of_best_low", .is = SLU_IS_SHARE},
	{"of_best_median", .is = SLU_IS_SHARE, .title = "OF_BEST",
	 .round = true},
	{"of_best_high", .is = SLU_IS_SHARE},
	{"of_best_most", .is = SLU_IS_SHARE},
	{"for", .is = SLU_IS_TEXT, .title = "FOR",
	 .doc = "the user who gained most over STATIC in that week"},
	{.key = NULL}};
static const struct slu_answer_key replayed[] = {
	{"policy", .is = SLU_IS_TEXT, .title = "POLICY"},
	{"pool", "ion_count", .is = SLU_IS_COUNT, .title = "IONS"},
	{"run_hours", .is = SLU_IS_NUMBER, .title = "RUN_HOURS", .round = true,
	 .doc = "sum of the jobs' run times"},
	{"node_hours", .is = SLU_IS_NUMBER, .title = "NODE_HOURS",
	 .round = true},
	{"saved", "saved_node_hours", .is = SLU_IS_NUMBER, .title = "SAVED",
	 .round = true,
	 .doc = "node hours saved compared with the policy in "
		"force"},
	{"bandwidth", "bandwidth_bytes_per_second", .is = SLU_IS_BANDWIDTH,
	 .factor = MB, .title = "MB/s", .round = true,
	 .doc = "mean bandwidth of a job, weighted by its run time"},
	{.key = NULL}};
static const struct slu_answer_key replay[] = {
	{"since", "since_unix", .is = SLU_IS_TIME},
	{"jobs", "job_count", .is = SLU_IS_COUNT},
	{"known", "known_count", .is = SLU_IS_COUNT,
	 .doc = "jobs whose bandwidth by number of I/O nodes is known"},
	{"compute", "node_count", .is = SLU_IS_COUNT},
	{"seconds", .is = SLU_IS_SECONDS},
	{"policies", .is = SLU_IS_LIST, .of = replayed},
	{"pools", .is = SLU_IS_LIST, .of = replayed},
	{"worth", "worth_ion_count", .is = SLU_IS_COUNT,
	 .doc = "largest number of I/O nodes of which the last still saves a "
		"node hour an hour"},
	{.key = NULL}};
static const struct slu_answer_key gain[] = {
	{"since", "since_unix", .is = SLU_IS_TIME},
	{"until", "until_unix", .is = SLU_IS_TIME},
	{"runs", "run_count", .is = SLU_IS_COUNT,
	 .doc = "ended, measured and predicted"},
	{"applications", "application_count", .is = SLU_IS_COUNT},
	{"reached", "reached_bytes_per_second", .is = SLU_IS_BANDWIDTH,
	 .factor = MB},
	{"believed_static", "believed_static_bytes_per_second",
	 .is = SLU_IS_BANDWIDTH, .factor = MB},
	{"estimate", .is = SLU_IS_NUMBER,
	 .doc = "estimate of the bandwidth reached divided by that of "
		"STATIC"},
	{"low", .is = SLU_IS_NUMBER,
	 .doc = "lower end of the estimate's 95 "
		"% interval"},
	{"high", .is = SLU_IS_NUMBER},
	{"seconds", .is = SLU_IS_SECONDS},
	{"total", "total_bytes_per_second", .is = SLU_IS_BANDWIDTH,
	 .factor = MB},
	{"static_total", "static_total_bytes_per_second",
	 .is = SLU_IS_BANDWIDTH, .factor = MB},
	{.key = NULL}};
static const struct slu_answer_key ions[] = {
	{"policy", .is = SLU_IS_TEXT},
	{"ions", "ion_list", .is = SLU_IS_TEXT},
	{"total", "total_bytes_per_second", .is = SLU_IS_BANDWIDTH,
	 .factor = MB},
	{"static_total", "static_total_bytes_per_second",
	 .is = SLU_IS_BANDWIDTH, .factor = MB},
	{"table_total", "table_total_bytes_per_second", .is = SLU_IS_BANDWIDTH,
	 .factor = MB},
	{"table_static", "table_static_bytes_per_second",
	 .is = SLU_IS_BANDWIDTH, .factor = MB},
	{"bound", "bound_bytes_per_second", .is = SLU_IS_BANDWIDTH,
	 .factor = MB, .doc = "upper bound for any assignment"},
	{"proved", .is = SLU_IS_FLAG},
	{"jobs", .is = SLU_IS_LIST, .of = shares},
	{"history", .is = SLU_IS_LIST, .of = assignments},
	{"gain", .is = SLU_IS_OBJECT, .of = gain},
	{"applications", .is = SLU_IS_LIST, .of = predicted_by_application},
	{"days", .is = SLU_IS_LIST, .of = predicted_by_day},
	{"users", .is = SLU_IS_LIST, .of = users_by_week},
	{"what_if", .is = SLU_IS_OBJECT, .of = what_if},
	{"replay", .is = SLU_IS_OBJECT, .of = replay},
	{.key = NULL}};
const struct slu_form slu_form_ions = {
	.name = "ions",
	.doc = "which jobs have which I/O nodes, and why",
	.keys = ions,
	.main = "jobs"};
