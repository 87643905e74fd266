/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the solver of the multiple-choice knapsack problem against trying all
 * choices. */
#include "config.h"
#include "tests/unit/select_io/mckp_solve.h"
#include "tests/unit/random.h"
#include <math.h>

#define MAX_CLASSES 5
#define MAX_ITEMS   5

struct instance {
	struct slu_mckp_item item[MAX_CLASSES][MAX_ITEMS];
	struct slu_mckp_class class[MAX_CLASSES];
	struct slu_mckp_problem problem;
	uint32_t choice[MAX_CLASSES];
};

/* What a choice is worth, in the order in which solutions are compared. */
struct worth {
	long long value; /* in units */
	int held;
};

static struct worth worth_of(const struct slu_mckp_problem *p,
			     const uint32_t *choice, double unit)
{
	struct worth w = {0};

	for (uint32_t i = 0; i < p->n; i++) {
		const struct slu_mckp_class *c = &p->class[i];

		w.value += llround(c->item[choice[i]].value / unit);
		w.held += choice[i] == c->hold;
	}
	return w;
}

static uint64_t weight_of(const struct slu_mckp_problem *p,
			  const uint32_t *choice)
{
	uint64_t weight = 0;

	for (uint32_t i = 0; i < p->n; i++)
		weight += p->class[i].item[choice[i]].weight;
	return weight;
}

static bool better(struct worth a, struct worth b)
{
	if (a.value != b.value)
		return a.value > b.value;
	return a.held > b.held;
}

/* Try every choice, as an odometer counts. */
static bool brute_force(const struct slu_mckp_problem *p, double unit,
			struct worth *best)
{
	uint32_t choice[MAX_CLASSES] = {0};
	bool found = false;

	for (;;) {
		struct worth w = worth_of(p, choice, unit);
		uint32_t i = 0;

		if (weight_of(p, choice) <= p->capacity &&
		    (!found || better(w, *best))) {
			*best = w;
			found = true;
		}
		while (i < p->n && ++choice[i] == p->class[i].n)
			choice[i++] = 0;
		if (i == p->n)
			return found;
	}
}

enum kind {
	REAL,
	TIES,
	PARITY,
	IDENTICAL,
	CORRELATED,
	HUGE_ONES,
	ZEROES,
	KINDS
};

static struct slu_mckp_item random_item(enum kind kind, uint64_t *seed)
{
	uint32_t w = (uint32_t)slu_random(seed, 9);
	double v = (double)slu_random(seed, 1000000) / 997;

	switch (kind) {
	case REAL:
	case IDENTICAL:
	case KINDS:
		break;
	case TIES:
		v = (double)slu_random(seed, 4);
		break;
	case PARITY:
		return (struct slu_mckp_item){2 * w, 100 * w + v / 1000};
	case CORRELATED:
		return (struct slu_mckp_item){w, w + 10};
	case HUGE_ONES:
		v = SLU_MCKP_MAX_VALUE - (double)slu_random(seed, 3);
		break;
	case ZEROES:
		v = 0;
		break;
	}
	return (struct slu_mckp_item){w, v};
}

static void random_instance(struct instance *t, enum kind kind, uint64_t *seed)
{
	uint32_t n = (uint32_t)slu_random(seed, MAX_CLASSES + 1);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t m = 1 + (uint32_t)slu_random(seed, MAX_ITEMS);

		for (uint32_t j = 0; j < m; j++)
			t->item[i][j] = random_item(kind, seed);
		t->class[i] = (struct slu_mckp_class){t->item[i], m, 0};
		if (kind == IDENTICAL && i > 0)
			t->class[i] = t->class[0];
		t->class[i].hold =
			(uint32_t)slu_random(seed, t->class[i].n + 1);
		if (t->class[i].hold == t->class[i].n)
			t->class[i].hold = SLU_MCKP_NONE;
	}
	t->problem.class = t->class;
	t->problem.n = n;
	t->problem.capacity =
		(uint32_t)slu_random(seed, kind == PARITY ? 50 : 25);
	if (kind == PARITY)
		t->problem.capacity |= 1;
}

