/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fuzzes the reader of slurm.conf and its comparison with a resource map of one
 * host: the answer is an array of rows or an error. */
#include "config.h"
#include "common/jsonx.h"
#include "sysmap/database/receive.h"
#include "sysquery/map/slurmconf_check.h"
#include "sysquery/map/slurmconf.h"
#include "tests/fuzz/fuzz.h"

static struct slu_db *map(void)
{
	static const char body[] =
		"{\"host\":\"n001\",\"documents\":{\"cpuinfo\":\"{"
		"\\\"CoreCount\\\":8,\\\"SocketCount\\\":2}\"}}";
	struct slu_db *db = slu_db_open(":memory:", SLU_DB_WRITE, NULL);
	struct slu_receiver *r = slu_receiver_new(db, NULL);
	struct slu_buf reply = {0};

	must(slu_receive_documents_body(r, body, sizeof(body) - 1, 1, &reply,
					NULL) == 0);
	slu_buf_free(&reply);
	slu_receiver_free(r);
	return db;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct slu_db *db;
	struct json_object *conf, *rows;

	if (!db)
		db = map();
	conf = slu_slurmconf_parse((const char *)data, size, NULL);
	if (!conf)
		return 0;
	rows = slu_slurmconf_check(db, conf, NULL);
	must(!rows || json_object_is_type(rows, json_type_array));
	json_object_put(rows);
	json_object_put(conf);
	return 0;
}
