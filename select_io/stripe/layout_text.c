/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a layout as the command that makes it, and as JSON with the reasons.
 */
#include "config.h"
#include "select_io/stripe/composite_layout.h"

#include <ctype.h>
#include <string.h>
#include "common/jsonx.h"

bool slu_stripe_pool_is_valid(const char *name)
{
	size_t len = 0;

	while (isalnum((unsigned char)name[len]) ||
	       (name[len] && strchr("_.", name[len])) ||
	       (len > 0 && name[len] == '-'))
		len++;
	return len > 0 && len <= SLU_STRIPE_POOL && name[len] == '\0';
}

/* "64K", "1M", "26G": the largest unit that divides it. */
static void add_size(struct slu_buf *out, uint64_t bytes)
{
	static const char unit[] = "KMGT";
	int u = 0;

	for (bytes /= 1024; u < 3 && bytes % 1024 == 0; u++)
		bytes /= 1024;
	slu_buf_printf(out, "%llu%c", (unsigned long long)bytes, unit[u]);
}

static void add_option(struct slu_buf *out, const char *option, uint64_t bytes)
{
	slu_buf_printf(out, " %s ", option);
	add_size(out, bytes);
}

static void add_part(const struct slu_stripe_layout *l, size_t i,
		     struct slu_buf *out)
{
	const struct slu_stripe_component *p = &l->part[i];

	if (p->end)
		add_option(out, "-E", p->end);
	else if (l->n > 1 || l->mdt || l->extend[i])
		slu_buf_puts(out, " -E -1");
	slu_buf_printf(out, " -c %u", p->count);
	add_option(out, "-S", p->width);
	if (l->extend[i])
		add_option(out, "-z", l->extend[i]);
	if (l->pool && *l->pool)
		slu_buf_printf(out, " -p %s", l->pool);
}

void slu_stripe_command(const char *verb, const struct slu_stripe_layout *l,
			struct slu_buf *out)
{
	slu_buf_printf(out, "lfs %s", verb);
	if (l->mdt) {
		add_option(out, "-E", l->mdt);
		slu_buf_puts(out, " -L mdt");
	}
	for (size_t i = 0; i < l->n; i++)
		add_part(l, i, out);
}

static void add_component(struct json_object *list, uint64_t begin,
			  const struct slu_stripe_component *p, uint64_t extend)
{
	struct json_object *one = json_object_new_object();

	slu_json_set_u64(one, "begin", begin);
	if (p->end)
		slu_json_set_u64(one, "end", p->end);
	slu_json_set_u64(one, "count", p->count);
	slu_json_set_u64(one, "width", p->width);
	if (extend)
		slu_json_set_u64(one, "extend", extend);
	slu_json_set_str(one, "why", p->why);
	json_object_array_add(list, one);
}

struct json_object *slu_stripe_json(const struct slu_stripe_layout *l)
{
	const struct slu_stripe_component on_mdt = {
		.end = l->mdt,
		.width = (uint32_t)l->mdt,
		.why = "small: on the metadata target, no other is asked",
	};
	struct json_object *obj = json_object_new_object();
	struct json_object *list = json_object_new_array();
	struct slu_buf command = {0};
	uint64_t begin = l->mdt;

	if (l->mdt)
		add_component(list, 0, &on_mdt, 0);
	for (size_t i = 0; i < l->n; i++) {
		add_component(list, begin, &l->part[i], l->extend[i]);
		begin = l->part[i].end;
	}
	slu_stripe_command("setstripe", l, &command);
	json_object_object_add(obj, "components", list);
	slu_json_set_str(obj, "command", command.data);
	slu_buf_free(&command);
	return obj;
}
