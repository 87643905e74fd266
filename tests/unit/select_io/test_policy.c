/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the policies that divide I/O nodes, with the formulas and table 4 of
 * the paper. */
#include "config.h"
#include "tests/unit/harness.h"
#include "select_io/division/division.h"
#include "select_io/mckp/mckp.h"

START_TEST(test_choices)
{
	static const struct {
		uint32_t nodes, limit;
		bool direct;
		const char *want;
	} cases[] = {
		{8, 8, false, "1 2 4 8"},
		{8, 8, true, "0 1 2 4 8"},
		{12, 8, false, "1 2 3 4 6"},
		{7, 4, false, "1"},
		{1, 100, false, "1"},
		{16, 3, true, "0 1 2"},
		{8, 0, false, "0"},
		{8, 0, true, "0"},
		{4000000000u, 2, false, "1 2"},
	};

	each(c, cases)
	{
		uint32_t out[8];
		char text[64] = "";
		size_t n =
			slu_ion_choices(c->nodes, c->limit, c->direct, out, 8);

		for (size_t i = 0; i < n; i++)
			sprintf(text + strlen(text), i ? " %u" : "%u", out[i]);
		expect(strcmp(text, c->want) == 0, "%u up to %u: %s", c->nodes,
		       c->limit, text);
	}
}
END_TEST

/* ceil(Ca / R) of section 3.2, rounded down to a choice. */
START_TEST(test_usual_number)
{
	static const uint32_t powers[] = {1, 2, 4, 8}, direct[] = {0, 1, 2};
	static const struct {
		uint32_t nodes, compute, ions, n;
		const uint32_t *choice;
		uint32_t want;
	} cases[] = {
		{8, 512, 128, 4, powers, 2},
		{8, 512, 24, 4, powers, 1},
		{24, 512, 128, 4, powers, 4}, /* ceil(6) */
		{32, 512, 128, 4, powers, 8},
		{512, 512, 128, 4, powers, 8},
		{1, 1000, 1, 4, powers, 1},
		{1, 1000, 1, 3, direct, 1},
		{8, 512, 0, 1, direct, 0},
		{UINT32_MAX, 1, UINT32_MAX, 4, powers, 8},
	};

	each(c, cases)
	{
		uint32_t got = slu_ion_usual(c->nodes, c->compute, c->ions,
					     c->choice, c->n);

		expect(got == c->want, "%u of %u: %u", c->nodes, c->compute,
		       got);
	}
}
END_TEST

/* A job of the tables below; usual 0: it asked for none; per: MB/s per I/O node
 * up to flat, 0 unknown. */
struct case_job {
	uint32_t nodes, usual;
	double per;
	uint32_t flat;
	char has; /* e its own, s the shared one, - nothing yet */
	uint32_t held;
};

struct policy_case {
	const char *what;
	enum slu_ion_policy policy;
	uint32_t pool;
	bool direct;
	struct case_job job[4]; /* nodes 0 ends them */
	const char *want;	/* numbers; s: shared */
};

