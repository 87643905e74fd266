/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Defines the tables of the answers about Lustre's targets, and of the site's
 * summary. */
#include "config.h"
#include "sysquery/answers/answers.h"

#include "sysquery/answers/colors.h"

#define KIB 1024
#define MS  0.001
#define MB  1e6

static const struct slu_answer_key osts[] = {
	{"index", .is = SLU_IS_COUNT, .title = "INDEX"},
	{"name", .is = SLU_IS_TEXT, .title = "TARGET"},
	{"server", .is = SLU_IS_TEXT, .title = "SERVER", .drop = 2},
	{"cost", .is = SLU_IS_NUMBER, .title = "COST", .drop = 3},
	{"available", "available_bytes", .is = SLU_IS_BYTES,
	 .title = "AVAILABLE"},
	{"total", "size_bytes", .is = SLU_IS_BYTES, .title = "SIZE", .drop = 1},
	{"left_out", .is = SLU_IS_TEXT, .title = "LEFT OUT", .text = true,
	 .color = slu_color_caution,
	 .doc = "why no new files are placed on "
		"it"},
	{.key = NULL}};
static const struct slu_answer_key targets[] = {
	{"name", .is = SLU_IS_TEXT},
	{"index", .is = SLU_IS_COUNT},
	{"total", "size_bytes", .is = SLU_IS_BYTES, .factor = KIB},
	{"available", "available_bytes", .is = SLU_IS_BYTES, .factor = KIB},
	{"read", "read_bytes_per_second", .is = SLU_IS_BANDWIDTH},
	{"write", "written_bytes_per_second", .is = SLU_IS_BANDWIDTH},
	{"io_ms", "io_seconds", .is = SLU_IS_SECONDS, .factor = MS,
	 .doc = "of one request"},
	{"io_bytes", .is = SLU_IS_BYTES, .doc = "of one request"},
	{"ops", "requests_per_second", .is = SLU_IS_NUMBER},
	{"file_bytes", .is = SLU_IS_BYTES,
	 .doc = "that an MDT takes of a file (Data-on-MDT)"},
	{"jobs", .is = SLU_IS_COUNT},
	{"state", .is = SLU_IS_TEXT},
	{.key = NULL}};
static const struct slu_answer_key closed[] = {
	{"name", .is = SLU_IS_TEXT}, {"why", .is = SLU_IS_TEXT}, {.key = NULL}};
static const struct slu_answer_key servers[] = {
	{"lustre", .is = SLU_IS_TEXT, .doc = "its version"},
	{"cpu", "cpu_percent", .is = SLU_IS_PERCENT},
	{"memory", "memory_percent", .is = SLU_IS_PERCENT},
	{"network", "network_bytes_per_second", .is = SLU_IS_BANDWIDTH},
	{"moved", "moved_bytes_per_second", .is = SLU_IS_BANDWIDTH,
	 .doc = "the mean of the last time"},
	{"peak", "peak_bytes_per_second", .is = SLU_IS_BANDWIDTH},
	{"age", "age_seconds", .is = SLU_IS_SECONDS},
	{"domain", .is = SLU_IS_TEXT, .doc = "FailureDomain of sluice.conf"},
	{"osts", .is = SLU_IS_LIST, .of = targets},
	{"mdts", .is = SLU_IS_LIST, .of = targets},
	{"closed", .is = SLU_IS_LIST, .of = closed,
	 .doc = "targets on which a metadata server creates no files"},
	{.key = NULL}};
static const struct slu_answer_key room[] = {
	{"ahead", .is = SLU_IS_COUNT, .doc = "the how many'th run"},
	{"bytes", .is = SLU_IS_BYTES},
	{"stripes", .is = SLU_IS_COUNT},
	{"fits", .is = SLU_IS_FLAG},
	{.key = NULL}};
static const struct slu_answer_key lustre[] = {
	{"osts", .is = SLU_IS_LIST, .of = osts},
	{"servers", .is = SLU_IS_MAP, .of = servers},
	{"lustre", .is = SLU_IS_COUNT,
	 .doc = "the oldest server's version, as a number"},
	{"filesystems", .is = SLU_IS_COUNT},
	{"files", .is = SLU_IS_LIST, .each = SLU_IS_ANY,
	 .doc = "of place: for each file the indexes of its targets"},
	{"commands", .is = SLU_IS_LIST, .each = SLU_IS_TEXT},
	{"stripe_bytes", .is = SLU_IS_BYTES},
	{"missing", .is = SLU_IS_COUNT},
	{"predicted", .is = SLU_IS_LIST, .of = room},
	{"ranked", .is = SLU_IS_FLAG},
	{"dry", .is = SLU_IS_FLAG, .doc = "nothing is remembered of it"},
	{.key = NULL}};
const struct slu_form slu_form_osts = {.name = "osts",
				       .doc = "Lustre's targets; which to use",
				       .keys = lustre,
				       .main = "osts"};

static const struct slu_answer_key components[] = {
	{"begin", "begin_bytes", .is = SLU_IS_BYTES, .title = "FROM"},
	{"end", "end_bytes", .is = SLU_IS_BYTES, .title = "TO"},
	{"count", "stripes", .is = SLU_IS_COUNT, .title = "STRIPES",
	 .doc = "0 on the metadata target"},
	{"width", "stripe_size_bytes", .is = SLU_IS_BYTES, .title = "WIDTH"},
	{"extend", "extension_bytes", .is = SLU_IS_BYTES,
	 .doc = "by which it extends itself"},
	{"why", .is = SLU_IS_TEXT, .title = "WHY", .text = true},
	{.key = NULL}};
