/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SQL that a stranger sends: whatever it is, the database stays as it is, and
 * nothing is seen of the tables that are not the resource map's. */
#include "config.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "common/jsonx.h"
#include "sysmap/receive.h"
#include "sysquery/select.h"
#include "tests/fuzz/fuzz.h"

#define SECRET "do not show"

static char path[] = "/tmp/fuzz_select.XXXXXX";
static bool made;

static void clean(void)
{
	static const char *const ends[] = {"", "-wal", "-shm"};
	char name[64];

	for (int i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "%s%s", path, ends[i]);
		unlink(name);
	}
}

static void make(void)
{
	static const char body[] =
		"{\"host\":\"n1\",\"documents\":{\"disks\":\"[{"
		"\\\"name\\\":\\\"sda\\\",\\\"size_bytes\\\":7}]\"}}";
	int fd = mkstemp(path);
	struct slu_db *db = slu_db_open(path, SLU_DB_WRITE, NULL);
	struct slu_receiver *r = slu_receiver_new(db, NULL);
	struct slu_buf reply = {0};

	must(fd >= 0 && db && r && atexit(clean) == 0);
	close(fd);
	must(slu_receive_documents_body(r, body, sizeof(body) - 1, 1, &reply,
					NULL) == 0);
	must(slu_db_exec(db, NULL,
			 "INSERT INTO History (JobID, Uid, StartTime, "
			 "EndTime, Name) VALUES (1, 1, 1, 1, '" SECRET "')",
			 "") == 1);
	slu_buf_free(&reply);
	slu_receiver_free(r);
	slu_db_close(db);
	made = true;
}

static int64_t rows_of(struct slu_db *db)
{
	int64_t n = -1;

	must(slu_db_value(db, &n, 0, NULL,
			  "SELECT (SELECT count(*) FROM Hosttable) * 100 + "
			  "(SELECT count(*) FROM Datatable) * 10 + "
			  "(SELECT count(*) FROM History)",
			  "") == 0);
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *sql = strndup((const char *)data, size);
	struct json_object *rows;
	struct slu_db *db;

	if (!made)
		make();
	db = slu_db_open(path, SLU_DB_READ, NULL);
	must(db && sql);
	rows = slu_select(db, sql, NULL);
	must(!rows || !strstr(slu_json_text(rows), SECRET));
	json_object_put(rows);
	slu_db_close(db);
	db = slu_db_open(path, SLU_DB_READ, NULL);
	must(rows_of(db) == 111);
	slu_db_close(db);
	free(sql);
	return 0;
}