static void check_instance(struct instance *t, int number)
{
	const struct slu_mckp_problem *p = &t->problem;
	struct slu_mckp_info info;
	struct slu_mckp_solution s = solve(p, t->choice, &info);
	struct worth want = {0}, got;
	double value = 0;

	expect(s.feasible == brute_force(p, info.unit, &want), "%d", number);
	if (!s.feasible)
		return;
	got = worth_of(p, t->choice, info.unit);
	expect(got.value == want.value && got.held == want.held,
	       "%d: %lld/%d, not %lld/%d, by %d", number, got.value, got.held,
	       want.value, want.held, info.by);
	expect(s.weight == weight_of(p, t->choice) && s.weight <= p->capacity,
	       "%d", number);
	expect(info.proved, "%d", number);
	for (uint32_t i = 0; i < p->n; i++)
		value += p->class[i].item[t->choice[i]].value;
	expect(fabs(value - s.value) <= info.unit * p->n / 2 + 1e-12 * value,
	       "%d", number);
	expect(info.bound >= value * (1 - 1e-15) && info.gap >= -info.unit,
	       "%d: bound %f of %f, gap %f", number, info.bound, value,
	       info.gap);
}

static int by_weight(const void *a, const void *b)
{
	const struct slu_mckp_item *x = a, *y = b;

	return (x->weight > y->weight) - (x->weight < y->weight);
}

/* As callers have them, and as a small problem must be. */
static void sort_items(struct instance *t)
{
	for (uint32_t i = 0; i < t->problem.n; i++)
		qsort(t->item[i], t->class[i].n, sizeof(t->item[i][0]),
		      by_weight);
}

/* Every kind of value, by every method, against trying all choices. */
START_TEST(test_brute_force)
{
	static struct instance t;
	uint64_t seed = 1;

	for (int i = 0; i < 8000; i++) {
		random_instance(&t, (enum kind)(i % KINDS), &seed);
		if (i / KINDS & 1)
			sort_items(&t);
		for (method = SLU_MCKP_AUTO; method <= SLU_MCKP_SEARCH;
		     method++)
			check_instance(&t, i);
	}
	method = SLU_MCKP_AUTO;
}
END_TEST

/* Near-equal slopes, weights in twos or threes, some jobs odd: remainders
 * decide, and the searches must agree with the table, whatever they give up. */
START_TEST(test_remainders)
{
	static struct slu_mckp_item item[400][8];
	static struct slu_mckp_class class[400];
	static uint32_t choice[400];
	uint64_t seed = 3;
	int by_core = 0;

	for (int i = 0; i < 120; i++) {
		uint32_t n = 20 + (uint32_t)slu_random(&seed, 380);
		uint32_t step = 2 + i % 4;
		struct slu_mckp_problem p = {
			class, n, (uint32_t)slu_random(&seed, n * step)};
		struct slu_mckp_info info;
		double table;

		for (uint32_t k = 0; k < n; k++) {
			for (uint32_t j = 0; j < 8; j++) {
				uint32_t w = step * j;

				item[k][j] = (struct slu_mckp_item){
					w - (j == 5 && !slu_random(&seed, 9)),
					100.0 * w + (double)slu_random(&seed,
								       1000) /
							    1000};
			}
			class[k] = (struct slu_mckp_class){item[k], 8,
							   SLU_MCKP_NONE};
		}
		method = SLU_MCKP_TABLE;
		table = solve(&p, choice, NULL).value;
		method = SLU_MCKP_SEARCH;
		expect(fabs(solve(&p, choice, &info).value - table) < 1e-9 &&
			       info.proved && info.bound >= table,
		       "%d: by %d", i, info.by);
		expect(weight_of(&p, choice) <= p.capacity, "%d", i);
		by_core += info.by == SLU_MCKP_BY_CORE;
	}
	ck_assert_int_gt(by_core, 20);
	method = SLU_MCKP_AUTO;
}
END_TEST

