/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_OST_STATS_H
#define SLU_OST_STATS_H

/*
 * The counters of Lustre's targets: the texts "stats" (of obdfilter) and
 * "md_stats" (of mdt) of Lustre 2.10 to 2.17, and what they say of the time
 * between two readings.
 */

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The row "NAME N samples [UNIT] MIN MAX SUM ..." of a text: *samples is N,
 * *sum SUM (0 where the row ends before). False: no such row. */
bool slu_stats_row(const char *text, const char *name, uint64_t *samples,
		   uint64_t *sum);

/* All samples of a text but those of bytes, which other rows count again: how
 * many requests there were. */
uint64_t slu_stats_requests(const char *text);

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
 * a second "read" and "write", of an MDT the requests a second "ops", each
 * since the reading before. now: seconds of any clock. */
void slu_stats_ost(const char *root, const char *name, double now,
		   struct slu_stats_meter *meter, struct json_object *obj);
/* Every MDT of this server: [{"name":"fs-MDT0000","ops":12.5}]; NULL:
 * there is none. Caller puts. */
struct json_object *slu_stats_mdts(const char *root, double now,
				   struct slu_stats_meter *meter);

#endif
