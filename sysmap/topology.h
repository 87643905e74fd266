/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_TOPOLOGY_H
#define SLU_SYSMAP_TOPOLOGY_H

/*
 * Represents the network's topology: which hosts are connected to which switch,
 * and which switches to each other. It is used for placement: a storage pool
 * per leaf switch (ADA-FS, section 5.2), I/O nodes near a job. In the resource
 * map it is the document "topology", an array with an element for each switch,
 *	{"switch":NAME,"level":0,"hosts":"n[1-40]","switches":["s1",...]}
 * "hosts" and "switches" are its neighbours, "level" is the distance to the
 * nearest switch that has hosts. A host may be connected to several leaf
 * switches (one per rail). A topology may be read by several threads.
 */

#include <json-c/json.h>
#include "common/hostlist.h"
#include "store/db.h"
#include "sysmap/infiniband/fabric.h"
#include "sysmap/root.h"

#define SLU_TOPOLOGY_UNKNOWN UINT32_MAX

struct slu_switch {
	char *name; /* no two have the same */
	uint32_t level;
	struct slu_hosts hosts; /* connected to this switch directly */
	uint32_t *link;		/* indices of neighbouring switches */
	uint32_t n_links;
};

struct slu_topology {
	struct slu_switch *sw;
	uint32_t n;
	struct slu_topology_host *host; /* the index */
	size_t n_hosts;
};

/* Read a topology from, in this order: the newest document "topology" in a
 * resource database (of any host); such a document; an InfiniBand fabric; the
 * text of Slurm's topology.conf (which is modified); that file with its
 * Includes. SLU_NOTFOUND: the database or the file has none. Caller frees. */
int slu_topology_read(struct slu_db *db, struct slu_topology *out,
		      struct slu_err *err);
int slu_topology_of_json(struct json_object *document, struct slu_topology *out,
			 struct slu_err *err);
int slu_topology_of_fabric(const struct slu_fabric *fabric,
			   struct slu_topology *out, struct slu_err *err);
int slu_topology_of_conf(char *text, struct slu_topology *out,
			 struct slu_err *err);
int slu_topology_of_conf_file(const struct slu_root *root, const char *path,
			      struct slu_topology *out, struct slu_err *err);
void slu_topology_free(struct slu_topology *topology);

/* The document "topology"; caller puts. NULL without memory. */
struct json_object *slu_topology_json(const struct slu_topology *topology);

/* Index of a host's leaf switch (of several the first in the order of the
 * document), or SLU_TOPOLOGY_UNKNOWN. */
uint32_t slu_topology_leaf(const struct slu_topology *topology,
			   const char *host);

/* The number of switches on the shortest path from host a to host b: 0 for the
 * same host, 1 with a common leaf switch, ...; SLU_TOPOLOGY_UNKNOWN: a host is
 * not known or there is no path. Each call does a breadth-first search. */
uint32_t slu_topology_hops(const struct slu_topology *topology, const char *a,
			   const char *b);

/* The distance from `host` to every switch: far[i] is the number of switches on
 * the path before sw[i] (0: the host's own leaf switch), or
 * SLU_TOPOLOGY_UNKNOWN. far has room for t->n. -1 without memory. */
int slu_topology_far(const struct slu_topology *topology, const char *host,
		     uint32_t *far);

/* Divides hosts into groups by leaf switch, numbered in the order of their
 * first hosts: group[i] is that of host[i]; unknown hosts form one group.
 * Returns how many there are, SLU_TOPOLOGY_UNKNOWN without memory. */
uint32_t slu_topology_groups(const struct slu_topology *topology,
			     char *const *host, size_t n, uint32_t *group);

/* For the functions that read topologies: they fill in the switches with names
 * and hosts, add the links, and call slu_topology_finish(). */
struct slu_topology_host {
	const char *name; /* the switch's */
	uint32_t sw;
};

/* Adds one direction of a link; duplicates are allowed. */
int slu_topology_link(struct slu_topology *t, uint32_t a, uint32_t b,
		      struct slu_err *err);
/* Computes the levels, sorts the links, and makes the index of hosts. */
int slu_topology_finish(struct slu_topology *t, struct slu_err *err);

#endif
