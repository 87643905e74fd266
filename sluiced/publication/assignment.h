/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_ASSIGNMENT_H
#define SLU_SLUICED_ASSIGNMENT_H

/*
 * Holds the assignment of I/O nodes to jobs as slurmctld last sent it, and the
 * table of its changes. An assignment has a reference count and is shared by
 * its users.
 *
 * Table Assignment has a row per event; Json is what changed by it:
 * [{"job_id":17,"name":"ior","ions":2}, ...], ions 0 for a job that ended. The
 * first row after a start of sluiced has everything.
 */

#include <json-c/json.h>
#include "common/err.h"
#include "store/db.h"
#include "wire/ion_assignment.h"
#include "wire/control.h"

#define SLU_ASSIGNMENT_KEEP (90 * 86400) /* seconds */

struct slu_epoch {
	int refs;
	struct slu_assignment a;
};

/* Takes over the content of *a (zeroed). NULL without memory. One reference,
 * for the caller. */
struct slu_epoch *slu_epoch_new(struct slu_assignment *a);
struct slu_epoch *slu_epoch_ref(struct slu_epoch *epoch);
void slu_epoch_unref(struct slu_epoch *epoch);
/* The share of a job, or NULL. Jobs may be in any order. */
const struct slu_ion_share *slu_epoch_share(const struct slu_epoch *epoch,
					    uint32_t job_id);
/* Whether both give the same mapping; a NULL: no. */
bool slu_share_same(const struct slu_ion_share *a,
		    const struct slu_ion_share *b);
/* How many I/O nodes a share has. */
size_t slu_share_count(const struct slu_ion_share *share);

/* The changes from `old` to `now` (old NULL: everything). Caller puts. */
struct json_object *slu_epoch_changes(const struct slu_epoch *old,
				      const struct slu_epoch *now);
/* A copy without jobs; NULL without memory. */
struct slu_epoch *slu_epoch_head(const struct slu_epoch *epoch);
/* Add the row of `now`, whose jobs are not used; removes rows older than
 * SLU_ASSIGNMENT_KEEP. */
int slu_epoch_store(struct slu_db *db, const struct slu_epoch *now,
		    struct json_object *changes, struct slu_err *err);
/* The last `limit` events, oldest first, as an array of objects: time, event,
 * policy, total, static_total, changed; job_id: only those that changed this
 * job, and of these nothing of others (0: all). Caller puts. */
struct json_object *slu_epoch_history(struct slu_db *db, uint32_t job_id,
				      int64_t limit, struct slu_err *err);
/* What was predicted between two times (Unix seconds), also of STATIC: {since,
 * until, seconds that are known of, total, static_total}, mean MB/s by time.
 * Caller puts. */
struct json_object *slu_epoch_gain(struct slu_db *db, int64_t since,
				   int64_t until, struct slu_err *err);

#endif
