/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Learns a profile run by run. The Markov chains have the order of Paul et al.
 * (markov.h), 3: above it little is gained.
 */
#include <math.h>
#include <stdlib.h>
#include "job_submit/io/io_profile.h"

#define ORDER 3

void slu_profile_init(struct slu_profile *p)
{
	*p = (struct slu_profile){0};
	slu_markov_init(&p->read, ORDER);
	slu_markov_init(&p->written, ORDER);
}

static struct slu_profile_ions *find(struct slu_profile *p, uint32_t ions)
{
	struct slu_profile_ions *least = &p->with[0];

	for (size_t i = 0; i < p->n_with; i++) {
		if (p->with[i].ions == ions)
			return &p->with[i];
		if (p->with[i].runs < least->runs)
			least = &p->with[i];
	}
	if (p->n_with < SLU_PROFILE_IONS)
		least = &p->with[p->n_with++];
	*least = (struct slu_profile_ions){.ions = ions};
	return least;
}

void slu_profile_learn(struct slu_profile *p, const struct slu_history_row *row)
{
	struct slu_profile_ions *with;
	double bytes = row->read_bytes + row->written_bytes;

	if (!(bytes > 0) || !isfinite(bytes) || row->read_bytes < 0 ||
	    row->written_bytes < 0)
		return;
	p->run[p->runs++ % SLU_PROFILE_RUNS] = (struct slu_profile_run){
		row->read_bytes, row->written_bytes, row->io_bandwidth};
	if (row->calls > 0 && isfinite(row->calls + row->called_bytes)) {
		p->called_runs++;
		p->calls += row->calls;
		p->called_bytes += row->called_bytes;
		p->shared_bytes += row->shared_bytes;
		p->consecutive += row->consecutive;
	}
	slu_markov_learn(&p->read, row->read_bytes);
	slu_markov_learn(&p->written, row->written_bytes);
	if (row->job.ions == SLU_NO_ID)
		return;
	with = find(p, row->job.ions);
	with->runs++;
	with->bandwidth += (row->io_bandwidth - with->bandwidth) / with->runs;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static bool alike(double moved, double predicted)
{
	return fabs(moved - predicted) <= predicted / 4;
}

double slu_profile_bandwidth(const struct slu_profile *p)
{
	double read, written, bandwidth[SLU_PROFILE_RUNS];
	size_t runs = p->runs < SLU_PROFILE_RUNS ? p->runs : SLU_PROFILE_RUNS;
	size_t n = 0;
	bool none;

	slu_markov_predict(&p->read, &read, 1);
	slu_markov_predict(&p->written, &written, 1);
	read = slu_markov_nearest(&p->read, read);
	written = slu_markov_nearest(&p->written, written);
	for (size_t i = 0; i < runs; i++)
		if (alike(p->run[i].read, read) &&
		    alike(p->run[i].written, written))
			bandwidth[n++] = p->run[i].bandwidth;
	none = n == 0;
	for (size_t i = 0; none && i < runs; i++)
		bandwidth[n++] = p->run[i].bandwidth;
	qsort(bandwidth, n, sizeof(*bandwidth), ascending);
	return n ? (bandwidth[(n - 1) / 2] + bandwidth[n / 2]) / 2 : 0;
}
