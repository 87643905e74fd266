/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts, again and again, a process that predicts the nodes of waiting jobs,
 * and stores the result with the buffers.
 */
#include "sluiced/queue/predict_nodes.h"

#include <stdlib.h>
#include <sys/resource.h>
#include "common/jsonx.h"
#include "sluiced/child.h"
#include "sluiced/daemon.h"
#include "sluiced/questions/questions.h"

#define LOOK_MAX 20.0 /* seconds between two predictions, or */
#define LOOKS	 4.0  /* that many while a plan has to hold */
#define LOOK_MIN 1.0
#define SECONDS	 120.0
#define ANSWER	 (8u << 20)

struct look {
	struct slu_daemon *d;
	struct json_object *jobs;
};

/* Runs at low priority, as no one waits for it. */
static int run(void *arg, struct slu_buf *out, struct slu_err *err)
{
	struct look *look = arg;
	struct json_object *args = json_object_new_object();

	(void)out;
	(void)setpriority(PRIO_PROCESS, 0, 10);
	slu_json_set_str(args, "question", "predicted");
	json_object_object_add(args, "jobs", json_object_get(look->jobs));
	return slu_question_become(look->d, args, err);
}

static void done(void *arg, struct slu_buf *out, const struct slu_err *err)
{
	struct slu_daemon *d = ((struct look *)arg)->d;
	struct slu_err why;
	struct json_object *found =
		err ? NULL
		    : slu_json_parse(out->data ? out->data : "", out->len,
				     &why);

	if (found)
		slu_buffers_predicted(d->buffers, found, slu_now_wall());
	else if (!d->predict_nodes.failed)
		slu_log(d->log, SLU_WARN, "where waiting jobs will run: %s",
			err ? err->text : why.text);
	d->predict_nodes.failed = !found;
	json_object_put(found);
}

static void gone(void *arg)
{
	struct look *look = arg;

	look->d->predict_nodes.busy = false;
	json_object_put(look->jobs);
	free(look);
}

/* Starts a prediction for these jobs, which it takes over. */
static void look_for(struct slu_daemon *d, struct json_object *jobs)
{
	struct look *look = calloc(1, sizeof(*look));
	struct slu_child_work work = {.run = run,
				      .done = done,
				      .gone = gone,
				      .arg = look,
				      .max = ANSWER,
				      .seconds = SECONDS};
	struct slu_err err;

	if (!look) {
		json_object_put(jobs);
		return;
	}
	look->d = d;
	look->jobs = jobs;
	d->predict_nodes.busy = true;
	if (slu_child_start(d->loop, &work, &err))
		return;
	slu_log(d->log, SLU_WARN, "where waiting jobs will run: %s", err.text);
	gone(look);
}

static double pause_of(const struct slu_conf *conf)
{
	double pause = (double)conf->prestage_after / LOOKS;

	return pause > LOOK_MAX	  ? LOOK_MAX
	       : pause < LOOK_MIN ? LOOK_MIN
				  : pause;
}

static void on_time(void *arg)
{
	struct slu_daemon *d = arg;
	struct json_object *jobs = d->predict_nodes.busy || d->failed
					   ? NULL
					   : slu_buffers_to_predict(d->buffers);

	if (jobs)
		look_for(d, jobs);
	slu_timer_set(d->loop, &d->predict_nodes.timer, pause_of(d->conf));
}

void slu_predict_nodes_start(struct slu_daemon *d)
{
	d->predict_nodes.timer = (struct slu_timer){.fn = on_time, .arg = d};
	slu_timer_set(d->loop, &d->predict_nodes.timer, pause_of(d->conf));
}
