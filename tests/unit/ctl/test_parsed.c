/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the cache of parsed requests: each text is parsed once; a text in use
 * is never replaced. */
#include "config.h"
#include "tests/unit/harness.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "common/str.h"
#include "ctl/jobs/pending/parsed.h"

#define JOBS 1000

static void text_of(char text[200], unsigned i)
{
	snprintf(text, 200, "jobfs capacity=%u type=t%u%s", 1 + i, i % 7,
		 i % 3 ? "; stage_in source=/a destination=$BB_JOBFS/" : "");
}

static void expect_right(struct slu_parsed_set *set, unsigned i)
{
	const struct slu_request *req;
	char text[200], fs[20];

	text_of(text, i);
	snprintf(fs, sizeof(fs), "t%u", i % 7);
	req = slu_parsed_get(set, text);
	ck_assert_ptr_nonnull(req);
	ck_assert_uint_eq(req->capacity, 1 + i);
	ck_assert_str_eq(req->fs, fs);
	ck_assert_uint_eq(req->n_stage, i % 3 ? 1 : 0);
	slu_parsed_put(set, req);
}

START_TEST(test_each_text_is_parsed_once)
{
	struct slu_parsed_set set;

	ck_assert_int_eq(slu_parsed_init(&set, 0), 0);
	for (int pass = 0; pass < 5; pass++)
		for (unsigned i = 0; i < 1000; i++)
			expect_right(&set, i);
	ck_assert_uint_eq(set.parsed, 1000);
	slu_parsed_fini(&set);
}
END_TEST

/* More than it keeps: who is put out is parsed again, and what somebody looks
 * at stays. */
START_TEST(test_full_cache_replaces_unused)
{
	struct slu_parsed_set set;
	const struct slu_request *held;
	char text[200];

	ck_assert_int_eq(slu_parsed_init(&set, JOBS), 0);
	text_of(text, 5);
	held = slu_parsed_get(&set, text);
	for (unsigned i = 10; i < 100 * JOBS; i++)
		expect_right(&set, i);
	ck_assert_uint_eq(held->capacity, 6);
	ck_assert_str_eq(held->fs, "t5");
	slu_parsed_put(&set, held);
	for (unsigned i = 0; i < 100; i++)
		expect_right(&set, i);
	slu_parsed_fini(&set);
}
END_TEST

/* Nor is that looked at anew each time. */
START_TEST(test_no_request)
{
	static const char wrong[] = "jobfs capacity=much";
	struct slu_parsed_set set;

	ck_assert_int_eq(slu_parsed_init(&set, 0), 0);
	for (int i = 0; i < 3; i++) {
		ck_assert_ptr_null(slu_parsed_get(&set, wrong));
		ck_assert_ptr_null(slu_parsed_of(&set, 7, wrong));
	}
	ck_assert_ptr_null(slu_parsed_of(&set, 7, NULL));
	ck_assert_ptr_null(slu_parsed_of(&set, 7, ""));
	slu_parsed_put(&set, NULL);
	ck_assert_uint_eq(set.parsed, 1);
	slu_parsed_fini(&set);
}
END_TEST

/* What only its length tells from another. */
START_TEST(test_persistent)
{
	static const char one[] = "persistent_create name=p capacity=1GiB",
			  two[] = "persistent_create name=p capacity=1GiB; "
				  "persistent name=p";
	struct slu_parsed_set set;
	const struct slu_request *a, *b;

	ck_assert_int_eq(slu_parsed_init(&set, 0), 0);
	a = slu_parsed_get(&set, one);
	b = slu_parsed_get(&set, two);
	ck_assert_uint_eq(a->n_persist, 1);
	ck_assert_str_eq(a->persist[0].name, "p");
	ck_assert(!a->persistent);
	ck_assert(b->persistent);
	slu_parsed_put(&set, a);
	slu_parsed_put(&set, b);
	slu_parsed_fini(&set);
}
END_TEST

