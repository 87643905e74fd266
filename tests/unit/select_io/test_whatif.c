/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests the prediction of what jobs would get under another policy, with
 * another number of I/O nodes or without one job, against an arbiter that is
 * set up in that way.
 */
#include "config.h"
#include "tests/unit/arbiter_help.h"
#include "select_io/division/whatif.h"

/* Jobs 1 to 4 run, but not this one; what two of them gain is known. */
static void begin(struct slu_arbiter *a, uint32_t without)
{
	static const struct {
		char *name;
		uint32_t nodes;
	} jobs[] = {{"fast", 8}, {"slow", 4}, {"new", 6}, {"other", 4}};

	for (uint32_t k = 1; k <= 8; k *= 2) {
		learn(a, "fast", 8, k, 100.0 * k);
		learn(a, "slow", 4, k, 50 + k);
	}
	for (uint32_t i = 0; i < 4; i++)
		if (i + 1 != without)
			start(a, i + 1, jobs[i].name, jobs[i].nodes);
}

/*
 * The prediction equals the division of an arbiter that is set up in that way.
 */
START_TEST(test_as_the_arbiter)
{
	static const struct slu_ion_question questions[] = {
		{SLU_ION_MCKP, SLU_ION_AS_IT_IS, SLU_NO_ID},
		{SLU_ION_MCKP, 4, SLU_NO_ID},
		{SLU_ION_MCKP, 20, SLU_NO_ID},
		{SLU_ION_STATIC, SLU_ION_AS_IT_IS, SLU_NO_ID},
		{SLU_ION_SIZE, 6, SLU_NO_ID},
		{SLU_ION_PROCESS, 6, 2},
		{SLU_ION_ORACLE, 7, 3},
		{SLU_ION_ONE, SLU_ION_AS_IT_IS, 1},
		{SLU_ION_ZERO, SLU_ION_AS_IT_IS, 1},
		{SLU_ION_MCKP, 0, 1},
	};
	struct slu_arbiter *a = new_arbiter("ion[1-8]", 32, SLU_ION_MCKP);
	struct slu_assignment now;

	begin(a, 0);
	solve(a, &now);
	each(q, questions)
	{
		uint32_t pool = q->pool == SLU_ION_AS_IT_IS ? 8 : q->pool;
		struct slu_ion_grant grant[4];
		struct slu_arbiter *b;
		struct slu_assignment got;
		struct slu_err err;
		double total, table;
		char ions[32];

		expect_ok(slu_ion_what_if(&now, q, grant, &total, &table, &err),
			  err);
		if (pool == 0) {
			ck_assert_double_eq(total, 0);
			continue;
		}
		snprintf(ions, sizeof(ions), "ion[1-%u]", pool);
		b = new_arbiter(ions, 32, q->policy);
		begin(b, q->without);
		solve(b, &got);
		expect(total > got.total - 1e-6 && total < got.total + 1e-6,
		       "question %td: %f, not %f", q - questions, total,
		       got.total);
		for (size_t i = 0; i < got.n_jobs; i++) {
			const struct slu_ion_share *share = &got.jobs[i];
			const struct slu_ion_grant *g =
				&grant[share->job_id - 1];

			expect(share->in_effect == g->ions &&
				       share->shared == g->shared,
			       "question %td, job %u: %u, not %u",
			       q - questions, share->job_id, g->ions,
			       share->in_effect);
		}
		slu_msg_clear(&slu_assignment_desc, &got);
		slu_arbiter_free(b);
	}
	slu_msg_clear(&slu_assignment_desc, &now);
	slu_arbiter_free(a);
}
END_TEST

/* As many may be divided as are left; what a job may choose and STATIC's share
 * are of the whole pool, here as in the arbiter. */
START_TEST(test_some_are_down)
{
	static const enum slu_ion_policy policies[] = {
		SLU_ION_STATIC, SLU_ION_SIZE, SLU_ION_MCKP};
	struct slu_hosts down;
	struct slu_err err;

	expect_ok(slu_hosts_parse("ion[1-4]", &down, &err), err);
	each(policy, policies)
	{
		struct slu_arbiter *a = new_arbiter("ion[1-8]", 32, *policy);
		struct slu_ion_question q = {*policy, SLU_ION_AS_IT_IS,
					     SLU_NO_ID};
		struct slu_ion_grant grant[4];
		struct slu_assignment now;
		double total, table;

		begin(a, 0);
		slu_arbiter_unavailable(a, &down);
		solve(a, &now);
		expect_ok(
			slu_ion_what_if(&now, &q, grant, &total, &table, &err),
			err);
		for (size_t i = 0; i < now.n_jobs; i++)
			expect(now.jobs[i].in_effect == grant[i].ions,
			       "policy %d, job %zu: %u, not %u", (int)*policy,
			       i, grant[i].ions, now.jobs[i].in_effect);
		slu_msg_clear(&slu_assignment_desc, &now);
		slu_arbiter_free(a);
	}
	slu_hosts_free(&down);
}
END_TEST

TEST_MAIN("whatif", test_as_the_arbiter, test_some_are_down)
