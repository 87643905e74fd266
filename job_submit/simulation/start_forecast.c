/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Draws a run time for each job, simulates the queue up to the job in question,
 * and assigns idle nodes in the order of starts and ends; repeats this for each
 * sample.
 */
#include "job_submit/simulation/start_forecast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "job_submit/simulation/easy_backfill.h"

struct sampling {
	const struct slu_start_forecast_input *ask;
	struct slu_easy_job *easy; /* running jobs come first */
	size_t *job;		   /* index in the request of each */
	size_t target;		   /* index of the job in question */
	int64_t machine;	   /* size, at least what is in use */
	int64_t *start;
	size_t *order;	 /* jobs by start, */
	size_t *ended;	 /* and by end */
	uint64_t *idle;	 /* nodes, one bit each */
	uint64_t *taken; /* nodes of each job, as many words each */
	uint64_t *set;	 /* nodes of the target, for each sample */
	size_t words;
	uint64_t seed;
};

static int nomem(struct slu_err *err)
{
	return slu_err(err, SLU_NOMEM, "out of memory");
}

/* Uniform in (0, 1), by splitmix64. */
static double uniform(uint64_t *seed)
{
	uint64_t z = (*seed += 0x9e3779b97f4a7c15u);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	z ^= z >> 31;
	return ((double)(z >> 12) + 0.5) / 4503599627370496.0;
}

/* Samples the remaining run time of a job from its forecast. */
static struct slu_easy_job draw(struct sampling *s, size_t i)
{
	const struct slu_start_forecast_job *job = &s->ask->job[i];
	int64_t gone = job->elapsed > 0 ? job->elapsed : 0;
	double run = s->ask->run(s->ask->arg, i, uniform(&s->seed));
	int64_t left = job->limit - gone, takes;

	left = left > 1 ? left : 1;
	takes = (int64_t)fmin(ceil(run) - (double)gone, (double)left);
	return (struct slu_easy_job){.run = takes > 1 ? takes : 1,
				     .request = left,
				     .procs = job->size};
}

static double plan(void *arg, size_t k, int64_t now)
{
	const struct sampling *s = arg;

	(void)now;
	return (double)s->easy[k].request;
}

static double renew(void *arg, size_t k, int64_t elapsed)
{
	(void)elapsed;
	return plan(arg, k, 0);
}

static void learn(void *arg, size_t k, int64_t start, int64_t end)
{
	(void)arg, (void)k, (void)start, (void)end;
}

/* Running jobs first: they are already placed. */
static void order_jobs(struct sampling *s)
{
	int64_t in_use = 0;
	size_t n = 0;

	for (size_t i = 0; i < s->ask->n; i++)
		if (s->ask->job[i].elapsed >= 0)
			in_use += s->ask->job[i].size;
	s->machine = in_use > s->ask->machine ? in_use : s->ask->machine;
	for (int waits = 0; waits < 2; waits++)
		for (size_t i = 0; i < s->ask->n; i++) {
			if ((s->ask->job[i].elapsed < 0) != waits)
				continue;
			if (i == s->ask->target)
				s->target = n;
			s->job[n++] = i;
		}
}

static int by_start(const void *a, const void *b, void *arg)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	const struct sampling *s = arg;

	if (s->start[x] != s->start[y])
		return s->start[x] < s->start[y] ? -1 : 1;
	return (x > y) - (x < y);
}

static int64_t end_of(const struct sampling *s, size_t k)
{
	return s->start[k] + s->easy[k].run;
}

static int by_end(const void *a, const void *b, void *arg)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	const struct sampling *s = arg;

	if (end_of(s, x) != end_of(s, y))
		return end_of(s, x) < end_of(s, y) ? -1 : 1;
	return (x > y) - (x < y);
}

static uint64_t *taken_by(const struct sampling *s, size_t k)
{
	return &s->taken[k * s->words];
}

static void give_back(struct sampling *s, size_t k)
{
	uint64_t *taken = taken_by(s, k);

	for (size_t w = 0; w < s->words; w++) {
		s->idle[w] |= taken[w];
		taken[w] = 0;
	}
}

/* The first idle nodes, or those on which the job runs. */
static void take(struct sampling *s, size_t k)
{
	const struct slu_start_forecast_job *job = &s->ask->job[s->job[k]];
	uint64_t *taken = taken_by(s, k);
	int64_t left = job->size;

	memset(taken, 0, s->words * sizeof(*taken));
	for (int64_t i = 0; job->node && i < job->size; i++)
		taken[job->node[i] / 64] |= UINT64_C(1) << job->node[i] % 64;
	for (size_t w = 0; !job->node && left > 0 && w < s->words; w++)
		for (uint64_t idle = s->idle[w]; idle && left > 0; left--) {
			uint64_t bit = idle & -idle;

			taken[w] |= bit;
			idle ^= bit;
		}
	for (size_t w = 0; w < s->words; w++)
		s->idle[w] &= ~taken[w];
}

static void fill_idle(struct sampling *s)
{
	memset(s->idle, 0, s->words * sizeof(*s->idle));
	for (uint32_t i = 0; i < s->ask->nodes; i++)
		s->idle[i / 64] |= UINT64_C(1) << i % 64;
}

