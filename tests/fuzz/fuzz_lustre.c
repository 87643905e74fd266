/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes the parsers of Lustre's texts. The first byte of the input selects the
 * kind of the rest: 'j' job_stats, 'r' TBF rules, 'p' policies, 'n' a table of
 * nodes, 's' a saved state of the TBF controller, 'b' brw_stats and other
 * counters, 'o' reports of OST servers.
 */
#include "config.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "common/jsonx.h"
#include "select_io/ost/choose.h"
#include "select_io/ost/recent_placements.h"
#include "select_io/ost/server_report.h"
#include "select_io/tbf/controller.h"
#include "tests/fuzz/fuzz.h"

static void job_stats(const char *text)
{
	static struct slu_jobstats stats;
	size_t jobs = 0;

	must(slu_jobstats_parse(&stats, text, strlen(text), NULL) == 0);
	for (size_t t = 0; t < stats.n_targets; t++) {
		must(stats.target[t].first == jobs);
		jobs += stats.target[t].n;
	}
	must(jobs == stats.n);
	for (size_t i = 0; i < stats.n; i++) {
		char name[SLU_RULE_NAME], match[SLU_RULE_MATCH];

		slu_rule_name(stats.job[i].job, name);
		slu_rule_match(stats.job[i].job, match);
		must(slu_rule_is_ours(name) && !strchr(match, ' ') &&
		     strchr(match, '*') == strrchr(match, '*'));
	}
}

/* Every row is found by its own name, unless an earlier one has it. */
static void counters(const char *text)
{
	uint64_t samples = 0, sum = 0;
	char name[64] = "";

	sscanf(text, "%63[^ \n]", name);
	if (*name && slu_stats_row(text, name, &samples, &sum) &&
	    !strstr(text, "[bytes"))
		must(slu_stats_requests(text) >= samples || samples > 1u << 31);
}

static void rules(const char *text)
{
	static struct slu_rules parsed;

	if (slu_rules_parse(&parsed, text, NULL))
		return;
	must(parsed.cpts > 0);
	for (size_t i = 0; i < parsed.n; i++)
		must(parsed.rule[i].name[0] != '\0');
}

/* Loads a table of nodes or a saved state, and saves the state again. */
static void control(const char *nodes, const char *state)
{
	struct slu_tbf_settings set = slu_tbf_defaults;
	struct json_object *obj = NULL;
	struct slu_tbf *tbf;

	set.rate = 100;
	tbf = slu_tbf_new(&set, NULL);
	must(tbf != NULL);
	if (nodes)
		slu_tbf_set_nodes(tbf, nodes, NULL);
	if (state)
		obj = slu_json_parse(state, strlen(state), NULL);
	if (obj)
		slu_tbf_load(tbf, obj, 1);
	json_object_put(obj);
	json_object_put(slu_tbf_save(tbf, 1));
	slu_tbf_free(tbf);
}

/* Chooses targets by the reports of servers. */
static void choose(const char *text)
{
	struct json_object *all = slu_json_parse(text, strlen(text), NULL);
	static const double predicted[] = {1e6, 5e9};
	const struct slu_ost_choose_request r = {
		.stripes = 3,
		.files = 2,
		.size = 1 << 20,
		.predicted = predicted,
		.n_predicted = 2,
	};
	struct slu_recent_placements *memory = slu_recent_placements_new();
	struct json_object *out, *lesson;
	struct slu_err err;

	must(memory != NULL);

	if (json_object_is_type(all, json_type_object)) {
		if (slu_ost_choose(&slu_ost_choose_defaults, all, &r, &out,
				   &err) == 0) {
			lesson = slu_recent_placements_of_answer(out);
			slu_recent_placements_add(memory, lesson, 1000, 1);
			json_object_put(lesson);
			slu_recent_placements_write(memory, all, 2);
			json_object_put(out);
		} else {
			must(err.kind == SLU_NOTFOUND);
		}
	}
	slu_recent_placements_add(memory, all, 0, 3);
	slu_recent_placements_free(memory);
	json_object_put(all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char policy[SLU_POLICY_SIZE];
	char *text = strndup((const char *)data + 1, size ? size - 1 : 0);

	must(text != NULL);
	switch (size ? data[0] : 0) {
	case 'j':
		job_stats(text);
		break;
	case 'r':
		rules(text);
		break;
	case 'p':
		slu_policy_parse(text, policy);
		break;
	case 'n':
		control(text, NULL);
		break;
	case 's':
		control(NULL, text);
		break;
	case 'b':
		must(slu_ost_io(text, SLU_OST_IO_TIME) >= -1);
		must(slu_ost_io(text, SLU_OST_IO_SIZE) >= -1);
		counters(text);
		break;
	case 'o':
		choose(text);
		break;
	}
	free(text);
	return 0;
}
