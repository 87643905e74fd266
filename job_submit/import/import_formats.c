/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Imports a file of any format: detects the format, reports broken lines; and
 * parses SWF, the oldest format, itself.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/str.h"
#include "job_submit/ended.h"
#include "job_submit/import/import_formats.h"
#include "wire/note.h"

#define COLUMNS	  18
#define NEEDED	  15 /* the last ones are not read, and may be missing */
#define FARTHEST  4000000000 /* Unix seconds; upper bound of all numbers */
#define FIRST_LOG 300000000  /* Unix seconds; no log begins earlier */
#define LONGEST	  (UINT32_MAX / 60) /* minutes */
#define BLANKS	  " \t\r"
#define UNUSED	  0
#define EXACT	  0x1p53 /* integers up to this are exact in a double */

/* The largest meaningful value of each column used by take_swf(). */
static const double most[COLUMNS] = {
	[0] = FARTHEST,	 [1] = FARTHEST,  [2] = FARTHEST, [3] = FARTHEST,
	[4] = FARTHEST,	 [7] = FARTHEST,  [8] = FARTHEST, [9] = EXACT,
	[10] = FARTHEST, [11] = FARTHEST, [12] = EXACT,	  [13] = EXACT,
	[14] = EXACT,
};

/* Those without which it is still known who ran what for how long: memory,
 * group, program and queue. */
static bool is_detail(int i)
{
	return i == 9 || (i >= 12 && i <= 14);
}

struct swf {
	double epoch;  /* the origin of all times, Unix seconds */
	double latest; /* submission, as the log counts */
};

/* "; UnixStartTime: 863994000" */
static void take_comment(const char *line, struct swf *log)
{
	const char *at = strcasestr(line, "UnixStartTime");
	double value;

	if (!at)
		return;
	at += strlen("UnixStartTime");
	value = strtod(at + strspn(at, BLANKS ":"), NULL);
	if (value >= 1 && value < FARTHEST)
		log->epoch = value;
}

/* Takes column i, -1 where it is not known; returns its end, or NULL: it is no
 * number that a job must have. */
static const char *take_number(const char *line, int i, double *value)
{
	const char *next;
	char *end;

	line += strspn(line, BLANKS);
	next = line + strcspn(line, BLANKS);
	*value = strtod(line, &end);
	if (next == line || (end == line && most[i] != UNUSED && !is_detail(i)))
		return NULL;
	if (*value < 0 ||
	    (is_detail(i) && (end != next || !(*value <= most[i]))))
		*value = -1;
	return next;
}

static int take_numbers(const char *line, double v[COLUMNS],
			struct slu_err *err)
{
	for (int i = 0; i < NEEDED; i++) {
		line = take_number(line, i, &v[i]);
		if (!line)
			return slu_err(err, SLU_INVALID, "%d of %d columns", i,
				       COLUMNS);
		if (most[i] != UNUSED && !(v[i] <= most[i]))
			return slu_err(err, SLU_INVALID, "column %d: %g", i + 1,
				       v[i]);
	}
	return 0;
}

/* Logs from elsewhere may have Unix times in spite of an epoch: those are
 * larger than the epoch, which no relative time is. */
static int64_t submit_time(double epoch, double submit)
{
	bool is_unix = epoch > FIRST_LOG && submit >= epoch;

	return (int64_t)(is_unix ? submit : epoch + submit);
}

static char *name_of(double number, char out[24])
{
	snprintf(out, 24, "%.0f", number);
	return number < 0 ? NULL : out;
}

static uint32_t count_of(double number)
{
	return number > 0 ? (uint32_t)number : 0;
}

/* Columns (from 1): 1 number, 2 submit, 3 wait, 4 run, 5 processors used, 8
 * requested, 9 requested time, 10 requested memory (kB per processor), 11
 * status (2 to 4: a part of a job that has a summary line), 12 user, 13 group,
 * 14 program, 15 queue. */
