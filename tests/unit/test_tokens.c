/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The token step against the equations written down one by one, and what must
 * hold of any history. */
#include "config.h"
#include "tests/unit/harness.h"
#include "tests/unit/random.h"
#include <math.h>
#include <string.h>
#include "select_io/tbf/tokens.h"

#define MAX_JOBS 200
#define FEW_JOBS 12

struct job {
	double nodes, demand, before, limit, record, remainder;
	double share, u, factor, tokens, r0; /* r0: record before (8) */
	bool lent;
};

/* The job with the largest remainder (down: the smallest, of those that have
 * tokens), but for those used in this round; n: none. */
static size_t largest(double *whole, double **rest, const bool *used, size_t n,
		      bool down)
{
	size_t best = n;

	for (size_t i = 0; i < n; i++)
		if (!used[i] && (!down || whole[i] > 0) &&
		    (best == n ||
		     (down ? *rest[i] < *rest[best] : *rest[i] > *rest[best])))
			best = i;
	return best;
}

/* (23) to (25) and the corrections, in the words of the paper: one token after
 * the other, for the largest remainder as it is then. Mended, each job is
 * corrected once before one is again, and an excess is taken from the smallest.
 */
static void divide_slowly(double *raw, double *whole, double **rest, size_t n,
			  double total, bool literal)
{
	bool used[MAX_JOBS] = {false};
	double have = 0;

	for (size_t i = 0; i < n; i++) {
		double all = raw[i] + *rest[i];

		whole[i] = literal ? floor(all) : floor(fmax(all, 0));
		*rest[i] = (literal ? raw[i] : all) - whole[i];
		have += whole[i];
	}
	while (have != total) {
		double step = have < total ? 1 : -1;
		size_t best =
			largest(whole, rest, used, n, !literal && step < 0);

		if (best == n) {
			memset(used, 0, sizeof(used));
			continue;
		}
		used[best] = !literal;
		whole[best] += step;
		*rest[best] -= step;
		have += step;
	}
}

static double quotient(double d, double tokens, bool literal)
{
	return d / fmax(tokens, literal ? 1e-200 : 1);
}

/* A step of all jobs that is worked out in the open. */
struct slow {
	const struct slu_tokens_settings *set;
	struct job *job;
	size_t n;
	double nodes;  /* of all */
	double budget; /* tokens of the period */
	bool by_need;  /* there are hungry jobs */
	size_t lender[MAX_JOBS], n_lender;
	double lent;	/* of each token, what borrowers owe them: eq. of c */
	double records; /* of the lenders */
};

/* Those that used up their limit, if there are any, share by their nodes. */
static void prefer_hungry(struct slow *s)
{
	bool hungry[MAX_JOBS], some = false;

	for (size_t i = 0; i < s->n; i++) {
		struct job *j = &s->job[i];

		hungry[i] =
			j->demand >= 0.9 * (j->limit < 0 ? j->share : j->limit);
		some |= hungry[i];
	}
	s->by_need = some;
	for (size_t i = 0; some && i < s->n; i++)
		s->job[i].factor = hungry[i] ? s->job[i].nodes : 0;
}

/* By the nodes, and how much each has used of what it had. */
static void share_slowly(struct slow *s, double budget, double seconds)
{
	double raw[MAX_JOBS], whole[MAX_JOBS], *rest[MAX_JOBS];

	for (size_t i = 0; i < s->n; i++)
		s->nodes += s->job[i].nodes;
	for (size_t i = 0; i < s->n; i++) {
		raw[i] = s->job[i].nodes * (s->set->rate * seconds / s->nodes);
		rest[i] = &s->job[i].remainder;
	}
	divide_slowly(raw, whole, rest, s->n, budget, s->set->literal);
	for (size_t i = 0; i < s->n; i++) {
		struct job *j = &s->job[i];
		double p = j->nodes * (1 / s->nodes);

		j->share = whole[i];
		j->u = quotient(j->demand, j->before < 0 ? j->share : j->before,
				s->set->literal);
		j->factor = j->u > 1 ? j->u + j->u * p : j->u * p;
		j->r0 = j->record;
	}
}