/* The nodes of the target: replays all starts and ends until its start. */
static void follow_nodes(struct sampling *s)
{
	size_t n = s->ask->n, ended = 0;

	for (size_t k = 0; k < n; k++)
		s->order[k] = s->ended[k] = k;
	qsort_r(s->order, n, sizeof(*s->order), by_start, s);
	qsort_r(s->ended, n, sizeof(*s->ended), by_end, s);
	fill_idle(s);
	for (size_t o = 0; o < n; o++) {
		size_t k = s->order[o];

		for (; end_of(s, s->ended[ended]) <= s->start[k]; ended++)
			give_back(s, s->ended[ended]);
		take(s, k);
		if (k == s->target)
			return;
	}
}

static int sample(struct sampling *s)
{
	const struct slu_easy_oracle oracle = {plan, renew, learn, s, 0};
	const struct slu_easy_site site = {.procs = s->machine};
	struct slu_easy_result result;

	for (size_t k = 0; k < s->ask->n; k++)
		s->easy[k] = draw(s, s->job[k]);
	if (slu_easy_run(s->easy, s->ask->n, &site, &oracle, s->start,
			 &result) < 0)
		return -1;
	if (s->words)
		follow_nodes(s);
	return 0;
}

static int ascending(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static bool has(const uint64_t *set, uint32_t node)
{
	return set[node / 64] >> node % 64 & 1;
}

/* The number of samples with this set of nodes. */
static unsigned count_equal(const struct sampling *s, unsigned samples,
			    const uint64_t *set)
{
	unsigned equal = 0;

	for (unsigned i = 0; i < samples; i++)
		equal += !memcmp(&s->set[i * s->words], set,
				 s->words * sizeof(*set));
	return equal;
}

static void judge_nodes(const struct sampling *s,
			struct slu_start_forecast *out)
{
	const uint64_t *best = s->set;
	unsigned most = 0;

	for (unsigned i = 0; i < out->n; i++) {
		const uint64_t *set = &s->set[i * s->words];
		unsigned equal = count_equal(s, out->n, set);

		if (equal > most) {
			most = equal;
			best = set;
		}
		for (uint32_t node = 0; node < s->ask->nodes; node++)
			out->node[node] +=
				(double)has(set, node) / (double)out->n;
	}
	for (uint32_t node = 0; node < s->ask->nodes; node++)
		if (has(best, node))
			out->likely[out->n_likely++] = node;
	out->sure = (double)most / (double)out->n;
}

static int allocate(struct sampling *s, struct slu_start_forecast *out)
{
	size_t n = s->ask->n, samples = s->ask->samples;

	s->words = (s->ask->nodes + 63) / 64;
	s->easy = calloc(n, sizeof(*s->easy));
	s->job = calloc(n, sizeof(*s->job));
	s->start = calloc(n, sizeof(*s->start));
	s->order = calloc(n, sizeof(*s->order));
	s->ended = calloc(n, sizeof(*s->ended));
	s->idle = calloc(s->words + 1, sizeof(*s->idle));
	s->taken = calloc(n * s->words + 1, sizeof(*s->taken));
	s->set = calloc(samples * s->words + 1, sizeof(*s->set));
	out->at = calloc(samples, sizeof(*out->at));
	out->node = calloc(s->ask->nodes + 1, sizeof(*out->node));
	out->likely = calloc(s->ask->nodes + 1, sizeof(*out->likely));
	return s->easy && s->job && s->start && s->order && s->ended &&
			       s->idle && s->taken && s->set && out->at &&
			       out->node && out->likely
		       ? 0
		       : -1;
}

int slu_start_forecast_make(const struct slu_start_forecast_input *ask,
			    struct slu_start_forecast *out, struct slu_err *err)
{
	struct sampling s = {.ask = ask, .seed = ask->seed};
	int rc;

	*out = (struct slu_start_forecast){0};
	rc = allocate(&s, out);
	if (rc == 0)
		order_jobs(&s);
	for (; rc == 0 && out->n < ask->samples; out->n++) {
		rc = sample(&s);
		out->at[out->n] = s.start[s.target];
		if (s.words)
			memcpy(&s.set[out->n * s.words], taken_by(&s, s.target),
			       s.words * sizeof(*s.set));
	}
	if (rc == 0) {
		qsort(out->at, out->n, sizeof(*out->at), ascending);
		if (s.words)
			judge_nodes(&s, out);
	}
	free(s.easy);
	free(s.job);
	free(s.start);
	free(s.order);
	free(s.ended);
	free(s.idle);
	free(s.taken);
	free(s.set);
	return rc < 0 ? nomem(err) : 0;
}

void slu_start_forecast_free(struct slu_start_forecast *start)
{
	free(start->at);
	free(start->node);
	free(start->likely);
	*start = (struct slu_start_forecast){0};
}

int64_t slu_start_forecast_quantile(const struct slu_start_forecast *start,
				    double share)
{
	double rank = ceil(share * (double)start->n) - 1;

	rank = fmax(fmin(rank, (double)start->n - 1), 0);
	return start->at[(size_t)rank];
}

double slu_start_forecast_within(const struct slu_start_forecast *start,
				 int64_t seconds)
{
	unsigned within = 0;

	while (within < start->n && start->at[within] <= seconds)
		within++;
	return (double)within / (double)start->n;
}
