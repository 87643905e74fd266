/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables (codec.h) of the messages that carry a buffer's plan, and the look-up
 * of an option in one.
 */
#include "wire/node_plan.h"

#include <strings.h>
#include "wire/field.h"

#define T struct slu_plan_device
static const struct slu_field plan_device_fields[] = {
	NEEDED(STR, storage),
	FIELD(U64, capacity),
	LAST,
};
DESC(slu_plan_device_desc, "plan_device", plan_device_fields);
#undef T

#define T struct slu_plan_node
static const struct slu_field plan_node_fields[] = {
	NEEDED(STR, name),
	NEEDED(STR, addr),
	NEEDED(STR, storage),
	FIELD(U64, capacity),
	MANY(more, n_more, slu_plan_device_desc),
	FIELD(BOOL, staging),
	FIELD(BOOL, client),
	FIELD(STR, part),
	FIELD(STR, cpus),
	FIELD(STR, cpus_why),
	LAST,
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
DESC(slu_pair_desc, "pair", pair_fields);
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
	MANY(option, n_option, slu_pair_desc),
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
	MANY(attr, n_attr, slu_pair_desc),
	KEYED(BOOL, "ahead", early),
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

size_t slu_plan_devices(const struct slu_plan_node *node)
{
	size_t n = 0;

	while (n < node->n_more && node->more[n].capacity)
		n++;
	return 1 + n;
}

struct slu_plan_device slu_plan_device(const struct slu_plan_node *node,
				       size_t k)
{
	struct slu_plan_device home = {node->storage, node->capacity};

	if (k)
		return node->more[k - 1];
	for (size_t i = 0; i < node->n_more; i++)
		home.capacity -= node->more[i].capacity;
	return home;
}

bool slu_plan_is_spread(const struct slu_plan *plan)
{
	bool is = false;

	for (size_t i = 0; !is && i < plan->n_node; i++)
		is = slu_plan_devices(&plan->node[i]) > 1;
	return is;
}

const char *slu_plan_option(const struct slu_plan *plan, const char *key,
			    const char *fallback)
{
	for (size_t i = 0; i < plan->n_option; i++)
		if (!strcasecmp(plan->option[i].key, key))
			return plan->option[i].value;
	return fallback;
}
