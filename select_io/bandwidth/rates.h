/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_SELECT_IO_RATES_H
#define SLU_SELECT_IO_RATES_H

/*
 * Predicts the bandwidth of a job, in bytes/s per node: a mean of earlier runs
 * of its application, with the highest weights for the latest. With few runs of
 * an application the user's mean counts more, with few runs of a user the
 * site's. So a new job name brings no advantage: the prediction is that for the
 * user.
 *
 * An application is a user and a job name without its counters. One thread.
 */

#include <stddef.h>
#include <stdint.h>
#include "common/err.h"

struct slu_rates;

/* Of so many applications and users, at 32 bytes each; where there is no room
 * the one that was updated longest ago is evicted. NULL without memory. */
struct slu_rates *slu_rates_new(size_t most, struct slu_err *err);
void slu_rates_free(struct slu_rates *rates);
void slu_rates_forget(struct slu_rates *rates); /* as a new one */

/* Learns from an ended run, in the order of ends: the bytes that it moved.
 * Impossible runs are ignored (no nodes, no time, negative bytes). `name` may
 * be NULL. */
void slu_rates_learn(struct slu_rates *rates, uint32_t uid, const char *name,
		     double nodes, double seconds, double bytes);

/* The same of a run of which only the part `calm` (0 to 1) was in time in which
 * the file system was not busy. Alone it would have moved between what it did,
 * and that in its calm time: what is known of its application changes only as
 * far as it is outside. So what jobs move in each other's way is not learnt as
 * what they need. */
void slu_rates_learn_disturbed(struct slu_rates *rates, uint32_t uid,
			       const char *name, double nodes, double seconds,
			       double bytes, double calm);

struct slu_rate {
	double node;   /* bytes/s of each of its nodes, >= 0 */
	double own;    /* mean of the application's runs alone; 0: it is new */
	uint32_t runs; /* of the application, in that mean; 0: it is new */
};

/* Predicts the rate of a job that is expected to run for `seconds`; 0 where
 * nothing has been learnt. */
struct slu_rate slu_rates_foretell(const struct slu_rates *rates, uint32_t uid,
				   const char *name, double nodes,
				   double seconds);

#endif
