/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stores what servers report of a run in table JobIo: Lustre's, by server and
 * file system, and the forwarding daemons'. Lustre counts a job, not a run:
 * what an earlier run of the same job has is subtracted.
 */
#include "job_submit/history/server_io.h"

#include <stdio.h>
#include <string.h>
#include "wire/fs_shares.h"

#define HOUR 3600
#define DAY  86400

/* The run at time `when`; 0: none. */
static int find_run(struct slu_db *db, uint32_t job_id, int64_t when,
		    int64_t *start, struct slu_err *err)
{
	return slu_db_value(db, start, 0, err,
			    "SELECT StartTime FROM History WHERE JobID = ? AND"
			    " StartTime > 0 AND StartTime <= ? AND EndTime >= ?"
			    " ORDER BY StartTime DESC LIMIT 1",
			    "III", (int64_t)job_id, when, when - HOUR);
}

/* Subtracts what the same server has reported of earlier runs of the job,
 * unless these ended so long before that Lustre has dropped the counters. */
static int take_off(struct slu_db *db, const char *node, int64_t start,
		    struct slu_server_job *io, struct slu_err *err)
{
	struct slu_rows *rows = slu_db_query(
		db, err,
		"SELECT SUM(ReadBytes), SUM(WrittenBytes), SUM(Calls) FROM"
		" JobIo AS i WHERE JobID = ? AND Node = ? AND StartTime < ? AND"
		" EXISTS (SELECT 1 FROM History AS h WHERE h.JobID = i.JobID"
		" AND h.StartTime = i.StartTime AND h.EndTime >= ?)",
		"IsII", (int64_t)io->job_id, node, start, start - DAY);
	int rc = rows ? slu_db_step(rows, err) : -1;
	double before[3];

	if (rc > 0) {
		for (int i = 0; i < 3; i++)
			before[i] = slu_db_double(rows, i);
		if (io->read_bytes >= before[0] &&
		    io->written_bytes >= before[1] && io->rpcs >= before[2]) {
			io->read_bytes -= before[0];
			io->written_bytes -= before[1];
			io->rpcs -= before[2];
		}
	}
	slu_db_done(rows);
	return rc < 0 ? -1 : 0;
}

static int check_server(const struct slu_server_job *io, struct slu_err *err)
{
	if (io->read_bytes >= 0 && io->written_bytes >= 0 && io->rpcs >= 0 &&
	    io->read_bytes + io->written_bytes <= SLU_IO_MOST &&
	    io->rpcs <= SLU_IO_MOST && io->metadata_ops >= 0 &&
	    io->metadata_ops <= SLU_IO_MOST)
		return 0;
	return slu_err(err, SLU_INVALID,
		       "job %u: %g bytes read, %g written, %g RPCs, %g "
		       "operations of metadata",
		       io->job_id, io->read_bytes, io->written_bytes, io->rpcs,
		       io->metadata_ops);
}

static int add_server(struct slu_db *db, const char *node,
		      struct slu_server_job io, int64_t start, uint32_t source,
		      struct slu_err *err)
{
	static const char sql[] =
		"INSERT INTO JobIo (JobID, StartTime, Node, ReadBytes,"
		" WrittenBytes, Calls, Source) SELECT ?, ?, ?, ?, ?, ?, ? WHERE"
		" NOT EXISTS (SELECT 1 FROM JobIo WHERE JobID = ? AND"
		" StartTime = ? AND Node >= ? AND Node < ?)"
		" ON CONFLICT (JobID, StartTime, Node) DO UPDATE SET"
		" ReadBytes = MAX(ReadBytes, excluded.ReadBytes),"
		" WrittenBytes = MAX(WrittenBytes, excluded.WrittenBytes),"
		" Calls = MAX(Calls, excluded.Calls)";
	bool metadata = source == SLU_IO_METADATA;
	long rc = take_off(db, node, start, &io, err);

