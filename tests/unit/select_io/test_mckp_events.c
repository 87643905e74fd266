/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests the incremental knapsack solver against a full solve: random classes
 * are added and removed, the capacity changes, held items are kept. After every
 * event the values of both must be equal, and also the numbers of held items;
 * and every change must have been reported.
 */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include <math.h>
#include "select_io/mckp/mckp.h"

#define MAX_JOBS  160
#define MAX_ITEMS 8

enum kind {
	CURVES,	    /* saturating, with noise; 0 and powers of two */
	TYPES,	    /* eight kinds of jobs: most are identical */
	PARITY,	    /* even weights, an odd capacity, slopes nearly equal */
	NEARLY,	    /* the same, and now and then an odd job */
	CORRELATED, /* value = weight + 10 */
	RAGGED,	    /* anything */
	KINDS
};

struct job {
	struct slu_mckp_item item[MAX_ITEMS];
	uint32_t n, chosen, hold;
	bool used;
};

struct world {
	struct job job[MAX_JOBS];
	uint32_t n;
	uint32_t capacity;
	uint64_t seed;
	enum kind kind;
};

static uint32_t below(struct world *w, uint32_t n)
{
	return (uint32_t)slu_random(&w->seed, n);
}

static double noise(struct world *w)
{
	return (double)below(w, 100000) / 1e5;
}

static void curve(struct job *j, double top, double half, double dent,
		  uint32_t scale)
{
	j->n = MAX_ITEMS;
	for (uint32_t i = 0; i < MAX_ITEMS; i++) {
		uint32_t ions = i ? 1u << (i - 1) : 0;

		j->item[i] = (struct slu_mckp_item){
			ions * scale,
			top * (ions + dent * (i % 3)) / (ions + half)};
	}
}

static void make_job(struct world *w, struct job *j)
{
	uint32_t type = below(w, 8);

	*j = (struct job){
		.used = true, .chosen = SLU_MCKP_NONE, .hold = SLU_MCKP_NONE};
	switch (w->kind) {
	case CURVES:
	case KINDS:
		curve(j, 100 + 4000 * noise(w), 1 + 30 * noise(w), noise(w), 1);
		return;
	case TYPES:
		curve(j, 100 + 500 * type, 1 + type, 0.3, 1);
		return;
	case PARITY:
	case NEARLY:
		j->n = MAX_ITEMS;
		for (uint32_t i = 0; i < MAX_ITEMS; i++)
			j->item[i] = (struct slu_mckp_item){
				2 * i, 200.0 * i + noise(w)};
		if (w->kind == NEARLY && below(w, 10) == 0)
			j->item[5] =
				(struct slu_mckp_item){7, 600 + 90 * noise(w)};
		return;
	case CORRELATED:
		j->n = 1 + below(w, MAX_ITEMS);
		for (uint32_t i = 0; i < j->n; i++) {
			uint32_t weight = below(w, 12);

			j->item[i] =
				(struct slu_mckp_item){weight, weight + 10.0};
		}
		return;
	case RAGGED:
		j->n = 1 + below(w, MAX_ITEMS);
		for (uint32_t i = 0; i < j->n; i++)
			j->item[i] = (struct slu_mckp_item){
				below(w, 30) * below(w, 3),
				(double)below(w, 4000)};
		return;
	}
}

/* The same problem from nothing, by the table. */
static struct slu_mckp_solution by_table(const struct world *w, double *held)
{
	static struct slu_mckp_class class[MAX_JOBS];
	static uint32_t choice[MAX_JOBS];
	struct slu_mckp_settings settings = {.method = SLU_MCKP_TABLE};
	struct slu_mckp_solution s = {.choice = choice};
	struct slu_mckp_problem p = {class, 0, w->capacity};
	struct slu_mckp_info info;
	struct slu_mckp *m;
	uint32_t k = 0;

	for (const struct job *j = w->job; j < w->job + MAX_JOBS; j++)
		if (j->used)
			class[p.n++] =
				(struct slu_mckp_class){j->item, j->n, j->hold};
	m = slu_mckp_setup(&p, &settings, NULL);
	slu_mckp_solve(m, &s, &info);
	slu_mckp_free(m);
	*held = 0;
	for (const struct job *j = w->job; j < w->job + MAX_JOBS; j++)
		if (j->used)
			*held += s.feasible && choice[k++] == j->hold;
	return s;
}

