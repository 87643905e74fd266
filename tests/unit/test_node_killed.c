/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests sluice-node up and down on two nodes against a whole sluiced, killed at
 * each of their requests: with scratch at all of them; with glusterfs, which
 * shares most of them, at every third, unless SLUICE_ALL_KILLS is set.
 */
#include "config.h"
#include "tests/unit/node_life.h"

/* More than one life has requests. */
#define KILLS_SCRATCH	16
#define KILLS_GLUSTERFS 28

static int glusterfs_step;

/* Killed at the k-th request of n1, before sluiced gets it or after: run again,
 * it goes on, with the same result. */
static void killed_life(const char *type, int k, bool after, int last)
{
	struct node_shared *s;

	if (!begin(type, ""))
		return;
	s = &node_shared[0];
	s->kill_at = k;
	s->after = after;
	whole_life(!strcmp(type, "glusterfs"), false);
	/* Every request had its turn. */
	expect(k < last || s->requests < k, "%d requests", s->requests);
	nodes_end();
}

START_TEST(test_scratch)
{
	killed_life("scratch", 1 + _i, _i % 2, KILLS_SCRATCH);
}
END_TEST

START_TEST(test_glusterfs)
{
	int k = 1 + _i * glusterfs_step;

	if (!no_glusterfs())
		killed_life("glusterfs", k, k % 2, KILLS_GLUSTERFS);
}
END_TEST

static int run(void)
{
	Suite *suite = suite_create("node_killed");

	glusterfs_step = getenv("SLUICE_ALL_KILLS") ? 1 : 3;
	add(suite, "scratch", test_scratch, KILLS_SCRATCH);
	add(suite, "glusterfs", test_glusterfs,
	    (KILLS_GLUSTERFS + glusterfs_step - 1) / glusterfs_step);
	return run_suite(suite);
}

int main(void)
{
	int rc = enter_own_host("node_killed");

	return rc ? rc : run();
}