static const struct policy_case policy_cases[] = {
	{"it all fits",
	 SLU_ION_STATIC,
	 8,
	 false,
	 {{8, 4, 0, 0, '-', 0}, {4, 2, 0, 0, '-', 0}},
	 "4 2"},
	{"the largest are lowered",
	 SLU_ION_STATIC,
	 4,
	 false,
	 {{8, 4, 0, 0, '-', 0}, {4, 2, 0, 0, '-', 0}},
	 "2 2"},
	{"the newest among equals",
	 SLU_ION_STATIC,
	 6,
	 false,
	 {{8, 4, 0, 0, '-', 0}, {8, 4, 0, 0, '-', 0}},
	 "4 2"},
	{"running jobs are not",
	 SLU_ION_STATIC,
	 6,
	 false,
	 {{8, 4, 0, 0, '-', 0}, {8, 4, 0, 0, 'e', 4}},
	 "2 4"},
	{"nor made larger",
	 SLU_ION_STATIC,
	 8,
	 false,
	 {{8, 4, 0, 0, 'e', 1}, {8, 4, 0, 0, '-', 0}},
	 "1 4"},
	{"the knapsack leaves one to share",
	 SLU_ION_STATIC,
	 2,
	 false,
	 {{1, 1, 50, 1, '-', 0}, {1, 1, 90, 1, '-', 0}, {1, 1, 60, 1, '-', 0}},
	 "s 1 s"},
	{"a new job joins those who share",
	 SLU_ION_STATIC,
	 2,
	 false,
	 {{1, 1, 0, 0, 's', 0}, {1, 1, 0, 0, 'e', 1}, {1, 1, 0, 0, '-', 0}},
	 "s 1 s"},
	{"who shares goes on sharing",
	 SLU_ION_STATIC,
	 4,
	 false,
	 {{1, 1, 0, 0, 's', 0}, {8, 4, 0, 0, '-', 0}},
	 "s 2"},
	{"all are held: the new ones share",
	 SLU_ION_STATIC,
	 2,
	 false,
	 {{2, 2, 0, 0, 'e', 2}, {1, 1, 9, 1, '-', 0}},
	 "2 s"},
	{"direct access instead of sharing",
	 SLU_ION_STATIC,
	 1,
	 true,
	 {{1, 1, 0, 0, '-', 0}, {1, 1, 0, 0, '-', 0}},
	 "1 0"},
	{"what it holds is no choice any more",
	 SLU_ION_STATIC,
	 8,
	 false,
	 {{8, 4, 0, 0, 'e', 3}},
	 "4"},
	{"more to whom it helps",
	 SLU_ION_MCKP,
	 5,
	 false,
	 {{8, 2, 100, 1, '-', 0}, {8, 2, 30, 4, '-', 0}},
	 "1 4"},
	{"less than the pool if more is of no use",
	 SLU_ION_MCKP,
	 20,
	 false,
	 {{8, 2, 100, 1, 'e', 1}, {8, 2, 30, 4, 'e', 4}},
	 "1 4"},
	{"new jobs, too",
	 SLU_ION_MCKP,
	 20,
	 false,
	 {{8, 2, 100, 1, '-', 0}, {8, 2, 30, 4, '-', 0}, {8, 2, 9, 4, 'e', 4}},
	 "1 4 4"},
	{"the unknown as STATIC",
	 SLU_ION_MCKP,
	 8,
	 false,
	 {{8, 2, 0, 0, '-', 0}, {8, 2, 30, 8, '-', 0}},
	 "2 4"},
	{"the unknown lowered",
	 SLU_ION_MCKP,
	 4,
	 false,
	 {{8, 4, 0, 0, '-', 0}, {8, 4, 30, 8, '-', 0}},
	 "2 2"},
	{"a tie is for who has it",
	 SLU_ION_MCKP,
	 3,
	 false,
	 {{2, 1, 10, 2, '-', 0}, {2, 1, 10, 2, 'e', 2}},
	 "1 2"},
	{"the first one otherwise",
	 SLU_ION_MCKP,
	 3,
	 false,
	 {{2, 1, 10, 2, 'e', 2}, {2, 1, 10, 2, '-', 0}},
	 "2 1"},
	{"the weakest share",
	 SLU_ION_MCKP,
	 3,
	 false,
	 {{1, 1, 5, 1, '-', 0},
	  {1, 1, 9, 1, '-', 0},
	  {1, 1, 7, 1, '-', 0},
	  {1, 1, 8, 1, '-', 0}},
	 "s 1 s 1"},
	{"a mean is assumed of the unknown",
	 SLU_ION_MCKP,
	 2,
	 false,
	 {{1, 1, 4, 1, '-', 0}, {1, 1, 0, 0, '-', 0}, {1, 1, 6, 1, '-', 0}},
	 "s s 1"},
	{"one I/O node for two",
	 SLU_ION_MCKP,
	 1,
	 false,
	 {{1, 1, 4, 1, '-', 0}, {1, 1, 6, 1, '-', 0}},
	 "s s"},
	{"running jobs are not made to share",
	 SLU_ION_STATIC,
	 1,
	 false,
	 {{1, 1, 1, 1, 'e', 1}, {1, 1, 99, 1, '-', 0}},
	 "1 s"},
	{"the mean beats a weak one",
	 SLU_ION_MCKP,
	 3,
	 false,
	 {{1, 1, 1, 1, '-', 0},
	  {1, 1, 0, 0, '-', 0},
	  {1, 1, 2, 1, '-', 0},
	  {1, 1, 9, 1, '-', 0}},
	 "s 1 s 1"},
	{"who asked for none shares none",
	 SLU_ION_MCKP,
	 1,
	 false,
	 {{1, 1, 4, 1, '-', 0}, {8, 0, 50, 8, '-', 0}, {1, 1, 6, 1, '-', 0}},
	 "s 0 s"},
	{"no I/O node at all",
	 SLU_ION_MCKP,
	 0,
	 false,
	 {{1, 1, 4, 1, '-', 0}, {1, 1, 0, 0, 'e', 1}},
	 "0 0"},
	{"none, but one where direct access is not allowed",
	 SLU_ION_ZERO,
	 4,
	 false,
	 {{8, 4, 50, 8, '-', 0}, {8, 4, 0, 0, 'e', 4}},
	 "1 1"},
	{"none", SLU_ION_ZERO, 4, true, {{8, 4, 50, 8, 'e', 2}}, "0"},
	{"one each",
	 SLU_ION_ONE,
	 4,
	 true,
	 {{8, 4, 50, 8, '-', 0}, {3, 3, 0, 0, 'e', 3}},
	 "1 1"},
	{"one each, and too few: direct access",
	 SLU_ION_ONE,
	 1,
	 true,
	 {{8, 4, 50, 8, '-', 0}, {3, 3, 0, 0, '-', 0}},
	 "1 0"},
	{"by nodes: round(12 x 8 / 14) is 7, and 4 divides 8",
	 SLU_ION_SIZE,
	 12,
	 false,
	 {{8, 1, 0, 0, '-', 0}, {4, 1, 0, 0, 'e', 1}, {2, 1, 0, 0, '-', 0}},
	 "4 2 2"},
	{"by tasks, 8, 16 and 24 of 48",
	 SLU_ION_PROCESS,
	 12,
	 false,
	 {{8, 1, 0, 0, '-', 0}, {8, 1, 0, 0, 'e', 1}, {8, 1, 0, 0, '-', 0}},
	 "2 4 4"},
	{"rounding up may ask for more than there is",
	 SLU_ION_SIZE,
	 3,
	 false,
	 {{8, 1, 0, 0, '-', 0}, {8, 1, 0, 0, '-', 0}},
	 "2 1"},
	{"the best for each, as far as it goes",
	 SLU_ION_ORACLE,
	 7,
	 false,
	 {{8, 2, 50, 4, '-', 0}, {8, 2, 0, 0, '-', 0}, {8, 2, 10, 2, 'e', 1}},
	 "2 2 2"},
	{"nobody runs", SLU_ION_MCKP, 4, false, {{0}}, ""},
};

