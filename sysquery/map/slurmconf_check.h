/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_MAP_SLURMCONF_CHECK_H
#define SLU_SYSQUERY_MAP_SLURMCONF_CHECK_H

/*
 * Compares slurm.conf with the resource map: the arrangement of processors,
 * RealMemory and TmpDisk (MiB), GPUs in Gres, and those Features that the map
 * can check: flags of the processor (avx512f), its vendor (intel, amd), nvme,
 * ssd, gpu, ib.
 */

#include <json-c/json.h>
#include "store/db.h"

/*
 * conf: the result of slu_slurmconf_read(). The answer is an array of {nodes,
 * severity, key, conf, map, change}: the value in slurm.conf, the value in the
 * map, and what to write instead. severity: "wrong" (Slurm will refuse or drain
 * the nodes, or allocate what they do not have), or "hint" (they have more, or
 * are missing in one of the two). Nodes with the same finding are one host
 * list. SLU_INVALID: conf has another form. Caller puts.
 */
struct json_object *slu_slurmconf_check(struct slu_db *db,
					struct json_object *conf,
					struct slu_err *err);

#endif
