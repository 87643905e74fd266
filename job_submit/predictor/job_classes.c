/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds, replaces and copies classes in a set-associative table. Each set
 * begins with the tags of its slots: 15 bits of the key, a bit that marks a
 * slot in use, and the time of its last update in units of 4096 s, so that a
 * search or the choice of a victim reads no other slots. Every slot is a
 * seqlock. Tags are hints: the key in the copy decides.
 *
 * A class is put in the slot given by its key, if that is free. So several
 * classes can be prefetched at once, first all tags, then the likely slots.
 */

/*
 * A reader may be preempted between two keys while many jobs are learnt. So it
 * reads keys from last to first, against the writer's order, both tags and
 * slots: otherwise it could see a site-wide class with jobs that the user's own
 * class does not have yet, and trust the wrong expert.
 */

/*
 * A reader may be preempted between two keys while many jobs are learnt. So it
 * reads keys from last to first, against the writer's order, both tags and
 * slots: otherwise it could see a site-wide class with jobs that the user's own
 * class does not have yet, and trust the wrong expert.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "job_submit/predictor/job_classes.h"
#include "job_submit/predictor/seqlock.h"

#define WAYS  8
#define BYTES (offsetof(struct slu_class, weight) + 2 * SLU_CLASS_EXPERTS)
#define WORDS (BYTES / sizeof(uint64_t))
#define HUGE  ((size_t)2 << 20)

struct slot {
	_Atomic uint64_t word[WORDS];
	_Atomic uint32_t last; /* half a pair */
	_Atomic uint32_t seq;
};
_Static_assert(WORDS * sizeof(uint64_t) + sizeof(uint32_t) == BYTES,
	       "a class is whole words and a half");
struct tags {
	_Atomic uint32_t tag[WAYS]; /* 0: free */
};
_Static_assert(sizeof(struct slot) + sizeof(struct tags) / WAYS ==
		       SLU_CLASS_BYTES,
	       "documented in job_classes.h");

struct slu_classes {
	struct slot *slot;
	struct tags *tags;
	uint64_t sets; /* a power of two */
};

static uint64_t set_of(const struct slu_classes *t, uint64_t key)
{
	return (key >> 32) & (t->sets - 1);
}

static uint32_t tag_of(uint64_t key)
{
	return (uint32_t)key << 16 | 1u << 16;
}

/* The slot of its set in which a class is preferably stored. */
static int way_of(uint64_t key, int i)
{
	return (int)(((key >> 16) + (uint64_t)i) % WAYS);
}

static uint16_t age_of(const struct slu_class *c)
{
	return (uint16_t)(c->end[0] >> 12);
}

/* Copies a slot if it holds `key`; false also while it is being written. Then
 * `out` is undefined. */
static bool slot_read(const struct slot *s, uint64_t key, struct slu_class *out)
{
	for (int try = 0; try < SLU_SEQ_TRIES; try++) {
		uint32_t seq = slu_seq_before_read(&s->seq), last;

		slu_words_read(out, s->word, WORDS);
		last = atomic_load_explicit(&s->last, memory_order_acquire);
		memcpy((char *)out + WORDS * sizeof(uint64_t), &last,
		       sizeof(last));
		if (slu_seq_after_read(&s->seq, seq))
			return out->key == key;
	}
	return false;
}

static void slot_write(struct slot *s, const struct slu_class *in)
{
	uint32_t last;

	memcpy(&last, (const char *)in + WORDS * sizeof(uint64_t),
	       sizeof(last));
	slu_seq_before_write(&s->seq);
	slu_words_write(s->word, in, WORDS);
	atomic_store_explicit(&s->last, last, memory_order_release);
	slu_seq_after_write(&s->seq);
}

static uint32_t get_tag(const struct tags *tags, int way)
{
	return atomic_load_explicit(&tags->tag[way], memory_order_acquire);
}

static struct slot *slot_at(const struct slu_classes *t, uint64_t key, int i)
{
	return &t->slot[set_of(t, key) * WAYS + way_of(key, i)];
}

/* The first slot from `from` on, in the key's order, that may hold it; WAYS:
 * none.
 */
static int candidate(const struct slu_classes *t, uint64_t key, int from)
{
	const struct tags *tags = &t->tags[set_of(t, key)];

	while (from < WAYS &&
	       (get_tag(tags, way_of(key, from)) ^ tag_of(key)) >> 16)
		from++;
	return from;
}

