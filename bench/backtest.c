/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures sysquery backtest on job logs (SWF), each repeated N times to form
 * one long history: its cost, and its results for each mode, compared with
 * those of bench/backfill, where the predictor learns from simulated ends
 * rather than recorded ones.
 *
 *	bench/backtest [--csv] [--times N] [--db FILE] LOG...
 *
 * The database is created in /var/tmp, or is FILE (of the last log), which is
 * kept.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "bench/guides.h"
#include "bench/measure.h"
#include "bench/predictor_job.h"
#include "common/jsonx.h"
#include "job_submit/simulation/policy_backtest.h"
#include "job_submit/history/job_history.h"

enum { AT_ONCE = 1000, LATER = 1000000000 }; /* rows; Unix s of the start */

static const struct {
	const char *mode;
	enum guide guide;
} compared[] = {
	{"advise", REQUEST}, {"tighten", TIGHTEN}, {"early", EARLY_LIMIT}};
#define COMPARED (sizeof(compared) / sizeof(compared[0]))

static int by_end(const void *a, const void *b)
{
	const struct swf_job *x = *(const struct swf_job *const *)a;
	const struct swf_job *y = *(const struct swf_job *const *)b;

	return (x->end > y->end) - (x->end < y->end);
}

static struct slu_job row(const struct swf_job *job,
			  struct predictor_names *names, int64_t later,
			  uint32_t id)
{
	struct slu_job j = predictor_job(job, names);

	j.job_id = id;
	j.submit += later;
	j.eligible = j.submit;
	j.start += later;
	j.end += later;
	j.cpus = j.node_cnt = job->procs > 0 ? (uint32_t)job->procs : 0;
	j.limit = j.limit_asked;
	j.ions = SLU_NO_ID;
	return j;
}

static int store(struct slu_db *db, const struct swf_log *log, int times,
		 struct slu_err *err)
{
	static struct predictor_names names[AT_ONCE];
	static struct slu_job jobs[AT_ONCE];
	const struct swf_job **job = calloc(log->n + 1, sizeof(*job));
	int64_t span = log->n ? log->job[log->n - 1].submit + 86400 : 0;
	uint32_t id = 0;
	uint64_t added;
	size_t n = 0;
	int rc = job ? 0 : -1;

	for (size_t i = 0; job && i < log->n; i++)
		job[i] = &log->job[i];
	if (job)
		qsort(job, log->n, sizeof(*job), by_end);
	for (int t = 0; rc == 0 && t < times; t++)
		for (size_t i = 0; rc == 0 && i < log->n; i++) {
			jobs[n] =
				row(job[i], &names[n], LATER + t * span, ++id);
			if (++n < AT_ONCE && (t + 1 < times || i + 1 < log->n))
				continue;
			rc = slu_history_import(db, jobs, n, &added, err);
			n = 0;
		}
	free(job);
	return rc;
}

static int make(const char *path, const struct swf_log *log, int times,
		struct slu_err *err)
{
	struct slu_db *db = slu_db_open(path, SLU_DB_LOAD, err);
	int rc = db ? slu_db_begin(db, err) : -1;

	if (rc == 0)
		rc = store(db, log, times, err);
	if (rc == 0)
		rc = slu_db_commit(db, err);
	slu_db_close(db);
	return rc;
}

static double slowdown_of(const struct swf_log *log, int64_t procs,
			  enum guide guide)
{
	struct slu_easy_site site = {.procs = procs};
	struct guide_state *s = guide_new(log, guide, 0);
	int64_t *start = calloc(log->n + 1, sizeof(*start));
	struct slu_easy_result r = {0};

	if (s && start)
		easy_run(log, &site, guide_oracle(s), start, &r);
	free(start);
	guide_free(s);
	return r.slowdown;
}

static double number(struct json_object *obj, const char *key)
{
	return json_object_get_double(json_object_object_get(obj, key));
}

static struct json_object *row_of(struct json_object *answer, const char *mode)
{
	struct json_object *modes = json_object_object_get(answer, "modes");