static const struct slu_answer_key stripe[] = {
	{"components", .is = SLU_IS_LIST, .of = components},
	{"command", .is = SLU_IS_TEXT},
	{.key = NULL}};
const struct slu_form slu_form_stripe = {.name = "stripe",
					 .doc = "how to stripe a file, and why",
					 .keys = stripe};

static const struct slu_answer_key layout_files[] = {
	{"path", .is = SLU_IS_TEXT, .title = "FILE", .text = true},
	{"size", "size_bytes", .is = SLU_IS_BYTES, .title = "SIZE"},
	{"stripes", .is = SLU_IS_COUNT, .title = "STRIPES"},
	{"why", .is = SLU_IS_TEXT, .title = "WHY"},
	{"now", "now_seconds", .is = SLU_IS_SECONDS, .title = "TAKES s",
	 .round = true, .drop = 1, .doc = "to open it and go through it once"},
	{"better", "better_seconds", .is = SLU_IS_SECONDS, .title = "WOULD s",
	 .round = true, .drop = 2, .doc = "the same after the command"},
	{"full", "full_bytes", .is = SLU_IS_BYTES,
	 .doc = "bytes of it that are on full targets"},
	{"command", .is = SLU_IS_TEXT, .doc = "that changes the layout"},
	{.key = NULL}};
static const struct slu_answer_key layout_reasons[] = {
	{"why", .is = SLU_IS_TEXT, .title = "WHY"},
	{"count", .is = SLU_IS_COUNT, .title = "FILES", .doc = "of all"},
	{"saved", "saved_seconds", .is = SLU_IS_SECONDS, .title = "COST s",
	 .round = true, .doc = "of all of them together"},
	{.key = NULL}};
static const struct slu_answer_key layouts[] = {
	{"files", .is = SLU_IS_LIST, .of = layout_files,
	 .doc = "the worst first, as many as --top says"},
	{"reasons", .is = SLU_IS_LIST, .of = layout_reasons},
	{"seen", .is = SLU_IS_COUNT, .doc = "files below the directory"},
	{"unread", .is = SLU_IS_COUNT, .doc = "files and directories"},
	{"special", .is = SLU_IS_COUNT,
	 .doc = "mirrored, archived and such, which are left as they are"},
	{"no_room", .is = SLU_IS_COUNT,
	 .doc = "that no other layout has room for"},
	{.key = NULL}};
const struct slu_form slu_form_layouts = {
	.name = "layouts",
	.doc = "files whose layout costs most (stripe check)",
	.keys = layouts};

static const struct slu_answer_key site_hosts[] = {
	{"count", .is = SLU_IS_COUNT},
	{"silent_count", .is = SLU_IS_COUNT, .doc = "for a day"},
	{"silent", .is = SLU_IS_LIST, .each = SLU_IS_TEXT},
	{.key = NULL}};
static const struct slu_answer_key site_failures[] = {
	{"job", "job_id", .is = SLU_IS_COUNT, .title = "JOB"},
	{"user", .is = SLU_IS_TEXT, .title = "USER"},
	{"state", .is = SLU_IS_TEXT, .title = "STATE",
	 .color = slu_color_state},
	{"failure", .is = SLU_IS_TEXT, .title = "FAILURE", .text = true,
	 .color = slu_color_bad},
	{.key = NULL}};
static const struct slu_answer_key site_buffers[] = {
	{"count", .is = SLU_IS_COUNT},
	{"capacity_bytes", .is = SLU_IS_BYTES,
	 .doc = "of those that have not ended"},
	{"states", .is = SLU_IS_MAP, .each = SLU_IS_COUNT},
	{"failed", .is = SLU_IS_LIST, .of = site_failures},
	{.key = NULL}};
static const struct slu_answer_key site_ions[] = {
	{"policy", .is = SLU_IS_TEXT},
	{"ion_list", .is = SLU_IS_TEXT},
	{"job_count", .is = SLU_IS_COUNT},
	{"total_bytes_per_second", .is = SLU_IS_BANDWIDTH},
	{"static_total_bytes_per_second", .is = SLU_IS_BANDWIDTH},
	{.key = NULL}};
static const struct slu_answer_key site_osts[] = {
	{"count", .is = SLU_IS_COUNT},
	{"left_out_count", .is = SLU_IS_COUNT},
	{"size_bytes", .is = SLU_IS_BYTES},
	{"available_bytes", .is = SLU_IS_BYTES},
	{.key = NULL}};
static const struct slu_answer_key site_jobs[] = {
	{"count", .is = SLU_IS_COUNT},
	{"states", .is = SLU_IS_MAP, .each = SLU_IS_COUNT},
	{"read_bytes", .is = SLU_IS_BYTES},
	{"written_bytes", .is = SLU_IS_BYTES},
	{.key = NULL}};
static const struct slu_answer_key site[] = {
	{"hosts", .is = SLU_IS_OBJECT, .of = site_hosts},
	{"buffers", .is = SLU_IS_OBJECT, .of = site_buffers,
	 .doc = "alive, or ended within a day"},
	{"ions", .is = SLU_IS_OBJECT, .of = site_ions},
	{"osts", .is = SLU_IS_OBJECT, .of = site_osts},
	{"jobs", .is = SLU_IS_OBJECT, .of = site_jobs,
	 .doc = "ended within a day"},
	{.key = NULL}};
const struct slu_form slu_form_site = {
	.name = "site",
	.doc = "the site in a screenful, as far as the caller may know",
	.keys = site};
