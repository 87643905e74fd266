/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_INFINIBAND_SOURCES_H
#define SLU_SYSMAP_INFINIBAND_SOURCES_H

/*
 * Sources of the fabric's documents, each a slu_source_f (sysmap/extract.h):
 * "recorded" reads a file with the output of ibnetdiscover, "swept" runs it now
 * (only on the live machine; as root on a node with an adapter). It runs the
 * program instead of using its library, because the library ends the process on
 * errors.
 */

#include <json-c/json.h>
#include "sysmap/root.h"

#define SLU_FABRIC_RECORDED "var/lib/sluice/ibnetdiscover"

int slu_fabric_hosts_recorded(const struct slu_root *root,
			      struct json_object **out, struct slu_err *err);
int slu_fabric_hosts_swept(const struct slu_root *root,
			   struct json_object **out, struct slu_err *err);
int slu_fabric_switches_recorded(const struct slu_root *root,
				 struct json_object **out, struct slu_err *err);
int slu_fabric_switches_swept(const struct slu_root *root,
			      struct json_object **out, struct slu_err *err);
int slu_fabric_connections_recorded(const struct slu_root *root,
				    struct json_object **out,
				    struct slu_err *err);
int slu_fabric_connections_swept(const struct slu_root *root,
				 struct json_object **out, struct slu_err *err);
int slu_topology_recorded(const struct slu_root *root, struct json_object **out,
			  struct slu_err *err);
int slu_topology_swept(const struct slu_root *root, struct json_object **out,
		       struct slu_err *err);
/* from Slurm's topology.conf */
int slu_topology_slurm(const struct slu_root *root, struct json_object **out,
		       struct slu_err *err);

#endif
