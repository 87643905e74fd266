/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Imports I/O volumes into table JobIo (history_io.c): from Darshan logs of
 * programs, and from Slurm's accounting.
 */
#include <inttypes.h>
#include <stdio.h>
#include "job_submit/history/job_history.h"
#include "job_submit/history/history_io.h"

#define SLACK	60 /* s, tolerated difference of clocks */
#define PROGRAM 64 /* size of the name of a program's row */

static int check_import(const struct slu_import_io *io, struct slu_err *err)
{
	if (!(io->read_bytes >= 0 && io->written_bytes >= 0 &&
	      io->read_bytes + io->written_bytes <= SLU_IO_MOST))
		return slu_err(err, SLU_INVALID,
			       "job %u: %g bytes read, %g written", io->job_id,
			       io->read_bytes, io->written_bytes);
	if (!(io->calls >= 0 && io->called_bytes >= 0 &&
	      io->shared_bytes >= 0 && io->consecutive >= 0))
		return slu_err(err, SLU_INVALID, "job %u: less than no calls",
			       io->job_id);
	return 0;
}

/* Earlier releases identified a program by its start only (log 0). */
static void name_program(int64_t start, uint64_t log, char name[PROGRAM])
{
	int n = snprintf(name, PROGRAM, "program %" PRId64, start);

	if (log)
		snprintf(name + n, PROGRAM - (size_t)n, " %016" PRIx64, log);
}

/* Deletes a row of the same program that was imported with less information: by
 * its start only with as many bytes, or without timers with no more bytes. */
static long forget_vague(struct slu_db *db, const struct slu_import_io *io,
			 struct slu_err *err)
{
	char unnamed[PROGRAM], any[PROGRAM];

	if (!io->log || io->log == SLU_IO_PROGRAM(io->log))
		return 0;
	name_program(io->start, 0, unnamed);
	name_program(io->start, SLU_IO_PROGRAM(io->log), any);
	return slu_db_exec(db, err,
			   "DELETE FROM JobIo WHERE JobID = ? AND (Node = ? AND"
			   " (ReadBytes, WrittenBytes) = (?, ?) OR Node = ? AND"
			   " ReadBytes <= ? AND WrittenBytes <= ?)",
			   "Isddsdd", (int64_t)io->job_id, unnamed,
			   io->read_bytes, io->written_bytes, any,
			   io->read_bytes, io->written_bytes);
}

/* The run during which the program ran. */
#define OF_RUN \
	" FROM History WHERE JobID = ? AND StartTime <= ? AND EndTime >= ?"

static long insert(struct slu_db *db, const struct slu_import_io *io,
		   const char *node, struct slu_err *err)
{
	bool counted = io->source == SLU_IO_ACCOUNTING;

	return slu_db_exec(
		db, err,
		"INSERT OR IGNORE INTO JobIo (JobID, StartTime, Node,"
		" ReadBytes, WrittenBytes, Calls, CalledBytes, SharedBytes,"
		" Consecutive, Source) SELECT JobID, StartTime, ?, ?, ?, ?, ?,"
		" ?, ?, ?" OF_RUN,
		"sddddddIIII", node, io->read_bytes, io->written_bytes,
		io->calls, io->called_bytes, io->shared_bytes, io->consecutive,
		(int64_t)(counted ? SLU_IO_ACCOUNTING : SLU_IO_DARSHAN),
		(int64_t)io->job_id, io->start + SLACK, io->start - SLACK);
}

/* Counters only grow, so a smaller value is an older one. */
static long update(struct slu_db *db, const struct slu_import_io *io,
		   const char *node, struct slu_err *err)
{
	return slu_db_exec(
		db, err,
		"UPDATE JobIo SET ReadBytes = ?, WrittenBytes = ?, Calls = ?,"
		" CalledBytes = ?, SharedBytes = ?, Consecutive = ? WHERE"
		" JobID = ? AND StartTime IN (SELECT StartTime" OF_RUN ") AND"
		" Node = ? AND ReadBytes + WrittenBytes + Calls < ?",
		"ddddddIIIIsd", io->read_bytes, io->written_bytes, io->calls,
		io->called_bytes, io->shared_bytes, io->consecutive,
		(int64_t)io->job_id, (int64_t)io->job_id, io->start + SLACK,
		io->start - SLACK, node,
		io->read_bytes + io->written_bytes + io->calls);
}

static int import_io(struct slu_db *db, const struct slu_import_io *io,
		     struct slu_history_counts *counts, struct slu_err *err)
{
	char node[PROGRAM] = "accounting";
	long vague, less, new;

	if (io->source != SLU_IO_ACCOUNTING)
		name_program(io->start, io->log, node);
	if (check_import(io, err) < 0 ||
	    (vague = forget_vague(db, io, err)) < 0 ||
	    (less = update(db, io, node, err)) < 0 ||
	    (new = insert(db, io, node, err)) < 0)
		return -1;
	if (vague + less)
		counts->changed++;
	else
		counts->added += new > 0;
	return 0;
}

int slu_history_runless(struct slu_db *db, const struct slu_import_io *io,
			size_t n, uint64_t *unknown, struct slu_err *err)
{
	uint64_t count = 0;
	int64_t is;

	for (size_t i = 0; i < n; i++) {
		if (io[i].source == SLU_IO_ACCOUNTING)
			continue;
		if (slu_db_value(db, &is, 0, err,
				 "SELECT EXISTS (SELECT 1 " OF_RUN ")", "III",
				 (int64_t)io[i].job_id, io[i].start + SLACK,
				 io[i].start - SLACK) < 0)
			return -1;
		count += !is;
	}
	*unknown = count;
	return 0;
}

int slu_history_import_io(struct slu_db *db, const struct slu_import_io *io,
			  size_t n, struct slu_history_counts *counts,
			  struct slu_err *err)
{
	struct slu_history_counts all = {0};
	int rc = slu_db_begin(db, err);

	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = import_io(db, &io[i], &all, err);
	if (rc < 0 || slu_db_commit(db, err) < 0) {
		slu_db_rollback(db);
		return -1;
	}
	*counts = all;
	return 0;
}
