/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The schema. Tables of the original sysmap keep their names and columns, so
 * that it and we read and write each other's databases; what we know beyond
 * stands in tables of ours beside them. Times are Unix seconds.
 */

#include "config.h"
#include "store/migrations.h"

#include <stdio.h>

/*
 * The resource map. Host2Data says which documents a host has now. Datahash
 * is filled in by us only: XXH3 of "extractor\ndocument", as nodes send it.
 * Hostseen is since when a host has its present document, and when it was
 * last seen with it; Change keeps what it had before.
 */
static const char resource_map[] =
	"CREATE TABLE IF NOT EXISTS Hosttable ("
	" HostID INTEGER PRIMARY KEY AUTOINCREMENT,"
	" Hostname TEXT UNIQUE);"
	"CREATE TABLE IF NOT EXISTS Extractortable ("
	" EID INTEGER PRIMARY KEY AUTOINCREMENT,"
	" Name TEXT UNIQUE);"
	"CREATE TABLE IF NOT EXISTS Datatable ("
	" DID INTEGER PRIMARY KEY AUTOINCREMENT,"
	" EID INTEGER,"
	" Data TEXT UNIQUE);"
	"CREATE TABLE IF NOT EXISTS Host2Data ("
	" HostID INTEGER,"
	" DID INTEGER);"
	"CREATE INDEX Host2DataByHost ON Host2Data (HostID, DID);"
	"CREATE INDEX Host2DataByData ON Host2Data (DID);"
	"CREATE TABLE Datahash ("
	" DID INTEGER PRIMARY KEY,"
	" Hash INTEGER NOT NULL UNIQUE);"
	"CREATE TABLE Hostseen ("
	" HostID INTEGER NOT NULL,"
	" EID INTEGER NOT NULL,"
	" DID INTEGER NOT NULL,"
	" Since INTEGER NOT NULL,"
	" LastSeen INTEGER NOT NULL,"
	" PRIMARY KEY (HostID, EID)) WITHOUT ROWID;"
	"CREATE TABLE Change ("
	" HostID INTEGER NOT NULL,"
	" EID INTEGER NOT NULL,"
	" DID INTEGER NOT NULL,"
	" Since INTEGER NOT NULL,"
	" Until INTEGER NOT NULL);"
	"CREATE INDEX ChangeByHost ON Change (HostID, EID, Until);"
	"CREATE INDEX ChangeByData ON Change (DID);";

/* Ended jobs: struct slu_job (wire/job.h); and what their tasks read and wrote,
 * by node. Texts that are not known are NULL. */
static const char history[] =
	"CREATE TABLE History ("
	" JobID INTEGER NOT NULL,"
	" ArrayJobID INTEGER,"
	" ArrayTaskID INTEGER,"
	" Uid INTEGER NOT NULL,"
	" Gid INTEGER,"
	" User TEXT,"
	" Account TEXT,"
	" PartitionName TEXT,"
	" Qos TEXT,"
	" Name TEXT,"
	" WorkDir TEXT,"
	" Nodes TEXT,"
	" NodeCnt INTEGER,"
	" Tasks INTEGER,"
	" Cpus INTEGER,"
	" MemMb INTEGER,"
	" SubmitTime INTEGER,"
	" EligibleTime INTEGER,"
	" StartTime INTEGER NOT NULL,"
	" EndTime INTEGER NOT NULL,"
	" TimeLimit INTEGER,"  /* granted, minutes */
	" LimitAsked INTEGER," /* minutes */
	" Predicted INTEGER,"  /* seconds */
	" PredictedFrom TEXT,"
	" State TEXT,"
	" ExitCode INTEGER,"
	" Restarts INTEGER,"
	" Request TEXT,"
	" IonMax INTEGER,"
	" Ions INTEGER,"
	" UNIQUE (JobID, StartTime));"
	"CREATE INDEX HistoryByEnd ON History (EndTime);"
	"CREATE INDEX HistoryByUser ON History (Uid, EndTime);"
	"CREATE TABLE JobIo ("
	" JobID INTEGER NOT NULL,"
	" StartTime INTEGER NOT NULL,"
	" Node TEXT NOT NULL,"
	" ReadBytes REAL NOT NULL,"
	" WrittenBytes REAL NOT NULL,"
	" PRIMARY KEY (JobID, StartTime, Node)) WITHOUT ROWID;";

/* What the I/O-node arbiter decided, and what STATIC would have reached. */
static const char assignment[] =
	"CREATE TABLE Assignment ("
	" AID INTEGER PRIMARY KEY,"
	" Epoch INTEGER NOT NULL,"
	" Time INTEGER NOT NULL,"
	" Event TEXT,"
	" Policy TEXT,"
	" Total REAL,"		/* MB/s */
	" StaticTotal REAL,"	/* MB/s */
	" Json TEXT NOT NULL);" /* struct slu_assignment (wire/control.h) */
	"CREATE INDEX AssignmentByTime ON Assignment (Time);";

static const char *const steps[] = {
	resource_map, /* 1 */
	history,      /* 2 */
	assignment,   /* 3 */
};

const int slu_schema_version = sizeof(steps) / sizeof(steps[0]);

static int run_steps(struct slu_db *db, struct slu_err *err)
{
	char pragma[48];
	int64_t from;

	if (slu_db_value(db, &from, 0, err, "PRAGMA user_version", ""))
		return -1;
	for (; from < slu_schema_version; from++)
		if (slu_db_script(db, steps[from], err))
			return slu_err_prefix(err, "to schema %d",
					      (int)from + 1);
	snprintf(pragma, sizeof(pragma), "PRAGMA user_version = %d",
		 slu_schema_version);
	return slu_db_script(db, pragma, err);
}

int slu_db_migrate(struct slu_db *db, struct slu_err *err)
{
	if (slu_db_begin(db, err))
		return -1;
	if (run_steps(db, err) || slu_db_commit(db, err)) {
		slu_db_rollback(db);
		return -1;
	}
	return 0;
}
