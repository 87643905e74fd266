/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SLUICED_START_SENTENCE_H
#define SLU_SLUICED_START_SENTENCE_H

/*
 * Puts a forecast of a start (job_submit/simulation/start_forecast.h) into a
 * few words for the job's comment:
 *
 *   50 % by 2026-11-28T14:20, 90 % by 2026-11-28T15:10, on n12 .8, n13 .8
 */

#include <stdint.h>
#include "common/hostlist.h"
#include "common/str.h"
#include "job_submit/simulation/start_forecast.h"

/* Times are local ones, rounded up (to 1, 10 or 60 minutes, by how far they
 * are), and probabilities to a tenth, so that a text changes when the forecast
 * does. `nodes`: the names by the forecast's numbers; NULL: nodes are not
 * forecast. The few most probable ones are named. */
void slu_start_sentence(const struct slu_start_forecast *start,
			const struct slu_hosts *nodes, int64_t now,
			struct slu_buf *out);

#endif
