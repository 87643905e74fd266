/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Creates and migrates the schema of the database. Tables of the original
 * sysmap keep their names and columns, so that both programs can read and write
 * each other's databases; additional data is in tables of our own. Times are
 * Unix seconds.
 */

#include "config.h"
#include "store/migrations.h"

#include <stdio.h>

/*
 * The resource map. Host2Data has the documents that a host has now. Datahash
 * is filled in by us only: the hash of "extractor\ndocument", as nodes send it.
 * Hostseen has the time since when a host has its present document, and when it
 * was last seen with it; Change has its earlier ones.
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

/* What the I/O-node arbiter decided, and what was predicted for STATIC. */
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

/*
 * The buffers (burst_buffer/lifecycle/record.h; the numbers of states stand in
 * life.h). Times have fractions. BufferNode has the nodes in the plan's order,
 * BufferPhase the steps that they have reported, BufferGate the open barriers
 * as long as the buffer exists. Broken says why a row was set aside.
 */
static const char buffer[] =
	"CREATE TABLE Buffer ("
	" BID INTEGER PRIMARY KEY AUTOINCREMENT," /* the instance */
	" JobID INTEGER NOT NULL,"
	" Restarts INTEGER NOT NULL,"
	" Uid INTEGER NOT NULL,"
	" User TEXT,"
	" JobName TEXT,"
	" Name TEXT,"
	" FileSystem TEXT,"
	" Driver TEXT,"
	" Capacity INTEGER," /* bytes */
	" Nodes INTEGER NOT NULL,"
	" State INTEGER NOT NULL,"
	" Created REAL NOT NULL,"
	" Since REAL NOT NULL," /* in this state */
	" JobStart INTEGER,"
	" Ready REAL,"
	" Ended REAL,"	    /* the job */
	" Success INTEGER," /* 0: no, 1: yes, 2: unknown */
	" Requeued INTEGER,"
	" Failure TEXT,"
	" FailedIn INTEGER,"
	" FailedAt REAL,"
	" Verdict INTEGER NOT NULL DEFAULT 0,"
	" What INTEGER,"
	" Broken TEXT,"
	" Plan TEXT NOT NULL);" /* struct slu_plan, without the secret */
	"CREATE INDEX BufferByJob ON Buffer (JobID);"
	"CREATE INDEX BufferBySince ON Buffer (Since);"
	"CREATE INDEX BufferAlive ON Buffer (BID) WHERE State < 6;"
	"CREATE TABLE BufferNode ("
	" BID INTEGER NOT NULL,"
	" Position INTEGER NOT NULL,"
	" Node TEXT NOT NULL,"
	" State INTEGER NOT NULL,"
	" Orders INTEGER NOT NULL DEFAULT 0,"
	" Enforced TEXT," /* quota, loop, no */
	" ReadBytes REAL,"
	" WrittenBytes REAL,"
	" PRIMARY KEY (BID, Position)) WITHOUT ROWID;"
	"CREATE INDEX BufferNodeOwing ON BufferNode (BID)"
	" WHERE State = 6 OR Orders <> 0;"
	"CREATE TABLE BufferHistory ("
	" BID INTEGER NOT NULL,"
	" Time REAL NOT NULL,"
	" State INTEGER NOT NULL,"
	" Text TEXT);"
	"CREATE INDEX BufferHistoryByBuffer ON BufferHistory (BID);"
	"CREATE TABLE BufferPhase ("
	" BID INTEGER NOT NULL,"
	" Node TEXT NOT NULL,"
	" Step TEXT NOT NULL,"
	" Phase TEXT,"
	" Began REAL NOT NULL,"
	" Ended REAL NOT NULL,"
	" Bytes INTEGER,"
	" Files INTEGER,"
	" TotalBytes INTEGER,"
	" TotalFiles INTEGER,"
	" Ok INTEGER NOT NULL,"
	" Text TEXT,"
	" PRIMARY KEY (BID, Node, Step)) WITHOUT ROWID;"
	"CREATE TABLE BufferGate ("
	" BID INTEGER NOT NULL,"
	" Name TEXT NOT NULL,"
	" Attr TEXT NOT NULL," /* JSON array, in the plan's order */
	" PRIMARY KEY (BID, Name)) WITHOUT ROWID;";

