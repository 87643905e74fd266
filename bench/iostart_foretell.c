/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Part of bench/iostart: predicts the bandwidth of a job that starts in the
 * simulation, from the jobs that have ended there: from the rates or the
 * volumes that earlier runs had, or, for comparison, with the prediction of
 * another job. A log has no job names: jobs of a user with the same processors
 * and requested time get the same one.
 */
#include "bench/iostart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "bench/easy.h"
#include "bench/predictor_job.h"
#include "job_submit/predictor/predict.h"
#include "job_submit/io/volumes.h"
#include "select_io/bandwidth/rates.h"
#include "tests/unit/random.h"

#define APPLICATIONS (1u << 14)

struct teller {
	const struct mix *mix;
	enum knowledge what;
	struct slu_predictor *times;
	struct slu_volumes *volumes;
	struct slu_rates *rates;
	double *said; /* predicted bytes/s per node, in order */
	size_t n_said;
	uint64_t seed;
};

struct teller *teller_new(const struct mix *mix, enum knowledge what)
{
	struct teller *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->mix = mix;
	t->what = what;
	t->times = slu_predictor_new(8 * (mix->log->n + 1), PREDICTOR_QUANTILE,
				     PREDICTOR_FLOOR, NULL);
	t->volumes = slu_volumes_new(APPLICATIONS, NULL);
	t->rates = slu_rates_new(APPLICATIONS, NULL);
	t->said = calloc(mix->log->n + 1, sizeof(*t->said));
	if (t->times && t->volumes && t->rates && t->said)
		return t;
	teller_free(t);
	return NULL;
}

void teller_free(struct teller *t)
{
	if (!t)
		return;
	slu_predictor_free(t->times);
	slu_volumes_free(t->volumes);
	slu_rates_free(t->rates);
	free(t->said);
	free(t);
}

/* Numbers in names are ignored, so that they are spelled in letters. */
static void name_of(const struct swf_job *job, char name[64])
{
	snprintf(name, 64, "%lld %lld", (long long)job->procs,
		 (long long)job->request);
	for (char *c = name; *c; c++)
		if (*c >= '0' && *c <= '9')
			*c = (char)(*c - '0' + 'a');
}

static double rate_of(struct teller *t, const struct slu_job *job,
		      double seconds)
{
	struct slu_admission_site site = iostart_site;
	double nodes = job->node_cnt;
	struct slu_volumes_next next;
	struct slu_rate rate;

	if (t->what == VOLUMES)
		return slu_volumes_predict(t->volumes, job, &next)
			       ? (next.read_bytes + next.written_bytes) /
					 seconds
			       : 0;
	rate = slu_rates_foretell(t->rates, job->uid, job->name, nodes,
				  seconds);
	t->said[t->n_said++] = rate.node;
	if (t->what == SHUFFLED)
		return nodes * t->said[slu_random(&t->seed, t->n_said)];
	site.capacity = t->mix->capacity;
	return slu_admission_rate(&site, &rate, nodes);
}

struct foretold teller_ask(struct teller *t, size_t i, int64_t now)
{
	const struct swf_job *job = &t->mix->log->job[i];
	struct predictor_names names;
	struct slu_job j = predictor_job(job, &names);
	struct slu_prediction point;
	struct foretold f;
	char name[64];

	if (t->what == TRUTH)
		return (struct foretold){mix_rate(t->mix, i), t->mix->alone[i]};
	name_of(job, name);
	j.name = name;
	j.submit = now + 1;
	slu_predict(t->times, &j, &point);
	f.seconds = fmax((double)point.seconds, 1);
	f.rate = t->what == TRUE_RATES ? mix_rate(t->mix, i)
				       : rate_of(t, &j, f.seconds);
	if (t->what == TRUE_TIMES)
		f.seconds = t->mix->alone[i];
	return f;
}

void teller_learn(struct teller *t, size_t i, int64_t start, int64_t end,
		  double calm)
{
	const struct swf_job *job = &t->mix->log->job[i];
	struct predictor_names names;
	struct slu_history_row row = {.job = predictor_job(job, &names)};
	char name[64];

	name_of(job, name);
	row.job.name = name;
	row.job.start = start + 1;
	row.job.end = end + 1;
	row.written_bytes = t->mix->bytes[i];
	slu_learn(t->times, &row.job);
	slu_volumes_learn(t->volumes, &row);
	slu_rates_learn_disturbed(t->rates, row.job.uid, name, row.job.node_cnt,
				  (double)(end - start), row.written_bytes,
				  calm);
}
