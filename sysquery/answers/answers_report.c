/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Defines the tables of the answers about a single job and about the jobs of a
 * period (doc/job.md). */
#include "config.h"
#include "sysquery/answers/answers.h"

static const struct slu_answer_key advice[] = {{"rule", .is = SLU_IS_TEXT},
					       {"text", .is = SLU_IS_TEXT},
					       {.key = NULL}};
static const struct slu_answer_key limit[] = {
	{"asked_seconds", .is = SLU_IS_SECONDS},
	{"granted_seconds", .is = SLU_IS_SECONDS},
	{"predicted_seconds", .is = SLU_IS_SECONDS},
	{"predicted_from", .is = SLU_IS_TEXT},
	{"tightened_seconds", .is = SLU_IS_SECONDS},
	{"extended", .is = SLU_IS_FLAG},
	{"late_by_seconds", .is = SLU_IS_SECONDS},
	{"used_seconds", .is = SLU_IS_SECONDS},
	{.key = NULL}};
static const struct slu_answer_key waits[] = {{"what", .is = SLU_IS_TEXT},
					      {"seconds", .is = SLU_IS_SECONDS},
					      {.key = NULL}};
static const struct slu_answer_key io[] = {
	{"read_bytes", .is = SLU_IS_BYTES},
	{"written_bytes", .is = SLU_IS_BYTES},
	{"source", .is = SLU_IS_TEXT, .doc = "source of the byte counts"},
	{"bytes_per_second", .is = SLU_IS_BANDWIDTH},
	{.key = NULL}};
static const struct slu_answer_key by_fs[] = {
	{"name", .is = SLU_IS_TEXT, .doc = "fsname; ?: it is not known which"},
	{"read_bytes", .is = SLU_IS_BYTES},
	{"written_bytes", .is = SLU_IS_BYTES},
	{"metadata_ops", .is = SLU_IS_COUNT},
	{.key = NULL}};
static const struct slu_answer_key runs[] = {
	{"state", .is = SLU_IS_TEXT},
	{"used_seconds", .is = SLU_IS_SECONDS},
	{"granted_seconds", .is = SLU_IS_SECONDS},
	{.key = NULL}};
static const struct slu_answer_key job[] = {
	{"job_id", .is = SLU_IS_COUNT},
	{"array_job_id", .is = SLU_IS_COUNT},
	{"array_task_id", .is = SLU_IS_COUNT},
	{"uid", .is = SLU_IS_COUNT},
	{"user", .is = SLU_IS_TEXT},
	{"account", .is = SLU_IS_TEXT},
	{"partition", .is = SLU_IS_TEXT},
	{"qos", .is = SLU_IS_TEXT},
	{"name", .is = SLU_IS_TEXT},
	{"state", .is = SLU_IS_TEXT},
	{"nodes", .is = SLU_IS_TEXT},
	{"node_count", .is = SLU_IS_COUNT},
	{"task_count", .is = SLU_IS_COUNT},
	{"restarts", .is = SLU_IS_COUNT},
	{"submitted_unix", .is = SLU_IS_TIME},
	{"eligible_unix", .is = SLU_IS_TIME},
	{"started_unix", .is = SLU_IS_TIME},
	{"ended_unix", .is = SLU_IS_TIME},
	{"now_unix", .is = SLU_IS_TIME, .doc = "when this was said"},
	{"request", .is = SLU_IS_TEXT},
	{"limit", .is = SLU_IS_OBJECT, .of = limit},
	{"waits", .is = SLU_IS_LIST, .of = waits},
	{"io", .is = SLU_IS_OBJECT, .of = io},
	{"metadata_ops", .is = SLU_IS_COUNT,
	 .doc = "metadata operations, as counted by Lustre's MDTs"},
	{"by_file_system", .is = SLU_IS_LIST, .of = by_fs,
	 .doc = "what Lustre's servers counted for each of its file systems"},
	{"io_nodes", .doc = "what it holds now, and changes"},
	{"file_systems", .doc = "each of its, with phases and devices"},
	{"runs_before", .is = SLU_IS_LIST, .of = runs},
	{"advice", .is = SLU_IS_LIST, .of = advice},
	{.key = NULL}};
const struct slu_form slu_form_job = {
	.name = "job", .doc = "what became of one job", .keys = job};

static const struct slu_answer_key findings[] = {
	{"severity", .is = SLU_IS_TEXT},
	{"kind", .is = SLU_IS_TEXT},
	{"what", .is = SLU_IS_TEXT},
	{"on", .is = SLU_IS_TEXT},
	{"type", .is = SLU_IS_TEXT, .doc = "what to type for it"},
	{"since", "since_unix", .is = SLU_IS_TIME},
	{.key = NULL}};