static void check(struct world *w, struct slu_mckp *m, int step)
{
	struct slu_mckp_solution s = {.choice = NULL}, want;
	struct slu_mckp_info info;
	double held = 0, want_held, value = 0;
	uint64_t weight = 0;

	want = by_table(w, &want_held);
	slu_mckp_solve(m, &s, &info);
	expect(s.feasible == want.feasible, "kind %d step %d", w->kind, step);
	if (!s.feasible)
		return;
	for (uint32_t i = 0; i < s.n_changed; i++) {
		struct job *j = &w->job[s.changed[i]];
		uint32_t now = slu_mckp_choice(m, s.changed[i]);

		expect(now != j->chosen, "kind %d step %d", w->kind, step);
		j->chosen = now;
	}
	for (uint32_t i = 0; i < MAX_JOBS; i++) {
		const struct job *j = &w->job[i];

		if (!j->used)
			continue;
		expect(slu_mckp_choice(m, i) == j->chosen,
		       "kind %d step %d: job %u", w->kind, step, i);
		held += j->chosen == j->hold;
		weight += j->item[j->chosen].weight;
		value += j->item[j->chosen].value;
	}
	expect(info.proved, "kind %d step %d", w->kind, step);
	expect(fabs(s.value - want.value) < 1e-6 * want.value + 1e-9,
	       "kind %d step %d by %d: %f, not %f", w->kind, step, info.by,
	       s.value, want.value);
	expect(fabs(value - s.value) <= info.unit * w->n, "kind %d step %d",
	       w->kind, step);
	expect(weight == s.weight && weight <= w->capacity, "kind %d step %d",
	       w->kind, step);
	expect(info.bound >= value - 1e-9 && info.gap >= -1e-6,
	       "kind %d step %d: %f of %f", w->kind, step, info.bound, value);
	expect(info.by == SLU_MCKP_BY_GROUP ? held >= want_held - 8
					    : held == want_held,
	       "kind %d step %d by %d: holds %.0f, not %.0f", w->kind, step,
	       info.by, held, want_held);
}

static void add(struct world *w, struct slu_mckp *m)
{
	struct slu_mckp_class class;
	struct slu_err err;
	struct job j;
	uint32_t id;

	if (w->n == MAX_JOBS)
		return;
	make_job(w, &j);
	if (below(w, 4) == 0)
		j.hold = below(w, j.n);
	class = (struct slu_mckp_class){j.item, j.n, j.hold};
	expect_ok(slu_mckp_add(m, &class, &id, &err), err);
	ck_assert(id < MAX_JOBS && !w->job[id].used);
	w->job[id] = j;
	w->n++;
}

static void drop(struct world *w, struct slu_mckp *m)
{
	uint32_t id = below(w, MAX_JOBS);

	if (!w->job[id].used)
		return;
	slu_mckp_remove(m, id);
	w->job[id].used = false;
	w->n--;
}

static void keep(struct world *w, struct slu_mckp *m)
{
	slu_mckp_keep(m);
	for (uint32_t i = 0; i < MAX_JOBS; i++)
		if (w->job[i].used && w->job[i].chosen != SLU_MCKP_NONE)
			w->job[i].hold = w->job[i].chosen;
}

static void event(struct world *w, struct slu_mckp *m, uint32_t jobs)
{
	switch (below(w, 12)) {
	case 0:
		w->capacity = below(w, 2 * w->n + 4) | (w->kind == PARITY);
		slu_mckp_capacity(m, w->capacity);
		break;
	case 1:
	case 2:
		keep(w, m);
		break;
	default:
		if (w->n < jobs)
			add(w, m);
		else
			drop(w, m);
		if (below(w, 3) == 0)
			drop(w, m);
	}
}

static void run(enum kind kind, uint64_t seed, uint32_t jobs, int steps)
{
	struct slu_mckp_problem none = {.capacity = 20};
	struct slu_mckp *m = slu_mckp_setup(&none, NULL, NULL);
	static struct world w;

	w = (struct world){.seed = seed, .kind = kind, .capacity = 20};
	for (int i = 0; i < steps; i++) {
		event(&w, m, jobs);
		check(&w, m, i);
	}
	slu_mckp_free(m);
}