/* The host's look at a job does not touch its text, however long that is. */
START_TEST(test_by_number)
{
	static char text[] = "jobfs capacity=5";
	struct slu_parsed_set set;
	const struct slu_request *req;

	ck_assert_int_eq(slu_parsed_init(&set, JOBS), 0);
	slu_parsed_seen(&set, 7, text);
	text[0] = 'J';
	req = slu_parsed_of(&set, 7, text);
	ck_assert_uint_eq(req->capacity, 5);
	slu_parsed_put(&set, req);
	ck_assert_uint_eq(set.parsed, 1);
	slu_parsed_seen(&set, 7, text); /* now another job */
	ck_assert_ptr_null(slu_parsed_of(&set, 7, text));
	slu_parsed_fini(&set);
}
END_TEST

/* A host of jobs, as slurmctld is one: submissions, arrays of which tasks are
 * split off, requeues, purges, numbers that come again, texts that lie where
 * another one lay, restarts. What is answered is what a fresh parse says. */

#define MOST 64 /* jobs at once */
#define TEXT 700

struct host {
	struct slu_parsed_set set;
	struct {
		uint32_t id;	 /* 0: there is none */
		bool none;	 /* it has no text */
		char text[TEXT]; /* another job's may have lain here */
	} job[MOST];
	size_t jobs; /* that the table is made for */
	bool leaks;  /* some go without a word */
	unsigned seed;
};

static unsigned chance(struct host *h, unsigned n)
{
	return (unsigned)rand_r(&h->seed) % n;
}

/* What a user might have written; NULL: nothing. Caller frees. */
static char *random_text(struct host *h)
{
	static const char *const extra[] = {
		"",
		" nodes=3",
		" nodes=all profile=p",
		" split=no",
		" split=no profile=p",
		" bind=near",
		" bind=near profile=p",
		" bind=far",
		" coherence=strict",
		" tell=yes",
		" tolerate=1",
		" pool=a",
		" name=w",
		" dw=striped",
	};
	static const char *const more[] = {
		"; stage_in source=/a destination=$BB_JOBFS/a type=file",
		"; stage_out source=$BB_JOBFS/ destination=/o on=success",
		"; stripe target=/s size=1GiB access=random per_file=yes",
		"; forward max=2 pattern=a:1k,b",
		"; forward max=none",
		"; limit tighten=no",
		"; limit tighten=yes",
		"; bandwidth wait=no",
		"; persistent_create name=p capacity=4 group=g lifetime=9s",
		"; persistent_destroy name=q force=yes",
	};
	struct slu_buf text = {0};
	const char *one = extra[chance(h, sizeof(extra) / sizeof(*extra))];

	if (!chance(h, 8))
		return NULL;
	if (!chance(h, 8))
		return strdup("jobfs capacity=much");
	if (!chance(h, 5))
		slu_buf_puts(&text, "persistent name=r");
	else
		slu_buf_printf(&text, "jobfs capacity=%u%s%s",
			       1 + chance(h, 1000),
			       chance(h, 2) ? " type=t" : "", one);
	for (size_t i = 0;
	     strcmp(one, " name=w") && i < sizeof(more) / sizeof(*more); i++)
		if (!chance(h, 3))
			slu_buf_puts(&text, more[i]);
	return slu_buf_steal(&text);
}