	if (rc == 0 &&
	    (metadata ? io.rpcs : io.read_bytes + io.written_bytes) > 0)
		rc = slu_db_exec(
			db, err, sql, "IIsdddIIIss", (int64_t)io.job_id, start,
			node, io.read_bytes, io.written_bytes, io.rpcs,
			(int64_t)source, (int64_t)io.job_id, start,
			metadata ? SLU_SERVER_IO_METADATA : SLU_SERVER_IO_BYTES,
			metadata ? "metadata +" : "server +");
	return rc < 0 ? -1 : 0;
}

/* A server's rows of a run: of one file system, or (NULL) of all. */
static int add_rows(struct slu_db *db, const char *server, const char *fs,
		    const struct slu_server_job *io, int64_t start,
		    struct slu_err *err)
{
	char node[300];

	snprintf(node, sizeof(node), "server %s%s%s", server, fs ? " " : "",
		 fs ? fs : "");
	if (add_server(db, node, *io, start, SLU_IO_JOBSTATS, err) < 0)
		return -1;
	if (!(io->metadata_ops > 0)) /* it is no server of MDTs */
		return 0;
	snprintf(node, sizeof(node), "metadata %s%s%s", server, fs ? " " : "",
		 fs ? fs : "");
	return add_server(db, node,
			  (struct slu_server_job){.job_id = io->job_id,
						  .rpcs = io->metadata_ops},
			  start, SLU_IO_METADATA, err);
}

static struct slu_server_job of_share(const struct slu_server_job *io,
				      const struct slu_fs_share *share)
{
	return (struct slu_server_job){
		.job_id = io->job_id,
		.read_bytes = share->read_bytes,
		.written_bytes = share->written_bytes,
		.rpcs = share->rpcs,
		.metadata_ops = share->metadata_ops,
	};
}

static int check_shares(const struct slu_server_job *io, struct slu_err *err)
{
	struct slu_fs_share share;
	const char *at = io->by_fs;
	struct slu_server_job of;
	int rc;

	while ((rc = slu_fs_share_next(&at, &share)) > 0) {
		of = of_share(io, &share);
		if (check_server(&of, err) < 0)
			return -1;
	}
	return rc < 0 ? slu_err(err, SLU_INVALID,
				"job %u: by_fs is not NAME READ WRITTEN RPCS "
				"OPS, ...",
				io->job_id)
		      : 0;
}

/* A release that did not tell of file systems has reported for the same server:
 * its rows of the job become those of the file system, if there is only one. Of
 * several they are dropped: what the server says now has all but what Lustre
 * has dropped meanwhile. */
static int name_rows(struct slu_db *db, const char *server,
		     const struct slu_server_job *io, int64_t start,
		     struct slu_err *err)
{
	char nodes[2][300];
	struct slu_fs_share share;
	const char *at = io->by_fs;
	long rc = 0;

	if (slu_fs_share_next(&at, &share) <= 0 ||
	    slu_eq(share.fs, SLU_FS_UNKNOWN))
		return 0;
	snprintf(nodes[0], sizeof(nodes[0]), "server %s", server);
	snprintf(nodes[1], sizeof(nodes[1]), "metadata %s", server);
	for (int i = 0; i < 2 && rc >= 0; i++)
		rc = *at ? slu_db_exec(db, err,
				       "DELETE FROM JobIo WHERE JobID = ? AND"
				       " StartTime = ? AND Node = ?",
				       "IIs", (int64_t)io->job_id, start,
				       nodes[i])
			 : slu_db_exec(db, err,
				       "UPDATE OR REPLACE JobIo SET Node ="
				       " Node || ' ' || ? WHERE JobID = ? AND"
				       " Node = ?",
				       "sIs", share.fs, (int64_t)io->job_id,
				       nodes[i]);
	return rc < 0 ? -1 : 0;
}

static int add_shares(struct slu_db *db, const char *server,
		      const struct slu_server_job *io, int64_t start,
		      struct slu_err *err)
{
	struct slu_fs_share share;
	const char *at = io->by_fs;
	struct slu_server_job of;
	int rc = name_rows(db, server, io, start, err);

