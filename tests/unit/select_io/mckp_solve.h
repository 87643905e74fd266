/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_TESTS_MCKP_SOLVE_H
#define SLU_TESTS_MCKP_SOLVE_H

/* Solves a knapsack problem with a chosen method, for tests. */

#include "select_io/mckp/mckp.h"
#include "tests/unit/harness.h"

static enum slu_mckp_method method; /* of the solves to come */

static inline struct slu_mckp_solution solve(const struct slu_mckp_problem *p,
					     uint32_t *choice,
					     struct slu_mckp_info *info)
{
	struct slu_mckp_settings settings = {.method = method};
	struct slu_mckp_solution out = {.choice = choice};
	struct slu_err err;
	struct slu_mckp *m = slu_mckp_setup(p, &settings, &err);

	ck_assert_msg(m != NULL, "%s", err.text);
	slu_mckp_solve(m, &out, info);
	slu_mckp_free(m);
	return out;
}

#endif
