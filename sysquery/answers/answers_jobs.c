/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Defines the tables of the answers about jobs: file systems, predictions,
 * starts and waits, and the load of the parallel file system. */
#include "config.h"
#include "sysquery/answers/answers.h"

#include "sysquery/answers/colors.h"

#define MB	1e6
#define MINUTES 60

static const struct slu_answer_key phases[] = {
	{"name", .is = SLU_IS_TEXT, .title = "PHASE"},
	{"began", "began_unix", .is = SLU_IS_TIME, .title = "BEGAN"},
	{"seconds", .is = SLU_IS_SECONDS, .title = "TOOK"},
	{"bytes", .is = SLU_IS_BYTES, .title = "BYTES"},
	{"files", .is = SLU_IS_COUNT, .title = "FILES"},
	{"cache_hits", .is = SLU_IS_COUNT,
	 .doc = "ranges of files that lay in a node's stage cache"},
	{"cache_misses", .is = SLU_IS_COUNT, .doc = "and that did not"},
	{"cache_bytes", .is = SLU_IS_BYTES,
	 .doc = "part of bytes that came from the stage caches"},
	{"nodes", "node_count", .is = SLU_IS_COUNT, .title = "NODES"},
	{"node_seconds", .is = SLU_IS_SECONDS},
	{.key = NULL}};
static const struct slu_answer_key member_devices[] = {
	{"storage", .is = SLU_IS_TEXT},
	{"capacity", "capacity_bytes", .is = SLU_IS_BYTES},
	{.key = NULL}};
static const struct slu_answer_key members[] = {
	{"name", .is = SLU_IS_TEXT},
	{"state", .is = SLU_IS_TEXT},
	{"part", .doc = "its part in the file system"},
	{"capacity", "capacity_bytes", .is = SLU_IS_BYTES},
	{"enforced", .is = SLU_IS_TEXT, .doc = "quota, loop or no"},
	{"storage", .is = SLU_IS_TEXT, .doc = "where its part lies"},
	{"more", .is = SLU_IS_LIST, .of = member_devices,
	 .doc = "further devices over which it is spread, with their parts"},
	{"used_most", "used_most_bytes", .is = SLU_IS_BYTES},
	{"read_bytes", .is = SLU_IS_BYTES},
	{"written_bytes", .is = SLU_IS_BYTES},
	{.key = NULL}};
static const struct slu_answer_key events[] = {
	{"time", "time_unix", .is = SLU_IS_TIME, .title = "TIME"},
	{"state", .is = SLU_IS_TEXT, .title = "STATE",
	 .color = slu_color_state},
	{"text", .is = SLU_IS_TEXT, .title = "WHAT", .text = true},
	{.key = NULL}};
static const struct slu_answer_key buffers[] = {
	{"buffer", "buffer_id", .is = SLU_IS_COUNT},
	{"job", "job_id", .is = SLU_IS_COUNT, .title = "JOB"},
	{"job_name", .is = SLU_IS_TEXT, .title = "NAME", .drop = 2},
	{"restarts", .is = SLU_IS_COUNT},
	{"uid", .is = SLU_IS_COUNT},
	{"user", .is = SLU_IS_TEXT, .title = "USER"},
	{"name", .is = SLU_IS_TEXT, .doc = "of a persistent one"},
	{"filesystem", .is = SLU_IS_TEXT, .title = "FILESYSTEM", .drop = 4},
	{"driver", .is = SLU_IS_TEXT},
	{"coherence", .is = SLU_IS_TEXT, .title = "COHERENCE", .drop = 6},
	{"capacity", "capacity_bytes", .is = SLU_IS_BYTES, .title = "CAPACITY"},
	{"used", "used_bytes", .is = SLU_IS_BYTES, .title = "USED", .drop = 2,
	 .doc = "bytes on its nodes now, as they reported"},
	{"nodes", "node_count", .is = SLU_IS_COUNT, .title = "NODES"},
	{"state", .is = SLU_IS_TEXT, .title = "STATE",
	 .color = slu_color_state},
	{"created", "created_unix", .is = SLU_IS_TIME, .title = "CREATED",
	 .drop = 5},
	{"job_start", "job_start_unix", .is = SLU_IS_TIME},
	{"ready", "ready_unix", .is = SLU_IS_TIME},
	{"ended", "ended_unix", .is = SLU_IS_TIME},
	{"expires", "expires_unix", .is = SLU_IS_TIME},
	{"uses", "uses_job_id", .is = SLU_IS_COUNT},
	{"failed_in", .is = SLU_IS_TEXT, .title = "FAILED_IN", .drop = 3,
	 .color = slu_color_bad},
	{"failure", .is = SLU_IS_TEXT, .title = "FAILURE", .text = true,
	 .color = slu_color_bad},
	{"progress", .is = SLU_IS_TEXT, .title = "PROGRESS", .text = true,
	 .drop = 1},
	{"verdict", .is = SLU_IS_TEXT, .doc = "what became of its stage-out"},
	{"unsaved", .is = SLU_IS_TEXT, .doc = "what could not be staged out"},
	{"phases", .is = SLU_IS_LIST, .of = phases},
	{"members", .is = SLU_IS_LIST, .of = members},
	{"history", .is = SLU_IS_LIST, .of = events},
	{.key = NULL}};
