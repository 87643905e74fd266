/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Admission by expected I/O bandwidth. A single job may have more demand than
 * the capacity: it counts as the whole capacity without noise, so it starts
 * when no other job has more demand than that.
 */
#include "select_io/bandwidth/admission.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UNKNOWN 0.25 /* of the capacity */
#define SURE	3    /* runs */
/* s, or this part of the run if that is longer: after this time the measured
 * and the predicted rate have equal weight */
#define BELIEF	    300.0
#define BELIEF_PART 0.05

static bool is_off(const struct slu_admission_site *site)
{
	return !(site->capacity > 0) || site->max_wait <= 0;
}

static int soonest_first(const void *x, const void *y)
{
	double a = ((const struct slu_admission_end *)x)->at;
	double b = ((const struct slu_admission_end *)y)->at;

	return (a > b) - (a < b);
}

static int make_room(struct slu_admission *a, size_t n)
{
	void *more;

	if (n <= a->room)
		return 0;
	n += n / 2;
	more = realloc(a->end, n * sizeof(*a->end));
	if (!more)
		return -1;
	a->end = more;
	a->room = n;
	return 0;
}

/* Sums up from the i-th on. */
static void sum_from(struct slu_admission *a, size_t i)
{
	double sum = i ? a->end[i - 1].sum : 0;

	for (; i < a->n_end; i++)
		a->end[i].sum = sum += a->end[i].rate;
	a->demand = sum;
}

void slu_admission_sum(struct slu_admission *a)
{
	sum_from(a, 0);
}

int slu_admission_look(struct slu_admission *a,
		       const struct slu_admission_site *site,
		       const struct slu_demand *running, size_t n_running,
		       const struct slu_demand *waiting, size_t n_waiting)
{
	a->site = (struct slu_admission_site){0};
	a->now = a->demand = 0;
	a->n_end = 0;
	if (make_room(a, n_running) < 0 ||
	    (site->adapt &&
	     slu_groups_divide(running, n_running, waiting, n_waiting,
			       site->nodes, &a->groups) < 0))
		return -1;
	a->site = *site;
	for (size_t i = 0; i < n_running; i++)
		a->end[a->n_end++] = (struct slu_admission_end){
			.at = running[i].seconds,
			.rate = running[i].rate,
			.id = running[i].id,
		};
	if (a->n_end)
		qsort(a->end, a->n_end, sizeof(*a->end), soonest_first);
	sum_from(a, 0);
	return 0;
}

void slu_admission_free(struct slu_admission *a)
{
	free(a->end);
	*a = (struct slu_admission){0};
}

/* The demand that other jobs may have if this one is to start. */
static double room_beside(const struct slu_admission_site *site, double times,
			  const struct slu_demand *job)
{
	return site->capacity * times -
	       fmin(job->rate, (1 - site->small) * site->capacity);
}

/* The limit of a job's wait, in s since it was first held. */
static double bound(const struct slu_admission_site *site,
		    const struct slu_admission_ask *job)
{
	return fmin((double)site->max_wait,
		    site->wait_factor * job->is.seconds);
}

static bool fits(const struct slu_admission *a, double times,
		 const struct slu_demand *job)
{
	return a->demand <= room_beside(&a->site, times, job);
}

enum slu_admission_answer slu_admission_ask(const struct slu_admission *a,
					    const struct slu_admission_ask *job)
{
	const struct slu_admission_site *site = &a->site;

	if (is_off(site))
		return SLU_ADMISSION_FITS;
	if (!(job->is.rate > site->small * site->capacity))
		return SLU_ADMISSION_SMALL;
	if ((double)job->held >= bound(site, job))
		return SLU_ADMISSION_PROMISED;
	if (fits(a, 1, &job->is) &&
	    (!site->adapt || slu_groups_fit(&a->groups, &job->is)))
		return SLU_ADMISSION_FITS;
	if (job->is.nodes <= job->idle && fits(a, site->over, &job->is))
		return SLU_ADMISSION_IDLE;
	return SLU_ADMISSION_HELD;
}

int slu_admission_begun(struct slu_admission *a, const struct slu_demand *job)
{
	double at = a->now + job->seconds;
	size_t i = a->n_end;

	if (make_room(a, a->n_end + 1) < 0) {
		a->site = (struct slu_admission_site){0};
		return -1;
	}
	for (; i && a->end[i - 1].at > at; i--)
		a->end[i] = a->end[i - 1];
	a->end[i] = (struct slu_admission_end){
		.at = at, .rate = job->rate, .id = job->id};
	a->n_end++;
	sum_from(a, i);
	if (a->site.adapt)
		slu_groups_begun(&a->groups, job);
	return 0;
}

void slu_admission_ended(struct slu_admission *a, uint32_t id)
{
	size_t i = 0;

	while (i < a->n_end && a->end[i].id != id)
		i++;
	if (i == a->n_end)
		return;
	a->n_end--;
	memmove(&a->end[i], &a->end[i + 1], (a->n_end - i) * sizeof(*a->end));
	sum_from(a, i);
}

/* Seconds until enough running jobs have ended. */
static double when_room(const struct slu_admission *a,
			const struct slu_demand *job)
{
	double most = room_beside(&a->site, 1, job);
	size_t low = 0, high = a->n_end;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (a->demand - a->end[mid].sum <= most)
			high = mid;
		else
			low = mid + 1;
	}
	return low < a->n_end ? fmax(a->end[low].at - a->now, a->site.left)
			      : INFINITY;
}

int64_t slu_admission_when(const struct slu_admission *a,
			   const struct slu_admission_ask *job)
{
	double when;

	if (slu_admission_ask(a, job) != SLU_ADMISSION_HELD)
		return 0;
	when = fmin(when_room(a, &job->is),
		    bound(&a->site, job) - (double)job->held);
	return (int64_t)ceil(fmax(when, 1));
}

double slu_admission_rate(const struct slu_admission_site *site,
			  const struct slu_rate *learnt, double nodes)
{
	double rate = learnt->node * nodes, own = learnt->own * nodes;

	if (!learnt->runs)
		return fmin(rate, UNKNOWN * site->capacity);
	return learnt->runs >= SURE && own <= site->small * site->capacity
		       ? own
		       : rate;
}

double slu_admission_seen(const struct slu_demand *foretold, double elapsed,
			  double bytes, bool busy)
{
	double belief = fmax(foretold->seconds * BELIEF_PART, BELIEF);
	double rate = (foretold->rate * belief + bytes) / (belief + elapsed);

	if (!(elapsed > 0)) /* perhaps a clock that was set back */
		return foretold->rate;
	return busy ? fmax(rate, foretold->rate) : rate;
}
