/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trains the predictor with runs that end and with the history that sluiced
 * replays, each run once. When the configuration is read again, the trained
 * predictor stays in use (sluiced may be away) until a new one has learned
 * everything again, with what was imported since. The arbiter does the same
 * with its curves. What applications read and write (volumes) stays in use
 * until the replay begins, and is then learned anew.
 */
#include "config.h"
#include "ctl/predictor/training.h"

#include "ctl/private.h"

#include <stdlib.h>

void slu_training_add(struct slu_ctl *ctl, const struct slu_job *job)
{
	struct slu_predictor *p =
		ctl->in_training ? ctl->in_training : ctl->site->predictor;

	if (p)
		slu_learn(p, job);
}

static void teach(void *arg, const struct slu_job *job)
{
	slu_training_add(arg, job);
}

void slu_training_add_waiting(struct slu_ctl *ctl)
{
	slu_seen_runs_learn(&ctl->seen_runs, teach, ctl);
}

/* History comes in the order of ends: a run that ends meanwhile comes after it,
 * and not again as one of its rows. */
void slu_training_add_once(struct slu_ctl *ctl, const struct slu_job *job)
{
	bool reading = ctl->linked && !ctl->replayed;
	bool waits = !ctl->predictor_heard.all && reading;
	int rc = 0;

	if (ctl->in_training)
		slu_learn(ctl->site->predictor, job);
	if (!ctl->predictor_heard.all)
		rc = slu_seen_runs_add(&ctl->seen_runs, job, waits);
	if (!waits || rc < 0)
		slu_training_add(ctl, job);
}

/* Rows that are not stored yet may be in the replay, or not. */
void slu_training_restart(struct slu_ctl *ctl)
{
	const struct slu_job *job;

	slu_seen_runs_clear(&ctl->seen_runs);
	ctl->predictor_heard = ctl->volumes_heard =
		(struct slu_history_position){0};
	if (ctl->arbiter && slu_arbiter_retrain(ctl->arbiter) == 0)
		ctl->arbiter_heard = (struct slu_history_position){0};
	for (size_t i = 0; (job = slu_history_queue_at(&ctl->history, i)); i++)
		if (job->job_id && !slu_seen_runs_has(&ctl->seen_runs, job) &&
		    slu_seen_runs_add(&ctl->seen_runs, job, true) < 0)
			slu_training_add(ctl, job);
}

void slu_training_keep(struct slu_ctl *ctl, struct slu_site *site)
{
	struct slu_predictor *fresh = site->predictor;

	if (!ctl->in_training && !ctl->predictor_heard.all)
		return;
	site->predictor = ctl->site->predictor;
	/* the old one goes with the old site */
	ctl->site->predictor = ctl->in_training;
	ctl->in_training = fresh;
}

void slu_training_complete(struct slu_ctl *ctl)
{
	struct slu_predictor *rest = ctl->in_training;

	if (rest && ctl->rows) { /* else there were no rows to learn from */
		pthread_rwlock_wrlock(&ctl->site_lock);
		rest = ctl->site->predictor;
		ctl->site->predictor = ctl->in_training;
		pthread_rwlock_unlock(&ctl->site_lock);
	}
	slu_predictor_free(rest);
	ctl->in_training = NULL;
}

void slu_training_fini(struct slu_ctl *ctl)
{
	slu_seen_runs_clear(&ctl->seen_runs);
	slu_predictor_free(ctl->in_training);
	ctl->in_training = NULL;
	ctl->predictor_heard = (struct slu_history_position){0};
}