START_TEST(test_few_jobs)
{
	for (uint64_t seed = 0; seed < 60; seed++)
		run((enum kind)(_i), seed, 1 + (uint32_t)seed % 12, 60);
}
END_TEST

START_TEST(test_many_jobs)
{
	for (uint64_t seed = 0; seed < 6; seed++)
		run((enum kind)(_i), 100 + seed, 130, 150);
}
END_TEST

/* The unit grows with the first huge value, and everything stays right. */
START_TEST(test_unit_grows)
{
	static const struct slu_mckp_item small[] = {{0, 0}, {1, 1}, {2, 3}};
	static const struct slu_mckp_item huge[] = {{0, 0}, {2, 1e12}};
	struct slu_mckp_class class = {small, 3, SLU_MCKP_NONE};
	struct slu_mckp_problem p = {&class, 1, 3};
	struct slu_mckp *m = slu_mckp_setup(&p, NULL, NULL);
	struct slu_mckp_solution s = {.choice = NULL};
	struct slu_mckp_info info;
	struct slu_err err;
	uint32_t id;

	slu_mckp_solve(m, &s, &info);
	ck_assert(info.unit == 0.001 && slu_mckp_choice(m, 0) == 2);
	class = (struct slu_mckp_class){huge, 2, SLU_MCKP_NONE};
	expect_ok(slu_mckp_add(m, &class, &id, &err), err);
	slu_mckp_solve(m, &s, &info);
	ck_assert_uint_eq(slu_mckp_choice(m, id), 1);
	ck_assert(info.unit > 0.001 && info.bound >= 1e12);
	slu_mckp_free(m);
}
END_TEST

/*
 * With a limit on the table's size, what does not fit is reported, not hidden.
 */
START_TEST(test_small_table)
{
	struct slu_mckp_problem none = {.capacity = 61};
	struct slu_mckp_settings tiny = {.max_bytes = 64,
					 .method = SLU_MCKP_TABLE};
	struct slu_mckp *m = slu_mckp_setup(&none, &tiny, NULL);
	static struct world w = {.kind = NEARLY};
	struct slu_mckp_solution s = {.choice = NULL};
	struct slu_mckp_info info;

	for (int i = 0; i < 40; i++)
		add(&w, m);
	slu_mckp_solve(m, &s, &info);
	ck_assert(s.feasible && !info.proved && info.table <= 64);
	ck_assert(s.weight <= 61 && s.value > 0 && info.bound >= s.value);
	slu_mckp_free(m);
}
END_TEST

/* Rows that do not all fit are computed twice, with the same result. */
START_TEST(test_blocks_of_rows)
{
	static struct world w = {.kind = CURVES, .capacity = 300};
	struct slu_mckp_problem none = {.capacity = 300};
	struct slu_mckp_settings some = {.max_bytes = 120000,
					 .method = SLU_MCKP_TABLE};
	struct slu_mckp *m = slu_mckp_setup(&none, &some, NULL);
	struct slu_mckp_info info;
	struct slu_mckp_solution s = {.choice = NULL}, want;
	double held;

	for (int i = 0; i < MAX_JOBS; i++)
		add(&w, m);
	want = by_table(&w, &held);
	slu_mckp_solve(m, &s, &info);
	ck_assert(info.proved && info.table <= 120000);
	ck_assert_double_eq_tol(s.value, want.value, 1e-6);
	ck_assert_uint_eq(s.weight, want.weight);
	slu_mckp_free(m);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("mckp_events");
	TCase *t = tcase_create("mckp_events");
	SRunner *runner;
	int failed;

	tcase_set_timeout(t, 120);
	tcase_add_loop_test(t, test_few_jobs, 0, KINDS);
	tcase_add_loop_test(t, test_many_jobs, 0, KINDS);
	tcase_add_test(t, test_unit_grows);
	tcase_add_test(t, test_small_table);
	tcase_add_test(t, test_blocks_of_rows);
	suite_add_tcase(suite, t);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