static bool read_one(const struct slu_classes *t, uint64_t key, int i,
		     struct slu_class *out)
{
	for (; i < WAYS; i = candidate(t, key, i + 1))
		if (slot_read(slot_at(t, key, i), key, out))
			return true;
	*out = (struct slu_class){.key = key};
	return false;
}

/* A slot spans up to three cache lines. */
static void prefetch(const struct slot *s)
{
	__builtin_prefetch(s);
	__builtin_prefetch(&s->word[WORDS / 2]);
	__builtin_prefetch(&s->seq);
}

void slu_classes_prefetch(const struct slu_classes *t, uint64_t key)
{
	__builtin_prefetch(&t->tags[set_of(t, key)]);
	prefetch(slot_at(t, key, 0));
}

void slu_classes_read(const struct slu_classes *t, const uint64_t *key,
		      size_t n, struct slu_class *out)
{
	int place[SLU_CLASSES_READ];

	for (size_t i = n; i-- > 0;) {
		place[i] = candidate(t, key[i], 0);
		if (place[i] > 0 && place[i] < WAYS)
			prefetch(slot_at(t, key[i], place[i]));
	}
	/* Being written: retry, as for a slot of another key. */
	for (size_t i = n; i-- > 0;)
		read_one(t, key[i],
			 place[i] < WAYS ? place[i] : candidate(t, key[i], 0),
			 &out[i]);
}

static bool holds(const struct slot *s, uint64_t key)
{
	return atomic_load_explicit(&s->word[0], memory_order_relaxed) == key;
}

/* The age of a slot's last update, in units; an update after `now`, which is
 * the time of an older sample, has age 0. */
static uint16_t age_at(uint16_t now, uint32_t tag)
{
	uint16_t age = (uint16_t)(now - tag);

	return age < UINT16_MAX / 2 ? age : 0;
}

/* The slot of this class, else a free one, else the least recently updated. */
static int place(const struct slu_classes *t, const struct slu_class *in)
{
	const struct tags *tags = &t->tags[set_of(t, in->key)];
	uint16_t now = age_of(in), most = 0;
	int best = 0;

	for (int i = candidate(t, in->key, 0); i < WAYS;
	     i = candidate(t, in->key, i + 1))
		if (holds(slot_at(t, in->key, i), in->key))
			return i;
	for (int i = 0; i < WAYS; i++) {
		uint32_t tag = get_tag(tags, way_of(in->key, i));
		uint16_t age = age_at(now, tag);

		if (!tag)
			return i;
		if (age > most) {
			best = i;
			most = age;
		}
	}
	return best;
}

void slu_classes_write(struct slu_classes *t, const struct slu_class *in)
{
	struct tags *tags = &t->tags[set_of(t, in->key)];
	int i = place(t, in);

	slot_write(slot_at(t, in->key, i), in);
	atomic_store_explicit(&tags->tag[way_of(in->key, i)],
			      tag_of(in->key) | age_of(in),
			      memory_order_release);
}

/* Zeroed memory. Large tables use huge pages, since every lookup is in another
 * page. */
static void *get_memory(size_t size)
{
	size_t step = size < HUGE ? 64 : HUGE;
	void *p = aligned_alloc(step, (size + step - 1) / step * step);

	if (!p)
		return NULL;
	if (size >= HUGE)
		madvise(p, size, MADV_HUGEPAGE);
	memset(p, 0, size);
	return p;
}

struct slu_classes *slu_classes_new(size_t max, struct slu_err *err)
{
	struct slu_classes *t = NULL;

	if (max > SLU_CLASSES_MAX) {
		slu_err(err, SLU_INVALID, "%zu classes", max);
		return NULL;
	}
	t = calloc(1, sizeof(*t));
	if (!t)
		goto nomem;
	for (t->sets = 1; t->sets < max / WAYS;)
		t->sets *= 2;
	t->slot = get_memory(t->sets * WAYS * sizeof(*t->slot));
	t->tags = get_memory(t->sets * sizeof(*t->tags));
	if (!t->slot || !t->tags)
		goto nomem;
	return t;
nomem:
	slu_classes_free(t);
	slu_err(err, SLU_NOMEM, "out of memory");
	return NULL;
}

void slu_classes_free(struct slu_classes *t)
{
	if (t) {
		free(t->slot);
		free(t->tags);
	}
	free(t);
}
