/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts, again and again, a process that predicts when waiting jobs start, and
 * sends slurmctld the result.
 */
#include "sluiced/queue/start_notes.h"

#include <stdlib.h>
#include <sys/resource.h>
#include "common/jsonx.h"
#include "sluiced/child.h"
#include "sluiced/daemon.h"
#include "sluiced/questions/questions.h"

#define TICK	10.0 /* s */
#define SECONDS 120.0
#define ANSWER	(64u << 10)

static int by_job(const void *a, const void *b)
{
	uint32_t x = ((const struct slu_start_told *)a)->job_id,
		 y = ((const struct slu_start_told *)b)->job_id;

	return (x > y) - (x < y);
}

int slu_start_notes_message(struct json_object *found, struct slu_starts *out)
{
	size_t n = slu_json_length(found);

	*out = (struct slu_starts){calloc(n + 1, sizeof(*out->jobs)), 0};
	if (!out->jobs)
		return -1;
	for (size_t i = 0; i < n; i++) {
		struct json_object *one = json_object_array_get_idx(found, i);
		struct json_object *id = slu_json_at(one, "job_id"),
				   *text = slu_json_at(one, "text");

		if (id && text)
			out->jobs[out->n_jobs++] = (struct slu_start_told){
				(uint32_t)json_object_get_int64(id),
				(char *)json_object_get_string(text)};
	}
	qsort(out->jobs, out->n_jobs, sizeof(*out->jobs), by_job);
	return 0;
}

static void tell(struct slu_daemon *d, struct json_object *found)
{
	struct slu_starts starts;

	if (slu_start_notes_message(found, &starts) == 0)
		slu_control_send(d->control, &slu_starts_desc, &starts);
	free(starts.jobs);
}

/* Runs at low priority, as no one waits for it. */
static int run(void *arg, struct slu_buf *out, struct slu_err *err)
{
	struct json_object *args = json_object_new_object();

	(void)out;
	(void)setpriority(PRIO_PROCESS, 0, 10);
	slu_json_set_str(args, "question", "starts");
	return slu_question_become(arg, args, err);
}

static void done(void *arg, struct slu_buf *out, const struct slu_err *err)
{
	struct slu_daemon *d = arg;
	struct slu_err why;
	struct json_object *found =
		err ? NULL
		    : slu_json_parse(out->data ? out->data : "", out->len,
				     &why);

	if (found) {
		tell(d, found);
		d->start_notes.silent = false;
	} else if (!d->start_notes.failed) {
		slu_log(d->log, SLU_WARN, "when waiting jobs will start: %s",
			err ? err->text : why.text);
	}
	d->start_notes.failed = !found;
	json_object_put(found);
}

static void gone(void *arg)
{
	((struct slu_daemon *)arg)->start_notes.busy = false;
}

static void look(struct slu_daemon *d)
{
	struct slu_child_work work = {.run = run,
				      .done = done,
				      .gone = gone,
				      .arg = d,
				      .max = ANSWER,
				      .seconds = SECONDS};
	struct slu_err err;

	d->start_notes.busy = true;
	if (slu_child_start(d->loop, &work, &err))
		return;
	slu_log(d->log, SLU_WARN, "when waiting jobs will start: %s", err.text);
	gone(d);
}

/* Seconds between two looks; 0: nothing is to be told. */
static double pause_of(const struct slu_conf *conf)
{
	return conf->predict_mode == SLU_PREDICT_OFF
		       ? 0
		       : (double)conf->start_notes;
}

/* What was told before does not stay. */
static void stop(struct slu_daemon *d)
{
	if (!d->start_notes.silent)
		tell(d, NULL);
	d->start_notes.silent = true;
}

/* Often enough for a sluice.conf that is read again. */
static void wait_for_next(struct slu_daemon *d)
{
	double pause = pause_of(d->conf);

	slu_timer_set(d->loop, &d->start_notes.timer,
		      pause > 0 && pause < TICK ? pause : TICK);
}

static void on_time(void *arg)
{
	struct slu_daemon *d = arg;
	double pause = pause_of(d->conf), now = slu_now_mono();
	bool ready = !d->start_notes.busy && !d->failed &&
		     slu_control_connected(d->control);

	if (ready && pause == 0) {
		stop(d);
	} else if (ready && now - d->start_notes.last >= pause) {
		d->start_notes.last = now;
		look(d);
	}
	wait_for_next(d);
}

void slu_start_notes_begin(struct slu_daemon *d)
{
	d->start_notes.timer = (struct slu_timer){.fn = on_time, .arg = d};
	d->start_notes.last = slu_now_mono();
	wait_for_next(d);
}
