/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_IMPORT_IMPORT_FORMATS_H
#define SLU_JOB_SUBMIT_IMPORT_IMPORT_FORMATS_H

/*
 * Imports ended jobs, and their I/O, from the records of other programs, in one
 * of four formats, which are detected. A line (of json: a job) that cannot be
 * read is counted and named, and reading goes on; the same holds for one whose
 * times are not within Unix times of 32 bits, whose numbers are no 32-bit
 * numbers, or that ended later than it can have. Steps, and jobs that have not
 * ended or never ran, are skipped.
 */

/*
 * swf: the Standard Workload Format, 18 columns (job logs of the Parallel
 * Workloads Archive); users and programs are numbers. Times count from the
 * log's UnixStartTime; in logs that are not of the archive they may be Unix
 * times. Memory, group, program and queue that are no numbers in range are not
 * known; columns 16 to 18 may be missing.
 *
 * sacct: `sacct --parsable2`, or --parsable, with any --delimiter that does not
 * stand within times and numbers. With a header its columns may be any that
 * include JobID (or JobIDRaw), User or UID, Start and End, else SLU_INVALID;
 * without State all jobs have ended by themselves. Without a header they are
 * those of Open XDMoD (see sacct_titles.c), else SLU_INVALID. What users wrote
 * may hold delimiters and ends of lines: a line in which it is not sure where a
 * column that is read begins and ends is broken. Values in quotes (RFC 4180),
 * which sacct does not write, are recognised (sacct_quoted.h). A message of
 * sacct's, or a footer of a database's, is a broken line. Tasks of arrays
 * ("171_1") and components ("172+0") are only told apart by JobIDRaw.
 * AdminComment has Sluice's note about a job (see wire/note.h): the limit that
 * was asked for, if it was tightened.
 *
 * With TRESUsageInTot and TRESUsageOutTot (JobAcctGather's counters) what the
 * steps of a job read from and wrote to disks is given to take_io as well.
 *
 * json: `sacct --json`, or slurmrestd's /slurmdb/.../jobs; with those counters.
 * A job that is not valid JSON is counted as broken, and reading goes on at the
 * next line on which a job begins. If there is none, as in half a file, the
 * file is torn: nothing after it is read. One of a version of slurmrestd's
 * before v0.0.SLU_IMPORT_REST, which says so before its jobs, is SLU_INVALID.
 * In place of one document there may be several, or a job on each line.
 *
 * darshan: what darshan-parser prints, of one or more logs: the bytes that the
 * programs of known jobs read and wrote (POSIX and STDIO).
 */

#include <time.h>
#include "wire/job.h"

#define SLU_IMPORT_NAMED 5
/* slurmrestd's v0.0.N: earlier versions report the eligible time as the start,
 * so such a job would be counted twice. */
#define SLU_IMPORT_REST 38

struct slu_import_report {
	uint64_t jobs, skipped, broken;
	char named[SLU_IMPORT_NAMED][120]; /* the first broken ones */
	uint64_t torn;			   /* line where it ends; 0: complete */
	char lacks[120];		   /* what is missing in all of it */
	/* lines of sacct's taken for parts of the last column of those before;
	 * the first one's number */
	uint64_t joined, joined_at;
};

struct slu_import {
	/* Unix seconds as a broken-down local time: localtime_r(), or
	 * gmtime_r(). */
	struct tm *(*to_local)(const time_t *time, struct tm *tm);
	/* Finds a user's id by name: 0, or -1. */
	int (*to_uid)(const char *user, uint32_t *uid);
	/* Takes one job, which is borrowed; returns 0 to continue. */
	int (*take)(void *arg, const struct slu_job *job, struct slu_err *err);
	/* The same for a program's I/O; NULL: it is ignored. */
	int (*take_io)(void *arg, const struct slu_import_io *io,
		       struct slu_err *err);
	void *arg;
	/* Upper bound for the end of a job, Unix seconds; 0: none. */
	int64_t latest;
};

/* Is it the name of one of the four formats? Else SLU_INVALID. */
int slu_import_format(const char *format, struct slu_err *err);
/* format: as above, else SLU_INVALID. text[len] is 0; the text is modified.
 * *report is set also after an error, which is that of `take`, or of a text
 * that is not of this format at all. */
int slu_import(const char *format, char *text, size_t len,
	       const struct slu_import *import,
	       struct slu_import_report *report, struct slu_err *err);

/* For the readers of formats: import_row.c. A row: 1 a job, 0 to be skipped, -1
 * broken. */
void slu_import_broken(struct slu_import_report *report, uint64_t line,
		       const struct slu_err *why);

/* Passes a job on, with the values of our note in its administrator's comment
 * (may be NULL). Returns as import->take. */
int slu_import_take(const struct slu_import *import, struct slu_job *job,
		    const char *comment, struct slu_err *err);

/* Is this a Unix time (0: not known) that history can keep? Else SLU_INVALID,
 * naming it. */
int slu_import_time(const char *what, int64_t time, struct slu_err *err);
/* Can a job have ended then? Else SLU_INVALID. */
int slu_import_end(const struct slu_import *import, int64_t end,
		   struct slu_err *err);
/* The moments that a local time may mean: two, an hour apart, if it is
 * ambiguous, else one. 0: not known. */
struct slu_local {
	int64_t early, late;
};
/* "2016-12-22T07:15:12", the same with a blank in place of the T, or with a
 * fraction (which does not count), Z or an offset from UTC behind it (+0100,
 * +01:00), or seconds of the epoch (SLURM_TIME_FORMAT=%s); Unknown, None, NULL
 * or empty is not known. Else
 * SLU_INVALID. */
int slu_import_local(const struct slu_import *import, const char *text,
		     struct slu_local *out, struct slu_err *err);
/* The later of the two, unless it is after `latest`. */
int64_t slu_import_until(struct slu_local when, int64_t latest);
/* Set job->start and job->end to the shortest run of these that can have taken
 * `elapsed`, s; 0: that is not known. */
void slu_import_run(struct slu_local start, struct slu_local end,
		    int64_t elapsed, struct slu_job *job);
/* Is a time limit in minutes a 32-bit number in seconds? Else SLU_INVALID. */
int slu_import_limit(int64_t minutes, struct slu_err *err);

/* Bytes of a job's texts. A job with SLU_IMPORT_TEXT or more is broken, since
 * many of them would exceed what sluiced accepts at once. */
#define SLU_IMPORT_TEXT ((size_t)128 << 10)
size_t slu_import_text(const struct slu_job *job);
int slu_import_check_text(const struct slu_job *job, struct slu_err *err);

/* Sets the suspended part of the job's time from its run time `elapsed`, s; 0:
 * not known. */
void slu_import_elapsed(struct slu_job *job, int64_t elapsed);

/* Counts the result of a line: rc > 0: a job, 0: skipped, -1: broken, with the
 * reason in err. Returns -1 when rc is -2: the import cannot continue. */
int slu_import_count(struct slu_import_report *report, uint64_t line, int rc,
		     const struct slu_err *err);

/* The formats, for import_formats.c. */
int slu_import_swf(char *text, const struct slu_import *import,
		   struct slu_import_report *report, struct slu_err *err);
int slu_import_sacct(char *text, const struct slu_import *import,
		     struct slu_import_report *report, struct slu_err *err);
int slu_import_darshan(char *text, const struct slu_import *import,
		       struct slu_import_report *report, struct slu_err *err);
int slu_import_json(const char *text, size_t len,
		    const struct slu_import *import,
		    struct slu_import_report *report, struct slu_err *err);

#endif
