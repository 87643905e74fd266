/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Imports the output of sacct. The lines of a job's steps follow its own: their
 * I/O, by JobAcctGather, is added to the job, and the largest number of tasks
 * becomes the job's. So a job is passed on only when the next one begins.
 */
#include "config.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/size.h"
#include "job_submit/import/import_formats.h"
#include "job_submit/import/sacct_lines.h"
#include "job_submit/import/sacct_quoted.h"

/* Slurm's NO_VAL and INFINITE, 2^32 - 2 and - 1, mean unknown too. */
#define UNKNOWN (UINT32_MAX - 1)

/* SLU_NO_ID if it is unknown or has more than 32 bits. */
static uint32_t take_number(const char *text)
{
	unsigned long long n = strtoull(text, NULL, 10);

	return n < UNKNOWN ? (uint32_t)n : SLU_NO_ID;
}

/* 0: unknown. */
static uint32_t number_at(char *const at[SLU_SACCT_COLUMNS],
			  enum slu_sacct_column column)
{
	uint32_t n = at[column] ? take_number(at[column]) : 0;

	return n == SLU_NO_ID ? 0 : n;
}

static int check_numbers(char *const at[SLU_SACCT_COLUMNS], struct slu_err *err)
{
	static const enum slu_sacct_column numbers[] = {
		SLU_SACCT_JOB_ID_RAW, SLU_SACCT_JOB_ID, SLU_SACCT_UID,
		SLU_SACCT_NODES, SLU_SACCT_CPUS};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const char *text = at[numbers[i]];

		if (text && strtoull(text, NULL, 10) > UINT32_MAX)
			return slu_err(err, SLU_INVALID, "%s %.30s",
				       slu_sacct_title(numbers[i]), text);
	}
	return 0;
}

static char *text_or_null(char *text)
{
	return text && *text ? text : NULL;
}

/* The same of a name that databases and scripts print as these for none. */
static char *name_or_null(char *text)
{
	static const char *const none[] = {"NULL", "null", "NaN", "(null)"};

	for (size_t i = 0; text && i < sizeof(none) / sizeof(none[0]); i++)
		if (strcmp(text, none[i]) == 0)
			return NULL;
	return text_or_null(text);
}

/* "D-HH:MM:SS" as minutes, or minutes (TimelimitRaw); UNLIMITED and
 * Partition_Limit are 0. */
static int take_limit(const char *text, struct slu_job *job,
		      struct slu_err *err)
{
	int64_t minutes;

	if (!text || !isdigit((unsigned char)*text) ||
	    slu_seconds_parse(text, &minutes, NULL) < 0)
		return 0;
	if (text[strspn(text, "0123456789")])
		minutes = (minutes + 59) / 60;
	if (slu_import_limit(minutes, err) < 0)
		return -1;
	job->limit = job->limit_asked = (uint32_t)minutes;
	return 0;
}

static int take_user(char *const at[SLU_SACCT_COLUMNS],
		     const struct slu_import *import, struct slu_job *job,
		     struct slu_err *err)
{
	const char *uid = at[SLU_SACCT_UID];

	if (uid && isdigit((unsigned char)*uid) &&
	    take_number(uid) != SLU_NO_ID) {
		job->uid = take_number(uid);
		return 0;
	}
	if (job->user && import->to_uid(job->user, &job->uid) == 0)
		return 0;
	return slu_err(err, SLU_INVALID, "user \"%.32s\" is not known here",
		       job->user ? job->user : "");
}

/* "171_3": task 3 of array 171. */
static void take_array(const char *id, struct slu_job *job)
{
	const char *bar = strchr(id, '_');

	job->array_task_id = SLU_NO_ID;
	if (!bar || !isdigit((unsigned char)bar[1]))
		return;
	job->array_task_id = take_number(bar + 1);
	if (job->array_task_id != SLU_NO_ID)
		job->array_job_id = take_number(id);
}

/* "1-02:03:04" in s; 0: unknown. */
static int64_t elapsed_of(const char *text)
{
	int64_t seconds;

	if (text && isdigit((unsigned char)*text) &&
	    slu_seconds_parse(text, &seconds, NULL) == 0)
		return seconds;
	return 0;
}

