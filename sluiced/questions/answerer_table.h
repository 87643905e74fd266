/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_QUESTIONS_ANSWERER_TABLE_H
#define SLU_SLUICED_QUESTIONS_ANSWERER_TABLE_H

/*
 * The table of all questions that sluiced answers itself, in addition to those
 * of sysquery/query.h, which every user may ask.
 */

#include "sluiced/questions/answerer.h"

extern const struct slu_answerer slu_answerers[]; /* name NULL ends it */

#endif
