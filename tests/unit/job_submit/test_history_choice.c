/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests which source (Lustre, Darshan, accounting ...) counts if several have
 * reported a run's I/O. */
#include "config.h"
#include "tests/unit/job_submit/history_rows.h"
#include "tests/unit/random.h"
#include "job_submit/history/job_history.h"

static void put_at_random(struct slu_db *db, uint32_t id, uint64_t *seed)
{
	static const char *const node[] = {"*", "a", "b", "c", "d", "e"};
	struct slu_err err;

	for (size_t i = 0; i < 6; i++) {
		int64_t number[6], source = 1 + (int64_t)slu_random(seed, 6);

		for (int k = 0; k < 6; k++)
			number[k] = (int64_t)slu_random(seed, 1000);
		if (slu_random(seed, 2))
			ck_assert_int_eq(
				slu_db_exec(db, &err,
					    "INSERT INTO JobIo VALUES (?, 10,"
					    " ?, ?, ?, ?, nullif(?, 7), ?, ?,"
					    " ?)",
					    "IsIIIIIII", (int64_t)id, node[i],
					    number[0], number[1], number[2],
					    number[3], number[4], number[5],
					    source),
				1);
	}
}

static int keep_all(void *arg, const struct slu_history_row *row,
		    struct slu_err *err)
{
	(void)err;
	snprintf(arg, 200, "%.0f %.0f %.0f %.0f %.0f %.0f %u %.0f",
		 row->read_bytes, row->written_bytes, row->calls,
		 row->called_bytes, row->shared_bytes, row->consecutive,
		 row->io_source, row->rpcs);
	return 0;
}

#define OF_RUN " FROM JobIo AS i WHERE i.JobID = h.JobID"
#define BEST(what)                                                       \
	" || coalesce((SELECT " what                                     \
	" FROM (SELECT *, (i.Source < 4 AND i.Node <> '*' AND h.NodeCnt" \
	" > 1) AS Part" OF_RUN                                           \
	") GROUP BY Part, Source ORDER BY Part, Source LIMIT 1), 0) || ' '"
#define WHOLE(what) "CAST(SUM(" what ") AS INTEGER)"
#define SUM(what, where) \
	" || coalesce((SELECT " WHOLE(what) OF_RUN " AND " where "), 0) || ' '"
#define CALLED(what) SUM(what, "Source <> 4")
#define SERVED(what) SUM(what, "Source = 4")

/* The same in one statement of SQL, run by run. */
START_TEST(test_same_choice_as_sql)
{
	struct slu_db *db = new_db();
	uint64_t seed = 11;
	struct slu_err err;

	for (uint32_t id = 1; id <= 300; id++) {
		struct slu_history_query all = {.uid = SLU_NO_ID, .last = 1};
		struct slu_rows *rows;
		char got[200];

		add(db, id, 7, 10, 20 + id);
		put_at_random(db, id, &seed);
		if (slu_random(&seed, 3) == 0)
			slu_db_exec(db, &err,
				    "UPDATE History SET NodeCnt = 1 WHERE"
				    " JobID = ?",
				    "I", (int64_t)id);
		expect_ok(slu_history_each(db, &all, keep_all, got, &err), err);
		rows = slu_db_query(
			db, &err,
			"SELECT trim(''" BEST(WHOLE("ReadBytes")) BEST(
				WHOLE("WrittenBytes")) CALLED("Calls")
				CALLED("CalledBytes") CALLED(
					"SharedBytes") CALLED("Consecutive")
					BEST("Source") SERVED(
						"Calls") ") FROM History AS h WHERE JobID = ?",
			"I", (int64_t)id);
		ck_assert_int_eq(slu_db_step(rows, &err), 1);
		ck_assert_str_eq(got, slu_db_text(rows, 0));
		slu_db_done(rows);
	}
	slu_db_close(db);
}
END_TEST

TEST_MAIN("history_choice", test_same_choice_as_sql)
