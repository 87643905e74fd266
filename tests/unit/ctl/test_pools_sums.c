/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the sums of used space of each pool against a model, after many changes
 * of all kinds. */
#include "config.h"
#include "ctl/pools/pools.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"

static struct slu_mirror m;

/* By a model that keeps no sums: buffers as reported and jobs as claimed, of
 * which one counts only while its job has no buffer. */
enum { JOBS = 12, RUNS = 2, USERS = 3 };

static struct {
	uint64_t size; /* 0: none */
	uint32_t uid;
	const char *pool;
} model_buffer[JOBS][RUNS], model_claim[JOBS];

static uint64_t model_sum(const char *pool, uint32_t uid)
{
	uint64_t sum = 0;

	for (int j = 0; j < JOBS; j++) {
		bool any = false;

		for (int r = 0; r < RUNS; r++) {
			any |= model_buffer[j][r].size;
			if (model_buffer[j][r].size &&
			    slu_eq(model_buffer[j][r].pool, pool) &&
			    (uid == SLU_NO_ID || model_buffer[j][r].uid == uid))
				sum += model_buffer[j][r].size;
		}
		if (!any && slu_eq(model_claim[j].pool, pool) &&
		    (uid == SLU_NO_ID || model_claim[j].uid == uid))
			sum += model_claim[j].size;
	}
	return sum;
}

static struct slu_buffer_state model_state(int j, int r, const char *state)
{
	return (struct slu_buffer_state){
		.buffer = (uint64_t)(100 * r + j + 1),
		.job_id = (uint32_t)j + 1,
		.uid = model_buffer[j][r].uid,
		.size = model_buffer[j][r].size,
		.pool = model_buffer[j][r].pool
				? strdup(model_buffer[j][r].pool)
				: NULL,
		.state = strdup(state),
	};
}

static void model_change(uint64_t *seed, const char *pool, uint32_t uid)
{
	int j = (int)slu_random(seed, JOBS), r = (int)slu_random(seed, RUNS);
	const struct slu_pool_need n = {pool, uid, 1 + slu_random(seed, 9), 0,
					0};
	struct slu_buffer_state s;

	switch (slu_random(seed, 6)) {
	case 0:
	case 1: /* a new one, or another size, pool, even user of it */
		if (!model_buffer[j][r].size)
			model_claim[j].size = 0;
		model_buffer[j][r].size = n.size;
		model_buffer[j][r].uid = uid;
		model_buffer[j][r].pool = pool;
		s = model_state(j, r, "RUNNING");
		ck_assert_int_eq(slu_mirror_set(&m, &s), 0);
		break;
	case 2:
		if (!model_buffer[j][r].size)
			model_claim[j].size = 0;
		s = model_state(j, r, "DONE");
		model_buffer[j][r].size = 0;
		ck_assert_int_eq(slu_mirror_set(&m, &s), 0);
		break;
	case 3:
	case 4:
		if (!pool) /* such a request claims nothing */
			break;
		slu_pools_claim(&m, (uint32_t)j + 1, &n, 0);
		model_claim[j].size = n.size;
		model_claim[j].uid = uid;
		model_claim[j].pool = pool;
		break;
	default:
		slu_pools_unclaim(&m, (uint32_t)j + 1);
		model_claim[j].size = 0;
	}
}

/* sluiced is a new one: it reports all, or none. */
static void model_replace(uint64_t *seed)
{
	struct slu_buffer_state all[JOBS * RUNS];
	struct slu_buf gone = {0};
	bool none = slu_random(seed, 2);
	size_t n = 0;

	for (int j = 0; j < JOBS; j++)
		for (int r = 0; r < RUNS; r++) {
			if (none)
				model_buffer[j][r].size = 0;
			if (!model_buffer[j][r].size)
				continue;
			model_claim[j].size = 0;
			all[n++] = model_state(j, r, "RUNNING");
		}
	ck_assert_int_eq(slu_mirror_replace(&m, all, n, &gone), 0);
	slu_buf_free(&gone);
}

static void model_compare(int step)
{
	static const char *const pools[] = {"p", "q"};
	struct slu_pool_use use;
	uint64_t want;

	each(pool, pools)
	{
		slu_pools_use(&m, *pool, &use);
		want = model_sum(*pool, SLU_NO_ID);
		expect(use.used == want, "step %d: %s: %lu, not %lu", step,
		       *pool, (unsigned long)use.used, (unsigned long)want);
		for (uint32_t uid = 1; uid <= USERS; uid++) {
			char why[SLU_POOL_WHY];
			struct slu_pool_need n = {*pool, uid, 1, 0, 0};

			n.max_per_user = model_sum(*pool, uid) + 1;
			expect(slu_pools_room(&m, &n, why), "step %d: %s", step,
			       why);
			n.size = 2;
			expect(!slu_pools_room(&m, &n, why), "step %d: %s %u",
			       step, *pool, (unsigned)uid);
		}
	}
}

START_TEST(test_sums)
{
	static const char *const pools[] = {"p", "q", NULL};
	uint64_t seed = 7;

	slu_mirror_init(&m);
	for (int step = 0; step < 20000; step++) {
		model_change(&seed, pools[slu_random(&seed, 3)],
			     1 + (uint32_t)slu_random(&seed, USERS));
		if (!slu_random(&seed, 200))
			model_replace(&seed);
		model_compare(step);
	}
	slu_pools_fini(&m);
	slu_mirror_fini(&m);
}
END_TEST

TEST_MAIN("pools sums", test_sums)
