/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Part of bench/predict: measures what a start of slurmctld costs with a long
 * history: a new database in /var/tmp gets synthetic jobs as they end, half of
 * them with I/O from accounting. Then all of it is read page by page, as
 * sluiced does; read again and packed into lines of the control socket; and
 * once more, with these lines parsed and learnt, as libsluice does. The first
 * two are sluiced's part, the last step is that of slurmctld's thread; both
 * programs work at the same time, so the slower one determines the time of a
 * replay. All times are processor time of this thread.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bench/measure.h"
#include "bench/predict.h"
#include "bench/predictor_job.h"
#include "common/str.h"
#include "job_submit/history/job_history.h"
#include "job_submit/io/volumes.h"
#include "wire/rows.h"

enum { AT_ONCE = 1000, PAGE = 512, VOLUMES = 4096 };

struct replay {
	struct slu_db *db;
	struct slu_predictor *p;
	struct slu_volumes *volumes;
	struct slu_buf packed;
	uint64_t rows, bytes;
	double read, encode, parse, learn; /* s */
};

/* A synthetic job. */
struct made {
	int64_t end;
	uint64_t number, seed;
};

static int by_end(const void *a, const void *b)
{
	const struct made *x = a, *y = b;

	return x->end != y->end
		       ? (x->end > y->end) - (x->end < y->end)
		       : (x->number > y->number) - (x->number < y->number);
}

/* Sorted by end, the order in which slurmctld reports them; or NULL. */
static struct made *make(uint64_t rows)
{
	struct made *made = calloc(rows, sizeof(*made));
	struct predict_text text;
	uint64_t seed = 5;

	for (uint64_t i = 0; made && i < rows; i++) {
		made[i] = (struct made){.number = i, .seed = seed};
		made[i].end = predict_make(&seed, (int64_t)i, &text).end;
	}
	if (made)
		qsort(made, rows, sizeof(*made), by_end);
	return made;
}

static int store(struct slu_db *db, const struct made *made,
		 struct slu_err *err)
{
	static struct slu_job job[AT_ONCE];
	static struct predict_text text[AT_ONCE];
	static struct slu_import_io io[AT_ONCE / 2];
	struct slu_history_counts counts;
	uint64_t n;

	for (uint64_t i = 0; i < AT_ONCE; i++) {
		uint64_t seed = made[i].seed;

		job[i] = predict_make(&seed, (int64_t)made[i].number, &text[i]);
		job[i].job_id = (uint32_t)made[i].number + 1;
		job[i].user = text[i].account;
		job[i].qos = (char *)(uintptr_t) "normal";
		job[i].work_dir = (char *)(uintptr_t) "/home/ada/run";
		job[i].nodes = (char *)(uintptr_t) "node[0100-0163]";
		job[i].state = (char *)(uintptr_t) "COMPLETED";
		job[i].predicted_from = (char *)(uintptr_t) "class";
		job[i].limit = job[i].limit_asked;
		job[i].cpus = job[i].tasks = job[i].node_cnt * 64;
		job[i].ions = SLU_NO_ID;
		if (i % 2 == 0)
			io[i / 2] = (struct slu_import_io){
				.job_id = job[i].job_id,
				.start = job[i].start,
				.read_bytes = 1e9 * (double)job[i].node_cnt,
				.written_bytes = 4e9 * (double)job[i].node_cnt,
				.source = SLU_IO_ACCOUNTING};
	}
	if (slu_history_import(db, job, AT_ONCE, &n, err) < 0 ||
	    slu_history_import_io(db, io, AT_ONCE / 2, &counts, err) < 0)
		return -1;
	return 0;
}

/* In one transaction, of AT_ONCE rows or a multiple; once the database is
 * closed it is read from the page cache. */
static int fill(const char *path, uint64_t rows, struct slu_err *err)
{
	struct slu_db *db = slu_db_open(path, SLU_DB_LOAD, err);
	uint64_t all = (rows + AT_ONCE - 1) / AT_ONCE * AT_ONCE;
	struct made *made = db ? make(all) : NULL;
	int rc = db ? slu_db_begin(db, err) : -1;

	if (db && !made)
		rc = slu_err(err, SLU_NOMEM, "out of memory");
	for (uint64_t i = 0; rc == 0 && i < all; i += AT_ONCE)
		rc = store(db, made + i, err);
	free(made);
	if (rc == 0)
		rc = slu_db_commit(db, err);
	slu_db_close(db);
	return rc;
}

static int count(void *arg, const struct slu_history_row *row,
		 struct slu_err *err)
{
	(void)row;
	(void)err;
	((struct replay *)arg)->rows++;
	return 0;
}

static int pack(void *arg, const struct slu_history_row *row,
		struct slu_err *err)
{
	(void)err;
	slu_row_pack(row, &((struct replay *)arg)->packed);
	return 0;
}

/* A page encoded as a line; the caller frees it. */
static char *encode(struct replay *r)
{
	const struct slu_history_rows rows = {.packed = r->packed.data};
	char *line = slu_envelope(&slu_history_rows_desc, 0, &rows);

	slu_buf_reset(&r->packed);
	return line;
}

/* Parses rows twice, the first time only to measure it, since the clock cannot
 * be read in between. */
