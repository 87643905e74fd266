/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The careful answer in whole minutes, where the site wants it and the user
 * gains or loses nothing else by it. */
#include "config.h"
#include "job_submit/granted.h"

#define LEAD 120 /* s; Slurm looks every 30 s, and warns a minute before */

static bool is_wanted(enum slu_predict_mode mode, bool given)
{
	return mode == SLU_PREDICT_TIGHTEN ||
	       (mode == SLU_PREDICT_FILL && !given);
}

uint32_t slu_limit_granted(enum slu_predict_mode mode,
			   const struct slu_limit_wish *wish, int64_t careful)
{
	int64_t minutes = careful > 0 ? (careful + 59) / 60 : 0;

	if (!is_wanted(mode, wish->given))
		return 0;
	if (!wish->given) {
		if (wish->most && minutes > wish->most)
			minutes = wish->most;
	} else if (wish->most && (!wish->asked || wish->asked > wish->most)) {
		return 0; /* more than is allowed: Slurm must see it */
	} else if (wish->asked && minutes >= wish->asked) {
		return 0;
	}
	return minutes < UINT32_MAX ? (uint32_t)minutes : 0;
}

int64_t slu_limit_lead(uint32_t minutes)
{
	int64_t half = (int64_t)minutes * 30;

	return half < LEAD ? half : LEAD;
}
