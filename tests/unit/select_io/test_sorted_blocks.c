/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the sorted list in blocks against a sorted array, with keys that are
 * different, often equal, or nearly equal. */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include "select_io/mckp/sorted_blocks.h"

#define MAX 3000

struct model {
	struct slu_sorted_entry e[MAX];
	size_t n;
};

static int compare(const void *a, const void *b)
{
	const struct slu_sorted_entry *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

static void check(const struct slu_sorted *o, struct model *m)
{
	struct slu_sorted_at at = {0, 0};
	const struct slu_sorted_entry *e;
	size_t n = 0;

	qsort(m->e, m->n, sizeof(m->e[0]), compare);
	for (; (e = slu_sorted_get(o, &at)); slu_sorted_step(o, &at), n++)
		expect(n < m->n && compare(e, &m->e[n]) == 0, "%zu", n);
	ck_assert_uint_eq(n, m->n);
	if (n)
		ck_assert(compare(slu_sorted_first(o), &m->e[0]) == 0);
	else
		ck_assert_ptr_null(slu_sorted_first(o));
}

/* Keys of three kinds: all different, few different ones, nearly equal. */
static double random_key(int kind, uint64_t *seed)
{
	double r = (double)slu_random(seed, 1u << 30);

	return kind == 0   ? r - 1e8
	       : kind == 1 ? (double)slu_random(seed, 3)
	       : kind == 2 ? 1e6 + r * 1e-9
	       : r < 1e7   ? 1e300 /* and what the upper digits do not tell */
			   : 1 + r * 1e-12;
}

START_TEST(test_model)
{
	static struct model m;
	struct slu_sorted o = {0};
	uint64_t seed = 5;

	ck_assert_int_eq(slu_sorted_reserve(&o, MAX), 0);
	m.n = 0;
	check(&o, &m);
	for (uint32_t id = 0; id < 20000; id++) {
		bool grow = id % 8000 < 5000;

		if (m.n < MAX &&
		    (m.n == 0 || slu_random(&seed, 10) < (grow ? 7u : 3u))) {
			double key = random_key(_i, &seed);

			slu_sorted_insert(&o, key, id);
			m.e[m.n++] = (struct slu_sorted_entry){key, id};
		} else {
			size_t i = slu_random(&seed, m.n);

			slu_sorted_remove(&o, m.e[i].key, m.e[i].id);
			m.e[i] = m.e[--m.n];
		}
		if (id % 397 == 0)
			check(&o, &m);
	}
	check(&o, &m);
	ck_assert_uint_lt(slu_sorted_bytes(&o), 200 * MAX);
	slu_sorted_free(&o);
}
END_TEST

START_TEST(test_fill)
{
	static const size_t sizes[] = {0, 1, 2, 47, 48, 49, 200, MAX};
	static struct slu_sorted_entry e[MAX], aside[MAX];
	static struct model m;
	struct slu_sorted o = {0};
	uint64_t seed = 6;

	ck_assert_int_eq(slu_sorted_reserve(&o, MAX), 0);
	each(size, sizes)
	{
		m.n = *size;
		for (size_t i = 0; i < m.n; i++)
			m.e[i] = e[i] = (struct slu_sorted_entry){
				random_key(_i, &seed), (uint32_t)i};
		slu_sorted_fill(&o, slu_sorted_sort(e, aside, m.n), m.n);
		check(&o, &m);
		slu_sorted_insert(&o, -1e12, 77777);
		ck_assert_uint_eq(slu_sorted_first(&o)->id, 77777);
	}
	slu_sorted_free(&o);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sorted");
	TCase *t = tcase_create("sorted");
	SRunner *runner;
	int failed;

	tcase_add_loop_test(t, test_model, 0, 4);
	tcase_add_loop_test(t, test_fill, 0, 4);
	suite_add_tcase(suite, t);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
