/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_FORWARDER_MAPPING_H
#define SLU_NODE_FORWARDER_MAPPING_H

/* Reads the jobs of MappingDir/mapping.json (written by
 * sluiced/publication/mapfiles.h) for the forwarders. */

#include <stdint.h>
#include "common/err.h"

#define SLU_FWD_MAPPING "mapping.json"

struct json_object;

/* Calls fn for each job; fn stops that with -1 and an error. SLU_IO,
 * SLU_INVALID, SLU_NOMEM: jobs before the error were passed. */
typedef int slu_fwd_mapping_f(void *arg, struct json_object *job,
			      uint32_t job_id, struct slu_err *err);
int slu_fwd_mapping_each(const char *path, slu_fwd_mapping_f *fn, void *arg,
			 struct slu_err *err);

#endif
