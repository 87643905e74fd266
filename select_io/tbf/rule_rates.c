/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rounds the rates of rules: from the rate that a job's rule should let through
 * to the whole number of RPCs a second that is written, which Lustre applies to
 * each of the job's classes (client queues). If it was rounded up for every
 * job, a job of many classes would get much more than its share; so a job is
 * rounded down while the jobs before it have got more, together, than they
 * should.
 */
#include "config.h"
#include "select_io/tbf/controller_private.h"

#include <math.h>

unsigned slu_tbf_all_classes(const struct slu_tbf *tbf, const struct job *job)
{
	return job->classes ? job->classes : tbf->cpts;
}

unsigned slu_tbf_divisor(const struct slu_tbf *tbf, const struct job *job)
{
	unsigned all = slu_tbf_all_classes(tbf, job);

	return job->busy > 0 && job->busy < all ? job->busy : all;
}

double slu_tbf_passes(const struct slu_tbf *tbf, const struct job *job)
{
	return (double)job->rate * slu_tbf_divisor(tbf, job) * job->size;
}

/* No less than the floor, which is there so that a class need not wait long for
 * its next token. It gives no job more than its part by priority: floors take
 * nothing from others. */
static double least(const struct slu_tbf *tbf, const struct job *job)
{
	double each = slu_tbf_divisor(tbf, job);

	return fmin(tbf->set.min_rate * each * job->size, job->part);
}

/* A rule that is as it should be but for the rounding is left alone, unless
 * that would be a whole step too much: a change is not for free. */
static void round_one(const struct slu_tbf *tbf, struct job *job, double *over)
{
	unsigned each = slu_tbf_divisor(tbf, job);
	double wanted = fmax(job->wanted, least(tbf, job));
	double step = each * job->size; /* tokens a second */
	uint32_t up = slu_rule_rate(wanted / job->size, each);
	bool rounds = up > 1 && up * step > wanted;
	double limit = 0;

	if (job->written > 0 && job->rate == up)
		limit = step;
	else if (job->written > 0 && job->rate + 1 == up)
		limit = -step;
	job->due = rounds && *over > limit ? up - 1 : up;
	*over += job->due * step - wanted;
}

void slu_tbf_round(struct slu_tbf *tbf)
{
	double over = 0;

	for (size_t i = 0; i < tbf->n; i++)
		if (tbf->job[i].wanted > 0)
			round_one(tbf, &tbf->job[i], &over);
	/* the rate of each of the crowd, not of all together */
	tbf->others.due = slu_rule_rate(tbf->others.wanted / tbf->others.size,
					slu_tbf_divisor(tbf, &tbf->others));
	tbf->rounded = true;
}