static size_t set_up(const struct policy_case *c, struct slu_ion_job *job,
		     uint32_t (*choice)[8], struct slu_curve *curve)
{
	size_t n = 0;

	for (; n < 4 && c->job[n].nodes; n++) {
		const struct case_job *j = &c->job[n];

		job[n] = (struct slu_ion_job){
			.choice = choice[n],
			.n = slu_ion_choices(j->nodes, j->usual ? 8 : 0,
					     c->direct, choice[n], 8),
			.usual = j->usual,
			.nodes = j->nodes,
			.tasks = j->nodes * (uint32_t)(n + 1),
			.curve = j->per > 0 ? &curve[n] : NULL,
			.holds = j->has != '-',
			.shares = j->has == 's',
			.held = j->held,
		};
		curve[n].n = 0;
		for (uint32_t k = 1; k <= 8; k++)
			slu_curve_add(&curve[n], k,
				      j->per * (k < j->flat ? k : j->flat));
	}
	return n;
}

START_TEST(test_grants_of_each_policy)
{
	struct slu_ion_division *d = slu_ion_division_new(NULL);
	struct slu_ion_proof proof;

	each(c, policy_cases)
	{
		struct slu_ion_job job[4];
		struct slu_ion_grant grant[4];
		struct slu_curve curve[4];
		uint32_t choice[4][8];
		size_t n = set_up(c, job, choice, curve);
		char text[64] = "";
		struct slu_err err;

		expect_ok(slu_ion_decide(d, c->policy, c->pool, job, n, grant,
					 &proof, &err),
			  err);
		ck_assert(proof.proved);
		for (size_t i = 0; i < n; i++)
			sprintf(text + strlen(text),
				grant[i].shared ? "%ss" : "%s%u", i ? " " : "",
				grant[i].ions);
		expect(strcmp(text, c->want) == 0, "%s: %s, not %s", c->what,
		       text, c->want);
	}
	slu_ion_division_free(d);
}
END_TEST

