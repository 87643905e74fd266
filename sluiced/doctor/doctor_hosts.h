/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_QUESTIONS_DOCTOR_HOSTS_H
#define SLU_SLUICED_QUESTIONS_DOCTOR_HOSTS_H

/*
 * Checks hosts for the question "doctor": versions, configurations, probes,
 * silent and drained nodes.
 */

#include "sluiced/questions/answerer.h"

/* Adds findings. */
int slu_doctor_hosts(struct slu_db *db, struct json_object *live,
		     struct json_object *findings, struct slu_err *err);

#endif
