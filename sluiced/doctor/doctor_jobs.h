/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_QUESTIONS_DOCTOR_JOBS_H
#define SLU_SLUICED_QUESTIONS_DOCTOR_JOBS_H

/* Checks jobs for the question "doctor": phases, failures, kept data. */

#include "sluiced/questions/answerer.h"

/* Adds findings. */
int slu_doctor_jobs(struct slu_db *db, const struct slu_asker *who,
		    struct json_object *findings, double now,
		    struct slu_err *err);

#endif