static int hear(struct replay *r, const char *line, struct slu_err *err)
{
	double began = bench_cpu(), parsed;
	struct slu_history_row row;
	const struct slu_desc *desc;
	char *copy, *at;
	uint64_t id;
	void *msg;

	r->bytes += strlen(line);
	if (slu_envelope_parse(line, strlen(line), slu_to_ctl, &desc, &id, &msg,
			       err) < 0)
		return -1;
	parsed = bench_cpu();
	r->parse += parsed - began;
	copy = strdup(((struct slu_history_rows *)msg)->packed);
	began = bench_cpu();
	for (at = copy; slu_row_unpack(&at, &row, err) > 0;)
		;
	parsed = bench_cpu();
	r->parse += parsed - began;
	r->learn -= parsed - began;
	free(copy);
	began = bench_cpu();
	at = ((struct slu_history_rows *)msg)->packed;
	while (slu_row_unpack(&at, &row, err) > 0) {
		slu_learn(r->p, &row.job);
		slu_volumes_learn(r->volumes, &row);
	}
	r->learn += bench_cpu() - began;
	slu_msg_free(desc, msg);
	return 0;
}

static int encode_page(struct replay *r, struct slu_err *err)
{
	char *line = encode(r);

	free(line);
	return line ? 0 : slu_err(err, SLU_NOMEM, "out of memory");
}

static int hear_page(struct replay *r, struct slu_err *err)
{
	char *line = encode(r);
	int rc = line ? hear(r, line, err)
		      : slu_err(err, SLU_NOMEM, "out of memory");

	free(line);
	return rc;
}

typedef int page_f(struct replay *r, struct slu_err *err);

/* Processes page by page; *spent in s. */
static int pass(struct replay *r, slu_history_f *fn, page_f *behind,
		double *spent, struct slu_err *err)
{
	const struct slu_history_query all = {.uid = SLU_NO_ID, .brief = true};
	struct slu_history_cursor c;
	double began = bench_cpu();
	long n = PAGE;

	if (slu_history_begin(r->db, &all, &c, err) < 0)
		return -1;
	while (n == PAGE) {
		n = slu_history_page(r->db, &c, PAGE, fn, r, err);
		if (n > 0 && behind && behind(r, err) < 0)
			n = -1;
	}
	slu_history_end(&c);
	*spent = bench_cpu() - began;
	return n < 0 ? -1 : 0;
}

/* In separate passes, so that neither program's work evicts the other's caches.
 */
static int replay(struct replay *r, struct slu_err *err)
{
	double both;

	if (pass(r, count, NULL, &r->read, err) < 0 ||
	    pass(r, pack, encode_page, &r->encode, err) < 0 ||
	    pass(r, pack, hear_page, &both, err) < 0)
		return -1;
	r->encode -= r->read;
	return 0;
}

static void print(const struct replay *r, bool csv)
{
	double n = (double)r->rows, sent = r->read + r->encode,
	       heard = r->parse + r->learn;
	double all = (sent > heard ? sent : heard) * 1e6 / n;

	if (csv)
		printf("a million rows,replay,s,%.3f,goal,1,%.3f\n", all, all);
	else
		printf("%.0f rows replayed, in us each: sluiced %.2f (read "
		       "%.2f, encode %.2f), slurmctld %.2f (parse %.2f, learn "
		       "%.2f); %.0f bytes each\n",
		       n, sent * 1e6 / n, r->read * 1e6 / n,
		       r->encode * 1e6 / n, heard * 1e6 / n, r->parse * 1e6 / n,
		       r->learn * 1e6 / n, (double)r->bytes / n);
}

static int measure(const char *path, uint64_t rows, bool csv,
		   struct slu_err *err)
{
	struct replay r = {0};
	int rc = fill(path, rows, err);

	r.db = rc == 0 ? slu_db_open(path, SLU_DB_READ, err) : NULL;
	r.p = r.db ? slu_predictor_new(SLU_PREDICT_CLASSES, PREDICTOR_QUANTILE,
				       PREDICTOR_FLOOR, err)
		   : NULL;
	r.volumes = r.p ? slu_volumes_new(VOLUMES, err) : NULL;
	rc = r.volumes ? replay(&r, err) : -1;
	if (rc == 0)
		print(&r, csv);
	slu_volumes_free(r.volumes);
	slu_predictor_free(r.p);
	slu_db_close(r.db);
	slu_buf_free(&r.packed);
	return rc;
}

int predict_replay(uint64_t rows, bool csv)
{
	char dir[] = "/var/tmp/replay-XXXXXX", path[sizeof(dir) + 4],
	     journal[sizeof(path) + 4];
	struct slu_err err;
	int rc;

	if (!mkdtemp(dir)) {
		perror("bench/predict");
		return -1;
	}
	snprintf(path, sizeof(path), "%s/db", dir);
	rc = measure(path, rows, csv, &err);
	if (rc < 0)
		fprintf(stderr, "bench/predict: %s\n", err.text);
	unlink(path);
	for (const char *const *s = (const char *const[]){"wal", "shm", NULL};
	     *s; s++) {
		snprintf(journal, sizeof(journal), "%s-%s", path, *s);
		unlink(journal);
	}
	rmdir(dir);
	return rc;
}
