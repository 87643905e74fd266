/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests sums over the history, and the rows of one job, against plain loops
 * over random histories. */
#include "config.h"
#include "common/jsonx.h"
#include "tests/unit/job_submit/history_rows.h"
#include "tests/unit/random.h"
#include "tests/unit/tmpdir.h"

#define JOBS 60

static struct slu_err err;
static struct slu_job jobs[JOBS];
static double bytes[JOBS];

static void make(struct slu_db *db, uint64_t *seed)
{
	static char *const names[] = {"a1", "a2", "b", "b_7"};
	static char *const states[] = {"COMPLETED", "FAILED", "TIMEOUT",
				       "CANCELLED", "NODE_FAIL"};
	static char *const accounts[] = {"phys", "chem", NULL};

	for (uint32_t i = 0; i < JOBS; i++) {
		const int64_t submit = 1000 + (int64_t)slu_random(seed, 500);

		jobs[i] = (struct slu_job){
			.job_id = 1 + (uint32_t)slu_random(seed, 40),
			.uid = 7 + (uint32_t)slu_random(seed, 2),
			.account = accounts[slu_random(seed, 3)],
			.name = names[slu_random(seed, 4)],
			.state = states[slu_random(seed, 5)],
			.node_cnt = (uint32_t)slu_random(seed, 5),
			.submit = submit,
			.start = submit + (int64_t)slu_random(seed, 90),
			.limit_asked = (uint32_t)slu_random(seed, 3) * 10,
			.limit = 10,
			.ion_max = SLU_NO_ID,
		};
		jobs[i].end = jobs[i].start + (int64_t)slu_random(seed, 900);
		for (uint32_t k = 0; k < i; k++) /* a run is told once */
			if (jobs[k].job_id == jobs[i].job_id &&
			    jobs[k].start == jobs[i].start)
				jobs[i].job_id += 1000 + i;
		jobs[i].suspended = (int64_t)slu_random(
			seed, (uint64_t)(jobs[i].end - jobs[i].start) + 1);
		expect_ok(slu_history_add(db, &jobs[i], &err), err);
	}
	for (int i = 0; i < JOBS; i++) {
		bytes[i] = (double)slu_random(seed, 3) * 100;
		for (int k = 0; k < JOBS; k++) /* whose would it be? */
			if (k != i && jobs[k].job_id == jobs[i].job_id)
				bytes[i] = 0;
		if (bytes[i] > 0)
			expect_ok(slu_history_import_io(
					  db,
					  &(struct slu_import_io){
						  .job_id = jobs[i].job_id,
						  .start = jobs[i].start,
						  .read_bytes = bytes[i],
						  .source = SLU_IO_ACCOUNTING},
					  1, &(struct slu_history_counts){0},
					  &err),
				  err);
	}
}

static bool counts(const struct slu_job *j, const struct slu_history_part *p)
{
	return j->end >= p->since &&
	       (p->uid == SLU_NO_ID || j->uid == p->uid) &&
	       (!p->account || slu_eq(j->account, p->account));
}

static int64_t of(struct json_object *obj, const char *part, const char *key)
{
	int64_t n = -1;

	expect_ok(slu_json_i64_opt(json_object_object_get(obj, part), key, &n,
				   &err),
		  err);
	return n;
}