static void expect_same(const struct slu_request *a,
			const struct slu_request *b)
{
	ck_assert_int_eq(a->has_fs, b->has_fs);
	ck_assert_int_eq(a->persistent, b->persistent);
	ck_assert(slu_eq(a->fs, b->fs));
	ck_assert(slu_eq(a->name, b->name));
	ck_assert(slu_eq(a->profile, b->profile));
	ck_assert(slu_eq(a->pool, b->pool));
	ck_assert_uint_eq(a->capacity, b->capacity);
	ck_assert_uint_eq(a->nodes, b->nodes);
	ck_assert_uint_eq(a->tolerate, b->tolerate);
	ck_assert_int_eq(a->dw, b->dw);
	ck_assert_int_eq(a->dw_said, b->dw_said);
	ck_assert_int_eq(a->dw_both, b->dw_both);
	ck_assert_int_eq(a->line, b->line);
	ck_assert_int_eq(a->split, b->split);
	ck_assert_int_eq(a->bind, b->bind);
	ck_assert_int_eq(a->coherence, b->coherence);
	ck_assert_int_eq(a->tell, b->tell);
	ck_assert_uint_eq(a->n_persist, b->n_persist);
	for (size_t i = 0; i < a->n_persist; i++) {
		const struct slu_request_persist *x = &a->persist[i],
						 *y = &b->persist[i];

		ck_assert_int_eq(x->destroy, y->destroy);
		ck_assert(slu_eq(x->name, y->name));
		ck_assert(slu_eq(x->fs, y->fs));
		ck_assert(slu_eq(x->profile, y->profile));
		ck_assert(slu_eq(x->group, y->group));
		ck_assert_uint_eq(x->capacity, y->capacity);
		ck_assert_int_eq(x->lifetime, y->lifetime);
		ck_assert_int_eq(x->coherence, y->coherence);
		ck_assert_int_eq(x->force, y->force);
		ck_assert_int_eq(x->force_said, y->force_said);
		ck_assert_int_eq(x->line, y->line);
	}
	ck_assert_int_eq(a->has_forward, b->has_forward);
	ck_assert_int_eq(a->forward_line, b->forward_line);
	ck_assert_uint_eq(a->forward_max, b->forward_max);
	ck_assert(slu_eq(a->forward_pattern, b->forward_pattern));
	ck_assert_int_eq(a->has_limit, b->has_limit);
	ck_assert_int_eq(a->keep_limit, b->keep_limit);
	ck_assert_int_eq(a->has_bandwidth, b->has_bandwidth);
	ck_assert_int_eq(a->no_io_wait, b->no_io_wait);
}

static bool stages_in(const struct slu_request *req)
{
	for (size_t i = 0; i < req->n_stage; i++)
		if (!req->stage[i].out)
			return true;
	return false;
}

static const char *text_at(const struct host *h, size_t i)
{
	return h->job[i].none ? NULL : h->job[i].text;
}

static void expect_fresh(struct host *h, size_t i)
{
	const char *text = text_at(h, i);
	const struct slu_request *req =
		slu_parsed_of(&h->set, h->job[i].id, text);
	struct slu_request fresh;

	if (!text || slu_request_parse(text, NULL, &fresh, NULL)) {
		ck_assert_ptr_null(req);
		return;
	}
	ck_assert_int_eq(slu_request_has_buffer(text),
			 fresh.has_fs || fresh.n_stripe);
	ck_assert_ptr_nonnull(req);
	expect_same(req, &fresh);
	ck_assert_uint_eq(req->n_stage, stages_in(&fresh));
	slu_parsed_put(&h->set, req);
	slu_request_free(&fresh);
}

static void look_at_all(struct host *h)
{
	for (size_t i = 0; i < MOST; i++)
		if (h->job[i].id)
			expect_fresh(h, i);
}

/* The host goes round: a number comes again when nobody has it. Those of tasks
 * are others, for nobody says that there is a new one. */
static uint32_t free_number(struct host *h, uint32_t from)
{
	uint32_t id = from + chance(h, 2 * MOST);

	for (size_t i = 0; i < MOST; i++)
		if (h->job[i].id == id)
			return free_number(h, from);
	return id;
}

