/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes SQL of untrusted users. The input before the first newline is a
 * document that a node pushes before, under the names of several extractors;
 * the rest is the statement. The database must stay unchanged, no other table
 * than the resource map's may be visible, and a refusal gives a reason.
 */
#include "config.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "common/jsonx.h"
#include "sysmap/database/receive.h"
#include "sysquery/map/map_select.h"
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

static void push(const char *text, size_t len)
{
	static const char *const extractors[] = {"disks", "topology",
						 "memoryinfo"};
	struct json_object *body = json_object_new_object();
	struct json_object *documents = json_object_new_object();
	struct slu_db *db = slu_db_open(path, SLU_DB_WRITE, NULL);
	struct slu_receiver *r = slu_receiver_new(db, NULL);
	struct slu_buf reply = {0};
	const char *json;

	must(slu_db_script(db, "PRAGMA synchronous = OFF", NULL) == 0);
	for (int i = 0; i < 3; i++)
		json_object_object_add(
			documents, extractors[i],
			json_object_new_string_len(text, (int)len));
	slu_json_set_str(body, "host", "n2");
	json_object_object_add(body, "documents", documents);
	json = slu_json_text(body);
	slu_receive_documents_body(r, json, strlen(json), 2, &reply, NULL);
	json_object_put(body);
	slu_buf_free(&reply);
	slu_receiver_free(r);
	slu_db_close(db);
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
	const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
	size_t len = end ? (size_t)(end - data) + 1 : 0;
	char *sql = strndup((const char *)data + len, size - len);
	struct slu_err err = {0};
	struct json_object *rows;
	struct slu_db *db;
	int64_t before;

	if (!made)
		make();
	if (len)
		push((const char *)data, len - 1);
	db = slu_db_open(path, SLU_DB_READ, NULL);
	must(db && sql);
	before = rows_of(db);
	rows = slu_select(db, sql, &err);
	must(rows || err.text[0]);
	must(!rows || !strstr(slu_json_text(rows), SECRET));
	json_object_put(rows);
	slu_db_close(db);
	db = slu_db_open(path, SLU_DB_READ, NULL);
	must(rows_of(db) == before);
	rows = len ? slu_select_views(db, NULL) : NULL;
	must(rows || !len);
	json_object_put(rows);
	slu_db_close(db);
	free(sql);
	return 0;
}
