/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sacct --parsable2. A line is cut at its bars; the header says which piece
 * is which. A job's name may hold bars: where there are more pieces than
 * columns, the last column has the rest if it is the name, else the line is
 * broken. A job's steps follow it: what they read and wrote, as JobAcctGather
 * has counted it, is the job's, and so are the tasks of the largest. So a job
 * is given away when the next one begins.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "common/size.h"
#include "job_submit/import.h"

enum column {
	JOB_ID,
	JOB_ID_RAW,
	PARTITION,
	QOS,
	ACCOUNT,
	GID,
	USER,
	UID,
	SUBMIT,
	ELIGIBLE,
	START,
	END,
	ELAPSED,
	EXIT_CODE,
	STATE,
	NODES,
	CPUS,
	TIME_LIMIT,
	NODE_LIST,
	NAME,
	WORK_DIR,
	READ,
	WRITTEN,
	MEMORY,
	TASKS,
	COMMENT,
	OTHER,
};

static const char *const title[OTHER] = {"JobID",
					 "JobIDRaw",
					 "Partition",
					 "QOS",
					 "Account",
					 "GID",
					 "User",
					 "UID",
					 "Submit",
					 "Eligible",
					 "Start",
					 "End",
					 "Elapsed",
					 "ExitCode",
					 "State",
					 "NNodes",
					 "NCPUS",
					 "Timelimit",
					 "NodeList",
					 "JobName",
					 "WorkDir",
					 "TRESUsageInTot",
					 "TRESUsageOutTot",
					 "ReqMem",
					 "NTasks",
					 "AdminComment"};

/* The columns of Open XDMoD's sacct, in order. */
static const enum column xdmod[] = {
	JOB_ID,	 JOB_ID_RAW, OTHER,	 PARTITION, QOS,      ACCOUNT, OTHER,
	GID,	 USER,	     UID,	 SUBMIT,    ELIGIBLE, START,   END,
	ELAPSED, EXIT_CODE,  STATE,	 NODES,	    CPUS,     OTHER,   MEMORY,
	OTHER,	 OTHER,	     TIME_LIMIT, NODE_LIST, NAME};

#define MOST 256 /* --format=ALL: some 110 */

struct header {
	enum column column[MOST];
	size_t n;
	bool implied; /* the file has none */
};

static size_t cut(char *line, char *field[MOST], size_t most)
{
	size_t n = 0;

	for (char *next; line && n < most; line = next) {
		next = n + 1 < most ? strchr(line, '|') : NULL;
		if (next)
			*next++ = '\0';
		field[n++] = line;
	}
	return n;
}

static enum column column_of(const char *name)
{
	if (strcasecmp(name, "TimelimitRaw") == 0)
		return TIME_LIMIT;
	if (strcasecmp(name, "ElapsedRaw") == 0)
		return ELAPSED;
	for (enum column c = JOB_ID; c < OTHER; c++)
		if (strcasecmp(name, title[c]) == 0)
			return c;
	return OTHER;
}

/* Does the first line name columns? Then it is the header. */
static bool take_header(char *line, struct header *h)
{
	char *field[MOST];

	if (strncasecmp(line, "JobID", 5) != 0 && !strstr(line, "|JobID") &&
	    !strstr(line, "|Start|")) {
		h->n = sizeof(xdmod) / sizeof(xdmod[0]);
		memcpy(h->column, xdmod, sizeof(xdmod));
		h->implied = true;
		return false;
	}
	h->n = cut(line, field, MOST);
	for (size_t i = 0; i < h->n; i++)
		h->column[i] = column_of(field[i]);
	return true;
}

static bool has(const struct header *h, enum column column)
{
	for (size_t i = 0; i < h->n; i++)
		if (h->column[i] == column)
			return true;
	return false;
}

/* Without one of these no line is a job. */
static int check_header(const struct header *h, struct slu_err *err)
{
	static const enum column needed[][2] = {
		{JOB_ID, JOB_ID_RAW}, {USER, UID}, {START, START}, {END, END}};

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (!has(h, needed[i][0]) && !has(h, needed[i][1]))
			return slu_err(err, SLU_INVALID,
				       "there is no column %s",
				       title[needed[i][0]]);
	return 0;
}