	for (size_t i = 0; i < json_object_array_length(modes); i++) {
		struct json_object *row = json_object_array_get_idx(modes, i);

		if (strcmp(json_object_get_string(
				   json_object_object_get(row, "mode")),
			   mode) == 0)
			return row;
	}
	return NULL;
}

static void print(const char *name, const struct swf_log *log, int times,
		  double spent, struct json_object *answer, bool csv)
{
	int64_t machine = (int64_t)number(answer, "machine");
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	if (csv)
		printf("%s,backtest of %.0f jobs,s,%.1f,goal,300,%.3f\n", name,
		       number(answer, "jobs"), spent, spent / 300);
	else
		printf("%s: %.0f jobs on %lld in %.1f s, %ld MB\n", name,
		       number(answer, "jobs"), (long long)machine, spent,
		       usage.ru_maxrss / 1024);
	for (size_t i = 0; times == 1 && i < COMPARED; i++) {
		double ours =
			number(row_of(answer, compared[i].mode), "slowdown");
		double theirs = slowdown_of(log, machine, compared[i].guide);

		printf(csv ? "%s,slowdown %s,,%.2f,bench/backfill,%.2f,%.3f\n"
			   : "%s: slowdown %s %.2f (bench/backfill %.2f, "
			     "ratio %.3f)\n",
		       name, compared[i].mode, ours, theirs, ours / theirs);
	}
}

static void remove_db(const char *path)
{
	static const char *const rest[] = {"", "-wal", "-shm"};
	char name[4200];

	for (size_t i = 0; i < sizeof(rest) / sizeof(rest[0]); i++) {
		snprintf(name, sizeof(name), "%s%s", path, rest[i]);
		unlink(name);
	}
}

static int try_log(const char *log_path, const char *db_path, int times,
		   bool csv, struct slu_err *err)
{
	struct slu_backtest_options ask = {.quantile = PREDICTOR_QUANTILE,
					   .floor = PREDICTOR_FLOOR};
	const char *slash = strrchr(log_path, '/');
	struct json_object *answer = NULL;
	struct slu_db *db = NULL;
	struct swf_log log;
	double began;
	int rc;

	if (swf_load(log_path, &log, err) < 0)
		return -1;
	for (size_t j = 0; j < log.n; j++)
		if (log.job[j].procs > ask.machine)
			ask.machine = log.job[j].procs;
	remove_db(db_path); /* with its log, which is of another database */
	rc = make(db_path, &log, times, err);
	if (rc == 0)
		db = slu_db_open(db_path, SLU_DB_READ, err);
	began = bench_now();
	rc = db ? slu_backtest(db, &ask, &answer, err) : -1;
	if (rc == 0)
		print(slash ? slash + 1 : log_path, &log, times,
		      bench_now() - began, answer, csv);
	json_object_put(answer);
	slu_db_close(db);
	swf_free(&log);
	return rc;
}

int main(int argc, char **argv)
{
	char made[64];
	const char *path = NULL;
	struct slu_err err;
	bool csv = false;
	int times = 1, i = 1, rc = 0;

	for (; i < argc && argv[i][0] == '-'; i++)
		if (strcmp(argv[i], "--csv") == 0)
			csv = true;
		else if (strcmp(argv[i], "--times") == 0 && i + 1 < argc)
			times = atoi(argv[++i]);
		else if (strcmp(argv[i], "--db") == 0 && i + 1 < argc)
			path = argv[++i];
		else
			break;
	if (i == argc || argv[i][0] == '-') {
		fprintf(stderr, "usage: bench/backtest [--csv] [--times N] "
				"[--db FILE] LOG...\n");
		return 2;
	}
	snprintf(made, sizeof(made), "/var/tmp/backtest-%d.db", (int)getpid());
	if (csv)
		puts("case,metric,unit,ours,rival,rival_value,ratio");
	for (; rc == 0 && i < argc; i++)
		rc = try_log(argv[i], path ? path : made, times, csv, &err);
	if (rc < 0)
		fprintf(stderr, "bench/backtest: %s\n", err.text);
	if (!path)
		remove_db(made);
	return rc < 0;
}
