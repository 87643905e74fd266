/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_FABRIC_H
#define SLU_SYSMAP_FABRIC_H

/*
 * Parses an InfiniBand fabric as ibnetdiscover(8) prints it: switches, hosts'
 * adapters, routers, and the cables between their ports. LIDs are ignored,
 * because the subnet manager may assign others at its next start.
 */

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/err.h"

enum slu_fabric_kind { SLU_FABRIC_SWITCH, SLU_FABRIC_HOST, SLU_FABRIC_ROUTER };

struct slu_fabric_node {
	enum slu_fabric_kind kind;
	const char *guid;	 /* 16 hexadecimal digits */
	const char *description; /* as its owner set it */
	uint32_t ports;
};

struct slu_fabric_link {
	const char *guid, *peer; /* of the nodes at both ends */
	uint32_t port, peer_port;
	const char *width; /* 4xNDR; "": unknown */
};

/* Strings point into the text that was parsed. Nodes are sorted by GUID; so are
 * links, and each is there once, from the end with the smaller GUID. */
struct slu_fabric {
	struct slu_fabric_node *node;
	size_t n_nodes;
	struct slu_fabric_link *link;
	size_t n_links;
};

/* Parses the text in place, which must live as long as the fabric; lines of
 * another form are skipped. SLU_INVALID if no node is described. */
int slu_fabric_parse(char *text, struct slu_fabric *out, struct slu_err *err);
void slu_fabric_free(struct slu_fabric *fabric);

/* NULL: none. */
const struct slu_fabric_node *slu_fabric_find(const struct slu_fabric *fabric,
					      const char *guid);

/* The host that an adapter's description names ("n17 HCA-1", "n17 mlx5_0" or
 * "n17") and its device ("" in the last case). False: it names none, for
 * example if the description was never set, or for a switch's own port. */
bool slu_fabric_host(const char *description, char host[256], char device[64]);

/* The documents; new arrays. */
struct json_object *slu_fabric_hosts(const struct slu_fabric *fabric);
struct json_object *slu_fabric_switches(const struct slu_fabric *fabric);
struct json_object *slu_fabric_connections(const struct slu_fabric *fabric);

#endif