	while (rc == 0 && slu_fs_share_next(&at, &share) > 0) {
		of = of_share(io, &share);
		rc = add_rows(db, server,
			      slu_eq(share.fs, SLU_FS_UNKNOWN) ? NULL
							       : share.fs,
			      &of, start, err);
	}
	return rc;
}

int slu_history_server_io(struct slu_db *db, const char *server,
			  const struct slu_server_job *io, int64_t start,
			  int64_t when, struct slu_err *err)
{
	int rc;

	if (check_server(io, err) < 0 ||
	    (io->by_fs && check_shares(io, err) < 0))
		return -1;
	if (!start && find_run(db, io->job_id, when, &start, err) < 0)
		return -1;
	if (!start)
		return 0;
	rc = io->by_fs ? add_shares(db, server, io, start, err)
		       : add_rows(db, server, NULL, io, start, err);
	return rc < 0 ? -1 : 1;
}

int slu_history_forwarded(struct slu_db *db, const struct slu_server_job *io,
			  int64_t *start, int64_t when, struct slu_err *err)
{
	long n;

	if (check_server(io, err) < 0)
		return -1;
	if (!*start && find_run(db, io->job_id, when, start, err) < 0)
		return -1;
	if (!*start)
		return 0;
	n = slu_db_exec(db, err,
			"INSERT OR REPLACE INTO JobIo (JobID, StartTime, Node,"
			" ReadBytes, WrittenBytes, Source) VALUES (?, ?,"
			" 'forwarders', ?, ?, ?)",
			"IIddI", (int64_t)io->job_id, *start, io->read_bytes,
			io->written_bytes, (int64_t)SLU_IO_FORWARDERS);
	return n < 0 ? -1 : 1;
}

/* Rows of a run ?3, ?4 and a source ?5 as Each: the name of that row into which
 * each is to be merged is ?1, and " FSNAME" where that is known. ?2: where the
 * server's name begins. */
#define EACH                                                               \
	"WITH Server AS (SELECT *, substr(Node, ?2) AS Name FROM JobIo"    \
	" WHERE JobID = ?3 AND StartTime = ?4 AND Source = ?5), Each AS"   \
	" (SELECT *, ?1 || substr(Name, instr(Name || ' ', ' ')) AS Whole" \
	" FROM Server) "

/* Merges rows "PREFIX SERVER [FSNAME]" of a run into "PREFIX * [FSNAME]", each
 * file system's by themselves. */
static int fold_source(struct slu_db *db, const struct slu_import_io *run,
		       uint32_t source, const char *into, struct slu_err *err)
{
	static const char *const sql[] = {
		EACH "INSERT INTO JobIo (JobID, StartTime, Node, ReadBytes,"
		     " WrittenBytes, Calls, Source) SELECT JobID, StartTime,"
		     " Whole, SUM(ReadBytes), SUM(WrittenBytes), SUM(Calls),"
		     " Source FROM Each GROUP BY Whole HAVING COUNT(*) > 1",
		EACH "DELETE FROM JobIo WHERE JobID = ?3 AND StartTime = ?4 AND"
		     " Source = ?5 AND Node IN (SELECT Node FROM Each WHERE NOT"
		     " " SLU_SERVER_IO_FOLDED
		     " AND Whole IN (SELECT Node FROM Server))",
	};
	long n = 1;

	for (int i = 0; i < 2 && n > 0; i++)
		n = slu_db_exec(db, err, sql[i], "sIIII", into,
				(int64_t)strlen(into), (int64_t)run->job_id,
				run->start, (int64_t)source);
	return n < 0 ? -1 : n > 0;
}

int slu_server_io_fold(struct slu_db *db, const struct slu_import_io *run,
		       struct slu_err *err)
{
	int bytes =
		fold_source(db, run, SLU_IO_JOBSTATS, SLU_SERVER_IO_BYTES, err);
	int ops;

	if (bytes < 0)
		return -1;
	ops = fold_source(db, run, SLU_IO_METADATA, SLU_SERVER_IO_METADATA,
			  err);
	return ops < 0 ? -1 : bytes || ops;
}
