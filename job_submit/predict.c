/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A set-associative table of classes. A class is one slot: a key (a hash of
 * what its jobs have in common), how many jobs taught it, and the ring of
 * their last run times.
 *
 * Every slot is a seqlock: the one writer makes `seq` odd, writes the words,
 * makes it even again; a reader that saw the same even number before and after
 * copying the words has a consistent copy. All words are atomic. The writer
 * stores them with release and readers load them with acquire, so a reader
 * that got a word of a newer version also sees that version's odd number when
 * it looks at `seq` again.
 */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include "job_submit/predict.h"

#define WAYS  8	 /* slots of a set */
#define RING  10 /* run times of a class */
#define TRIES 64

struct class
{
	uint64_t key; /* 0: free */
	uint32_t jobs;
	uint32_t spare;
	uint32_t run[RING]; /* job i in run[i % RING] */
};

#define WORDS (sizeof(struct class) / sizeof(uint64_t))

struct slot {
	_Atomic uint64_t word[WORDS];
	_Atomic uint32_t seq;
	uint32_t taught; /* when, in jobs learnt; the writer's own */
};
_Static_assert(sizeof(struct slot) == 64, "documented in predict.h");

struct slu_predictor {
	struct slot *slot;
	uint64_t sets; /* a power of two */
	double quantile;
	int64_t floor;
	uint32_t learnt; /* the clock of aging; the writer's own */
};

enum rule { CLASS, REQUEST, USER, RULES };

static const char *const rule_name[RULES] = {"class", "request", "user"};

static uint64_t key_of(enum rule rule, const struct slu_job *job)
{
	uint32_t with[4] = {rule, job->uid};
	const char *name = "";

	if (rule != USER)
		with[2] = job->limit_asked;
	if (rule == CLASS) {
		with[3] = job->node_cnt;
		name = job->name ? job->name : "";
	}
	return XXH3_64bits_withSeed(name, strlen(name),
				    XXH3_64bits(with, sizeof(with))) |
	       1;
}

static struct slot *set_of(const struct slu_predictor *p, uint64_t key)
{
	return p->slot + ((key >> 32) & (p->sets - 1)) * WAYS;
}

/* Copy out a slot if it holds `key`; false also when the writer is in it. */
static bool slot_read(const struct slot *s, uint64_t key, struct class *out)
{
	uint64_t word[WORDS];

	for (int try = 0; try < TRIES; try++) {
		uint32_t seq =
			atomic_load_explicit(&s->seq, memory_order_acquire);

		for (size_t i = 0; i < WORDS; i++)
			word[i] = atomic_load_explicit(&s->word[i],
						       memory_order_acquire);
		if (seq % 2 != 0 ||
		    atomic_load_explicit(&s->seq, memory_order_relaxed) != seq)
			continue;
		memcpy(out, word, sizeof(*out));
		return out->key == key;
	}
	return false;
}

static void slot_write(struct slot *s, const struct class *in)
{
	uint32_t seq = atomic_load_explicit(&s->seq, memory_order_relaxed);
	uint64_t word[WORDS];

	memcpy(word, in, sizeof(*in));
	atomic_store_explicit(&s->seq, seq + 1, memory_order_relaxed);
	for (size_t i = 0; i < WORDS; i++)
		atomic_store_explicit(&s->word[i], word[i],
				      memory_order_release);
	atomic_store_explicit(&s->seq, seq + 2, memory_order_release);
}

static bool find(const struct slu_predictor *p, uint64_t key, struct class *out)
{
	const struct slot *s = set_of(p, key);

	for (int i = 0; i < WAYS; i++)
		if (slot_read(&s[i], key, out))
			return true;
	return false;
}

static int ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* A limit that should be enough for the next job of the class. */
static double enough(const struct class *c, double quantile)
{
	uint32_t k = c->jobs < RING ? c->jobs : RING;
	double i = ceil(quantile * (k + 1));
	uint32_t run[RING];

	memcpy(run, c->run, sizeof(run));
	qsort(run, k, sizeof(*run), ascending);
	if (i <= k)
		return run[(uint32_t)i - 1];
	return fmin(run[k - 1] / ((1 - quantile) * (k + 1)), UINT32_MAX);
}

