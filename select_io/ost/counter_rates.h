/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_OST_COUNTER_RATES_H
#define SLU_SELECT_IO_OST_COUNTER_RATES_H

/*
 * Computes the rates of Lustre's targets, and which targets the metadata
 * servers have closed, from two readings of their counters
 * (sysmap/lustre/counters.h), and adds them to a server's report.
 */

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "sysmap/lustre/counters.h"

/* What was read before, by target; start from {0}. Of more targets than these
 * there are no rates. */
#define SLU_STATS_TARGETS 256
struct slu_stats_meter {
	struct {
		char name[64];
		uint64_t value[2];
		double time;
	} target[SLU_STATS_TARGETS];
	size_t n;
};

/* Add to a target's object what its files below root say: of an OST the bytes
 * a second "read" and "write", of an MDT the requests a second "ops" and
 * "metadata" (those that job_stats counts, too), each since the reading before.
 * now: seconds of any clock. */
void slu_stats_ost(const char *root, const char *name, double now,
		   struct slu_stats_meter *meter, struct json_object *obj);
/* Every MDT of this server: [{"name":"fs-MDT0000","ops":12.5,"metadata":9,
 * "file_bytes":1048576}], the last what it takes of a file (Data-on-MDT); NULL:
 * there is none. Caller puts. */
struct json_object *slu_stats_mdts(const char *root, double now,
				   struct slu_stats_meter *meter);
/* The targets on which an MDT of this server makes no objects now, as the
 * administrator wants it or since it cannot: [{"name":"fs-OST0002",
 * "why":"max_create_count=0 on fs-MDT0000"}]; NULL: there is none. Caller
 * puts. */
struct json_object *slu_stats_closed(const char *root);

#endif
