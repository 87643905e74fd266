/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Chooses the NUMA node of a file system's server (server_numa.h) by the
 * documents "numa", "mountpoints", "networkdevices" and "networkaddresses". */
#include "config.h"
#include "sysmap/database/server_numa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"
#include "common/str.h"
#include "sysmap/database/map_documents.h"
#include "sysmap/database/planner_storage.h"

#define NODES_MAX    1024
#define NOWHERE	     SIZE_MAX
#define DISTANCE_MAX 255 /* of the firmware: unreachable */

static const char *get(struct json_object *obj, const char *key)
{
	const char *value = NULL;

	slu_json_str_opt(obj, key, &value, NULL);
	return value ? value : "";
}

static struct json_object *list(struct json_object *obj, const char *key)
{
	struct json_object *array = NULL;

	return json_object_object_get_ex(obj, key, &array) &&
			       json_object_is_type(array, json_type_array)
		       ? array
		       : NULL;
}

/* Is the device the disk, or a partition of it (sda1, or nvme0n1p1 if the
 * disk's name ends in a digit)? */
static bool is_of_disk(const char *device, const char *disk)
{
	const char *rest;
	size_t n = strlen(disk);

	if (!n || strncmp(device, disk, n) != 0)
		return false;
	rest = device + n;
	if (*rest && rest[-1] >= '0' && rest[-1] <= '9' && *rest++ != 'p')
		return false;
	return rest[strspn(rest, "0123456789")] == '\0';
}

static bool is_network(const char *name, const char *listed)
{
	return strcmp(name, listed) == 0;
}

/* Index of the node whose list `key` has the name. */
static size_t node_of(struct json_object *numa, const char *key,
		      const char *name,
		      bool (*is)(const char *name, const char *listed))
{
	size_t n = json_object_array_length(numa);

	for (size_t i = 0; name && *name && i < n; i++) {
		struct json_object *names =
			list(json_object_array_get_idx(numa, i), key);

		for (size_t k = 0; names && k < json_object_array_length(names);
		     k++) {
			const char *one = json_object_get_string(
				json_object_array_get_idx(names, k));

			if (one && is(name, one))
				return i;
		}
	}
	return NOWHERE;
}

/* The firmware's distance: 10 to itself. */
static int64_t distance(struct json_object *numa, size_t from, size_t to)
{
	struct json_object *row;
	int64_t value;

	if (from == NOWHERE)
		return 0;
	row = list(json_object_array_get_idx(numa, from), "distances");
	if (!row || to >= json_object_array_length(row))
		return from == to ? 10 : 20;
	value = json_object_get_int64(json_object_array_get_idx(row, to));
	if (value < 0)
		return 0;
	return value < DISTANCE_MAX ? value : DISTANCE_MAX;
}

static size_t best_node(struct json_object *numa, size_t disk, size_t net,
			bool far)
{
	size_t n = json_object_array_length(numa), best = NOWHERE;
	int64_t least[2] = {0, 0}, cost[2];

	for (size_t i = 0; i < n; i++) {
		if (!*get(json_object_array_get_idx(numa, i), "cpus"))
			continue;
		cost[1] = distance(numa, disk, i);
		cost[0] = cost[1] + distance(numa, net, i);
		if (far) {
			cost[0] = -cost[0];
			cost[1] = -cost[1];
		}
		if (best == NOWHERE || cost[0] < least[0] ||
		    (cost[0] == least[0] && cost[1] < least[1])) {
			best = i;
			memcpy(least, cost, sizeof(cost));
		}
	}
	return best;
}

static const char *base(const char *device)
{
	const char *slash = device ? strrchr(device, '/') : NULL;

	return slash ? slash + 1 : device;
}

int slu_numa_choose(struct json_object *numa, const char *device,
		    const char *network, bool far, struct slu_numa_place *out,
		    struct slu_err *err)
{
	size_t n = json_object_array_length(numa), disk, net, best;
	struct slu_numa_place place;
	uint64_t number = 0;

	if (n < 2 || n > NODES_MAX)
		return slu_err(err, SLU_NOTFOUND, "%zu NUMA nodes", n);
	disk = node_of(numa, "disks", base(device), is_of_disk);
	net = node_of(numa, "networks", network, is_network);
	best = best_node(numa, disk, net, far);
	if ((disk == NOWHERE && net == NOWHERE) || best == NOWHERE)
		return slu_err(err, SLU_NOTFOUND,
			       "neither the disk nor the network is at a known "
			       "NUMA node");
	slu_json_u64_opt(json_object_array_get_idx(numa, best), "node", &number,
			 NULL);
	snprintf(place.why, sizeof(place.why),
		 "NUMA node %llu, %s %.64s%s%.64s", (unsigned long long)number,
		 far ? "far from" : "near", disk != NOWHERE ? base(device) : "",
		 disk != NOWHERE && net != NOWHERE ? " and " : "",
		 net != NOWHERE ? network : "");
	if (!slu_copy(place.cpus, sizeof(place.cpus),
		      get(json_object_array_get_idx(numa, best), "cpus")))
		return slu_err(err, SLU_INVALID, "a list of CPUs is too long");
	*out = place;
	return 0;
}

/* The interface with this address, or NULL. */
static const char *by_address(struct json_object *addresses, const char *addr)
{
	size_t n = addresses ? json_object_array_length(addresses) : 0;

	for (size_t i = 0; i < n; i++) {
		struct json_object *one =
			json_object_array_get_idx(addresses, i);
		struct json_object *v4 = list(one, "ipv4");

		for (size_t k = 0; v4 && k < json_object_array_length(v4);
		     k++) {
			const char *text = json_object_get_string(
				json_object_array_get_idx(v4, k));
			size_t len = text ? strcspn(text, "/") : 0;

			if (len && len == strlen(addr) &&
			    strncmp(text, addr, len) == 0)
				return get(one, "name");
		}
	}
	return NULL;
}

static const char *fastest(struct json_object *devices)
{
	size_t n = devices ? json_object_array_length(devices) : 0;
	const char *name = NULL;
	int64_t most = -1, speed;

	for (size_t i = 0; i < n; i++) {
		struct json_object *one = json_object_array_get_idx(devices, i);

		speed = 0;
		slu_json_i64_opt(one, "speed_mbits", &speed, NULL);
		if (strcmp(get(one, "state"), "up") == 0 && speed > most) {
			most = speed;
			name = get(one, "name");
		}
	}
	return name;
}

int slu_numa_find(struct slu_db *db, const char *host, const char *path,
		  const char *addr, bool far, struct slu_numa_place *out,
		  struct slu_err *err)
{
	struct json_object *numa = slu_documents_array(db, host, "numa", err),
			   *devices, *addresses;
	struct slu_node_storage at = {.device = ""};
	const char *name;
	int rc;

	if (!numa)
		return -1;
	devices = slu_documents_array(db, host, "networkdevices", NULL);
	addresses = slu_documents_array(db, host, "networkaddresses", NULL);
	name = by_address(addresses, addr);
	if (slu_storage_at(db, host, path, &at, NULL))
		*at.device = '\0';
	rc = slu_numa_choose(numa, at.device, name ? name : fastest(devices),
			     far, out, err);
	json_object_put(numa);
	json_object_put(devices);
	json_object_put(addresses);
	return rc;
}