/* What is small, what is just too large to be: the same answer as by search. */
START_TEST(test_small_problems_against_search)
{
	static struct slu_mckp_item item[33][16];
	static struct slu_mckp_class class[33];
	static uint32_t choice[33];
	uint64_t seed = 9;
	int small = 0;

	for (int i = 0; i < 3000; i++) {
		uint32_t n = (uint32_t)slu_random(&seed, 34);
		uint32_t gap = 1 + (uint32_t)slu_random(&seed, 12);
		uint32_t hold = (uint32_t)slu_random(&seed, 2);
		double top = pow(10, (double)slu_random(&seed, 7));
		struct slu_mckp_problem p = {class, n,
					     (uint32_t)slu_random(&seed, 400)};
		struct slu_mckp_info info;
		struct slu_mckp_solution s;
		struct worth one, other;

		for (uint32_t k = 0; k < n; k++) {
			uint32_t w = (uint32_t)slu_random(&seed, 3), j;

			class[k] = (struct slu_mckp_class){item[k], 0,
							   SLU_MCKP_NONE};
			for (j = 0; j <= slu_random(&seed, 16); j++) {
				item[k][j].weight = w;
				item[k][j].value =
					top * (double)slu_random(&seed, 99999) /
					1000;
				w += 1 + (uint32_t)slu_random(&seed, gap);
			}
			class[k].n = j;
			if (hold)
				class[k].hold = (uint32_t)slu_random(&seed, j);
		}
		method = SLU_MCKP_SEARCH;
		s = solve(&p, choice, &info);
		if (!s.feasible)
			continue;
		one = worth_of(&p, choice, info.unit);
		method = SLU_MCKP_AUTO;
		s = solve(&p, choice, &info);
		other = worth_of(&p, choice, info.unit);
		expect(s.feasible && info.proved && s.weight <= p.capacity &&
			       s.weight == weight_of(&p, choice) &&
			       one.value == other.value &&
			       one.held == other.held,
		       "%d: %lld/%d and %lld/%d", i, one.value, one.held,
		       other.value, other.held);
		small += info.by == SLU_MCKP_BY_TABLE && info.gap == 0;
	}
	ck_assert_int_gt(small, 500);
	method = SLU_MCKP_AUTO;
}
END_TEST

/* A small problem that was solved as it was loaded, and then goes on: it is
 * known what was chosen, what is held and what has changed. */
START_TEST(test_small_grows_up)
{
	static const struct slu_mckp_item item[] = {{1, 10}, {2, 15}, {4, 19}};
	struct slu_mckp_class class[] = {{item, 3, SLU_MCKP_NONE},
					 {item, 3, SLU_MCKP_NONE}};
	struct slu_mckp_problem p = {class, 2, 6};
	uint32_t choice[3], id, heavy;
	struct slu_mckp_solution s = {.choice = choice};
	struct slu_err err;
	struct slu_mckp *m = slu_mckp_setup(&p, NULL, &err);

	ck_assert_msg(m != NULL, "%s", err.text);
	ck_assert_uint_eq(slu_mckp_choice(m, 0), SLU_MCKP_NONE);
	slu_mckp_solve(m, &s, NULL);
	ck_assert_double_eq_tol(s.value, 34, 1e-9);
	ck_assert_uint_eq(s.n_changed, 2);
	ck_assert_uint_eq(choice[0] + choice[1], 3);
	heavy = choice[0] == 2 ? 0 : 1;
	ck_assert_uint_eq(slu_mckp_choice(m, heavy), 2);
	slu_mckp_solve(m, &s, NULL);
	ck_assert_uint_eq(s.n_changed, 0);
	slu_mckp_keep(m);
	slu_mckp_solve(m, &s, NULL); /* of the two, the same one has more */
	ck_assert_uint_eq(s.n_changed, 0);
	ck_assert_uint_eq(choice[heavy], 2);
	expect_ok(slu_mckp_add(m, &class[0], &id, &err), err);
	ck_assert_uint_eq(id, 2);
	slu_mckp_solve(m, &s, NULL);
	ck_assert_double_eq_tol(s.value, 45, 1e-9);
	ck_assert_uint_eq(choice[0] + choice[1] + choice[2], 3);
	ck_assert_uint_eq(choice[1 - heavy], 1); /* it had that */
	slu_mckp_remove(m, id);
	slu_mckp_capacity(m, 2);
	slu_mckp_solve(m, &s, NULL);
	ck_assert_double_eq_tol(s.value, 20, 1e-9);
	expect_ok(slu_mckp_load(m, &p, &err), err);
	slu_mckp_solve(m, &s, NULL);
	ck_assert_double_eq_tol(s.value, 34, 1e-9);
	ck_assert_uint_eq(s.n_changed, 2);
	slu_mckp_remove(m, 0);
	slu_mckp_solve(m, &s, NULL);
	ck_assert_double_eq_tol(s.value, 19, 1e-9);
	slu_mckp_free(m);
}
END_TEST

