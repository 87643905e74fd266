/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_MAP_SLURMCONF_CHECK_H
#define SLU_SYSQUERY_MAP_SLURMCONF_CHECK_H

/*
 * The resource map against slurm.conf. What is compared: the arrangement of
 * processors, RealMemory and TmpDisk (MiB), GPUs in Gres, and those Features
 * that say something the map knows: flags of the processor (avx512f), its
 * vendor (intel, amd), nvme, ssd, gpu, ib.
 */

#include <json-c/json.h>
#include "store/db.h"

/*
 * conf: what slu_slurmconf_read() gave. The answer is an array of
 * {nodes, severity, key, conf, map, change}: what slurm.conf says, what the
 * map says, and what to write. severity: "wrong" (Slurm will refuse or drain
 * the nodes, or promise what they do not have), or "hint" (they have more, or
 * one of the two does not know them). Nodes with the same finding are one host
 * list. SLU_INVALID: conf is not what it should be. Caller puts.
 */
struct json_object *slu_query_check(struct slu_db *db, struct json_object *conf,
				    struct slu_err *err);

#endif
