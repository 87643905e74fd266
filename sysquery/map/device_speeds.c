/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the speeds from the documents "storagespeed", "networkdevices" and
 * "infiniband". */
#include "config.h"
#include "sysquery/map/device_speeds.h"

#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"
#include "common/str.h"
#include "sysmap/database/map_documents.h"
#include "sysmap/database/planner_storage.h"

#define BITS 8

/* A document with one object or several; *out NULL: the host has no valid one.
 */
static int read_document(struct slu_db *db, const char *host, const char *name,
			 struct json_object **out, struct slu_err *err)
{
	struct slu_buf text = {0};
	int rc = slu_documents_read(db, host, name, &text, err);

	*out = rc ? NULL : slu_json_parse(text.data, text.len, NULL);
	slu_buf_free(&text);
	return rc && err->kind != SLU_NOTFOUND ? -1 : 0;
}

static double number(struct json_object *obj, const char *key)
{
	double n = 0;

	slu_json_double_opt(obj, key, &n, NULL);
	return n > 0 ? n : 0;
}

static const char *text(struct json_object *obj, const char *key)
{
	const char *value = "";

	slu_json_str_opt(obj, key, &value, NULL);
	return value;
}

/* Adds the measured speed, if it was measured on this storage. */
static int add_storage(struct slu_db *db, const char *host, const char *storage,
		       struct slu_devices *sum, struct slu_err *err)
{
	struct json_object *trial;

	if (read_document(db, host, "storagespeed", &trial, err))
		return -1;
	if (json_object_is_type(trial, json_type_object) &&
	    (slu_eq(text(trial, "path"), storage) ||
	     slu_storage_same(db, host, text(trial, "path"), storage))) {
		sum->storage_write += number(trial, "write_bytes_per_s");
		sum->storage_read += number(trial, "read_bytes_per_s");
		sum->measured++;
	}
	json_object_put(trial);
	return 0;
}

/* The highest "speed_mbits" of devices that are up. */
static double fastest_device(struct json_object *list)
{
	struct json_object *one;
	double most = 0, speed;

	for (size_t i = 0; i < slu_json_length(list); i++) {
		one = json_object_array_get_idx(list, i);
		speed = number(one, "speed_mbits") * 1e6 / BITS;
		if (slu_eq(text(one, "state"), "up") && speed > most)
			most = speed;
	}
	return most;
}

/* The rate "100 Gb/sec (4X EDR)" of ports with state "4: ACTIVE" or "ACTIVE".
 */
static double fastest_port(struct json_object *list)
{
	struct json_object *one;
	double most = 0, speed;
	char *end;

	for (size_t i = 0; i < slu_json_length(list); i++) {
		one = json_object_array_get_idx(list, i);
		speed = strtod(text(one, "rate"), &end) * 1e9 / BITS;
		if (strstr(text(one, "state"), "ACTIVE") && speed > most &&
		    strncmp(end, " Gb/sec", 7) == 0)
			most = speed;
	}
	return most;
}

static int add_network(struct slu_db *db, const char *host,
		       struct slu_devices *sum, struct slu_err *err)
{
	struct json_object *devices, *ports = NULL;
	double device, port;
	int rc;

	if (read_document(db, host, "networkdevices", &devices, err))
		return -1;
	rc = read_document(db, host, "infiniband", &ports, err);
	device = fastest_device(devices);
	port = fastest_port(ports);
	sum->network += device > port ? device : port;
	sum->linked += device > 0 || port > 0;
	json_object_put(devices);
	json_object_put(ports);
	return rc;
}

int slu_devices_add(struct slu_db *db, const char *host, const char *storage,
		    struct slu_devices *sum, struct slu_err *err)
{
	if (storage && add_storage(db, host, storage, sum, err))
		return -1;
	return add_network(db, host, sum, err);
}
