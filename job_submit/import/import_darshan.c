/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Imports the I/O of programs from the output of darshan-parser: comments name
 * the job; each further line is a counter of a file: module, rank, record,
 * counter, value. The bytes of the modules POSIX and STDIO are summed; MPI-IO
 * and HDF5 use these. The access pattern comes from POSIX only: calls,
 * consecutive calls, and files shared by all ranks (rank -1). A log ends at the
 * next "# darshan log version".
 *
 * A log may be imported again when it is longer, if the first import saw it
 * incomplete. It is identified by its first timers, which differ between
 * executions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include "job_submit/import/import_formats.h"

#define VERSION "# darshan log version"
#define TIMERS	4 /* microseconds each */

struct log {
	struct slu_import_io io;
	bool counters;	 /* has counters */
	bool begun;	 /* its first line was seen */
	bool named;	 /* names modules with counters, printed or not */
	bool old;	 /* Darshan 2 names */
	uint64_t head;	 /* hash of the program's description */
	uint64_t timers; /* hash of the first timers */
	int n_timers;
};

/* The value of "# key: N", or -1. */
static double comment(const char *line, const char *key)
{
	size_t n = strlen(key);

	return strncmp(line, key, n) == 0 ? strtod(line + n, NULL) : -1;
}

/* Is it a line that describes the program, in every version's form? */
static bool is_of_program(const char *line)
{
	static const char *const key[] = {"# exe:", "# uid:", "# nprocs:",
					  "# start_time:", "# end_time:"};

	for (size_t i = 0; i < sizeof(key) / sizeof(key[0]); i++)
		if (!strncmp(line, key[i], strlen(key[i])))
			return true;
	return false;
}

static void take_comment(const char *line, struct log *log)
{
	double job = comment(line, "# jobid:");
	double start = comment(line, "# start_time:");

	if (job >= 1 && job < UINT32_MAX)
		log->io.job_id = (uint32_t)job;
	if (start >= 1 && start < 4e9)
		log->io.start = (int64_t)start;
	if (is_of_program(line))
		log->head = XXH3_64bits_withSeed(line, strlen(line), log->head);
}

/* Several programs of a job, even the same one, may start in the same second. A
 * log without timers, or cut before them, is identified by its program only. */
static uint64_t identity(const struct log *log)
{
	uint32_t timers = log->n_timers == TIMERS ? (uint32_t)log->timers : 0;

	return SLU_IO_PROGRAM(log->head) | timers;
}

static void take_timer(const char *counter, const char *text, double value,
		       struct log *log)
{
	if (log->n_timers == TIMERS || !(value > 0) || !strstr(counter, "_F_"))
		return;
	log->timers = XXH3_64bits_withSeed(text, strlen(text), log->timers);
	log->n_timers++;
}

/* The sum to which a counter is added; NULL: none. */
static double *sum_of(const char *counter, struct log *log)
{
	if (strcmp(counter, "POSIX_BYTES_READ") == 0 ||
	    strcmp(counter, "STDIO_BYTES_READ") == 0)
		return &log->io.read_bytes;
	if (strcmp(counter, "POSIX_BYTES_WRITTEN") == 0 ||
	    strcmp(counter, "STDIO_BYTES_WRITTEN") == 0)
		return &log->io.written_bytes;
	return NULL;
}

static bool is_one_of(const char *counter, const char *a, const char *b)
{
	return !strcmp(counter, a) || !strcmp(counter, b);
}

/* Counters of the access pattern. */
static void take_manner(const char *counter, const char *rank, double value,
			struct slu_import_io *io)
{
	if (is_one_of(counter, "POSIX_READS", "POSIX_WRITES"))
		io->calls += value;
	else if (is_one_of(counter, "POSIX_CONSEC_READS",
			   "POSIX_CONSEC_WRITES"))
		io->consecutive += value;
	else if (!is_one_of(counter, "POSIX_BYTES_READ", "POSIX_BYTES_WRITTEN"))
		return;
	else
		io->called_bytes += value;
	if (!strncmp(counter, "POSIX_BYTES_", 12) && !strcmp(rank, "-1"))
		io->shared_bytes += value;
}

