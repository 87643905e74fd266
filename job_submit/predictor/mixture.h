/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SLU_JOB_SUBMIT_PREDICTOR_MIXTURE_H
#define SLU_JOB_SUBMIT_PREDICTOR_MIXTURE_H

/*
 * The inside of the predictor: what it believes, and what it knows for one
 * job. For predict.c, which answers, and learn.c, which learns; predict.c says
 * how it works.
 */

#include <stdatomic.h>
#include "job_submit/predictor/job_classes.h"
#include "job_submit/predictor/predict.h"

enum slu_level { CLASS, SIZE, REQUEST, NAME, USER, ACCOUNT, SITE, LEVELS };
/* What a run time may be copied from: the runs of each class; the request;
 * usual shares of it (request_shares.c); and shares of it like those that the
 * user's last jobs took of theirs (attention.c). */
enum slu_source { ASKED = LEVELS, SHARES, ATTENDED, SOURCES };
_Static_assert(LEVELS == SLU_LEVELS, "predict.h lists them");
_Static_assert(SOURCES <= SLU_CLASS_SOURCES, "classes keep a weight of each");

/* Each source has so many places, and there are so many numbers for sources,
 * that they fill whole registers. What weighs the places of the last two is
 * known for each job; of the others, it is learnt. */
#define SLU_VIEW_PLACES		 8
#define SLU_VIEW_SHARE_PLACES	 24
#define SLU_VIEW_ATTENDED_PLACES 48
#define SLU_VIEW_LISTED \
	(SHARES * SLU_VIEW_PLACES) /* places of the others, together */
#define SLU_VIEW_WEIGHED (SLU_VIEW_SHARE_PLACES + SLU_VIEW_ATTENDED_PLACES)
#define SLU_VIEW_POINTS	 (SLU_VIEW_LISTED + SLU_VIEW_WEIGHED)
#define SLU_VIEW_WIDTH	 16
#define SLU_VIEW_KEPT	 12 /* of these, where many are kept */
_Static_assert(SLU_VIEW_PLACES >= SLU_CLASS_RUNS && SLU_VIEW_KEPT >= SOURCES,
	       "room for all");

#define SLU_VIEW_SHARE_TABLES  4   /* of request_shares.c */
#define SLU_VIEW_ATTEND_TABLES 4   /* of attention.c */
#define SLU_VIEW_ATTEND_ROWS   128 /* of a table */
#define SLU_VIEW_MIXERS \
	5 /* sets of weights: the site's, three classes', the gate's */
#define SLU_VIEW_GATED	       4 /* that of gate.c */
#define SLU_VIEW_GATE_FEATURES 7
#define SLU_VIEW_GATE_ROWS     36  /* of a feature */
#define SLU_ALIKE	       216 /* of `at`: 5 % */
#define SLU_NEAR_BY	       30  /* 0.7 % */
#define SLU_VIEW_KNOWN	       16  /* kinds of knowledge about a job */
#define SLU_VIEW_SEASONS       6   /* of a class, by its jobs */
#define SLU_VIEW_KINDS	       48  /* of run */
#define SLU_VIEW_KNOTS	       7   /* of the correction of quantiles */

#define SLU_VIEW_EVIDENCE      36 /* kinds of it; too_short.c */

/* The class whose weights are a set's; LEVELS: none's. */
extern const enum slu_level slu_mixer_level[SLU_VIEW_MIXERS];
extern const double slu_knot[SLU_VIEW_KNOTS];

/* A number that one thread writes and others read; and two of them in a word,
 * of those that are wanted in rows. */
typedef _Atomic float slu_shared;
typedef _Atomic uint64_t slu_pair;

