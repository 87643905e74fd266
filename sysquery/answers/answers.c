/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Defines the tables of the answers from the resource map, and the index of all
 * answers. Those about jobs, I/O nodes and storage are in answers_jobs.c,
 * answers_ions.c and answers_storage.c.
 */
#include "config.h"
#include "sysquery/answers/answers.h"

#include <string.h>
#include "sysquery/answers/colors.h"

static const struct slu_answer_key summary[] = {
	{"host", .is = SLU_IS_TEXT, .title = "HOST"},
	{"storage", .is = SLU_IS_TEXT, .title = "STORAGE",
	 .doc = "where job file systems would live"},
	{"filesystem", .is = SLU_IS_TEXT, .title = "TYPE", .drop = 2},
	{"tier", .is = SLU_IS_TEXT, .title = "TIER",
	 .doc = "pmem, flash, disk or ram"},
	{"size", "size_bytes", .is = SLU_IS_BYTES, .title = "SIZE"},
	{"available", "available_bytes", .is = SLU_IS_BYTES,
	 .title = "AVAILABLE"},
	{"disks", .is = SLU_IS_COUNT, .title = "DISKS", .drop = 3},
	{"disk_bytes", .is = SLU_IS_BYTES, .title = "ON_DISKS", .drop = 4},
	{"memory", "memory_bytes", .is = SLU_IS_BYTES, .title = "MEMORY"},
	{"cores", .is = SLU_IS_COUNT, .title = "CORES", .drop = 1},
	{"cpus", .is = SLU_IS_COUNT, .title = "CPUS"},
	{.key = NULL}};
const struct slu_form slu_form_summary = {.name = "summary",
					  .doc = "the storage of each host",
					  .rows = "hosts",
					  .keys = summary};

static const struct slu_answer_key storage[] = {
	{"host", .is = SLU_IS_TEXT, .title = "HOST"},
	{"mountpoint", .is = SLU_IS_TEXT, .title = "MOUNTPOINT"},
	{"device", .is = SLU_IS_TEXT, .title = "DEVICE", .drop = 2},
	{"filesystem", .is = SLU_IS_TEXT, .title = "TYPE", .drop = 1},
	{"tier", .is = SLU_IS_TEXT, .title = "TIER",
	 .doc = "pmem, flash, disk, ram or unknown"},
	{"size", "size_bytes", .is = SLU_IS_BYTES, .title = "SIZE"},
	{"taken_for", .is = SLU_IS_TEXT, .title = "TAKEN_FOR",
	 .doc = "NodeStorage, or the pools that use it; \"\": none"},
	{"share", .is = SLU_IS_TEXT, .title = "SHARE", .drop = 3,
	 .doc = "on how many of a host's devices a job's share lies, by file "
		"system; \"\": on this one"},
	{"why_not", .is = SLU_IS_TEXT, .title = "WHY_NOT", .text = true,
	 .doc = "\"\": it is taken"},
	{.key = NULL}};
const struct slu_form slu_form_storage = {
	.name = "storage",
	.doc = "why file systems of a host are taken for jobs, or not",
	.rows = "filesystems",
	.keys = storage};

const struct slu_form slu_form_resources = {
	.name = "resources",
	.doc = "the documents of hosts, as sysmap(1) describes them",
	.rows = "hosts",
	.map = true};

static const struct slu_answer_key hosts[] = {
	{"host", .is = SLU_IS_TEXT, .title = "HOST"},
	{"documents", .is = SLU_IS_COUNT, .title = "DOCUMENTS", .drop = 2},
	{"since", "since_unix", .is = SLU_IS_TIME, .title = "SINCE", .drop = 1},
	{"last_seen", "last_seen_unix", .is = SLU_IS_TIME, .title = "LAST_SEEN",
	 .doc = "time of its last sysmap --push"},
	{"heard", "heard_unix", .is = SLU_IS_TIME, .title = "HEARD",
	 .doc = "last request of this host to sluiced since sluiced was "
		"started"},
	{.key = NULL}};
const struct slu_form slu_form_hosts = {.name = "hosts",
					.doc = "hosts in the resource map",
					.rows = "hosts",
					.keys = hosts,
					.time = "last_seen"};

static const struct slu_answer_key extractors[] = {
	{"extractor", .is = SLU_IS_TEXT, .title = "EXTRACTOR"},
	{"documents", .is = SLU_IS_COUNT, .title = "DOCUMENTS"},
	{"hosts", .is = SLU_IS_COUNT, .title = "HOSTS"},
	{.key = NULL}};
const struct slu_form slu_form_extractors = {
	.name = "extractors",
	.doc = "kinds of documents in the map",
	.rows = "extractors",
	.keys = extractors};

static const struct slu_answer_key changes[] = {
	{"path", .is = SLU_IS_TEXT, .doc = "of the leaf; \"\": the document"},
	{.key = "old"},
	{.key = "new"},
	{.key = NULL}};
