/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_MAP_SLURMCONF_H
#define SLU_SYSQUERY_MAP_SLURMCONF_H

/*
 * What slurm.conf says about nodes, read from the file itself: NodeName lines
 * with host lists, those of DEFAULT applied to what follows them, and TmpFS, in
 * files as common/slurmfile.h reads them. No program of Slurm is run.
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
