/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two-group rule: sorts waiting jobs by rate per node, and halves them by
 * node hours.
 */
#include "select_io/bandwidth/groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double by_node(const struct slu_demand *job)
{
	return job->rate / job->nodes;
}

static int lightest_first(const void *a, const void *b)
{
	double x = by_node(a), y = by_node(b);

	return (x > y) - (x < y);
}

static double area(const struct slu_demand *job)
{
	return job->nodes * job->seconds;
}

/* waiting[n], n > 0, is sorted by rate per node, the lowest first: the lower
 * half of it. */
static void halve(const struct slu_demand *waiting, size_t n,
		  struct slu_groups *out)
{
	double all = 0, half = 0, bytes = 0;
	size_t i = 0;

	for (size_t k = 0; k < n; k++)
		all += area(&waiting[k]);
	/* and all that have the same rate as the last of that half */
	for (; i < n && (half < all / 2 || by_node(&waiting[i]) <= out->light);
	     i++) {
		half += area(&waiting[i]);
		bytes += waiting[i].rate * waiting[i].seconds;
		out->light = by_node(&waiting[i]);
	}
	out->mean = bytes / half;
}

int slu_groups_divide(const struct slu_demand *running, size_t n_running,
		      const struct slu_demand *waiting, size_t n_waiting,
		      double nodes, struct slu_groups *out)
{
	struct slu_demand *sorted = calloc(n_waiting + 1, sizeof(*sorted));
	double bytes = 0, all = 0;

	if (!sorted)
		return -1;
	*out = (struct slu_groups){.target = INFINITY};
	if (n_waiting) {
		memcpy(sorted, waiting, n_waiting * sizeof(*sorted));
		qsort(sorted, n_waiting, sizeof(*sorted), lightest_first);
		halve(sorted, n_waiting, out);
	}
	free(sorted);
	for (size_t i = 0; i < n_running; i++) {
		bytes += running[i].rate * running[i].seconds;
		all += area(&running[i]);
		slu_groups_begun(out, &running[i]);
	}
	for (size_t i = 0; i < n_waiting; i++) {
		bytes += waiting[i].rate * waiting[i].seconds;
		all += area(&waiting[i]);
	}
	if (n_waiting)
		out->target = nodes * (bytes / all - out->mean);
	return 0;
}

bool slu_groups_fit(const struct slu_groups *groups,
		    const struct slu_demand *job)
{
	double part = job->rate - job->nodes * groups->mean;

	return by_node(job) <= groups->light ||
	       groups->above <= groups->target - fmin(part, groups->target) / 2;
}

void slu_groups_begun(struct slu_groups *groups, const struct slu_demand *job)
{
	groups->above += job->rate - job->nodes * groups->mean;
}
