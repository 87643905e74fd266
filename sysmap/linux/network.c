/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads network interfaces, their addresses, and the ports of InfiniBand
 * adapters. Virtual interfaces come and go with jobs and containers, so only
 * hardware, bonds and VLANs are listed. Addresses differ on every node and are
 * in a document of their own.
 */
#include "config.h"
#include "sysmap/linux/linux.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/jsonx.h"
#include "sysmap/linux/pci.h"
#include "sysmap/linux/procs.h"

#define NET	  "sys/class/net"
#define IB	  "sys/class/infiniband"

#define INET6_MAX (64u << 10) /* bytes of /proc/net/if_inet6 */
#define NETS_MAX  1024	      /* interfaces with addresses */

enum { ARPHRD_ETHERNET_ = 1, ARPHRD_INFINIBAND_ = 32 };

/* The type of an interface; NULL: it is not listed. */
static const char *type_of(const struct slu_root *root, const char *name)
{
	uint64_t type = 0;

	slu_root_number(root, &type, NET "/%s/type", name);
	if (slu_root_exists(root, NET "/%s/bonding/mode", name))
		return "bond";
	if (slu_root_exists(root, "proc/net/vlan/%s", name))
		return "vlan";
	if (!slu_root_exists(root, NET "/%s/device", name))
		return NULL;
	if (type == ARPHRD_INFINIBAND_)
		return "infiniband";
	return type == ARPHRD_ETHERNET_ ? "ethernet" : NULL;
}

static void add_interface(const struct slu_root *root, const char *name,
			  struct json_object *out)
{
	struct slu_network_device device = {.name = name,
					    .type = type_of(root, name)};
	struct slu_pci pci;
	char state[32];

	if (!device.type)
		return;
	if (!slu_pci_of(root, &pci, NET "/%s", name))
		slu_root_link(root, pci.driver, sizeof(pci.driver),
			      NET "/%s/device/driver", name);
	slu_root_attr(root, state, sizeof(state), NET "/%s/operstate", name);
	slu_root_signed(root, &device.speed, NET "/%s/speed", name);
	slu_root_number(root, &device.mtu, NET "/%s/mtu", name);
	device.state = state;
	device.place = slu_pci_place(&pci);
	slu_network_device_add(out, &device);
}

int slu_linux_network(const struct slu_root *root, struct json_object **out,
		      struct slu_err *err)
{
	char **names = slu_root_list(root, NET, err);

	if (!names)
		return -1;
	*out = json_object_new_array();
	for (char **name = names; *name; name++)
		add_interface(root, slu_printable(*name), *out);
	slu_strv_free(names);
	return 0;
}

/* The word of "4: ACTIVE". */
static const char *word(char *text)
{
	char *colon = strchr(text, ':');

	return colon ? slu_trim(colon + 1) : text;
}

#define ATTR(buf, ...) slu_root_attr(root, buf, sizeof(buf), __VA_ARGS__)

static void add_port(const struct slu_root *root, const char *name,
		     const char *number, struct json_object *out)
{
	char type[64], board[64], firmware[64], layer[32], state[32], phys[32],
		rate[64];
	struct slu_ib_port port = {.device = name,
				   .port = (uint32_t)strtoul(number, NULL, 10),
				   .type = type,
				   .board = board,
				   .firmware = firmware,
				   .link_layer = layer,
				   .rate = rate};
	struct slu_pci pci;

	ATTR(type, IB "/%s/hca_type", name);
	ATTR(board, IB "/%s/board_id", name);
	ATTR(firmware, IB "/%s/fw_ver", name);
	ATTR(layer, IB "/%s/ports/%s/link_layer", name, number);
	ATTR(state, IB "/%s/ports/%s/state", name, number);
	ATTR(phys, IB "/%s/ports/%s/phys_state", name, number);
	ATTR(rate, IB "/%s/ports/%s/rate", name, number);
	port.state = word(state);
	port.physical_state = word(phys);
	slu_pci_of(root, &pci, IB "/%s", name);
	port.place = slu_pci_place(&pci);
	slu_ib_port_add(out, &port);
}

/* Calls `call` for each port of each adapter. */
static int each_port(const struct slu_root *root,
		     void (*call)(const struct slu_root *root, const char *name,
				  const char *number, struct json_object *out),
		     struct json_object *out, struct slu_err *err)
{
	char **names = slu_root_list(root, IB, err), **ports;
	char path[512];

