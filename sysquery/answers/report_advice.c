/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements the rules of advice for many jobs, as job_advice.c does for one. A
 * rule needs a minimum number of jobs. */
#include "config.h"
#include "sysquery/answers/report_advice.h"
#include "sysquery/answers/job_advice.h"

#include "common/jsonx.h"
#include "common/size.h"
#include "common/str.h"

#define FEW 5 /* jobs are not significant */

static bool are_too_large(const struct slu_report_facts *f)
{
	return f->known >= FEW && f->third * 2 > f->known &&
	       f->most * 2 <= f->capacity;
}

static void say_too_large(const struct slu_report_facts *f, struct slu_buf *out)
{
	char most[SLU_SIZE_TEXT], all[SLU_SIZE_TEXT];

	slu_buf_printf(out,
		       "%ju of %ju file systems were never "
		       "more than a third full; together they asked for %s and "
		       "used %s at most.",
		       (uintmax_t)f->third, (uintmax_t)f->known,
		       slu_size_text((uint64_t)f->capacity, all),
		       slu_size_text((uint64_t)f->most, most));
}

static bool are_staging(const struct slu_report_facts *f)
{
	return f->systems >= FEW && f->node_seconds > 0 &&
	       f->staging * 4 > f->node_seconds;
}

static void say_staging(const struct slu_report_facts *f, struct slu_buf *out)
{
	slu_buf_printf(out,
		       "Nodes spent %.3g of %.3g node-hours (%.0f %%) in setup "
		       "and stage-in: input that several jobs read can stay in "
		       "a persistent buffer.",
		       f->staging / 3600, f->node_seconds / 3600,
		       f->staging / f->node_seconds * 100);
}

static bool are_ended(const struct slu_report_facts *f)
{
	return f->jobs >= FEW && f->timeouts * 10 > f->jobs;
}

static void say_ended(const struct slu_report_facts *f, struct slu_buf *out)
{
	slu_buf_printf(out,
		       "%ju of %ju jobs were ended at their "
		       "time limit.",
		       (uintmax_t)f->timeouts, (uintmax_t)f->jobs);
}

static bool are_long(const struct slu_report_facts *f)
{
	return f->limited >= FEW && f->used > 0 && f->asked >= f->used * 3 &&
	       f->timeouts * 20 <= f->jobs;
}

static void say_long(const struct slu_report_facts *f, struct slu_buf *out)
{
	slu_buf_printf(out,
		       "%ju jobs asked for %.0f times the time that "
		       "they took; shorter limits let them start in shorter "
		       "gaps.",
		       (uintmax_t)f->limited, f->asked / f->used);
}

static bool have_failed(const struct slu_report_facts *f)
{
	return f->systems >= FEW && f->failed * 20 > f->systems;
}

static void say_failed(const struct slu_report_facts *f, struct slu_buf *out)
{
	slu_buf_printf(out,
		       "%ju of %ju file systems failed; "
		       "\"sysquery buffers\" has the sentence of each of the "
		       "last day.",
		       (uintmax_t)f->failed, (uintmax_t)f->systems);
}

static const struct rule {
	const char *name;
	bool (*holds)(const struct slu_report_facts *f);
	void (*say)(const struct slu_report_facts *f, struct slu_buf *out);
} rules[] = {
	{"failures", have_failed, say_failed},
	{"limits-too-short", are_ended, say_ended},
	{"staging-takes-long", are_staging, say_staging},
	{"capacity-too-large", are_too_large, say_too_large},
	{"limits-too-long", are_long, say_long},
};

struct json_object *slu_report_advice(const struct slu_report_facts *facts)
{
	struct json_object *list = json_object_new_array();

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		struct slu_buf text = {0};

		if (!rules[i].holds(facts))
			continue;
		rules[i].say(facts, &text);
		slu_advice_add(list, rules[i].name, &text);
	}
	return list;
}
