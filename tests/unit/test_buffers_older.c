/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A database that is a little older than the job (a snapshot, a replica, a log
 * that was cut) is restored: at any moment, as it was at any earlier one. What
 * was to be staged out is, or it is kept and the failure told; never is it
 * wiped and the job called well.
 */
#include "config.h"
#include "tests/unit/burst_world.h"
#include "tests/unit/random.h"
#include "tests/unit/tmpdir.h"
#include <stdlib.h>
#include "burst_buffer/life.h"
#include "common/file.h"

static void copy_db(const char *from, const char *to)
{
	struct slu_buf text = {0};
	struct slu_err err;

	expect_ok(slu_file_read(AT_FDCWD, from, 1 << 26, &text, &err), err);
	expect_ok(slu_file_write(AT_FDCWD, to, text.data, text.len, 0600, false,
				 &err),
		  err);
	slu_buf_free(&text);
}

static const char *older(void)
{
	return tmpfile_path("older.db");
}

/* sluiced is stopped, so that the copy is whole. */
static void take_copy(struct world *w)
{
	world_unload(w);
	copy_db(w->db_path, older());
	world_load(w);
	sync_all(w);
}

static void put_back(struct world *w)
{
	world_unload(w);
	copy_db(older(), w->db_path);
	world_load(w);
}

/* Those whose tasks run ask all the time. */
static void poll_all(struct world *w)
{
	for (int i = 0; i < w->n_node; i++)
		if (w->node[i].where == AT_RUN && !w->node[i].aborted)
			poll_word(w, &w->node[i], "");
}

static bool steps(struct world *w, int n)
{
	while (n-- > 0)
		if (!world_step(w))
			return false;
	return true;
}

static bool is_told(struct world *w)
{
	struct slu_err err;
	struct slu_rows *rows = slu_db_query(
		w->db, &err, "SELECT 1 FROM Buffer WHERE Failure IS NOT NULL",
		"");
	bool told = slu_db_step(rows, &err) == 1;

	slu_db_done(rows);
	return told;
}

/* Returns whether all was staged out, or nothing was to be: it has not run. */
static bool expect_safe(struct world *w, int copied, int restored)
{
	bool whole = true, ran = false;

	for (int i = 0; i < w->n_node; i++) {
		const struct actor *a = &w->node[i];

		ran = ran || !a->aborted;
		whole = whole && (a->staged || a->aborted);
		expect(a->staged || a->keep || a->aborted,
		       "%s was wiped (copy of step %d, restored at %d, %s)",
		       a->name, copied, restored, w->text);
	}
	expect(ran ? whole || is_told(w) : w->verdicts > 0,
	       "nobody was told (copy of step %d, restored at %d)", copied,
	       restored);
	return whole;
}

/* slurmctld is connected before the nodes are heard, or after. */
static void restore(struct world *w, bool nodes_first)
{
	put_back(w);
	if (nodes_first)
		poll_all(w);
	sync_all(w);
	poll_all(w);
}

static bool end(struct world *w, int copied, int restored)
{
	bool whole;

	for (int n = 0; world_step(w) && n < 20000; n++)
		;
	whole = expect_safe(w, copied, restored);
	world_free(w);
	return whole;
}

/* Until the walk of two nodes is over: some 60 steps. */
START_TEST(test_any_moment)
{
	uint64_t seed = 7;
	int whole = 0, n = 0;

	for (int copied = 1; copied < 60;
	     copied += 1 + (int)slu_random(&seed, 4))
		for (int restored = copied; restored < 64;
		     restored += 1 + (int)slu_random(&seed, 5)) {
			struct world w;

			world_new(&w, 2, WALK, NULL);
			if (steps(&w, copied)) {
				take_copy(&w);
				if (steps(&w, restored - copied))
					restore(&w, slu_random(&seed, 2));
			}
			whole += end(&w, copied, restored);
			n++;
		}
	/* safe, and mostly not for the want of staging out */
	expect(whole * 2 > n, "%d of %d", whole, n);
}
END_TEST

/* While it was set up; restored while it runs, and when it has ended. */
START_TEST(test_of_setup)
{
	for (int copied = 1; copied < 24; copied++)
		for (int how = 0; how < 4; how++) {
			struct world w;

			world_new(&w, 2, WALK, NULL);
			ck_assert(steps(&w, copied));
			take_copy(&w);
			run_until(&w, AT_RUN);
			if (how & 1)
				job_end(&w, "COMPLETED");
			restore(&w, how & 2);
			ck_assert(end(&w, copied, how));
			ck_assert_int_eq(w.verdicts, 0);
		}
}
END_TEST

TEST_MAIN("buffers older", test_any_moment, test_of_setup)
