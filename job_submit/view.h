/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_VIEW_H
#define SLU_JOB_SUBMIT_VIEW_H

/*
 * The inside of the predictor: what it believes, and what it knows for one
 * job. For predict.c, which answers, and learn.c, which learns; predict.c says
 * how it works.
 */

#include <stdatomic.h>
#include "job_submit/classes.h"
#include "job_submit/predict.h"

enum slu_level {
	CLASS,
	SIZE,
	REQUEST,
	NAME,
	NODES,
	USER,
	ACCOUNT,
	SITE,
	LEVELS
};
enum slu_source { USER_SHARE = LEVELS, ACCOUNT_SHARE, ASKED, GRID, SOURCES };
_Static_assert(LEVELS == SLU_LEVELS, "predict.h lists them");
_Static_assert(SOURCES == SLU_CLASS_SOURCES, "classes keep a weight of each");

#define PLACES	      14 /* in a source */
#define LANES	      8	 /* for the runs of a class, worked on at once */
#define MIXERS	      5 /* sets of weights: the site's, three classes', the gate's */
#define GATED	      4 /* that of gate.c */
#define GATE_FEATURES 7
#define GATE_ROWS     36  /* of a feature */
#define SLU_ALIKE     216 /* of `at`: 5 % */
#define KNOWN	      16  /* kinds of knowledge about a job */
#define SEASONS	      6	  /* of a class, by its jobs */
#define KINDS	      24  /* of run */
#define KNOTS	      7	  /* of the correction of quantiles */

/* The class whose weights are a set's; LEVELS: none's. */
extern const enum slu_level slu_mixer_level[MIXERS];
extern const double slu_knot[KNOTS];

typedef _Atomic float slu_shared;

/* What is known for a job, and how far each source of it is believed. */
struct slu_seen {
	unsigned known; /* kind of knowledge, below KNOWN */
	unsigned n[SOURCES];
	uint8_t row[GATE_FEATURES]; /* below GATE_ROWS */
	uint16_t at[SOURCES][PLACES];
	uint8_t kind[ASKED][LANES]; /* of run, below KINDS */
	float weight[SOURCES];	    /* of sum 1; 0 where n is 0 */
};

/* What was said of the jobs of a class; said.c. */
struct slu_said {
	uint64_t key, class; /* of the classes SIZE and CLASS */
	int64_t when;	     /* Unix seconds */
	unsigned jobs;	     /* that were judged by it */
	struct slu_seen seen;
};

struct slu_predictor {
	struct slu_classes *classes;
	struct slu_kernel kernel;
	double quantile;
	int64_t floor;
	slu_shared weight[KNOWN][SOURCES];
	slu_shared gate[GATE_FEATURES][GATE_ROWS][SOURCES];
	slu_shared kind[ASKED][KINDS]; /* 1: as others of its place */
	slu_shared place[SOURCES][PLACES];
	slu_shared scale[SOURCES][PLACES + 1]; /* 1 / the sum of so many */
	slu_shared mix[SEASONS][MIXERS];
	slu_shared level[KNOTS];
	/* usual errors, s: the mean, the median, and that of lasting runs */
	slu_shared far, near, near_lasting;
	_Atomic uint32_t lessons;
	/* the learner's own */
	struct slu_said_all *said;
	double excess[KNOTS]; /* jobs that ended below each knot, fading, over
				 the share that should have */
};

static inline float slu_get(const slu_shared *x)
{
	return atomic_load_explicit(x, memory_order_relaxed);
}

static inline void slu_set(slu_shared *x, float value)
{
	atomic_store_explicit(x, value, memory_order_relaxed);
}

/* How much more a point says than others of its source and place. */
static inline float slu_kind(const struct slu_predictor *p,
			     const struct slu_seen *seen, int source,
			     unsigned k)
{
	return source < ASKED ? slu_get(&p->kind[source][seen->kind[source][k]])
			      : 1;
}

/* The classes of one job, and what they know. */
struct slu_view {
	struct slu_class class[LEVELS];
	struct slu_seen seen;
	float own[MIXERS][SOURCES]; /* weights, of each set */
	float mix[MIXERS];	    /* of sum 1 */
};

/* Fill in the scales of a source, whose places have changed. */
void slu_view_scale(struct slu_predictor *p, int source);
/* Look at everything as it was when the job was submitted. */
void slu_view_look(const struct slu_predictor *p, const struct slu_job *job,
		   struct slu_view *v);
/* The same when that was seen: with the weights of now. */
void slu_view_recall(const struct slu_predictor *p, const struct slu_seen *seen,
		     struct slu_view *v);
/* The points and their weights; in order, of sum 1. */
void slu_view_points(const struct slu_predictor *p, const struct slu_seen *seen,
		     struct slu_spread *out);
void slu_view_spread(const struct slu_predictor *p, const struct slu_view *v,
		     struct slu_spread *out);
/* A class's, by its jobs; 0: none. Below SEASONS. */
unsigned slu_season(uint32_t jobs);
/* How far a set of weights has been taught; 0: not at all. */
unsigned slu_view_season(const struct slu_view *v, int mixer);

/* The features of a job whose runs have been looked at. */
void slu_gate_look(struct slu_view *v, const struct slu_job *job);
/* The weights for these features, of any sum. */
void slu_gate_weigh(const struct slu_predictor *p, const struct slu_seen *seen,
		    float weight[SOURCES]);
/* gain: of the logarithm of what was foretold, by that of a source's weight. */
void slu_gate_learn(struct slu_predictor *p, const struct slu_seen *seen,
		    const float gain[SOURCES]);

struct slu_said_all *slu_said_new(void); /* 1.6 MB; NULL: no memory */
void slu_said_free(struct slu_said_all *all);
/* What was said of the job of this view when it was submitted; known: the view
 * says anything. NULL: it is not known. */
struct slu_said *slu_said_of(struct slu_predictor *p, const struct slu_view *v,
			     const struct slu_job *job, bool known);
/* Before a job of this view is remembered: note what is said at its end, if
 * that may be asked for later. */
void slu_said_note(struct slu_predictor *p, const struct slu_view *v,
		   const struct slu_job *job);
/* The levels are these from now, the second at which a job ended; as they were
 * at another second. */
void slu_said_note_levels(struct slu_predictor *p, int64_t now);
const float *slu_said_levels(const struct slu_predictor *p, int64_t then);
/* What is predicted from a spread, in seconds. */
double slu_view_choice(const struct slu_predictor *p,
		       const struct slu_spread *spread);

#endif