static int take_swf(const char *line, struct swf *log,
		    const struct slu_import *import, struct slu_err *err)
{
	double v[COLUMNS];
	char user[24], group[24], program[24], queue[24];
	struct slu_job job;

	if (take_numbers(line, v, err) < 0)
		return -1;
	if (v[0] < 1)
		return slu_err(err, SLU_INVALID, "job number %g", v[0]);
	if (v[1] < 0 || v[3] < 1 || v[11] < 0 ||
	    slu_swf_is_part((int64_t)v[10]))
		return 0;
	log->latest = v[1] > log->latest ? v[1] : log->latest;
	job = (struct slu_job){
		.job_id = (uint32_t)v[0],
		.array_task_id = SLU_NO_ID,
		.uid = (uint32_t)v[11],
		.user = name_of(v[11], user),
		.account = name_of(v[12], group),
		.partition = name_of(v[14], queue),
		.name = name_of(v[13], program),
		.node_cnt = count_of(v[7] > 0 ? v[7] : v[4]),
		.cpus = count_of(v[7] > 0 ? v[7] : v[4]),
		.tasks = count_of(v[7] > 0 ? v[7] : v[4]),
		.mem_mb = v[9] > 0 ? (uint64_t)v[9] / 1024 : 0,
		.submit = submit_time(log->epoch, v[1]),
		.limit_asked = (count_of(v[8]) + 59) / 60,
		.limit = (count_of(v[8]) + 59) / 60,
		.state = (char *)(uintptr_t)slu_swf_state(
			(int64_t)v[10], (int64_t)v[3], (int64_t)v[8]),
		.ion_max = SLU_NO_ID,
		.ions = SLU_NO_ID,
	};
	job.eligible = job.submit;
	job.start = job.submit + (v[2] > 0 ? (int64_t)v[2] : 0);
	job.end = job.start + (int64_t)v[3];
	if (slu_import_end(import, job.end, err) < 0)
		return -1;
	return import->take(import->arg, &job, err) < 0 ? -2 : 1;
}

int slu_import_swf(char *text, const struct slu_import *import,
		   struct slu_import_report *report, struct slu_err *err)
{
	struct swf log = {.epoch = 1};
	uint64_t number = 0;

	for (char *line = text, *next; line; line = next) {
		int rc;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		number++;
		line += strspn(line, BLANKS);
		if (*line == ';' || *line == '#')
			take_comment(line, &log);
		if (*line == ';' || *line == '#' || *line == '\0')
			continue;
		rc = take_swf(line, &log, import, err);
		if (slu_import_count(report, number, rc, err))
			return -1;
	}
	if (report->jobs && log.epoch <= 1 && log.latest < FIRST_LOG)
		snprintf(report->lacks, sizeof(report->lacks),
			 "there is no UnixStartTime in its comments: its times "
			 "count from 1970");
	return 0;
}

/* A file that was being written at a power failure may contain NULs, followed
 * by further lines. */
static void fill_holes(char *text, size_t len)
{
	for (char *hole; (hole = memchr(text, '\0', len)); text = hole) {
		len -= (size_t)(hole - text);
		*hole = '?';
	}
}

int slu_import_format(const char *format, struct slu_err *err)
{
	static const char *const known[] = {"swf", "sacct", "json", "darshan"};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(format, known[i]) == 0)
			return 0;
	return slu_err(
		err, SLU_INVALID,
		"format \"%.20s\": it is swf, sacct, json or darshan, or rest "
		"and a URL",
		format);
}

/* Is it an encoding, or a format, that a command makes readable? */
static int check_encoding(const char *format, const char *text, size_t len,
			  struct slu_err *err)
{
	const char *cr = memchr(text, '\r', len);

	if (len > 1 &&
	    (!memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2)))
		return slu_err(
			err, SLU_INVALID,
			"it is UTF-16: iconv -f UTF-16 -t UTF-8 makes it "
			"readable");
	if (strcmp(format, "json") == 0)
		return 0;
	if (text[strspn(text, BLANKS "\n")] == '{')
		return slu_err(err, SLU_INVALID, "it is JSON: import json");
	if (cr && cr[1] && !memchr(text, '\n', len))
		return slu_err(err, SLU_INVALID,
			       "its lines end in CR alone: tr '\\r' '\\012' "
			       "makes them readable");
	return 0;
}

int slu_import(const char *format, char *text, size_t len,
	       const struct slu_import *import,
	       struct slu_import_report *report, struct slu_err *err)
{
	struct slu_err scratch;

	err = err ? err : &scratch;
	*report = (struct slu_import_report){0};
	if (slu_import_format(format, err) < 0)
		return -1;
	len -= slu_byte_order_mark(text);
	text += slu_byte_order_mark(text);
	if (check_encoding(format, text, len, err) < 0)
		return -1;
	if (strcmp(format, "json") == 0)
		return slu_import_json(text, len, import, report, err);
	fill_holes(text, len);
	if (strcmp(format, "swf") == 0)
		return slu_import_swf(text, import, report, err);
	if (strcmp(format, "sacct") == 0)
		return slu_import_sacct(text, import, report, err);
	return slu_import_darshan(text, import, report, err);
}