static const struct slu_answer_key doctor[] = {
	{"time", "time_unix", .is = SLU_IS_TIME, .doc = "when this was said"},
	{"findings", .is = SLU_IS_LIST, .of = findings},
	{.key = NULL}};
const struct slu_form slu_form_doctor = {
	.name = "doctor",
	.doc = "what is wrong, and what to type for it",
	.keys = doctor};

const struct slu_form slu_form_backtest = {
	.name = "backtest",
	.doc = "what each PredictMode would have done (sysquery(1))"};

static const struct slu_answer_key sums[] = {
	{"count", .is = SLU_IS_COUNT},
	{"completed", .is = SLU_IS_COUNT},
	{"failed", .is = SLU_IS_COUNT},
	{"timeout", .is = SLU_IS_COUNT},
	{"cancelled", .is = SLU_IS_COUNT},
	{"with_request", .is = SLU_IS_COUNT},
	{"node_seconds", .is = SLU_IS_SECONDS},
	{"queued_seconds", .is = SLU_IS_SECONDS},
	{"limited", .is = SLU_IS_COUNT},
	{"asked_seconds", .is = SLU_IS_SECONDS},
	{"granted_seconds", .is = SLU_IS_SECONDS},
	{"used_seconds", .is = SLU_IS_SECONDS},
	{"tightened", .is = SLU_IS_COUNT},
	{"extended", .is = SLU_IS_COUNT},
	{.key = NULL}};
static const struct slu_answer_key names[] = {
	{"uid", .is = SLU_IS_COUNT},
	{"user", .is = SLU_IS_TEXT},
	{"name", .is = SLU_IS_TEXT},
	{"count", .is = SLU_IS_COUNT},
	{"node_seconds", .is = SLU_IS_SECONDS},
	{"used_seconds_mean", .is = SLU_IS_SECONDS},
	{"asked_seconds_mean", .is = SLU_IS_SECONDS},
	{"timeout", .is = SLU_IS_COUNT},
	{.key = NULL}};
static const struct slu_answer_key report[] = {
	{"since_unix", .is = SLU_IS_TIME},
	{"until_unix", .is = SLU_IS_TIME},
	{"uid", .is = SLU_IS_COUNT},
	{"account", .is = SLU_IS_TEXT},
	{"jobs", .is = SLU_IS_OBJECT, .of = sums},
	{"names", .is = SLU_IS_LIST, .of = names},
	{"io", .doc = "what they read and wrote"},
	{"file_systems", .doc = "how many, their phases, how full"},
	{"advice", .is = SLU_IS_LIST, .of = advice},
	{.key = NULL}};
const struct slu_form slu_form_report = {
	.name = "report",
	.doc = "jobs of a user, an account or the site, summed",
	.keys = report};

static const struct slu_answer_key page[] = {
	{"now", .is = SLU_IS_TIME},
	{"since", .is = SLU_IS_TIME,
	 .doc = "of \"bins\" each is a mean over an equal part of since to now"},
	{"own", .is = SLU_IS_FLAG, .doc = "only what is one user's"},
	{"pools", .is = SLU_IS_LIST, .doc = "bytes of each, as sluiced knows"},
	{"buffers", .is = SLU_IS_OBJECT,
	 .doc = "those that are alive, and a timeline of their states"},
	{"holds", .is = SLU_IS_LIST, .doc = "jobs that we hold, and why"},
	{"drained", .is = SLU_IS_LIST, .doc = "nodes that we have drained"},
	{"ions", .is = SLU_IS_OBJECT,
	 .doc = "I/O nodes by job over time, in MB/s"},
	{"errors", .is = SLU_IS_OBJECT,
	 .doc = "of predictions, by week and by user"},
	{"limits", .is = SLU_IS_OBJECT,
	 .doc = "numbers of jobs by tenths of their limit used; the last: "
		"those that exceeded it"},
	{"machine", .is = SLU_IS_OBJECT, .doc = "hosts by switch"},
	{"osts", .is = SLU_IS_ANY, .doc = "as sluiced answers \"osts\""},
	{"osts_error", .is = SLU_IS_TEXT, .doc = "why there are none"},
	{"check", .is = SLU_IS_ANY, .doc = "as sluiced answers \"check\""},
	{"check_error", .is = SLU_IS_TEXT},
	{.key = NULL}};
const struct slu_form slu_form_page = {
	.name = "page",
	.doc = "what the pictures of `sysquery page` are drawn from",
	.keys = page};
