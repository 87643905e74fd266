/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs sacct to fetch what JobAcctGather has counted of ended jobs (totals.h).
 * The history itself is the queue: `seen` is the last row that was looked at,
 * and a small array holds the jobs that sacct is asked for. sacct runs in a
 * child process with a deadline; its output is read as an import of accounting.
 */
#include "sluiced/ingestion/totals.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/proc.h"
#include "sluiced/child.h"

#define EVERY	      15.0  /* s, between requests */
#define RARELY	      900.0 /* s, while it fails */
#define SECONDS	      120.0 /* s, time limit of sacct */
#define SETTLE	      10    /* s after a job's end */
#define DAY	      86400
#define ANSWER	      (16u << 20) /* bytes */
#define COLUMNS_BEGIN "JobID|JobIDRaw|"
#define COLUMNS                                                     \
	"JobID,JobIDRaw,UID,Start,End,State,NNodes,TRESUsageInTot," \
	"TRESUsageOutTot"

static const char *ids_of(const struct slu_sacct_totals *t, struct slu_buf *out)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->run[i].asking)
			slu_buf_printf(out, "%s%u", out->len ? "," : "",
				       t->run[i].job_id);
	return out->data;
}

/* "2026-11-22T00:10:00", a day before the first of them began. */
static void since(const struct slu_sacct_totals *t, char out[32])
{
	time_t first = (time_t)slu_now_wall();
	struct tm tm;

	for (size_t i = 0; i < t->n; i++)
		if (t->run[i].asking && t->run[i].start < first)
			first = t->run[i].start;
	first -= DAY;
	if (!localtime_r(&first, &tm) ||
	    !strftime(out, 32, "%Y-%m-%dT%H:%M:%S", &tm))
		strcpy(out, "1970-01-02T00:00:00");
}

/* Runs sacct, in the child. --duplicates: shows runs before a requeue, too. */
static int ask(void *arg, struct slu_buf *out, struct slu_err *err)
{
	const struct slu_sacct_totals *t = arg;
	struct slu_buf ids = {0};
	char from[32];
	const char *argv[] = {t->history->conf->job_totals,
			      "--parsable2",
			      "--noconvert",
			      "--allusers",
			      "--duplicates",
			      "--format",
			      COLUMNS,
			      "--starttime",
			      from,
			      "--jobs",
			      ids_of(t, &ids),
			      NULL};
	int rc;

	if (!ids.data)
		return slu_err(err, SLU_NOMEM, "out of memory");
	since(t, from);
	setenv("SLURM_TIME_FORMAT", "%s", 1);
	rc = slu_run((char *const *)(uintptr_t)argv, SECONDS, out, err);
	slu_buf_free(&ids);
	return rc;
}

struct store {
	struct slu_item item;
	struct slu_sacct_totals *t;
	struct slu_import_io io[SLU_TOTALS_MAX];
	size_t n;
};

static int store_all(struct slu_item *item, struct slu_db *db,
		     struct slu_err *err)
{
	struct store *s = (struct store *)item;
	struct slu_history_counts counts;

	return slu_history_import_io(db, s->io, s->n, &counts, err);
}

static void stored(struct slu_item *item, const struct slu_err *err)
{
	struct store *s = (struct store *)item;
	struct slu_history *h = s->t->history;

	if (err)
		slu_log(h->log, SLU_ERROR, "I/O from accounting: %s",
			err->text);
	for (size_t i = 0; !err && i < s->n; i++)
		slu_history_counted(h, s->io[i].job_id, s->io[i].start);
	free(s);
}

static struct slu_totals_run *run_of(struct slu_sacct_totals *t,
				     uint32_t job_id, int64_t start)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->run[i].job_id == job_id && t->run[i].start == start)
			return &t->run[i];
	return NULL;
}

static int take(void *arg, const struct slu_job *job, struct slu_err *err)
{
	struct store *s = arg;
	struct slu_totals_run *run = run_of(s->t, job->job_id, job->start);

	(void)err;
	if (run)
		run->known = true;
	return 0;
}