static int64_t predicted(enum rule rule, const struct class *c)
{
	int64_t last = c->run[(c->jobs - 1) % RING];

	if (rule != USER || c->jobs < 2)
		return last;
	return (last + c->run[(c->jobs - 2) % RING]) / 2;
}

static int64_t at_most(int64_t seconds, int64_t asked)
{
	return asked && seconds > asked ? asked : seconds;
}

static int64_t at_least(int64_t seconds, int64_t least)
{
	return seconds < least ? least : seconds;
}

static void answer(const struct slu_predictor *p, const struct slu_job *job,
		   enum rule rule, const struct class *c,
		   struct slu_prediction *out)
{
	int64_t asked = (int64_t)job->limit_asked * 60;
	int64_t careful = llround(enough(c, p->quantile));

	out->seconds = at_most(predicted(rule, c), asked);
	careful = at_least(careful, p->floor);
	out->careful = at_least(at_most(careful, asked), out->seconds);
	out->from = rule_name[rule];
	out->jobs = c->jobs;
}

void slu_predict(const struct slu_predictor *p, const struct slu_job *job,
		 struct slu_prediction *out)
{
	int64_t asked = (int64_t)job->limit_asked * 60;
	struct class c;

	for (enum rule rule = CLASS; rule < RULES; rule++)
		if (find(p, key_of(rule, job), &c)) {
			answer(p, job, rule, &c, out);
			return;
		}
	*out = (struct slu_prediction){
		.seconds = asked,
		.careful = asked,
		.from = asked ? "asked" : "none",
	};
}

/* The slot to teach: the one with this key, else a free one, else the one that
 * was taught longest ago. */
static struct slot *slot_for(struct slu_predictor *p, uint64_t key,
			     struct class *c)
{
	struct slot *s = set_of(p, key), *oldest = s;

	for (int i = 0; i < WAYS; i++) {
		if (slot_read(&s[i], key, c))
			return &s[i];
		if (p->learnt - s[i].taught > p->learnt - oldest->taught)
			oldest = &s[i];
	}
	*c = (struct class){.key = key};
	return oldest;
}

void slu_learn(struct slu_predictor *p, const struct slu_job *job)
{
	int64_t run = job->end - job->start;

	if (job->start <= 0 || run <= 0)
		return;
	p->learnt++;
	for (enum rule rule = CLASS; rule < RULES; rule++) {
		struct class c;
		struct slot *s = slot_for(p, key_of(rule, job), &c);

		c.run[c.jobs++ % RING] =
			run < UINT32_MAX ? (uint32_t)run : UINT32_MAX;
		slot_write(s, &c);
		s->taught = p->learnt;
	}
}

struct slu_predictor *slu_predictor_new(size_t max_classes, double quantile,
					int64_t floor, struct slu_err *err)
{
	struct slu_predictor *p;

	if (max_classes > SLU_PREDICT_MAX_CLASSES ||
	    !(quantile > 0.5 && quantile < 1) || floor < 0) {
		slu_err(err, SLU_INVALID,
			"%zu classes, quantile %g, floor %lld", max_classes,
			quantile, (long long)floor);
		return NULL;
	}
	p = calloc(1, sizeof(*p));
	if (!p)
		goto nomem;
	p->quantile = quantile;
	p->floor = floor;
	for (p->sets = 1; p->sets < max_classes / WAYS;)
		p->sets *= 2;
	p->slot = calloc(p->sets, WAYS * sizeof(*p->slot));
	if (!p->slot)
		goto nomem;
	return p;
nomem:
	slu_predictor_free(p);
	slu_err(err, SLU_NOMEM, "out of memory");
	return NULL;
}

void slu_predictor_free(struct slu_predictor *p)
{
	if (p)
		free(p->slot);
	free(p);
}