	if (!names)
		return -1;
	for (char **name = names; *name; name++) {
		snprintf(path, sizeof(path), IB "/%s/ports", *name);
		ports = slu_root_list(root, path, NULL);
		slu_printable(*name);
		for (char **port = ports; port && *port; port++)
			call(root, *name, *port, out);
		slu_strv_free(ports);
	}
	slu_strv_free(names);
	return 0;
}

int slu_linux_infiniband(const struct slu_root *root, struct json_object **out,
			 struct slu_err *err)
{
	struct json_object *array = json_object_new_array();

	/* without adapters there is no such class: a valid result */
	if (each_port(root, add_port, array, err) &&
	    !slu_root_exists(root, "sys/class")) {
		json_object_put(array);
		return -1;
	}
	*out = array;
	return 0;
}

/* Port GUID: the second half of its first GID, "fe80:0000:0000:0000:GUID". */
static void add_guid(const struct slu_root *root, const char *name,
		     const char *number, struct json_object *out)
{
	struct json_object *obj;
	char gid[64], guid[17], port[128];

	if (!ATTR(gid, IB "/%s/ports/%s/gids/0", name, number) ||
	    strlen(gid) != 39)
		return;
	snprintf(guid, sizeof(guid), "%.4s%.4s%.4s%.4s", gid + 20, gid + 25,
		 gid + 30, gid + 35);
	snprintf(port, sizeof(port), "%.96s/%.16s", name, number);
	obj = json_object_new_object();
	slu_json_set_str(obj, "name", port);
	slu_json_set_str(obj, "guid", guid);
	json_object_array_add(out, obj);
}

/* The current IPv4 addresses. */
static void add_ipv4(const struct ifaddrs *addrs, const char *name,
		     struct json_object *list)
{
	const struct sockaddr_in *in;
	char text[INET_ADDRSTRLEN];

	for (; addrs; addrs = addrs->ifa_next) {
		in = (const struct sockaddr_in *)(const void *)addrs->ifa_addr;
		if (!in || in->sin_family != AF_INET ||
		    strcmp(addrs->ifa_name, name) != 0)
			continue;
		inet_ntop(AF_INET, &in->sin_addr, text, sizeof(text));
		json_object_array_add(list, json_object_new_string(text));
	}
}

/* Permanent addresses of /proc/net/if_inet6: temporary ones change daily. */
static void add_ipv6(char *table, const char *name, struct json_object *list)
{
	struct slu_inet6 one;
	char text[INET6_ADDRSTRLEN];

	while (table && slu_inet6_next(&table, &one)) {
		if (strcmp(one.interface, name) != 0 || one.temporary)
			continue;
		inet_ntop(AF_INET6, one.address, text, sizeof(text));
		json_object_array_add(list, json_object_new_string(text));
	}
}

static void list_opt(struct json_object *obj, const char *key,
		     struct json_object *list)
{
	if (json_object_array_length(list))
		json_object_object_add(obj, key, list);
	else
		json_object_put(list);
}

static void add_addresses(const struct slu_root *root, const char *name,
			  const struct ifaddrs *addrs, const char *inet6,
			  struct json_object *out)
{
	struct json_object *obj = json_object_new_object();
	struct json_object *ipv4 = json_object_new_array();
	struct json_object *ipv6 = json_object_new_array();
	char *table = strdup(inet6 ? inet6 : "");
	char mac[96];

	slu_json_set_str(obj, "name", name);
	if (ATTR(mac, NET "/%s/address", name))
		slu_json_set_str(obj, "mac", mac);
	add_ipv4(addrs, name, ipv4);
	add_ipv6(table, name, ipv6);
	list_opt(obj, "ipv4", ipv4);
	list_opt(obj, "ipv6", ipv6);
	json_object_array_add(out, obj);
	free(table);
}

int slu_linux_addresses(const struct slu_root *root, struct json_object **out,
			struct slu_err *err)
{
	char **names = slu_root_list(root, NET, err);
	struct ifaddrs *addrs = NULL;
	struct slu_buf inet6 = {0};

	if (!names)
		return -1;
	if (root->live && getifaddrs(&addrs))
		addrs = NULL;
	slu_root_read(root, "proc/net/if_inet6", INET6_MAX, &inet6, NULL);
	*out = json_object_new_array();
	for (char **name = names;
	     *name && json_object_array_length(*out) < NETS_MAX; name++)
		if (type_of(root, slu_printable(*name)))
			add_addresses(root, *name, addrs, inet6.data, *out);
	each_port(root, add_guid, *out, NULL);
	slu_strv_free(names);
	slu_buf_free(&inet6);
	if (addrs)
		freeifaddrs(addrs);
	return 0;
}
