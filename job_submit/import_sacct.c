/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sacct --parsable2. A line is cut at its bars; the header says which piece
 * is which. A job's name may hold bars: where there are more pieces than
 * columns, the last column has the rest if it is the name, else the line is
 * broken. A job's steps follow it: what they read and wrote, as JobAcctGather
 * has counted it, is the job's.
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
	OTHER,
};

static const char *const title[OTHER] = {"JobID",	   "JobIDRaw",
					 "Partition",	   "QOS",
					 "Account",	   "GID",
					 "User",	   "UID",
					 "Submit",	   "Eligible",
					 "Start",	   "End",
					 "ExitCode",	   "State",
					 "NNodes",	   "NCPUS",
					 "Timelimit",	   "NodeList",
					 "JobName",	   "WorkDir",
					 "TRESUsageInTot", "TRESUsageOutTot"};

/* The columns of Open XDMoD's sacct, in order. */
static const enum column xdmod[] = {
	JOB_ID, JOB_ID_RAW, OTHER,	PARTITION, QOS,	     ACCOUNT, OTHER,
	GID,	USER,	    UID,	SUBMIT,	   ELIGIBLE, START,   END,
	OTHER,	EXIT_CODE,  STATE,	NODES,	   CPUS,     OTHER,   OTHER,
	OTHER,	OTHER,	    TIME_LIMIT, NODE_LIST, NAME};

#define MOST 64

struct header {
	enum column column[MOST];
	size_t n;
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
		return false;
	}
	h->n = cut(line, field, MOST);
	for (size_t i = 0; i < h->n; i++)
		h->column[i] = column_of(field[i]);
	return true;
}

/* "2016-12-22T07:15:12"; 0: Unknown, None or empty; -1. */
static int take_time(const char *text, const struct slu_import *import,
		     int64_t *out, struct slu_err *err)
{
	struct tm tm = {.tm_isdst = -1};
	const char *end;
	time_t when;

	*out = 0;
	if (!*text || !strcasecmp(text, "Unknown") || !strcasecmp(text, "None"))
		return 0;
	end = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
	when = end && !*end ? import->to_time(&tm) : -1;
	if (when <= 0)
		return slu_err(err, SLU_INVALID, "\"%.30s\" is no time", text);
	*out = when;
	return 0;
}

static uint32_t take_number(const char *text)
{
	return (uint32_t)strtoul(text, NULL, 10);
}

static char *text_or_null(char *text)
{
	return text && *text ? text : NULL;
}

/* "D-HH:MM:SS" as minutes; UNLIMITED and Partition_Limit are 0. */
static uint32_t take_limit(const char *text)
{
	int64_t seconds;

	if (!isdigit((unsigned char)*text) ||
	    slu_seconds_parse(text, &seconds, NULL) < 0)
		return 0;
	return (uint32_t)((seconds + 59) / 60);
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

static int take_times(char *const at[OTHER], const struct slu_import *import,
		      struct slu_job *job, struct slu_err *err)
{
	static const char none[] = "";
	struct {
		enum column column;
		int64_t *out;
	} times[] = {{SUBMIT, &job->submit},
		     {ELIGIBLE, &job->eligible},
		     {START, &job->start},
		     {END, &job->end}};

	for (size_t i = 0; i < 4; i++) {
		const char *text = at[times[i].column];

		if (take_time(text ? text : none, import, times[i].out, err) <
		    0)
			return -1;
	}
	return 0;
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

static void take_step(char *const at[OTHER], const char *id,
		      struct slu_import_io *io)
{
	if (!io->job_id || io->job_id != take_number(id))
		return;
	io->read_bytes += disk_of(at[READ]);
	io->written_bytes += disk_of(at[WRITTEN]);
}

/* The job that *io is of is complete. */
static int give_io(struct slu_import_io *io, const struct slu_import *import,
		   struct slu_err *err)
{
	struct slu_import_io done = *io;

	*io = (struct slu_import_io){0};
	if (!import->take_io || done.read_bytes + done.written_bytes <= 0)
		return 0;
	return import->take_io(import->arg, &done, err);
}

static int take_job(char *at[OTHER], const struct slu_import *import,
		    struct slu_import_io *io, struct slu_err *err)
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
	};

	if (!id || !isdigit((unsigned char)*id))
		return slu_err(err, SLU_INVALID, "no job id");
	if (strchr(id, '.') || (at[JOB_ID] && strchr(at[JOB_ID], '.'))) {
		take_step(at, id, io);
		return 0;
	}
	if (give_io(io, import, err) < 0)
		return -2;
	if (take_times(at, import, &job, err) < 0 ||
	    take_user(at, import, &job, err) < 0)
		return -1;
	if (!job.start || job.end <= job.start)
		return 0;
	job.job_id = take_number(id);
	take_array(at[JOB_ID] ? at[JOB_ID] : id, &job);
	job.gid = at[GID] ? take_number(at[GID]) : 0;
	job.node_cnt = at[NODES] ? take_number(at[NODES]) : 0;
	job.cpus = at[CPUS] ? take_number(at[CPUS]) : 0;
	job.limit = at[TIME_LIMIT] ? take_limit(at[TIME_LIMIT]) : 0;
	job.limit_asked = job.limit;
	job.exit_code = at[EXIT_CODE] ? take_number(at[EXIT_CODE]) << 8 : 0;
	if (at[STATE]) /* "CANCELLED by 1000" */
		at[STATE][strcspn(at[STATE], " +")] = '\0';
	job.state = text_or_null(at[STATE]);
	io->job_id = job.job_id;
	io->start = job.start;
	return import->take(import->arg, &job, err) < 0 ? -2 : 1;
}

static int take_line(char *line, const struct header *h,
		     const struct slu_import *import, struct slu_import_io *io,
		     struct slu_err *err)
{
	char *field[MOST], *at[OTHER] = {NULL};
	size_t n = cut(line, field, h->n);

	if (n != h->n)
		return slu_err(err, SLU_INVALID, "%zu of %zu columns", n, h->n);
	if (h->column[n - 1] != NAME && strchr(field[n - 1], '|'))
		return slu_err(err, SLU_INVALID, "more than %zu columns", n);
	for (size_t i = 0; i < n; i++)
		if (h->column[i] != OTHER)
			at[h->column[i]] = field[i];
	return take_job(at, import, io, err);
}

int slu_import_sacct(char *text, const struct slu_import *import,
		     struct slu_import_report *report, struct slu_err *err)
{
	struct header h = {.n = 0};
	struct slu_import_io io = {0};
	uint64_t number = 0;

	for (char *line = text, *next; line; line = next) {
		int rc;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		line[strcspn(line, "\r")] = '\0';
		number++;
		if (!*line || (!h.n && take_header(line, &h)))
			continue;
		rc = take_line(line, &h, import, &io, err);
		if (slu_import_count(report, number, rc, err))
			return -1;
	}
	return give_io(&io, import, err);
}
