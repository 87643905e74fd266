/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes the code that reads a node's documents: the choice of storage and of a
 * NUMA node, and the comparison with slurm.conf. The input becomes each of the
 * documents read. Each choice must succeed or give a reason.
 */
#include "config.h"
#include <string.h>
#include "common/jsonx.h"
#include "sysmap/database/server_numa.h"
#include "sysmap/database/receive.h"
#include "sysmap/database/planner_storage.h"
#include "sysquery/map/node_facts.h"
#include "sysquery/map/map_resources.h"
#include "tests/fuzz/fuzz.h"

static const char *const extractors[] = {
	"mountpoints",	   "mountusage", "numa", "disks",      "memoryinfo",
	"cpuinfo",	   "gpus",	 "nvme", "infiniband", "networkdevices",
	"networkaddresses"};
#define N (sizeof(extractors) / sizeof(extractors[0]))

static void fill(struct slu_db *db, char *text, size_t len)
{
	struct slu_receiver *r = slu_receiver_new(db, NULL);
	struct slu_document doc[N];
	struct slu_map map = {.document = doc, .n = N};

	for (size_t i = 0; i < N; i++)
		doc[i] = (struct slu_document){
			.extractor = extractors[i],
			.text = text,
			.len = len,
			.hash = slu_document_hash(extractors[i], text, len)};
	must(slu_receive_map(r, "n1", &map, 1, NULL) == 0);
	slu_receiver_free(r);
}

static void choose_storage(struct slu_db *db)
{
	struct slu_node_storage storage, *device;
	struct slu_err err = {0};
	size_t n;

	if (slu_storage_devices(db, "n1", "fastest,flash,/*", false, &device,
				&n, &err)) {
		must(err.text[0]);
	} else {
		must(n == 1 && device->path[0] == '/' && device->size > 0);
		free(device);
	}
	err.text[0] = '\0';
	if (slu_storage_devices(db, "n1", "auto", true, &device, &n, &err)) {
		must(err.text[0]);
	} else {
		must(n && device->path[0] == '/');
		free(device);
	}
	err.text[0] = '\0';
	if (slu_storage_at(db, "n1", "/scratch/x", &storage, &err))
		must(err.text[0]);
	else
		must(storage.path[0] == '/');
}

static void choose_node(struct slu_db *db)
{
	struct slu_numa_place place;
	struct slu_err err = {0};

	for (int far = 0; far < 2; far++)
		if (slu_numa_find(db, "n1", "/scratch", "ib0", far, &place,
				  &err))
			must(err.text[0]);
		else
			must(place.cpus[0] && place.why[0]);
}

static void check(struct slu_db *db)
{
	const struct slu_storage_choice each = {.choice = "auto", .each = true};
	struct slu_err err = {0};
	struct slu_facts facts;
	struct json_object *rows;

	must(slu_facts_read(db, "n1", "/tmp", &facts, &err) == 1);
	slu_facts_feature(&facts, "nvme");
	slu_facts_feature(&facts, "avx2");
	slu_facts_free(&facts);
	rows = slu_query_summary(db, NULL, &each, &err);
	must(rows && json_object_array_length(rows) == 1);
	json_object_put(rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json_object *obj =
		slu_json_parse((const char *)data, size, NULL);
	static struct slu_db *db;
	const char *text;

	if (!obj)
		return 0;
	text = slu_json_text(obj);
	if (!db)
		db = slu_db_open(":memory:", SLU_DB_WRITE, NULL);
	must(db && slu_db_script(db,
				 "DELETE FROM Host2Data; DELETE FROM Hostseen; "
				 "DELETE FROM Change; DELETE FROM Datahash; "
				 "DELETE FROM Datatable",
				 NULL) == 0);
	fill(db, (char *)text, strlen(text));
	choose_storage(db);
	choose_node(db);
	check(db);
	json_object_put(obj);
	return 0;
}