/* The job ended before any task of it was launched. */
static const char unlaunched[] =
	"ALTER TABLE Buffer ADD COLUMN Unlaunched INTEGER NOT NULL DEFAULT 0;";

/*
 * A UNIQUE column has an index that stores each document once more. What keeps
 * texts unique now is Datahash, in which we write a document's number before
 * the document; and for the original tool, which knows of no hashes, a trigger
 * with the effect of its INSERT OR IGNORE: it finds the few texts of the same
 * length by an index of numbers.
 */
static const char texts_once[] =
	"ALTER TABLE Datatable RENAME TO Dataold;"
	"CREATE TABLE Datatable ("
	" DID INTEGER PRIMARY KEY AUTOINCREMENT,"
	" EID INTEGER,"
	" Data TEXT);"
	"INSERT INTO sqlite_sequence (name, seq) SELECT 'Datatable', seq"
	" FROM sqlite_sequence WHERE name = 'Dataold';"
	"INSERT INTO Datatable SELECT DID, EID, Data FROM Dataold;"
	"DROP TABLE Dataold;"
	"CREATE INDEX DataByLength ON Datatable (length(Data));"
	"CREATE TRIGGER DataOnce BEFORE INSERT ON Datatable WHEN"
	" NOT EXISTS (SELECT 1 FROM Datahash WHERE DID = NEW.DID)"
	" AND EXISTS (SELECT 1 FROM Datatable WHERE"
	" length(Data) = length(NEW.Data) AND Data = NEW.Data)"
	" BEGIN SELECT RAISE(IGNORE); END;";

/* The job's name without numbers, and its script, to recognise the same
 * program; limits of ours. */
static const char limits[] =
	"ALTER TABLE History ADD COLUMN PlainName TEXT;"
	"ALTER TABLE History ADD COLUMN Script TEXT;"
	"ALTER TABLE History ADD COLUMN Tightened INTEGER;" /* minutes */
	"ALTER TABLE History ADD COLUMN Extended INTEGER;"
	"ALTER TABLE History ADD COLUMN LateBy INTEGER;"; /* seconds */

/* How the bytes were moved (wire/job.h, struct slu_import_io). */
static const char manner[] = "ALTER TABLE JobIo ADD COLUMN Calls REAL;"
			     "ALTER TABLE JobIo ADD COLUMN CalledBytes REAL;"
			     "ALTER TABLE JobIo ADD COLUMN SharedBytes REAL;"
			     "ALTER TABLE JobIo ADD COLUMN Consecutive REAL;";

/* Where the numbers come from (wire/job.h, enum slu_io_source). */
static const char source[] =
	"ALTER TABLE JobIo ADD COLUMN Source INTEGER NOT NULL DEFAULT 2;"
	"UPDATE JobIo SET Source = 5 WHERE Node LIKE 'program %';";

/* Persistent buffers: one is to be destroyed, or has data that could not be
 * staged out. */
static const char persistent[] =
	"ALTER TABLE Buffer ADD COLUMN Destroy INTEGER NOT NULL DEFAULT 0;"
	"ALTER TABLE Buffer ADD COLUMN Unsaved TEXT;";

/* How long its file system took to be ready (wire/job.h). */
static const char prepared[] =
	"ALTER TABLE History ADD COLUMN Prepared INTEGER;"; /* seconds */

/* The hash function has changed (slu_document_hash): existing documents are
 * hashed again before the next one is stored. And the size of each past
 * document, for the quota. */
