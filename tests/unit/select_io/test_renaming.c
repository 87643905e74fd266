/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests that a new job name gives no advantage: in random sets of jobs of two
 * users, a job under an unknown name, or with a claimed pattern, gets exactly
 * what STATIC gives it, whether other jobs of its user were measured or not.
 * With less it could be below STATIC, since its curve is unknown.
 */
#include "config.h"
#include "tests/unit/arbiter_help.h"
#include "common/str.h"
#include "tests/unit/random.h"

#define IONS 8
#define JOBS 6
#define APPS 3 /* of each user */
#define MOST 8

struct world {
	uint64_t seed;
	bool direct;
	double rate[2][APPS][MOST + 1];
	uint32_t user[JOBS], app[JOBS], nodes[JOBS];
	struct slu_patterns *table;
};

enum how { OWN_NAME, NEW_NAME, PATTERN };

static uint32_t pick(struct world *w, uint32_t n)
{
	return (uint32_t)slu_random(&w->seed, n);
}

static struct slu_job job_of(const struct world *w, size_t i, enum how how,
			     char name[16])
{
	struct slu_job job = make_job((uint32_t)i + 1, name, w->nodes[i]);

	snprintf(name, 16, how == OWN_NAME ? "app%u" : "new%u",
		 how == OWN_NAME ? w->app[i] : (uint32_t)i);
	job.uid = 100 + w->user[i];
	if (how == PATTERN)
		job.ion_pattern = "huge";
	return job;
}

static void teach(const struct world *w, struct slu_arbiter *a, bool first_too)
{
	static const uint32_t sizes[] = {1, 2, 4, 8};
	char name[16];

	for (uint32_t u = first_too ? 0 : 1; u < 2; u++)
		for (uint32_t app = 0; app < APPS; app++)
			for (size_t s = 0; s < 4; s++)
				for (uint32_t k = !w->direct; k <= MOST; k++) {
					struct slu_history_row row = {
						.job = make_job(1, name,
								sizes[s]),
						.io_bandwidth =
							w->rate[u][app][k]};

					snprintf(name, sizeof(name), "app%u",
						 app);
					row.job.uid = 100 + u;
					row.job.ions = k;
					slu_arbiter_learn(a, &row);
				}
}

static void divide(const struct world *w, enum slu_ion_policy policy,
		   bool first_is_known, size_t who, enum how how, uint32_t *out)
{
	struct slu_conf conf = conf_of("ion[1-8]", policy);
	struct slu_assignment got;
	struct slu_arbiter *a;
	struct slu_err err;

	conf.direct_access = w->direct;
	a = slu_arbiter_new(&conf, 32, &err);
	ck_assert_msg(a != NULL, "%s", err.text);
	slu_hosts_free(&conf.io_nodes);
	slu_arbiter_patterns(a, w->table);
	teach(w, a, first_is_known);
	for (size_t i = 0; i < JOBS; i++) {
		char name[16];
		struct slu_job job =
			job_of(w, i, i == who ? how : OWN_NAME, name);

		expect_ok(slu_arbiter_start(a, &job, &err), err);
	}
	solve(a, &got);
	for (size_t i = 0; i < JOBS; i++)
		out[i] = got.jobs[i].shared ? 0 : got.jobs[i].in_effect;
	slu_msg_clear(&slu_assignment_desc, &got);
	slu_arbiter_free(a);
}

static void random_world(struct world *w, uint64_t seed)
{
	w->seed = seed * 31;
	w->direct = pick(w, 2);
	for (uint32_t u = 0; u < 2; u++)
		for (uint32_t app = 0; app < APPS; app++)
			for (uint32_t k = 0; k <= MOST; k++)
				w->rate[u][app][k] =
					1 + pick(w, 1u << 20) / 1024.0;
	for (size_t i = 0; i < JOBS; i++) {
		w->user[i] = pick(w, 2);
		w->app[i] = pick(w, APPS);
		w->nodes[i] = 1u << pick(w, 4);
	}
}

static void make_table(struct world *w)
{
	struct slu_err err;

	w->table = slu_patterns_parse("pattern,0,1,2,4,8\n"
				      "huge,1,9000,18000,36000,72000\n",
				      "t", &err);
	ck_assert_msg(w->table != NULL, "%s", err.text);
}

START_TEST(test_known_user)
{
	static struct world w;
	size_t less = 0, more = 0;

	make_table(&w);
	for (uint64_t seed = 1; seed <= 400; seed++) {
		uint32_t own[JOBS], other[JOBS], fixed[JOBS];
		size_t who = seed % JOBS;

		random_world(&w, seed);
		divide(&w, SLU_ION_MCKP, true, who, OWN_NAME, own);
		divide(&w, SLU_ION_STATIC, true, who, OWN_NAME, fixed);
		for (enum how how = NEW_NAME; how <= PATTERN; how++) {
			divide(&w, SLU_ION_MCKP, true, who, how, other);
			expect(other[who] == fixed[who],
			       "seed %ju: %u by another name, STATIC %u",
			       (uintmax_t)seed, other[who], fixed[who]);
			less += other[who] < own[who];
			more += other[who] > own[who];
		}
	}
	printf("a new name: fewer I/O nodes in %zu of 800, more in %zu\n", less,
	       more);
	ck_assert_uint_gt(less, 100);
	ck_assert_uint_gt(more, 100);
	slu_patterns_free(w.table);
}
END_TEST

START_TEST(test_unknown_user)
{
	static struct world w;

	make_table(&w);
	for (uint64_t seed = 1; seed <= 100; seed++) {
		uint32_t fixed[JOBS], mckp[JOBS];

		random_world(&w, seed);
		divide(&w, SLU_ION_STATIC, false, JOBS, OWN_NAME, fixed);
		divide(&w, SLU_ION_MCKP, false, seed % JOBS, NEW_NAME, mckp);
		for (size_t i = 0; i < JOBS; i++)
			expect(w.user[i] != 0 || mckp[i] == fixed[i],
			       "seed %ju: %u, STATIC %u", (uintmax_t)seed,
			       mckp[i], fixed[i]);
	}
	slu_patterns_free(w.table);
}
END_TEST

/* A claim counts as long as its user has run only what does next to no I/O. */
START_TEST(test_idle_user)
{
	static struct world w;

	make_table(&w);
	for (uint64_t seed = 1; seed <= 100; seed++) {
		uint32_t idle[JOBS], unknown[JOBS];

		random_world(&w, seed);
		for (uint32_t app = 0; app < APPS; app++)
			for (uint32_t k = 0; k <= MOST; k++)
				w.rate[0][app][k] = 0.001 * (k + 1);
		for (size_t i = 0; i < JOBS; i++)
			w.user[i] = i > 0;
		divide(&w, SLU_ION_MCKP, true, 0, PATTERN, idle);
		divide(&w, SLU_ION_MCKP, false, 0, PATTERN, unknown);
		for (size_t i = 0; i < JOBS; i++)
			ck_assert_uint_eq(idle[i], unknown[i]);
	}
	slu_patterns_free(w.table);
}
END_TEST

TEST_MAIN("renaming", test_known_user, test_unknown_user, test_idle_user)