const struct slu_form slu_form_buffers = {
	.name = "buffers",
	.doc = "job file systems, their phases and bytes",
	.rows = "buffers",
	.keys = buffers,
	.state = "state",
	.states = "SETUP,STAGE_IN,RUNNING,STAGE_OUT,TEARDOWN,DONE",
	.time = "created"};

/* Slurm's final states of a run. */
#define ENDED                                                      \
	"COMPLETED,FAILED,CANCELLED,TIMEOUT,NODE_FAIL,PREEMPTED,"  \
	"BOOT_FAIL,DEADLINE,OUT_OF_MEMORY,REQUEUED,LAUNCH_FAILED," \
	"REVOKED"

static const struct slu_answer_key by_fs[] = {
	{"name", .is = SLU_IS_TEXT, .doc = "fsname; ?: it is not known which"},
	{"read_bytes", .is = SLU_IS_BYTES},
	{"written_bytes", .is = SLU_IS_BYTES},
	{"metadata_ops", "metadata_op_count", .is = SLU_IS_COUNT},
	{.key = NULL}};
static const struct slu_answer_key jobs[] = {
	{"job_id", .is = SLU_IS_COUNT, .title = "JOB"},
	{"user", .is = SLU_IS_ANY, .title = "USER", .doc = "name, or number"},
	{"name", .is = SLU_IS_TEXT, .title = "NAME", .drop = 1},
	{"nodes", "node_count", .is = SLU_IS_COUNT, .title = "NODES"},
	{"partition", .is = SLU_IS_TEXT},
	{"account", .is = SLU_IS_TEXT},
	{"start", "started_unix", .is = SLU_IS_TIME},
	{"end", "ended_unix", .is = SLU_IS_TIME},
	{"state", .is = SLU_IS_TEXT, .title = "STATE",
	 .color = slu_color_state},
	{"limit", "limit_seconds", .is = SLU_IS_SECONDS, .factor = MINUTES,
	 .title = "LIMIT_MIN", .drop = 3},
	{"limit_asked", "limit_asked_seconds", .is = SLU_IS_SECONDS,
	 .factor = MINUTES},
	{"tightened", "tightened_limit_seconds", .is = SLU_IS_SECONDS,
	 .factor = MINUTES, .title = "TIGHT_MIN", .drop = 5},
	{"extended", .is = SLU_IS_FLAG},
	{"late_by", "late_by_seconds", .is = SLU_IS_SECONDS},
	{"predicted", "predicted_seconds", .is = SLU_IS_SECONDS,
	 .title = "PREDICTED"},
	{"predicted_from", .is = SLU_IS_TEXT, .title = "FROM", .drop = 6},
	{"error", "error_seconds", .is = SLU_IS_SECONDS,
	 .doc = "predicted minus actual run time"},
	{"run", "run_seconds", .is = SLU_IS_SECONDS, .title = "RAN"},
	{"prepared", "prepared_seconds", .is = SLU_IS_SECONDS},
	{"suspended", "suspended_seconds", .is = SLU_IS_SECONDS},
	{"ions", "ion_count", .is = SLU_IS_COUNT, .title = "IONS", .drop = 4},
	{"ion_times", .is = SLU_IS_TEXT,
	 .doc = "seconds with each number of I/O nodes, where that changed"},
	{"read_bytes", .is = SLU_IS_BYTES, .title = "READ"},
	{"written_bytes", .is = SLU_IS_BYTES, .title = "WRITTEN"},
	{"MB/s", "bandwidth_bytes_per_second", .is = SLU_IS_BANDWIDTH,
	 .factor = MB},
	{"io_from", .is = SLU_IS_TEXT, .doc = "source of the byte counts"},
	{"rpcs", .is = SLU_IS_COUNT},
	{"metadata_ops", "metadata_op_count", .is = SLU_IS_COUNT,
	 .doc = "metadata operations, as counted by Lustre's MDTs"},
	{"by_file_system", .is = SLU_IS_LIST, .of = by_fs,
	 .doc = "what Lustre's servers counted for each of its file systems"},
	{"script", .is = SLU_IS_TEXT, .doc = "a digest"},
	{.key = NULL}};
