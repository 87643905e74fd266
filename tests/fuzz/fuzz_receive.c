/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes the bodies that a node pushes: 'h' and hashes, or 'd' and documents. A
 * body that is refused leaves the database unchanged; documents that are
 * accepted can be read.
 */
#include "config.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "sysmap/database/map_documents.h"
#include "sysmap/database/receive.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok)
{
	if (!ok)
		abort();
}

static int64_t rows(struct slu_db *db)
{
	int64_t n = -1;

	must(slu_db_value(db, &n, 0, NULL,
			  "SELECT (SELECT count(*) FROM Datatable) + "
			  "(SELECT count(*) FROM Host2Data) + "
			  "(SELECT count(*) FROM Hosttable)",
			  "") == 0);
	return n;
}

static void documents(struct slu_db *db, struct slu_receiver *r,
		      const char *body, size_t len)
{
	struct slu_err err = {0};
	struct slu_buf reply = {0}, text = {0};
	int64_t before = rows(db);
	char *host;

	if (slu_receive_documents_body(r, body, len, 1, &reply, &err)) {
		must(err.kind == SLU_INVALID && rows(db) == before);
		slu_buf_free(&reply);
		return;
	}
	host = slu_receive_host(body, len, NULL);
	must(host != NULL);
	if (slu_documents_read(db, host, "disks", &text, &err))
		must(err.kind == SLU_NOTFOUND);
	free(host);
	slu_buf_free(&text);
	slu_buf_free(&reply);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct slu_db *db;
	static struct slu_receiver *r;
	struct slu_buf reply = {0};

	if (!db) {
		db = slu_db_open(":memory:", SLU_DB_WRITE, NULL);
		must(db != NULL);
		r = slu_receiver_new(db, NULL);
	}
	if (size && data[0] == 'h')
		slu_receive_hashes_body(r, "n1", data + 1, size - 1, 1, &reply,
					NULL);
	if (size && data[0] == 'd')
		documents(db, r, (const char *)data + 1, size - 1);
	slu_buf_free(&reply);
	return 0;
}
