/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables (codec.h) of the messages on the control socket. */
#include "wire/control.h"

#include "wire/ion_assignment.h"
#include "wire/field.h"

#define T struct slu_node_addr
static const struct slu_field node_addr_fields[] = {
	NEEDED(STR, name),
	NEEDED(STR, addr),
	LAST,
};
static DESC(node_addr_desc, "node_addr", node_addr_fields);
#undef T

#define T struct slu_node_addr
static const struct slu_field node_is_fields[] = {
	NEEDED(STR, name),
	FIELD(STR, addr),
	LAST,
};
DESC(slu_node_is_desc, "node_is", node_is_fields);
#undef T

#define T struct slu_where
static const struct slu_field where_fields[] = {
	NEEDED(STR, node),
	LAST,
};
DESC(slu_where_desc, "where", where_fields);
#undef T

#define T struct slu_hello_ctl
static const struct slu_field hello_ctl_fields[] = {
	NEEDED(U32, version),
	FIELD(STR, slurm_version),
	FIELD(STR, cluster),
	MANY(nodes, n_nodes, node_addr_desc),
	MANY(jobs, n_jobs, slu_job_desc),
	FIELD(STR, release),
	FIELD(I64, conf_read),
	FIELD(U64, conf_hash),
	FIELD(STR, conf_wrong),
	FIELD(STR, slurm_advice),
	LAST,
};
DESC(slu_hello_ctl_desc, "hello", hello_ctl_fields);
#undef T

#define T struct slu_job_nodes
static const struct slu_field job_nodes_fields[] = {
	NEEDED(U32, job_id),
	FIELD(STR, left),
	FIELD(STR, lost),
	LAST,
};
DESC(slu_job_nodes_desc, "job_nodes", job_nodes_fields);
#undef T

#define T struct slu_job_cancelled
static const struct slu_field job_cancelled_fields[] = {
	NEEDED(U32, job_id),
	FIELD(I64, start),
	LAST,
};
DESC(slu_job_cancelled_desc, "job_cancelled", job_cancelled_fields);
#undef T

#define T struct slu_done
static const struct slu_field done_fields[] = {
	NEEDED(U64, id),
	FIELD(BOOL, ok),
	FIELD(STR, text),
	LAST,
};
DESC(slu_done_desc, "done", done_fields);
#undef T

#define T struct slu_buffer_state
static const struct slu_field buffer_fields[] = {
	NEEDED(U64, buffer),
	NEEDED(U32, job_id),
	FIELD(U32, uid),
	FIELD(STR, name),
	NEEDED(STR, state),
	FIELD(STR, text),
	FIELD(U64, size),
	FIELD(I64, created),
	FIELD(STR, pending),
	FIELD(BOOL, failed),
	FIELD(STR, pool),
	FIELD(BOOL, persistent),
	FIELD(BOOL, group),
	FIELD(BOOL, leaving),
	FIELD(U32, creator),
	FIELD(I64, expires),
	KEYED(BOOL, "ahead", early),
	FIELD(STR, coherence),
	LAST,
};
DESC(slu_buffer_desc, "buffer", buffer_fields);
#undef T

#define T struct slu_pool_kept
static const struct slu_field pool_kept_fields[] = {
	NEEDED(U32, uid),
	NEEDED(U64, size),
	LAST,
};
static DESC(pool_kept_desc, "pool_kept", pool_kept_fields);
#undef T

#define T struct slu_pool_capacity
static const struct slu_field pool_supply_fields[] = {
	NEEDED(STR, name),
	FIELD(U64, total),
	FIELD(U64, available),
	FIELD(U64, kept),
	FIELD(U64, largest),
	FIELD(U64, together),
	FIELD(U32, devices),
	FIELD(U32, nodes),
	FIELD(STR, hosts),
	FIELD(BOOL, complete),
	MANY(owners, n_owners, pool_kept_desc),
	LAST,
};
static DESC(pool_supply_desc, "pool_supply", pool_supply_fields);
#undef T

#define T struct slu_fs_capacity
static const struct slu_field fs_supply_fields[] = {
	NEEDED(STR, name), FIELD(U32, able), FIELD(U32, unable),
	FIELD(STR, node),  FIELD(STR, why),  LAST,
};
static DESC(fs_supply_desc, "fs_supply", fs_supply_fields);
#undef T