/* What is over of the shares goes to all by their factors. */
static void lend_slowly(struct slow *s)
{
	double raw[MAX_JOBS], whole[MAX_JOBS], *rest[MAX_JOBS];
	double total = 0, factors = 0;
	size_t taker[MAX_JOBS], n = 0;

	for (size_t i = 0; i < s->n; i++) {
		struct job *j = &s->job[i];
		double over = fmax(j->share - j->demand, 0);

		total += over;
		factors += j->factor;
		j->tokens = j->share - over;
		j->record += over;
		if (j->factor > 0)
			taker[n++] = i;
	}
	for (size_t k = 0; k < n; k++) {
		raw[k] = s->job[taker[k]].factor * (total / factors);
		rest[k] = &s->job[taker[k]].remainder;
	}
	divide_slowly(raw, whole, rest, n, total, s->set->literal);
	for (size_t k = 0; k < n; k++) {
		s->job[taker[k]].tokens += whole[k];
		s->job[taker[k]].record -= whole[k];
	}
	for (size_t i = 0; i < s->n; i++) {
		struct job *j = &s->job[i];

		j->lent = j->r0 > 0 && j->record > 0 && j->factor > 0;
		if (!j->lent)
			continue;
		s->lender[s->n_lender++] = i;
		s->records += j->record;
		s->lent += j->nodes / s->nodes *
			   (fmax(1, j->u) +
			    fmax(0, 1 - quotient(j->demand, j->tokens,
						 s->set->literal))) /
			   2;
	}
}

/* What the borrowers give, in tokens: by need up to half of what they have,
 * until the lenders have all of it. */
static double take_back(struct slow *s)
{
	double back = 0;

	if (s->by_need)
		s->lent = fmin(s->records / fmax(s->budget, 1), 0.5);

	for (size_t i = 0; i < s->n && s->n_lender > 0; i++) {
		struct job *j = &s->job[i];
		double take;

		if (!(j->r0 < 0 && j->record < 0))
			continue;
		take = fmin(-j->r0, floor(s->lent * j->tokens + 1e-9));
		if (!s->set->literal)
			take = fmin(take, j->tokens);
		if (take > 0) {
			j->tokens -= take;
			j->record += take;
			back += take;
		}
	}
	return back;
}

/* To the lenders, by their factors, or by what each has lent. */
static void give_back(struct slow *s, double back)
{
	double raw[MAX_JOBS], whole[MAX_JOBS], *rest[MAX_JOBS], factors = 0;

	for (size_t k = 0; k < s->n_lender; k++) {
		struct job *j = &s->job[s->lender[k]];

		raw[k] = s->by_need ? j->record : j->factor;
		factors += raw[k];
	}
	for (size_t k = 0; k < s->n_lender; k++) {
		raw[k] *= back / factors;
		rest[k] = &s->job[s->lender[k]].remainder;
	}
	divide_slowly(raw, whole, rest, s->n_lender, back, s->set->literal);
	for (size_t k = 0; k < s->n_lender; k++) {
		s->job[s->lender[k]].tokens += whole[k];
		s->job[s->lender[k]].record -= whole[k];
	}
}

static void step_slowly(const struct slu_tokens_settings *set, struct job *job,
			size_t n, double seconds, double *carry)
{
	struct slow s = {.set = set, .job = job, .n = n};
	double exact = set->rate * seconds + (set->literal ? 0 : *carry);
	double budget = floor(exact + 1e-9);
	double back;

	*carry = fmax(exact - budget, 0);
	s.budget = budget;
	share_slowly(&s, budget, seconds);
	if (set->hungry)
		prefer_hungry(&s);
	lend_slowly(&s);
	back = take_back(&s);
	if (back > 0)
		give_back(&s, back);
	for (size_t i = 0; i < n; i++)
		job[i].limit =
			fmax(job[i].tokens, set->instant ? job[i].share : 0);
}

static void put(struct slu_tokens *t, size_t i, const struct job *j)
{
	t->nodes[i] = j->nodes;
	t->demand[i] = j->demand;
	t->limit[i] = j->limit;
	t->tokens[i] = j->before;
	t->record[i] = j->record;
	t->remainder[i] = j->remainder;
}