START_TEST(test_bandwidth)
{
	static const struct policy_case c = {"",
					     SLU_ION_MCKP,
					     2,
					     false,
					     {{1, 1, 5, 1, '-', 0},
					      {1, 1, 9, 1, '-', 0},
					      {1, 1, 0, 0, '-', 0}},
					     ""};
	struct slu_ion_job job[4];
	struct slu_ion_grant grant[4];
	struct slu_curve curve[4];
	uint32_t choice[4][8];
	struct slu_ion_division *d = slu_ion_division_new(NULL);
	struct slu_err err;

	set_up(&c, job, choice, curve);
	expect_ok(
		slu_ion_decide(d, c.policy, c.pool, job, 3, grant, NULL, &err),
		err);
	slu_ion_division_free(d);
	ck_assert_double_eq(grant[0].bandwidth, 5.0 / 3);
	ck_assert_double_eq(grant[1].bandwidth, 9);
	ck_assert_double_eq(grant[2].bandwidth, 0);
}
END_TEST

/* Table 4 of the paper, from the points that it prints; 0 MB/s: not printed.
 * Twelve I/O nodes, STATIC with C = 512. */
START_TEST(test_table4)
{
	static const struct {
		const char *app;
		uint32_t nodes, fixed, best;
		struct slu_mckp_item item[2];
	} apps[] = {
		{"BT-C", 32, 1, 0, {{0, 195.7}, {1, 77.6}}},
		{"BT-D", 64, 2, 1, {{1, 597.2}, {2, 594.2}}},
		{"IOR-MPI", 16, 1, 8, {{1, 268.4}, {8, 5089.9}}},
		{"POSIX-L", 64, 2, 2, {{2, 411.9}}},
		{"MAD", 32, 1, 0, {{0, 255.9}, {1, 77.8}}},
		{"S3D", 64, 2, 0, {{0, 241.3}, {2, 48.1}}},
	};
	enum { APPS = sizeof(apps) / sizeof(*apps) };
	struct slu_mckp_class class[APPS];
	struct slu_mckp_problem problem = {class, APPS, 12};
	uint32_t got[APPS], choice[8];
	struct slu_mckp_solution best = {.choice = got};
	struct slu_mckp *solver;
	double fixed = 0;

	for (int i = 0; i < APPS; i++) {
		const struct slu_mckp_item *item = apps[i].item;
		size_t n = slu_ion_choices(apps[i].nodes, 8, true, choice, 8);
		uint32_t usual =
			slu_ion_usual(apps[i].nodes, 512, 12, choice, n);

		class[i] = (struct slu_mckp_class){
			item, item[1].value > 0 ? 2 : 1, SLU_MCKP_NONE};
		expect(usual == apps[i].fixed, "%s: STATIC %u", apps[i].app,
		       usual);
		fixed += item[item[0].weight == usual ? 0 : 1].value;
	}
	ck_assert_double_eq_tol(fixed, 1478.0, 0.05);
	solver = slu_mckp_setup(&problem, NULL, NULL);
	slu_mckp_solve(solver, &best, NULL);
	for (int i = 0; i < APPS; i++)
		expect(apps[i].item[got[i]].weight == apps[i].best,
		       "%s: MCKP %u", apps[i].app, apps[i].item[got[i]].weight);
	ck_assert_double_eq_tol(best.value, 6791.9, 0.05);
	slu_mckp_free(solver);
}
END_TEST

TEST_MAIN("policy", test_table4, test_choices, test_usual_number,
	  test_grants_of_each_policy, test_bandwidth)