static int take_io(void *arg, const struct slu_import_io *io,
		   struct slu_err *err)
{
	struct store *s = arg;

	(void)err;
	if (s->n < SLU_TOTALS_MAX && run_of(s->t, io->job_id, io->start))
		s->io[s->n++] = *io;
	return 0;
}

static int no_uid(const char *user, uint32_t *uid)
{
	(void)user, (void)uid;
	return -1;
}

/* Keeps those whose end accounting does not know yet. */
static void keep_unknown(struct slu_sacct_totals *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->n; i++) {
		struct slu_totals_run *run = &t->run[i];

		if (!run->asking ||
		    (!run->known && ++run->tries < SLU_TOTALS_TRIES))
			t->run[kept++] = *run;
	}
	t->n = kept;
}

/* sacct says that it gets no connection; 127: sacct is not installed. */
static bool unreachable(const struct slu_err *err)
{
	return strstr(err->text, "talking to the database") ||
	       strstr(err->text, "onnect") ||
	       strstr(err->text, "exit code 127");
}

/* sacct may fail on one of them, or there are too many at once: half of them
 * next. One that fails alone waits behind all others. */
static void ask_less(struct slu_sacct_totals *t)
{
	struct slu_totals_run run;
	size_t i = 0;

	if (t->asked > 1) {
		t->most = t->asked / 2;
		for (; i < t->n; i++)
			if (t->run[i].asking)
				t->run[i].due = 0;
		return;
	}
	while (i < t->n && !t->run[i].asking)
		i++;
	if (i == t->n)
		return;
	run = t->run[i];
	run.alone = true;
	memmove(&t->run[i], &t->run[i + 1], (--t->n - i) * sizeof(run));
	if (++run.tries < SLU_TOTALS_TRIES)
		t->run[t->n++] = run;
	else
		slu_log(t->history->log, SLU_WARN,
			"I/O from accounting: job %u failed again and again "
			"and is skipped",
			run.job_id);
}

/* The output from its heading on, as a warning may precede it. */
static char *table_of(const struct slu_buf *out)
{
	return out->data ? strstr(out->data, COLUMNS_BEGIN) : NULL;
}

static int read_answer(struct slu_sacct_totals *t, struct slu_buf *out,
		       struct slu_err *err)
{
	struct store *s = calloc(1, sizeof(*s));
	struct slu_import import = {localtime_r, no_uid, take, take_io, s, 0};
	struct slu_import_report report;
	char *text;

	if (!s)
		return slu_err(err, SLU_NOMEM, "out of memory");
	*s = (struct store){.item = {.store = store_all,
				     .done = stored,
				     .retry_busy = true},
			    .t = t};
	text = table_of(out);
	if (!text)
		slu_err(err, SLU_INVALID, "it prints no table");
	if (!text || slu_import("sacct", text, strlen(text), &import, &report,
				err) < 0) {
		free(s);
		return -1;
	}
	keep_unknown(t);
	if (s->n)
		slu_write_batch_add(t->history->batch, &s->item);
	else
		free(s);
	return 0;
}

static void answered(void *arg, struct slu_buf *out, const struct slu_err *err)
{
	struct slu_sacct_totals *t = arg;
	struct slu_err why;

	if (!err && read_answer(t, out, &why) < 0)
		err = &why;
	t->wait = err;
	if (!err) {
		t->most *= 2;
		if (t->most > SLU_TOTALS_MAX)
			t->most = SLU_TOTALS_MAX;
	} else if (!unreachable(err)) {
		slu_log(t->history->log, SLU_WARN, "%s: %s; asked for %zu jobs",
			t->history->conf->job_totals, err->text, t->asked);
		ask_less(t);
		err = NULL;
	}
	if (err && !t->failures)
		slu_log(t->history->log, SLU_WARN,
			"%s: %s; the next query is delayed",
			t->history->conf->job_totals, err->text);
	t->failures = err ? t->failures + 1 : 0;
}