static void take(const struct slu_tokens *t, size_t i, struct job *j)
{
	j->limit = t->limit[i];
	j->before = t->tokens[i];
	j->record = t->record[i];
	j->remainder = t->remainder[i];
}

/* A random period: who is active, and what it did. */
static size_t draw(uint64_t *seed, struct job *job, size_t n, size_t *who,
		   double per)
{
	size_t active = 0;

	for (size_t i = 0; i < n; i++) {
		if (slu_random(seed, 4) == 0)
			continue;
		job[i].demand =
			(double)(1 + slu_random(seed, 1 + 2 * (uint64_t)per));
		if (slu_random(seed, 3) == 0 && job[i].before >= 1)
			job[i].demand = job[i].before; /* throttled */
		who[active++] = i;
	}
	return active;
}

static void invent(uint64_t *seed, struct job *job, size_t n, uint64_t nodes)
{
	for (size_t i = 0; i < n; i++)
		job[i] = (struct job){
			.nodes = (double)(1 + slu_random(seed, nodes)),
			.before = -1,
			.limit = -1,
		};
}

/* One history, step by step beside the slow form. */
static void compare(uint64_t seed, bool literal, size_t jobs, uint64_t nodes)
{
	uint64_t improve = literal ? 0 : seed;
	struct slu_tokens_settings s = {
		.rate = 1 + (double)slu_random(&seed, 3000),
		.literal = literal,
		.hungry = improve & 1,
		.instant = improve & 2,
	};
	struct slu_tokens t = {0};
	struct job job[MAX_JOBS], some[MAX_JOBS];
	size_t who[MAX_JOBS], n = 1 + slu_random(&seed, jobs), active;
	double carry = 0, seconds = literal ? 1 : 0.1;

	invent(&seed, job, n, nodes);
	for (int period = 0; period < 30; period++) {
		active = draw(&seed, job, n, who, s.rate * seconds / (double)n);
		ck_assert_int_eq(slu_tokens_resize(&t, active, NULL), 0);
		for (size_t k = 0; k < active; k++) {
			some[k] = job[who[k]];
			put(&t, k, &some[k]);
		}
		slu_tokens_step(&s, &t, seconds);
		if (active > 0)
			step_slowly(&s, some, active, seconds, &carry);
		for (size_t k = 0; k < active; k++) {
			expect(t.tokens[k] == some[k].tokens &&
				       t.record[k] == some[k].record &&
				       t.limit[k] == some[k].limit &&
				       fabs(t.remainder[k] -
					    some[k].remainder) < 1e-6,
			       "seed %lu period %d job %zu: %g not %g, record %g "
			       "not %g, remainder %g not %g",
			       seed, period, k, t.tokens[k], some[k].tokens,
			       t.record[k], some[k].record, t.remainder[k],
			       some[k].remainder);
			take(&t, k, &job[who[k]]);
		}
	}
	slu_tokens_free(&t);
}

START_TEST(test_as_printed)
{
	for (uint64_t seed = 1; seed <= 2000; seed++)
		compare(seed * 7919, true, FEW_JOBS, 50);
}
END_TEST

START_TEST(test_mended)
{
	for (uint64_t seed = 1; seed <= 2000; seed++)
		compare(seed * 7919, false, FEW_JOBS, 50);
}
END_TEST

/* Many that are alike: who gets what is left over is decided by few bits of
 * the remainder, or by the index. */
START_TEST(test_alike)
{
	for (uint64_t seed = 1; seed <= 100; seed++)
		compare(seed * 7919, false, MAX_JOBS, 1 + seed % 3);
}
END_TEST

/* Tokens are never negative and sum up to T, records to nothing; remainders
 * stay small; limits are never below tokens. */
