/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of what nodes and sluiced say to each other. */
#include "wire/node.h"

#include <strings.h>
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
	LAST,
};
DESC(slu_node_ask_desc, "ask", ask_fields);
#undef T

#define T struct slu_plan_node
static const struct slu_field plan_node_fields[] = {
	NEEDED(STR, name),    NEEDED(STR, addr),
	NEEDED(STR, storage), FIELD(U64, capacity),
	FIELD(BOOL, staging), FIELD(BOOL, client),
	FIELD(STR, part),     FIELD(STR, cpus),
	FIELD(STR, cpus_why), LAST,
};
DESC(slu_plan_node_desc, "plan_node", plan_node_fields);
#undef T

#define T struct slu_stage
static const struct slu_field stage_fields[] = {
	FIELD(BOOL, out),	  NEEDED(STR, source),
	NEEDED(STR, destination), FIELD(STR, type),
	FIELD(STR, on),		  FIELD(BOOL, content),
	FIELD(BOOL, apart),	  LAST,
};
static DESC(stage_desc, "stage", stage_fields);
#undef T

#define T struct slu_stripe
static const struct slu_field stripe_fields[] = {
	NEEDED(STR, target),  NEEDED(STR, program),
	NEEDED(STR, layout),  FIELD(STR, why),
	FIELD(U32, per_file), FIELD(U64, size),
	FIELD(STR, fsname),   LAST,
};
static DESC(stripe_desc, "stripe", stripe_fields);
#undef T

#define T struct slu_pair
static const struct slu_field pair_fields[] = {
	NEEDED(STR, key),
	FIELD(STR, value),
	LAST,
};
static DESC(pair_desc, "pair", pair_fields);
#undef T

#define T struct slu_plan
static const struct slu_field plan_fields[] = {
	NEEDED(U64, buffer),
	NEEDED(U32, job_id),
	FIELD(U32, restarts),
	NEEDED(U32, uid),
	NEEDED(U32, gid),
	NEEDED(STR, name),
	FIELD(STR, fs),
	FIELD(STR, pool),
	NEEDED(STR, driver),
	MANY(option, n_option, pair_desc),
	FIELD(U64, capacity),
	FIELD(U32, tolerate),
	FIELD(STR, dw),
	FIELD(STR, secret),
	MANY(node, n_node, slu_plan_node_desc),
	MANY(stage, n_stage, stage_desc),
	MANY(stripe, n_stripe, stripe_desc),
	FIELD(BOOL, persistent),
	FIELD(BOOL, group),
	FIELD(U32, creator),
	FIELD(I64, expires),
	FIELD(U64, use),
	FIELD(U32, use_job),
	MANY(server, n_server, slu_plan_node_desc),
	MANY(attr, n_attr, pair_desc),
	FIELD(BOOL, ahead),
	FIELD(U64, staged),
	FIELD(U32, staged_job),
	FIELD(U32, het_job),
	FIELD(U32, het_buffers),
	FIELD(I64, boot_timeout),
	FIELD(I64, setup_timeout),
	FIELD(I64, stage_in_timeout),
	FIELD(I64, stage_out_timeout),
	FIELD(I64, teardown_timeout),
	FIELD(I64, keep_failed),
	FIELD(U32, givers),
	FIELD(BOOL, over),
	FIELD(STR, users),
	FIELD(BOOL, unready),
	FIELD(BOOL, dw_both),
	FIELD(BOOL, quiet),
	LAST,
};
DESC(slu_plan_desc, "plan", plan_fields);
#undef T

#define T struct slu_node_inventory
static const struct slu_field owed_fields[] = {
	MANY(plan, n_plan, slu_plan_desc),
	FIELD(STR, discard),
	LAST,
};
DESC(slu_node_inventory_desc, "owed", owed_fields);
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
	MANY(attr, n_attr, pair_desc),
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
	NEEDED(U32, job_id),	      FIELD(DOUBLE, read_bytes),
	FIELD(DOUBLE, written_bytes), FIELD(DOUBLE, rpcs),
	FIELD(DOUBLE, idle),	      LAST,
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

const char *slu_plan_option(const struct slu_plan *plan, const char *key,
			    const char *fallback)
{
	for (size_t i = 0; i < plan->n_option; i++)
		if (!strcasecmp(plan->option[i].key, key))
			return plan->option[i].value;
	return fallback;
}
