/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Converts a fabric to the documents "hosts", "switches" and "connections". */
#include "config.h"
#include "sysmap/infiniband/fabric.h"

#include <stdio.h>
#include <string.h>
#include "common/jsonx.h"
#include "common/str.h"

#define HOST_CHARS                                             \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" \
	"0123456789-_."

/* "HCA-1", "mlx5_0", "hfi1_0" */
static bool is_device(const char *word)
{
	size_t len = strlen(word), digits = 0;

	while (digits < len && word[len - 1 - digits] >= '0' &&
	       word[len - 1 - digits] <= '9')
		digits++;
	return digits && len - digits >= 2 && len < 64 &&
	       strchr("-_", word[len - digits - 1]);
}

bool slu_fabric_host(const char *text, char host[256], char device[64])
{
	char copy[256], *word[3];
	size_t n;

	if (!slu_copy(copy, sizeof(copy), text))
		return false;
	n = slu_split(copy, " \t", word, 3);
	if (n < 1 || n > 2 || (n == 2 && !is_device(word[1])))
		return false;
	if (word[0][strspn(word[0], HOST_CHARS)] || strchr("-.", word[0][0]) ||
	    strcmp(word[0], "localhost") == 0)
		return false;
	word[0][strcspn(word[0], ".")] = '\0';
	snprintf(host, 256, "%s", word[0]);
	snprintf(device, 64, "%s", n == 2 ? word[1] : "");
	return true;
}

struct json_object *slu_fabric_hosts(const struct slu_fabric *fabric)
{
	struct json_object *array = json_object_new_array(), *obj;
	const struct slu_fabric_node *node = fabric->node;
	char host[256], device[64];

	for (; node < fabric->node + fabric->n_nodes; node++) {
		if (node->kind != SLU_FABRIC_HOST)
			continue;
		obj = json_object_new_object();
		if (slu_fabric_host(node->description, host, device)) {
			slu_json_set_str(obj, "host", host);
			if (*device)
				slu_json_set_str(obj, "device", device);
		}
		slu_json_set_str(obj, "guid", node->guid);
		slu_json_set_str(obj, "description", node->description);
		slu_json_set_u64(obj, "ports", node->ports);
		json_object_array_add(array, obj);
	}
	return array;
}

struct json_object *slu_fabric_switches(const struct slu_fabric *fabric)
{
	struct json_object *array = json_object_new_array(), *obj;
	const struct slu_fabric_node *node = fabric->node;

	for (; node < fabric->node + fabric->n_nodes; node++) {
		if (node->kind != SLU_FABRIC_SWITCH)
			continue;
		obj = json_object_new_object();
		slu_json_set_str(obj, "guid", node->guid);
		slu_json_set_str(obj, "description", node->description);
		slu_json_set_u64(obj, "ports", node->ports);
		json_object_array_add(array, obj);
	}
	return array;
}

struct json_object *slu_fabric_connections(const struct slu_fabric *fabric)
{
	struct json_object *array = json_object_new_array(), *obj;
	const struct slu_fabric_link *link = fabric->link;

	for (; link < fabric->link + fabric->n_links; link++) {
		obj = json_object_new_object();
		slu_json_set_str(obj, "guid", link->guid);
		slu_json_set_u64(obj, "port", link->port);
		slu_json_set_str(obj, "peer_guid", link->peer);
		slu_json_set_u64(obj, "peer_port", link->peer_port);
		if (*link->width)
			slu_json_set_str(obj, "link", link->width);
		json_object_array_add(array, obj);
	}
	return array;
}