static void conserve(uint64_t seed, bool hungry, bool instant)
{
	struct slu_tokens_settings s = {
		.rate = 0.5 + (double)slu_random(&seed, 100000) / 7,
		.hungry = hungry,
		.instant = instant,
	};
	struct slu_tokens t = {0};
	struct job job[MAX_JOBS];
	size_t who[MAX_JOBS], n = 2 + slu_random(&seed, FEW_JOBS - 1), active;
	double given = 0, owed = 0, records;

	invent(&seed, job, n, 50);
	for (int period = 0; period < 200; period++) {
		double tokens = 0;

		active = draw(&seed, job, n, who, s.rate / 10 / (double)n);
		ck_assert_int_eq(slu_tokens_resize(&t, active, NULL), 0);
		for (size_t k = 0; k < active; k++)
			put(&t, k, &job[who[k]]);
		slu_tokens_step(&s, &t, 0.1);
		owed += active ? s.rate * 0.1 : 0;
		records = 0;
		for (size_t k = 0; k < active; k++) {
			expect(t.tokens[k] >= 0 && t.limit[k] >= t.tokens[k] &&
				       fabs(t.remainder[k]) < 3,
			       "seed %lu: %g tokens, limit %g, remainder %g",
			       seed, t.tokens[k], t.limit[k], t.remainder[k]);
			tokens += t.tokens[k];
			take(&t, k, &job[who[k]]);
		}
		for (size_t i = 0; i < n; i++)
			records += job[i].record;
		given += tokens;
		expect(fabs(given - owed) < 1 + 1e-6 && records == 0,
		       "seed %lu period %d: %.9g given of %.9g, records %g",
		       seed, period, given, owed, records);
	}
	slu_tokens_free(&t);
}

START_TEST(test_conservation)
{
	for (uint64_t seed = 1; seed <= 500; seed++)
		conserve(seed * 104729, seed & 1, seed & 2);
}
END_TEST

/* All jobs always want more: each gets its part, to a token or two. */
START_TEST(test_fairness)
{
	for (uint64_t seed = 1; seed <= 300; seed++) {
		uint64_t draw_seed = seed * 15485863;
		struct slu_tokens_settings s = {
			.rate = 1 + (double)slu_random(&draw_seed, 500),
			.hungry = seed & 1,
		};
		struct slu_tokens t = {0};
		size_t n = 1 + slu_random(&draw_seed, MAX_JOBS);
		double got[MAX_JOBS] = {0}, nodes = 0;

		ck_assert_int_eq(slu_tokens_resize(&t, n, NULL), 0);
		for (size_t i = 0; i < n; i++) {
			t.nodes[i] = (double)(1 + slu_random(&draw_seed, 64));
			t.tokens[i] = t.limit[i] = -1;
			nodes += t.nodes[i];
		}
		for (int period = 0; period < 1000; period++) {
			for (size_t i = 0; i < n; i++)
				t.demand[i] = 1e6;
			slu_tokens_step(&s, &t, 0.1);
			for (size_t i = 0; i < n; i++)
				got[i] += t.tokens[i];
		}
		for (size_t i = 0; i < n; i++)
			expect(fabs(got[i] -
				    s.rate * 100 * t.nodes[i] / nodes) < 3,
			       "seed %lu: %g of %g", seed, got[i],
			       s.rate * 100 * t.nodes[i] / nodes);
		slu_tokens_free(&t);
	}
}
END_TEST

/* Steady state of a job of 4 in 1,000 nodes at 100 tokens a second. */
static double small_job(bool literal)
{
	struct slu_tokens_settings s = {.rate = 1000, .literal = literal};
	struct slu_tokens t = {0};
	double got = 0;

	ck_assert_int_eq(slu_tokens_resize(&t, 3, NULL), 0);
	for (int i = 0; i < 3; i++) {
		t.nodes[i] = (double[]){4, 498.3, 497.7}[i];
		t.tokens[i] = t.limit[i] = -1;
	}
	for (int period = 0; period < 100; period++) {
		for (int i = 0; i < 3; i++)
			t.demand[i] = 1e6;
		slu_tokens_step(&s, &t, 0.1);
		got += t.tokens[0];
	}
	slu_tokens_free(&t);
	return got;
}

