/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_QUESTIONS_START_QUEUE_H
#define SLU_SLUICED_QUESTIONS_START_QUEUE_H

/*
 * Forecasts when and where a waiting job will start, from Slurm's queue as
 * squeue and sinfo show it (job_submit/simulation/start_forecast.h).
 */

#include "common/hostlist.h"
#include "common/str.h"
#include "job_submit/predictor/predict.h"
#include "job_submit/simulation/start_forecast.h"
#include "sluiced/queue/partition_queue.h"
#include "sluiced/questions/answerer.h"

struct slu_start_queue {
	struct slu_buf queue_text, nodes_text;
	struct slu_queued *queued; /* all of Slurm's */
	size_t n_queued;
	char partition[256];	/* the one in question; of several, the first */
	struct slu_hosts nodes; /* that can be used, in sinfo's order */
	uint32_t *cpus;		/* of each */
	uint64_t all_cpus;
	/* those that compete, as start_forecast.h has them, */
	struct slu_start_forecast_job *job;
	const struct slu_queued **of; /* and as squeue has them */
	size_t n, target, running, ahead;
	uint32_t **node; /* to be freed */
	bool whole;	 /* nodes are not shared: sizes are in nodes */
	struct slu_predictor *p;
	struct slu_outlook *outlook;
};

/* Zero it; runs squeue once; slu_start_queue_free() ends it, also after -1. */
int slu_start_queue_ask(struct slu_start_queue *a, struct slu_err *err);
void slu_start_queue_free(struct slu_start_queue *a);
/* A waiting job, if the asker may see it; or NULL. */
const struct slu_queued *slu_start_queue_find(const struct slu_start_queue *a,
					      uint64_t job_id,
					      const struct slu_asker *who);
/* Forecast its start (target NULL: SLU_NOTFOUND); one job after the other, with
 * slu_start_queue_forget_job() between them. slu_start_forecast_free() frees
 * *start. */
int slu_start_queue_forecast(struct slu_start_queue *a, struct slu_db *db,
			     const struct slu_asker *who,
			     const struct slu_queued *target, uint64_t job_id,
			     struct slu_start_forecast *start,
			     struct slu_err *err);
void slu_start_queue_forget_job(struct slu_start_queue *a);

#endif