/* Worked out by hand: three jobs with choices 1, 2 and 4. */
START_TEST(test_known_answer)
{
	static const struct slu_mckp_item a[] = {{1, 10}, {2, 18}, {4, 20}};
	static const struct slu_mckp_item b[] = {{1, 5}, {2, 30}, {4, 70}};
	static const struct slu_mckp_item c[] = {{1, 8}, {2, 9}, {4, 9.5}};
	struct slu_mckp_class class[] = {{a, 3, SLU_MCKP_NONE},
					 {b, 3, SLU_MCKP_NONE},
					 {c, 3, SLU_MCKP_NONE}};
	static const struct {
		uint32_t capacity, choice[3];
		double value;
	} cases[] = {
		{3, {0, 0, 0}, 23},    {4, {0, 1, 0}, 48},
		{5, {1, 1, 0}, 56},    {6, {0, 2, 0}, 88},
		{7, {1, 2, 0}, 96},    {8, {1, 2, 1}, 97},
		{12, {2, 2, 2}, 99.5}, {4000000000u, {2, 2, 2}, 99.5},
	};

	each(t, cases)
	{
		struct slu_mckp_problem p = {class, 3, t->capacity};
		uint32_t choice[3];
		struct slu_mckp_solution s = solve(&p, choice, NULL);

		expect(s.feasible && fabs(s.value - t->value) < 1e-9, "%u: %f",
		       t->capacity, s.value);
		for (int i = 0; i < 3; i++)
			expect(choice[i] == t->choice[i], "%u: class %d",
			       t->capacity, i);
	}
}
END_TEST

START_TEST(test_infeasible)
{
	static const struct slu_mckp_item heavy = {5, 1}, light = {3, 1};
	struct slu_mckp_class class[] = {{&light, 1, 0}, {&light, 1, 0}};
	struct slu_mckp_problem p = {class, 2, 5};
	uint32_t choice[2] = {77, 78};
	struct slu_mckp_info info;

	ck_assert(!solve(&p, choice, &info).feasible);
	ck_assert(choice[0] == 77 && choice[1] == 78);
	ck_assert(info.bound == 0 && info.gap == 0);
	p.capacity = 6;
	ck_assert(solve(&p, choice, NULL).feasible);
	class[1].item = &heavy;
	p.capacity = 4;
	ck_assert(!solve(&p, choice, NULL).feasible);
}
END_TEST

/* The gap is real: one fat item that does not fit, and no smaller one. */
START_TEST(test_certificate)
{
	static const struct slu_mckp_item item[] = {{0, 0}, {2, 10}};
	static const struct slu_mckp_item dented[] = {{0, 0}, {1, 1}, {2, 10}};
	struct slu_mckp_class class[] = {{item, 2, SLU_MCKP_NONE},
					 {item, 2, SLU_MCKP_NONE}};
	struct slu_mckp_problem p = {class, 2, 3};
	struct slu_mckp_info info;
	uint32_t choice[2];

	method = SLU_MCKP_SEARCH;
	ck_assert_double_eq_tol(solve(&p, choice, &info).value, 10, 1e-9);
	/* weights in twos: the third I/O node is of no use to anybody */
	ck_assert_double_eq_tol(info.gap, 0, 0.001);
	ck_assert_double_eq_tol(info.bound, 10, 0.002);
	p.capacity = 4;
	ck_assert_double_eq_tol(solve(&p, choice, &info).value, 20, 1e-9);
	ck_assert_double_eq_tol(info.gap, 0, 0.001);
	class[0].item = dented;
	class[0].n = 3;
	p.capacity = 3; /* along the hull every I/O node is worth 5 */
	ck_assert_double_eq_tol(solve(&p, choice, &info).value, 11, 1e-9);
	ck_assert_double_eq_tol(info.bound, 15, 0.002);
	method = SLU_MCKP_AUTO; /* all choices were looked at */
	ck_assert_double_eq_tol(solve(&p, choice, &info).value, 11, 1e-9);
	ck_assert_double_eq_tol(info.bound, 11, 0.002);
}
END_TEST

TEST_MAIN("mckp", test_brute_force, test_small_problems_against_search,
	  test_small_grows_up, test_remainders, test_known_answer,
	  test_infeasible, test_certificate)