static void expect_sums(struct slu_db *db, const struct slu_history_part *p)
{
	struct json_object *out = json_object_new_object(), *names, *one;
	int64_t n = 0, timeouts = 0, nodes = 0, queued = 0, asked = 0, used = 0;
	int64_t listed = 0, limited = 0;
	double read = 0;

	for (int i = 0; i < JOBS; i++) {
		const struct slu_job *j = &jobs[i];
		const int64_t ran = slu_job_ran(j);

		if (!counts(j, p))
			continue;
		n++;
		timeouts += slu_eq(j->state, "TIMEOUT");
		nodes += ran * (j->node_cnt ? j->node_cnt : 1);
		queued += j->start - j->submit;
		limited += j->limit_asked > 0;
		asked += 60 * (int64_t)j->limit_asked;
		used += j->limit_asked ? ran : 0;
		read += bytes[i];
	}
	expect_ok(slu_history_sums(db, p, 100, out, &err), err);
	ck_assert_int_eq(of(out, "jobs", "count"), n);
	ck_assert_int_eq(of(out, "jobs", "timeout"), timeouts);
	ck_assert_int_eq(of(out, "jobs", "node_seconds"), nodes);
	ck_assert_int_eq(of(out, "jobs", "queued_seconds"), queued);
	ck_assert_int_eq(of(out, "jobs", "limited"), limited);
	ck_assert_int_eq(of(out, "jobs", "asked_seconds"), asked);
	ck_assert_int_eq(of(out, "jobs", "used_seconds"), used);
	ck_assert_int_eq(of(out, "io", "read_bytes"), (int64_t)read);
	names = json_object_object_get(out, "names");
	for (size_t i = 0; i < json_object_array_length(names); i++) {
		int64_t count = 0;

		one = json_object_array_get_idx(names, i);
		slu_json_i64_opt(one, "count", &count, &err);
		listed += count;
	}
	ck_assert_int_eq(listed, n); /* each job stands under one name */
	json_object_put(out);
}

static int print(void *arg, const struct slu_history_row *row,
		 struct slu_err *e)
{
	char *out = arg;

	(void)e;
	sprintf(out + strlen(out), "%u@%ld ", row->job.job_id,
		(long)row->job.start);
	return 0;
}

/* The runs of a number, oldest first; a user's only. */
static void expect_runs(struct slu_db *db, uint32_t id, uint32_t uid)
{
	char want[800] = "", got[800] = "";

	for (int64_t start = 0; start < 2000; start++)
		for (int i = 0; i < JOBS; i++)
			if (jobs[i].job_id == id && jobs[i].start == start &&
			    (uid == SLU_NO_ID || jobs[i].uid == uid))
				sprintf(want + strlen(want), "%u@%ld ", id,
					(long)start);
	expect_ok(slu_history_of_job(db, id, uid, print, got, &err), err);
	ck_assert_str_eq(got, want);
}

/* How many of a name have ended before, and that no later one is newer. */
static int check_alike(void *arg, const struct slu_history_row *row,
		       struct slu_err *e)
{
	int64_t *last = arg;

	(void)e;
	ck_assert_int_eq(row->job.uid, 7);
	ck_assert_int_eq(row->job.name[0], 'a');
	ck_assert_int_lt(row->job.end, 1500);
	ck_assert_int_le(row->job.end, last[0]);
	last[0] = row->job.end;
	last[1]++;
	return 0;
}

START_TEST(test_sums)
{
	for (uint64_t seed = 1; seed < 12; seed++) {
		struct slu_db *db = new_db();
		uint64_t random = seed;
		int64_t alike[2] = {INT64_MAX, 0}, want = 0;

		make(db, &random);
		for (uint32_t uid = 6; uid < 10; uid++) {
			struct slu_history_part p = {.uid = uid == 6 ? SLU_NO_ID
								     : uid};

			expect_sums(db, &p);
			p.since = 1500;
			expect_sums(db, &p);
			p.account = "phys";
			expect_sums(db, &p);
			p.since = 999999;
			expect_sums(db, &p);
			for (uint32_t id = 0; id < 45; id++)
				expect_runs(db, id, p.uid);
		}
		for (int i = 0; i < JOBS; i++)
			want += jobs[i].uid == 7 && jobs[i].name[0] == 'a' &&
				jobs[i].end < 1500;
		expect_ok(slu_history_alike(db, 7, "a99", 1500, 1000,
					    check_alike, alike, &err),
			  err);
		ck_assert_int_eq(alike[1], want);
		alike[0] = INT64_MAX;
		alike[1] = 0;
		expect_ok(slu_history_alike(db, 7, "a5", 1500, 2, check_alike,
					    alike, &err),
			  err);
		ck_assert_int_eq(alike[1], want < 2 ? want : 2);
		slu_db_close(db);
		unlink(tmpfile_path("h.db"));
	}
}
END_TEST

TEST_MAIN("history sums", test_sums)
