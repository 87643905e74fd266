/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_SIMULATION_ACCURACY_H
#define SLU_JOB_SUBMIT_SIMULATION_ACCURACY_H

/*
 * Reports the accuracy of predictions by user, partition and week: of recorded
 * ones (slu_history_accuracy), and of those of a backtest (policy_backtest.h).
 * Memory: 32 bytes a job (up to 64 allocated), 8 more while reporting. One
 * thread.
 */

#include <json-c/json.h>
#include "common/err.h"
#include "wire/job.h"

struct slu_accuracy;

struct slu_accuracy *slu_accuracy_new(struct slu_err *err);
void slu_accuracy_free(struct slu_accuracy *a);
/* Adds a job with its prediction; jobs without a prediction or a run time are
 * ignored, and those that the system ended (ended.h). */
int slu_accuracy_note(struct slu_accuracy *a, const struct slu_job *job,
		      struct slu_err *err);
/* As slu_history_accuracy() says; the caller releases it
 * (json_object_put). NULL: error. */
struct json_object *slu_accuracy_json(struct slu_accuracy *a,
				      struct slu_err *err);
/* All jobs as one group without a name; empty without jobs. */
struct json_object *slu_accuracy_all(struct slu_accuracy *a,
				     struct slu_err *err);
/* The day of Unix time `when`, as 2026-11-17. */
void slu_accuracy_day(int64_t when, char out[16]);
/* The Monday of the week of Unix time `when`, as 2026-11-16. */
void slu_accuracy_week(int64_t when, char out[16]);

#endif