/* (24) as printed loses the part of a token that a small job has due. */
START_TEST(test_lost_remainder)
{
	expect(small_job(false) >= 39, "%g", small_job(false));
	expect(small_job(true) <= 20, "%g", small_job(true));
}
END_TEST

/* A job does a tenth of its part for `lends` periods, then all that it may,
 * beside others that always do: in how many periods more has it back all that
 * it lent, but for 5 %? Its part and theirs by nodes. */
static int periods_to_repay(double nodes, size_t n, int lends, double *lent)
{
	struct slu_tokens_settings s = {
		.rate = 1000, .hungry = true, .instant = true};
	struct slu_tokens t = {0};
	int period = 0;

	ck_assert_int_eq(slu_tokens_resize(&t, n, NULL), 0);
	for (size_t i = 0; i < n; i++) {
		t.nodes[i] = i ? 1 : nodes;
		t.tokens[i] = t.limit[i] = -1;
	}
	for (*lent = 0; period < lends || t.record[0] > 0.05 * *lent;
	     period++) {
		for (size_t i = 0; i < n; i++)
			t.demand[i] = fmax(t.limit[i], 10);
		if (period < lends)
			t.demand[0] =
				0.1 * s.rate * nodes / (nodes + (double)n - 1);
		slu_tokens_step(&s, &t, 1);
		*lent = fmax(*lent, t.record[0]);
		ck_assert(period < lends + 1000);
	}
	slu_tokens_free(&t);
	return period - lends;
}

/* As tokens.h says: half of the borrowers' tokens until that is what it lent.
 */
START_TEST(test_repaid)
{
	static const struct {
		double nodes;
		size_t jobs;
		int lends;
	} cases[] = {{1, 2, 4},	 {1, 2, 20}, {3, 2, 20},  {1, 4, 50},
		     {1, 10, 5}, {8, 3, 20}, {50, 51, 10}};

	each(c, cases)
	{
		double others = (double)c->jobs - 1, lent;
		int took = periods_to_repay(c->nodes, c->jobs, c->lends, &lent);
		double half = 500 * others / (others + c->nodes);

		expect(lent > 50 && took <= ceil(lent / half) + 3,
		       "%g nodes of %zu jobs: %g lent, %d periods", c->nodes,
		       c->jobs, lent, took);
	}
}
END_TEST

/* A thousand equal jobs: the same remainder for all is not special. */
START_TEST(test_many)
{
	struct slu_tokens_settings s = {.rate = 12345};
	struct slu_tokens t = {0};
	double got = 0;

	ck_assert_int_eq(slu_tokens_resize(&t, 5000, NULL), 0);
	for (int period = 0; period < 50; period++) {
		for (size_t i = 0; i < t.n; i++) {
			t.nodes[i] = 1;
			t.demand[i] = 10;
			if (period == 0)
				t.tokens[i] = t.limit[i] = -1;
		}
		slu_tokens_step(&s, &t, 0.1);
		for (size_t i = 0; i < t.n; i++)
			got += t.tokens[i];
	}
	ck_assert(fabs(got - 12345 * 5) < 1);
	slu_tokens_free(&t);
}
END_TEST

/* Only the job that is held back borrows; who lends may take it back at once.
 */
START_TEST(test_improvements)
{
	struct slu_tokens_settings s = {
		.rate = 100, .hungry = true, .instant = true};
	struct slu_tokens t = {0};

	ck_assert_int_eq(slu_tokens_resize(&t, 2, NULL), 0);
	for (int i = 0; i < 2; i++) {
		t.nodes[i] = i ? 1 : 9;
		t.tokens[i] = t.limit[i] = -1;
		t.demand[i] = i ? 10 : 2;
	}
	slu_tokens_step(&s, &t, 1);
	ck_assert(t.tokens[0] == 2 && t.tokens[1] == 98);
	ck_assert(t.limit[0] == 90 && t.limit[1] == 98);
	ck_assert(t.record[0] == 88 && t.record[1] == -88);
	slu_tokens_free(&t);
}
END_TEST

TEST_MAIN("tokens", test_as_printed, test_mended, test_alike, test_conservation,
	  test_fairness, test_lost_remainder, test_many, test_improvements,
	  test_repaid)
