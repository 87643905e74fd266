/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_NODE_FORWARDER_MAPPING_H
#define SLU_NODE_FORWARDER_MAPPING_H

/* The jobs of MappingDir/mapping.json (sluiced/publication/mapfiles.h), as
 * forwarders read it. */

#include <stdint.h>
#include "common/err.h"

#define SLU_FWD_MAPPING "mapping.json"

struct json_object;

/* Call fn with each job; it may stop that by -1 and its error. SLU_IO,
 * SLU_INVALID, SLU_NOMEM: as far as it came. */
typedef int slu_fwd_mapping_f(void *arg, struct json_object *job,
			      uint32_t job_id, struct slu_err *err);
int slu_fwd_mapping_each(const char *path, slu_fwd_mapping_f *fn, void *arg,
			 struct slu_err *err);

#endif
