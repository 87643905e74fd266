/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the order of jobs' TBF rules after random moves. */
#include "config.h"
#include "common/jsonx.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include "tests/unit/select_io/tbf_server.h"

#include <stdlib.h>
#include <string.h>

/* The nodes of each job; 0: the table does not name it. */
static void tell(struct server *s, const int nodes[JOBS])
{
	struct slu_buf text = {0};
	struct slu_err err;

	slu_buf_puts(&text, "# all\n");
	for (int i = 0; i < JOBS; i++)
		if (nodes[i] && !strchr(server_ids[i], ' '))
			slu_buf_printf(&text, "%s %d\n", server_ids[i],
				       nodes[i]);
	expect_ok(slu_tbf_set_nodes(s->tbf, text.data, &err), err);
	slu_buf_free(&text);
}

/* What the controller says of the nodes of the job that has this rule. */
static double nodes_of(struct json_object *state, const struct fake_rule *rule)
{
	struct json_object *jobs = json_object_object_get(state, "jobs");
	char match[SLU_RULE_MATCH];

	for (size_t i = 0; i < json_object_array_length(jobs); i++) {
		struct json_object *job = json_object_array_get_idx(jobs, i);
		const char *id = "";
		double nodes = 0;

		slu_json_str_opt(job, "job", &id, NULL);
		slu_json_double_opt(job, "nodes", &nodes, NULL);
		slu_rule_match(id, match);
		if (strcmp(match, rule->expr) == 0)
			return nodes;
	}
	ck_abort_msg("whose is %s?", rule->expr);
}

/* More nodes before fewer; those that match others too, last; then that of the
 * crowd. */
static void check_order(const struct server *s, const char *when)
{
	struct json_object *state = slu_tbf_save(s->tbf, s->now);
	double last = 1e9;

	for (size_t r = 0; r < s->fake.n[0]; r++) {
		const struct fake_rule *rule = &s->fake.rule[0][r];
		bool others = strcmp(rule->name, SLU_RULE_OTHERS) == 0;
		double n = others ? -1e9 : nodes_of(state, rule);

		if (strchr(rule->expr, '*'))
			n -= 1000;
		expect(n <= last, "%s: %s (%g) behind %g", when, rule->name, n,
		       last);
		last = n;
	}
	json_object_put(state);
}

static void all_work(struct server *s)
{
	for (int i = 0; i < JOBS; i++)
		s->rpcs[0][i] += 5000;
	period(s, 1);
}

/* One goes before another that has not moved yet. */
START_TEST(test_move_two)
{
	static const int before[JOBS] = {4, 5, 9}, after[JOBS] = {3, 5, 1};
	struct slu_tbf_settings set = slu_tbf_defaults;
	struct server s;

	open_server(&s, &set, 1);
	tell(&s, before);
	all_work(&s);
	all_work(&s);
	check_order(&s, "at first");
	tell(&s, after);
	all_work(&s);
	check_order(&s, "moved");
	close_server(&s);
}
END_TEST

static void shuffle(struct server *s, uint64_t *seed)
{
	size_t n = s->fake.n[0], from, to;
	char command[64];

	if (n < 2)
		return;
	from = slu_random(seed, n);
	to = (from + 1 + slu_random(seed, n - 1)) % n;
	snprintf(command, sizeof(command), "change %s rank=%s",
		 s->fake.rule[0][from].name, s->fake.rule[0][to].name);
	ck_assert_int_eq(fake_tbf_command(&s->fake, command), 0);
	adopt(s);
}

/* Any number of jobs move, start, and become idle, and rules are moved by hand:
 * after every period all rules are in order. */
START_TEST(test_random_moves)
{
	int nodes[JOBS] = {0};
	uint64_t seed = 7;
	struct slu_tbf_settings set = slu_tbf_defaults;
	struct server s;
	char when[32];

	set.linger = 3;
	open_server(&s, &set, 1);
	period(&s, 1);
	for (int k = 0; k < 2000; k++) {
		snprintf(when, sizeof(when), "period %d", k);
		if (slu_random(&seed, 3) == 0) {
			for (int i = 0; i < JOBS; i++)
				if (slu_random(&seed, 2))
					nodes[i] = (int)slu_random(&seed, 6);
			tell(&s, nodes);
		}
		if (slu_random(&seed, 4) == 0)
			shuffle(&s, &seed);
		for (int i = 0; i < JOBS; i++)
			if (slu_random(&seed, 3) == 0)
				s.rpcs[0][i] += 1 + slu_random(&seed, 3000);
		period(&s, 1);
		check_order(&s, when);
	}
	close_server(&s);
}
END_TEST

/* Rules that stand where they should are left alone, one that does not is the
 * only one that moves. */
START_TEST(test_moved_by_hand)
{
	static const int nodes[JOBS] = {8, 7, 6, 5, 0, 4};
	struct slu_tbf_settings set = slu_tbf_defaults;
	struct server s;
	size_t before;

	open_server(&s, &set, 1);
	tell(&s, nodes);
	for (int k = 0; k < 5; k++)
		all_work(&s);
	check_order(&s, "at first");
	adopt(&s);
	before = s.commands;
	all_work(&s);
	ck_assert_uint_eq(s.commands, before);
	fake_tbf_command(&s.fake, "change slu_105 rank=slu_100");
	adopt(&s);
	all_work(&s);
	ck_assert_uint_eq(s.commands, before + 1);
	check_order(&s, "small one on top");
	fake_tbf_command(&s.fake, "change slu_100 rank=slu_105");
	adopt(&s);
	all_work(&s);
	ck_assert_uint_eq(s.commands, before + 2);
	check_order(&s, "large one far below");
	close_server(&s);
}
END_TEST

TEST_MAIN("tbf_order", test_move_two, test_random_moves, test_moved_by_hand)
