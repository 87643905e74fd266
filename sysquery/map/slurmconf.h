/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_MAP_SLURMCONF_H
#define SLU_SYSQUERY_MAP_SLURMCONF_H

/*
 * Reads the node definitions of slurm.conf from the file itself: NodeName lines
 * with host lists, the values of DEFAULT lines applied to the lines after them,
 * and TmpFS. Includes are followed as in common/slurmfile.h. No program of
 * Slurm is run.
 */

#include <json-c/json.h>
#include "common/err.h"

/* {"tmpfs":PATH,"nodes":[{"nodes":HOSTS,"line":"FILE:LINE", and, unchanged,
 * CPUs, Boards, Sockets, SocketsPerBoard, CoresPerSocket, ThreadsPerCore,
 * RealMemory, TmpDisk, Gres, Features},...]}: the arguments of
 * sysquery/map/slurmconf_check.h. Nodes whose State is FUTURE are left out.
 * Caller puts. */
struct json_object *slu_slurmconf_read(const char *path, struct slu_err *err);

/* The same from a text without Includes. */
struct json_object *slu_slurmconf_parse(const char *text, size_t len,
					struct slu_err *err);

#endif