const struct slu_form slu_form_jobs = {.name = "jobs",
				       .doc = "ended jobs, predicted and real",
				       .rows = "jobs",
				       .keys = jobs,
				       .state = "state",
				       .states = ENDED,
				       .time = "end"};

#define ACCURACY(what, heading)                                                \
	{what, .is = SLU_IS_TEXT, .title = heading},                           \
		{"jobs", .is = SLU_IS_COUNT, .title = "JOBS"},                 \
		{"median_error", "median_error_seconds", .is = SLU_IS_SECONDS, \
		 .title = "MEDIAN_ERROR"},                                     \
		{"mean_error", "mean_error_seconds", .is = SLU_IS_SECONDS,     \
		 .title = "MEAN_ERROR", .drop = 2},                            \
		{"median_error_asked", "median_error_asked_seconds",           \
		 .is = SLU_IS_SECONDS, .title = "OF_REQUEST", .drop = 1},      \
		{"under", "under_share", .is = SLU_IS_SHARE, .title = "UNDER", \
		 .doc = "share of jobs that ran longer than predicted"},       \
		{"tightened", .is = SLU_IS_COUNT, .title = "TIGHTENED"},       \
		{"extended", .is = SLU_IS_COUNT, .title = "EXTENDED"},         \
	{                                                                      \
		.key = NULL                                                    \
	}
static const struct slu_answer_key by_user[] = {ACCURACY("user", "USER")};
static const struct slu_answer_key by_partition[] = {
	ACCURACY("partition", "PARTITION")};
static const struct slu_answer_key by_week[] = {ACCURACY("week", "WEEK")};
static const struct slu_answer_key accuracy[] = {
	{"user", .is = SLU_IS_LIST, .of = by_user},
	{"partition", .is = SLU_IS_LIST, .of = by_partition},
	{"week", .is = SLU_IS_LIST, .of = by_week, .doc = "its Monday, UTC"},
	{.key = NULL}};
const struct slu_form slu_form_accuracy = {.name = "accuracy",
					   .doc = "how good predictions were",
					   .keys = accuracy};

static const struct slu_answer_key evidence[] = {
	{"class", .is = SLU_IS_TEXT, .title = "CLASS"},
	{"jobs", .is = SLU_IS_COUNT, .title = "JOBS"},
	{"weight", "weight_share", .is = SLU_IS_SHARE, .title = "WEIGHT"},
	{.key = NULL}};
static const struct slu_answer_key with_ions[] = {
	{"ions", "ion_count", .is = SLU_IS_COUNT},
	{"runs", .is = SLU_IS_COUNT},
	{"MB/s", "bandwidth_bytes_per_second", .is = SLU_IS_BANDWIDTH,
	 .factor = MB},
	{.key = NULL}};