/* What is known for a job, and how far each source of it is believed. */
struct slu_seen {
	uint8_t known; /* kind of knowledge, below SLU_VIEW_KNOWN */
	uint8_t row[SLU_VIEW_GATE_FEATURES]; /* below SLU_VIEW_GATE_ROWS */
	uint8_t n[SLU_VIEW_WIDTH];	     /* places in use */
	uint8_t kind[LEVELS *
		     SLU_VIEW_PLACES]; /* of run, below SLU_VIEW_KINDS */
	uint16_t at[SLU_VIEW_POINTS];
	float weighed[SLU_VIEW_WEIGHED]; /* of sum 1 in each of the two */
	uint16_t share_row[SLU_VIEW_SHARE_TABLES];
	uint8_t attend_row[SLU_VIEW_ATTEND_TABLES][SLU_VIEW_ATTENDED_PLACES];
	float weight[SLU_VIEW_WIDTH]; /* of sum 1; 0 where n is 0 */
};

static inline int slu_run(const struct slu_seen *seen, unsigned source,
			  unsigned k)
{
	return seen->at[source * SLU_VIEW_PLACES + k];
}

/* What had ended by then was known when the job was submitted. */
static inline uint32_t slu_known_until(const struct slu_job *job)
{
	return job->submit > 0 && job->submit < UINT32_MAX
		       ? (uint32_t)job->submit
		       : UINT32_MAX;
}

/* Of n runs, the latest first: those up to the last one that ended later. */
SLU_SPREAD_INLINE unsigned slu_count_late(const uint32_t *end, unsigned n,
					  uint32_t until)
{
	unsigned late = 0;

	for (unsigned k = 0; k < n; k++) {
		unsigned is = end[k] > until ? k + 1 : 0;

		late = is > late ? is : late;
	}
	return late;
}

/* What is believed of each place of a job's sources; 0 beyond their ends. */
struct slu_places {
	float place[SLU_VIEW_POINTS];
	float weight[SLU_VIEW_POINTS]; /* with the source's, and the kind's */
	float per[SLU_VIEW_WIDTH];     /* 1 / the sum of a source's places */
};

/* What was said of the jobs of a class; issued.c. */
struct slu_said {
	uint64_t key, class; /* of the classes SIZE and CLASS */
	int64_t when;	     /* Unix seconds */
	unsigned jobs;	     /* that were judged by it */
	struct slu_seen seen;
	float weight[SLU_VIEW_POINTS];
};

struct slu_predictor {
	struct slu_classes *classes;
	struct slu_rings *rings;
	struct slu_shares *shares;
	double quantile;
	int64_t floor;
	slu_pair weight[SLU_VIEW_KNOWN][SLU_VIEW_KEPT / 2];
	slu_pair gate[SLU_VIEW_GATE_FEATURES][SLU_VIEW_GATE_ROWS]
		     [SLU_VIEW_KEPT / 2];
	slu_pair place[SLU_VIEW_LISTED / 2];
	slu_shared kind[LEVELS][SLU_VIEW_KINDS]; /* 1: as others of its place */
	slu_shared mix[SLU_VIEW_SEASONS][SLU_VIEW_MIXERS];
	slu_shared attend[SLU_VIEW_ATTEND_TABLES][SLU_VIEW_ATTEND_ROWS];
	slu_shared level[SLU_VIEW_KNOTS];
	/* usual errors, s: the mean, the median, and that of lasting runs */
	slu_shared far, near, near_lasting;
	_Atomic uint32_t lessons;
	/* of too_short.c: jobs whose limit was too short, or was not after all,
	 * by kind of evidence, fading */
	slu_shared right[SLU_VIEW_EVIDENCE], wrong[SLU_VIEW_EVIDENCE];
	/* the learner's own */
	struct slu_said_all *said;
	float excess[SLU_VIEW_KNOTS]; /* jobs that ended below each knot,
				 fading, over the share that should have */
};

static inline float slu_get(const slu_shared *x)
{
	return atomic_load_explicit(x, memory_order_relaxed);
}

static inline void slu_set(slu_shared *x, float value)
{
	atomic_store_explicit(x, value, memory_order_relaxed);
}