static double pause_of(const struct slu_sacct_totals *t)
{
	double wait = EVERY;

	for (unsigned i = 0; i < t->failures && wait < RARELY; i++)
		wait *= 2;
	if (t->failures || t->wait)
		return wait;
	for (size_t i = 0; i < t->n; i++)
		if (t->run[i].due <= slu_now_mono())
			return 0.1;
	return t->more && t->n < SLU_TOTALS_MAX ? 0.1 : wait;
}

static void gone(void *arg)
{
	struct slu_sacct_totals *t = arg;

	t->child = NULL;
	slu_timer_set(t->loop, &t->timer, pause_of(t));
}

/* Fills free entries with runs that have ended since. */
static int fill(struct slu_sacct_totals *t, struct slu_err *err)
{
	int64_t now = (int64_t)slu_now_wall();
	struct slu_import_io fresh[SLU_TOTALS_MAX];
	struct slu_db *db = t->history->db;
	long n;

	if (!t->begun && slu_history_before(db, now - DAY, &t->seen, err) < 0)
		return -1;
	t->begun = true;
	t->more = false;
	if (t->n == SLU_TOTALS_MAX)
		return 0;
	n = slu_history_uncounted(db, now - DAY, now - SETTLE, &t->seen, fresh,
				  SLU_TOTALS_MAX - t->n, &t->more, err);
	for (long i = 0; i < n; i++)
		t->run[t->n++] = (struct slu_totals_run){
			.job_id = fresh[i].job_id, .start = fresh[i].start};
	return n < 0 ? -1 : 0;
}

/* Chooses those to ask for now: not asked for recently, or one alone. */
static size_t choose(struct slu_sacct_totals *t)
{
	double now = slu_now_mono();
	bool alone = false;

	t->asked = 0;
	for (size_t i = 0; i < t->n; i++) {
		struct slu_totals_run *run = &t->run[i];

		run->asking = !alone && t->asked < t->most && run->due <= now &&
			      (!run->alone || !t->asked);
		if (!run->asking)
			continue;
		run->due = now + EVERY;
		alone = run->alone;
		t->asked++;
	}
	return t->asked;
}

static void on_timer(void *arg)
{
	struct slu_sacct_totals *t = arg;
	struct slu_child_work work = {
		.run = ask,
		.done = answered,
		.gone = gone,
		.arg = t,
		.max = ANSWER,
		.seconds = SECONDS + 10,
	};
	struct slu_err err = {0};

	slu_timer_set(t->loop, &t->timer, EVERY);
	if (t->child || !t->history->conf->job_totals)
		return;
	if (fill(t, &err) < 0) {
		slu_log(t->history->log, SLU_ERROR, "I/O from accounting: %s",
			err.text);
		return;
	}
	if (choose(t))
		t->child = slu_child_start(t->loop, &work, &err);
	if (t->asked && !t->child)
		slu_log(t->history->log, SLU_ERROR, "%s", err.text);
	else if (!t->asked && t->more && t->n < SLU_TOTALS_MAX)
		slu_timer_set(t->loop, &t->timer, 0.1);
}

void slu_totals_start(struct slu_sacct_totals *t, struct slu_loop *loop,
		      struct slu_history *history)
{
	*t = (struct slu_sacct_totals){
		.loop = loop, .history = history, .most = SLU_TOTALS_MAX};
	t->timer = (struct slu_timer){.fn = on_timer, .arg = t};
	slu_timer_set(loop, &t->timer, EVERY);
}

void slu_totals_retry(struct slu_sacct_totals *t)
{
	t->failures = 0;
	t->wait = false;
	slu_timer_soon(t->loop, &t->timer, EVERY);
}

void slu_totals_stop(struct slu_sacct_totals *t)
{
	if (t->child)
		slu_child_drop(t->child);
	t->child = NULL;
}