#define T struct slu_capacity
static const struct slu_field supply_fields[] = {
	MANY(pools, n_pools, pool_supply_desc),
	MANY(fs, n_fs, fs_supply_desc),
	LAST,
};
DESC(slu_capacity_desc, "supply", supply_fields);
#undef T

#define T struct slu_hello_daemon
static const struct slu_field hello_daemon_fields[] = {
	NEEDED(U32, version),
	MANY(buffers, n_buffers, slu_buffer_desc),
	LAST,
};
DESC(slu_hello_daemon_desc, "hello", hello_daemon_fields);
#undef T

#define T struct slu_extend
static const struct slu_field extend_fields[] = {
	NEEDED(U32, job_id),
	NEEDED(I64, give_back),
	FIELD(BOOL, final),
	FIELD(U32, restarts),
	LAST,
};
DESC(slu_extend_desc, "extend", extend_fields);
#undef T

#define T struct slu_verdict
static const struct slu_field verdict_fields[] = {
	NEEDED(U32, job_id),
	FIELD(STR, reason),
	FIELD(BOOL, pending),
	FIELD(U32, restarts),
	FIELD(I64, ended),
	FIELD(STR, without),
	LAST,
};
DESC(slu_hold_desc, "hold", verdict_fields);
DESC(slu_requeue_desc, "requeue", verdict_fields);
DESC(slu_fail_desc, "fail", verdict_fields);
DESC(slu_cancel_job_desc, "cancel", verdict_fields);
DESC(slu_complete_desc, "complete", verdict_fields);
DESC(slu_staged_desc, "staged", verdict_fields);
#undef T

#define T struct slu_node_order
static const struct slu_field node_order_fields[] = {
	NEEDED(STR, node),
	FIELD(STR, reason),
	LAST,
};
DESC(slu_drain_desc, "drain", node_order_fields);
DESC(slu_resume_desc, "resume", node_order_fields);
#undef T

#define T struct slu_annotate
static const struct slu_field annotate_fields[] = {
	NEEDED(U32, job_id),
	FIELD(STR, text),
	FIELD(BOOL, waits),
	LAST,
};
DESC(slu_annotate_desc, "annotate", annotate_fields);
#undef T

#define T struct slu_published
static const struct slu_field published_fields[] = {
	NEEDED(U64, epoch),
	FIELD(BOOL, ok),
	FIELD(STR, text),
	LAST,
};
DESC(slu_published_desc, "published", published_fields);
#undef T

#define T struct slu_job_moved
static const struct slu_field job_moved_fields[] = {
	NEEDED(U32, job_id),
	FIELD(DOUBLE, read_bytes),
	FIELD(DOUBLE, written_bytes),
	FIELD(DOUBLE, metadata_ops),
	FIELD(STR, by_fs),
	LAST,
};
static DESC(job_moved_desc, "job_moved", job_moved_fields);
#undef T

#define T struct slu_jobs_moved
static const struct slu_field jobs_moved_fields[] = {
	MANY(jobs, n_jobs, job_moved_desc),
	LAST,
};
DESC(slu_jobs_moved_desc, "jobs_moved", jobs_moved_fields);
#undef T

#define T struct slu_start_told
static const struct slu_field start_told_fields[] = {
	NEEDED(U32, job_id),
	NEEDED(STR, text),
	LAST,
};
static DESC(start_told_desc, "start_told", start_told_fields);
#undef T

#define T struct slu_starts
static const struct slu_field starts_fields[] = {
	MANY(jobs, n_jobs, start_told_desc),
	LAST,
};
DESC(slu_starts_desc, "starts", starts_fields);
#undef T