/* n numbers, an even one, from or to pairs. */
SLU_SPREAD_INLINE void slu_fetch(float *to, const slu_pair *from, unsigned n)
{
	for (unsigned i = 0; i < n / 2; i++) {
		uint64_t word =
			atomic_load_explicit(&from[i], memory_order_relaxed);

		memcpy(&to[2 * i], &word, sizeof(word));
	}
}

SLU_SPREAD_INLINE void slu_store(slu_pair *to, const float *from, unsigned n)
{
	for (unsigned i = 0; i < n / 2; i++) {
		uint64_t word;

		memcpy(&word, &from[2 * i], sizeof(word));
		atomic_store_explicit(&to[i], word, memory_order_relaxed);
	}
}

/* A number by source for each of its places, and the sum of all of its places.
 * Loops of this form are worked on many at once. */
SLU_SPREAD_INLINE void slu_each_place(float to[restrict SLU_VIEW_POINTS],
				      const float x[restrict SLU_VIEW_WIDTH])
{
	for (int s = 0; s < SHARES; s++)
		for (int k = 0; k < SLU_VIEW_PLACES; k++)
			to[s * SLU_VIEW_PLACES + k] = x[s];
	for (int k = 0; k < SLU_VIEW_SHARE_PLACES; k++)
		to[SLU_VIEW_LISTED + k] = x[SHARES];
	for (int k = 0; k < SLU_VIEW_ATTENDED_PLACES; k++)
		to[SLU_VIEW_LISTED + SLU_VIEW_SHARE_PLACES + k] = x[ATTENDED];
}

SLU_SPREAD_INLINE void slu_sum_places(float to[restrict SLU_VIEW_WIDTH],
				      const float x[restrict SLU_VIEW_POINTS])
{
	float by_2[SLU_VIEW_POINTS / 2], by_4[SLU_VIEW_POINTS / 4],
		by_8[SLU_VIEW_POINTS / 8];
	const float *rest = &by_8[SHARES];

	for (int i = 0; i < SLU_VIEW_POINTS / 2; i++)
		by_2[i] = x[2 * i] + x[2 * i + 1];
	for (int i = 0; i < SLU_VIEW_POINTS / 4; i++)
		by_4[i] = by_2[2 * i] + by_2[2 * i + 1];
	for (int i = 0; i < SLU_VIEW_POINTS / 8; i++)
		by_8[i] = by_4[2 * i] + by_4[2 * i + 1];
	for (int s = 0; s < SLU_VIEW_WIDTH; s++)
		to[s] = s < SHARES ? by_8[s] : 0;
	to[SHARES] = rest[0] + rest[1] + rest[2];
	to[ATTENDED] =
		rest[3] + rest[4] + rest[5] + rest[6] + rest[7] + rest[8];
}
_Static_assert(SLU_VIEW_PLACES == 8 && SLU_VIEW_SHARE_PLACES == 3 * 8 &&
		       SLU_VIEW_ATTENDED_PLACES == 6 * 8,
	       "added by eight");

/* The last runs of a user, the latest first; attention.c. */
struct slu_ring {
	uint32_t uid, n; /* at most SLU_VIEW_ATTENDED_PLACES */
	uint32_t end[SLU_VIEW_ATTENDED_PLACES]; /* Unix seconds */
	uint16_t run[SLU_VIEW_ATTENDED_PLACES], asked[SLU_VIEW_ATTENDED_PLACES];
	uint16_t name[SLU_VIEW_ATTENDED_PLACES],
		nodes[SLU_VIEW_ATTENDED_PLACES]; /* hashes */
};

/* The classes of one job and the runs of its user, and what they know. */
struct slu_view {
	uint64_t key[LEVELS];
	struct slu_class class[LEVELS];
	struct slu_ring ring;
	struct slu_seen seen;
	float own[SLU_VIEW_MIXERS][SLU_VIEW_WIDTH]; /* weights, of each set */
};