static int take_times(char *const at[SLU_SACCT_COLUMNS],
		      const struct slu_import *import, struct slu_job *job,
		      struct slu_err *err)
{
	static const enum slu_sacct_column times[] = {
		SLU_SACCT_SUBMIT, SLU_SACCT_ELIGIBLE, SLU_SACCT_START,
		SLU_SACCT_END};
	int64_t elapsed = elapsed_of(at[SLU_SACCT_ELAPSED]);
	struct slu_local when[4];

	for (size_t i = 0; i < 4; i++) {
		const char *text = at[times[i]];

		if (slu_import_local(import, text ? text : "", &when[i], err) <
			    0 ||
		    slu_import_time(slu_sacct_title(times[i]), when[i].late,
				    err) < 0)
			return -1;
	}
	if (when[2].early < when[0].early) /* start after submit */
		when[2].early = when[2].late;
	slu_import_run(when[2], when[3], elapsed, job);
	job->submit = slu_import_until(when[0], job->start);
	job->eligible = slu_import_until(when[1], job->start);
	slu_import_elapsed(job, elapsed);
	return slu_import_end(import, job->end, err);
}

/* The value of `name` in "cpu=00:00:01,fs/disk=2012,mem=4136K"; 0: none. */
static uint64_t tres_of(const char *tres, const char *name)
{
	size_t len = strlen(name);
	char text[32];
	uint64_t n;

	while (tres && (strncmp(tres, name, len) || tres[len] != '=')) {
		tres = strchr(tres, ',');
		tres = tres ? tres + 1 : NULL;
	}
	if (!tres)
		return 0;
	tres += len + 1;
	snprintf(text, sizeof(text), "%.*s", (int)strcspn(tres, ","), tres);
	return slu_size_parse(text, &n, NULL) < 0 ? 0 : n;
}

static double disk_of(const char *tres)
{
	return (double)tres_of(tres, "fs/disk");
}

/* The job whose steps are being read; its texts point into its line. */
struct open_job {
	struct slu_job job; /* job_id 0: none */
	const char *comment;
	struct slu_import_io io;
};

static void take_step(char *const at[SLU_SACCT_COLUMNS], const char *id,
		      struct open_job *open)
{
	uint32_t tasks = number_at(at, SLU_SACCT_TASKS);

	if (!open->job.job_id || open->job.job_id != take_number(id))
		return;
	open->io.read_bytes += disk_of(at[SLU_SACCT_READ]);
	open->io.written_bytes += disk_of(at[SLU_SACCT_WRITTEN]);
	if (tasks > open->job.tasks)
		open->job.tasks = tasks;
}

static int give(struct open_job *open, const struct slu_import *import,
		struct slu_err *err)
{
	struct open_job done = *open;

	*open = (struct open_job){.job.job_id = 0};
	if (!done.job.job_id)
		return 0;
	if (slu_import_take(import, &done.job, done.comment, err) < 0)
		return -1;
	if (!import->take_io || done.io.read_bytes + done.io.written_bytes <= 0)
		return 0;
	return import->take_io(import->arg, &done.io, err);
}

/* MB per node of "4000M" per job, "4Gn" per node, "1000Mc" per processor (until
 * Slurm 21.08), or "0". */
static uint64_t take_memory(const char *text, const struct slu_job *job)
{
	static const double size[] = {1 / 1024.0, 1, 1024, 0x1p20, 0x1p30};
	static const char units[] = "KMGTP";
	double nodes = job->node_cnt ? job->node_cnt : 1, mb;
	const char *unit;
	char *end;

	mb = strtod(text, &end);
	if (end == text || !(mb > 0))
		return 0;
	unit = *end ? strchr(units, *end) : NULL;
	if (unit) {
		mb *= size[unit - units];
		end++;
	}
	if (*end == 'c')
		mb *= job->cpus;
	if (*end != 'n')
		mb /= nodes;
	return mb < 1e12 ? (uint64_t)(mb + 0.5) : 0;
}

/* "1:0", "0:9" as a wait status. */
static uint32_t take_exit_code(const char *text)
{
	const char *colon = strchr(text, ':');

	return (take_number(text) & 0xff) << 8 |
	       (colon ? take_number(colon + 1) & 0x7f : 0);
}

