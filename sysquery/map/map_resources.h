/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SYSQUERY_MAP_MAP_RESOURCES_H
#define SLU_SYSQUERY_MAP_MAP_RESOURCES_H

/*
 * Answers questions about the resource map as JSON: the documents of hosts,
 * their storage, the lists of hosts and extractors. Only reads, also a database
 * of the original sysmap (of the ADA-FS project). hosts: NULL or empty: all,
 * else sorted by slu_hosts_sort(); extractors NULL or empty: all (else a
 * NULL-ended list). Unknown hosts and extractors add nothing.
 */

#include <json-c/json.h>
#include "common/hostlist.h"
#include "common/str.h"
#include "store/db.h"

/* Takes the next piece of an answer, which is only valid during the call; 0, or
 * -1 to stop. */
typedef int slu_piece_f(void *arg, const void *data, size_t len,
			struct slu_err *err);

/* {"host":{"extractor":DATA,...},...}, DATA being the stored text unchanged,
 * hosts in the order of HostID, extractors in that of EID: what the original
 * tool printed. `piece` is called for each piece; before an error it may have
 * got some of them. All data is from one transaction. */
int slu_query_resources(struct slu_db *db, const struct slu_hosts *hosts,
			char *const *extractors, slu_piece_f *piece, void *arg,
			struct slu_err *err);

struct slu_storage_choice;
/* The resources of each host, a flat object per host: host, storage (where job
 * file systems would live by this choice of NodeStorage, the best of
 * slu_storage_devices()), filesystem, tier, size and available (of all of
 * these), disks, disk_bytes, memory, cores, cpus. Caller puts. */
struct json_object *slu_query_summary(struct slu_db *db,
				      const struct slu_hosts *hosts,
				      const struct slu_storage_choice *choice,
				      struct slu_err *err);

/* Each file system of these hosts, and which choice selects it or why none does
 * (see slu_storage_explain). choices: [{"for": WHO, "choice": LIST, "each":
 * BOOL, "spread": FILE SYSTEMS (if any), "nodes": HOSTS (if not all)}, ...];
 * NULL: NodeStorage=auto.
 * SLU_NOTFOUND: a host is not in the map. Caller puts. */
struct json_object *slu_query_storage(struct slu_db *db,
				      const struct slu_hosts *hosts,
				      struct json_object *choices,
				      struct slu_err *err);

/* {host, documents, since, last_seen}, {extractor, documents, hosts}: objects
 * in an array; the times only for documents that we have written. Caller puts.
 */
struct json_object *slu_query_hosts(struct slu_db *db,
				    const struct slu_hosts *hosts,
				    struct slu_err *err);
struct json_object *slu_query_extractors(struct slu_db *db,
					 struct slu_err *err);

#endif