/* Look at everything as it was when the job was submitted. */
void slu_view_look(const struct slu_predictor *p, const struct slu_job *job,
		   struct slu_view *v);
/* Another time at which a job like it is submitted. */
void slu_view_see(const struct slu_predictor *p, const struct slu_job *job,
		  struct slu_view *v);
/* The same when that was seen: with the weights of now. */
void slu_view_recall(const struct slu_predictor *p, const struct slu_seen *seen,
		     struct slu_view *v);
void slu_view_places(const struct slu_predictor *p, const struct slu_seen *seen,
		     struct slu_places *out);
/* The points and their weights, in order, of sum 1. */
void slu_view_spread(const struct slu_predictor *p, const struct slu_view *v,
		     struct slu_spread *out);
/* A class's, by its jobs; 0: none. Below SLU_VIEW_SEASONS. */
unsigned slu_season(uint32_t jobs);
/* How far a set of weights has been taught; 0: not at all. */
unsigned slu_view_season(const struct slu_view *v, int mixer);

/* The features of a job whose runs have been looked at. */
void slu_gate_look(struct slu_view *v, const struct slu_job *job);
/* The weights for these features, of any sum, from the site's. */
void slu_gate_weigh(const struct slu_predictor *p, const struct slu_seen *seen,
		    const float site[SLU_VIEW_WIDTH],
		    float weight[SLU_VIEW_WIDTH]);
/* gain: of the logarithm of what was foretold, by that of a source's weight. */
void slu_gate_learn(struct slu_predictor *p, const struct slu_seen *seen,
		    const float gain[SLU_VIEW_WIDTH]);

/* One ring for each user, 10 MB when full; NULL: no memory. */
struct slu_rings *slu_rings_new(void);
void slu_rings_free(struct slu_rings *rings);
/* What is believed before anything has been seen. */
void slu_attention_begin(struct slu_predictor *p);
/* The user's ring will be read: a hint to the memory. */
void slu_attention_expect(const struct slu_predictor *p, uint32_t uid);
void slu_attention_read(const struct slu_predictor *p, uint32_t uid,
			struct slu_view *v);
/* List the runs of the ring as shares, and what each has in common with the
 * job. */
void slu_attention_look(const struct slu_job *job, struct slu_view *v);
void slu_attention_weigh(const struct slu_predictor *p, struct slu_seen *seen);
/* density: of each place, at the run; foretold: by all of them. */
void slu_attention_learn(struct slu_predictor *p, const struct slu_seen *seen,
			 const float *density, float foretold, float worth);
void slu_attention_remember(struct slu_predictor *p, const struct slu_view *v,
			    const struct slu_job *job, uint16_t run);

/* 1.6 MB when full; NULL: no memory. */
struct slu_shares *slu_shares_new(void);
void slu_shares_free(struct slu_shares *shares);
/* The rows of these classes will be read: a hint to the memory. */
void slu_shares_expect(const struct slu_predictor *p,
		       const uint64_t key[LEVELS]);
void slu_shares_look(const struct slu_job *job, struct slu_view *v);
void slu_shares_weigh(const struct slu_predictor *p, struct slu_seen *seen);
void slu_shares_learn(struct slu_predictor *p, const struct slu_seen *seen,
		      const float *density, float foretold, float worth);

struct slu_said_all *slu_said_new(void); /* 3.8 MB; NULL: no memory */
void slu_said_free(struct slu_said_all *all);
/* What was said of the job of this view when it was submitted; known: what the
 * view says, NULL: nothing. NULL: it is not known. */
struct slu_said *slu_said_of(struct slu_predictor *p, const struct slu_view *v,
			     const struct slu_job *job,
			     const struct slu_places *known);
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

/* What came of a job of this view, which ran so many seconds. */
void slu_too_short_learn(struct slu_predictor *p, const struct slu_view *v,
			 const struct slu_job *job, int64_t run);

#endif
