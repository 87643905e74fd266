/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens a database: checks its owner and schema, and migrates it when it is
 * opened for writing. SQLite opens files lazily, so the schema's version is
 * read at once to find out whether the file can be read at all.
 */
#include "config.h"
#include "store/db.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/clock.h"
#include "common/str.h"
#include "store/migrations.h"
#include "store/db_private.h"

#define MMAP_BYTES "1073741824"
#define AGAIN_MS   20
#define CACHE_KIB  "65536" /* of pages at most, while writing */

static void disconnect(struct slu_db *db)
{
	for (size_t i = 0; i < db->n_kept; i++)
		sqlite3_finalize(db->kept[i].stmt);
	db->n_kept = 0;
	sqlite3_close(db->sqlite);
	db->sqlite = NULL;
}

/* A database in WAL mode can be read without write permission only while a
 * writer has it open, or when nothing is left in its log. */
static int open_immutable(struct slu_db *db, const char *path)
{
	char *wal = slu_asprintf("%s-wal", path);
	char *uri = sqlite3_mprintf("file:%s?immutable=1", path);
	int code = SQLITE_CANTOPEN;

	if (wal && uri && access(wal, F_OK) && !strpbrk(path, "?#%")) {
		disconnect(db);
		code = sqlite3_open_v2(uri, &db->sqlite,
				       SQLITE_OPEN_READONLY | SQLITE_OPEN_URI |
					       SQLITE_OPEN_NOMUTEX,
				       NULL);
	}
	sqlite3_free(uri);
	free(wal);
	return code == SQLITE_OK ? 0 : -1;
}

static int version(struct slu_db *db, int64_t *out, struct slu_err *err)
{
	return slu_db_value(db, out, 0, err, "PRAGMA user_version", "");
}

static int open_read(struct slu_db *db, const char *path, int64_t *schema,
		     struct slu_err *err)
{
	struct slu_err first = {0};

	if (version(db, schema, &first) == 0)
		return 0;
	if ((first.kind == SLU_IO || first.kind == SLU_DENIED) &&
	    open_immutable(db, path) == 0)
		return version(db, schema, err);
	return slu_err(err, first.kind, "%s", first.text);
}

static int open_write(struct slu_db *db, bool load, int64_t schema,
		      struct slu_err *err)
{
	if (slu_db_script(db,
			  "PRAGMA page_size=16384;"
			  "PRAGMA synchronous=FULL;"
			  "PRAGMA temp_store=MEMORY;"
			  "PRAGMA cache_size=-" CACHE_KIB,
			  err))
		return -1;
	/* a bulk load is written once, in order, when it is complete */
	if (slu_db_script(db,
			  load && schema == 0 ? "PRAGMA cache_spill=OFF"
					      : "PRAGMA journal_mode=WAL",
			  err))
		return -1;
	if (schema == slu_schema_version)
		return 0;
	return slu_db_migrate(db, err);
}

/* SQLite gives up at once, whatever its busy timeout, if two processes would
 * wait for each other, as they do when both create the same file. */
static int open_write_in_turn(struct slu_db *db, bool load, int64_t schema,
			      struct slu_err *err)
{
	double end = slu_now_mono() + db->busy.timeout;
	struct slu_err why;

	while (open_write(db, load, schema, &why)) {
		if (why.kind != SLU_BUSY || slu_now_mono() >= end)
			return slu_err(err, why.kind, "%s", why.text);
		usleep(AGAIN_MS * 1000);
	}
	db->loaded = load && schema == 0;
	return 0;
}

/* Does the file exist, and may it be read? SQLite's error does not distinguish
 * that. */
static int check_file(const char *path, struct slu_err *err)
{
	struct stat st;

	if (access(path, R_OK) && errno == ENOENT)
		return slu_err(err, SLU_NOTFOUND, "there is no such file");
	if (access(path, R_OK))
		return slu_err(err, errno == EACCES ? SLU_DENIED : SLU_IO, "%s",
			       strerror(errno));
	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return slu_err(err, SLU_IO, "%s", strerror(EISDIR));
	return 0;
}

static int open_path(struct slu_db *db, const char *path, enum slu_db_mode mode,
		     struct slu_err *err)
{
	int flags = mode == SLU_DB_READ
			    ? SQLITE_OPEN_READONLY
			    : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
	int64_t schema = 0;

	if (mode == SLU_DB_READ && check_file(path, err))
		return -1;
	if (sqlite3_open_v2(path, &db->sqlite, flags | SQLITE_OPEN_NOMUTEX,
			    NULL) != SQLITE_OK)
		return db->sqlite ? slu_db_fail(db, err)
				  : slu_err(err, SLU_NOMEM, "out of memory");
	slu_busy_arm(&db->busy, db->sqlite);
	if (open_read(db, path, &schema, err))
		return -1;
	if (schema > slu_schema_version)
		return slu_err(err, SLU_DENIED,
			       "a newer program wrote it (schema %lld, known "
			       "here: %d); upgrade this one",
			       (long long)schema, slu_schema_version);
	if (mode ==
	    SLU_DB_READ) /* such a process lives shortly and reads a lot */
		return slu_db_script(db, "PRAGMA mmap_size=" MMAP_BYTES, err);
	return open_write_in_turn(db, mode == SLU_DB_LOAD, schema, err);
}

struct slu_db *slu_db_open(const char *path, enum slu_db_mode mode,
			   struct slu_err *err)
{
	struct slu_db *db = calloc(1, sizeof(*db));

	if (!db) {
		slu_err(err, SLU_NOMEM, "%s: out of memory", path);
		return NULL;
	}
	if (open_path(db, path, mode, err)) {
		slu_err_prefix(err, "%s", path);
		slu_db_close(db);
		return NULL;
	}
	return db;
}

void slu_db_close(struct slu_db *db)
{
	if (!db)
		return;
	/* so that the next writer need not wait until there are no readers; if
	 * there is one now, its own end does it */
	if (db->loaded) {
		sqlite3_busy_timeout(db->sqlite, 0);
		slu_db_script(db, "PRAGMA journal_mode=WAL", NULL);
	}
	disconnect(db);
	slu_strv_free(db->hidden);
	free(db);
}
