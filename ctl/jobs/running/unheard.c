/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gives up jobs that are being set up while sluiced is down, or cannot write
 * its database. When their time is over, their nodes would refuse the tasks and
 * Slurm would set the job FAILED. So shortly before that (the nodes have a
 * grace of 30 s) the verdict of OnSetupFailure is applied, and the job waits in
 * the queue.
 */
#include "config.h"
#include "ctl/jobs/running/unheard.h"

#include "ctl/jobs/running/followed.h"
#include "ctl/private.h"

#include <stdlib.h>
#include <time.h>

#define AWAY	10.0 /* s; enough for a sluiced that only restarts */
#define EVERY	5.0
#define LOOK_AT 256 /* jobs read under one lock */

struct heard {
	bool staging, ready; /* the state that sluiced last sent */
};

static void hear(void *arg, const struct slu_buffer_state *b)
{
	struct heard *heard = arg;

	heard->staging |= slu_eq(b->state, "STAGE_IN");
	heard->ready |= !heard->staging && !slu_eq(b->state, "SETUP");
}

/* Has the time for setup passed, as the nodes count it? `start` is from
 * slurmctld: for a job whose nodes had to boot it is when they were up, which
 * live->start lacks while there is no link. */
static bool is_late(struct slu_ctl *ctl, const struct slu_followed *live,
		    int64_t start)
{
	const struct slu_conf *conf = ctl->site->conf;
	struct heard heard = {0};

	if (!live->has_buffer || live->ended)
		return false;
	slu_mirror_job(&ctl->mirror, live->job_id, hear, &heard);
	return !heard.ready &&
	       time(NULL) - start >
		       conf->setup_timeout +
			       (heard.staging ? conf->stage_in_timeout : 0);
}

static void give_up(struct slu_ctl *ctl, const struct slu_followed *live)
{
	const struct slu_ctl_ops *ops = &ctl->ops;
	struct slu_verdict verdict = {
		.job_id = live->job_id,
		.restarts = live->restarts,
		.reason = (char *)(uintptr_t) "setup failed: sluiced does "
					      "not answer"};
	int (*act)(void *arg, const struct slu_verdict *verdict,
		   struct slu_err *err);
	struct slu_err err = {0};

	switch (ctl->site->conf->on_setup) {
	case SLU_HOLD:
		act = ops->hold;
		break;
	case SLU_FAIL:
		act = ops->fail;
		break;
	case SLU_CANCEL:
		act = ops->cancel;
		break;
	default:
		act = ops->requeue;
	}
	ctl_log(ctl, SLU_WARN, "JobId=%u: %s", verdict.job_id, verdict.reason);
	if (act(ops->arg, &verdict, &err) < 0)
		ctl_log(ctl, SLU_WARN, "JobId=%u: %s", verdict.job_id,
			err.text);
}

/* Gives up those of the jobs whose prologs have not ended. */
static void give_up_waiting(struct slu_ctl *ctl, const uint32_t *id, size_t n)
{
	struct slu_job *job = calloc(n, sizeof(*job));

	if (!job)
		return; /* the next look tries again */
	ctl->ops.jobs(ctl->ops.arg, id, n, job);
	for (size_t i = 0; i < n; i++) {
		struct slu_followed *live = slu_followed_get(ctl, id[i]);

		if (job[i].unlaunched && job[i].restarts == live->restarts &&
		    is_late(ctl, live, job[i].start))
			give_up(ctl, live);
		slu_msg_clear(&slu_job_desc, &job[i]);
	}
	free(job);
}

static double look(struct slu_ctl *ctl, double now)
{
	uint32_t id[LOOK_AT];
	struct slu_followed *live;
	size_t n = 0, i = 0;

	if (!ctl->away_since || !ctl->site->conf)
		return 3600;
	if (now - ctl->away_since < AWAY)
		return EVERY;
	do {
		live = slu_map_next(&ctl->live, &i);
		if (live && is_late(ctl, live, live->start))
			id[n++] = live->job_id;
		if (n && (!live || n == LOOK_AT)) {
			give_up_waiting(ctl, id, n);
			n = 0;
		}
	} while (live);
	return EVERY;
}

void slu_unheard_tick(struct slu_ctl *ctl, double now)
{
	if (ctl->next_unheard <= now)
		ctl->next_unheard = now + look(ctl, now);
}
