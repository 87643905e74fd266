/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Declares the fields of the HTTP messages that sluiced receives and answers:
 * from nodes, storage servers and users. codec.h encodes and decodes by them.
 */
#include "wire/node.h"

#include "wire/field.h"

#define T struct slu_fill
static const struct slu_field fill_fields[] = {
	NEEDED(U32, job_id),
	NEEDED(U64, buffer),
	NEEDED(U64, used),
	NEEDED(U64, used_most),
	LAST,
};
static DESC(fill_desc, "fill", fill_fields);
#undef T

#define T struct slu_prefetch_report
static const struct slu_field prefetch_fields[] = {
	NEEDED(U32, job_id), KEYED(U64, "brought", prefetched),
	FIELD(U64, used),    FIELD(BOOL, done),
	FIELD(BOOL, over),   LAST,
};
static DESC(prefetch_desc, "ahead", prefetch_fields);
#undef T

#define T struct slu_node_ask
static const struct slu_field ask_fields[] = {
	NEEDED(U32, job_id),
	FIELD(U64, buffer),
	NEEDED(STR, node),
	FIELD(STR, seen),
	FIELD(U64, copied),
	FIELD(U64, to_copy),
	FIELD(U64, copied_files),
	FIELD(U64, files_to_copy),
	FIELD(U32, restarts),
	FIELD(BOOL, ready),
	FIELD(STR, plan),
	FIELD(STR, dirty),
	FIELD(STR, kept),
	FIELD(BOOL, used_known),
	FIELD(U64, used),
	MANY(fill, n_fill, fill_desc),
	KEYED_MANY("ahead", prefetch, n_prefetch, prefetch_desc),
	LAST,
};
DESC(slu_node_ask_desc, "ask", ask_fields);
#undef T

#define T struct slu_node_inventory
static const struct slu_field inventory_fields[] = {
	MANY(plan, n_plan, slu_plan_desc),
	FIELD(STR, discard),
	KEYED_MANY("ahead", prefetch, n_prefetch, slu_plan_desc),
	KEYED(BOOL, "ahead_whole", prefetch_complete),
	KEYED(STR, "ahead_gone", prefetch_dropped),
	LAST,
};
DESC(slu_node_inventory_desc, "owed", inventory_fields);
#undef T

#define T struct slu_report
static const struct slu_field report_fields[] = {
	NEEDED(U32, job_id),
	NEEDED(U64, buffer),
	NEEDED(STR, node),
	NEEDED(STR, step),
	FIELD(BOOL, ok),
	FIELD(STR, text),
	FIELD(STR, phase),
	FIELD(DOUBLE, seconds),
	FIELD(U64, bytes),
	FIELD(U64, files),
	FIELD(U64, total_bytes),
	FIELD(U64, total_files),
	FIELD(STR, enforced),
	FIELD(DOUBLE, read_bytes),
	FIELD(DOUBLE, written_bytes),
	FIELD(BOOL, ran),
	FIELD(BOOL, uncounted),
	FIELD(BOOL, mistake),
	FIELD(BOOL, no_room),
	FIELD(BOOL, used_known),
	FIELD(U64, used),
	FIELD(U64, used_most),
	FIELD(U64, cache_hits),
	FIELD(U64, cache_misses),
	FIELD(U64, cache_bytes),
	LAST,
};
DESC(slu_report_desc, "report", report_fields);
#undef T

#define T struct slu_answer
static const struct slu_field answer_fields[] = {
	NEEDED(STR, word),
	FIELD(STR, text),
	FIELD(BOOL, success),
	FIELD(BOOL, ran),
	LAST,
};
DESC(slu_answer_desc, "answer", answer_fields);
#undef T

#define T struct slu_barrier
static const struct slu_field barrier_fields[] = {
	NEEDED(U32, job_id),
	NEEDED(U64, buffer),
	NEEDED(STR, node),
	NEEDED(STR, name),
	FIELD(STR, attr),
	FIELD(BOOL, ran),
	LAST,
};
DESC(slu_barrier_desc, "barrier", barrier_fields);
#undef T

#define T struct slu_barrier_answer
static const struct slu_field barrier_answer_fields[] = {
	NEEDED(STR, word),
	FIELD(STR, text),
	MANY(attr, n_attr, slu_pair_desc),
	FIELD(STR, away),
	LAST,
};
DESC(slu_barrier_answer_desc, "barrier_answer", barrier_answer_fields);
#undef T

#define T struct slu_cancel
static const struct slu_field cancel_fields[] = {
	NEEDED(U32, job_id),
	LAST,
};
DESC(slu_cancel_desc, "cancel", cancel_fields);
#undef T

#define T struct slu_discard
static const struct slu_field discard_fields[] = {
	NEEDED(U32, job_id),
	FIELD(BOOL, dry_run),
	LAST,
};
DESC(slu_discard_desc, "discard", discard_fields);
#undef T

#define T struct slu_discarded
static const struct slu_field discarded_fields[] = {
	NEEDED(STR, hosts),
	NEEDED(U64, bytes),
	LAST,
};
DESC(slu_discarded_desc, "discarded", discarded_fields);
#undef T

#define T struct slu_io_report
static const struct slu_field io_report_fields[] = {
	NEEDED(U32, job_id),	   NEEDED(STR, node),
	FIELD(DOUBLE, read_bytes), FIELD(DOUBLE, written_bytes),
	FIELD(U32, source),	   LAST,
};
DESC(slu_io_report_desc, "io_report", io_report_fields);
#undef T

#define T struct slu_server_job
static const struct slu_field server_job_fields[] = {
	NEEDED(U32, job_id),
	FIELD(DOUBLE, read_bytes),
	FIELD(DOUBLE, written_bytes),
	FIELD(DOUBLE, rpcs),
	FIELD(DOUBLE, idle),
	FIELD(DOUBLE, metadata_ops),
	FIELD(STR, by_fs),
	LAST,
};
static DESC(server_job_desc, "server_job", server_job_fields);
#undef T

#define T struct slu_server_io
static const struct slu_field server_io_fields[] = {
	MANY(job, n_job, server_job_desc),
	NEEDED(STR, node),
	FIELD(U32, source),
	LAST,
};
DESC(slu_server_io_desc, "server_io", server_io_fields);
#undef T

#define T struct slu_job_number
static const struct slu_field job_number_fields[] = {
	NEEDED(U32, job_id),
	LAST,
};
static DESC(job_number_desc, "job_number", job_number_fields);
#undef T

#define T struct slu_server_answer
static const struct slu_field server_answer_fields[] = {
	MANY(unknown, n_unknown, job_number_desc),
	LAST,
};
DESC(slu_server_answer_desc, "server_answer", server_answer_fields);
#undef T