/* SLU_NO_ID where it is more than 32 bits. */
static uint32_t take_number(const char *text)
{
	unsigned long long n = strtoull(text, NULL, 10);

	return n < SLU_NO_ID ? (uint32_t)n : SLU_NO_ID;
}

static int check_numbers(char *const at[OTHER], struct slu_err *err)
{
	static const enum column numbers[] = {JOB_ID_RAW, JOB_ID, GID,
					      UID,	  NODES,  CPUS};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		const char *text = at[numbers[i]];

		if (text && take_number(text) == SLU_NO_ID)
			return slu_err(err, SLU_INVALID, "%s %.30s",
				       title[numbers[i]], text);
	}
	return 0;
}

static char *text_or_null(char *text)
{
	return text && *text ? text : NULL;
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

static int take_user(char *const at[OTHER], const struct slu_import *import,
		     struct slu_job *job, struct slu_err *err)
{
	if (at[UID] && isdigit((unsigned char)*at[UID])) {
		job->uid = take_number(at[UID]);
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
	job->array_job_id = take_number(id);
	job->array_task_id = take_number(bar + 1);
}

/* "1-02:03:04"; 0: it is not known. */
static int64_t elapsed_of(const char *text)
{
	int64_t seconds;

	if (text && isdigit((unsigned char)*text) &&
	    slu_seconds_parse(text, &seconds, NULL) == 0)
		return seconds;
	return 0;
}

static int take_times(char *const at[OTHER], const struct slu_import *import,
		      struct slu_job *job, struct slu_err *err)
{
	static const enum column times[] = {SUBMIT, ELIGIBLE, START, END};
	int64_t elapsed = elapsed_of(at[ELAPSED]);
	struct slu_local when[4];

	for (size_t i = 0; i < 4; i++) {
		const char *text = at[times[i]];

		if (slu_import_local(import, text ? text : "", &when[i], err) <
			    0 ||
		    slu_import_time(title[times[i]], when[i].late, err) < 0)
			return -1;
	}
	if (when[2].early < when[0].early) /* it was submitted later */
		when[2].early = when[2].late;
	slu_import_run(when[2], when[3], elapsed, job);
	job->submit = slu_import_until(when[0], job->start);
	job->eligible = slu_import_until(when[1], job->start);
	slu_import_elapsed(job, elapsed);
	return slu_import_end(import, job->end, err);
}

/* Of "cpu=00:00:01,fs/disk=2012,mem=4136K" the disk's; 0: none. */
static double disk_of(const char *tres)
{
	const char *disk = tres ? strstr(tres, "fs/disk=") : NULL;
	char text[32];
	uint64_t bytes;

	if (!disk)
		return 0;
	disk += strlen("fs/disk=");
	snprintf(text, sizeof(text), "%.*s", (int)strcspn(disk, ","), disk);
	return slu_size_parse(text, &bytes, NULL) < 0 ? 0 : (double)bytes;
}

/* A job whose steps are being read; its texts are those of its line. */
struct open_job {
	struct slu_job job; /* job_id 0: there is none */
	const char *comment;
	struct slu_import_io io;
};

static void take_step(char *const at[OTHER], const char *id,
		      struct open_job *open)
{
	uint32_t tasks = at[TASKS] ? take_number(at[TASKS]) : 0;

	if (!open->job.job_id || open->job.job_id != take_number(id))
		return;
	open->io.read_bytes += disk_of(at[READ]);
	open->io.written_bytes += disk_of(at[WRITTEN]);
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

/* Of "4000M" of a job, "4Gn" of a node, "1000Mc" of a processor (until Slurm
 * 21.08), or "0": MB of a node. */
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

static uint32_t number_at(char *const at[OTHER], enum column column)
{
	return at[column] ? take_number(at[column]) : 0;
}

/* Older releases print 2048 as "2K". */
static uint32_t count_at(char *const at[OTHER], enum column column)
{
	uint64_t n;

	if (at[column] && slu_size_parse(at[column], &n, NULL) == 0 &&
	    n < SLU_NO_ID)
		return (uint32_t)n;
	return number_at(at, column);
}

static void take_counts(char *at[OTHER], struct slu_job *job)
{
	job->gid = number_at(at, GID);
	job->node_cnt = count_at(at, NODES);
	job->cpus = count_at(at, CPUS);
	job->mem_mb = at[MEMORY] ? take_memory(at[MEMORY], job) : 0;
	job->exit_code = at[EXIT_CODE] ? take_exit_code(at[EXIT_CODE]) : 0;
	if (at[STATE]) /* "CANCELLED by 1000" */
		at[STATE][strcspn(at[STATE], " +")] = '\0';
	job->state = text_or_null(at[STATE]);
}

static int take_job(char *at[OTHER], const struct slu_import *import,
		    struct open_job *open, struct slu_err *err)
{
	const char *id = at[JOB_ID_RAW] ? at[JOB_ID_RAW] : at[JOB_ID];
	struct slu_job job = {
		.user = text_or_null(at[USER]),
		.account = text_or_null(at[ACCOUNT]),
		.partition = text_or_null(at[PARTITION]),
		.qos = text_or_null(at[QOS]),
		.name = text_or_null(at[NAME]),
		.work_dir = text_or_null(at[WORK_DIR]),
		.nodes = text_or_null(at[NODE_LIST]),
		.ion_max = SLU_NO_ID,
		.ions = SLU_NO_ID,
	};

	if (!id || !isdigit((unsigned char)*id))
		return slu_err(err, SLU_INVALID, "no job id");
	if (strchr(id, '.') || (at[JOB_ID] && strchr(at[JOB_ID], '.'))) {
		take_step(at, id, open);
		return 0;
	}
	if (give(open, import, err) < 0)
		return -2;
	if (check_numbers(at, err) < 0 ||
	    take_times(at, import, &job, err) < 0 ||
	    take_limit(at[TIME_LIMIT], &job, err) < 0 ||
	    take_user(at, import, &job, err) < 0)
		return -1;
	if (!job.start || job.end <= job.start)
		return 0;
	if (id[strcspn(id, "_+")])
		return slu_err(err, SLU_INVALID,
			       "%.40s is known by JobIDRaw only", id);
	job.job_id = take_number(id);
	take_array(at[JOB_ID] ? at[JOB_ID] : id, &job);
	if (!job.job_id)
		return slu_err(err, SLU_INVALID, "no job id");
	take_counts(at, &job);
	if (slu_import_check_text(&job, err) < 0)
		return -1;
	*open = (struct open_job){
		.job = job,
		.comment = at[COMMENT],
		.io = {.job_id = job.job_id,
		       .start = job.start,
		       .source = SLU_IO_ACCOUNTING},
	};
	return 1;
}

static int take_line(char *line, const struct header *h,
		     const struct slu_import *import, struct open_job *open,
		     struct slu_err *err)
{
	char *field[MOST], *at[OTHER] = {NULL};
	size_t n = cut(line, field, h->n);

	if (n != h->n)
		return slu_err(err, SLU_INVALID, "%zu of %zu columns%s", n,
			       h->n, h->implied ? ", without a header" : "");
	if (h->column[n - 1] != NAME && strchr(field[n - 1], '|'))
		return slu_err(err, SLU_INVALID, "more than %zu columns", n);
	for (size_t i = 0; i < n; i++)
		if (h->column[i] != OTHER)
			at[h->column[i]] = field[i];
	return take_job(at, import, open, err);
}

int slu_import_sacct(char *text, const struct slu_import *import,
		     struct slu_import_report *report, struct slu_err *err)
{
	struct header h = {.n = 0};
	struct open_job open = {.job.job_id = 0};
	uint64_t number = 0;

	for (char *line = text, *next; line; line = next) {
		int rc;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		line[strcspn(line, "\r")] = '\0';
		number++;
		if (!*line)
			continue;
		if (!h.n && take_header(line, &h)) {
			if (check_header(&h, err) < 0)
				return -1;
			continue;
		}
		rc = take_line(line, &h, import, &open, err);
		if (slu_import_count(report, number, rc, err))
			return -1;
	}
	return give(&open, import, err);
}
