/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When slurmctld hears what storage servers have seen of a job. */
#include "config.h"
#include "sluiced/ingestion/lustre_totals.h"
#include "tests/unit/harness.h"
#include "tests/unit/tmpdir.h"

static struct slu_history history;
static struct slu_loop *loop;
static struct slu_err err;
static unsigned sent;
static double bytes;

void __wrap_slu_control_send(struct slu_control *c, const struct slu_desc *desc,
			     const void *msg);

void __wrap_slu_control_send(struct slu_control *c, const struct slu_desc *desc,
			     const void *msg)
{
	(void)c;
	ck_assert_ptr_eq(desc, &slu_history_row_desc);
	sent++;
	bytes = ((const struct slu_history_row *)msg)->written_bytes;
}

/* A job that ended so many seconds ago. */
static void add(uint32_t id, int64_t ago)
{
	int64_t now = (int64_t)slu_now_wall();
	struct slu_job job = {.job_id = id,
			      .start = now - 1000,
			      .end = now - ago,
			      .node_cnt = 2};

	expect_ok(slu_history_add(history.db, &job, &err), err);
}

static void told(uint32_t id, const char *server)
{
	const struct slu_server_job io = {id, 0, 50, 1, 0};

	ck_assert_int_eq(slu_history_server_io(history.db, server, &io, 0,
					       (int64_t)slu_now_wall() - 900,
					       &err),
			 1);
}

/* Once, some time after the end, with what all servers have said. */
START_TEST(test_once)
{
	static struct slu_log quiet;
	struct slu_lustre_totals served;

	loop = slu_loop_new(NULL);
	history = (struct slu_history){
		.db = slu_db_open(tmpfile_path("db"), SLU_DB_WRITE, &err),
		.log = &quiet};
	ck_assert_ptr_nonnull(history.db);
	add(1, 500); /* the replay tells it */
	told(1, "a");
	slu_lustre_totals_start(&served, loop, &history);
	served.timer.fn(served.timer.arg);
	ck_assert_uint_eq(sent, 0);
	add(2, 300);
	told(2, "a");
	told(2, "b");
	add(3, 300); /* nobody has seen it */
	add(4, 10);  /* it has just ended */
	told(4, "a");
	for (int i = 0; i < 2; i++) {
		served.timer.fn(served.timer.arg);
		ck_assert_uint_eq(sent, 1);
		ck_assert_double_eq(bytes, 100);
	}
	slu_db_close(history.db);
	slu_loop_free(loop);
}
END_TEST

TEST_MAIN("sluiced_jobstats", test_once)
