/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_IO_MARKOV_H
#define SLU_JOB_SUBMIT_IO_MARKOV_H

/*
 * Predicts the bytes that an application's next requests (or its next job) will
 * write, by the Markov chain of Paul et al., "I/O Load Balancing for Big Data
 * HPC Applications", section III-B, Algorithm 1. A plain value; no thread may
 * learn while another one reads.
 */

/*
 * Values become five states around the mean m of the training sequence, in
 * units of its standard deviation s,
 *	-2 below m - 0.85 s, -1 below m - 0.25 s, 0 up to m + 0.25 s,
 *	+1 up to m + 0.85 s, +2 above;
 * the state that followed the last `order` states most often follows again; and
 * states become values, m, m -+ 0.5 s and m -+ 1.7 s. Negative values become 0;
 * where s is 0 every state is 0. A read counts as 0 bytes written.
 *
 * The training sequence is the last 2, 4, ..., 16 values, whichever length has
 * had the least mean square error (of each value before it came, the older
 * ones fading). Where the last states have not been seen in it, fewer of them
 * are looked for; at the end it is the mean.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLU_MARKOV_MAX_ORDER 8
#define SLU_MARKOV_LENGTH    16
#define SLU_MARKOV_LENGTHS   (SLU_MARKOV_LENGTH / 2)
#define SLU_MARKOV_PERIOD    8 /* longest period that is recognised */

struct slu_markov {
	uint32_t order;
	uint32_t n;	       /* values learnt */
	uint32_t best;	       /* training length in use, from 0 */
	uint32_t period, same; /* the last `same` values equal those a period
				  before */
	double error[SLU_MARKOV_LENGTHS]; /* mean square */
	/* not before they are learnt: */
	double value[SLU_MARKOV_LENGTH]; /* value i in [i % LENGTH] */
	/* what comes after value i, by each length, in [i % PERIOD] */
	double guess[SLU_MARKOV_PERIOD][SLU_MARKOV_LENGTHS];
};

/* An empty model; order from 1 to SLU_MARKOV_MAX_ORDER (3 in the paper). */
void slu_markov_init(struct slu_markov *m, uint32_t order);
/* Learns the next value of the sequence, bytes written (finite, >= 0). */
void slu_markov_learn(struct slu_markov *m, double value);
/* The next n values; 0 for all before anything was learnt. */
void slu_markov_predict(const struct slu_markov *m, double *next, size_t n);
/* The one of the last values that is nearest to this one, as applications
 * repeat themselves. 0 before anything was learnt. */
double slu_markov_nearest(const struct slu_markov *m, double value);
/* The training length in use: 2, 4, ..., 16. */
uint32_t slu_markov_length(const struct slu_markov *m);

/* A value as a state, and back. */
int slu_markov_state(double value, double mean, double deviation);
double slu_markov_value(int state, double mean, double deviation);

/* How many stripes so many bytes need; 1 at least. */
uint64_t slu_markov_stripes(double bytes, uint64_t stripe_size);

#endif