static const struct slu_answer_key next_io[] = {
	{"runs", .is = SLU_IS_COUNT},
	{"written_bytes", .is = SLU_IS_LIST, .each = SLU_IS_BYTES,
	 .doc = "of the next runs"},
	{"read_bytes", .is = SLU_IS_LIST, .each = SLU_IS_BYTES},
	{"stripe_size", "stripe_size_bytes", .is = SLU_IS_BYTES},
	{"stripes", .is = SLU_IS_COUNT},
	{"training", .is = SLU_IS_COUNT},
	{"MB/s", "bandwidth_bytes_per_second", .is = SLU_IS_BANDWIDTH,
	 .factor = MB},
	{"bandwidth", .is = SLU_IS_LIST, .of = with_ions},
	{"calls", .is = SLU_IS_COUNT},
	{"request_size", "request_size_bytes", .is = SLU_IS_BYTES},
	{"layout", .is = SLU_IS_TEXT},
	{"shared", "shared_share", .is = SLU_IS_SHARE},
	{"access", .is = SLU_IS_TEXT},
	{"contiguous", "contiguous_share", .is = SLU_IS_SHARE},
	{.key = NULL}};
static const struct slu_answer_key predict[] = {
	{"name", .is = SLU_IS_TEXT, .title = "NAME"},
	{"nodes", "node_count", .is = SLU_IS_COUNT, .title = "NODES"},
	{"partition", .is = SLU_IS_TEXT, .title = "PARTITION", .drop = 1},
	{"account", .is = SLU_IS_TEXT},
	{"limit_asked", "limit_asked_seconds", .is = SLU_IS_SECONDS,
	 .factor = MINUTES},
	{"predicted", "predicted_seconds", .is = SLU_IS_SECONDS,
	 .title = "PREDICTED"},
	{"careful", "careful_seconds", .is = SLU_IS_SECONDS, .title = "CAREFUL",
	 .doc = "what limits are made of"},
	{"limit", "limit_seconds", .is = SLU_IS_SECONDS, .factor = MINUTES,
	 .title = "LIMIT"},
	{"elapsed", "elapsed_seconds", .is = SLU_IS_SECONDS,
	 .title = "ELAPSED"},
	{"remaining", "remaining_seconds", .is = SLU_IS_SECONDS,
	 .title = "REMAINING"},
	{"predicted_from", .is = SLU_IS_TEXT, .title = "FROM", .drop = 2},
	{"jobs", .is = SLU_IS_COUNT, .title = "JOBS"},
	{"quantiles", "quantile_seconds", .is = SLU_IS_MAP,
	 .each = SLU_IS_SECONDS, .doc = "by percent: 10, 50, 90, 99"},
	{"evidence", .is = SLU_IS_LIST, .of = evidence},
	{"io", .is = SLU_IS_OBJECT, .of = next_io},
	{"warning", .is = SLU_IS_TEXT},
	{.key = NULL}};
const struct slu_form slu_form_predict = {
	.name = "predict",
	.doc = "how long a job would run, and why",
	.keys = predict};

static const struct slu_answer_key likely[] = {
	{"node", .is = SLU_IS_TEXT, .title = "NODE"},
	{"share", .is = SLU_IS_SHARE, .title = "PROBABILITY"},
	{.key = NULL}};
static const struct slu_answer_key start[] = {
	{"job_id", .is = SLU_IS_COUNT},
	{"partition", .is = SLU_IS_TEXT},
	{"reason", .is = SLU_IS_TEXT, .doc = "Slurm's, for which it waits"},
	{"nodes", "node_count", .is = SLU_IS_COUNT},
	{"running", "running_count", .is = SLU_IS_COUNT,
	 .doc = "jobs that run in the partition"},
	{"ahead", "ahead_count", .is = SLU_IS_COUNT,
	 .doc = "jobs that wait before it"},
	{"planned", "planned_unix", .is = SLU_IS_TIME,
	 .doc = "Slurm's plan, by limits"},
	{"planned_nodes", "planned_node_list", .is = SLU_IS_TEXT},
	{"start_10", "start_10_unix", .is = SLU_IS_TIME,
	 .doc = "the job starts before this with a probability of 10 %"},
	{"start_50", "start_50_unix", .is = SLU_IS_TIME},
	{"start_90", "start_90_unix", .is = SLU_IS_TIME},
	{"within_10min", "within_10min_share", .is = SLU_IS_SHARE,
	 .doc = "the probability of a start within ten minutes"},
	{"within_1h", "within_1h_share", .is = SLU_IS_SHARE},
	{"likely_nodes", "likely_node_list", .is = SLU_IS_TEXT},
	{"sure", "sure_share", .is = SLU_IS_SHARE,
	 .doc = "the probability that it gets exactly these nodes"},
	{"node", "node_shares", .is = SLU_IS_LIST, .of = likely},
	{.key = NULL}};
