/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSMAP_INFINIBAND_SOURCES_H
#define SLU_SYSMAP_INFINIBAND_SOURCES_H

/*
 * Sources of the fabric's documents, each a slu_source_f (sysmap/extract.h):
 * "recorded" reads what ibnetdiscover printed into a file, "swept" runs it now
 * (only of the live machine; root on a node with an adapter). Sweeping goes
 * through the program and not its library, because that ends the process when
 * it meets an error.
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
