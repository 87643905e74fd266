/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_RESOURCES_H
#define SLU_SYSQUERY_RESOURCES_H

/*
 * Questions about the resource map, answered as JSON. They only read, and
 * work on a database that the original tool wrote. hosts NULL or empty: all;
 * extractors NULL or empty: all (else a NULL-ended list). What is not known
 * adds nothing. *out is added to.
 */

#include <json-c/json.h>
#include "common/hostlist.h"
#include "common/str.h"
#include "store/db.h"

/* {"host":{"extractor":DATA,...},...}, DATA being the stored text unchanged,
 * hosts in the order of HostID, extractors in that of EID: what the original
 * tool printed. */
int slu_query_resources(struct slu_db *db, const struct slu_hosts *hosts,
			char *const *extractors, struct slu_buf *out,
			struct slu_err *err);

/* Who has what, a flat object per host: host, storage (where job file systems
 * would live, see slu_storage_find), filesystem, size, available, disks,
 * disk_bytes, memory, cores, cpus. Caller puts. */
struct json_object *slu_query_summary(struct slu_db *db,
				      const struct slu_hosts *hosts,
				      struct slu_err *err);

/* {host, documents, since, last_seen}, {extractor, documents, hosts}: objects
 * in an array; the times only where we wrote them. Caller puts. */
struct json_object *slu_query_hosts(struct slu_db *db,
				    const struct slu_hosts *hosts,
				    struct slu_err *err);
struct json_object *slu_query_extractors(struct slu_db *db,
					 struct slu_err *err);

#endif
