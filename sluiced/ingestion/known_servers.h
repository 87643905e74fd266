/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_INGESTION_KNOWN_SERVERS_H
#define SLU_SLUICED_INGESTION_KNOWN_SERVERS_H

/*
 * Holds what each server of Lustre has reported of the bandwidth that it
 * reaches (server_capacity.h).
 */

#include <stddef.h>
#include <stdint.h>
#include "select_io/bandwidth/reached.h"

#define SLU_FS_NAME 64

struct slu_server_capacity { /* from {0} */
	struct slu_known_server {
		char *name;
		double came; /* slu_now_mono() */
		uint32_t targets, degraded;
		struct slu_reached reached;
	} * server;
	size_t n;
	double told;	/* when slurmctld was */
	unsigned scope; /* IOScope, of which it is */
	/* File systems whose targets were reported; "": none, and no second */
	char fs[2][SLU_FS_NAME];
};

#endif
