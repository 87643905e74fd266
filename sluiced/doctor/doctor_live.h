/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_QUESTIONS_DOCTOR_LIVE_H
#define SLU_SLUICED_QUESTIONS_DOCTOR_LIVE_H

/* Collects what only the daemon's memory has for the question "doctor". */

#include "sluiced/questions/answerer.h"

struct json_object *slu_doctor_prepare(const struct slu_daemon *d,
				       const struct slu_asker *who,
				       struct json_object *args);

#endif
