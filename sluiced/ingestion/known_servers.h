/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_INGESTION_KNOWN_SERVERS_H
#define SLU_SLUICED_INGESTION_KNOWN_SERVERS_H

/*
 * Holds what each server of Lustre has reported of the bandwidth that it
 * reaches, or of its metadata operations (server_capacity.h), by the file
 * systems that IOBandwidth and IOMetadata name.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/conf.h"
#include "select_io/bandwidth/reached.h"

/* A target that a server has reported last. */
struct slu_known_target {
	char name[24]; /* "fs-OST001a"; "": not known */
	bool degraded;
};

struct slu_fs_servers {
	char fs[SLU_FS_NAME]; /* whose targets count; "": all */
	struct slu_known_server {
		char *name;
		double came; /* slu_now_mono() */
		/* Each named one is only with the server that reported it
		 * last: it may have failed over. */
		struct slu_known_target *target;
		size_t n_targets;
		struct slu_reached reached;
	} * server;
	size_t n;
	double told;	/* when slurmctld was */
	unsigned scope; /* IOScope, of which it is; SLU_IO_OPS: metadata */
};

struct slu_server_capacity { /* from {0} */
	/* as in struct slu_conf: of OSTs, and of MDTs */
	struct slu_fs_servers bytes[SLU_IO_FS], metadata[SLU_IO_FS];
	/* File systems whose targets were reported, and no more; "" at the
	 * end. */
	char fs[SLU_IO_FS][SLU_FS_NAME];
	double since;		/* the first report; 0: none */
	bool missed[SLU_IO_FS]; /* logged: no target of it is reported */
};

#endif