const struct slu_form slu_form_start = {
	.name = "start",
	.doc = "when and where a job will start",
	.keys = start};

static const struct slu_answer_key why[] = {
	{"job_id", .is = SLU_IS_COUNT},
	{"state", .is = SLU_IS_TEXT},
	{"reason", .is = SLU_IS_TEXT, .doc = "Slurm's word"},
	{"kind", .is = SLU_IS_TEXT,
	 .doc = "bandwidth (IOStart), storage, promised-storage (kept for "
		"others), persistent-buffer, input (being staged in), "
		"earlier-run, sluiced (it does not answer), limit, hold, "
		"boot; slurm: the reason is Slurm's own"},
	{"because", .is = SLU_IS_TEXT, .doc = "a sentence"},
	{"since", "since_unix", .is = SLU_IS_TIME,
	 .doc = "when it began to wait for bandwidth"},
	{.key = NULL}};
const struct slu_form slu_form_why = {
	.name = "why", .doc = "what of Sluice a job waits for", .keys = why};

static const struct slu_answer_key prestage_waiting[] = {
	{"job_id", .is = SLU_IS_COUNT, .title = "JOB"},
	{"uid", .is = SLU_IS_COUNT},
	{"node", .is = SLU_IS_TEXT, .title = "NODE"},
	{"state", .is = SLU_IS_TEXT, .title = "INPUT",
	 .doc = "unsure, probable, brought (or about to be), there, begun (the "
		"job), no plan"},
	{"since", "since_unix", .is = SLU_IS_TIME, .title = "PROBABLE_SINCE",
	 .doc = "the job has been probable enough to run there since then"},
	{"brought_bytes", .is = SLU_IS_BYTES, .title = "BROUGHT"},
	{"why", .is = SLU_IS_TEXT, .doc = "there is no plan"},
	{.key = NULL}};
static const struct slu_answer_key prestage[] = {
	{"on", .is = SLU_IS_FLAG, .doc = "PrestageTo is not off"},
	{"jobs", "job_count", .is = SLU_IS_COUNT,
	 .doc = "jobs whose prestaging ended since sluiced started, counted "
		"once per node"},
	{"brought_bytes", .is = SLU_IS_BYTES, .doc = "for these"},
	{"used_bytes", .is = SLU_IS_BYTES, .doc = "that these have used"},
	{"wasted_bytes", .is = SLU_IS_BYTES, .doc = "that none has used"},
	{"waiting", .is = SLU_IS_LIST, .of = prestage_waiting},
	{.key = NULL}};
const struct slu_form slu_form_prestage = {
	.name = "prestage",
	.doc = "inputs that are brought to nodes ahead of their jobs",
	.keys = prestage};