/* Older releases print 2048 as "2K". */
static uint32_t count_at(char *const at[SLU_SACCT_COLUMNS],
			 enum slu_sacct_column column)
{
	uint64_t n;

	if (at[column] && slu_size_parse(at[column], &n, NULL) == 0)
		return n < UNKNOWN ? (uint32_t)n : 0;
	return number_at(at, column);
}

/* The column's number, else the allocated TRES. */
static uint32_t count_of(char *const at[SLU_SACCT_COLUMNS],
			 enum slu_sacct_column column, const char *tres)
{
	uint32_t n = count_at(at, column);
	uint64_t allocated = tres_of(at[SLU_SACCT_ALLOC_TRES], tres);

	return n || allocated >= UNKNOWN ? n : (uint32_t)allocated;
}

static void take_counts(char *at[SLU_SACCT_COLUMNS], struct slu_job *job)
{
	job->gid = number_at(at, SLU_SACCT_GID);
	job->node_cnt = count_of(at, SLU_SACCT_NODES, "node");
	job->cpus = count_of(at, SLU_SACCT_CPUS, "cpu");
	job->mem_mb = at[SLU_SACCT_MEMORY]
			      ? take_memory(at[SLU_SACCT_MEMORY], job)
			      : 0;
	job->exit_code = at[SLU_SACCT_EXIT_CODE]
				 ? take_exit_code(at[SLU_SACCT_EXIT_CODE])
				 : 0;
	if (at[SLU_SACCT_STATE]) /* "CANCELLED by 1000" */
		at[SLU_SACCT_STATE][strcspn(at[SLU_SACCT_STATE], " ")] = '\0';
	job->state = text_or_null(at[SLU_SACCT_STATE]);
}

static int take_job(char *at[SLU_SACCT_COLUMNS],
		    const struct slu_import *import, struct open_job *open,
		    struct slu_err *err)
{
	const char *id = at[SLU_SACCT_JOB_ID_RAW] ? at[SLU_SACCT_JOB_ID_RAW]
						  : at[SLU_SACCT_JOB_ID];
	struct slu_job job = {
		.user = name_or_null(at[SLU_SACCT_USER]),
		.account = name_or_null(at[SLU_SACCT_ACCOUNT]),
		.partition = name_or_null(at[SLU_SACCT_PARTITION]),
		.qos = name_or_null(at[SLU_SACCT_QOS]),
		.name = text_or_null(at[SLU_SACCT_NAME]),
		.work_dir = text_or_null(at[SLU_SACCT_WORK_DIR]),
		.nodes = text_or_null(at[SLU_SACCT_NODE_LIST]),
		.ion_max = SLU_NO_ID,
		.ions = SLU_NO_ID,
	};

	if (!id || !isdigit((unsigned char)*id))
		return slu_err(err, SLU_INVALID, "no job id");
	if (strchr(id, '.') ||
	    (at[SLU_SACCT_JOB_ID] && strchr(at[SLU_SACCT_JOB_ID], '.'))) {
		take_step(at, id, open);
		return 0;
	}
	if (give(open, import, err) < 0)
		return -2;
	if (check_numbers(at, err) < 0 ||
	    take_times(at, import, &job, err) < 0 ||
	    take_limit(at[SLU_SACCT_TIME_LIMIT], &job, err) < 0 ||
	    take_user(at, import, &job, err) < 0)
		return -1;
	if (!job.start || job.end <= job.start)
		return 0;
	if (id[strcspn(id, "_+")])
		return slu_err(err, SLU_INVALID,
			       "the number of job %.40s is only in the "
			       "column JobIDRaw, which is missing",
			       id);
	job.job_id = take_number(id);
	take_array(at[SLU_SACCT_JOB_ID] ? at[SLU_SACCT_JOB_ID] : id, &job);
	if (!job.job_id || job.job_id == SLU_NO_ID)
		return slu_err(err, SLU_INVALID, "%.30s is no job id", id);
	take_counts(at, &job);
	if (slu_import_check_text(&job, err) < 0)
		return -1;
	*open = (struct open_job){
		.job = job,
		.comment = at[SLU_SACCT_COMMENT],
		.io = {.job_id = job.job_id,
		       .start = job.start,
		       .source = SLU_IO_ACCOUNTING},
	};
	return 1;
}

