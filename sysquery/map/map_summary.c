/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Summarises each host (storage, disks, memory, processors) from its documents;
 * unknown values are absent. */
#include "config.h"
#include "sysquery/map/map_resources.h"

#include <stdlib.h>
#include "common/jsonx.h"
#include "sysmap/database/map_documents.h"
#include "sysmap/database/planner_storage.h"

/* A document of this JSON type, or NULL. Caller puts. */
static struct json_object *document(struct slu_db *db, const char *host,
				    const char *extractor, json_type type)
{
	struct json_object *obj = NULL;
	struct slu_buf text = {0};

	if (slu_documents_read(db, host, extractor, &text, NULL) == 0)
		obj = slu_json_parse(text.data, text.len, NULL);
	slu_buf_free(&text);
	if (obj && json_object_is_type(obj, type))
		return obj;
	json_object_put(obj);
	return NULL;
}

/* The best one's names, and how much there is of all. */
static void add_storage(struct slu_db *db, const char *host,
			const struct slu_storage_choice *choice,
			struct json_object *row)
{
	struct slu_node_storage *device;
	uint64_t size = 0, available = 0;
	size_t n;

	if (slu_storage_devices(db, host, choice->choice, choice->each, &device,
				&n, NULL))
		return;
	for (size_t i = 0; i < n; i++) {
		size += device[i].size;
		available += device[i].available;
	}
	slu_json_set_str(row, "storage", device->path);
	slu_json_set_str(row, "filesystem", device->filesystem);
	if (device->tier)
		slu_json_set_str(row, "tier", slu_tier_names[device->tier]);
	slu_json_set_u64(row, "size", size);
	slu_json_set_u64(row, "available", available);
	free(device);
}

static uint64_t disk_bytes(struct json_object *disk)
{
	uint64_t bytes = 0, sectors = 0;

	slu_json_u64_opt(disk, "size", &sectors, NULL);
	bytes = sectors * 512; /* the original tool has no size_bytes */
	slu_json_u64_opt(disk, "size_bytes", &bytes, NULL);
	return bytes;
}

static void add_disks(struct slu_db *db, const char *host,
		      struct json_object *row)
{
	struct json_object *disks =
		document(db, host, "disks", json_type_array);
	struct json_object *disk;
	uint64_t bytes = 0, n = 0;
	bool removable;

	if (!disks)
		return;
	for (size_t i = 0; i < json_object_array_length(disks); i++) {
		disk = json_object_array_get_idx(disks, i);
		removable = false;
		slu_json_bool_opt(disk, "removable", &removable, NULL);
		if (removable)
			continue;
		bytes += disk_bytes(disk);
		n++;
	}
	slu_json_set_u64(row, "disks", n);
	slu_json_set_u64(row, "disk_bytes", bytes);
	json_object_put(disks);
}

static void add_memory(struct slu_db *db, const char *host,
		       struct json_object *row)
{
	struct json_object *memory =
		document(db, host, "memoryinfo", json_type_object);
	uint64_t total = 0;

	if (!memory)
		return;
	slu_json_u64_opt(memory, "TotalMemory", &total, NULL);
	slu_json_set_u64(row, "memory", total);
	json_object_put(memory);
}

static void add_cpus(struct slu_db *db, const char *host,
		     struct json_object *row)
{
	struct json_object *cpus =
		document(db, host, "cpuinfo", json_type_object);
	uint64_t n = 0, per_socket = 0, sockets = 0;

	if (!cpus)
		return;
	slu_json_u64_opt(cpus, "CoreCount", &n, NULL);
	slu_json_u64_opt(cpus, "CorePerSocket", &per_socket, NULL);
	slu_json_u64_opt(cpus, "SocketCount", &sockets, NULL);
	slu_json_set_u64(row, "cores", per_socket * sockets);
	slu_json_set_u64(row, "cpus", n);
	json_object_put(cpus);
}

static struct json_object *host_row(struct slu_db *db, const char *host,
				    const struct slu_storage_choice *choice)
{
	struct json_object *row = json_object_new_object();

	slu_json_set_str(row, "host", host);
	add_storage(db, host, choice, row);
	add_disks(db, host, row);
	add_memory(db, host, row);
	add_cpus(db, host, row);
	return row;
}

struct json_object *slu_query_summary(struct slu_db *db,
				      const struct slu_hosts *hosts,
				      const struct slu_storage_choice *choice,
				      struct slu_err *err)
{
	struct slu_rows *rows = slu_db_query(
		db, err, "SELECT Hostname FROM Hosttable ORDER BY HostID", "");
	struct json_object *list;
	const char *host;
	int ret;

	if (!rows)
		return NULL;
	list = json_object_new_array();
	while ((ret = slu_db_step(rows, err)) == 1) {
		host = slu_db_text(rows, 0);
		if (host &&
		    (!hosts || !hosts->n || slu_hosts_sorted_has(hosts, host)))
			json_object_array_add(list, host_row(db, host, choice));
	}
	slu_db_done(rows);
	if (ret == 0)
		return list;
	json_object_put(list);
	return NULL;
}

/* The entry of this host in the question's "choices"; *n: its length. Caller
 * frees; NULL: no memory. */
static struct slu_storage_choice *choices_of(struct json_object *choices,
					     const char *host, size_t *n)
{
	const size_t most = choices ? json_object_array_length(choices) : 0;
	struct slu_storage_choice *out = calloc(most + 1, sizeof(*out));

	*n = 0;
	for (size_t i = 0; out && i < most; i++) {
		struct json_object *one = json_object_array_get_idx(choices, i);
		const char *nodes = NULL;
		struct slu_hosts hosts = {0};

		slu_json_str_opt(one, "nodes", &nodes, NULL);
		slu_json_bool_opt(one, "each", &out[*n].each, NULL);
		slu_json_str_opt(one, "spread", &out[*n].spread, NULL);
		if (slu_json_str(one, "for", &out[*n].who, NULL) ||
		    slu_json_str(one, "choice", &out[*n].choice, NULL) ||
		    (nodes && slu_hosts_parse(nodes, &hosts, NULL)))
			continue;
		if (!nodes || slu_hosts_find(&hosts, host) >= 0)
			++*n;
		slu_hosts_free(&hosts);
	}
	return out;
}

static int explain(struct slu_db *db, const char *host,
		   struct json_object *choices, struct json_object *out,
		   struct slu_err *err)
{
	const struct slu_storage_choice usual = {.who = "NodeStorage",
						 .choice = "auto"};
	size_t n;
	struct slu_storage_choice *all = choices_of(choices, host, &n);
	int rc;

	if (!all)
		return slu_err(err, SLU_NOMEM, "out of memory");
	rc = slu_storage_explain(db, host, choices ? all : &usual,
				 choices ? n : 1, out, err);
	free(all);
	return rc;
}

struct json_object *slu_query_storage(struct slu_db *db,
				      const struct slu_hosts *hosts,
				      struct json_object *choices,
				      struct slu_err *err)
{
	struct json_object *out = json_object_new_array();

	if (!json_object_is_type(choices, json_type_array))
		choices = NULL;
	for (size_t i = 0; i < hosts->n; i++) {
		if (explain(db, hosts->name[i], choices, out, err) == 0)
			continue;
		json_object_put(out);
		return NULL;
	}
	return out;
}