/* A value of -1 means unknown, and is ignored. */
static int take_counter(char *line, struct log *log, struct slu_err *err)
{
	char *save = NULL, *field[5], *end;
	double value, *sum;

	for (int i = 0; i < 5; i++) {
		field[i] = strtok_r(i ? NULL : line, "\t", &save);
		if (!field[i])
			return slu_err(err, SLU_INVALID, "%d of 5 columns", i);
	}
	if (!strncmp(field[2], "CP_", 3)) {
		log->old = true;
		return 0;
	}
	log->counters = true;
	sum = sum_of(field[3], log);
	value = strtod(field[4], &end);
	take_timer(field[3], field[4], value, log);
	if (value > 0 && value <= SLU_IO_MOST && !*end)
		take_manner(field[3], field[1], value, &log->io);
	if (!sum)
		return 0;
	if (end == field[4] || *end || !(value >= -1 && value <= SLU_IO_MOST))
		return slu_err(err, SLU_INVALID, "%s: \"%.30s\"", field[3],
			       field[4]);
	*sum += value > 0 ? value : 0;
	return 0;
}

static int finish(struct log *log, uint64_t line,
		  const struct slu_import *import,
		  struct slu_import_report *report, struct slu_err *err)
{
	struct slu_import_io io = log->io;
	bool counters = log->counters, named = log->named;
	bool begun = log->begun, old = log->old;

	io.log = identity(log);
	*log = (struct log){0};
	if (!counters && (named || old)) {
		slu_err(err, SLU_INVALID, "%s",
			old ? "a log of Darshan 2, whose counters (CP_...) are "
			      "not read"
			    : "no counters of files: print them by "
			      "darshan-parser without options, or with --base");
		slu_import_broken(report, line, err);
		return 0;
	}
	if (!counters) {
		report->skipped += begun;
		return 0;
	}
	if (!io.job_id || !io.start) {
		slu_err(err, SLU_INVALID, "a log without jobid or start_time");
		slu_import_broken(report, line, err);
		return 0;
	}
	if (!(io.read_bytes + io.written_bytes <= SLU_IO_MOST)) {
		slu_err(err, SLU_INVALID, "job %u: %g bytes read, %g written",
			io.job_id, io.read_bytes, io.written_bytes);
		slu_import_broken(report, line, err);
		return 0;
	}
	if (io.read_bytes + io.written_bytes <= 0 || !import->take_io) {
		report->skipped++;
		return 0;
	}
	report->jobs++;
	return import->take_io(import->arg, &io, err);
}

/* Totals ("total_POSIX_...: 1") and blank lines are skipped. */
static bool is_counter(const char *line)
{
	return *line && *line != '#' && strncmp(line, "total_", 6) != 0;
}

/* Does the line name a module with counters? A program without I/O has none;
 * with --total, --perf or --file other modules' counters are not printed. */
static bool names_counters(const char *line)
{
	static const char *const marks[] = {
		"# POSIX module:", "# STDIO module:", "total_POSIX_",
		"total_STDIO_",	   "# performance",   "# files"};

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (!strncmp(line, marks[i], strlen(marks[i])))
			return true;
	return false;
}

int slu_import_darshan(char *text, const struct slu_import *import,
		       struct slu_import_report *report, struct slu_err *err)
{
	struct log log = {.counters = false};
	uint64_t number = 0;

	for (char *line = text, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		line[strcspn(line, "\r")] = '\0';
		number++;
		if (strncmp(line, VERSION, sizeof(VERSION) - 1) == 0 &&
		    finish(&log, number, import, report, err) < 0)
			return -1;
		log.begun |= strncmp(line, VERSION, sizeof(VERSION) - 1) == 0;
		log.named |= names_counters(line);
		if (*line == '#')
			take_comment(line, &log);
		else if (is_counter(line) && take_counter(line, &log, err) < 0)
			slu_import_broken(report, number, err);
	}
	return finish(&log, number, import, report, err);
}