static void submit(struct host *h, size_t i)
{
	char *text = random_text(h), *canonical;
	struct slu_request req;

	if (text && slu_request_parse(text, NULL, &req, NULL) == 0) {
		canonical = slu_request_text(&req);
		slu_copy(h->job[i].text, TEXT, canonical);
		slu_parsed_add(&h->set, canonical, &req);
		free(canonical);
	} else if (text) { /* of another release */
		slu_copy(h->job[i].text, TEXT, text);
	}
	h->job[i].id = free_number(h, 1);
	h->job[i].none = !text;
	slu_parsed_seen(&h->set, h->job[i].id, text_at(h, i));
	free(text);
}

/* The task that is split off has a new number and the text, the rest of the
 * array the number and a copy. */
static void split(struct host *h, size_t i, size_t copy)
{
	memcpy(&h->job[copy], &h->job[i], sizeof(h->job[i]));
	h->job[i].id = free_number(h, 1 + 2 * MOST);
}

static void purge(struct host *h, size_t i)
{
	bool task = h->job[i].id > 2 * MOST;

	if (task || !h->leaks || chance(h, 2))
		slu_parsed_forget(&h->set, h->job[i].id);
	h->job[i].id = 0;
}

static void restart(struct host *h)
{
	slu_parsed_fini(&h->set);
	ck_assert_int_eq(slu_parsed_init(&h->set, h->jobs), 0);
	for (size_t i = 0; i < MOST; i++)
		if (h->job[i].id)
			slu_parsed_seen(&h->set, h->job[i].id, text_at(h, i));
}

static void step(struct host *h)
{
	size_t i = chance(h, MOST), other = chance(h, MOST);

	if (!h->job[i].id)
		submit(h, i);
	else if (!h->job[other].id)
		split(h, i, other);
	else if (!chance(h, 3))
		purge(h, i);
	else if (!chance(h, 10)) /* scontrol update BurstBuffer= */
		h->job[i].none = true;
	else if (!chance(h, 20))
		restart(h);
}

static size_t kept(const struct slu_parsed_set *set)
{
	size_t n = 0;

	for (size_t i = 0; i < set->n; i++)
		n += (set->slot[i] != NULL) + (set->job[i].parsed != NULL);
	return n;
}

/* Once all are known a pass parses nothing; when all are gone nothing is left.
 */
static void live(struct host *h, bool roomy)
{
	uint64_t parsed;

	ck_assert_int_eq(slu_parsed_init(&h->set, h->jobs), 0);
	for (int n = 0; n < 150; n++) {
		step(h);
		look_at_all(h);
		parsed = h->set.parsed;
		look_at_all(h);
		if (roomy)
			ck_assert_uint_eq(h->set.parsed, parsed);
	}
	for (size_t i = 0; i < MOST; i++)
		if (h->job[i].id)
			purge(h, i);
	if (roomy && !h->leaks)
		ck_assert_uint_eq(kept(&h->set), 0);
	slu_parsed_fini(&h->set);
}

START_TEST(test_histories)
{
	static struct host h;

	for (unsigned seed = 1; seed <= 24; seed++) {
		bool roomy = seed % 3;

		h = (struct host){.seed = seed,
				  .jobs = roomy ? 4 * MOST : 4,
				  .leaks = seed % 2};
		live(&h, roomy);
	}
}
END_TEST

static void *look(void *arg)
{
	for (unsigned i = 0; i < 20000; i++)
		expect_right(arg, i % 500);
	return NULL;
}

START_TEST(test_threads)
{
	struct slu_parsed_set set;
	pthread_t thread[4];

	ck_assert_int_eq(slu_parsed_init(&set, 0), 0);
	for (size_t t = 0; t < 4; t++)
		ck_assert_int_eq(pthread_create(&thread[t], NULL, look, &set),
				 0);
	for (size_t t = 0; t < 4; t++)
		pthread_join(thread[t], NULL);
	slu_parsed_fini(&set);
}
END_TEST

TEST_MAIN("parsed", test_each_text_is_parsed_once,
	  test_full_cache_replaces_unused, test_no_request, test_persistent,
	  test_by_number, test_histories, test_threads)