static const struct slu_answer_key history[] = {
	{"since", "since_unix", .is = SLU_IS_TIME, .title = "SINCE"},
	{"until", "until_unix", .is = SLU_IS_TIME},
	{"last_seen", "last_seen_unix", .is = SLU_IS_TIME},
	{"host", .is = SLU_IS_TEXT, .title = "HOST"},
	{"extractor", .is = SLU_IS_TEXT, .title = "EXTRACTOR", .drop = 1},
	{"changes", .is = SLU_IS_LIST, .of = changes},
	{.key = NULL}};
const struct slu_form slu_form_history = {
	.name = "history",
	.doc = "what hosts have and had, since when",
	.rows = "versions",
	.keys = history,
	.time = "since"};

static const struct slu_answer_key diff[] = {
	{"extractor", .is = SLU_IS_TEXT, .title = "EXTRACTOR", .drop = 1},
	{"path", .is = SLU_IS_TEXT, .title = "WHAT"},
	{"old", .title = "WAS", .text = true},
	{"new", .title = "IS", .text = true},
	{.key = NULL}};
const struct slu_form slu_form_diff = {
	.name = "diff",
	.doc = "how hosts differ, or one from its past",
	.rows = "differences",
	.keys = diff};

static const struct slu_answer_key check[] = {
	{"nodes", "node_list", .is = SLU_IS_TEXT, .title = "NODES"},
	{"severity", .is = SLU_IS_TEXT, .title = "SEVERITY",
	 .color = slu_color_state, .doc = "wrong or hint"},
	{"key", .is = SLU_IS_TEXT, .title = "KEY", .drop = 1},
	{"conf", .is = SLU_IS_TEXT, .title = "SLURM.CONF",
	 .doc = "what slurm.conf says, as it is written there"},
	{"map", .is = SLU_IS_TEXT, .title = "MAP", .drop = 2,
	 .doc = "what the resource map says, in the same words"},
	{"change", .is = SLU_IS_TEXT, .title = "CHANGE", .text = true,
	 .doc = "what to write"},
	{.key = NULL}};
const struct slu_form slu_form_check = {
	.name = "check",
	.doc = "the resource map against slurm.conf",
	.rows = "findings",
	.keys = check,
	.state = "severity",
	.states = "wrong,hint"};

const struct slu_form slu_form_select = {
	.name = "select",
	.doc = "rows of a SELECT, with its columns as keys",
	.rows = "rows"};

static const struct slu_answer_key views[] = {
	{"view", .is = SLU_IS_TEXT, .title = "VIEW"},
	{"columns", .is = SLU_IS_TEXT, .title = "COLUMNS", .text = true},
	{.key = NULL}};
const struct slu_form slu_form_views = {.name = "views",
					.doc = "what sql selects from",
					.rows = "views",
					.keys = views};

const struct slu_form slu_form_dump = {
	.name = "dump",
	.doc = "rows of the tables of a database, as they are stored",
	.rows = "tables",
	.map = true};

static const struct slu_answer_key integrity[] = {
	{"integrity", .is = SLU_IS_TEXT, .doc = "ok"}, {.key = NULL}};
const struct slu_form slu_form_integrity = {.name = "integrity",
					    .doc = "is the database sound?",
					    .keys = integrity};

static const struct slu_answer_key schemas[] = {
	{"schema", .is = SLU_IS_TEXT, .title = "SCHEMA",
	 .doc = "its name here"},
	{"of", .is = SLU_IS_TEXT, .title = "OF", .text = true},
	{.key = NULL}};
const struct slu_form slu_form_schemas = {
	.name = "schemas",
	.doc = "the answers that have a schema",
	.rows = "schemas",
	.keys = schemas};

const struct slu_form *const slu_forms[] = {
	&slu_form_site,	      &slu_form_schemas,   &slu_form_summary,
	&slu_form_storage,    &slu_form_resources, &slu_form_hosts,
	&slu_form_extractors, &slu_form_select,	   &slu_form_views,
	&slu_form_history,    &slu_form_diff,	   &slu_form_check,
	&slu_form_buffers,    &slu_form_ions,	   &slu_form_jobs,
	&slu_form_job,	      &slu_form_backtest,  &slu_form_doctor,
	&slu_form_report,     &slu_form_page,	   &slu_form_accuracy,
	&slu_form_predict,    &slu_form_import,	   &slu_form_osts,
	&slu_form_start,      &slu_form_stripe,	   &slu_form_layouts,
	&slu_form_iostart,    &slu_form_why,	   &slu_form_prestage,
	&slu_form_dump,	      &slu_form_integrity, NULL};

const struct slu_form *slu_form_find(const char *name)
{
	for (const struct slu_form *const *a = slu_forms; *a; a++)
		if (strcmp((*a)->name, name) == 0)
			return *a;
	return NULL;
}
