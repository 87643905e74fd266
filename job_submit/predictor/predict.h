/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_PREDICTOR_PREDICT_H
#define SLU_JOB_SUBMIT_PREDICTOR_PREDICT_H

/*
 * Predicts run times of jobs from the jobs that have ended (ADA-FS, section
 * 3.1), in memory. Predicting neither allocates nor waits. One writer (learn)
 * and any number of readers may run at the same time; see job_classes.h.
 */

/*
 * The result is a distribution: the last run times of seven classes of similar
 * jobs, weighted by how well each class, and each place in the order of its
 * runs, has predicted jobs of this user and of this kind so far. The classes,
 * most specific first, are jobs with the same
 *   class    user, name, nodes, request and partition
 *   size     user, nodes and request
 *   request  user and request
 *   name     user and name
 *   user     user
 *   account  account and request
 *   site     partition, nodes and request
 * A run of digits in a name counts as one, so that run_17 and run_18 are the
 * same. Three more things are weighed in: the shares of their requests that the
 * user's last jobs took, by how much these jobs are like the one in question,
 * the request itself, and the shares of requests that are usual at the site.
 */

#include "job_submit/predictor/distribution.h"
#include "wire/job.h"

#define SLU_JOB_CLASSES	    7
#define SLU_EVIDENCE	    (SLU_JOB_CLASSES + 1)
#define SLU_PREDICT_CLASSES (1u << 18) /* of a site; 26 MB when full */

struct slu_predictor;

struct slu_prediction {
	int64_t seconds;  /* run time; 0: nothing known and nothing asked */
	int64_t careful;  /* a limit that should be enough, >= seconds, but at
			     most the request */
	const char *from; /* the most specific class that is known; else
			     shares, asked, none; static text */
	uint32_t jobs;	  /* how many ended jobs are in it */
};

/* The whole answer: the distribution and the evidence for it, the last of which
 * are the user's last jobs, by how much they are like this one ("alike"). */
struct slu_outlook {
	struct slu_distribution spread;
	struct slu_evidence {
		const char *name; /* of the class, or so; static text */
		uint32_t jobs;
		float weight; /* its share in the answer */
	} class[SLU_EVIDENCE];
	uint32_t asked; /* s; 0: nothing */
};

/*
 * max_classes bounds the memory, at 100 bytes each (job_classes.h), beside 17
 * MB when full; a job teaches seven. `careful` is the given quantile of the
 * distribution, at least floor and the prediction, at most the request. Where
 * no class is known the shares of their requests that jobs of the site take
 * tell; before anything has been learnt it is the request, and without a
 * request 0.
 *
 * quantile in (0.5, 1); floor in seconds, >= 0; otherwise SLU_INVALID.
 */
struct slu_predictor *slu_predictor_new(size_t max_classes, double quantile,
					int64_t floor, struct slu_err *err);
void slu_predictor_free(struct slu_predictor *p);

/*
 * `seconds` is the point of the distribution that minimises the expected
 * absolute error minus a reward for being close (slu_distribution_choice()).
 * It is longer than the request only where jobs have gone beyond theirs, since
 * the site lets them or ends them late. Uses uid, name, node_cnt, limit_asked,
 * account, partition and submit of the job; what ended after `submit` (0: now)
 * counts as not known. Thread-safe.
 */
void slu_predict(const struct slu_predictor *p, const struct slu_job *job,
		 struct slu_prediction *out);
/* The time within which SLU_PREDICT_SOON of such jobs end, in seconds, at least
 * the floor and at most the request: the best value to plan backfill with,
 * provided that no job is killed at it (bench/README.md). A guess where
 * slu_predict() knows of no jobs. Thread-safe. */
#define SLU_PREDICT_SOON 0.3
int64_t slu_predict_early(const struct slu_predictor *p,
			  const struct slu_job *job);
/* The same as a distribution. */
void slu_predict_outlook(const struct slu_predictor *p,
			 const struct slu_job *job, struct slu_outlook *out);
/*
 * The time within which jobs of this outlook end with probability `share` in
 * (0, 1), corrected by how earlier answers turned out; in seconds from the
 * start, given that the job has already run `elapsed` seconds (0: it has not
 * started). It may exceed the request where jobs have done so. 0: nothing
 * known.
 */
double slu_predict_quantile(const struct slu_predictor *p,
			    const struct slu_outlook *outlook, double share,
			    double elapsed);

/* Learns from one ended job. Ignored are those without start and end, and those
 * that the system ended (ended.h). One thread. */
void slu_learn(struct slu_predictor *p, const struct slu_job *job);

#endif
