/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_LIFECYCLE_BUFFER_REPORT_H
#define SLU_LIFECYCLE_BUFFER_REPORT_H

/*
 * Reports on buffers as JSON, for sluiced's answers to people: some from the
 * database (buffer_report.c, sums.c, last_nodes.c), one from memory
 * (overview.c).
 */

#include "burst_buffer/lifecycle/buffers.h"

/* For `sysquery buffers`, from a database opened for reading: an array of flat
 * objects with `phases` (name, seconds, bytes, files) and `history`. job_id 0:
 * all that are alive and those of the last day. uid SLU_NO_ID: those of all
 * users. Caller puts. */
struct json_object *slu_buffers_json(struct slu_db *db, uint32_t job_id,
				     uint32_t uid, double now,
				     struct slu_err *err);
/* Sums over jobs' buffers that ended after `since` (Unix seconds), of a user
 * (SLU_NO_ID: all), of jobs of an account (NULL: all): {count, failed_in_setup,
 * failed_in_stage_in, failed_in_run, failed_in_stage_out, fullness {known,
 * capacity_bytes, used_most_bytes, at_most_a_third}, phases [{name, count,
 * seconds, node_seconds, bytes, files}]}. Caller puts. */
struct json_object *slu_buffers_sums(struct slu_db *db, int64_t since,
				     uint32_t uid, const char *account,
				     struct slu_err *err);
/* Of a buffer's phases in which several nodes took part: {"stage_in": {"node":
 * the last one to finish, "behind": seconds after the median node}}. Caller
 * puts. */
struct json_object *slu_buffers_last_nodes(struct slu_db *db, uint64_t buffer,
					   struct slu_err *err);
/* What an administrator should look at, for the user's buffers (SLU_NO_ID:
 * all): {"phases": [...] buffers in a phase that ends by itself, "kept": [...]
 * data of failed stage-outs, "drained": [...] nodes, "unanswered": [...]
 * verdicts that slurmctld has not answered}. Times are Unix seconds; lists of
 * nodes are host lists. Caller puts. */
struct json_object *slu_buffers_overview(const struct slu_buffers *b,
					 uint32_t uid);

#endif
