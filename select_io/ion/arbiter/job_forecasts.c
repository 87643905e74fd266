/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Computes the mean bandwidth that was predicted for each job over its run: an
 * integral of its forecast, updated when the forecast changes rather than at
 * each event.
 */
#include <math.h>
#include <string.h>
#include "select_io/ion/arbiter/arbiter_private.h"

#define MOST_OF_IT 0.9 /* of its time must have a forecast */

/* Bandwidths of a table have another unit: no forecast from these alone. */
static bool is_predicted(const struct running *r)
{
	return slu_curve_known(&r->curve) && r->from != FROM_TABLE &&
	       r->from != FROM_NOTHING;
}

static struct slu_ion_forecast forecast(const struct slu_arbiter *a,
					const struct running *r)
{
	struct slu_ion_grant fixed = slu_ion_division_static_grant(
		slu_ion_granting(a), r->slot[slu_ion_granting_slot(a)]);
	struct slu_ion_forecast f = {.predicted = r->grant.bandwidth,
				     .fixed = fixed.bandwidth};
	uint32_t at = fixed.shared ? 1 : fixed.ions;

	/* A number without a run counts 0 in the division: it is unknown. */
	if (!is_predicted(r) || !(f.predicted > 0 && f.fixed > 0))
		return (struct slu_ion_forecast){0};
	f.error = slu_curve_error(&r->curve, at, a->now);
	for (size_t i = 0; i < r->n_choice; i++)
		if (r->choice[i] <= a->pool_size)
			f.alone = fmax(f.alone,
				       slu_curve_at(&r->curve, r->choice[i]));
	return f;
}

static void add(struct running *r, double seconds, struct slu_ion_forecast *sum,
		double *known)
{
	const struct slu_ion_forecast *f = &r->foreseen;

	*sum = r->forecasts;
	*known = r->forecast_for;
	if (!(seconds > 0) || !(f->alone > 0))
		return;
	*known += seconds;
	sum->predicted += f->predicted * seconds;
	sum->fixed += f->fixed * seconds;
	sum->alone += f->alone * seconds;
	sum->error += f->error * seconds;
}

void slu_ion_update_forecasts(struct slu_arbiter *a)
{
	for (size_t i = 0; i < a->n_run; i++) {
		struct running *r = a->run[i];
		struct slu_ion_forecast f = forecast(a, r);

		if (!r->first_seen)
			r->first_seen = r->seen = a->now;
		if (memcmp(&f, &r->foreseen, sizeof(f)) == 0)
			continue;
		add(r, (double)(a->now - r->seen), &r->forecasts,
		    &r->forecast_for);
		r->seen = a->now;
		r->foreseen = f;
	}
}

int slu_arbiter_forecast(const struct slu_arbiter *a, uint32_t job_id,
			 int64_t end, struct slu_ion_forecast *out)
{
	struct running *r = slu_ion_find(a, job_id);
	struct slu_ion_forecast sum;
	double known;

	if (!r || !r->first_seen)
		return -1;
	add(r, (double)(end - r->seen), &sum, &known);
	if (known <= 0 || known < MOST_OF_IT * (double)(end - r->first_seen))
		return -1;
	*out = (struct slu_ion_forecast){
		.predicted = sum.predicted / known,
		.fixed = sum.fixed / known,
		.alone = sum.alone / known,
		.error = sum.error / known,
	};
	return 0;
}
