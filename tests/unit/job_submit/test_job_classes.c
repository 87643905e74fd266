/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the table of job classes of the predictor: replacement of the oldest,
 * and readers in other threads, which must never see a half-written entry. */
#include "config.h"
#include "tests/unit/harness.h"
#include <pthread.h>
#include <stdatomic.h>
#include "job_submit/predictor/job_classes.h"

static struct slu_classes *new_table(size_t max)
{
	struct slu_err err;
	struct slu_classes *t = slu_classes_new(max, &err);

	ck_assert_msg(t != NULL, "%s", err.text);
	return t;
}

/* Every field from one number, so that a torn copy shows. */
static struct slu_class make(uint64_t key, uint32_t n)
{
	struct slu_class c = {.key = key, .jobs = n, .failed = n % 128};

	for (int i = 0; i < SLU_CLASS_RUNS; i++) {
		c.end[i] = n;
		c.run[i] = (uint16_t)n;
		c.asked[i] = (uint16_t)(n >> 16);
	}
	for (int i = 0; i < SLU_CLASS_EXPERTS; i++)
		c.weight[i] = (uint16_t)n;
	return c;
}

static bool whole(const struct slu_class *c)
{
	struct slu_class want = make(c->key, c->jobs);

	return c->failed == want.failed &&
	       !memcmp(c->end, want.end, sizeof(c->end)) &&
	       !memcmp(c->run, want.run, sizeof(c->run)) &&
	       !memcmp(c->asked, want.asked, sizeof(c->asked)) &&
	       !memcmp(c->weight, want.weight, sizeof(c->weight));
}

/* Keys of one set and with one tag: they do not mix, the oldest goes. */
START_TEST(test_oldest_of_a_set_is_replaced)
{
	struct slu_classes *t = new_table(8);
	struct slu_class c;

	for (uint32_t i = 1; i <= 9; i++) {
		c = make(((uint64_t)i << 32) | 7, i == 3 ? 1 : i + 9000);
		slu_classes_write(t, &c);
	}
	for (uint32_t i = 1; i <= 9; i++) {
		uint64_t key = ((uint64_t)i << 32) | 7;
		bool known;

		slu_classes_read(t, &key, 1, &c);
		known = c.jobs > 0;
		expect(known == (i != 3), "%u", i);
		expect(c.key == (((uint64_t)i << 32) | 7), "%u", i);
		expect(c.jobs == (known ? i + 9000 : 0), "%u: %u", i, c.jobs);
	}
	c = make(((uint64_t)5 << 32) | 7, 9999); /* again: replaced */
	slu_classes_write(t, &c);
	slu_classes_read(t, &c.key, 1, &c);
	ck_assert_uint_eq(c.jobs, 9999);
	slu_classes_free(t);
	slu_classes_free(NULL);
}
END_TEST

/* A lesson may come late: then the set has classes taught after its job. */
START_TEST(test_late_training)
{
	struct slu_classes *t = new_table(8);
	struct slu_class c;

	for (uint32_t i = 1; i <= 8; i++) {
		c = make(((uint64_t)i << 32) | 7, i << 12);
		slu_classes_write(t, &c);
	}
	c = make(((uint64_t)9 << 32) | 7, 6 << 12);
	slu_classes_write(t, &c);
	for (uint32_t i = 1; i <= 9; i++) {
		uint64_t key = ((uint64_t)i << 32) | 7;

		slu_classes_read(t, &key, 1, &c);
		expect((c.jobs > 0) == (i != 1), "%u", i);
	}
	slu_classes_free(t);
}
END_TEST

struct shared {
	struct slu_classes *t;
	_Atomic bool stop;
};

static void *read_all(void *arg)
{
	struct shared *s = arg;
	uintptr_t wrong = 0;
	static const uint64_t key[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
	struct slu_class c[11];

	while (!atomic_load(&s->stop)) {
		slu_classes_read(s->t, key, 11, c);
		for (int i = 0; i < 11; i++)
			wrong += c[i].key != key[i] ||
				 (c[i].jobs && !whole(&c[i]));
	}
	return (void *)wrong;
}

START_TEST(test_threads)
{
	struct shared s = {.t = new_table(8)};
	pthread_t reader[2];
	void *wrong;

	for (int i = 0; i < 2; i++)
		pthread_create(&reader[i], NULL, read_all, &s);
	for (uint32_t i = 1; i < 300000; i++) {
		struct slu_class c = make(1 + i % 11, i);

		slu_classes_write(s.t, &c);
	}
	atomic_store(&s.stop, true);
	for (int i = 0; i < 2; i++) {
		pthread_join(reader[i], &wrong);
		ck_assert_ptr_null(wrong);
	}
	slu_classes_free(s.t);
}
END_TEST

/* New classes, written from the first key to the last: a reader that knows one
 * knows all before it, wherever the two meet. None is dropped here. */
enum { GROUPS = 8000, IN_GROUP = SLU_CLASSES_READ };

struct growing {
	struct slu_classes *t;
	_Atomic uint64_t group; /* that is being written; 0: the end */
};

static uint64_t key_of(uint64_t group, uint64_t i)
{
	return (group * IN_GROUP + i) << 32 | group << 1 | 1;
}

static void *read_groups(void *arg)
{
	struct growing *s = arg;
	uintptr_t wrong = 0;
	uint64_t key[IN_GROUP], group;
	struct slu_class c[IN_GROUP];

	while ((group = atomic_load(&s->group))) {
		for (uint64_t i = 0; i < IN_GROUP; i++)
			key[i] = key_of(group, i);
		slu_classes_read(s->t, key, IN_GROUP, c);
		for (int i = 1; i < IN_GROUP; i++)
			wrong += c[i].jobs && !c[i - 1].jobs;
	}
	return (void *)wrong;
}

START_TEST(test_order)
{
	struct growing s = {.t = new_table(1 << 17), .group = 1};
	pthread_t reader[2];
	void *wrong;

	for (int i = 0; i < 2; i++)
		pthread_create(&reader[i], NULL, read_groups, &s);
	for (uint64_t group = 1; group <= GROUPS; group++) {
		atomic_store(&s.group, group);
		for (uint64_t i = 0; i < IN_GROUP; i++) {
			struct slu_class c =
				make(key_of(group, i), (uint32_t)group << 12);

			slu_classes_write(s.t, &c);
		}
	}
	atomic_store(&s.group, 0);
	for (int i = 0; i < 2; i++) {
		pthread_join(reader[i], &wrong);
		ck_assert_ptr_null(wrong);
	}
	slu_classes_free(s.t);
}
END_TEST

START_TEST(test_refused)
{
	struct slu_err err;

	ck_assert_ptr_null(slu_classes_new(SIZE_MAX, &err));
	expect_err(err, SLU_INVALID, "classes");
}
END_TEST

TEST_MAIN("job_classes", test_oldest_of_a_set_is_replaced, test_late_training,
	  test_threads, test_order, test_refused)