static const char rehash[] =
	"DELETE FROM Datahash;"
	"ALTER TABLE Change ADD COLUMN Bytes INTEGER NOT NULL DEFAULT 0;"
	"UPDATE Change SET Bytes = coalesce((SELECT length(Data) FROM Datatable"
	" WHERE DID = Change.DID), 0);";

/* Indexes for the newest document of an extractor, and for old rows. */
static const char found[] =
	"CREATE INDEX IF NOT EXISTS HostseenNewest ON Hostseen (EID, Since, DID);"
	"CREATE INDEX IF NOT EXISTS ChangeByUntil ON Change (Until);";

/* How long it was suspended (wire/job.h). */
static const char suspended[] =
	"ALTER TABLE History ADD COLUMN Suspended INTEGER;"; /* seconds */

/* How long a persistent buffer has existed (common/uptime.h). */
static const char aged[] = "ALTER TABLE Buffer ADD COLUMN Aged TEXT;";

/* The most bytes of users' data on a node; NULL: not reported. */
static const char fullness[] =
	"ALTER TABLE BufferNode ADD COLUMN UsedMost INTEGER;";

/* The nodes that are excluded from the next run of its job, a host list. */
static const char without[] = "ALTER TABLE Buffer ADD COLUMN Without TEXT;";

/* For how long it had each number of I/O nodes (wire/job.h). */
static const char ion_times[] = "ALTER TABLE History ADD COLUMN IonTimes TEXT;";

/* What was predicted of it with its I/O nodes (wire/job.h), MB/s. */
static const char ion_forecast[] =
	"ALTER TABLE History ADD COLUMN IonPredicted REAL;"
	"ALTER TABLE History ADD COLUMN IonStatic REAL;"
	"ALTER TABLE History ADD COLUMN IonAlone REAL;"
	"ALTER TABLE History ADD COLUMN IonError REAL;";

/* What it waited for besides nodes, and how long (wire/waits.h). */
static const char waited[] = "ALTER TABLE History ADD COLUMN Waited TEXT;";

/* How much of a stage-in's share was found in the node's stage cache
 * (wire/node.h). */
static const char cache_use[] =
	"ALTER TABLE BufferPhase ADD COLUMN CacheHits INTEGER;"
	"ALTER TABLE BufferPhase ADD COLUMN CacheMisses INTEGER;"
	"ALTER TABLE BufferPhase ADD COLUMN CacheBytes INTEGER;";

/* What a node has told of data that it keeps (enum slu_bb_keeping). */
static const char keeping[] =
	"ALTER TABLE BufferNode ADD COLUMN Keeping INTEGER;";

/* A start that failed counts as set-up; 3 (RUNNING) is a run that failed, whose
 * data is kept. */
static const char failed_start[] =
	"UPDATE Buffer SET FailedIn = 1 WHERE FailedIn = 3;";

static const char *const steps[] = {
	resource_map, /* 1 */
	history,      /* 2 */
	assignment,   /* 3 */
	buffer,	      /* 4 */
	unlaunched,   /* 5 */
	texts_once,   /* 6 */
	limits,	      /* 7 */
	manner,	      /* 8 */
	source,	      /* 9 */
	persistent,   /* 10 */
	prepared,     /* 11 */
	rehash,	      /* 12 */
	found,	      /* 13 */
	suspended,    /* 14 */
	aged,	      /* 15 */
	fullness,     /* 16 */
	ion_times,    /* 17 */
	without,      /* 18 */
	ion_forecast, /* 19 */
	waited,	      /* 20 */
	cache_use,    /* 21 */
	keeping,      /* 22 */
	failed_start, /* 23 */
};

const int slu_schema_version = sizeof(steps) / sizeof(steps[0]);

static int run_steps(struct slu_db *db, struct slu_err *err)
{
	char pragma[48];
	int64_t from;

	if (slu_db_value(db, &from, 0, err, "PRAGMA user_version", ""))
		return -1;
	if (from > slu_schema_version) /* migrated by another process since the
					  version was read */
		return slu_err(err, SLU_DENIED, "a newer program wrote it");
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
