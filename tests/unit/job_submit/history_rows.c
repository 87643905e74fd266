/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Implements the helpers of history_rows.h. */
#include "config.h"
#include "tests/unit/job_submit/history_rows.h"
#include "tests/unit/tmpdir.h"
#include "job_submit/history/job_history.h"

struct slu_db *new_db(void)
{
	char path[128];
	struct slu_err err;
	struct slu_db *db;

	snprintf(path, sizeof(path), "%s/h.db", tmpdir());
	db = slu_db_open(path, SLU_DB_WRITE, &err);
	ck_assert_msg(db != NULL, "%s", err.text);
	return db;
}

void add(struct slu_db *db, uint32_t id, uint32_t uid, int64_t start,
	 int64_t end)
{
	struct slu_job job = {.job_id = id,
			      .uid = uid,
			      .user = uid == 7 ? "ada" : NULL,
			      .name = "j",
			      .node_cnt = 2,
			      .start = start,
			      .end = end,
			      .ion_max = SLU_NO_ID};
	struct slu_err err;

	expect_ok(slu_history_add(db, &job, &err), err);
}

int print_id(void *arg, const struct slu_history_row *row, struct slu_err *err)
{
	char *out = arg;

	if (row->job.job_id == 666)
		return slu_err(err, SLU_BUSY, "not this one");
	sprintf(out + strlen(out), "%u ", row->job.job_id);
	return 0;
}

int add_io(struct slu_db *db, uint32_t job_id, int64_t start, const char *node,
	   double read_bytes, double written_bytes, struct slu_err *err)
{
	struct slu_io_report io = {.job_id = job_id,
				   .node = (char *)(uintptr_t)node,
				   .read_bytes = read_bytes,
				   .written_bytes = written_bytes};
	struct slu_io_runs runs = {0};
	bool whole;

	return slu_history_io(db, &io, start, &runs, &whole, err);
}

int keep_io(void *arg, const struct slu_history_row *row, struct slu_err *err)
{
	double *io = arg;

	(void)err;
	io[0] = row->read_bytes;
	io[1] = row->written_bytes;
	io[2] = row->io_bandwidth;
	return 0;
}

int64_t rows_of_io(struct slu_db *db)
{
	struct slu_err err;
	int64_t n = -1;

	expect_ok(
		slu_db_value(db, &n, 0, &err, "SELECT COUNT(*) FROM JobIo", ""),
		err);
	return n;
}
