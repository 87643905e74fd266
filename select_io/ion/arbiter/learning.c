/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Learns from ended jobs: the bandwidth curve of each job class (curves.h), and
 * which classes have changed since the last solve. While the whole history is
 * read again, a second set of curves is trained, which then replaces the first.
 */
#include "select_io/ion/arbiter/learning.h"

#define WEIGHT_PREDICTED 0.5 /* of a table's value beside measured runs */

static void learnt(struct slu_arbiter *a, uint64_t class)
{
	if (!class || a->n_learnt > MAX_LEARNT)
		return;
	if (a->n_learnt < MAX_LEARNT)
		a->learnt[a->n_learnt] = class;
	a->n_learnt++;
}

void slu_arbiter_learn(struct slu_arbiter *a, const struct slu_history_row *row)
{
	struct slu_curves *curves = a->in_training ? a->in_training : a->curves;
	struct slu_job job = row->job;
	struct slu_ion_times times;
	uint64_t dropped;

	if (!slu_curves_times(&job, a->direct, &times))
		return;
	if (a->now && job.end > a->now) /* clock skew */
		job.end = a->now;
	dropped = slu_curves_learn(curves, &job, &times, row->io_bandwidth);
	if (a->in_training)
		return;
	learnt(a, dropped);
	learnt(a, slu_curves_class(&job));
	learnt(a, slu_curves_user(&job));
}

int slu_arbiter_retrain(struct slu_arbiter *a)
{
	struct slu_curves *in_training = slu_curves_new(MAX_CURVES, NULL);

	if (!in_training)
		return -1;
	slu_curves_free(a->in_training);
	a->in_training = in_training;
	return 0;
}

void slu_arbiter_retrained(struct slu_arbiter *a, bool anything)
{
	struct slu_curves *rest = a->in_training;

	if (rest && anything) {
		rest = a->curves;
		a->curves = a->in_training;
		a->n_learnt = MAX_LEARNT + 1; /* all classes */
	}
	slu_curves_free(rest);
	a->in_training = NULL;
}

void slu_ion_touch_learnt(struct slu_arbiter *a)
{
	size_t n = a->n_learnt;

	a->n_learnt = 0;
	if (n > MAX_LEARNT)
		slu_ion_touch_all(a);
	else
		for (size_t i = 0; n && i < a->n_run; i++)
			for (size_t k = 0; k < n; k++)
				if (a->run[i]->class == a->learnt[k] ||
				    a->run[i]->user == a->learnt[k])
					slu_ion_touch(a, a->run[i]);
}

/* Without a run of this class the site's table is used, with the predicted I/O
 * pattern, or with the one that the user has named as long as none of the
 * user's jobs of this size was measured. The user's other jobs are not used. */
static void estimate_new(const struct slu_arbiter *a, struct running *r)
{
	bool counts = r->tabled && !(r->job.ion_pattern &&
				     slu_curves_user_known(a->curves, r->user));

	r->from = counts ? FROM_TABLE : FROM_NOTHING;
	r->curve = counts ? r->table : (struct slu_curve){0};
}

void slu_ion_estimate(const struct slu_arbiter *a, struct running *r)
{
	const struct slu_curve *own = slu_curves_find(a->curves, r->class);

	if (!own || own->n == 0) {
		estimate_new(a, r);
	} else if (r->tabled && !r->job.ion_pattern) {
		r->from = FROM_BOTH;
		slu_curve_mix(own, &r->table, WEIGHT_PREDICTED, &r->curve);
	} else {
		r->from = FROM_RUNS;
		r->curve = *own;
	}
}