#define T struct slu_io_use
static const struct slu_field io_use_fields[] = {
	FIELD(DOUBLE, capacity),
	FIELD(DOUBLE, demand),
	FIELD(U32, waiting),
	FIELD(U64, waited),
	FIELD(U64, bound),
	FIELD(U64, advised),
	FIELD(U32, known),
	FIELD(U32, targets),
	FIELD(U32, degraded),
	FIELD(U32, silent),
	FIELD(I64, unheard),
	FIELD(DOUBLE, metadata_capacity),
	FIELD(DOUBLE, metadata_demand),
	FIELD(U32, metadata_waiting),
	FIELD(U32, metadata_known),
	FIELD(U32, metadata_targets),
	FIELD(U32, metadata_degraded),
	FIELD(U32, metadata_silent),
	FIELD(I64, metadata_unheard),
	FIELD(STR, fs),
	FIELD(U32, place),
	LAST,
};
DESC(slu_io_use_desc, "io_use", io_use_fields);
#undef T

#define T struct slu_io_capacity
static const struct slu_field io_capacity_fields[] = {
	FIELD(DOUBLE, capacity), FIELD(DOUBLE, held),
	FIELD(U32, targets),	 FIELD(U32, degraded),
	FIELD(U32, silent),	 FIELD(U32, scope),
	FIELD(STR, fs),		 LAST,
};
DESC(slu_io_capacity_desc, "io_capacity", io_capacity_fields);
#undef T

#define T struct slu_stored
static const struct slu_field stored_fields[] = {
	NEEDED(U32, job_id),
	NEEDED(I64, start),
	LAST,
};
DESC(slu_stored_desc, "stored", stored_fields);
#undef T

#define T struct slu_history_row
static const struct slu_field history_row_fields[] = {
	INSIDE(job, slu_job_desc),
	FIELD(DOUBLE, read_bytes),
	FIELD(DOUBLE, written_bytes),
	FIELD(DOUBLE, io_bandwidth),
	FIELD(DOUBLE, calls),
	FIELD(DOUBLE, called_bytes),
	FIELD(DOUBLE, shared_bytes),
	FIELD(DOUBLE, consecutive),
	LAST,
};
DESC(slu_history_row_desc, "history_row", history_row_fields);

static const struct slu_field metadata_row_fields[] = {
	INSIDE(job, slu_job_desc),
	FIELD(DOUBLE, metadata_ops),
	LAST,
};
DESC(slu_metadata_row_desc, "metadata_row", metadata_row_fields);

static const struct slu_field fs_row_fields[] = {
	INSIDE(job, slu_job_desc),
	FIELD(DOUBLE, read_bytes),
	FIELD(DOUBLE, written_bytes),
	FIELD(DOUBLE, metadata_ops),
	FIELD(STR, by_fs),
	LAST,
};
DESC(slu_fs_row_desc, "fs_row", fs_row_fields);
#undef T

#define T struct slu_history_rows
static const struct slu_field history_rows_fields[] = {
	NEEDED(STR, packed),
	LAST,
};
DESC(slu_history_rows_desc, "history_rows", history_rows_fields);
#undef T

#define T struct slu_history_end
static const struct slu_field history_end_fields[] = {
	FIELD(U64, rows),
	LAST,
};
DESC(slu_history_end_desc, "history_end", history_end_fields);
#undef T

const struct slu_desc *const slu_to_daemon[] = {
	&slu_hello_ctl_desc,	 &slu_job_started_desc, &slu_job_ended_desc,
	&slu_job_cancelled_desc, &slu_job_nodes_desc,	&slu_assignment_desc,
	&slu_history_desc,	 &slu_done_desc,	&slu_job_waits_desc,
	&slu_node_is_desc,	 &slu_io_use_desc,	NULL,
};

const struct slu_desc *const slu_to_ctl[] = {
	&slu_hello_daemon_desc, &slu_buffer_desc,
	&slu_extend_desc,	&slu_hold_desc,
	&slu_requeue_desc,	&slu_fail_desc,
	&slu_cancel_job_desc,	&slu_complete_desc,
	&slu_drain_desc,	&slu_resume_desc,
	&slu_annotate_desc,	&slu_published_desc,
	&slu_stored_desc,	&slu_history_row_desc,
	&slu_history_end_desc,	&slu_capacity_desc,
	&slu_distances_desc,	&slu_where_desc,
	&slu_history_rows_desc, &slu_staged_desc,
	&slu_jobs_moved_desc,	&slu_io_capacity_desc,
	&slu_metadata_row_desc, &slu_fs_row_desc,
	&slu_starts_desc,	NULL,
};