#define LOOK ((size_t)1 << 20) /* bytes in which a header is searched */

static bool is_known(const struct slu_sacct_table *implied, const char *line)
{
	struct slu_sacct_table other;

	return slu_sacct_fits(implied, line) ||
	       slu_sacct_header(line, &other, NULL) != 0;
}

/* Without a header in the first line it is Open XDMoD's format, which has none,
 * or other lines stand before the header, or it is unknown: then none of the
 * first lines is either. */
static int check_implied(struct slu_sacct_record *r,
			 const struct slu_sacct_table *t, struct slu_err *err)
{
	const char *first = r->text;
	size_t bars = 0;

	for (const char *c = first; *c; c++)
		bars += *c == '|';
	for (int i = 0; i < SLU_SACCT_LINES; i++)
		if (is_known(t, r->text) || !slu_sacct_next(r))
			break;
	if (is_known(t, r->text))
		return 0;
	return slu_err(err, SLU_INVALID,
		       "its first line, \"%.40s\", names no columns, and its "
		       "%zu are not the %zu of Open XDMoD: print it by sacct "
		       "-P, without -n",
		       first, bars + 1, t->n);
}

/* Determines the columns from the first lines. */
static int begin(const char *text, struct slu_sacct_table *t,
		 struct slu_err *err)
{
	char *copy = strndup(text, LOOK);
	struct slu_sacct_record r = {.next = copy};
	struct slu_sacct_table other;
	int rc = 0;

	if (!copy)
		return slu_err(err, SLU_NOMEM, "out of memory");
	slu_sacct_implied(t);
	if (slu_sacct_next(&r)) {
		rc = slu_sacct_header(r.text, &other, err);
		if (rc > 0)
			*t = other;
		else if (rc == 0)
			rc = check_implied(&r, t, err);
	}
	free(copy);
	return rc < 0 ? -1 : 0;
}

static int take_record(struct slu_sacct_record *r,
		       const struct slu_sacct_table *t,
		       const struct slu_import *import, struct open_job *open,
		       struct slu_err *err)
{
	char *at[SLU_SACCT_COLUMNS];

	slu_sacct_end(r, t);
	if (r->quoted && strchr(r->text, SLU_SACCT_UNCLOSED))
		return slu_err(err, SLU_INVALID,
			       "a quote is opened and not closed");
	return slu_sacct_cut(t, r->text, at, err) < 0
		       ? -1
		       : take_job(at, import, open, err);
}

/* Jobs of unknown size are predicted as if all had one node. */
static void note_lacks(const struct slu_sacct_table *t,
		       struct slu_import_report *report)
{
	if (!slu_sacct_has(t, SLU_SACCT_NODES) &&
	    !slu_sacct_has(t, SLU_SACCT_ALLOC_TRES))
		snprintf(report->lacks, sizeof(report->lacks),
			 "there is no column NNodes: how many nodes its jobs "
			 "had is not known");
}

static int take_records(struct slu_sacct_record *r, struct slu_sacct_table *t,
			const struct slu_import *import,
			struct slu_import_report *report, struct slu_err *err)
{
	struct slu_sacct_table other;
	struct open_job open = {.job.job_id = 0};
	struct slu_err scratch;
	int rc;

	while (slu_sacct_next(r)) {
		rc = slu_sacct_header(r->text, &other, err);
		if (rc < 0) {
			give(&open, import, &scratch);
			return -1;
		}
		if (rc > 0) { /* concatenated files: another header */
			*t = other;
			continue;
		}
		rc = take_record(r, t, import, &open, err);
		if (slu_import_count(report, r->line, rc, err))
			return -1;
	}
	return give(&open, import, err);
}

int slu_import_sacct(char *text, const struct slu_import *import,
		     struct slu_import_report *report, struct slu_err *err)
{
	struct slu_sacct_table t;
	struct slu_sacct_record r = {.next = text, .next_line = 1};
	int rc;

	r.quoted = slu_sacct_unquote(text);
	if (begin(text, &t, err) < 0)
		return -1;
	note_lacks(&t, report);
	rc = take_records(&r, &t, import, report, err);
	report->joined = r.joined;
	report->joined_at = r.joined_at;
	return rc;
}