static const struct slu_answer_key iostart[] = {
	{"since", "since_unix", .is = SLU_IS_TIME},
	{"runs", "run_count", .is = SLU_IS_COUNT,
	 .doc = "ended jobs whose I/O volume is known"},
	{"unknown", "unknown_count", .is = SLU_IS_COUNT,
	 .doc = "ended jobs whose I/O volume is not known"},
	{"configured", .is = SLU_IS_FLAG,
	 .doc = "true: capacity is IOBandwidth; false: the highest bandwidth "
		"seen"},
	{"capacity", "capacity_bytes_per_second", .is = SLU_IS_BANDWIDTH},
	{"highest", "highest_bytes_per_second", .is = SLU_IS_BANDWIDTH,
	 .doc = "highest sum of the mean bandwidths of jobs that ran at the "
		"same time"},
	{"most_99", "most_99_bytes_per_second", .is = SLU_IS_BANDWIDTH,
	 .doc = "not exceeded for 99 % of the time with any I/O"},
	{"median", "median_bytes_per_second", .is = SLU_IS_BANDWIDTH},
	{"busy", "busy_share", .is = SLU_IS_SHARE,
	 .doc = "share of the time with any I/O in which 80 % of the "
		"capacity was in use"},
	{"node_seconds", .is = SLU_IS_SECONDS,
	 .doc = "of runs that moved more than 1 % of the capacity"},
	{"busy_node_seconds", .is = SLU_IS_SECONDS,
	 .doc = "part of node_seconds within busy time"},
	{"crowded", "crowded_count", .is = SLU_IS_COUNT,
	 .doc = "runs that began although their bandwidth exceeded what was "
		"free"},
	{"kinds", "kind_count", .is = SLU_IS_COUNT,
	 .doc = "groups of equal jobs of which some ran in busy time and "
		"some did not"},
	{"slower", .is = SLU_IS_NUMBER,
	 .doc = "run time in busy time divided by that outside of it, median "
		"of the groups"},
	{"lost_node_seconds", .is = SLU_IS_SECONDS,
	 .doc = "part of busy_node_seconds lost by that: the most that "
		"IOStart could gain"},
	{"ran_well", "ran_well_bytes_per_second", .is = SLU_IS_BANDWIDTH,
	 .doc = "highest total bandwidth at which runs did not take longer; "
		"0: not known"},
	{"met", "met_bytes_per_second", .is = SLU_IS_BANDWIDTH,
	 .doc = "highest mean of the total bandwidth during a run"},
	{"slow_runs", "slow_run_count", .is = SLU_IS_COUNT,
	 .doc = "runs during which the mean total bandwidth exceeded "
		"ran_well"},
	{"slow_by", .is = SLU_IS_NUMBER,
	 .doc = "factor by which these runs took longer"},
	{"auto", .doc = "of IOBandwidth=auto: where the capacity comes from, "
			"servers, history, held (what servers sustained for "
			"ten minutes, if that is more) or unknown"},
	{"targets", "target_count", .is = SLU_IS_COUNT,
	 .doc = "Lustre targets that the servers report"},
	{"degraded", "degraded_count", .is = SLU_IS_COUNT,
	 .doc = "degraded or read-only targets, which are not counted"},
	{"silent", "silent_count", .is = SLU_IS_COUNT,
	 .doc = "servers without a report for ten minutes; after a day they "
		"are ignored"},
	{"unheard", "unheard_unix", .is = SLU_IS_TIME,
	 .doc = "time of the last report of any server, if that is long ago"},
	{"metadata_auto", .is = SLU_IS_TEXT,
	 .doc = "of IOMetadata=auto: as auto; none: IOMetadata is a number"},
	{"metadata_capacity", "metadata_capacity_ops_per_second",
	 .is = SLU_IS_NUMBER, .doc = "IOMetadata"},
	{"metadata_demand", "metadata_demand_ops_per_second",
	 .is = SLU_IS_NUMBER,
	 .doc = "metadata operations a second that "
		"running jobs ask for"},
	{"metadata_waiting", "metadata_waiting_count", .is = SLU_IS_COUNT,
	 .doc = "jobs that wait for metadata operations"},
	{"file_systems", .is = SLU_IS_TEXT,
	 .doc = "two of several Lustre file systems that are counted as one; "
		"none: there is only one"},
	{"fs", .is = SLU_IS_TEXT,
	 .doc = "fsname of the file system that the answer is about; none: "
		"all as one"},
	{"others", .is = SLU_IS_TEXT,
	 .doc = "further ones that IOBandwidth or IOMetadata name"},
	{.key = NULL}};
const struct slu_form slu_form_iostart = {
	.name = "iostart",
	.doc = "how busy ended jobs kept the parallel file system",
	.keys = iostart};

static const struct slu_answer_key import[] = {
	{"jobs", .is = SLU_IS_COUNT, .title = "JOBS"},
	{"added", .is = SLU_IS_COUNT, .title = "NEW"},
	{"io", .is = SLU_IS_COUNT, .title = "NEW_IO"},
	{"io_changed", .is = SLU_IS_COUNT, .title = "CHANGED_IO"},
	{"skipped", .is = SLU_IS_COUNT, .title = "SKIPPED"},
	{"broken", .is = SLU_IS_COUNT, .title = "BROKEN"},
	{"old", .is = SLU_IS_COUNT},
	{"unknown", .is = SLU_IS_COUNT},
	{.key = NULL}};
const struct slu_form slu_form_import = {
	.name = "import",
	.doc = "what of others' history was taken in",
	.keys = import};
